#!/usr/bin/env python3
"""Peak memory and time of the parts of `swath neighbors --shard`, and their merge, which has to be the output of one process.

    benches/shards.py SWATH --strings 10000000 -k 1 --parts 1,8 [--all]

Strings are random barcodes of 16 letters; half of them are copies of others with 2 % errors. Without --all only the first part of each number of
parts runs, and nothing is joined.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def barcodes(count, path):
    rng = random.Random(1)
    with open(path, "w") as file:
        for _ in range(count // 2):
            word = rng.choices("ACGT", k=16)
            file.write("".join(word) + "\n")
            copy = [rng.choice("ACGT") if rng.random() < 0.02 else letter for letter in word]
            file.write("".join(copy) + "\n")


def run(*command):
    """Seconds and peak memory in GB of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} failed")
    return time.monotonic() - start, usage.ru_maxrss * 1024 / 1e9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("swath")
    parser.add_argument("--strings", type=int, default=2_000_000)
    parser.add_argument("-k", default="1")
    parser.add_argument("--parts", default="1,8")
    parser.add_argument("--all", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        strings, whole, joined = folder / "strings.txt", folder / "whole.tsv", folder / "joined.tsv"
        barcodes(args.strings, strings)
        call = [args.swath, "neighbors", strings, "-k", args.k, "--device", "cpu"]
        if args.all:
            print("whole: %.1f s, %.2f GB" % run(*call, "-o", whole), flush=True)
        for count in map(int, args.parts.split(",")):
            parts = [folder / f"{part}" for part in range(count)]
            for part, path in enumerate(parts if args.all else parts[:1]):
                figures = run(*call, "--shard", f"{part}/{count}", "-o", path)
                print(f"part {part} of {count}: %.1f s, %.2f GB" % figures, flush=True)
            if args.all:
                print("join: %.1f s, %.2f GB" % run(args.swath, "join", *parts, "-o", joined))
                subprocess.run(["cmp", whole, joined], check=True)


if __name__ == "__main__":
    main()
