#!/usr/bin/env python3
"""Draws docs/dotplot.svg: two genomes against each other, and the longest common subsequence through them.

    swath lcs A.fasta.gz B.fasta.gz --format blocks -o blocks.tsv
    docs/dotplot.py A.fasta.gz B.fasta.gz blocks.tsv > docs/dotplot.svg

A dot is a word of 24 letters that each genome has exactly once, in the same direction (dark) or reversed (light).
"""

import gzip
import sys

WORD = 24
SIDE = 560
LEFT, TOP, RIGHT, BOTTOM = 62, 30, 14, 46
CELL = 2


def sequence(path):
    """The first record's name and letters."""
    name, parts = "", []
    with gzip.open(path, "rt") as lines:
        for line in lines:
            if line.startswith(">"):
                if parts:
                    break
                name = line
            else:
                parts.append(line.strip().upper())
    return name, "".join(parts)


def places(text):
    """Where each word stands that stands in one place."""
    found = {}
    for at in range(len(text) - WORD + 1):
        word = text[at : at + WORD]
        found[word] = -1 if word in found else at
    return found


def reversed_complement(text):
    return text[::-1].translate(str.maketrans("ACGT", "TGCA"))


def strain(name):
    """`H. pylori G27` of `>gi|...| Helicobacter pylori G27, complete genome`."""
    words = name.split()
    return f"H. pylori {words[3].rstrip(',')}" if len(words) > 3 else name[1:].strip()


def main():
    (name_a, a), (name_b, b) = sequence(sys.argv[1]), sequence(sys.argv[2])
    scale_x, scale_y = SIDE / len(a), SIDE / len(b)
    of_a = places(a)

    def dots(text, place):
        cells = set()
        for word, at in places(text).items():
            i = of_a.get(word, -1)
            if at >= 0 and i >= 0:
                cells.add((int(i * scale_x / CELL), int(place(at) * scale_y / CELL)))
        moves = "".join(f"M{x * CELL} {y * CELL}h{CELL}" for x, y in sorted(cells))
        return moves

    forward = dots(b, lambda at: at)
    backward = dots(reversed_complement(b), lambda at: len(b) - at - WORD)

    path, last = [], None
    with open(sys.argv[3]) as rows:
        for row in rows:
            if row.startswith("#"):
                continue
            i, j, _ = map(int, row.split("\t"))
            point = (round(i * scale_x, 1), round(j * scale_y, 1))
            if last is None or abs(point[0] - last[0]) + abs(point[1] - last[1]) >= 2:
                path.append(point)
                last = point
    line = " ".join(f"{x:g},{y:g}" for x, y in path)

    width, height = LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
          'font-family="sans-serif" font-size="12" fill="#222">')
    print(f"<title>{strain(name_a)} against {strain(name_b)}</title>")
    print(f'<rect width="{width}" height="{height}" fill="#fff"/>')
    print(f'<g transform="translate({LEFT} {TOP})">')
    print(f'<rect width="{SIDE}" height="{SIDE}" fill="#fafafa" stroke="#999"/>')
    for million in (0.5, 1.0, 1.5):
        x, y = million * 1e6 * scale_x, million * 1e6 * scale_y
        print(f'<path d="M{x:.1f} 0V{SIDE}M0 {y:.1f}H{SIDE}" stroke="#ddd"/>')
        print(f'<text x="{x:.1f}" y="{SIDE + 16}" text-anchor="middle">{million:g} M</text>')
        print(f'<text x="-6" y="{y + 4:.1f}" text-anchor="end">{million:g} M</text>')
    print(f'<g transform="translate(0 {CELL / 2:g})" fill="none" stroke-width="{CELL}">')
    print(f'<path stroke="#9ecae1" d="{backward}"/>')
    print(f'<path stroke="#3b4a6b" d="{forward}"/></g>')
    print(f'<polyline fill="none" stroke="#d62728" stroke-width="1.2" points="{line}"/>')
    print(f'<text x="{SIDE / 2}" y="{SIDE + 36}" text-anchor="middle">{strain(name_a)}</text>')
    print(f'<text transform="translate(-44 {SIDE / 2}) rotate(-90)" text-anchor="middle">{strain(name_b)}</text>')
    legend = [("#3b4a6b", f"shared words of {WORD}"), ("#9ecae1", "the same, reversed"), ("#d62728", "longest common subsequence")]
    x = 0
    for colour, text in legend:
        print(f'<rect x="{x}" y="-20" width="10" height="10" fill="{colour}"/><text x="{x + 15}" y="-11">{text}</text>')
        x += 30 + 7 * len(text)
    print("</g></svg>")


main()
