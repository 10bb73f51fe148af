"""All types of sequences and lists."""

import ctypes
from array import array

import numpy as np
import pytest

import swath

WORDS = ["kitten", "", "größe", "mitten", "sitting", "tea"]
ASCII = [word for word in WORDS if word.isascii()]


def code_points(text, dtype):
    return np.array([ord(letter) for letter in text], dtype)


@pytest.mark.parametrize("other", ["sitting", "größe", "\udc80x", "\N{CAT FACE}kit", ""])
def test_sequences_of_any_type_equal_their_string(other):
    expected = swath.distance("kitten", other)
    sequences = [
        list("kitten"),
        tuple("kitten"),
        [ord(letter) for letter in "kitten"],
        (letter for letter in "kitten"),
        code_points("kitten", np.uint8),
        code_points("kitten", np.int8),
        code_points("kitten", np.uint16),
        code_points("kitten", np.int64)[::-1][::-1],
        code_points("kkiittteenn", np.int32)[:0].tolist() + list("kitten"),
        list(code_points("kitten", np.int64)),
        code_points("kitten", np.float64),
        array("B", b"kitten"),
        array("u", "kitten"),
        array("q", [ord(letter) for letter in "kitten"]),
        b"kitten",
        bytearray(b"kitten"),
        memoryview(b"kitten"),
    ]
    for sequence in sequences:
        assert swath.distance(sequence, other) == expected
    assert swath.distance([None, "to", "be"], ["to", "be", 1.5]) == 2


def answers(sequence):
    """Answers of every function that takes sequences, as text."""
    a, b = [sequence, sequence[:2]], [[1, 2, 300], [1]]
    witnesses = [
        (swath.edit(sequence, b[0]), ["distance", "locations", "cigar", "blocks"]),
        (swath.lcs(sequence, b[0]), ["length", "blocks"]),
        (swath.scs(sequence, b[0]), ["length", "embeddings"]),
        (swath.substring(sequence, b[0]), ["length", "places"]),
    ]
    found = [repr(getattr(witness, name)) for witness, names in witnesses for name in names]
    kinds = (swath.distance, swath.similarity, swath.normalized_distance, swath.normalized_similarity)
    found += [kind(sequence, b[0]) for kind in kinds]
    found += [swath.align(sequence, b[0]), swath.cdist(a, b), swath.cpdist(a, b)]
    found += [[best[1:] for best in swath.extract(sequence, b)], [best[1:] for best in swath.extract(b[0], a)]]
    found += [swath.pairs(a, b, k=1), swath.neighbors(a, b, k=1), swath.clusters(a, 1)]
    found += [swath.counts(a, b)]
    return [repr(answer) for answer in found]


@pytest.mark.parametrize("dtype", ["u2", "u4", "u8", "i2", "i4", "i8", "f4", "f8"])
def test_arrays_of_any_byte_order_equal_their_list(dtype):
    expected = answers([1, 256, 300])
    for order in "<>":
        numbers = np.array([1, 256, 300], order + dtype)
        every_other = np.zeros(6, order + dtype)[::2]
        every_other[:] = numbers
        unaligned = np.frombuffer(b"x" + numbers.tobytes(), order + dtype, offset=1)
        for sequence in (numbers, every_other, numbers[::-1].copy()[::-1], unaligned):
            assert answers(sequence) == expected
        if dtype[0] != "f":
            assert swath.distance(memoryview(numbers), [1, 256, 300]) == 0
    assert answers(np.array([1, 256, 301], ">" + dtype)) != expected


def test_other_arrays_of_any_byte_order():
    for kind in (ctypes.c_uint16, ctypes.c_uint16.__ctype_be__, ctypes.c_int32.__ctype_be__, ctypes.c_ubyte):
        assert swath.distance((kind * 3)(1, 2, 30), [1, 2, 30]) == 0
    assert swath.distance((ctypes.c_wchar * 3)(*"röt"), "röt") == 0
    assert swath.distance((ctypes.c_double * 2)(0.5, 2), [0.5, 2.0]) == 0
    for order in "<>":
        assert swath.distance(np.array(list("größe"), order + "U1"), "größe") == 0
        assert swath.cdist(np.array(WORDS, order + "U9"), WORDS).diagonal().tolist() == [0] * len(WORDS)
        assert swath.cdist(np.array([[1, 256], [3, 300]], order + "u2"), [[1, 256]]).tolist() == [[0], [2]]


