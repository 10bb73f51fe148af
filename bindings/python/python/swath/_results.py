"""Results that consist of arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

from swath._swath import arrow_stream

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pandas
    import polars
    import scipy.sparse

# Characters of `repr`, and of a text in it.
MAX_REPR = 180
MAX_TEXT = 24
# Rows of a table in a notebook.
MAX_ROWS = 10
# Pixels of the longer side of a dot plot.
PLOT_SIZE = 400


class Columns:
    """Arrays of a result: attributes, items like those of a tuple, and columns of a table.

    The table is that of Arrow's PyCapsule interface, so that `pyarrow.table`, `polars.DataFrame` and
    `duckdb` take a result. No package is needed for that. Results compare by value.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = (*cls._fields, *cls.__annotations__)

    def __init__(self, *columns: Any, **others: Any) -> None:
        vars(self).update(zip(self._fields, columns, strict=True), **others)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._asdict().values())

    def __getitem__(self, index: Any) -> Any:
        return tuple(self)[index]

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return equal([*vars(self).values()], [*vars(other).values()])

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        rows = len(self[0])
        for count in (6, 3, 1):
            columns = ", ".join(f"{name}={_first(column, count)}" for name, column in self._asdict().items())
            text = f"{type(self).__name__}({columns}, rows={rows})"
            if len(text) <= MAX_REPR:
                return text
        return f"{type(self).__name__}({', '.join(self._fields)}, rows={rows})"

    def _repr_html_(self) -> str:
        from html import escape

        rows = len(self[0])
        columns = self._table(MAX_ROWS)
        values = zip(*(column.tolist() for column in columns.values()), strict=True)
        lines = [("th", columns), *(("td", row) for row in values)]
        cells = ("".join(f"<{tag}>{escape(_cut(str(cell)))}</{tag}>" for cell in row) for tag, row in lines)
        table = "".join(f"<tr>{row}</tr>" for row in cells)
        count = f"{type(self).__name__}, {min(rows, MAX_ROWS):,} of {rows:,} rows"
        return f"<table>{table}</table><p>{count}</p>"

    def _asdict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._fields}

    def _table(self, end: int | None = None) -> dict[str, Any]:
        """Columns of the first rows."""
        return {name: column[:end] for name, column in self._asdict().items() if column is not None}

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return arrow_stream([*self._table().items()])

    def arrow(self) -> Self:
        """The result itself, which is an Arrow table, as in `pyarrow.table(result)`."""
        return self

    def to_polars(self) -> polars.DataFrame:
        """The table as a frame of polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a frame of pandas."""
        import pandas

        return pandas.DataFrame(self._table())


class SparsePairs(Columns):
    """Pairs within a distance, as a sparse matrix in coordinate form. `shape` has the lengths of both lists."""

    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]
    distance: npt.NDArray[np.uint32]
    if TYPE_CHECKING:
        shape: tuple[int, int]

    def to_scipy(self) -> scipy.sparse.coo_array:
        """The distances as a sparse matrix; its method `tocsr` and others convert it.

        Distances of 0 are stored. Of one list it has the half above the diagonal.

        Examples:
            >>> import swath
            >>> swath.pairs(["stream", "steam", "team", "mat"], k=1).to_scipy().toarray()
            array([[0, 1, 0, 0],
                   [0, 0, 1, 0],
                   [0, 0, 0, 0],
                   [0, 0, 0, 0]], dtype=uint32)
        """
        from scipy.sparse import coo_array

        return coo_array((self.distance, (self.row, self.column)), shape=self.shape)


class StrandedPairs(SparsePairs):
    """Pairs within a distance on the nearer strand: 1, or -1 for the reverse complement."""

    strand: npt.NDArray[np.int8]


class StringClusters(Columns):
    """Clusters of the strings of a list; one representative and size for each cluster.

    As a table it has a row for each string, with the representative and the size of its cluster: -1 and 0 for
    missing strings.
    """

    cluster: npt.NDArray[np.int64]
    representative: npt.NDArray[np.int64]
    size: npt.NDArray[np.uint64]

    def _table(self, end: int | None = None) -> dict[str, Any]:
        import numpy as np

        cluster = self.cluster[:end]
        # Strings in no cluster, -1, take the last element.
        representative = np.append(self.representative, np.int64(-1))[cluster]
        size = np.append(self.size, np.uint64(0))[cluster]
        return {"cluster": cluster, "representative": representative, "size": size}


class Places(Columns):
    """Places of patterns in texts: one of each array for a place."""

    pattern: npt.NDArray[np.int64]
    text: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    strand: npt.NDArray[np.int8]
    cost: npt.NDArray[np.uint32]
    cigar: npt.NDArray[np.object_] | None


class ErrorCounts(Columns):
    """Operations that turn references into hypotheses; one number for each pair.

    >>> import swath
    >>> swath.counts(["the cat sat"], ["the hat sat on"]).error_rate
    0.6666666666666666
    """

    substitutions: npt.NDArray[np.uint32]
    deletions: npt.NDArray[np.uint32]
    insertions: npt.NDArray[np.uint32]
    hits: npt.NDArray[np.uint32]

    @property
    def errors(self) -> npt.NDArray[np.uint32]:
        """Edit distance of each pair."""
        return self.substitutions + self.deletions + self.insertions

    @property
    def lengths(self) -> npt.NDArray[np.uint32]:
        """Length of each reference."""
        return self.substitutions + self.deletions + self.hits

    @property
    def error_rate(self) -> float:
        """Errors of all pairs divided by the length of all references: the word or character error
        rate. Without any reference symbol it is the number of errors."""
        return int(self.errors.sum()) / (int(self.lengths.sum()) or 1)


def equal(one: Any, other: Any) -> bool:
    """True for equal values, also of lists and arrays."""
    if isinstance(one, (list, tuple)):
        return type(one) is type(other) and len(one) == len(other) and all(map(equal, one, other))
    if hasattr(one, "dtype"):
        import numpy as np

        return np.array_equal(one, other)
    return bool(one == other)


def dot_plot(blocks: npt.NDArray[np.int64]) -> str:
    """SVG of the runs of paired symbols of a path, `a` downwards and `b` to the right.

    Runs that are equal at the resolution of the plot are drawn once: at most four for each pixel of its side.
    """
    import numpy as np

    first = blocks[:1, :2]
    ends = blocks[:, :2] + blocks[:, 2:]
    height, width = (ends[-1:] - first).sum(axis=0).tolist()
    scale = PLOT_SIZE / max(height, width, 1)
    pixels = (np.hstack([blocks[:, :2] - first, ends - first]) * scale).astype(int)
    is_new = np.ones(len(pixels), bool)
    is_new[1:] = (pixels[1:] != pixels[:-1]).any(axis=1)
    runs = "".join(f"M{x0} {y0}L{x1} {y1}" for y0, x0, y1, x1 in pixels[is_new].tolist())
    sides = f'width="{width * scale:.0f}" height="{height * scale:.0f}"'
    (top, left), (bottom, right) = first.sum(axis=0).tolist(), ends[-1:].sum(axis=0).tolist()
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {sides} overflow="visible">'
        f"<title>a from {top} to {bottom} (down), b from {left} to {right} (right)</title>"
        f'<rect {sides} fill="none" stroke="gray"/>'
        f'<path d="{runs}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="square"/></svg>'
    )


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 3]}..."


def _first(column: Any, count: int) -> str:
    """The first values of a column."""
    if column is None:
        return "None"
    values = [_cut(repr(value)) for value in column[:count].tolist()]
    return f"[{', '.join(values + ['...'] * (len(column) > count))}]"
