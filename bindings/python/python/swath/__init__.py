"""Exact distances, alignments and common strings on GPUs and CPUs.

>>> import swath
>>> swath.distance("kitten", "sitting")
3

Nothing opens a device before a call is expected to be faster on it. All functions release the GIL;
Ctrl-C ends them.
"""

from ._errors import DeviceError, Error, InputError, InternalError, MemoryLimitError
from ._process import default_process, extract_iter, extract_one, extractOne
from ._results import ErrorCounts, Places, SparsePairs, StrandedPairs, StringClusters
from ._swath import (
    Alignment,
    Choices,
    CommonSubsequence,
    CommonSubstring,
    CommonSupersequence,
    Device,
    MatrixChainOrder,
    __version__,
    align,
    cdist,
    clusters,
    counts,
    cpdist,
    devices,
    distance,
    edit,
    extract,
    lcs,
    matrix_chain,
    neighbors,
    normalized_distance,
    normalized_similarity,
    pairs,
    scs,
    search,
    similarity,
    substring,
)

__all__ = [
    "Alignment",
    "Choices",
    "CommonSubsequence",
    "CommonSubstring",
    "CommonSupersequence",
    "Device",
    "DeviceError",
    "Error",
    "ErrorCounts",
    "InputError",
    "InternalError",
    "MatrixChainOrder",
    "MemoryLimitError",
    "Places",
    "SparsePairs",
    "StrandedPairs",
    "StringClusters",
    "__version__",
    "align",
    "cdist",
    "clusters",
    "counts",
    "cpdist",
    "default_process",
    "devices",
    "distance",
    "edit",
    "extract",
    "extractOne",
    "extract_iter",
    "extract_one",
    "lcs",
    "matrix_chain",
    "neighbors",
    "normalized_distance",
    "normalized_similarity",
    "pairs",
    "scs",
    "search",
    "similarity",
    "substring",
]
