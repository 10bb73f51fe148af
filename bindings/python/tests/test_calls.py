"""Threads, processes, signals, progress, devices and imports."""

import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import swath


def run(program, **options):
    """A program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


LONG = "ACGTTGCA" * 40_000, "TTGACCAG" * 40_000


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
@pytest.mark.parametrize(
    "call",
    [
        "swath.distance(*long, device='cpu')",
        "swath.lcs(*long, device='cpu')",
        "swath.cdist(words, words, device='cpu')",
        "swath.pairs(words, k=1, device='cpu')",
        "swath.counts(texts, texts)",
        "swath.neighbors(words, k=40)",
        "swath.clusters(words, 40)",
        "swath.search(words, long, 20)",
    ],
)
def test_ctrl_c_ends_a_long_call(call):
    program = f"""
        import os, random, signal, threading, time
        import swath
        random.seed(1)
        long = ["".join(random.choices("ACGT", k=3_000_000)) for _ in range(2)]
        words = ["".join(random.choices("abcd", k=100)) for _ in range(60_000)]
        texts = [" ".join(random.choices("abcd", k=40)) for _ in range(20_000)] * 40
        started = time.monotonic()
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - started)
    """
    ended = run(program)
    assert ended.stdout.startswith("interrupted"), ended
    assert float(ended.stdout.split()[1]) < 10


def test_signal_handlers_and_callbacks_end_a_call_with_their_error():
    class Stop(Exception):
        pass

    def stop(fraction):
        raise Stop(fraction)

    with pytest.raises(Stop):
        swath.distance("a" * 3000, "b" * 3000) and swath.lcs(*LONG, device="cpu", progress=stop)


def test_progress_rises_to_one():
    words = ["".join("abcd"[(i * j) % 4] for j in range(60)) for i in range(3000)]
    for call in [
        lambda report: swath.lcs(*LONG, device="cpu", progress=report),
        lambda report: swath.cdist(words, words[:2000], device="cpu", progress=report),
        lambda report: swath.counts(["a b c"] * 5000, ["a c"] * 5000, progress=report),
        lambda report: swath.edit("abc", "abd", progress=report),
    ]:
        seen = []
        call(seen.append)
        assert seen[-1] == 1.0 and seen == sorted(seen)
    bar = run("import swath; swath.edit('abc', 'abd', progress=True); print('done')")
    assert bar.stdout == "done\n" and "100%" in bar.stderr


def test_progress_without_tqdm_is_silent():
    program = """
        import sys
        sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
        import swath
        swath.edit("abc", "abd", progress=True)
    """
    ended = run(program)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_other_threads_run_during_a_call():
    count, done = 0, threading.Event()

    def call():
        swath.lcs(*LONG, device="cpu")
        done.set()

    thread = threading.Thread(target=call)
    thread.start()
    while not done.wait(0.001):
        count += 1
    thread.join()
    assert count > 5


def test_calls_in_many_threads_agree(words):
    a, b = words(300, 40), words(200, 40)
    expected = swath.cdist(a, b)
    found = [None] * 8

    def call(index):
        found[index] = swath.cdist(a, b, workers=1 + index % 3)

    threads = [threading.Thread(target=call, args=(index,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for matrix in found:
        np.testing.assert_array_equal(matrix, expected)


def in_child(words):
    return swath.cdist(words, words, device="auto"), swath.lcs(*LONG).length


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_calls_in_child_processes(words, method):
    strings = words(400, 60)
    expected = in_child(strings)  # Threads and engines of the parent.
    with multiprocessing.get_context(method).Pool(2) as pool:
        for matrix, length in pool.map(in_child, [strings] * 4):
            np.testing.assert_array_equal(matrix, expected[0])
            assert length == expected[1]


def test_import_is_light():
    program = """
        import sys, time
        started = time.perf_counter()
        import swath
        seconds = time.perf_counter() - started
        assert swath.distance("kitten", "sitting") == 3
        swath.edit("GATTACA", "GCATGCT", device="auto")
        loaded = "".join(open("/proc/self/maps")) if sys.platform == "linux" else ""
        print(seconds, [name for name in ("libvulkan", "libcuda") if name in loaded])
    """
    seconds, loaded = run(program).stdout.split(" ", 1)
    assert float(seconds) < 0.1
    assert loaded == "[]\n"


def test_numpy_is_not_imported_with_the_package():
    program = "import sys, swath; swath.distance('a', 'b'); print('numpy' in sys.modules)"
    assert run(program).stdout == "False\n"


def test_a_small_pair_takes_microseconds():
    a, b = "ACGT" * 37, "AGCT" * 37
    swath.distance(a, b)
    best = min(timed(lambda: swath.distance(a, b)) for _ in range(50))
    assert best < 100e-6


def test_one_letter_does_not_slow_down_a_list(words):
    names = [word + "x" for word in words(100_000, 20, "abcdefgh")]
    other = [*names[:-1], "größe"]
    expected = swath.extract("abcdefgh", names, limit=3, device="cpu")

    def extract(choices):
        assert swath.extract("abcdefgh", choices, limit=3, device="cpu") == expected

    fastest = min(timed(lambda: extract(names)) for _ in range(5))
    assert min(timed(lambda: extract(other)) for _ in range(5)) < 2 * fastest


def timed(call):
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a message of Mesa on Linux")
@pytest.mark.parametrize("directory", [None, "relative", "/"])
def test_drivers_do_not_complain_about_the_environment(directory):
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("XDG_RUNTIME_DIR", "WAYLAND_DISPLAY", "DISPLAY")
    }
    if directory is not None:
        environment["XDG_RUNTIME_DIR"] = directory
    ended = run(
        """
        import os, swath
        try:
            print(swath.distance("kitten", "sitting", device="vulkan:0"))
        except swath.DeviceError:
            print("no device")
        print(os.environ.get("XDG_RUNTIME_DIR"))
        """,
        env=environment,
    )
    assert ended.stderr == ""
    answer, found = ended.stdout.splitlines()
    assert answer in ("3", "no device") and found == str(directory)


def test_errors_have_classes():
    assert issubclass(swath.InputError, ValueError)
    assert issubclass(swath.MemoryLimitError, MemoryError)
    for error in (swath.InputError, swath.DeviceError, swath.MemoryLimitError, swath.InternalError):
        assert issubclass(error, swath.Error)
    with pytest.raises(swath.DeviceError, match="no device matches 'nonesuch'"):
        swath.cdist(["a"], ["b"], device="nonesuch")
