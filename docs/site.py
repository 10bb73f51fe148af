#!/usr/bin/env python3
"""Builds the documentation site with mdBook and checks its links.

    docs/site.py [--out target/site] [--command SWATH] [--python PYTHON]

Pages are the files that SUMMARY.md names, also notebooks. Links between them stay within the site, others to files of the repository lead to its
address in Cargo.toml. Three pages are generated: library.md from the comment of src/lib.rs, help.md from `--help` of the program
SWATH, and functions.md from the docstrings of the package that PYTHON imports; the last two are left out without their options.

The exit status is 1 if a link leads nowhere: to a file, a page or a heading that is not there. Other sites are not asked.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
GENERATED = ["library.md", "help.md", "functions.md"]
ENTRY = re.compile(r"^(\s*- )?\[(.*)\]\((.*)\)$")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
FENCE = re.compile(r"^(```.*?^```$)", re.M | re.S)


def of_docs(path):
    """Path within the repository of a path in docs/."""
    return Path(os.path.normpath(Path("docs") / path))


def page_name(path):
    """Name of a page in the site: README.md of the repository is its first page."""
    path = Path(path)
    if path.parts == ("README.md",):
        return "index.md"
    if path.name == "README.md":
        return f"{path.parent.name}.md"
    return path.with_suffix(".md").name.lower()


def source(path):
    """Text of a page: a file of the repository, or the cells of a notebook with their outputs."""
    text = (ROOT / path).read_text()
    if path.suffix != ".ipynb":
        return text
    parts = []
    for cell in json.loads(text)["cells"]:
        code = "".join(cell["source"])
        parts.append(code if cell["cell_type"] == "markdown" else f"```python\n{code}\n```")
        for output in cell.get("outputs", ()):
            shown = output["data"]
            html = shown.get("image/svg+xml") or shown.get("text/html")
            parts.append("".join(html) if html else f"```text\n{''.join(shown['text/plain'])}\n```")
    return "\n\n".join(parts)


def library():
    """The comment of src/lib.rs, whose items lead to docs.rs."""
    lines = (ROOT / "src/lib.rs").read_text().splitlines()
    text = "\n".join(line[3:].removeprefix(" ") for line in lines if line.startswith("//!"))
    text = re.sub(r"^\[`?\w+`?\]: \S+$\n?", "", text, flags=re.M)

    def item(match):
        name = match[1].strip("`").split("::")[-1]
        return f"[{match[1]}](https://docs.rs/swath/latest/swath/?search={name})"

    parts = FENCE.split(text)
    parts[::2] = [re.sub(r"\[(`[\w:]+`)\](?:\([\w:]+\))?", item, part) for part in parts[::2]]
    parts[1::2] = [part.replace("```", "```rust", 1) for part in parts[1::2]]
    return "# The library\n\n" + re.sub(r"^# ", "## ", "".join(parts), flags=re.M)


def command_help(program):
    """`--help` of each command."""

    def ask(*arguments):
        return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout

    names = re.findall(r"^  ([a-z]+) ", ask("--help").split("Commands:")[1].split("Options:")[0], re.M)
    pages = [(name, ask(name, "--help")) for name in names if name != "help"]
    return "# Help of each command\n\n" + "\n".join(f"## {name}\n\n```text\n{text.strip()}\n```\n" for name, text in pages)


# Prints signatures and docstrings of the public functions and classes.
FUNCTIONS = """
import inspect, swath
print("# Functions\\n")
for name in sorted(dir(swath), key=str.lower):
    item = getattr(swath, name)
    if name.startswith("_") or inspect.ismodule(item):
        continue
    try:
        signature = str(inspect.signature(item)).replace(", /", "")
    except (TypeError, ValueError):
        signature = ""
    text = inspect.getdoc(item) or ""
    print(f"## {name}\\n\\n```python\\n{name}{signature}\\n```\\n\\n```text\\n{text}\\n```\\n")
"""


def assemble(folder, repository, arguments):
    """Writes the sources of the book; returns the links to files that are not there."""
    generated = {"library.md": library()}
    if arguments.command:
        generated["help.md"] = command_help(arguments.command)
    if arguments.python:
        run = [arguments.python, "-c", FUNCTIONS]
        generated["functions.md"] = subprocess.run(run, check=True, capture_output=True, text=True).stdout
    summary, pages = [], {}
    for line in (DOCS / "SUMMARY.md").read_text().splitlines():
        entry = ENTRY.match(line)
        if entry and entry[3] in GENERATED and entry[3] not in generated:
            continue
        if entry:
            path = of_docs(entry[3])
            pages[path] = page_name(path)
            line = f"{entry[1] or ''}[{entry[2]}]({pages[path]})"
        summary.append(line)
    (folder / "SUMMARY.md").write_text("\n".join(summary) + "\n")
    missing = []

    def rewritten(page, match):
        target = urlsplit(match[2])
        if target.scheme or not target.path:
            return match[0]
        path = Path(os.path.normpath(page.parent / unquote(target.path)))
        fragment = f"#{target.fragment}" if target.fragment else ""
        if path in pages:
            return f"{match[1]}{pages[path]}{fragment}{match[3]}"
        if not (ROOT / path).exists():
            missing.append(f"{page}: {match[2]}")
        elif path.suffix == ".svg":
            shutil.copy(ROOT / path, folder / path.name)
            return f"{match[1]}{path.name}{match[3]}"
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"{match[1]}{repository}/{kind}/main/{path}{fragment}{match[3]}"

    for path, name in pages.items():
        text = generated.get(path.name) or source(path)
        parts = FENCE.split(text)
        parts[::2] = [LINK.sub(lambda match, page=path: rewritten(page, match), part) for part in parts[::2]]
        (folder / name).write_text("".join(parts))
    return missing


class Page(HTMLParser):
    """Links and ids of an HTML page."""

    def __init__(self, file):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def broken_links(folder):
    """Links of the site to files and headings that it does not have."""
    pages = {file: Page(file) for file in folder.rglob("*.html") if file.name not in ("404.html", "print.html")}
    for file, page in pages.items():
        for link in page.links:
            target = urlsplit(link)
            if target.scheme or target.netloc:
                continue
            to = Path(os.path.normpath(file.parent / unquote(target.path))) if target.path else file
            if not to.exists() or target.fragment and to in pages and unquote(target.fragment) not in pages[to].ids:
                yield f"{file.relative_to(folder)}: {link}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "target/site")
    parser.add_argument("--command")
    parser.add_argument("--python")
    arguments = parser.parse_args()
    repository = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["repository"]
    shutil.rmtree(arguments.out, ignore_errors=True)
    (arguments.out / "src").mkdir(parents=True)
    shutil.copy(DOCS / "book.toml", arguments.out)
    broken = assemble(arguments.out / "src", repository, arguments)
    subprocess.run(["mdbook", "build", arguments.out], check=True)
    broken += broken_links(arguments.out / "html")
    for link in broken:
        print(f"leads nowhere: {link}", file=sys.stderr)
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
