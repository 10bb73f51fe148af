"""Matrices, pairs and neighbours on a cluster of processes, one of which is killed."""

import doctest
import os
import signal
import threading
import time

import numpy as np
import pytest
from rapidfuzz import fuzz
from rapidfuzz.distance import Indel

import swath

distributed = pytest.importorskip("distributed")
import swath.dask  # noqa: E402


def test_examples():
    assert doctest.testmod(swath.dask).failed == 0


@pytest.mark.parametrize("block_bytes", [1, 64, 1000, 1 << 20])
@pytest.mark.parametrize(
    "options",
    [{}, {"kind": "normalized_similarity"}, {"scorer": "jaro"}, {"scorer": Indel.similarity}, {"scorer": fuzz.ratio}],
)
def test_blocks_of_any_size_are_the_matrix(words, block_bytes, options):
    queries, choices = words(23), words(31)
    if block_bytes == 1:
        queries, choices = queries[:3], choices[:4]
    expected = swath.cdist(queries, choices, **options)
    matrix = swath.dask.cdist(queries, choices, **options, block_bytes=block_bytes)
    assert matrix.dtype == expected.dtype and matrix.shape == expected.shape
    np.testing.assert_array_equal(matrix.compute(scheduler="threads"), expected)
    assert swath.dask.cdist([], choices).compute().shape == (0, len(choices))


@pytest.mark.parametrize("parts", [1, 3, 50])
def test_parts_are_all_pairs(words, parts):
    a, b = words(40, 9), words(30, 9)
    for other in (None, b):
        expected = swath.pairs(a, other, k=2)
        found = swath.dask.pairs(a, other, k=2, parts=parts).compute(scheduler="threads")
        for name, column in expected._asdict().items():
            np.testing.assert_array_equal(found[name], column)


@pytest.mark.parametrize("parts", [1, 2, 7])
@pytest.mark.parametrize("strand", ["forward", "both"])
def test_parts_are_all_neighbors(words, parts, strand):
    a, b = words(60, 9, "ACGT"), words(40, 9, "ACGT")
    a[3] = None
    by, other_by = [index % 2 for index in range(60)], [index % 3 for index in range(40)]
    for other, keys in [(None, {}), (b, {}), (None, {"by": by}), (b, {"by": by, "other_by": other_by})]:
        options = {"k": 3, "strand": strand, **keys}
        expected = swath.neighbors(a, other, **options)
        assert len(expected.row) > 5
        found = swath.dask.neighbors(a, other, parts=parts, **options)
        assert list(found.columns) == list(expected._fields)
        found = found.compute(scheduler="threads")
        for name, column in expected._asdict().items():
            np.testing.assert_array_equal(found[name], column)


@pytest.fixture(scope="module")
def client():
    # Heartbeats tell of lost workers.
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def results_after_a_kill(client, compute):
    """What `compute` returns while one of the workers is killed."""
    workers = client.run(os.getpid)
    started = threading.Event()

    def kill():
        started.wait()
        while not any(client.processing().values()):
            time.sleep(0.005)
        time.sleep(0.2)
        os.kill(next(iter(workers.values())), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    started.set()
    computed = compute()
    killer.join()
    assert set(client.run(os.getpid).values()) != set(workers.values()), "no worker was killed"
    return computed


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_worker_loses_nothing(client, words):
    a, b = words(2500, 150, "ACGT"), words(2500, 150, "ACGT")
    matrix = swath.dask.cdist(a, b, block_bytes=400_000, dtype="uint16")
    matrix = results_after_a_kill(client, matrix.compute)
    np.testing.assert_array_equal(matrix, swath.cdist(a, b, dtype="uint16"))


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_worker_loses_no_neighbors(client, rng):
    a = ["".join(rng.choices("ACGT", k=16)) for _ in range(60_000)]
    found = results_after_a_kill(client, swath.dask.neighbors(a, k=2, parts=12).compute)
    expected = swath.neighbors(a, k=2)
    assert len(expected.row) > 100
    for name, column in expected._asdict().items():
        np.testing.assert_array_equal(found[name], column)


def test_blocks_run_on_the_device_of_their_worker(client, words):
    a, b = words(30), words(20)
    matrix = swath.dask.cdist(a, b, block_bytes=300, devices=["cpu", "cpu"])
    np.testing.assert_array_equal(matrix.compute(), swath.cdist(a, b))
    names = ["first", "second"]
    # One of them may have been killed.
    client.wait_for_workers(2)
    chosen = [
        client.submit(swath.dask._device, names, workers=[worker], pure=False).result()
        for worker in client.scheduler_info()["workers"]
    ]
    assert sorted(chosen) == names


def test_pairs_on_the_cluster(client, words):
    a = words(500, 12)
    found = swath.dask.pairs(a, k=2, parts=5).compute()
    expected = swath.pairs(a, k=2)
    np.testing.assert_array_equal(found[["row", "column"]].to_numpy().T, expected[:2])
