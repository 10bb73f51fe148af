#!/usr/bin/env python3
"""Prints the stub of the installed package with the docstrings of its functions, classes and properties.

    bindings/python/stubs.py >FILE

Editors show the docstrings of a stub. Wheels of a release have this one; in the repository docstrings stand in the Rust code alone.
"""

import ast
import inspect
from pathlib import Path


def documented(module):
    """The text of the stub that lies beside a compiled module, with the module's docstrings."""
    stub = Path(module.__file__).with_name(f"{module.__name__.rpartition('.')[2]}.pyi").read_text()
    lines = stub.splitlines()
    for node, owner in reversed([*members(ast.parse(stub), module)]):
        text = inspect.getdoc(getattr(owner, node.name, None))
        if not text or node.name.startswith("__") or ast.get_docstring(node):
            continue
        first = node.body[0]
        indent = " " * (node.col_offset + 4)
        docstring = [f'{indent}{line}'.rstrip() for line in quoted(text).splitlines()]
        line = first.lineno - 1
        if isinstance(node, ast.ClassDef):
            lines[line:line] = [*docstring, ""]
        else:
            # The body `...` stands behind the colon.
            lines[line : line + 1] = [lines[line][: first.col_offset].rstrip(), *docstring]
    return "\n".join(lines) + "\n"


def members(node, owner):
    """Functions and classes of a stub in their order, each with the object that has it; of overloads the last."""
    last = {child.name: child for child in node.body if isinstance(child, ast.FunctionDef)}
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield child, owner
            yield from members(child, getattr(owner, child.name, None))
        elif isinstance(child, ast.FunctionDef) and last[child.name] is child:
            yield child, owner


def quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{escaped}\n"""' if "\n" in text or text.endswith('"') else f'"""{escaped}"""'


if __name__ == "__main__":
    from swath import _swath

    print(documented(_swath), end="")
