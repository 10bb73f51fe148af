#!/usr/bin/env python3
"""Compares swath with MUMmer 3, Debian's package `mummer`: what they find in two genomes, and times.

    benches/mummer.py SWATH A.fasta[.gz] B.fasta[.gz] [LENGTH] [swath's options ...]
    benches/mummer.py SWATH A.fasta[.gz] B.fasta[.gz] snps [swath's options ...]

The first form compares maximal matches on both strands with `mummer -maxmatch`. The exit status is 1 if the sets differ.

The second form compares the differences of `swath compare` with `nucmer`, `delta-filter -1` and `show-snps -C`, which report those
in unique alignments alone. Gaps are moved left as far as equal letters allow. Each difference that only MUMmer reports is
printed with swath's nearest one: both may describe a cluster of edits differently. The exit status is 1 if MUMmer reports one
that is more than 20 bases from any difference of swath.
"""

import bisect
import gzip
import itertools
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


def sequences(path):
    """Records of a FASTA file by name."""
    with open(path) as file:
        records = [record.partition("\n") for record in file.read().split(">")[1:]]
    return {name.split()[0]: text.replace("\n", "").upper() for name, _, text in records}


def moved_left(reference, start, old, new):
    """A gap at its first place among equal ones: (start, reference's letters, others)."""
    gap = old or new
    while start and reference[start - 1] == gap[-1]:
        gap, start = gap[-1] + gap[:-1], start - 1
    return (start, gap, "") if old else (start, "", gap)


def snps_by_nucmer(lines, references):
    """Parses `show-snps -rTHC`, which has a line for each letter: (record, start, reference's letters, others)."""
    rows = [line.split("\t") for line in lines]
    rows = [(row[8], int(row[0]), row[1], row[2], int(row[3]), int(row[7])) for row in rows]
    found = set()
    for name, one, old, new, _, _ in rows:
        if "." not in (old, new):
            found.add((name, one - 1, old, new))
    # Letters of a gap follow one another: in A for a deletion, in B for an insertion.
    for is_deletion in (True, False):
        letters = [row for row in rows if row[3 if is_deletion else 2] == "."]

        def gap(item):
            at, (name, one, _, _, other, strand) = item
            step = one - at if is_deletion else other - strand * at
            return name, strand, step, other if is_deletion else one

        for (name, *_), group in itertools.groupby(enumerate(letters), gap):
            group = [row for _, row in group]
            text = "".join(row[2 if is_deletion else 3] for row in group)
            # An insertion is reported with the letter before it.
            start = group[0][1] - 1 if is_deletion else group[0][1]
            old, new = (text, "") if is_deletion else ("", text)
            found.add((name, *moved_left(references[name], start, old, new)))
    return found


def snps_by_swath(lines, references):
    """Parses the table of `swath compare` into such tuples."""
    found = set()
    for line in lines:
        if line.startswith("#"):
            continue
        name, start, _, _, _, _, kind, old, new, *_ = line.upper().split("\t")
        name, start, old, new = line.split("\t")[0], int(start), old.strip("-"), new.strip("-")
        place = (start, old, new) if kind == "SUBSTITUTION" else moved_left(references[name], start, old, new)
        found.add((name, *place))
    return found


def compare_snps(swath, a, b, options, folder):
    """Prints how the differences of both tools agree. Returns False if MUMmer has one that swath has not."""
    prefix = f"{folder}/nucmer"
    _, theirs_seconds = timed(["nucmer", "-p", prefix, a, b])
    filtered, seconds = timed(["delta-filter", "-1", f"{prefix}.delta"])
    with open(f"{prefix}.filtered", "w") as file:
        file.write("\n".join(filtered) + "\n")
    lines, more = timed(["show-snps", "-rTHC", f"{prefix}.filtered"])
    theirs_seconds += seconds + more
    table, our_seconds = timed([swath, "compare", a, b, "--format", "tsv", *options])
    references = sequences(a)
    theirs, ours = snps_by_nucmer(lines, references), snps_by_swath(table, references)
    both = len(theirs & ours)
    print(f"differences: MUMmer {len(theirs)}, of them by swath too {both}; swath {len(ours)} in all")
    places = sorted((name, start) for name, start, _, _ in ours)
    is_near = True
    for name, start, old, new in sorted(theirs - ours):
        at = bisect.bisect(places, (name, start))
        near = min((place for place in places[max(at - 1, 0) : at + 1]), key=lambda place: abs(place[1] - start), default=None)
        distance = abs(near[1] - start) if near and near[0] == name else None
        is_near = is_near and distance is not None and distance <= 20
        print(f"only by MUMmer: {name}:{start} {old or '-'} > {new or '-'}; swath's nearest is {distance} bases away")
    print(f"seconds of the whole commands: swath {our_seconds:.3f}, MUMmer {theirs_seconds:.3f}")
    return is_near


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    swath, a, b, *rest = sys.argv[1:]
    length, *options = rest or ["1000"]
    if length == "snps":
        with tempfile.TemporaryDirectory() as folder:
            agree = compare_snps(swath, plain(a, folder, "a"), plain(b, folder, "b"), options, folder)
        sys.exit(0 if agree else 1)
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