def test_integers_of_any_size_are_told_apart():
    for numbers in ([0, -1, -2], [2**63, -(2**63), 2**64 + 1], [2**32, 2**33, 0], [1, True]):
        for a in numbers:
            for b in numbers:
                assert swath.distance([a], [b]) == int(a != b)
    high = np.array([2**64 - 1], np.uint64)
    assert swath.distance(high, np.array([-1])) == 1
    assert swath.distance(high, [2**64 - 1]) == 0


def test_elements_are_compared_by_value_not_by_hash():
    assert hash(-1) == hash(-2)
    assert swath.distance([-1], [-2]) == 1
    assert hash(2**61) == hash(1)
    assert swath.distance(["x", 2**61], ["x", 1]) == 1


def lists():
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame({"word": WORDS})
    return {
        "list": WORDS,
        "iterator": None,
        "numpy": np.array(WORDS),
        "numpy objects": np.array(WORDS, object),
        "string": pa.array(WORDS),
        "large string": pa.array(WORDS, pa.large_string()),
        "string view": pa.array(WORDS, pa.string_view()),
        "sliced": pa.array(["x", *WORDS, "y"], pa.large_string())[1:-1],
        "chunks": pa.chunked_array([WORDS[:2], WORDS[2:]]),
        "dictionary": pa.array(WORDS).dictionary_encode(),
        "table": pa.table({"word": WORDS}),
        "lists": pa.array([[ord(letter) for letter in word] for word in WORDS]),
        "polars series": frame["word"],
        "polars frame": frame,
        "polars categories": frame["word"].cast(pl.Categorical),
        "duckdb": duckdb.sql("SELECT word FROM frame"),
        "words of letters": [list(word) for word in WORDS],
        "arrays": [code_points(word, np.int64) for word in WORDS],
    }


def test_lists_of_any_type_equal_their_strings():
    expected = swath.cdist(WORDS, WORDS)
    for name, strings in lists().items():
        if strings is None:
            strings = iter(WORDS)
        np.testing.assert_array_equal(swath.cdist(strings, WORDS), expected, err_msg=name)
    for name, strings in lists().items():
        if strings is not None and name != "duckdb":
            found = swath.extract("kitten", strings, limit=2)
            assert [place for _, _, place in found] == [0, 3], name
            assert name in ("words of letters", "arrays", "lists") or found[0][0] == "kitten", name


def test_binary_arrow_arrays():
    pa = pytest.importorskip("pyarrow")
    pc = pytest.importorskip("pyarrow.compute")
    words = [word.encode() for word in WORDS]
    expected = swath.cdist(words, words)
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        strings = pa.array(words, kind)
        encoded = strings.cast(pa.binary())
        for strings in (strings, encoded.dictionary_encode(), pc.run_end_encode(encoded)):
            np.testing.assert_array_equal(swath.cdist(strings, words), expected)
            assert swath.extract(b"kitten", strings, limit=1) == [(b"kitten", 0, 0)]


def encoded_arrays():
    """Words of six letters in arrays of every type."""
    pa = pytest.importorskip("pyarrow")
    pc = pytest.importorskip("pyarrow.compute")
    words = ["kitten", "mitten", "mitten", None, "größer"]
    letters = [word and [ord(letter) for letter in word] for word in words]
    text = pa.array(words)
    ascii_words = [word if word is None or word.isascii() else None for word in words]
    ascii_bytes = [word and word.encode() for word in ascii_words]
    arrays = [(words, text)]
    for index in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()):
        arrays.append((words, text.cast(pa.dictionary(index, pa.string()))))
    for ends in (pa.int16(), pa.int32(), pa.int64()):
        arrays.append((words, pc.run_end_encode(text, ends)))
        arrays.append((words[1:4], pc.run_end_encode(text, ends)[1:4]))
    fixed = pa.array(ascii_bytes, pa.binary(6))
    arrays += [
        (words[2:], text.dictionary_encode()[2:]),
        (ascii_words, fixed),
        (ascii_words, fixed.dictionary_encode()),
        (ascii_words[1:4], pc.run_end_encode(fixed)[1:4]),
        (words, pa.array(letters, pa.list_(pa.uint64()))),
        (words, pa.array(letters, pa.list_(pa.int32(), 6))),
        (words, pa.array(letters, pa.list_view(pa.int64()))),
        (words, pa.array(letters, pa.large_list_view(pa.int16()))),
        (words, pa.array([word and list(word) for word in words])),
        (words, pa.array([word and list(word) for word in words], pa.large_list(pa.string_view()))),
        (words, pa.array([number and list(map(float, number)) for number in letters])),
        (words, pa.chunked_array([words[:2], words[2:]]).dictionary_encode()),
    ]
    return arrays


