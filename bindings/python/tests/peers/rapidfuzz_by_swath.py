"""Pytest plugin that runs rapidfuzz's tests against swath.

The compiled scorers and `process` functions of rapidfuzz are replaced; its functions in Python stay and are what the tests compare
with. The default scorer WRatio becomes ratio in both. Tests of what swath does not have must fail with `Unsupported`, and are listed here with the reason.
"""

import functools

import pytest
from rapidfuzz import fuzz, process_cpp, process_py
from rapidfuzz.distance import OSA, Hamming, Indel, Jaro, JaroWinkler, LCSseq, Levenshtein, metrics_cpp, metrics_py

from tests.common import is_none

import swath

MEASURES = {
    "levenshtein": "edit",
    "indel": "indel",
    "lcs_seq": "lcs",
    "hamming": "hamming",
    "osa": "osa",
    "jaro": "jaro",
    "jaro_winkler": "jaro-winkler",
}
KINDS = ("distance", "similarity", "normalized_distance", "normalized_similarity")

FUNCTIONS = "other scorers than the measures, and ratio"
PREFIX = "other weights of a prefix than 0.1"
PADDING = "Hamming distances of equal lengths alone"
ORDER = "scores of WRatio, which ratio does not have"
MESSAGE = "the text of the error"
WEIGHTS = "weights of operations"
EDITOPS = "lists of operations; swath.edit has CIGARs and runs"
HASHES = "objects that equal by their hash alone"
UNSUPPORTED = {
    "test_Editops": EDITOPS,
    "test_Opcodes": EDITOPS,
    "test_cross_type_matching": HASHES,
    "test_custom_hashable": HASHES,
    "test_Levenshtein.py::test_empty_string": WEIGHTS,
    "test_simple_unicode_tests": WEIGHTS,
    "test_cdist_not_symmetric": WEIGHTS,
    "test_cpdist_not_same_length": MESSAGE,
    "test_get_best_choice1": ORDER,
    "test_get_best_choice4": ORDER,
    "test_with_processor": ORDER,
    "test_with_scorer": ORDER,
    "test_issue81": ORDER,
    "test_none_strings": FUNCTIONS,
    "test_extractOne_case_sensitive[custom_scorer-None]": FUNCTIONS,
    "test_extractOne_case_sensitive[custom_scorer-<lambda>]": FUNCTIONS,
    "test_extractOne_use_first_match[custom_scorer]": FUNCTIONS,
    "test_cdist_empty_seq[WRatio]": FUNCTIONS,
    "test_cdist_empty_seq[custom_scorer]": FUNCTIONS,
    "test_cpdist_empty_seq[WRatio]": FUNCTIONS,
    "test_cpdist_empty_seq[custom_scorer]": FUNCTIONS,
    "test_wrapped_function[ratio]": FUNCTIONS,
}


MODULES = {
    "levenshtein": Levenshtein,
    "indel": Indel,
    "lcs_seq": LCSseq,
    "hamming": Hamming,
    "osa": OSA,
    "jaro": Jaro,
    "jaro_winkler": JaroWinkler,
}
# Scorers of rapidfuzz, before they are replaced.
SCORERS = {
    (name, kind): [getattr(metrics_py, f"{name}_{kind}"), getattr(module, kind)]
    for name, module in MODULES.items()
    for kind in KINDS
}


class Unsupported(Exception):
    pass


def scorer_of(measure, kind, original):
    function = getattr(swath, kind)

    @functools.wraps(original)
    def scorer(
        s1,
        s2,
        *,
        processor=None,
        weights=(1, 1, 1),
        prefix_weight=0.1,
        pad=True,
        score_cutoff=None,
        score_hint=None,
    ):
        if tuple(weights) != (1, 1, 1):
            raise Unsupported(WEIGHTS)
        if prefix_weight != 0.1:
            raise Unsupported(PREFIX)
        if not pad and len(s1) != len(s2):
            raise Unsupported(PADDING)
        if processor is not None:
            s1, s2 = processor(s1), processor(s2)
        try:
            return function(s1, s2, scorer=measure, score_cutoff=score_cutoff)
        except NotImplementedError as error:
            raise Unsupported(HASHES) from error

    scorer._RF_Scorer = None
    scorer.options = {"scorer": measure, "kind": kind}
    return scorer


