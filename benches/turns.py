#!/usr/bin/env python3
"""Compares two builds of a benchmark by alternating runs on one machine.

    benches/turns.py BEFORE AFTER [--turns N] [--json FILE] [-- ARGUMENTS]

BEFORE and AFTER are the programs listed by `cargo bench --no-run`; both get ARGUMENTS. Rows in both
are compared by their median time over N turns, 3 by default. The exit status is 1 if a row is more
than 5 % slower, or if there is no common row.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

SLOWER = 1.05


def times(program, arguments):
    """Seconds of every row of one run."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.json")
        command = [program, "--bench", *arguments, "--json", record]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if not os.path.exists(record):
            sys.exit(f"{' '.join(command)} left no record:\n{done.stdout}")
        with open(record, encoding="utf-8") as file:
            return {row["case"]: row["seconds"] for row in json.load(file)["rows"]}


def main():
    own, arguments = sys.argv[1:], []
    if "--" in own:
        place = own.index("--")
        own, arguments = own[:place], own[place + 1 :]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--json")
    asked = parser.parse_args(own)
    programs = (asked.before, asked.after)

    turns = ([], [])
    for turn in range(asked.turns):
        # The order alternates.
        for which in (0, 1) if turn % 2 == 0 else (1, 0):
            turns[which].append(times(programs[which], arguments))

    rows = []
    for case in turns[0][0]:
        seconds = [[turn[case] for turn in of if case in turn] for of in turns]
        if not all(len(of) == asked.turns for of in seconds):
            print(f"{case}: not in every run")
            continue
        before, after = (statistics.median(of) for of in seconds)
        rows.append({"case": case, "seconds": after, "before_seconds": before, "ratio": after / before, "turns": seconds})
        slower = "  SLOWER" if after > SLOWER * before else ""
        print(f"{case:60} {1e3 * before:10.3f} ms before, {1e3 * after:10.3f} after, {after / before:6.3f}{slower}", flush=True)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump({"arguments": arguments, "rows": rows}, file)
    slower = [row["case"] for row in rows if row["ratio"] > SLOWER]
    print(f"{len(rows)} rows, {len(slower)} of them more than 5 % slower")
    sys.exit(1 if slower or not rows else 0)


if __name__ == "__main__":
    main()