def test_encoded_arrow_arrays_equal_their_list():
    for words, strings in encoded_arrays():
        for kind in ("similarity", "normalized_distance"):
            found = swath.cdist(strings, WORDS, kind=kind)
            np.testing.assert_array_equal(found, swath.cdist(words, WORDS, kind=kind), err_msg=str(strings.type))
        best = swath.extract("mitten", strings)
        expected = [found[1:] for found in swath.extract("mitten", words)]
        assert [found[1:] for found in best] == expected, strings.type
        found = swath.pairs(strings, words, k=1)
        assert all(map(np.array_equal, found, swath.pairs(words, words, k=1)))


def test_counts_split_encoded_texts():
    pa = pytest.importorskip("pyarrow")
    references, hypotheses = ["a bc d", "e f"], ["a bc x", "e"]
    expected = swath.counts(references, hypotheses)
    found = swath.counts(pa.array(references).dictionary_encode(), pa.array(hypotheses, pa.string_view()))
    assert all(map(np.array_equal, found, expected))


@pytest.mark.parametrize(
    "items",
    [
        [("to", "be"), ("or",), ()],
        [["to", "be"], ["or", None], []],
        [("a", 1, 2.5), ("a", None)],
        [[1.5, 2.5], [1.5]],
        ["\udc80x", "x", None],
        ["ö", b"\xf6", "oe"],
        [[1, 2], "ab"],
        [1, 2, 300],
        ["to", "be", "or"],
    ],
    ids=repr,
)
def test_series_equal_their_list(items):
    pd = pytest.importorskip("pandas")
    pa = pytest.importorskip("pyarrow")
    columns = [pd.Series(items, dtype="object"), pd.Series(items[::-1], dtype="object")[::-1]]
    has_surrogate = "\udc80x" in items
    if not has_surrogate:
        columns.append(pd.Series(items))
    if all(isinstance(item, (str, type(None))) for item in items):
        columns.append(pd.Series(items, dtype="string[python]"))
    if not has_surrogate and not isinstance(items[0], (list, tuple)):
        columns.append(pd.Series(items, dtype="category"))
    if len({type(item) for item in items}) == 1 and not isinstance(items[0], tuple):
        columns.append(pa.array(items))
    for column in columns:
        if not isinstance(items[0], list):
            present = [item for item in items if item is not None]
            assert swath.distance(column[: len(present)], present) == 0
            assert swath.distance(column, present[1:]) == 1 + len(items) - len(present)
        if not isinstance(items[0], int):
            expected = swath.cdist(items, items, kind="normalized_distance")
            found = swath.cdist(column, items, kind="normalized_distance")
            np.testing.assert_array_equal(found, expected)
            assert [item for item, _, _ in swath.extract(items[0], column, limit=1)] == items[:1]


def test_nulls_of_arrow_arrays_are_missing():
    pa = pytest.importorskip("pyarrow")
    expected = swath.cdist([*ASCII, None], ASCII, kind="normalized_similarity")
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        strings = pa.array([*ASCII, None], kind)
        found = swath.cdist(strings, ASCII, kind="normalized_similarity")
        np.testing.assert_array_equal(found, expected)
    found = swath.cdist(pa.array([*ASCII, None]).dictionary_encode(), ASCII, kind="similarity")
    assert not found[-1].any()


