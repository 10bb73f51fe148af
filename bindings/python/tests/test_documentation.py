"""Examples of docstrings and of the README."""

import doctest
import inspect
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


def test_stubs_have_every_function_with_its_arguments():
    import ast

    stub = Path(swath.__file__).with_name("_swath.pyi").read_text()
    stubs = {node.name: node for node in ast.parse(stub).body if isinstance(node, ast.FunctionDef)}
    for name in swath.__all__:
        function = getattr(swath, name)
        if not inspect.isbuiltin(function):
            continue
        arguments = stubs[name].args
        names = [argument.arg for argument in arguments.args + arguments.kwonlyargs]
        signature = inspect.signature(function).parameters.values()
        assert [p.name for p in signature if p.kind != p.VAR_POSITIONAL] == names, name
