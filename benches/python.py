#!/usr/bin/env python3
"""Times the Python package beside rapidfuzz, edlib, jiwer and StringZilla, those of them that are installed.

    benches/python.py [--device DEVICE] [NAME ...]     rows whose names contain a NAME; all of them by default

Prints the median of some runs. Answers are compared first.
"""

import argparse
import importlib
import random
import statistics
import subprocess
import sys
import time

import numpy as np

import swath


def peer(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def has_gpu(stringzilla):
    try:
        return bool(stringzilla.DeviceScope(gpu_device=0))
    except RuntimeError:
        return False


def text(rng, length, letters="ACGT"):
    return "".join(rng.choices(letters, k=length))


def words(rng, count, letters="abcdefghijklmnopqrstuvwxyz"):
    return [text(rng, rng.randint(3, 14), letters) for _ in range(count)]


def companies(rng, count):
    """Two or three made up words, some of them of a few hundred, and often a usual last one."""
    vocabulary = [word.capitalize() for word in words(rng, 400)]
    ends = ["Inc", "Ltd", "GmbH", "Corp", "& Co", "Holdings", "International", "Group"]

    def name():
        parts = rng.choices(vocabulary, k=rng.randint(1, 2)) + words(rng, 1)
        return " ".join(parts + rng.choices(ends, k=rng.randint(0, 2)))

    return [name() for _ in range(count)]


def corrupted(rng, tokens, vocabulary, rate=0.12):
    for token in tokens:
        event = rng.random() / rate
        if event < 0.6:
            yield rng.choice(vocabulary)
        elif event > 0.8:
            yield token
            if event < 1:
                yield rng.choice(vocabulary)


def median(call, seconds=2.0):
    """Median time of a call, repeated for some time."""
    call()
    started = time.perf_counter()
    call()
    once = time.perf_counter() - started
    repeats = max(int(0.02 / max(once, 1e-9)), 1)
    times, begun = [], time.perf_counter()
    while len(times) < 5 or (time.perf_counter() - begun < seconds and len(times) < 50):
        started = time.perf_counter()
        for _ in range(repeats):
            call()
        times.append((time.perf_counter() - started) / repeats)
    return statistics.median(times)


def formatted(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def rows(device):
    """Names, calls of swath, and calls of peers by name, with a function that compares the answers."""
    rng = random.Random(1)
    edlib, rapidfuzz, jiwer, stringzilla = map(peer, ("edlib", "rapidfuzz", "jiwer", "stringzillas"))
    if rapidfuzz:
        from rapidfuzz import fuzz, process
        from rapidfuzz.distance import OSA, Hamming, JaroWinkler, Levenshtein

    a, b = text(rng, 150), text(rng, 150)
    near = list(a)
    for place in rng.sample(range(150), 8):
        near[place] = rng.choice("ACGT")
    for name, b in (("random", b), ("5 % apart", "".join(near))):
        peers = {}
        if rapidfuzz:
            peers["rapidfuzz"] = lambda b=b: Levenshtein.distance(a, b)
        if edlib:
            peers["edlib"] = lambda b=b: edlib.align(a, b)["editDistance"]
        yield f"distance, two reads of 150, {name}", lambda b=b: swath.distance(a, b), peers

    queries, choices = words(rng, 2000), words(rng, 2000)
    peers = {}
    if rapidfuzz:
        peers["rapidfuzz"] = lambda: process.cdist(queries, choices, scorer=Levenshtein.distance, workers=1)
    for dtype in ("uint32", "uint8"):
        name = f"cdist, 2,000 x 2,000 words, one worker, {dtype}"
        yield name, lambda dtype=dtype: swath.cdist(queries, choices, workers=1, device="cpu", dtype=dtype), peers

    many, other = words(rng, 20_000), words(rng, 20_000)
    for scorer in ("hamming", "osa", "jaro-winkler"):
        options = {"scorer": scorer, "kind": "similarity" if scorer == "jaro-winkler" else "distance"}
        peers = {}
        if rapidfuzz:
            functions = {"hamming": Hamming.distance, "osa": OSA.distance, "jaro-winkler": JaroWinkler.similarity}
            function = functions[scorer]
            peers["rapidfuzz"] = lambda function=function: process.cdist(queries, choices, scorer=function, workers=1)
        yield (
            f"{scorer}, 2,000 x 2,000 words, one worker",
            lambda options=options: swath.cdist(queries, choices, workers=1, device="cpu", **options),
            peers,
        )
        for dtype in ("float32",) if scorer == "jaro-winkler" else ("uint32", "uint8"):
            options = options | {"dtype": dtype}
            if rapidfuzz:
                peers = {
                    "rapidfuzz, all workers": lambda function=function, dtype=dtype: process.cdist(
                        many, other, scorer=function, dtype=np.dtype(dtype), workers=-1
                    )
                }
            yield (
                f"{scorer}, 20,000 x 20,000 words, {device}, {dtype}",
                lambda options=options: swath.cdist(many, other, device=device, **options),
                peers,
            )

    names = companies(rng, 5000), companies(rng, 5000)
    for scorer in ("ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio"):
        count = 5000 if scorer == "token_set_ratio" else 2000
        lists = [list[:count] for list in names]
        peers = {}
        if rapidfuzz:
            function = getattr(fuzz, scorer)
            peers["rapidfuzz"] = lambda lists=lists, function=function: process.cdist(*lists, scorer=function, workers=1)
        yield (
            f"{scorer}, {count:,} x {count:,} company names, one worker",
            lambda lists=lists, scorer=scorer: swath.cdist(*lists, scorer=scorer, workers=1, device="cpu"),
            peers,
        )

    for name, strings in (
        ("8,192 x 8,192 of 60", [text(rng, 60) for _ in range(2 * 8192)]),
        ("20,000 x 20,000 words", words(rng, 40_000)),
    ):
        first, second = strings[: len(strings) // 2], strings[len(strings) // 2 :]
        peers = {}
        if stringzilla and has_gpu(stringzilla):
            sz = importlib.import_module("stringzilla")
            engine = stringzilla.LevenshteinDistances(capabilities=stringzilla.DeviceScope(gpu_device=0))
            peers["StringZilla"] = lambda: engine(sz.Strs(first), sz.Strs(second))
        for dtype in ("uint32", "uint8"):
            yield (
                f"lists, {name}, {device}, {dtype}",
                lambda first=first, second=second, dtype=dtype: swath.cdist(first, second, device=device, dtype=dtype),
                peers,
            )

    vocabulary = words(rng, 5000)
    references = [[rng.choice(vocabulary) for _ in range(rng.randint(8, 25))] for _ in range(100_000)]
    hypotheses = [" ".join(corrupted(rng, sentence, vocabulary)) for sentence in references]
    references = [" ".join(sentence) for sentence in references]
    peers = {}
    if jiwer:

        def errors():
            found = jiwer.process_words(references, hypotheses)
            return found.substitutions + found.deletions + found.insertions

        peers["jiwer"] = errors
    for workers in (1, -1):
        name = f"counts, 100,000 sentence pairs, {'one worker' if workers == 1 else 'all workers'}"
        yield name, lambda workers=workers: int(swath.counts(references, hypotheses, workers=workers).errors.sum()), peers

    # One in twenty is not ASCII.
    names = companies(rng, 50_000)
    names[::20] = [name.replace("o", "\u00f6") + "\u0142" for name in names[::20]]
    query, best = names[777], lambda found: [choice[1:] for choice in found]
    for scorer in ("edit", "ratio"):
        peers = {}
        if rapidfuzz:
            function = Levenshtein.distance if scorer == "edit" else fuzz.ratio
            peers["rapidfuzz"] = lambda function=function: best(process.extract(query, names, scorer=function))
        for kind, choices in (("a list", names), ("Choices", swath.Choices(names))):
            yield (
                f"extract, {scorer}, one of 50,000 company names, {kind}",
                lambda choices=choices, scorer=scorer: best(
                    swath.extract(query, choices, scorer=scorer, workers=1, device="cpu")
                ),
                peers,
            )


IMPORT = "import time"


def import_seconds(module):
    program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    times = [float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(9)]
    return statistics.median(times)


DASK = "Dask, cdist of 20,000 x 20,000 of 150, 4 processes against 1"


def dask_seconds(processes):
    """Time of a matrix by processes with one thread each, which have started before."""
    import distributed
    import swath.dask

    rng = random.Random(2)
    strings = [text(rng, 150) for _ in range(20_000)]
    with distributed.LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster):
            matrix = lambda strings: swath.dask.cdist(strings, strings, devices=["cpu"] * processes).sum().compute()
            matrix(strings[:2000])
            started = time.perf_counter()
            matrix(strings)
            return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--device", default="auto")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    printed = set()

    def wanted(name):
        parts = [part for part in arguments.names if part in name]
        printed.update(parts)
        return parts or not arguments.names

    if wanted(IMPORT):
        modules = [name for name in ("swath", "rapidfuzz.distance", "edlib", "jiwer") if peer(name)]
        cells = [f"{name} {formatted(import_seconds(name))}" for name in modules]
        print(f"{IMPORT:60}", *cells, sep="  ", flush=True)
    for name, call, peers in rows(arguments.device):
        if not wanted(name):
            continue
        expected = call()
        cells = [f"swath {formatted(median(call))}"]
        for peer_name, peer_call in peers.items():
            assert np.allclose(peer_call(), expected, rtol=1e-6), f"{peer_name} has another answer"
            cells.append(f"{peer_name} {formatted(median(peer_call))}")
        print(f"{name:60}", *cells, sep="  ", flush=True)
    if wanted(DASK) and peer("distributed"):
        four, one = dask_seconds(4), dask_seconds(1)
        print(f"{DASK:60}", formatted(four), formatted(one), f"{one / four:.2f}", sep="  ", flush=True)
    unknown = [name for name in arguments.names if name not in printed]
    if unknown:
        sys.exit(f"no row has a name with {', '.join(unknown)}")


if __name__ == "__main__":
    main()
