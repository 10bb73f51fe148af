#!/usr/bin/env python3
"""Times the Python package beside rapidfuzz, edlib, jiwer and StringZilla, those of them that are installed.

    benches/python.py [--device DEVICE] [NAME ...]     rows whose names contain a NAME; all of them by default

Prints the median of some runs. Answers are compared first. A DEVICE such as cuda:all is several that divide the work.
"""

import argparse
import importlib
import random
import statistics
import sys
import time

import numpy as np

import swath


def peer(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


edlib, jiwer, stringzillas = map(peer, ("edlib", "jiwer", "stringzillas"))
rapidfuzz = peer("rapidfuzz")
if rapidfuzz:
    from rapidfuzz import fuzz, process
    from rapidfuzz.distance import OSA, Hamming, JaroWinkler, Levenshtein


def has_gpu():
    try:
        return bool(stringzillas and stringzillas.DeviceScope(gpu_device=0))
    except RuntimeError:
        return False


PEERS = {"rapidfuzz": rapidfuzz, "edlib": edlib, "jiwer": jiwer, "StringZilla": has_gpu(), "the CPU": True}


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


def copied(count, shortest, longest, letters, copies, rate):
    """Random strings, each copied some times with errors at this rate, in any order."""
    rng, letters = np.random.default_rng(5), np.frombuffer(letters.encode(), np.uint8)
    strings = np.repeat(letters[rng.integers(0, len(letters), (count // copies, longest))], copies, axis=0)
    wrong = rng.random(strings.shape) < rate
    strings[wrong] = letters[rng.integers(0, len(letters), wrong.sum())]
    ends = np.repeat(rng.integers(shortest, longest + 1, count // copies), copies)
    return [strings[at, : ends[at]].tobytes().decode() for at in rng.permutation(len(strings))]


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
    """Names, calls of swath, and calls of peers by name. A caller makes the calls before it takes the next row."""
    rng = random.Random(1)
    a, random_read = text(rng, 150), text(rng, 150)
    near = list(a)
    for place in rng.sample(range(150), 8):
        near[place] = rng.choice("ACGT")
    for name, b in (("random", random_read), ("5 % apart", "".join(near))):
        peers = {"rapidfuzz": lambda: Levenshtein.distance(a, b), "edlib": lambda: edlib.align(a, b)["editDistance"]}
        yield f"distance, two reads of 150, {name}", lambda: swath.distance(a, b), peers

    def cdist(first, second, function, **options):
        return lambda: process.cdist(first, second, scorer=function(), **options)

    queries, choices = words(rng, 2000), words(rng, 2000)
    peers = {"rapidfuzz": cdist(queries, choices, lambda: Levenshtein.distance, workers=1)}
    for dtype in ("uint32", "uint8"):
        name = f"cdist, 2,000 x 2,000 words, one worker, {dtype}"
        yield name, lambda: swath.cdist(queries, choices, workers=1, device="cpu", dtype=dtype), peers

    many, other = words(rng, 20_000), words(rng, 20_000)
    for scorer, function in (
        ("hamming", lambda: Hamming.distance),
        ("osa", lambda: OSA.distance),
        ("jaro-winkler", lambda: JaroWinkler.similarity),
    ):
        options = {"scorer": scorer, "kind": "similarity" if scorer == "jaro-winkler" else "distance"}
        peers = {"rapidfuzz": cdist(queries, choices, function, workers=1)}
        name = f"{scorer}, 2,000 x 2,000 words, one worker"
        yield name, lambda: swath.cdist(queries, choices, workers=1, device="cpu", **options), peers
        for dtype in ("float32",) if scorer == "jaro-winkler" else ("uint32", "uint8"):
            peers = {"rapidfuzz, all workers": cdist(many, other, function, dtype=np.dtype(dtype), workers=-1)}
            name = f"{scorer}, 20,000 x 20,000 words, {device}, {dtype}"
            yield name, lambda: swath.cdist(many, other, device=device, dtype=dtype, **options), peers

    names = companies(rng, 5000), companies(rng, 5000)
    for scorer in ("ratio", "partial_ratio", "token_sort_ratio", "token_set_ratio"):
        count = 5000 if scorer == "token_set_ratio" else 2000
        lists = [strings[:count] for strings in names]
        peers = {"rapidfuzz": cdist(*lists, lambda: getattr(fuzz, scorer), workers=1)}
        name = f"{scorer}, {count:,} x {count:,} company names, one worker"
        yield name, lambda: swath.cdist(*lists, scorer=scorer, workers=1, device="cpu"), peers

    for name, strings in (
        ("8,192 x 8,192 of 1,000", [text(rng, 1000) for _ in range(2 * 8192)]),
        ("8,192 x 8,192 of 60", [text(rng, 60) for _ in range(2 * 8192)]),
        ("20,000 x 20,000 words", words(rng, 40_000)),
    ):
        first, second = strings[: len(strings) // 2], strings[len(strings) // 2 :]
        peers = {}
        if PEERS["StringZilla"]:
            sz = importlib.import_module("stringzilla")
            engine = stringzillas.LevenshteinDistances(capabilities=stringzillas.DeviceScope(gpu_device=0))
            peers["StringZilla"] = lambda: engine(sz.Strs(first), sz.Strs(second))
        for dtype in ("uint32", "uint16" if "1,000" in name else "uint8"):
            yield f"lists, {name}, {device}, {dtype}", lambda: swath.cdist(first, second, device=device, dtype=dtype), peers

    for name, k, inputs in (
        ("1 M amino acids of 12 to 18, 5 % errors", 2, (1_000_000, 12, 18, "ACDEFGHIKLMNPQRSTVWY", 2, 0.05)),
        ("2 M barcodes of 16, 2 % errors", 2, (2_000_000, 16, 16, "ACGT", 20, 0.02)),
        ("1 M reads of 150, 1 % errors", 5, (1_000_000, 150, 150, "ACGT", 4, 0.01)),
    ):
        strings = copied(*inputs)
        call = lambda device: np.stack(list(swath.neighbors(strings, k=k, device=device)))
        yield f"join of {name}, k = {k}, {device}", lambda: call(device), {"the CPU": lambda: call("cpu")}
    whitelist = copied(1_000_000, 16, 16, "ACGT", 1, 0)
    reads = copied(1_000_000, 16, 16, "ACGT", 1, 0.05)
    for kind, columns in (("a list", whitelist), ("Choices", swath.Choices(whitelist))):
        for count in (1, 10_000):
            call = lambda device: np.stack(list(swath.neighbors(reads[:count], columns, k=2, device=device)))
            name = f"{count:,} barcodes in 1 M of them, {kind}, k = 2, {device}"
            yield name, lambda: call(device), {"the CPU": lambda: call("cpu")}
    guides, genome = [text(rng, 20) for _ in range(300)], [text(rng, 10_000_000)]
    for name, call in (
        ("pairs of 20,000 words, k = 2", lambda device: np.stack(list(swath.pairs(many, k=2, device=device)))),
        ("search of 300 guides in 10 M letters, k = 4", lambda device: swath.search(guides, genome, k=4, device=device).end),
    ):
        yield f"{name}, {device}", lambda: call(device), {"the CPU": lambda: call("cpu")}

    vocabulary = words(rng, 5000)
    sentences = [rng.choices(vocabulary, k=rng.randint(8, 25)) for _ in range(100_000)]
    references = [" ".join(sentence) for sentence in sentences]
    # A word in ten is another one or two others.
    wrong = lambda word: word if rng.random() > 0.1 else " ".join(rng.choices(vocabulary, k=rng.randint(1, 2)))
    hypotheses = [" ".join(map(wrong, sentence)) for sentence in sentences]

    def errors():
        found = jiwer.process_words(references, hypotheses)
        return found.substitutions + found.deletions + found.insertions

    for workers, name in ((1, "one worker"), (-1, "all workers")):
        name = f"counts, 100,000 sentence pairs, {name}"
        yield name, lambda: int(swath.counts(references, hypotheses, workers=workers).errors.sum()), {"jiwer": errors}

    # One in twenty is not ASCII.
    names = companies(rng, 50_000)
    names[::20] = [name.replace("o", "\u00f6") + "\u0142" for name in names[::20]]
    query, best = names[777], lambda found: [choice[1:] for choice in found]
    for scorer, function in (("edit", lambda: Levenshtein.distance), ("ratio", lambda: fuzz.ratio)):
        peers = {"rapidfuzz": lambda: best(process.extract(query, names, scorer=function()))}
        for kind, choices in (("a list", names), ("Choices", swath.Choices(names))):
            name = f"extract, {scorer}, one of 50,000 company names, {kind}"
            yield name, lambda: best(swath.extract(query, choices, scorer=scorer, workers=1, device="cpu")), peers


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

    for name, call, peers in rows(arguments.device):
        if not wanted(name):
            continue
        expected = call()
        cells = [f"swath {formatted(median(call))}"]
        for peer_name, peer_call in peers.items():
            if PEERS[peer_name.split(",")[0]]:
                assert np.allclose(peer_call(), expected, rtol=1e-6), f"{peer_name} has another answer"
                cells.append(f"{peer_name} {formatted(median(peer_call))}")
        print(f"{name:60}", *cells, sep="  ", flush=True)
    unknown = [name for name in arguments.names if name not in printed]
    if unknown:
        sys.exit(f"no row has a name with {', '.join(unknown)}")


if __name__ == "__main__":
    main()
