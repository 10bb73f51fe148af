"""Examples of docstrings and of the README."""

import ast
import doctest
import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import swath

DOCUMENTED = [name for name in swath.__all__ if ">>>" in (getattr(swath, name).__doc__ or "")]
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.REPORT_NDIFF


@pytest.mark.parametrize("name", DOCUMENTED)
def test_examples_of_docstrings(name):
    (test,) = doctest.DocTestFinder(recurse=False).find(getattr(swath, name), name, globs={})
    results = doctest.DocTestRunner(optionflags=OPTIONS).run(test)
    assert results.attempted > 0 and results.failed == 0


def test_every_function_has_an_example():
    functions = {name for name in swath.__all__ if inspect.isroutine(getattr(swath, name))}
    assert functions <= set(DOCUMENTED)


def test_examples_of_the_readme():
    readme = Path(__file__).parents[1] / "README.md"
    results = doctest.testfile(str(readme), module_relative=False, optionflags=OPTIONS)
    assert results.attempted > 0 and results.failed == 0


def test_stubs_are_those_of_the_module(tmp_path):
    """Names, arguments, defaults and classes of every module, and the types of its Python files."""
    pytest.importorskip("mypy")
    config, allowed = tmp_path / "mypy.ini", tmp_path / "allowed"
    config.write_text("[mypy]\nignore_missing_imports = True\ndisable_error_code = import-untyped\n")
    # Modules that only type checkers import, and the list that pyo3 makes.
    allowed.write_text("swath\\._results\\.(pandas|polars|scipy)\nswath\\._swath\\.__all__\n")
    options = ["--mypy-config-file", config, "--allowlist", allowed, "--ignore-unused-allowlist"]
    command = [sys.executable, "-m", "mypy.stubtest", "swath", "--ignore-disjoint-bases", *options]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_stub_of_a_release_has_every_docstring():
    from swath import _swath

    path = Path(__file__).parents[1] / "stubs.py"
    spec = importlib.util.spec_from_file_location("stubs", path)
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    found = {}
    for node in ast.walk(ast.parse(stubs.documented(_swath))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            found.setdefault(node.name, ast.get_docstring(node))
    for name, value in vars(_swath).items():
        if name in swath.__all__ and (inspect.isroutine(value) or inspect.isclass(value)):
            assert found[name] == inspect.getdoc(value), name
