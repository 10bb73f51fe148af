#!/usr/bin/env python3
"""Times `swath pairs --zip --path` beside edlib: CIGARs of many pairs of 100 to 10,000 letters, 5 % apart.

    benches/cigars.py SWATH [--pairs N] [--devices D,D] [--processes P]

Lengths are log-uniform. Edits are substitutions, insertions and deletions, equally many. Both compute CIGARs with = and X on
all threads. swath reads the pairs from FASTA files and writes a table, which its time includes. edlib is the Python package in
processes that have the pairs in memory and started before; its time includes that of sending the CIGARs back.

The exit status is 1 if a distance differs, or a CIGAR is not one of its pair at that distance.
"""

import argparse
import itertools
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time

import edlib

APART = 0.05
SHORTEST, TIMES_SHORTEST = 100, 100
# Pairs of a task.
CHUNK = 200


def pair(seed):
    rng = random.Random(seed)
    a = "".join(rng.choices("ACGT", k=int(SHORTEST * TIMES_SHORTEST ** rng.random())))
    b, copied = [], 0
    for place in sorted(rng.sample(range(len(a)), int(APART * len(a)))):
        b.append(a[copied:place])
        # A substitution, an insertion before the letter, or a deletion.
        b.append(rng.choice(("%s", "%s" + a[place], "")).replace("%s", rng.choice("ACGT")))
        copied = place + 1
    return a, "".join(b) + a[copied:]


PAIRS = []


def by_edlib(place):
    aligned = edlib.align(*PAIRS[place], mode="NW", task="path")
    return aligned["editDistance"], aligned["cigar"]


def is_alignment(strings, distance, cigar):
    """True if a CIGAR aligns the pair with this number of edits."""
    a, b = strings
    i, j, edits = 0, 0, 0
    for count, op in re.findall(r"(\d+)([=XID])", cigar):
        count = int(count)
        if op in "=X" and any((x == y) != (op == "=") for x, y in zip(a[i : i + count], b[j : j + count], strict=True)):
            return False
        i += count * (op != "D")
        j += count * (op != "I")
        edits += count * (op != "=")
    return (i, j, edits) == (len(a), len(b), distance)


def by_swath(swath, files, device, folder):
    """Distances and CIGARs, and the seconds of the command."""
    rows = f"{folder}/rows.tsv"
    command = [swath, "pairs", *files, "--zip", "--path", "--device", device, "--output", rows]
    started = time.perf_counter()
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    with open(rows) as lines:
        split = (line.rstrip("\n").split("\t") for line in lines if not line.startswith("#"))
        return [(int(row[2]), row[-1]) for row in split], seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("swath")
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    arguments = parser.parse_args()
    is_right = True
    fork = multiprocessing.get_context("fork")
    with fork.Pool(arguments.processes) as pool:
        PAIRS.extend(pool.map(pair, range(arguments.pairs), CHUNK))
    with fork.Pool(arguments.processes) as pool, tempfile.TemporaryDirectory() as folder:
        files = [f"{folder}/{side}.fasta" for side in "ab"]
        for side, file in enumerate(files):
            with open(file, "w") as out:
                out.writelines(f">{place}\n{strings[side]}\n" for place, strings in enumerate(PAIRS))
        pool.map(by_edlib, range(min(CHUNK, len(PAIRS))), 1)
        started = time.perf_counter()
        expected = pool.map(by_edlib, range(len(PAIRS)), CHUNK)
        edlib_seconds = time.perf_counter() - started
        print(f"{arguments.pairs} pairs: edlib on {arguments.processes} processes {edlib_seconds:.3g} s", flush=True)
        for device in arguments.devices.split(","):
            found, seconds = by_swath(arguments.swath, files, device, folder)
            same = len(found) == len(expected) and all(one[0] == other[0] for one, other in zip(found, expected))
            checked = itertools.islice(zip(PAIRS, found), 0, None, max(len(PAIRS) // 1000, 1))
            right = same and all(is_alignment(strings, *one) for strings, one in checked)
            is_right &= right
            verdict = "the same distances" if right else "OTHER ANSWERS"
            print(f"  swath on {device} {seconds:.3g} s, {edlib_seconds / seconds:.2f}x, {verdict}", flush=True)
    sys.exit(not is_right)


if __name__ == "__main__":
    main()
