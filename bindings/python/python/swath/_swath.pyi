from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, Self, TypeAlias, final, overload

import numpy as np
import numpy.typing as npt

from ._results import ErrorCounts, Places, SparsePairs, StrandedPairs, StringClusters

__version__: str

_Distance: TypeAlias = Literal["edit", "indel", "lcs", "hamming", "osa"]
_Fraction: TypeAlias = Literal[
    "jaro", "jaro-winkler", "ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio"
]
# A function of rapidfuzz.
_Function: TypeAlias = Callable[..., Any]
_Scorer: TypeAlias = _Distance | _Fraction | _Function
_Kind: TypeAlias = Literal["distance", "similarity", "normalized_distance", "normalized_similarity"]
_Progress: TypeAlias = bool | Callable[[float], object] | None
# `str`, `bytes`, arrays and tensors of integers, and iterables of hashable objects.
_Sequence: TypeAlias = Iterable[Hashable] | Any
_Processor: TypeAlias = Callable[[Any], _Sequence] | None
# Sequences, `None` for missing ones, or Arrow arrays.
_Strings: TypeAlias = Iterable[_Sequence | None] | Any
# A key for each string.
_Keys: TypeAlias = Iterable[Hashable] | npt.NDArray[Any]

@final
class Choices:
    def __new__(cls, strings: _Strings) -> Self: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...

@final
class CommonSubsequence:
    def __new__(
        cls,
        length: int,
        blocks: npt.NDArray[np.int64],
        symbols: Any,
        run: dict[str, Any],
    ) -> Self: ...
    @property
    def length(self) -> int: ...
    @property
    def blocks(self) -> npt.NDArray[np.int64]: ...
    @property
    def symbols(self) -> Any: ...
    @property
    def run(self) -> dict[str, Any]: ...

@final
class Alignment:
    def __new__(
        cls,
        distance: int | None,
        locations: list[tuple[int, int]],
        cigar: str | None,
        blocks: npt.NDArray[np.int64],
        run: dict[str, Any],
    ) -> Self: ...
    @property
    def distance(self) -> int | None: ...
    @property
    def locations(self) -> list[tuple[int, int]]: ...
    @property
    def cigar(self) -> str | None: ...
    @property
    def blocks(self) -> npt.NDArray[np.int64]: ...
    @property
    def run(self) -> dict[str, Any]: ...
    def opcodes(self) -> list[tuple[str, int, int, int, int]] | None: ...
    def editops(self) -> list[tuple[str, int, int]] | None: ...

@final
class CommonSupersequence:
    def __new__(
        cls,
        length: int,
        lower_bound: int,
        exact: bool,
        symbols: Any,
        embeddings: list[npt.NDArray[np.int64]],
        run: dict[str, Any],
    ) -> Self: ...
    @property
    def length(self) -> int: ...
    @property
    def lower_bound(self) -> int: ...
    @property
    def exact(self) -> bool: ...
    @property
    def symbols(self) -> Any: ...
    @property
    def embeddings(self) -> list[npt.NDArray[np.int64]]: ...
    @property
    def run(self) -> dict[str, Any]: ...

@final
class CommonSubstring:
    def __new__(
        cls,
        length: int,
        substrings: list[Any],
        places: list[list[tuple[int, int]]],
        run: dict[str, Any],
    ) -> Self: ...
    @property
    def length(self) -> int: ...
    @property
    def substrings(self) -> list[Any]: ...
    @property
    def places(self) -> list[list[tuple[int, int]]]: ...
    @property
    def run(self) -> dict[str, Any]: ...

