"""Functions of rapidfuzz.utils and rapidfuzz.process that are made of others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ._swath import extract

if TYPE_CHECKING:
    from ._swath import _Kind, _Processor, _Progress, _Scorer, _Sequence, _Strings


class _Letters(dict):
    """Replacements of characters, filled as they appear."""

    def __missing__(self, code: int) -> int:
        letter = chr(code)
        self[code] = ord(letter.lower()[0]) if letter.isalnum() else ord(" ")
        return self[code]


_LETTERS = _Letters()


def default_process(sentence: str | bytes) -> str:
    """Text in lower case, with a space for each character that is no letter and no digit, and none around it.

    Equals `rapidfuzz.utils.default_process`, except that letters newer than its tables (Unicode 13) are letters. Both can be given as
    `processor`.

    Examples:
        >>> import swath
        >>> swath.default_process("  New York: METS!")
        'new york  mets'
    """
    if isinstance(sentence, bytes):
        sentence = sentence.decode("latin-1")
    if not isinstance(sentence, str):
        raise TypeError(f"default_process takes text, not {type(sentence).__name__}")
    return sentence.translate(_LETTERS).strip(" ")


def extract_one(
    query: _Sequence | None,
    choices: _Strings | Mapping[Any, _Sequence | None],
    *,
    scorer: _Scorer | None = None,
    kind: _Kind | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    scorer_kwargs: Mapping[str, Any] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> tuple[Any, Any, Any] | None:
    """The choice with the best score, the first one of equal scores, or None.

    Args:
        query, choices and the others: as for `extract`.

    Returns:
        A tuple: choice, score, and its position or key. `extractOne` is another name of this function.

    Examples:
        >>> import swath
        >>> swath.extract_one("steam", ["tea", "team", "stream"])
        ('team', 1, 1)
        >>> swath.extract_one("steam", ["tea"], score_cutoff=1)
    """
    return next(iter(extract(**locals(), limit=1)), None)


extractOne = extract_one


def extract_iter(
    query: _Sequence | None,
    choices: _Strings | Mapping[Any, _Sequence | None],
    *,
    scorer: _Scorer | None = None,
    kind: _Kind | None = None,
    processor: _Processor = None,
    score_cutoff: float | None = None,
    score_hint: float | None = None,
    scorer_kwargs: Mapping[str, Any] | None = None,
    workers: int | None = None,
    device: str = "auto",
    progress: _Progress = None,
) -> Iterator[tuple[Any, Any, Any]]:
    """Iterator over the choices, in their order, that are not worse than the cutoff.

    All choices are compared when the first one is asked for.

    Args:
        query, choices and the others: as for `extract`.

    Returns:
        An iterator over tuples: choice, score, and its position or key.

    Examples:
        >>> import swath
        >>> list(swath.extract_iter("steam", ["tea", "team", "stream"], score_cutoff=1))
        [('team', 1, 1), ('stream', 1, 2)]
    """
    options, keys = dict(locals()), None
    if hasattr(choices, "items"):
        items = list(choices.items())
        keys, options["choices"] = [key for key, _ in items], [choice for _, choice in items]
    found = extract(**options, limit=None)
    for choice, score, index in sorted(found, key=itemgetter(2)):
        yield choice, score, index if keys is None else keys[index]
