"""Alignments and other witnesses, replayed and compared with edlib, rapidfuzz and jiwer."""

import copy
import itertools
import multiprocessing
import pickle
import re

import edlib
import numpy as np
import pytest
from rapidfuzz.distance import LCSseq, Levenshtein

import swath


def replay(cigar, query, target, start):
    """Cost of an extended CIGAR, and where it ends in the target."""
    cost, i, j = 0, 0, start
    for count, op in re.findall(r"(\d+)([=XID])", cigar):
        for _ in range(int(count)):
            if op in "=X":
                assert (query[i] == target[j]) == (op == "=")
            cost += op != "="
            i += op != "D"
            j += op != "I"
    assert i == len(query)
    return cost, j


@pytest.mark.parametrize("mode", ["NW", "SHW", "HW"])
@pytest.mark.parametrize("task", ["distance", "locations", "path"])
def test_alignments_are_those_of_edlib(rng, mode, task):
    for _ in range(400):
        letters = "ACGT"[: rng.randint(1, 4)]
        query = "".join(rng.choices(letters, k=rng.randint(0, rng.choice([5, 70]))))
        target = "".join(rng.choices(letters, k=rng.randint(0, rng.choice([10, 200]))))
        if rng.random() < 0.5:
            target = target[:50] + query + target[50:]
        for k in (-1, None, 0, 3, 20):
            expected = edlib.align(query, target, mode, task, k)
            found = swath.align(query, target, mode, task, k)
            cigar, of_peer = found.pop("cigar"), expected.pop("cigar")
            assert found == expected, (query, target, k)
            assert (cigar is None) == (of_peer is None), (query, target, k)
            if cigar is not None:
                start, last = found["locations"][0]
                cost, end = replay(cigar, query, target, start)
                assert (cost, end) == (found["editDistance"], last + 1), (query, target, cigar)


def test_equalities_are_those_of_edlib(rng):
    cases = [("a", "A"), ("b", "B")]
    for _ in range(200):
        query = "".join(rng.choices("abAB", k=rng.randint(1, 9)))
        target = "".join(rng.choices("abABc", k=rng.randint(1, 20)))
        for mode in ("NW", "SHW", "HW"):
            expected = edlib.align(query, target, mode, "locations", -1, cases)
            assert swath.align(query, target, mode, "locations", -1, cases) == expected
    with pytest.raises(NotImplementedError, match="wildcard"):
        swath.align("ANT", "ACT", additionalEqualities=[("N", "A"), ("N", "C")])


def test_alphabets_of_any_size():
    query = list(range(1000))
    target = [number for number in query if number % 7]
    found = swath.align(query, target, task="path")
    assert found["editDistance"] == len(query) - len(target)
    assert found["alphabetLength"] == 1000


def is_subsequence(part, whole):
    symbols = iter(whole)
    return all(symbol in symbols for symbol in part)


@pytest.mark.parametrize("letters", ["ab", "ACGT", "aö\N{CAT FACE}"])
def test_subsequences_and_supersequences(rng, letters):
    for _ in range(100):
        a, b = ("".join(rng.choices(letters, k=rng.randint(0, 90))) for _ in range(2))
        length = LCSseq.similarity(a, b)
        found = swath.lcs(a, b)
        assert found.length == length == len(found.symbols)
        assert is_subsequence(found.symbols, a) and is_subsequence(found.symbols, b)
        assert [a[i + s] for i, _, n in found.blocks for s in range(n)] == list(found.symbols)
        assert [b[j + s] for _, j, n in found.blocks for s in range(n)] == list(found.symbols)
        found = swath.scs(a, b)
        assert found.exact and found.length == len(a) + len(b) - length == len(found.symbols)
        assert is_subsequence(a, found.symbols) and is_subsequence(b, found.symbols)
        for text, embedding in zip((a, b), found.embeddings):
            assert all(
                text[i : i + n] == found.symbols[j : j + n] for i, j, n in embedding
            )
        found = swath.edit(a, b)
        assert found.distance == Levenshtein.distance(a, b)
        assert replay(found.cigar, a, b, 0) == (found.distance, len(b))


