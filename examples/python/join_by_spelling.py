"""Joins two polars frames by a column that is spelled differently.

python join_by_spelling.py
"""

import polars as pl

import swath

ORDERS = pl.DataFrame(
    {"city": ["Munchen", "Koeln", "Hamburg", "Nurnberg", "Atlantis"], "orders": [12, 7, 31, 4, 1]}
)
CITIES = pl.DataFrame(
    {"name": ["München", "Köln", "Hamburg", "Nürnberg", "Bremen"], "state": ["BY", "NW", "HH", "BY", "HB"]}
)


def join(left, right, *, left_on, right_on, k):
    """Rows of `left` with the rows of `right` whose spelling is nearest and within `k` edits; all of them if several are."""
    matches = swath.pairs(left[left_on], right[right_on], k=k).to_polars()
    nearest = matches.filter(pl.col("distance") == pl.col("distance").min().over("row"))
    return (
        nearest.join(left.with_row_index("row").cast({"row": pl.Int64}), on="row")
        .join(right.with_row_index("column").cast({"column": pl.Int64}), on="column")
        .sort("row", "column")
        .drop("row", "column")
        .select(*left.columns, *right.columns, "distance")
    )


if __name__ == "__main__":
    print(join(ORDERS, CITIES, left_on="city", right_on="name", k=2))
