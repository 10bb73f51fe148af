"""Parts of `swath pairs` and `swath neighbors` by HyperQueue, with workers that are killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("hyperqueue")
PROGRAM = Path(__file__).parents[3] / "examples" / "cluster" / "hyperqueue_parts.py"
PARTS = 12

pytestmark = pytest.mark.skipif(os.name == "nt", reason="HyperQueue runs on Linux and macOS")


@pytest.fixture(params=["pairs", "neighbors"])
def command(request, rng, words, tmp_path):
    """A command of some seconds."""
    program = os.environ.get("SWATH_COMMAND")
    if not program:
        pytest.skip("tests/python.sh sets SWATH_COMMAND to the command swath")
    if request.param == "pairs":
        reads, k = words(4000, 150, "ACGT"), "40"
    else:
        reads, k = ["".join(rng.choices("ACGT", k=16)) for _ in range(100_000)], "2"
    file = tmp_path / "reads.fasta"
    file.write_text("".join(f">{index}\n{read}\n" for index, read in enumerate(reads)))
    return [program, request.param, str(file), "-k", k, "--device", "cpu", "--threads", "1"]


def start(command, output):
    # In a group of its own, with its server and workers.
    return subprocess.Popen(
        [sys.executable, PROGRAM, str(PARTS), output, *command],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=output.parent,
    )


def finished(folder):
    return {part for part in range(PARTS) if (folder / f"{part}").exists()}


def computing(program):
    """Processes that run the command."""
    running = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if arguments[0] == program.encode() and b"--shard" in arguments:
            running.append(int(process.name))
    return running


def wait_for(condition, process):
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None and time.monotonic() < deadline, process.stdout.read()
        time.sleep(0.01)


def test_parts_of_killed_workers_are_computed_again(command, tmp_path):
    # A copy, so that no process of other tests is killed.
    command = [str(shutil.copy(command[0], tmp_path / "swath")), *command[1:]]
    whole = subprocess.run(command, capture_output=True, check=True).stdout
    output = tmp_path / "near.tsv"
    folder = tmp_path / "near.tsv.parts"
    process = start(command, output)
    wait_for(lambda: len(finished(folder)) >= 2 and computing(command[0]), process)
    os.killpg(process.pid, signal.SIGKILL)
    for left in computing(command[0]):
        os.kill(left, signal.SIGKILL)
    process.wait()
    done = finished(folder)
    assert 2 <= len(done) < PARTS and not output.exists()
    times = {part: (folder / f"{part}").stat().st_mtime_ns for part in done}

    # One part alone is killed, as for want of memory.
    process = start(command, output)
    wait_for(lambda: computing(command[0]), process)
    os.kill(computing(command[0])[0], signal.SIGKILL)
    text, _ = process.communicate(timeout=120)
    assert process.returncode == 1 and "run this again" in text, text
    assert len(finished(folder)) == PARTS - 1

    process = start(command, output)
    text, _ = process.communicate(timeout=120)
    assert process.returncode == 0, text
    assert output.read_bytes() == whole and whole.count(b"\n") > 100
    # Finished parts are not computed twice.
    assert times == {part: (folder / f"{part}").stat().st_mtime_ns for part in done}