def test_witnesses_have_the_type_of_their_inputs():
    assert swath.lcs(b"xABy", "AB").symbols == b"AB"
    assert swath.lcs(["to", "be"], ["be"]).symbols == ["be"]
    assert swath.lcs("abc", "xyz").symbols == ""
    assert swath.lcs((n for n in [1, 2, 3]), [2, 3]).symbols == [2, 3]
    assert swath.scs(b"cab", b"abac").symbols == b"cabac"
    assert swath.scs().length == 0
    assert swath.substring([1, 2, 3], [2, 3, 4]).substrings == [[2, 3]]
    assert swath.edit("kitten", "sitting", k=2).distance is None
    assert swath.edit("kitten", "sitting", k=2).cigar is None
    assert swath.edit("AAT", "AAAT", gaps="left").cigar == "1D3="
    run = swath.lcs("abc", "abd", device="cpu").run
    assert run["device"] == "cpu" and run["seconds"] >= 0 and run["cells"] == 9


WITNESSES = [
    swath.edit("kitten", "sitting"),
    swath.edit("kitten", "sitting", k=1),
    swath.lcs("nematode", "empty"),
    swath.lcs(["to", "be"], ["be"]),
    swath.scs("cab", "abac", "bca"),
    swath.substring(b"xxABC", b"zABCz"),
    swath.matrix_chain([10, 100, 5, 50]),
]


def attributes(witness):
    names = [name for name in dir(witness) if not name.startswith("_") and not callable(getattr(witness, name))]
    return {name: getattr(witness, name) for name in names}


@pytest.mark.parametrize("witness", WITNESSES, ids=repr)
def test_witnesses_are_pickled_and_copied(witness):
    assert len(attributes(witness)) >= 4
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        for copied in (pickle.loads(pickle.dumps(witness, protocol)), copy.copy(witness), copy.deepcopy(witness)):
            assert type(copied) is type(witness) and repr(copied) == repr(witness)
            np.testing.assert_equal(attributes(copied), attributes(witness))


def test_witnesses_come_from_processes():
    pairs = [("kitten", "sitting"), ("tea", "team")]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.starmap(swath.edit, pairs)
    assert [witness.cigar for witness in found] == [swath.edit(a, b).cigar for a, b in pairs]


@pytest.mark.parametrize("mode, of_edlib", [("global", "NW"), ("prefix", "SHW"), ("infix", "HW")])
@pytest.mark.parametrize("query, target", [("", ""), ("", "abc"), ("abc", ""), (b"", b"abc"), ([], [1, 2])])
def test_empty_sequences_in_every_mode(mode, of_edlib, query, target):
    found = swath.edit(query, target, mode=mode)
    assert found.distance == swath.align(query, target, of_edlib)["editDistance"]
    assert found.distance == edlib.align(query, target, of_edlib)["editDistance"]
    end = len(target) if mode == "global" else 0
    assert found.locations == [(0, end)]
    assert replay(found.cigar, query, target, 0) == (found.distance, end)
    assert swath.edit(query, target, mode=mode, k=0).distance == (found.distance or 0 if found.distance == 0 else None)


