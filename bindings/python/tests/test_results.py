"""Results as values, tables, texts and plots, and the signatures of the functions that return them."""

import copy
import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import swath

WORDS = ["stream", "steam", "team", None, "mat", "team"]
READS = ["ACGTACGTTT", "TTTACGAACTT", None, "ACGTAA"]
TABLES = {
    "pairs": lambda: swath.pairs(WORDS, k=1),
    "two lists": lambda: swath.pairs(WORDS, WORDS[:3], k=2),
    "no pairs": lambda: swath.pairs(["a"], ["xyz"], k=0),
    "neighbors": lambda: swath.neighbors(["ACGT", "ACGA", "TCGT"], k=1),
    "strands": lambda: swath.neighbors(["AACG", "CGTT", "CGTA"], k=1, strand="both"),
    "clusters": lambda: swath.clusters(WORDS, 1),
    "no clusters": lambda: swath.clusters([None, None], 1),
    "places": lambda: swath.search(["ACGTAC"], READS, k=1),
    "cigars": lambda: swath.search(["ACGTAC"], READS, k=1, cigar=True),
    "counts": lambda: swath.counts(["a b c", "d e"], ["a x c", "e"]),
}
WITNESSES = {
    "edit": lambda: swath.edit("kitten", "sitting"),
    "lcs": lambda: swath.lcs("nematode knowledge", "empty bottle"),
    "scs": lambda: swath.scs("cab", "abac", "bca"),
    "substring": lambda: swath.substring(b"xxABC", b"zABCz"),
    "matrix_chain": lambda: swath.matrix_chain([10, 100, 5, 50]),
}
RESULTS = TABLES | WITNESSES | {"devices": swath.devices}
OTHERS = {
    "edit": lambda: swath.edit("kitten", "mitten"),
    "lcs": lambda: swath.lcs("nematode knowledge", "empty"),
    "scs": lambda: swath.scs("cab", "abac", "bcab"),
    "substring": lambda: swath.substring(b"xxABC", b"zzABCz"),
    "matrix_chain": lambda: swath.matrix_chain([10, 100, 5, 51]),
    "pairs": lambda: swath.pairs(WORDS, k=0),
    # Other shape, same pairs.
    "no pairs": lambda: swath.pairs(["a", "b"], ["xyz"], k=0),
    "clusters": lambda: swath.clusters(WORDS, 0),
    "cigars": TABLES["places"],
}


@pytest.mark.parametrize("name", RESULTS)
def test_results_compare_and_are_copied(name):
    result = RESULTS[name]()
    assert result == RESULTS[name]() and not result != RESULTS[name]()
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(result, protocol)) == result
    assert copy.copy(result) == copy.deepcopy(result) == result
    assert result != 1 and result is not None and result != WITNESSES["edit" if name != "edit" else "lcs"]()
    if name in OTHERS:
        assert result != OTHERS[name]()


@pytest.mark.parametrize("name", TABLES)
def test_results_are_tuples_and_tables(name):
    pa, pl, pd, duckdb = map(pytest.importorskip, ("pyarrow", "polars", "pandas", "duckdb"))
    result = TABLES[name]()
    assert [*result] == [result[index] for index in range(len(result))] == [*result._asdict().values()]
    table = pa.table(result)
    expected = table.to_pydict()
    assert list(expected) == [field for field in result._fields if getattr(result, field) is not None]
    for field, column in expected.items():
        assert "clusters" in name and field != "cluster" or column == getattr(result, field).tolist()
    assert pl.DataFrame(result).to_dict(as_series=False) == result.to_polars().to_dict(as_series=False) == expected
    assert pl.DataFrame(result.arrow()).schema == result.to_polars().schema
    pd.testing.assert_frame_equal(result.to_pandas(), table.to_pandas(), check_dtype=False)
    assert duckdb.sql("SELECT count(*) FROM result").fetchall() == [(table.num_rows,)]


def test_clusters_are_a_row_for_each_string():
    frame = swath.clusters(["ab", None, "xyz", "ac"], 1, counts=[1, 1, 3, 5]).to_polars()
    assert frame.rows() == [(0, 3, 6), (-1, -1, 0), (1, 2, 3), (0, 3, 6)]


def test_pairs_are_a_matrix_of_scipy():
    pytest.importorskip("scipy")
    matrix = swath.pairs(WORDS, WORDS[:4], k=1).to_scipy()
    dense = swath.cdist(WORDS, WORDS[:4], score_cutoff=1)
    assert matrix.shape == dense.shape and matrix.nnz == (dense < 2).sum()
    np.testing.assert_array_equal(matrix.toarray(), np.where(dense < 2, dense, 0))
    for strand in ("forward", "both"):
        assert swath.neighbors(["A", None, "T"], k=0, strand=strand).to_scipy().tocsr().shape == (3, 3)


