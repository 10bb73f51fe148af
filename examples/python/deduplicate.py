"""Removes rows of a table whose names differ by a few letters: the first row of each group stays.

python deduplicate.py [IN.csv OUT.csv COLUMN K]
"""

import sys

import numpy as np
import polars as pl

import swath

SAMPLE = {
    "name": ["Ada Lovelace", "Alan Turing", "Ada Lovelase", "Grace Hopper", "Alan Turin", "Ada Lovelac"],
    "born": [1815, 1912, 1815, 1906, 1912, None],
}


def groups(names, k):
    """Number of the first name that each name is linked to by names within `k` edits."""
    group = np.arange(len(names))
    near = swath.pairs(names, k=k)
    while True:
        least = group.copy()
        np.minimum.at(least, near.row, group[near.column])
        np.minimum.at(least, near.column, group[near.row])
        least = least[least]
        if np.array_equal(least, group):
            return group
        group = least


def deduplicated(table, column, k):
    """Rows whose name is the first of its group."""
    names = table[column].fill_null("")
    return table.filter(pl.Series(groups(names, k) == np.arange(len(table))))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        source, target, column, k = sys.argv[1:]
        deduplicated(pl.read_csv(source), column, int(k)).write_csv(target)
    else:
        print(deduplicated(pl.DataFrame(SAMPLE), "name", 2))
