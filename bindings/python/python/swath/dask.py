"""Distance matrices, sparse pairs and neighbours on a Dask cluster.

The scheduler repeats the blocks of a lost worker. The threads of a worker share one engine. For GPUs start one worker with one thread
for each device: with `CUDA_VISIBLE_DEVICES` of its own, as dask-cuda does, or with `devices`, the names that the workers take in turn.
"""

from __future__ import annotations

import math
import zlib

import dask
import dask.array
import dask.dataframe
import distributed
import numpy as np
import pandas

import swath
from swath._scorers import resolve

__all__ = ["cdist", "neighbors", "pairs"]

# Bytes of a block of a matrix, unless it is given.
BLOCK_BYTES = 64 << 20
# Strings that a part of neighbours indexes, unless it is given: some GB at k=1.
PART_STRINGS = 4_000_000
# Types of the columns of pairs.
TYPES = {"row": np.int64, "column": np.int64, "distance": np.uint32, "strand": np.int8}


def _listed(strings):
    """Strings that can be sliced."""
    return strings if hasattr(strings, "__len__") and hasattr(strings, "__getitem__") else list(strings)


def _block_rows(rows, columns, itemsize, block_bytes):
    """Rows and columns of blocks of about this size: wide ones, as a query is prepared once for each of them."""
    values = max(block_bytes // itemsize, 1)
    wide = min(columns, max(values // 64, 1))
    return max(min(rows, values // max(wide, 1)), 1), max(wide, 1)


def _device(devices):
    """Device of this worker: workers that are numbered take them in turn."""
    try:
        name = distributed.get_worker().name
    except ValueError:
        return devices[0]  # No worker, but a scheduler of threads or processes.
    number = int(name) if str(name).isdecimal() else zlib.crc32(str(name).encode())
    return devices[number % len(devices)]


def _score(queries, choices, devices, options):
    if devices:
        options = options | {"device": _device(devices)}
    return swath.cdist(queries, choices, **options)


def cdist(
    queries,
    choices,
    *,
    block_bytes=BLOCK_BYTES,
    dtype=None,
    scorer="edit",
    kind=None,
    scorer_kwargs=None,
    workers=1,
    devices=None,
    **options,
):
    """Matrix of the scores of every query with every choice, as a Dask array.

    Args:
        queries, choices: lists of sequences, as for `swath.cdist`. They are sent to the workers block by block.
        block_bytes: size of a block of the matrix; a worker holds a few of them.
        dtype, scorer, kind, scorer_kwargs: as for `swath.cdist`.
        workers: CPU threads of one block; 1 suits workers with a thread for each core.
        devices: names of devices, one for each worker of a host, such as ["cuda:0", "cuda:1"].
        options: other arguments of `swath.cdist`.

    Examples:
        >>> import swath.dask
        >>> matrix = swath.dask.cdist(["kitten", "mitten"], ["sitting", "kitten"])
        >>> matrix.compute()
        array([[3, 0],
               [3, 1]], dtype=uint32)
    """
    queries, choices = _listed(queries), _listed(choices)
    # By name, as compiled functions cannot be sent.
    options["scorer"], own = resolve(scorer, scorer_kwargs)
    options["kind"] = kind or own
    if dtype is None:
        dtype = swath.cdist([], [], scorer=options["scorer"], kind=options["kind"]).dtype
    dtype = np.dtype(dtype)
    shape = len(queries), len(choices)
    if 0 in shape:
        return dask.array.empty(shape, dtype=dtype)
    rows, columns = _block_rows(*shape, dtype.itemsize, block_bytes)
    parts = [dask.delayed(choices[column : column + columns]) for column in range(0, shape[1], columns)]
    score = dask.delayed(_score, pure=True)
    options |= {"dtype": dtype, "workers": workers}
    blocks = []
    for row in range(0, shape[0], rows):
        part = dask.delayed(queries[row : row + rows])
        height = min(rows, shape[0] - row)
        blocks.append(
            [
                dask.array.from_delayed(
                    score(part, other, devices, options),
                    (height, min(columns, shape[1] - index * columns)),
                    dtype,
                )
                for index, other in enumerate(parts)
            ]
        )
    return dask.array.block(blocks)


def _part(a, b, shard, devices, options):
    if devices:
        options = options | {"device": _device(devices)}
    return swath.pairs(a, b, shard=shard, **options).to_pandas()


def pairs(a, b=None, *, k, parts=None, workers=1, devices=None, **options):
    """All pairs within a distance, as a Dask dataframe with the columns `row`, `column` and `distance`.

    Args:
        a, b: lists of sequences, as for `swath.pairs`. Every worker gets all of them once.
        k: greatest distance.
        parts: number of partitions, of about equal work; by default one for 100 million comparisons.
        workers: CPU threads of one part.
        devices: as for `cdist`.
        options: other arguments of `swath.pairs`.

    Examples:
        >>> import swath.dask
        >>> swath.dask.pairs(["stream", "steam", "team", "mat"], k=1, parts=2).compute().values.tolist()
        [[0, 1, 1], [1, 2, 1]]
    """
    a = _listed(a)
    b = None if b is None else _listed(b)
    comparisons = len(a) * (len(a) if b is None else len(b))
    parts = parts or max(math.ceil(comparisons / 10**8), 1)
    options |= {"k": k, "workers": workers}
    first = dask.delayed(a)
    second = None if b is None else dask.delayed(b)
    compute = dask.delayed(_part, pure=True)
    frames = [compute(first, second, (part, parts), devices, options) for part in range(parts)]
    return _dataframe(frames, 3)


def _dataframe(frames, columns):
    types = list(TYPES.items())[:columns]
    meta = pandas.DataFrame({name: np.empty(0, dtype) for name, dtype in types})
    return dask.dataframe.from_delayed(frames, meta=meta)


def _neighbors(strings, other, keys, shard, starts, devices, options):
    """Pairs of a part, one frame for the rows from each of the starts on."""
    if devices:
        options = options | {"device": _device(devices)}
    found = swath.neighbors(strings, other, shard=shard, **keys, **options)
    frame = found.to_pandas()
    bounds = [*np.searchsorted(found.row, starts), len(frame)]
    return [frame.iloc[first:end] for first, end in zip(bounds, bounds[1:])]


def _merged(frames):
    return pandas.concat(frames).sort_values(["row", "column"], ignore_index=True)


def neighbors(
    strings,
    other=None,
    *,
    k,
    by=None,
    other_by=None,
    strand="forward",
    parts=None,
    workers=1,
    devices=None,
    **options,
):
    """All pairs within a distance, without comparing all pairs, as a Dask dataframe sorted by row and column.

    Args:
        strings, other, k, by, other_by, strand: as for `swath.neighbors`. Every worker gets all strings once, and each part indexes an
            equal share of `other`, else of `strings`.
        parts: number of parts, and of partitions; by default one for 4 million strings that are indexed.
        workers: CPU threads of one part.
        devices: as for `cdist`.
        options: other arguments of `swath.neighbors`.

    Examples:
        >>> import swath.dask
        >>> swath.dask.neighbors(["stream", "steam", "team", "mat"], k=1, parts=2).compute().values.tolist()
        [[0, 1, 1], [1, 2, 1]]
    """
    strings = _listed(strings)
    other = None if other is None else _listed(other)
    parts = parts or max(math.ceil(len(strings if other is None else other) / PART_STRINGS), 1)
    options |= {"k": k, "strand": strand, "workers": workers}
    keys = dask.delayed({"by": by, "other_by": other_by}, traverse=False)
    first = dask.delayed(strings)
    second = None if other is None else dask.delayed(other)
    starts = [len(strings) * part // parts for part in range(parts)]
    find = dask.delayed(_neighbors, pure=True)
    found = [find(first, second, keys, (part, parts), starts, devices, options) for part in range(parts)]
    merge = dask.delayed(_merged, pure=True)
    frames = [merge([part[index] for part in found]) for index in range(parts)]
    return _dataframe(frames, 4 if strand == "both" else 3)
