"""Scores of pairs and lists, compared with rapidfuzz."""

import math

import numpy as np
import pytest
from rapidfuzz import process
from rapidfuzz.distance import OSA, Hamming, Indel, Jaro, JaroWinkler, LCSseq, Levenshtein

import swath

SCORERS = {
    "edit": Levenshtein,
    "indel": Indel,
    "lcs": LCSseq,
    "hamming": Hamming,
    "osa": OSA,
    "jaro": Jaro,
    "jaro-winkler": JaroWinkler,
}
# Scores from 0 to 1.
FRACTIONS = ["jaro", "jaro-winkler"]
KINDS = ["distance", "similarity", "normalized_distance", "normalized_similarity"]
# Around the limbs of bit vectors, and above the size that needs an engine.
LENGTHS = [0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 150, 700]
# Alphabets of ASCII, of code points with two and with four bytes, and of one letter.
ALPHABETS = ["ACGT", "aäö", "x\N{GRINNING FACE}\N{CAT FACE}", "a", "\0\x7f\xff\u0100"]


def peer(scorer, kind):
    return getattr(SCORERS[scorer], kind)


def rounded(scores):
    """Half away from zero, as in rapidfuzz."""
    return np.trunc(scores + np.copysign(0.5, scores))


def cutoffs(kind, scorer):
    if "normalized" in kind or scorer in FRACTIONS:
        return [None, 0.0, 0.313, 0.777, 1.0]
    return [None, 0, 3, 40, 10**9]


