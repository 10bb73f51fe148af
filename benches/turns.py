#!/usr/bin/env python3
"""Compares two builds of a benchmark by alternating runs on one machine, or a build with a record.

    benches/turns.py BEFORE AFTER [--turns N] [-- ARGUMENTS]

BEFORE and AFTER are programs that `cargo bench --no-run` lists, which both get ARGUMENTS, or records. Rows in both are compared by
their median time over N turns, 3 by default. The exit status is 1 if a row is more than 5 % slower, or if there is no common row.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SLOWER = 1.05


def times(program, arguments):
    """Seconds of every row of a record, or of one run."""
    with tempfile.TemporaryDirectory() as folder:
        record = Path(program)
        if record.suffix != ".json":
            record = Path(folder, "record.json")
            command = [program, *arguments, "--json", record]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if not record.exists():
                sys.exit(f"{program} left no record:\n{done.stdout}")
        return {row["case"]: row["seconds"] for row in json.loads(record.read_text())["rows"]}


def main():
    own = sys.argv[1:]
    own, arguments = (own[: own.index("--")], own[own.index("--") + 1 :]) if "--" in own else (own, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs=2)
    parser.add_argument("--turns", type=int, default=3)
    asked = parser.parse_args(own)
    turns = ([], [])
    for turn in range(asked.turns):
        # The order alternates.
        for side in (0, 1) if turn % 2 == 0 else (1, 0):
            turns[side].append(times(asked.programs[side], arguments))
    rows = slower = 0
    for case in turns[0][0]:
        seconds = [[turn[case] for turn in side if case in turn] for side in turns]
        if all(len(side) == asked.turns for side in seconds):
            before, after = map(statistics.median, seconds)
            rows, is_slower = rows + 1, after > SLOWER * before
            slower += is_slower
            mark = "  SLOWER" * is_slower
            print(f"{case:60} {1e3 * before:10.3f} ms before, {1e3 * after:10.3f} after, {after / before:6.3f}{mark}", flush=True)
    print(f"{rows} rows, {slower} of them more than 5 % slower")
    sys.exit(1 if slower or not rows else 0)


if __name__ == "__main__":
    main()