def unsupported(reason):
    def function(*args, **kwargs):
        raise Unsupported(reason)

    return function


def replace_scorers():
    modules = [metrics_cpp]
    try:
        from rapidfuzz.distance import metrics_cpp_avx2

        modules.append(metrics_cpp_avx2)
    except ImportError:
        pass
    for name, measure in MEASURES.items():
        for kind in KINDS:
            original = getattr(metrics_py, f"{name}_{kind}")
            for module in modules:
                setattr(module, f"{name}_{kind}", scorer_of(measure, kind, original))
        for operations in ("editops", "opcodes"):
            if hasattr(metrics_cpp, f"{name}_{operations}"):
                setattr(metrics_cpp, f"{name}_{operations}", unsupported(EDITOPS))


def options_of(scorer, scorer_kwargs):
    """Arguments of swath, and the factor of the scores."""
    if tuple((scorer_kwargs or {}).get("weights", (1, 1, 1))) != (1, 1, 1):
        raise Unsupported(WEIGHTS)
    if scorer is fuzz.ratio:
        return {"scorer": "indel", "kind": "normalized_similarity"}, 100
    if hasattr(scorer, "options"):
        return scorer.options, 1
    for (name, kind), scorers in SCORERS.items():
        if scorer in scorers:
            return {"scorer": MEASURES[name], "kind": kind}, 1
    raise Unsupported(FUNCTIONS)


def processed(processor, strings):
    if processor is None:
        return strings
    return [string if is_none(string) else processor(string) for string in strings]


def extract(
    query,
    choices,
    *,
    scorer=fuzz.ratio,
    processor=None,
    limit=5,
    score_cutoff=None,
    score_hint=None,
    scorer_kwargs=None,
):
    options, factor = options_of(scorer, scorer_kwargs)
    choices = dict(choices.items()) if hasattr(choices, "items") else dict(enumerate(choices))
    query, *values = processed(processor, [query, *choices.values()])
    found = swath.extract(
        query,
        dict(zip(choices, values)),
        limit=limit,
        score_cutoff=score_cutoff and score_cutoff / factor,
        **options,
    )
    return [(choices[key], score * factor, key) for _, score, key in found]


def extract_one(query, choices, **options):
    best = extract(query, choices, limit=1, **options)
    return best[0] if best else None


def extract_iter(query, choices, **options):
    yield from sorted(extract(query, choices, limit=None, **options), key=lambda found: found[2])


def matrix(function):
    def scores(
        queries,
        choices,
        *,
        scorer=fuzz.ratio,
        processor=None,
        score_cutoff=None,
        score_hint=None,
        score_multiplier=1,
        dtype=None,
        workers=1,
        scorer_kwargs=None,
    ):
        options, factor = options_of(scorer, scorer_kwargs)
        return function(
            processed(processor, queries),
            processed(processor, choices),
            score_cutoff=score_cutoff and score_cutoff / factor,
            score_multiplier=score_multiplier * factor,
            dtype=dtype,
            workers=workers,
            **options,
        )

    return scores


replace_scorers()
for function in (process_py.extract, process_py.extractOne, process_py.extract_iter):
    function.__kwdefaults__["scorer"] = fuzz.ratio
process_cpp.extract = extract
process_cpp.extractOne = extract_one
process_cpp.extract_iter = extract_iter
process_cpp.cdist = matrix(swath.cdist)
process_cpp.cpdist = matrix(swath.cpdist)


def pytest_collection_modifyitems(config, items):
    from tests.distance import common

    ours = (
        common.Hamming,
        common.Indel,
        common.Jaro,
        common.JaroWinkler,
        common.LCSseq,
        common.Levenshtein,
        common.OSA,
    )
    kept = []
    for item in items:
        scorer = getattr(item, "callspec", None) and item.callspec.params.get("scorer")
        if isinstance(scorer, common.GenericScorer) and scorer not in ours:
            continue  # A distance that swath does not have.
        kept.append(item)
        for name, reason in UNSUPPORTED.items():
            if item.nodeid.endswith(name) or item.nodeid.split("[")[0].endswith(name):
                item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
    items[:] = kept
