"""Scorers, processors and functions of rapidfuzz.process and rapidfuzz.fuzz."""

import functools
import itertools
import sys

import numpy as np
import pytest
from rapidfuzz import fuzz, fuzz_py, process, utils, utils_py
from rapidfuzz.distance import (
    DamerauLevenshtein,
    Editops,
    Hamming,
    Indel,
    Jaro,
    JaroWinkler,
    LCSseq,
    Levenshtein,
    Levenshtein_py,
    Opcodes,
)
from test_scores import SCORERS

import swath

KINDS = ["distance", "similarity", "normalized_distance", "normalized_similarity"]
RATIOS = ["ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio"]
SENTENCES = [
    "new york mets vs chicago cubs",
    "Chicago  Cubs vs. New York METS!",
    "the wonderful new york mets",
    "mets",
    "  ",
    "",
    "größe über alles",
    "über größe",
]


@pytest.fixture
def sentences(rng):
    """Sentences, and random ones of few words."""
    made = [" ".join(rng.choices(["ab", "abc", "b", "ca", "übe"], k=rng.randrange(6))) for _ in range(30)]
    return SENTENCES + made


@pytest.mark.parametrize("scorer", SCORERS)
@pytest.mark.parametrize("kind", KINDS)
def test_functions_of_rapidfuzz_stand_for_names(words, scorer, kind):
    a, b = words(6), words(5)
    function = getattr(SCORERS[scorer], kind)
    expected = swath.cdist(a, b, scorer=scorer, kind=kind)
    np.testing.assert_allclose(expected, process.cdist(a, b, scorer=function), rtol=1e-6)
    for options in ({}, {"kind": kind}, {"score_hint": 1, "scorer_kwargs": {}}):
        found = swath.cdist(a, b, scorer=function, **options)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(swath.cpdist(a[:5], b, scorer=function), np.diag(expected))
    assert getattr(swath, kind)(a[0], b[0], scorer=function, score_hint=3) == pytest.approx(expected[0, 0])
    assert swath.extract(a[0], b, scorer=function) == swath.extract(a[0], b, scorer=scorer, kind=kind)
    other = KINDS[KINDS.index(kind) - 1]
    for call in (
        lambda: getattr(swath, other)(a[0], b[0], scorer=function),
        lambda: swath.cdist(a, b, scorer=function, kind=other),
    ):
        with pytest.raises(swath.InputError, match=f"'{kind}', not '{other}'"):
            call()


def test_scorers_are_known_by_identity(words):
    a, b = words(4), words(5)
    assert swath.distance("ab", "b", scorer=Levenshtein_py.distance) == 1
    found = swath.pairs(a, b, k=3, scorer=Indel.distance)
    np.testing.assert_array_equal(found.distance, swath.pairs(a, b, k=3, scorer="indel").distance)
    wrapped = functools.wraps(Levenshtein.distance)(lambda a, b, **options: 0)
    for scorer in (DamerauLevenshtein.distance, fuzz.WRatio, Levenshtein.editops, wrapped, len, 3):
        with pytest.raises(swath.InputError, match="Levenshtein.*token_set_ratio"):
            swath.cdist(a, b, scorer=scorer)


def test_arguments_of_scorers(words):
    a, b = words(8), words(9)
    for scorer, arguments in [
        (Levenshtein.distance, {"weights": (1, 1, 1)}),
        (Levenshtein.normalized_similarity, {"weights": [1, 1, 2]}),
        (JaroWinkler.similarity, {"prefix_weight": 0.1}),
        (JaroWinkler.normalized_distance, {"prefix_weight": 0.0}),
        (Hamming.distance, {"pad": True}),
    ]:
        expected = process.cdist(a, b, scorer=scorer, scorer_kwargs=arguments)
        np.testing.assert_array_equal(swath.cdist(a, b, scorer=scorer, scorer_kwargs=arguments), expected)
        (found,) = swath.extract(a[0], b, scorer=scorer, scorer_kwargs=arguments, limit=1)
        assert found[1] == pytest.approx(process.extractOne(a[0], b, scorer=scorer, scorer_kwargs=arguments)[1])
    for scorer, arguments in [
        (Levenshtein.distance, {"weights": (1, 2, 1)}),
        ("edit", {"weights": 3}),
        (None, {"prefix_weight": 0.1}),
        (JaroWinkler.similarity, {"prefix_weight": 0.2}),
        (Hamming.distance, {"pad": False}),
        (Jaro.similarity, {"other": 1}),
    ]:
        with pytest.raises(swath.InputError, match=next(iter(arguments))):
            swath.cdist(a, b, scorer=scorer, scorer_kwargs=arguments)