def long_results():
    rng = np.random.default_rng(1)
    genome = "".join(rng.choice(list("ACGT"), 100_000))
    other = "".join("" if drop else base for base, drop in zip(genome, rng.random(100_000) < 0.1))
    names = [genome[i : i + 8] for i in range(2000)]
    yield swath.edit(genome, other)
    yield swath.lcs(genome, other)
    yield swath.scs(genome[:5000], other[:5000])
    yield swath.substring(genome, other, genome[5:])
    yield swath.matrix_chain(range(1, 3000))
    yield swath.pairs(names, k=3)
    yield swath.clusters(names, 1)
    yield swath.search([name * 5 for name in names[:50]], [genome], 20, cigar=True)
    yield swath.counts(names, names)


def test_long_results_are_shown_short():
    for result in long_results():
        shown = repr(result)
        assert shown.startswith(type(result).__name__) and 40 < len(shown) < 200
        if html := getattr(result, "_repr_html_", lambda: "")():
            assert html.count("<tr>") == 11 and len(html) < 3000
        if svg := getattr(result, "_repr_svg_", lambda: "")():
            runs = re.findall(r"M\d+ \d+L\d+ \d+", svg)
            assert 100 < len(runs) <= 2000 < len(result.blocks) and len(svg) < 50_000


def test_short_results_are_shown_whole():
    assert repr(TABLES["pairs"]()) == (
        "SparsePairs(row=[0, 1, 1, 2], column=[1, 2, 5, 5], distance=[1, 1, 1, 0], rows=4)"
    )
    assert repr(TABLES["places"]()).startswith("Places(pattern=[0, 0, 0], ") and "cigar=None" in repr(TABLES["places"]())
    html = ElementTree.fromstring(f"<div>{TABLES['cigars']()._repr_html_()}</div>")
    assert [cell.text for cell in html.iter("th")] == list(TABLES["cigars"]()._fields)
    assert html.find("p").text == "Places, 3 of 3 rows"


@pytest.mark.parametrize(
    "a, b, mode, sides, runs",
    [
        ("ACGT", "ACGT", "global", (400, 400), [(0, 0, 400, 400)]),
        ("ACGTAC", "GT", "global", (400, 400), [(0, 0, 400, 400)]),
        ("GT", "AAAAGTAAAA", "infix", (400, 400), [(0, 0, 400, 400)]),
        ("AC", "GGGG", "global", None, None),
        ("", "", "global", (0, 0), []),
    ],
)
def test_alignments_are_drawn(a, b, mode, sides, runs):
    svg = ElementTree.fromstring(swath.edit(a, b, mode=mode)._repr_svg_())
    path = svg.find("{*}path").get("d")
    if sides is None:
        return
    assert (float(svg.get("width")), float(svg.get("height"))) == sides
    assert [tuple(map(int, re.findall(r"\d+", run))) for run in path.split("M")[1:]] == runs


PUBLIC = {
    name: getattr(swath, name)
    for name in swath.__all__
    if callable(getattr(swath, name)) and not (inspect.isclass(getattr(swath, name)) and issubclass(getattr(swath, name), Exception))
}
METHODS = {
    f"{name}.{method}": getattr(item, method)
    for name, item in PUBLIC.items()
    if inspect.isclass(item)
    for method in dir(item)
    if not method.startswith("_") and callable(getattr(item, method))
}


@pytest.mark.parametrize("name", PUBLIC | METHODS)
def test_signatures_show_defaults(name):
    signature = inspect.signature((PUBLIC | METHODS)[name])
    assert "..." not in str(signature) and "**" not in str(signature).replace("**others", "")
    defaults = {parameter.name: parameter.default for parameter in signature.parameters.values()}
    common = {"workers": None, "device": "auto", "progress": None, "limit": 5, "shard": None, "kind": None}
    if not inspect.isclass(PUBLIC.get(name)):
        assert all(defaults[option] == default for option, default in common.items() if option in defaults)


@pytest.mark.parametrize("function", [swath.pairs, swath.neighbors, swath.clusters, swath.search])
def test_the_bound_is_named_k(function):
    assert "k" in inspect.signature(function).parameters


