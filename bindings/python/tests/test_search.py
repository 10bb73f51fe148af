"""Places of patterns in texts, compared with the table of every pattern and text."""

import re

import numpy as np
import pyarrow as pa
import pytest

import swath

COMPLEMENT = str.maketrans("ACGTacgt", "TGCAtgca")
OPS = {"=": (1, 1), "X": (1, 1), "I": (1, 0), "D": (0, 1)}


def reverse(text):
    return text.translate(COMPLEMENT)[::-1]


def equals(x, y):
    return x == y


def ends(pattern, text, matches, has_gaps):
    """Least cost of a piece that ends at each position, and the longest start with it."""
    column = [(row, 0) for row in range(len(pattern) + 1)]
    if not has_gaps:
        column[1:] = [(float("inf"), 0)] * len(pattern)
    rows = [column[-1]]
    for position, y in enumerate(text, 1):
        last, column = column, [(0, position)]
        for row, x in enumerate(pattern, 1):
            cost, start = last[row - 1]
            choices = [(cost + (not matches(x, y)), start)]
            if has_gaps:
                choices += [(one[0] + 1, one[1]) for one in (last[row], column[row - 1])]
            column.append(min(choices))
        rows.append(column[-1])
    return rows


def minima(rows, k):
    """Last positions of the runs within k that both neighbours exceed."""
    found, first = [], 0
    for position in range(len(rows)):
        if position + 1 < len(rows) and rows[position + 1][0] == rows[position][0]:
            continue
        cost = rows[position][0]
        is_low = first == 0 or rows[first - 1][0] > cost
        is_low &= position + 1 == len(rows) or rows[position + 1][0] > cost
        if is_low and cost <= k:
            found.append(position)
        first = position + 1
    return found


def brute(patterns, texts, k, strand="forward", all="minima", matches=equals, hamming=False):
    """Places by text, start, end, pattern and strand."""
    found = []
    for number, text in enumerate(texts):
        for pattern, letters in enumerate(patterns):
            of_pair = []
            for sign in {"forward": [1], "reverse": [-1], "both": [1, -1]}[strand]:
                searched = text if sign == 1 else reverse(text)
                rows = ends(letters, searched, matches, not hamming)
                within = [end for end, (cost, _) in enumerate(rows) if cost <= k]
                for end in within if all == "ends" or hamming else minima(rows, k):
                    cost, start = rows[end]
                    span = (start, end) if sign == 1 else (len(text) - end, len(text) - start)
                    of_pair.append((number, *span, pattern, sign, cost))
            least = min((place[-1] for place in of_pair), default=0)
            found += [place for place in of_pair if all != "best" or place[-1] == least]
    return sorted(found, key=lambda place: (*place[:4], -place[4]))


def as_list(found):
    columns = (found.text, found.start, found.end, found.pattern, found.strand, found.cost)
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.fixture
def dna(rng):
    def make(count, shortest, longest):
        return ["".join(rng.choices("ACGT", k=rng.randint(shortest, longest))) for _ in range(count)]

    return make


@pytest.mark.parametrize("all", ["minima", "ends", "best"])
@pytest.mark.parametrize("strand", ["forward", "reverse", "both"])
@pytest.mark.parametrize("k", [0, 1, 3])
def test_places_are_those_of_the_table(dna, strand, all, k):
    patterns, texts = dna(6, 5, 14), dna(8, 0, 150)
    for hamming in (False, True):
        options = {"strand": strand, "all": all, "hamming": hamming}
        found = swath.search(patterns, texts, k, **options)
        assert as_list(found) == brute(patterns, texts, k, **options)
        assert found.cigar is None


def test_texts_of_any_symbols(words):
    patterns, texts = words(8, 12, "äβ字abc"), words(10, 80, "äβ字abc")
    patterns = [pattern for pattern in patterns if len(pattern) > 2]
    expected = brute(patterns, texts, 2)
    assert as_list(swath.search(patterns, texts, 2)) == expected
    lists = [[[(letter, 1) for letter in text] for text in all] for all in (patterns, texts)]
    assert as_list(swath.search(*lists, k=2)) == expected