@pytest.mark.parametrize("name", RATIOS)
def test_ratios(sentences, name):
    theirs = getattr(fuzz, name)
    expected = np.array([[theirs(a, b) for b in sentences] for a in sentences])
    for scorer in (name, name.replace("_", "-"), theirs, getattr(fuzz_py, name)):
        for choices in (sentences, list(sentences)):
            found = swath.cdist(sentences, choices, scorer=scorer, dtype=np.float64)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
    found = swath.cdist(sentences, sentences, scorer=name)
    assert found.dtype == np.float32
    found = swath.cdist(sentences, sentences, scorer=name, dtype=np.uint8)
    np.testing.assert_array_equal(found, process.cdist(sentences, sentences, scorer=theirs, dtype=np.uint8))
    share = expected / 100
    scales = {"distance": 100 - expected, "normalized_distance": 1 - share, "normalized_similarity": share}
    for kind, scores in scales.items():
        found = swath.cdist(sentences, sentences, scorer=name, kind=kind, dtype=np.float64)
        np.testing.assert_allclose(found, scores, atol=1e-12)
    for row, column in itertools.product(range(len(sentences)), repeat=2):
        a, b = sentences[row], sentences[column]
        assert swath.similarity(a, b, scorer=name) == expected[row, column]
        long = [a * 30, b * 30]
        assert swath.similarity(*long, scorer=name) == pytest.approx(theirs(*long)) or name == "partial_ratio"
    for cutoff in (0, 40.0, 66.7, 100, 101):
        passed = np.where(expected >= cutoff, expected, 0)
        found = swath.cdist(sentences, sentences, scorer=name, score_cutoff=cutoff, dtype=np.float64)
        np.testing.assert_allclose(found, passed, rtol=1e-12)
        for query in sentences[:8]:
            found = swath.extract(query, sentences, scorer=theirs, score_cutoff=cutoff)
            assert found == (process.extract(query, sentences, scorer=theirs, score_cutoff=cutoff) if cutoff <= 100 else [])
    assert swath.similarity(None, "a", scorer=name) == 0
    assert swath.distance("a", None, scorer=name) == 100
    np.testing.assert_array_equal(swath.cdist(["a", None], ["a"], scorer=name), [[100], [0]])
    for a, b in [(b"new york", "york new"), ([ord(letter) for letter in "a b"], "b a")]:
        assert swath.similarity(a, b, scorer=name) == pytest.approx(theirs(a, b))


@pytest.mark.parametrize("name", RATIOS)
@pytest.mark.parametrize("spaces", [" ", " \u3000"])
def test_letters_beyond_latin_have_their_order_and_their_spaces(rng, name, spaces):
    def text():
        return "".join(rng.choice(["źa", "ża", "zä", "ä", "ω", "b"]) + rng.choice(spaces) for _ in range(rng.randrange(9)))

    queries, names = ["ż ź b", *(text() for _ in range(9))], [text() for _ in range(60)]
    for few in (queries[:1], queries):
        expected = process.cdist(few, names, scorer=getattr(fuzz, name), dtype=np.float64)
        for choices in (names, swath.Choices(names)):
            found = swath.cdist(few, choices, scorer=name, dtype=np.float64)
            np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["token_sort_ratio", "token_set_ratio"])
def test_tokens_are_of_text(name):
    for words in (["to", "be"], [-1, 32]):
        for call in (
            lambda: swath.similarity(words, words, scorer=name),
            lambda: swath.cdist([words], ["a"], scorer=name),
            lambda: swath.extract("a", [words], scorer=name),
        ):
            with pytest.raises(TypeError, match="tokens"):
                call()


def test_default_process_equals_that_of_rapidfuzz():
    for code in range(0x10000):
        text = f"x{chr(code)}X"
        # They disagree on letters that Unicode 14 added and later.
        assert swath.default_process(text) in (utils.default_process(text), utils_py.default_process(text))
        if sys.version_info < (3, 12) and code < 0x870:
            assert swath.default_process(text) == utils.default_process(text)
    for text in [*SENTENCES, b" Ab-\xc9 ", "", "__x__", "\0a\x1f"]:
        assert swath.default_process(text) == utils.default_process(text)
    for other in (None, 1, ["a"]):
        with pytest.raises(TypeError):
            swath.default_process(other)


