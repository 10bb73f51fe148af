"""Neighbours and clusters, compared with all distances."""

import numpy as np
import pytest

import swath


def brute_pairs(a, b, k):
    """Rows, columns and distances within k; of one list if b is None."""
    found = []
    for row, x in enumerate(a):
        first, others = (0, b) if b is not None else (row + 1, a)
        for column in range(first, len(others)):
            if x is None or others[column] is None:
                continue
            distance = swath.distance(x, others[column])
            if distance <= k:
                found.append((row, column, distance))
    return found


@pytest.mark.parametrize("scorer", ["hamming", "osa"])
def test_neighbors_by_other_distances(words, scorer):
    a, b = words(120, 6, "ab") + ["form", "from", "farm"], words(80, 6, "ab")
    for other in (None, b):
        matrix = swath.cdist(a, a if other is None else other, scorer=scorer)
        for k in (0, 1, 2):
            within = matrix <= k if other is not None else np.triu(matrix <= k, 1)
            found = swath.neighbors(a, other, k, scorer=scorer)
            np.testing.assert_array_equal([found.row, found.column], np.nonzero(within))
            np.testing.assert_array_equal(found.distance, matrix[within])
    assert swath.clusters(["form", "from", "farm"], 1, scorer=scorer).cluster.max() == (scorer == "hamming")
    with pytest.raises(swath.InputError, match="'osa'"):
        swath.neighbors(a, scorer="jaro")


@pytest.mark.parametrize("missing", [[], [None, None]])
@pytest.mark.parametrize("device", {swath.devices()[0].selector, "cpu"})
def test_prepared_lists_have_the_neighbors_of_the_list(words, device, missing):
    """Rows of other lengths and letters than before, and bounds that take turns, with one index."""
    strings = words(150, 6, "abcd") + missing + words(150, 6, "abcd") + ["gröt"]
    choices = swath.Choices(strings)
    for rows, k in [(words(40, 6, "abcd"), 2), (["abba"], 2), (words(90, 9, "aexyz"), 1), (words(5, 6, "abcd"), 2)]:
        found = swath.neighbors(rows, choices, k, device=device)
        assert as_list(found) == brute_pairs(rows, strings, k)
    assert swath.neighbors(choices, k=1, device=device) == swath.neighbors(strings, k=1, device=device)
    for rows in (words(30, 8, "abcdef"), words(12, 8, "abcdef"), words(7, 20, "xyz")):
        matrix = swath.cdist(rows, choices, score_cutoff=20, device=device)
        np.testing.assert_array_equal(matrix, swath.cdist(rows, strings, score_cutoff=20, device="cpu"))


def as_list(found):
    return list(zip(found.row.tolist(), found.column.tolist(), found.distance.tolist(), strict=True))


def reverse_complement(string):
    return string[::-1].translate(str.maketrans("ACGT", "TGCA"))


def brute_groups_and_strands(a, b, k, by, other_by, both):
    """Rows, columns, distances and strands within k, of strings with equal keys."""
    found = []
    for row, x in enumerate(a):
        first, others, keys = (0, b, other_by) if b is not None else (row + 1, a, by)
        for column in range(first, len(others)):
            y = others[column]
            if x is None or y is None or by[row] != keys[column]:
                continue
            strands = [(swath.distance(x, y), 1)]
            if both:
                strands.append((swath.distance(reverse_complement(x), y), -1))
            distance, strand = min(strands, key=lambda one: one[0])
            if distance <= k:
                found.append((row, column, distance, strand))
    return found


def brute_components(strings, k):
    cluster = list(range(len(strings)))

    def root(index):
        while cluster[index] != index:
            index = cluster[index]
        return index

    for row, column, _ in brute_pairs(strings, None, k):
        a, b = root(row), root(column)
        cluster[max(a, b)] = min(a, b)
    numbers = {}
    return [
        -1 if string is None else numbers.setdefault(root(index), len(numbers)) for index, string in enumerate(strings)
    ]


def brute_directional(strings, counts, k):
    """Clusters of distinct strings, from the most abundant one on."""
    near = {}
    for row, column, _ in brute_pairs(strings, None, k):
        near.setdefault(row, []).append(column)
        near.setdefault(column, []).append(row)
    leader = {}
    for start in sorted(range(len(strings)), key=lambda index: (-counts[index], index)):
        if start in leader:
            continue
        leader[start], queue = start, [start]
        while queue:
            here = queue.pop()
            for other in near.get(here, []):
                if other not in leader and counts[here] >= 2 * counts[other] - 1:
                    leader[other] = start
                    queue.append(other)
    numbers = {}
    cluster = [numbers.setdefault(leader[index], len(numbers)) for index in range(len(strings))]
    return cluster, list(numbers)


