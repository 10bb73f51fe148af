#!/usr/bin/env python3
"""Draws docs/performance.svg from two records of a device: time against length, both logarithmic.

    cd benches/record
    ../plot.py nvidia-h200/2026-11-22-lcs.json nvidia-h200/2026-11-22-edit_distance.json > ../../docs/performance.svg

The arguments are a record with rows of subsequences and one with rows of edit distances. One of `problems` may be both.
"""

import json
import math
import re
import sys

WIDTH, HEIGHT = 620, 400
LEFT, TOP, RIGHT, BOTTOM = 62, 16, 150, 44
X, Y = (5e4, 1.2e7), (1e-3, 1e1)

# Name in the legend, benchmark, cases, and the time used of a row.
LINES = [
    ("LCS, conditional-sum", "lcs", r"length (\d+) x \d+, 4 letters", "baseline_seconds", "#888888"),
    ("edit distance, whole table", "edit_distance", r"distance (\d+) x \d+, 4 letters", "seconds", "#d62728"),
    ("LCS with its path", "lcs", r"path (\d+) x \d+, 4 letters", "seconds", "#1f77b4"),
    ("LCS, whole table", "lcs", r"length (\d+) x \d+, 4 letters", "seconds", "#2ca02c"),
    ("alignment, 1 edit in 1,000", "edit_distance", r"alignment (\d+), 1 edit in 1000, auto", "seconds", "#9467bd"),
    ("rapidfuzz, 1 thread", "lcs", r"cpu length (\d+) x \d+, 4 letters, 1 thread", "baseline_seconds", "#888888"),
    ("LCS, CPU, 1 thread", "lcs", r"cpu length (\d+) x \d+, 4 letters, 1 thread", "seconds", "#ff7f0e"),
]


def points(record, case, time):
    """Length and seconds of the rows of a case; baseline times only of the first row's baseline."""
    found, baseline = [], None
    for row in record["rows"]:
        # Newer records have several problems, whose names come first.
        match = re.fullmatch(f"(?:lcs |edit )?{case}", row["case"])
        if not match or not row.get("right"):
            continue
        baseline = baseline or row["baseline"]
        if time == "seconds" or row["baseline"] == baseline:
            found.append((int(match[1]), row[time]))
    return sorted(found)


def along(value, limits, size):
    low, high = map(math.log10, limits)
    return (math.log10(value) - low) / (high - low) * size


def seconds(value):
    return f"{value:g} s" if value >= 1 else f"{value * 1000:g} ms"


def length(value):
    return f"{value // 1_000_000} M" if value >= 1_000_000 else f"{value // 1000} k"


def main():
    records = {}
    for problem, name in zip(("lcs", "edit_distance"), sys.argv[1:], strict=True):
        with open(name) as file:
            records[problem] = json.load(file)
    width, height = LEFT + WIDTH + RIGHT, TOP + HEIGHT + BOTTOM
    record = records["lcs"]
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
          'font-family="sans-serif" font-size="12" fill="#222">')
    print(f"<title>Time against length on an {record['device']}, commit {record['commit']}</title>")
    print(f'<rect width="{width}" height="{height}" fill="#fff"/>')
    print(f'<g transform="translate({LEFT} {TOP})">')
    for exponent in range(-3, 2):
        y = HEIGHT - along(10.0**exponent, Y, HEIGHT)
        print(f'<path d="M0 {y:.1f}H{WIDTH}" stroke="#ddd"/>'
              f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{seconds(10.0**exponent)}</text>')
    for n in (100_000, 1_000_000, 10_000_000):
        x = along(n, X, WIDTH)
        print(f'<path d="M{x:.1f} 0V{HEIGHT}" stroke="#ddd"/>'
              f'<text x="{x:.1f}" y="{HEIGHT + 16}" text-anchor="middle">{length(n)}</text>')
    print(f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>')
    print(f'<text x="{WIDTH / 2}" y="{HEIGHT + 36}" text-anchor="middle">'
          f"symbols of each of two random strings of 4 letters; {record['device']}</text>")
    labels = []
    for name, problem, case, time, colour in LINES:
        found = [(along(n, X, WIDTH), HEIGHT - along(t, Y, HEIGHT)) for n, t in points(records[problem], case, time)]
        if not found:
            sys.exit(f"no row of the record is '{case}'")
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in found)
        print(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{line}"/>')
        for x, y in found:
            print(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        labels.append([found[-1][1], found[-1][0], name, colour])
    # Labels next to the last point of each line, one text line apart if they would overlap.
    below = {}
    for y, x, name, colour in sorted(labels):
        below[x] = max(y + 4, below.get(x, -math.inf) + 14)
        print(f'<text x="{x + 8:.1f}" y="{below[x]:.1f}" fill="{colour}">{name}</text>')
    print("</g></svg>")


main()
