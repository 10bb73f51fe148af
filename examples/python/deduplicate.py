"""Removes rows of a table whose names differ by a few letters: the first row of each cluster stays.

python deduplicate.py [IN.csv OUT.csv COLUMN K]
"""

import sys

import polars as pl

import swath

SAMPLE = {
    "name": ["Ada Lovelace", "Alan Turing", "Ada Lovelase", "Grace Hopper", "Alan Turin", "Ada Lovelac"],
    "born": [1815, 1912, 1815, 1906, 1912, None],
}


def deduplicated(table, column, k):
    """Rows whose name is the first of its cluster, and rows without a name."""
    cluster = pl.Series(swath.clusters(table[column], k).cluster)
    return table.filter(cluster.is_first_distinct() | (cluster < 0))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        source, target, column, k = sys.argv[1:]
        deduplicated(pl.read_csv(source), column, int(k)).write_csv(target)
    else:
        print(deduplicated(pl.DataFrame(SAMPLE), "name", 2))