@pytest.mark.parametrize("letters", ["ab", "abcd", "äβ字abc"])
@pytest.mark.parametrize("k", [0, 1, 2, 5])
def test_neighbors_are_all_pairs(words, letters, k):
    a, b = words(60, 12, letters), words(40, 12, letters)
    a[7] = a[30] = b[3] = None
    assert as_list(swath.neighbors(a, k=k)) == brute_pairs(a, None, k)
    assert as_list(swath.neighbors(a, b, k)) == brute_pairs(a, b, k)
    parts = [as_list(swath.neighbors(a, b, k, shard=(part, 3))) for part in range(3)]
    assert sorted(sum(parts, [])) == brute_pairs(a, b, k)


@pytest.mark.parametrize("k", [0, 1, 3])
@pytest.mark.parametrize("both", [False, True])
def test_keys_and_strands(rng, words, k, both):
    a, b = words(70, 9, "ACGT"), words(40, 9, "ACGT")
    a[10:20] = [reverse_complement(string) for string in a[:10]]
    a[20] = b[7] = None
    keys = [("cell", 1), "x", None, 7]
    by, other_by = ([rng.choice(keys) for _ in strings] for strings in (a, b))
    options = {"k": k, "strand": "both" if both else "forward"}
    for found, expected in (
        (swath.neighbors(a, by=by, **options), brute_groups_and_strands(a, None, k, by, None, both)),
        (
            swath.neighbors(a, b, by=by, other_by=other_by, **options),
            brute_groups_and_strands(a, b, k, by, other_by, both),
        ),
    ):
        assert as_list(found) == [pair[:3] for pair in expected]
        if both:
            assert found.strand.dtype == np.int8
            assert found.strand.tolist() == [pair[3] for pair in expected]
    numbers = np.array([keys.index(key) for key in by])
    clusters = swath.clusters(a, k, by=numbers, strand=options["strand"], counts=range(70))
    pairs = brute_groups_and_strands(a, None, k, by, None, both)
    together = list(range(70))
    for row, column, *_ in pairs:
        one, other = together[row], together[column]
        together = [min(one, other) if label in (one, other) else label for label in together]
    numbers = {}
    expected = [-1 if x is None else numbers.setdefault(label, len(numbers)) for x, label in zip(a, together, strict=True)]
    assert clusters.cluster.tolist() == expected
    sizes = [sum(count for count, of in enumerate(expected) if of == number) for number in range(len(numbers))]
    assert clusters.size.tolist() == sizes


def test_neighbors_and_pairs_agree(words):
    a = words(3000, 14)
    for found, expected in zip(swath.neighbors(a), swath.pairs(a, k=2), strict=True):
        assert found.dtype == expected.dtype and np.array_equal(found, expected)


@pytest.mark.parametrize("k", [0, 1, 2])
def test_components(words, k):
    strings = words(80, 10)
    strings[5] = strings[11] = None
    found = swath.clusters(strings, k)
    assert found.cluster.tolist() == brute_components(strings, k)
    firsts = [found.cluster.tolist().index(number) for number in range(len(found.representative))]
    # Equal strings count together.
    for number, representative in enumerate(found.representative.tolist()):
        assert found.cluster[representative] == number
    assert len(firsts) == found.cluster.max() + 1


@pytest.mark.parametrize("k", [1, 2])
def test_directional_clusters(rng, words, k):
    strings = list(dict.fromkeys(words(120, 8)))
    counts = [rng.choice([1, 2, 3, 5, 9, 40]) for _ in strings]
    found = swath.clusters(strings, k, method="directional", counts=np.array(counts))
    cluster, representatives = brute_directional(strings, counts, k)
    assert found.cluster.tolist() == cluster
    assert found.representative.tolist() == representatives


def test_counts_choose_representatives_of_components():
    found = swath.clusters(["tea", None, "team", "mast"], 1, counts=[1, 9, 5, 2])
    assert found.cluster.tolist() == [0, -1, 0, 1]
    assert found.representative.tolist() == [2, 3]
    assert found.size.tolist() == [6, 2]


def test_empty_lists_and_wrong_arguments():
    assert as_list(swath.neighbors([])) == []
    assert swath.clusters([], 2).cluster.tolist() == []
    assert swath.clusters([None], 2).cluster.tolist() == [-1]
    for call in (
        lambda: swath.clusters(["a"], 1, method="star"),
        lambda: swath.clusters(["a"], 1, counts=[1, 2]),
        lambda: swath.neighbors(["a"], shard=(3, 3)),
        lambda: swath.neighbors(["a"], by=[1, 2]),
        lambda: swath.neighbors(["a"], ["b"], by=[1]),
        lambda: swath.neighbors(["a"], other_by=[1]),
        lambda: swath.neighbors(["A"], strand="reverse"),
        lambda: swath.neighbors(["AU"], strand="both"),
        lambda: swath.clusters(["a"], 1, by=[]),
    ):
        with pytest.raises(swath.InputError):
            call()
    with pytest.raises(TypeError):
        swath.neighbors("a single string")
    with pytest.raises(TypeError):
        swath.neighbors(["a"], by=[[1]])


def test_progress_of_neighbors(words):
    fractions = []
    swath.neighbors(words(2000, 30), k=2, progress=fractions.append)
    assert fractions[-1] == 1.0