def test_arrow_and_missing_strings(dna):
    patterns, texts = dna(5, 6, 12), dna(7, 30, 90)
    patterns[2] = texts[4] = None
    present = [pattern for pattern in patterns if pattern is not None]
    expected = [
        (text, start, end, pattern + (pattern >= 2), strand, cost)
        for text, start, end, pattern, strand, cost in brute(present, [one or "" for one in texts], 3)
    ]
    assert len(expected) > 3
    assert as_list(swath.search(patterns, texts, 3)) == expected
    for kind in (pa.string(), pa.large_string(), pa.large_binary()):
        arrays = [pa.array(all, kind) for all in (patterns, texts)]
        assert as_list(swath.search(*arrays, k=3)) == expected
    column = pa.array(swath.search(patterns, texts, 3).start)
    assert column.to_pylist() == [place[1] for place in expected]


def test_cigars_turn_patterns_into_pieces(dna):
    patterns, texts = dna(6, 6, 14), dna(6, 30, 90)
    found = swath.search(patterns, texts, 3, strand="both", cigar=True)
    assert found.cigar.shape == found.cost.shape and len(found.cost) > 10
    for pattern, text, start, end, strand, cost, cigar in zip(*found, strict=True):
        letters = patterns[pattern] if strand == 1 else reverse(patterns[pattern])
        row, position, edits = 0, start, 0
        for count, op in re.findall(r"(\d+)(.)", cigar):
            for _ in range(int(count)):
                if op in "=X":
                    assert (letters[row] == texts[text][position]) == (op == "=")
                edits += op != "="
                row, position = row + OPS[op][0], position + OPS[op][1]
        assert (row, position, edits) == (len(letters), end, cost)
    assert swath.search(patterns, [], 3, cigar=True).cigar.shape == (0,)


def test_exact_parts_and_motifs(dna):
    patterns, texts = dna(6, 8, 8), dna(6, 200, 400)
    tail = as_list(swath.search(patterns, texts, 2, exact_tail=3))
    head = as_list(swath.search(patterns, texts, 2, exact_head=3))
    assert tail and head
    assert all(texts[text][:end].endswith(patterns[pattern][-3:]) for text, _, end, pattern, *_ in tail)
    assert all(texts[text][start:].startswith(patterns[pattern][:3]) for text, start, _, pattern, *_ in head)
    near = as_list(swath.search(patterns, texts, 2, hamming=True, strand="both"))
    found = swath.search(patterns, texts, 2, hamming=True, strand="both", pam="NGG")
    expected = [
        place
        for place in near
        if (place[4] == 1 and re.match("[ACGT]GG", texts[place[0]][place[2] :]))
        or (place[4] == -1 and re.search("CC[ACGT]$", texts[place[0]][: place[1]]))
    ]
    assert as_list(found) == expected and expected


def test_bounds_of_substitutions_and_gaps(dna):
    patterns, texts = dna(6, 6, 9), dna(6, 200, 400)
    free = as_list(swath.search(patterns, texts, 3, all="ends"))
    for bounds in ({"max_gaps": 1}, {"max_substitutions": 1}, {"max_substitutions": 0, "max_gaps": 2}):
        found = swath.search(patterns, texts, 3, all="ends", cigar=True, **bounds)
        for cigar, cost in zip(found.cigar, found.cost, strict=True):
            edits = {op: 0 for op in "=XID"}
            for count, op in re.findall(r"(\d+)(.)", cigar):
                edits[op] += int(count)
            assert edits["X"] <= bounds.get("max_substitutions", 3)
            assert edits["I"] + edits["D"] <= bounds.get("max_gaps", 3)
            assert edits["X"] + edits["I"] + edits["D"] == cost
        ends = {(text, end, pattern) for text, _, end, pattern, *_ in free}
        kept = {(text, end, pattern) for text, _, end, pattern, *_ in as_list(found)}
        assert kept and kept < ends
    gapless = swath.search(patterns, texts, 3, max_gaps=0)
    assert as_list(gapless) == as_list(swath.search(patterns, texts, 3, hamming=True))