def test_tables_of_several_columns_are_refused():
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(TypeError, match="2 columns"):
        swath.cdist(pa.table({"a": WORDS, "b": WORDS}), WORDS)
    with pytest.raises(TypeError, match="are no strings"):
        swath.cdist(pa.array([1.5, 2.5]), WORDS)


@pytest.mark.parametrize("others", [1, 2, 127, 128, 129, 300])
def test_lists_of_any_number_of_symbols(rng, others):
    """Up to 128 symbols beside ASCII are compared as bytes."""
    letters = ["a", "\x7f", *map(chr, range(0x80, 0x80 + others))]
    texts = ["".join(rng.choices(letters, k=5)) for _ in range(8)] + ["".join(letters)]
    ascii_texts = ["".join(rng.choices("ab\x7f", k=5)) for _ in range(6)]
    raw = [bytes(rng.choices([97, 127, 128, 200, 255], k=5)) for _ in range(6)]
    numbers = [[ord(letter) for letter in text] for text in texts]
    words = [[*text, "two letters"] for text in texts]
    lists = [texts, ascii_texts, raw, numbers, words, [*ascii_texts, texts[-1]], [*raw, *texts], [texts[-1][-1:]]]
    for a in lists:
        for b in lists:
            expected = [[swath.distance(row, column) for column in b] for row in a]
            np.testing.assert_array_equal(swath.cdist(a, b), expected)
            np.testing.assert_array_equal(swath.pairs(a, b, k=3).distance, [d for row in expected for d in row if d <= 3])


class Tensor:
    """A tensor that has nothing but DLPack."""

    def __init__(self, values):
        self._values = values

    def __dlpack__(self, **options):
        return self._values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._values.__dlpack_device__()


def test_tensors():
    for dtype in (np.uint8, np.int32, np.int64):
        tensors = [Tensor(code_points(word, dtype)) for word in ASCII]
        assert swath.distance(tensors[0], "sitting") == 3
        np.testing.assert_array_equal(swath.cdist(tensors, ASCII), swath.cdist(ASCII, ASCII))
    with pytest.raises(TypeError, match="integer elements"):
        swath.distance(Tensor(np.zeros(3)), "abc")


def test_integer_arrow_arrays_are_sequences():
    pa = pytest.importorskip("pyarrow")
    for kind in (pa.uint8(), pa.int64(), pa.uint64()):
        tokens = pa.array([7, 8, 9], kind)
        assert swath.distance(tokens, [7, 9]) == 1


@pytest.mark.parametrize("strings", [WORDS, ASCII, [*WORDS, None], [b"tea", [1, 300], np.arange(3)]])
def test_choices_stand_for_their_list(strings):
    choices, present = swath.Choices(strings), [one for one in strings if one is not None]
    assert len(choices) == len(strings)
    assert all(choices[index] is one for index, one in enumerate(strings))
    with pytest.raises(IndexError):
        choices[len(strings)]

    def calls(held, filled):
        found = [swath.extract("mitten", held, limit=None), swath.extract(present[0], held, limit=2)]
        found += [swath.cdist(present, held, score_cutoff=3), swath.cdist(held, held, score_cutoff=3)]
        found += [swath.neighbors(held, k=2), swath.neighbors(present, held, k=3), swath.clusters(held, 2)]
        found += [swath.pairs(held, k=4), swath.search(["tte"], held, k=1), swath.cpdist(filled, filled)]
        return [repr(answer) for answer in found]

    assert calls(choices, swath.Choices(present)) == calls(strings, present)


def test_choices_of_arrow_arrays_and_wrong_ones():
    pa = pytest.importorskip("pyarrow")
    choices = swath.Choices(pa.array(["tea", None, "größe"]))
    assert (len(choices), choices[1], choices[2]) == (3, None, "größe")
    assert swath.extract("team", choices, limit=1) == [("tea", 1, 0)]
    assert swath.counts(["a b"] * 3, swath.Choices(["a b", "a c", "b"])).errors.tolist() == [0, 1, 1]
    for wrong in ([["to", "be"]], [(1.5, None)], "tea", swath.Choices(["tea"]), 5):
        with pytest.raises(TypeError):
            swath.Choices(wrong)
