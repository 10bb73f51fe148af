#!/usr/bin/env python3
"""Compares swath with MUMmer's `maxmatch`: maximal matches of two genomes on both strands, and times.

    benches/mummer.py SWATH A.fasta[.gz] B.fasta[.gz] [LENGTH] [swath's options ...]

MUMmer 3 is Debian's package `mummer`. The exit status is 1 if the sets of matches differ.
"""

import gzip
import subprocess
import sys
import tempfile
import time


def timed(command):
    """Output and seconds of a command."""
    started = time.perf_counter()
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True).stdout
    return printed.splitlines(), time.perf_counter() - started


def plain(file, folder, name):
    """Path of the decompressed file, as MUMmer reads no other."""
    path = f"{folder}/{name}.fasta"
    with (gzip.open if file.endswith(".gz") else open)(file, "rb") as packed, open(path, "wb") as unpacked:
        unpacked.write(packed.read())
    return path


def by_mummer(lines):
    """Parses MUMmer's output: start in A, start in B on the strand, length, strand."""
    found, strand = set(), "+"
    for line in lines:
        if line.startswith(">"):
            strand = "-" if line.rstrip().endswith("Reverse") else "+"
            continue
        *_, a, b, length = line.split()
        a, b, length = int(a) - 1, int(b) - 1, int(length)
        # Reverse matches are reported with their last base.
        found.add((a, b - length + 1 if strand == "-" else b, length, strand))
    # A match that is its own reverse complement is one match, on the forward strand.
    return {match for match in found if match[3] == "+" or (*match[:3], "+") not in found}


def by_swath(lines):
    """Parses the tsv of swath into such tuples."""
    found = set()
    for line in lines:
        if not line.startswith("#"):
            _, a, _, _, b, _, strand, length = line.split("\t")
            found.add((int(a), int(b), int(length), strand))
    return found


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    swath, a, b, *rest = sys.argv[1:]
    length, *options = rest or ["1000"]
    with tempfile.TemporaryDirectory() as folder:
        a, b = plain(a, folder, "a"), plain(b, folder, "b")
        theirs, their_seconds = timed(["mummer", "-maxmatch", "-b", "-c", "-l", length, a, b])
        ours, our_seconds = timed(
            [swath, "substring", a, b, "--strand", "both", "--min-length", length, "--format", "tsv", *options]
        )
    theirs, ours = by_mummer(theirs), by_swath(ours)
    verdict = "the same set" if ours == theirs else f"{len(ours - theirs)} only by swath, {len(theirs - ours)} only by MUMmer"
    print(f"matches of {length} or more: swath {len(ours)}, MUMmer {len(theirs)}; {verdict}")
    print(f"seconds of the whole command: swath {our_seconds:.3f}, MUMmer {their_seconds:.3f}")
    sys.exit(0 if ours == theirs else 1)


if __name__ == "__main__":
    main()