@pytest.mark.parametrize("processor", [swath.default_process, utils.default_process, lambda text: text[::-1].lower()])
def test_processors(sentences, processor):
    plain = [processor(sentence) for sentence in sentences]
    for kind in KINDS:
        for a, b in zip(range(8), range(1, 9)):
            found = getattr(swath, kind)(sentences[a], sentences[b], processor=processor)
            assert found == getattr(swath, kind)(plain[a], plain[b])
    assert swath.normalized_similarity("a", None, processor=processor) == 0
    expected = swath.cdist([*plain, None], plain, kind="similarity")
    for choices in (sentences, swath.Choices(sentences)):
        found = swath.cdist([*sentences, None], choices, kind="similarity", processor=processor)
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(swath.cdist(sentences, sentences, processor=processor), swath.cdist(plain, plain))
    found = swath.cpdist(sentences, sentences[::-1], processor=processor)
    np.testing.assert_array_equal(found, swath.cpdist(plain, plain[::-1]))
    arrow = pytest.importorskip("pyarrow")
    for choices in ([*sentences, None], arrow.array([*sentences, None])):
        expected = process.extract(
            sentences[1], [*sentences, None], scorer=Levenshtein.distance, processor=processor, limit=9
        )
        assert swath.extract(sentences[1], choices, processor=processor, limit=9) == expected
    for call in (
        lambda: swath.distance("a", "b", processor=lambda text: 1 / 0),
        lambda: swath.cdist(["a"], ["b"], processor=lambda text: 1 / 0),
        lambda: swath.extract("a", ["b"], processor=lambda text: 1 / 0),
    ):
        with pytest.raises(ZeroDivisionError):
            call()


def test_processors_take_any_object():
    events = [["mets", 3], ["cubs", 4], None]
    found = swath.extract_one(["mats", 1], events, processor=lambda event: event[0])
    assert found == (["mets", 3], 1, 0)


@pytest.mark.parametrize(
    "scorer", [Levenshtein.distance, Levenshtein.normalized_similarity, LCSseq.similarity, Jaro.normalized_distance]
)
def test_best_choice_and_iterator(rng, words, scorer):
    choices = [*words(60, 6), None, float("nan")]
    rng.shuffle(choices)
    keyed = {f"key {index}": choice for index, choice in enumerate(choices)}
    for query in [*words(10, 6), None]:
        for cutoff in (None, 0, 1, 2 if scorer in (Levenshtein.distance, LCSseq.similarity) else 0.61):
            for strings in (choices, keyed):
                options = {"scorer": scorer, "score_cutoff": cutoff}
                expected = process.extractOne(query, strings, **options)
                assert swath.extract_one(query, strings, **options) == expected
                assert swath.extractOne(query, strings, score_hint=1, **options) == expected
                expected = list(process.extract_iter(query, strings, **options))
                assert list(swath.extract_iter(query, strings, **options)) == expected
    assert swath.extract_one("a", []) is None
    assert list(swath.extract_iter("a", iter(["b", "a"]))) == [("b", 1, 0), ("a", 0, 1)]
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(["tea", None, "team"], index=[7, 8, 9])
    assert swath.extract_one("steam", series) == ("team", 1, 9)
    assert list(swath.extract_iter("steam", series)) == [("tea", 2, 7), ("team", 1, 9)]


def test_operations_of_alignments(words):
    for a, b in zip(words(60, 30, "abé"), words(60, 30, "abé")):
        found = swath.edit(a, b)
        editops = Editops(found.editops(), len(a), len(b))
        opcodes = Opcodes(found.opcodes(), len(a), len(b))
        assert editops.apply(a, b) == opcodes.apply(a, b) == b
        assert len(editops) == found.distance == Levenshtein.distance(a, b)
        assert editops.as_opcodes() == opcodes and opcodes.as_editops() == editops
    for a, b in [("", ""), ("", "ab"), ("ab", ""), ("kitten", "sitting")]:
        assert swath.edit(a, b).editops() == Levenshtein.editops(a, b).as_list()
        assert swath.edit(a, b).opcodes() == Levenshtein.opcodes(a, b).as_list()
    far = swath.edit("abc", "xyz", k=1)
    assert far.editops() is far.opcodes() is None
    inside = swath.edit("ACGT", "TTTACCTTTT", mode="infix")
    assert inside.opcodes() == [("equal", 0, 2, 3, 5), ("replace", 2, 3, 5, 6), ("equal", 3, 4, 6, 7)]
