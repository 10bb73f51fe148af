"""Results that consist of arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from swath._swath import arrow_stream

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class ArrowTable:
    """A table for Arrow's PyCapsule interface: `pyarrow.table` and `polars.DataFrame` take it."""

    def __init__(self, columns: list[tuple[str, Any]]) -> None:
        self._columns = columns

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return arrow_stream(self._columns)


def _arrow(self: Any) -> ArrowTable:
    """The arrays as columns of an Arrow table, as in `pyarrow.table(result.arrow())`."""
    columns = zip(self._fields, self, strict=True)
    return ArrowTable([(name, column) for name, column in columns if column is not None])


class SparsePairs(NamedTuple):
    """Pairs within a distance, as a sparse matrix in coordinate form."""

    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]
    distance: npt.NDArray[np.uint32]

    arrow = _arrow


class StrandedPairs(NamedTuple):
    """Pairs within a distance on the nearer strand: 1, or -1 for the reverse complement."""

    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]
    distance: npt.NDArray[np.uint32]
    strand: npt.NDArray[np.int8]

    arrow = _arrow


class StringClusters(NamedTuple):
    """Clusters of the strings of a list; one representative and size for each cluster."""

    cluster: npt.NDArray[np.int64]
    representative: npt.NDArray[np.int64]
    size: npt.NDArray[np.uint64]


class Places(NamedTuple):
    """Places of patterns in texts: one of each array for a place."""

    pattern: npt.NDArray[np.int64]
    text: npt.NDArray[np.int64]
    start: npt.NDArray[np.int64]
    end: npt.NDArray[np.int64]
    strand: npt.NDArray[np.int8]
    cost: npt.NDArray[np.uint32]
    cigar: npt.NDArray[np.object_] | None

    arrow = _arrow


class ErrorCounts(NamedTuple):
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
