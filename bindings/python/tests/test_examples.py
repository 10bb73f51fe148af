"""The programs in examples/python."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples" / "python"


def run(name, *arguments):
    ended = subprocess.run(
        [sys.executable, EXAMPLES / name, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=None,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def test_table_is_deduplicated(tmp_path):
    output = run("deduplicate.py")
    assert all(name in output for name in ("Ada Lovelace", "Alan Turing", "Grace Hopper"))
    assert "shape: (3, 2)" in output
    (tmp_path / "in.csv").write_text("id,name\n1,abcd\n2,abce\n3,xyz\n4,abfe\n")
    run("deduplicate.py", tmp_path / "in.csv", tmp_path / "out.csv", "name", "1")
    # The fourth is linked to the first by the second.
    assert (tmp_path / "out.csv").read_text() == "id,name\n1,abcd\n3,xyz\n"


def test_word_error_rate(tmp_path):
    output = run("word_error_rate.py")
    assert output.startswith("WER 16.67%") and "1 deletions" in output
    (tmp_path / "a").write_text("a b c d\n")
    (tmp_path / "b").write_text("a b x d\n")
    assert run("word_error_rate.py", tmp_path / "a", tmp_path / "b").startswith("WER 25.00%")


def test_genomes_are_drawn(tmp_path):
    plt = pytest.importorskip("matplotlib.pyplot")
    output = run("genomes.py", tmp_path / "map.png")
    assert output.startswith("most similar: ")
    image = plt.imread(tmp_path / "map.png")
    assert image.shape[0] > 500 and image.std() > 0.1


def test_frames_are_joined_by_spelling():
    output = run("join_by_spelling.py")
    for row in ("München", "Köln", "Hamburg", "Nürnberg"):
        assert row in output
    assert "Atlantis" not in output and "Bremen" not in output


def test_notebook_gives_the_outputs_that_it_has(tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
    nbformat.validate(notebook)
    outputs = [[output.data for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]
    assert all(len(of_cell) == 1 for of_cell in outputs)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": EXAMPLES}}).execute()
    found = [[output.data for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]
    assert found == outputs