@final
class Device:
    def __new__(
        cls,
        selector: str,
        backend: str,
        index: int,
        name: str,
        kind: str,
        driver: str,
        memory_bytes: int | None,
        auto: bool,
        reason: str,
    ) -> Self: ...
    @property
    def selector(self) -> str: ...
    @property
    def backend(self) -> str: ...
    @property
    def index(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def driver(self) -> str: ...
    @property
    def memory_bytes(self) -> int | None: ...
    @property
    def auto(self) -> bool: ...
    @property
    def reason(self) -> str: ...

@final
class MatrixChainOrder:
    def __new__(
        cls,
        cost: int,
        in_order: int | None,
        order: str,
        splits: npt.NDArray[np.int64],
        run: dict[str, Any],
    ) -> Self: ...
    @property
    def cost(self) -> int: ...
    @property
    def in_order(self) -> int | None: ...
    @property
    def order(self) -> str: ...
    @property
    def splits(self) -> npt.NDArray[np.int64]: ...
    @property
    def run(self) -> dict[str, Any]: ...

def arrow_stream(columns: Sequence[tuple[str, object]]) -> object: ...
def devices() -> list[Device]: ...
@overload
def distance(
    a: _Sequence,
    b: _Sequence,
    *,
    scorer: _Distance | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    device: str = "auto",
) -> int: ...
@overload
def distance(
    a: _Sequence,
    b: _Sequence,
    *,
    scorer: _Fraction | _Function,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    device: str = "auto",
) -> float: ...
@overload
def similarity(
    a: _Sequence,
    b: _Sequence,
    *,
    scorer: _Distance | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    device: str = "auto",
) -> int: ...
@overload
def similarity(
    a: _Sequence,
    b: _Sequence,
    *,
    scorer: _Fraction | _Function,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    device: str = "auto",
) -> float: ...
def normalized_distance(
    a: _Sequence | None,
    b: _Sequence | None,
    *,
    scorer: _Scorer | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    device: str = "auto",
) -> float: ...
def normalized_similarity(
    a: _Sequence | None,
    b: _Sequence | None,
    *,
    scorer: _Scorer | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    device: str = "auto",
) -> float: ...
def lcs(
    a: _Sequence,
    b: _Sequence,
    *,
    device: str = "auto",
    workers: int | None = None,
    progress: _Progress = None,
) -> CommonSubsequence: ...
def edit(
    a: _Sequence,
    b: _Sequence,
    *,
    mode: Literal["global", "prefix", "infix"] = "global",
    k: int | None = None,
    gaps: Literal["left", "right"] | None = None,
    device: str = "auto",
    workers: int | None = None,
    progress: _Progress = None,
) -> Alignment: ...
def scs(
    *inputs: _Sequence,
    device: str = "auto",
    workers: int | None = None,
    progress: _Progress = None,
) -> CommonSupersequence: ...
def substring(
    *inputs: _Sequence,
    in_at_least: int | None = None,
    device: str = "auto",
    workers: int | None = None,
    progress: _Progress = None,
) -> CommonSubstring: ...
def matrix_chain(
    dims: Iterable[int],
    *,
    device: str = "auto",
    workers: int | None = None,
    progress: _Progress = None,
) -> MatrixChainOrder: ...
def align(
    query: _Sequence,
    target: _Sequence,
    mode: Literal["NW", "SHW", "HW"] = "NW",
    task: Literal["distance", "locations", "path"] = "distance",
    k: int | None = -1,
    additionalEqualities: Sequence[tuple[Hashable, Hashable]] | None = None,
    *,
    device: str = "auto",
) -> dict[str, Any]: ...
def cdist(
    queries: _Strings,
    choices: _Strings,
    *,
    scorer: _Scorer | None = None,
    kind: _Kind | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    score_multiplier: float = 1.0,
    dtype: npt.DTypeLike | None = None,
    scorer_kwargs: Mapping[str, Any] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> npt.NDArray[Any]: ...
def cpdist(
    queries: _Strings,
    choices: _Strings,
    *,
    scorer: _Scorer | None = None,
    kind: _Kind | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    score_multiplier: float = 1.0,
    dtype: npt.DTypeLike | None = None,
    scorer_kwargs: Mapping[str, Any] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> npt.NDArray[Any]: ...
def extract(
    query: _Sequence | None,
    choices: _Strings | Mapping[Any, _Sequence | None],
    *,
    scorer: _Scorer | None = None,
    kind: _Kind | None = None,
    processor: _Processor = None,
    limit: int | None = 5,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    scorer_kwargs: Mapping[str, Any] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> list[tuple[Any, Any, Any]]: ...
def pairs(
    a: _Strings,
    b: _Strings | None = None,
    *,
    k: int,
    scorer: Literal["edit", "indel", "hamming", "osa"] | _Function | None = None,
    shard: tuple[int, int] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> SparsePairs: ...
@overload
def neighbors(
    strings: _Strings,
    other: _Strings | None = None,
    k: int = 2,
    *,
    by: _Keys | None = None,
    other_by: _Keys | None = None,
    strand: Literal["forward"] = "forward",
    scorer: _Scorer | None = None,
    shard: tuple[int, int] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> SparsePairs: ...
@overload
def neighbors(
    strings: _Strings,
    other: _Strings | None = None,
    k: int = 2,
    *,
    by: _Keys | None = None,
    other_by: _Keys | None = None,
    strand: Literal["both"],
    scorer: _Scorer | None = None,
    shard: tuple[int, int] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> StrandedPairs: ...
def clusters(
    strings: _Strings,
    k: int,
    *,
    method: Literal["components", "directional"] = "components",
    counts: Sequence[int] | npt.NDArray[np.integer[Any]] | None = None,
    by: _Keys | None = None,
    strand: Literal["forward", "both"] = "forward",
    scorer: _Scorer | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> StringClusters: ...
def search(
    patterns: _Strings,
    texts: _Strings,
    k: int = 4,
    *,
    strand: Literal["forward", "reverse", "both"] = "forward",
    all: Literal["minima", "ends", "best"] = "minima",
    max_substitutions: int | None = None,
    max_gaps: int | None = None,
    hamming: bool = False,
    overhang: float | None = None,
    exact_head: int | None = None,
    exact_tail: int | None = None,
    pam: str | None = None,
    ambiguous: Literal["iupac"] | None = None,
    equal: Sequence[tuple[str, str]] | None = None,
    ignore_case: bool = False,
    cigar: bool = False,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> Places: ...
def counts(
    references: _Strings,
    hypotheses: _Strings,
    *,
    unit: Literal["words", "symbols"] = "words",
    workers: int | None = None,
    progress: _Progress = None,
) -> ErrorCounts: ...
