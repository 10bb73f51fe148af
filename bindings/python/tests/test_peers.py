"""The tests of rapidfuzz, and the examples of edlib's documentation."""

import os
import re
import subprocess
import sys
from pathlib import Path

import edlib
import pytest

import swath

PEERS = Path(__file__).parent / "peers"
FILES = [
    "distance/test_Levenshtein.py",
    "distance/test_Indel.py",
    "distance/test_LCSseq.py",
    "distance/test_Hamming.py",
    "distance/test_OSA.py",
    "distance/test_Jaro.py",
    "distance/test_JaroWinkler.py",
    "distance/test_distance.py",
    "test_process.py",
    "test_fuzz.py",
]


def run_tests(arguments):
    sources = os.environ.get("SWATH_PEER_SOURCES")
    if not sources:
        pytest.skip("tests/python.sh sets SWATH_PEER_SOURCES to the source of rapidfuzz")
    (source,) = Path(sources).glob("rapidfuzz-*/tests")
    # Its own sources hide the installed package.
    arguments = ["-p", "rapidfuzz_by_swath", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(PEERS), str(source.parent)])}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rfExX", "--rootdir", source, *arguments],
        cwd=source.parent,
        env=environment,
        capture_output=True,
        text=True,
    )


def test_rapidfuzz():
    ended = run_tests([f"tests/{name}" for name in FILES])
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert int(re.search(r"(\d+) passed", ended.stdout)[1]) >= 100, ended.stdout


def test_examples_of_edlib():
    for query, target, options in [
        ("elephant", "telephone", {}),
        ("ты милая", "ты гений", {}),
        ("AACG", "TCAACCTG", {"mode": "HW", "task": "path"}),
        ("telephone", "elephant", {"task": "path"}),
        (["x", 1, None], ["x", 1], {"task": "locations"}),
    ]:
        assert swath.align(query, target, **options) == edlib.align(query, target, **options)
    result = swath.align("elephant", "telephone", task="path")
    nice = edlib.getNiceAlignment(result, "elephant", "telephone")
    assert nice["query_aligned"].replace("-", "") == "elephant"