def test_substrings(rng):
    for _ in range(60):
        inputs = ["".join(rng.choices("ab", k=rng.randint(0, 40))) for _ in range(3)]
        substrings = [
            {text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
            for text in inputs
        ]
        for least in (2, 3):
            common = set()
            for some in itertools.combinations(substrings, least):
                common |= set.intersection(*some)
            length = max(map(len, common), default=0)
            found = swath.substring(*inputs, in_at_least=least)
            assert found.length == length
            assert set(found.substrings) == {text for text in common if len(text) == length > 0}
            for text, places in zip(found.substrings, found.places):
                everywhere = [
                    (index, start)
                    for index, whole in enumerate(inputs)
                    for start in range(len(whole))
                    if whole.startswith(text, start)
                ]
                assert places == everywhere


def test_matrix_chains(rng):
    for _ in range(40):
        dims = [rng.randint(1, 50) for _ in range(rng.randint(3, 12))]
        n = len(dims) - 1
        cost = {(i, i + 1): 0 for i in range(n)}
        for size in range(2, n + 1):
            for i in range(n - size + 1):
                j = i + size
                cost[i, j] = min(
                    cost[i, k] + cost[k, j] + dims[i] * dims[k] * dims[j] for k in range(i + 1, j)
                )
        found = swath.matrix_chain(dims)
        assert found.cost == cost[0, n]
        assert found.cost == sum(dims[i] * dims[k] * dims[j] for i, k, j in found.splits)


def test_counts_of_words(rng):
    jiwer = pytest.importorskip("jiwer")
    vocabulary = ["a", "the", "cat", "sat", "on", "größe", "mat"]
    references = [" ".join(rng.choices(vocabulary, k=rng.randint(1, 30))) for _ in range(700)]
    hypotheses = [
        " ".join(word for word in text.split() + rng.choices(vocabulary, k=2) if rng.random() < 0.8)
        for text in references
    ]
    for unit, peer in (("words", jiwer.process_words), ("symbols", jiwer.process_characters)):
        expected = peer(references, hypotheses)
        counts = swath.counts(references, hypotheses, unit=unit, workers=2)
        errors = expected.substitutions + expected.deletions + expected.insertions
        assert counts.errors.sum() == errors
        # Independent of the choice among the best alignments.
        assert counts.lengths.sum() == expected.hits + expected.substitutions + expected.deletions
        rate = expected.wer if unit == "words" else expected.cer
        assert counts.error_rate == pytest.approx(rate)
        each = swath.counts(references, hypotheses, unit=unit, workers=1)
        assert all(map(np.array_equal, each, counts))
        for index in range(0, 700, 90):
            a, b = references[index], hypotheses[index]
            a, b = (a.split(), b.split()) if unit == "words" else (a, b)
            cigar = swath.edit(a, b).cigar
            steps = {op: sum(int(n) for n, o in re.findall(r"(\d+)(.)", cigar) if o == op) for op in "XID="}
            found = [column[index] for column in counts]
            assert found == [steps["X"], steps["I"], steps["D"], steps["="]]


def test_counts_of_texts_of_many_words(rng):
    """More words than a byte holds, and more pairs than one thread takes."""
    vocabulary = [f"word{number}" for number in range(700)]
    for count, longest in ((40, 600), (5000, 12)):
        references = [rng.choices(vocabulary, k=rng.randint(0, longest)) for _ in range(count)]
        hypotheses = [[word for word in text + text[:3] if rng.random() < 0.9] for text in references]
        expected = [swath.distance(a, b) for a, b in zip(references, hypotheses, strict=True)]
        texts = [[" ".join(words) for words in side] for side in (references, hypotheses)]
        for workers in (1, 3):
            counts = swath.counts(*texts, workers=workers)
            assert counts.errors.tolist() == expected
            assert counts.lengths.tolist() == [len(words) for words in references]


def test_counts_of_other_inputs():
    pa = pytest.importorskip("pyarrow")
    references, hypotheses = ["a b c", "d\u2003e"], ["a x c", "e"]
    expected = swath.counts(references, hypotheses)
    assert [column.tolist() for column in expected] == [[1, 0], [0, 1], [0, 0], [2, 1]]
    for convert in (pa.array, lambda texts: pa.array(texts, pa.string_view())):
        found = swath.counts(convert(references), convert(hypotheses))
        assert all(map(np.array_equal, found, expected))
    split = [text.split() for text in references]
    assert all(map(np.array_equal, swath.counts(split, hypotheses), expected))
    lone = [text + "\udc80" for text in references]
    assert swath.counts(lone, lone).hits.tolist() == [3, 2]
    with pytest.raises(swath.InputError, match="missing"):
        swath.counts(["a", None], ["a", "b"])
