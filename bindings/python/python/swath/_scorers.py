"""Functions of rapidfuzz as scorers."""

import sys

from ._errors import InputError

KINDS = ("distance", "similarity", "normalized_distance", "normalized_similarity")
MEASURES = {
    "Levenshtein": "edit",
    "Indel": "indel",
    "LCSseq": "lcs",
    "Hamming": "hamming",
    "OSA": "osa",
    "Jaro": "jaro",
    "JaroWinkler": "jaro-winkler",
}
RATIOS = ("ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio")
SUPPORTED = (
    f"{', '.join(KINDS)} of {', '.join(MEASURES)} in rapidfuzz.distance; {', '.join(RATIOS)} in rapidfuzz.fuzz"
)


def _key(name):
    return name.replace("_", "").lower()


# Measure and kind of a function.
FUNCTIONS = {_key(name + kind): (measure, kind) for name, measure in MEASURES.items() for kind in KINDS}
FUNCTIONS |= {_key(name): (name, "similarity") for name in RATIOS}
# Measures of scorers with keyword arguments of rapidfuzz.
VARIANTS = {
    ("edit", "weights"): {(1, 1, 1): "edit", (1, 1, 2): "indel"},
    ("hamming", "pad"): {True: "hamming"},
    ("jaro-winkler", "prefix_weight"): {0.1: "jaro-winkler", 0: "jaro"},
}


def _of_function(function):
    """Measure and kind of a function of rapidfuzz.

    All compiled distances are named `distance`; only the attribute of their module tells them apart.
    """
    module = getattr(function, "__module__", None) or ""
    if callable(function) and module.startswith("rapidfuzz.") and module in sys.modules:
        stem = module.rpartition(".")[2].removesuffix("_py")
        names = [name for name, value in vars(sys.modules[module]).items() if value is function]
        for name in [*names, *(stem + name for name in names)]:
            if found := FUNCTIONS.get(_key(name)):
                return found
    raise InputError(f"the scorer {function!r} is not supported; give a name, or one of the functions {SUPPORTED}")


def resolve(scorer, scorer_kwargs=None):
    """Name of the measure, and the kind if the scorer is a function."""
    measure, kind = (scorer, None) if isinstance(scorer, str) else _of_function(scorer)
    for name, value in (scorer_kwargs or {}).items():
        variants = VARIANTS.get((measure.replace("_", "-"), name), {})
        key = tuple(value) if isinstance(value, list) else value
        if key not in variants:
            known = f"; supported: {', '.join(map(repr, variants))}" if variants else ""
            raise InputError(f"{name}={value!r} of the scorer {measure!r} is not supported{known}")
        measure = variants[key]
    return measure, kind
