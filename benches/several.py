#!/usr/bin/env python3
"""Times lists, joins and searches on one device and on several that divide them.

    benches/several.py DEVICE DEVICE...      such as: cuda:0 cuda:all vulkan:0 vulkan:all cuda:0,vulkan:1

Prints the median of five runs from Python's lists to arrays, and how many times as fast as the first device each is. Answers are
compared with those of the first device.
"""

import statistics
import sys
import time

import numpy as np

import swath


def strings(rng, count, length, letters=b"ACGT"):
    codes = np.frombuffer(letters, np.uint8)[rng.integers(0, len(letters), count * length)]
    text = codes.tobytes().decode()
    return [text[at : at + length] for at in range(0, count * length, length)]


def median(call, runs=5):
    call()
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        answer = call()
        times.append(time.perf_counter() - started)
    return statistics.median(times), answer


def rows():
    """Names, calls on a device, and the arrays of an answer."""
    rng = np.random.default_rng(5)
    for length, dtype in ((1000, "uint16"), (60, "uint8")):
        first, second = strings(rng, 8192, length), strings(rng, 8192, length)
        yield (
            f"8,192 x 8,192 of {length}",
            lambda device, first=first, second=second, dtype=dtype: swath.cdist(first, second, device=device, dtype=dtype),
            lambda matrix: [matrix],
        )
    letters = strings(rng, 20_000, 12, b"abcdefghijklmnopqrstuvwxyz")
    words = [word[: 3 + index % 10] for index, word in enumerate(letters)]
    yield (
        "20,000 x 20,000 words",
        lambda device: swath.cdist(words, words[::-1], device=device, dtype="uint8"),
        lambda matrix: [matrix],
    )
    yield "pairs of 20,000 words, k = 2", lambda device: swath.pairs(words, k=2, device=device), list
    long = strings(rng, 400, 20_000)
    near = [text[:9_000] + "A" + text[9_001:] for text in long]
    yield (
        "400 x 400 of 20,000, similar",
        lambda device: swath.cdist([*long[:200], *near[:200]], near, device=device),
        lambda matrix: [matrix],
    )
    reads = strings(rng, 1_000_000, 150)
    reads += [read[:70] + "A" + read[71:] for read in reads]
    yield "join, 2 M reads of 150, k = 5", lambda device: swath.neighbors(reads, k=5, device=device), list
    guides, texts = strings(rng, 312, 20), strings(rng, 20, 20_000_000)
    yield (
        "search, 312 guides of 20 in 400 M letters, k = 4",
        lambda device: swath.search(guides, texts, k=4, device=device),
        lambda places: [places.text, places.start, places.end, places.cost],
    )


def main():
    devices = sys.argv[1:]
    for name, call, arrays in rows():
        base = None
        for device in devices:
            seconds, answer = median(lambda: call(device))
            base = base or (seconds, arrays(answer))
            equal = all(map(np.array_equal, base[1], arrays(answer)))
            assert equal, f"{name}: {device} differs"
            print(f"{name:50} {device:18} {seconds * 1e3:9.1f} ms  {base[0] / seconds:5.2f}x", flush=True)


if __name__ == "__main__":
    main()