WRONG = [
    ("queries", "cdist", ("abc", ["a"]), {}),
    ("choices", "cdist", (["a"], 5), {}),
    ("choices[1]", "cdist", (["a"], ["a", 5]), {}),
    ("query", "extract", (5, ["a"]), {}),
    ("choices", "extract", ("a", "abc"), {}),
    ("a", "pairs", ("abc",), {"k": 1}),
    ("b", "pairs", (["a"], "abc"), {"k": 1}),
    ("strings", "neighbors", (1,), {}),
    ("other", "neighbors", (["a"], 2), {}),
    ("strings", "clusters", ("abc", 1), {}),
    ("patterns", "search", ("abc", ["a"]), {}),
    ("texts[0]", "search", (["abcdef"], [1.5]), {}),
    ("references", "counts", ("a b", ["a"]), {}),
    ("hypotheses", "counts", (["a"], 1), {}),
    ("a", "distance", (1, "a"), {}),
    ("b", "distance", ("a", 1), {}),
    ("a", "edit", (1, "a"), {}),
    ("b", "lcs", ("a", 1), {}),
    ("inputs[1]", "scs", ("a", 1), {}),
    ("inputs[0]", "substring", (1, "a"), {}),
    ("target", "align", ("a", 1), {}),
    ("strings", "Choices", ("abc",), {}),
    ("mode", "edit", ("a", "b"), {"mode": "none"}),
    ("gaps", "edit", ("a", "b"), {"gaps": "none"}),
    ("scorer", "distance", ("a", "b"), {"scorer": "none"}),
    ("scorer", "neighbors", (["a"],), {"scorer": "lcs"}),
    ("kind", "cdist", (["a"], ["b"]), {"kind": "none"}),
    ("unit", "counts", (["a"], ["b"]), {"unit": "none"}),
    ("method", "clusters", (["a"], 1), {"method": "none"}),
    ("strand", "neighbors", (["a"],), {"strand": "none"}),
    ("strand", "search", (["abcdef"], ["b"]), {"strand": "none"}),
    ("all", "search", (["abcdef"], ["b"]), {"all": "none"}),
    ("k", "pairs", (["a"],), {"k": -1}),
    ("k", "neighbors", (["a"],), {"k": "1"}),
    ("k", "edit", ("a", "b"), {"k": -1}),
    ("k", "search", (["abcdef"], ["b"]), {"k": -1}),
    ("limit", "extract", ("a", ["b"]), {"limit": -1}),
    ("counts", "clusters", (["a"], 1), {"counts": [-1]}),
    ("shard", "pairs", (["a"],), {"k": 1, "shard": (2, 2)}),
    ("shard", "neighbors", (["a"],), {"shard": (0, 0)}),
    ("shard", "neighbors", (["a"],), {"shard": 3}),
    ("dims", "matrix_chain", ([1, "a", 3],), {}),
    ("dims", "matrix_chain", (5,), {}),
    ("in_at_least", "substring", ("a", "b"), {"in_at_least": 3}),
    ("workers", "cdist", (["a"], ["b"]), {"workers": 0}),
    ("dtype", "cdist", (["a"], ["b"]), {"dtype": "none"}),
    ("progress", "cdist", (["a"], ["b"]), {"progress": 5}),
    ("processor", "cdist", (["a"], ["b"]), {"processor": 5}),
]


@pytest.mark.parametrize("argument, function, arguments, options", WRONG)
def test_errors_name_the_argument(argument, function, arguments, options):
    with pytest.raises((TypeError, swath.InputError, OverflowError)) as raised:
        getattr(swath, function)(*arguments, **options)
    # Errors of the types of arguments have notes.
    texts = [str(raised.value), *getattr(raised.value, "__notes__", ())]
    assert re.search(rf"(?<!\w){re.escape(argument)}(?!\w)", " ".join(texts)), texts


def test_devices_are_those_of_the_command():
    devices = swath.devices()
    assert devices[-1].selector == devices[-1].backend == "cpu" and sum(device.auto for device in devices) == 1
    for device in devices[:-1]:
        assert device.selector == f"{device.backend}:{device.index}" and device.name
        assert device.memory_bytes is None or device.memory_bytes > 0
    if program := os.environ.get("SWATH_COMMAND"):
        listed = subprocess.run([program, "devices"], check=True, capture_output=True, text=True).stdout
        assert all(device.selector in listed and device.name in listed for device in devices)


@pytest.mark.skipif(not sys.platform.startswith("linux") or not shutil.which("cc"), reason="builds a library for Linux")
@pytest.mark.parametrize("folder", ["cuda_nvrtc", "cu13"])
def test_nvrtc_of_a_python_package_is_loaded(tmp_path, folder):
    library = tmp_path / "nvidia" / folder / "lib" / "libnvrtc.so.12"
    library.parent.mkdir(parents=True)
    build = ["cc", "-shared", "-Wl,-soname,libnvrtc.so.12", "-x", "c", "/dev/null", "-o", library]
    subprocess.run(build, check=True)
    program = """
        import ctypes, sys, swath
        assert "libnvrtc" not in open("/proc/self/maps").read()
        swath.cdist(["a"], ["b"], device="cpu")
        assert "libnvrtc" not in open("/proc/self/maps").read()
        swath.devices()
        print(sys.argv[1] in open("/proc/self/maps").read())
        ctypes.CDLL("libnvrtc.so.12")  # By its name, as the library looks for it.
    """
    run = [sys.executable, "-c", inspect.cleandoc(program), library]
    ended = subprocess.run(run, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert (ended.stdout, ended.returncode) == ("True\n", 0), ended.stderr