def test_patterns_that_stick_out():
    adapter, reads = ["AGATCGGAACTC"], ["TTTTTAGATCGGA", "TCCGATCTTTTTT", "TCGGAACTCTTT"]
    found = swath.search(adapter, reads, 2, overhang=0.5, strand="both", cigar=True)
    assert found.start.tolist() == [5, 0, 0] and found.end.tolist() == [13, 8, 9]
    assert found.cost.tolist() == [2, 2, 1] and found.cigar.tolist() == ["8=4S", "4S8=", "3S9="]
    assert len(swath.search(adapter, reads, 2, strand="both").cost) == 0


def test_letters_that_match_others(dna):
    texts = [text.lower() if index % 2 else text for index, text in enumerate(dna(6, 50, 90))]
    assert as_list(swath.search(["ACGTNA"], texts, 1, ambiguous="iupac")) == brute(
        ["ACGTNA"], texts, 1, matches=lambda x, y: x == "N" or x == y.upper()
    )
    assert as_list(swath.search(["aCGTa"], texts, 1, ignore_case=True)) == brute(
        ["ACGTA"], texts, 1, matches=lambda x, y: x == y.upper()
    )
    assert as_list(swath.search(["ACGTA"], texts, 1, equal=[("A", "T"), ("C", "c")])) == brute(
        ["ACGTA"], texts, 1, matches=lambda x, y: x == y or {x, y} in ({"A", "T"}, {"C", "c"})
    )
    assert swath.search(["ÄBC"], ["xäbcx"], 0, ignore_case=True).start.tolist() == [1]


def test_empty_lists_and_wrong_arguments():
    for found in (swath.search([], ["a"]), swath.search(["needle"], []), swath.search([None], ["a"])):
        assert [len(column) for column in found[:6]] == [0] * 6
        assert [column.dtype for column in found[:6]] == [np.int64] * 4 + [np.int8, np.uint32]
    for part, options in (
        ("patterns[1] has 2 symbols", {"k": 2}),
        ("patterns[1] has 2 symbols, and 3", {"k": 0, "exact_tail": 3}),
        ("exclude each other", {"k": 0, "exact_tail": 1, "exact_head": 1}),
        ("unknown letters 'dna'", {"k": 0, "ambiguous": "dna"}),
        ("pairs of ASCII characters", {"k": 0, "equal": [("ä", "a")]}),
        ("strand: unknown", {"k": 0, "strand": "up"}),
        ("all: unknown", {"k": 0, "all": "none"}),
        ("motif", {"k": 0, "pam": "N-G"}),
        ("letter of DNA", {"k": 0, "strand": "both"}),
        ("workers", {"k": 0, "workers": 0}),
        ("overhang is 1.5", {"k": 0, "overhang": 1.5}),
        ("that may stick out", {"k": 1, "overhang": 0.25, "strand": "forward"}),
    ):
        with pytest.raises(swath.InputError, match=re.escape(part)):
            swath.search(["ACG-", "AC"], ["ACGT"], **options)
    for options in ({"pam": "NGG"}, {"strand": "both"}, {"ambiguous": "iupac"}, {"ignore_case": True}):
        with pytest.raises(TypeError, match=f"{next(iter(options))}.*only for text and bytes"):
            swath.search([[(1,), (2,)]], [[(1,), (2,)]], k=0, **options)
    with pytest.raises(TypeError):
        swath.search("ACGT", ["ACGT"])


def test_progress_of_search(dna):
    fractions = []
    found = swath.search(dna(50, 20, 20), dna(4, 100_000, 100_000), 2, progress=fractions.append)
    assert fractions[-1] == 1.0 and len(found) == 7
