"""All types of sequences and lists."""

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
    words = [word.encode() for word in WORDS]
    expected = swath.cdist(words, words)
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        strings = pa.array(words, kind)
        np.testing.assert_array_equal(swath.cdist(strings, strings), expected)


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