@pytest.mark.parametrize("letters", ALPHABETS)
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_sequences(rng, scorer, kind, letters):
    ours, theirs = getattr(swath, kind), peer(scorer, kind)
    for length in LENGTHS:
        a = "".join(rng.choices(letters, k=length))
        for other in (length, rng.choice(LENGTHS)):
            b = "".join(rng.choices(letters, k=other))
            for b in (b, a[: other // 2] + b[other // 2 :]):
                for cutoff in cutoffs(kind, scorer):
                    expected = theirs(a, b, score_cutoff=cutoff)
                    found = ours(a, b, scorer=scorer, score_cutoff=cutoff)
                    assert found == pytest.approx(expected), (a, b, cutoff)


@pytest.mark.parametrize("scorer", FRACTIONS)
def test_fractions_are_those_of_rapidfuzz_bit_by_bit(rng, scorer):
    theirs = peer(scorer, "similarity")
    words = ["".join(rng.choices("abcdé", k=rng.randrange(90))) for _ in range(60)]
    matrix = swath.cdist(words, words, scorer=scorer, kind="similarity", dtype=np.float64)
    for row, a in enumerate(words):
        for column, b in enumerate(words):
            assert swath.similarity(a, b, scorer=scorer) == theirs(a, b)
            # A list of one is compared with itself in one order.
            first, second = (a, b) if row <= column else (b, a)
            assert matrix[row, column] == theirs(first, second)


@pytest.mark.parametrize("scorer", [scorer for scorer in SCORERS if scorer not in FRACTIONS])
def test_long_pairs(rng, scorer):
    a = "".join(rng.choices("ACGT", k=9000))
    b = "".join(rng.choices("ACGT", k=100)) + a[300:8000]
    expected = peer(scorer, "distance")(a, b)
    assert swath.distance(a, b, scorer=scorer) == expected
    assert swath.distance(a, b, scorer=scorer, score_cutoff=50) == 51
    assert swath.distance(a, b, scorer=scorer, device="cpu", score_cutoff=expected) == expected


@pytest.mark.parametrize("letters", ALPHABETS)
@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("kind", KINDS)
def test_lists(words, scorer, kind, letters):
    queries, choices = words(40, 30, letters), words(33, 90, letters)
    scorer_of_peer = peer(scorer, kind)
    for cutoff in cutoffs(kind, scorer):
        if cutoff == 10**9 and kind == "distance":
            continue  # rapidfuzz returns the cutoff of unbounded pairs as 32 bits.
        options = {"scorer": scorer, "kind": kind, "score_cutoff": cutoff}
        for a, b in [(queries, choices), (queries, queries), (choices, list(choices))]:
            expected = process.cdist(a, b, scorer=scorer_of_peer, score_cutoff=cutoff)
            found = swath.cdist(a, b, **options)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-6)
        expected = process.cpdist(queries[:33], choices, scorer=scorer_of_peer, score_cutoff=cutoff)
        found = swath.cpdist(queries[:33], choices, **options)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_wrong_score_would_be_seen(words):
    strings = words(20)
    expected = process.cdist(strings, strings, scorer=Levenshtein.distance)
    found = swath.cdist(strings, strings)
    found[3, 4] += 1
    with pytest.raises(AssertionError):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", ["distance", "normalized_similarity"])
def test_extracted_choices(rng, words, kind):
    choices = words(500, 8) + [None]
    choices = rng.sample(choices, k=len(choices))
    for query in words(20, 8):
        for limit in (1, 7, None):
            for cutoff in (None, 3) if kind == "distance" else (None, 0.61):
                expected = process.extract(
                    query,
                    choices,
                    scorer=peer("edit", kind),
                    limit=limit,
                    score_cutoff=cutoff,
                )
                found = swath.extract(query, choices, kind=kind, limit=limit, score_cutoff=cutoff)
                assert found == expected
    keyed = {("key", index): choice for index, choice in enumerate(choices)}
    expected = [(choice, score, ("key", index)) for choice, score, index in swath.extract("abc", choices)]
    assert swath.extract("abc", keyed) == expected
    assert swath.extract(None, choices) == []
    assert swath.extract("abc", choices, limit=0) == []


@pytest.mark.parametrize("scorer", ["edit", "indel", "hamming", "osa"])
def test_sparse_pairs(words, scorer):
    a, b = words(200, 12), words(170, 12) + [None]
    for k in (0, 2, 5):
        matrix = swath.cdist(a, b[:-1], scorer=scorer)
        row, column = np.nonzero(matrix <= k)
        found = swath.pairs(a, b, k=k, scorer=scorer)
        np.testing.assert_array_equal(found.row, row)
        np.testing.assert_array_equal(found.column, column)
        np.testing.assert_array_equal(found.distance, matrix[row, column])
        parts = [swath.pairs(a, b, k=k, scorer=scorer, shard=(part, 3)) for part in range(3)]
        for whole, joined in zip(found, map(np.concatenate, zip(*parts))):
            np.testing.assert_array_equal(joined, whole)
        row, column = np.nonzero(np.triu(swath.cdist(a, a, scorer=scorer) <= k, 1))
        found = swath.pairs(a, k=k, scorer=scorer)
        np.testing.assert_array_equal(found.row, row)
        np.testing.assert_array_equal(found.column, column)


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
def test_element_types(words, dtype):
    a, b = words(30), words(20)
    for multiplier in (1, 2):
        expected = process.cdist(a, b, scorer=Levenshtein.distance) * multiplier
        found = swath.cdist(a, b, dtype=dtype, score_multiplier=multiplier)
        assert found.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(found, expected)
    percent = swath.cdist(a, b, kind="normalized_similarity", score_multiplier=100, dtype=dtype)
    exact = 100 * process.cdist(a, b, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
    if np.dtype(dtype).kind == "f":
        np.testing.assert_allclose(percent, exact, rtol=1e-6)
    else:
        np.testing.assert_array_equal(percent, rounded(exact))
        theirs = {"scorer": Levenshtein.normalized_similarity, "score_multiplier": 100, "dtype": np.dtype(dtype)}
        np.testing.assert_array_equal(percent, process.cdist(a, b, **theirs))


def test_scores_that_do_not_fit_are_refused():
    a, b = ["x" * 300], ["y"]
    with pytest.raises(OverflowError, match="wider dtype"):
        swath.cdist(a, b, dtype="u1")
    assert swath.cdist(a, b, dtype="u1", score_cutoff=100) == [[101]]
    with pytest.raises(swath.InputError, match="no type of scores"):
        swath.cdist(a, b, dtype="c8")


@pytest.mark.parametrize("function", ["cdist", "cpdist", "dask"])
def test_none_is_worse_than_the_cutoff_in_every_type(function):
    if function == "dask":
        dask = pytest.importorskip("swath.dask")

    def scores(**options):
        if function == "dask":
            return dask.cdist(["a", "b"], [None, "a"], **options).compute(scheduler="sync")[0].tolist()
        if function == "cdist":
            return swath.cdist(["a", "b"], [None, "a"], **options)[0].tolist()
        return swath.cpdist(["a", "a"], [None, "a"], **options).tolist()

    for cutoff, factor, dtype, expected in [
        (254, 1, "u1", 255),
        (126.5, 1, "i1", 127),
        (1, 100, "u1", 200),
        (3, -1, "i1", -4),
        (2, 0.5, "u1", 2),
        (2**24 - 1, 1, "f4", 2**24),
        (2**52, 1, "f8", 2**52 + 1),
    ]:
        found = scores(score_cutoff=cutoff, score_multiplier=factor, dtype=dtype)
        assert found == [expected, 0], (cutoff, factor, dtype)
    for cutoff, factor, dtype, error in [
        (255, 1, "u1", OverflowError),
        (127, 1, "i1", OverflowError),
        (2**16, 1, "u2", OverflowError),
        (2**32 - 1, 1, None, OverflowError),
        (3, 100, "u1", OverflowError),
        (3, -1, "u1", OverflowError),
        (3, -1, None, OverflowError),
        (200, -1, "i1", OverflowError),
        (3, 0.1, "u1", OverflowError),
        (2**24, 1, "f4", OverflowError),
        (2**53, 1, "f8", swath.InputError),
        (1e300, 1, "f8", swath.InputError),
        (math.inf, 1, "u1", swath.InputError),
        (math.inf, 1, "f8", swath.InputError),
        (None, 1, "f8", swath.InputError),
    ]:
        with pytest.raises(error):
            scores(score_cutoff=cutoff, score_multiplier=factor, dtype=dtype)
            pytest.fail(f"{cutoff}, {factor}, {dtype}")
    for factor in (math.nan, math.inf, -math.inf):
        for kind in ("distance", "normalized_similarity"):
            with pytest.raises(swath.InputError, match="finite"):
                scores(score_cutoff=1, score_multiplier=factor, kind=kind, dtype="f8")


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
@pytest.mark.parametrize("factor", [-100, -1, 0.5, 100])
def test_scores_are_exact_or_refused(words, dtype, factor):
    a, b = words(20, 3), words(20, 3)
    exact = process.cdist(a, b, scorer=Levenshtein.distance) * float(factor)
    fits = np.dtype(dtype).kind == "f" or (
        np.iinfo(dtype).min <= min(3 * factor, 0) and max(3 * factor, 0) <= np.iinfo(dtype).max
    )
    if fits:
        found = swath.cdist(a, b, dtype=dtype, score_multiplier=factor)
        np.testing.assert_array_equal(found, exact if found.dtype.kind == "f" else rounded(exact))
    else:
        with pytest.raises(OverflowError, match="wider dtype"):
            swath.cdist(a, b, dtype=dtype, score_multiplier=factor)


def test_cutoffs_of_any_size(words):
    a, b = words(20), words(20)
    for kind in KINDS:
        expected = process.cdist(a, b, scorer=peer("edit", kind))
        everything = [1e300, math.inf] if "distance" in kind else [-1e300, -math.inf]
        for cutoff in everything:
            found = swath.cdist(a, b, kind=kind, score_cutoff=cutoff)
            np.testing.assert_allclose(found, expected, rtol=1e-6)
            assert getattr(swath, kind)(a[0], b[0], score_cutoff=cutoff) == pytest.approx(expected[0, 0])


def test_missing_strings():
    for missing in (None, float("nan"), np.nan):
        assert swath.normalized_distance("a", missing) == 1.0
        assert swath.normalized_similarity(missing, "a") == 0.0
        found = swath.cdist(["a", missing], [missing, "a"], kind="similarity")
        np.testing.assert_array_equal(found, [[0, 1], [0, 0]])
        found = swath.cdist(["a", missing], ["a", "b", missing], score_cutoff=3)
        np.testing.assert_array_equal(found, [[0, 1, 4], [4, 4, 4]])
        found = swath.cpdist(["", missing], ["", ""], kind="normalized_similarity")
        np.testing.assert_array_equal(found, [1, 0])
        with pytest.raises(swath.InputError, match="no distance"):
            swath.cdist(["a", missing], ["a"])
        with pytest.raises(TypeError):
            swath.distance("a", missing)


def test_empty_lists():
    assert swath.cdist([], ["a", "b"]).shape == (0, 2)
    assert swath.cdist(["a", "b"], []).shape == (2, 0)
    assert swath.cpdist([], []).shape == (0,)
    assert swath.extract("a", []) == []
    assert len(swath.pairs([], k=1).row) == 0
    empty = []
    assert swath.cdist(empty, empty).shape == (0, 0)
    assert len(swath.counts([], []).hits) == 0


def test_arguments_out_of_range_are_refused():
    for call in [
        lambda: swath.distance("a", "b", scorer="damerau"),
        lambda: swath.pairs(["a"], k=1, scorer="jaro"),
        lambda: swath.pairs(["a"], k=1, scorer="ratio"),
        lambda: swath.cdist(["a"], ["b"], kind="ratio"),
        lambda: swath.cdist(["a"], ["b"], scorer_kwargs={"weights": (1, 2, 1)}),
        lambda: swath.cdist(["a"], ["b"], workers=0),
        lambda: swath.cdist(["a"], ["b"], workers=-2),
        lambda: swath.distance("a", "b", score_cutoff=-1),
        lambda: swath.distance("a", "b", score_cutoff=float("nan")),
        lambda: swath.cpdist(["a", "b"], ["a"]),
        lambda: swath.pairs(["a"], k=1, shard=(2, 2)),
        lambda: swath.pairs(["a"], k=1, scorer="lcs"),
        lambda: swath.counts(["a"], ["a", "b"]),
        lambda: swath.align("a", "b", mode="global"),
        lambda: swath.align("a", "b", task="all"),
        lambda: swath.substring("a"),
        lambda: swath.matrix_chain([]),
        lambda: swath.matrix_chain([3]),
        lambda: swath.matrix_chain([3, 4]),
        lambda: swath.matrix_chain([0, 1, 2]),
        lambda: swath.matrix_chain([2, 1, 0]),
    ]:
        with pytest.raises(swath.InputError) as raised:
            call()
        assert isinstance(raised.value, (ValueError, swath.Error))
    for call in [
        lambda: swath.distance(1, "a"),
        lambda: swath.distance(["a", []], ["a"]),
        lambda: swath.cdist("abc", ["a"]),
        lambda: swath.cdist([1], ["a"]),
        lambda: swath.extract("", [1]),
        lambda: swath.distance(np.zeros((2, 2), int), "a"),
    ]:
        with pytest.raises(TypeError):
            call()
    with pytest.raises(swath.DeviceError):
        swath.distance("a", "b", device="no such device")
