"""Runs the steps of tests/device.sh: see there."""

import argparse
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Processes that share the tests of the library on one interface.
SHARDS = 6


def stacks(process: int) -> str:
    """Stacks of all threads of a process, by the first debugger that is there."""
    for debugger in ("gdb", "cuda-gdb"):
        if shutil.which(debugger):
            arguments = [debugger, "-p", str(process), "-batch", "-nx", "-ex", "thread apply all backtrace 24"]
            try:
                found = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
                return found.stdout[-12_000:]
            except subprocess.TimeoutExpired:
                continue
    waits = []
    for thread in sorted(Path(f"/proc/{process}/task").iterdir()):
        name, wait = (thread / "comm").read_text().strip(), (thread / "wchan").read_text()
        waits.append(f"{thread.name} {name}: waits in {wait or 'nothing'}")
    return "no debugger (gdb) is there:\n" + "\n".join(waits)


def call(arguments: list[str], limit: float, environment: dict[str, str]) -> tuple[str | None, str]:
    """Runs a program. Returns what was wrong, or None, and its output."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            arguments, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=os.environ | environment, start_new_session=True,
        )
        wrong = None
        try:
            code = process.wait(limit)
            if code != 0:
                wrong = f"exit {code}"
        except subprocess.TimeoutExpired:
            wrong = f"no end after {limit:.0f} s; its threads:\n{stacks(process.pid)}"
            process.kill()
            process.wait()
        output.seek(0)
        return wrong, output.read()


class Run:
    """Results of a run."""

    def __init__(self, folder: Path, limit: float):
        self.folder = folder
        self.started = time.monotonic()
        self.limit = limit
        self.passed = 0
        self.failed: list[str] = []
        self.answers: dict[str, dict[str, str]] = {}

    def left(self) -> float:
        return self.limit - (time.monotonic() - self.started)

    def tell(self, name: str, device: str, wrong: str | None, seconds: float, more: str = "") -> None:
        if wrong is None:
            self.passed += 1
        else:
            self.failed.append(f"{name} on {device}")
        print(f"{name:<28} {device:<10} {seconds:7.2f} s  {'ok' if wrong is None else 'FAILED'} {more}", flush=True)
        if wrong is not None:
            print(wrong, flush=True)

    def step(self, name: str, device: str, limit: float) -> None:
        """One step of steps.py on one device."""
        started = time.monotonic()
        limit = min(limit, self.left())
        if limit < 1:
            self.tell(name, device, "no time was left", 0)
            return
        with tempfile.TemporaryDirectory() as inputs:
            environment = {
                "SWATH_DEVICE_FOLDER": str(self.folder), "PYTHONPATH": str(self.folder), "TMPDIR": inputs,
            }
            wrong, output = call([sys.executable, str(HERE / "steps.py"), name, device], limit, environment)
        last = output.rstrip().rpartition("\n")[2]
        more = ""
        if wrong is None:
            found = json.loads(last)
            self.answers.setdefault(name, {})[device] = found["answer"]
            more = found["told"]
        else:
            wrong += "\n" + output[-4000:]
        self.tell(name, device, wrong, time.monotonic() - started, more)

    def compare(self, name: str, stored: str | None) -> None:
        """Compares the answers of all devices with the CPU's or the stored one."""
        answers = self.answers.get(name, {})
        expected = answers.get("cpu", stored)
        for device, answer in answers.items():
            if answer != expected:
                self.failed.append(f"{name} on {device}: other answer")
                print(f"{name}: {device} answers {answer}, expected {expected}", flush=True)

    def tests(self, device: str, limit: float) -> None:
        """The tests of the library, shared out to processes."""
        environment = {
            "SWATH_TEST_DEVICE": device, "SWATH_REQUIRE_GPU_TESTS": "1", "RUST_TEST_THREADS": "1",
            "XDG_RUNTIME_DIR": "/tmp",
        }
        program = str(self.folder / "it")
        listed = subprocess.run([program, "--list", "--format", "terse"], capture_output=True, text=True, check=True)
        names = [line.removesuffix(": test") for line in listed.stdout.splitlines() if line.endswith(": test")]
        with concurrent.futures.ThreadPoolExecutor(SHARDS) as pool:
            def shard(number: int) -> tuple[float, str | None, str]:
                started = time.monotonic()
                arguments = [program, "--exact", *names[number::SHARDS]]
                wrong, output = call(arguments, min(limit, max(self.left(), 1)), environment)
                return time.monotonic() - started, wrong, output

            for number, (seconds, wrong, output) in enumerate(pool.map(shard, range(SHARDS))):
                last = output.rstrip().rpartition("\n")[2]
                self.tell(
                    f"it {number + 1}/{SHARDS}", device, wrong and f"{wrong}\n{output[-6000:]}", seconds,
                    last.partition(";")[0].removeprefix("test result: "),
                )


def main() -> int:
    sys.path.insert(0, str(HERE))
    import steps

    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--devices", default="cuda:0,vulkan:0")
    parser.add_argument("--only", default="", help="steps whose names contain this")
    parser.add_argument("--limit", type=float, default=360, help="seconds for everything")
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    devices = asked.devices.split(",")
    run = Run(folder, asked.limit)
    chosen = [step for step in steps.STEPS if asked.only in step.name]
    for step in chosen:
        if step.stored is None:
            run.step(step.name, "cpu", step.limit)
        for device in devices:
            run.step(step.name, device, step.limit)
        run.compare(step.name, step.stored)
    if asked.only in "it":
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda device: run.tests(device, 200), devices))
    for failed in run.failed:
        print(f"failed: {failed}")
    print(f"device.sh on {', '.join(devices)}: {time.monotonic() - run.started:.0f} s")
    print(f"{run.passed} passed, {len(run.failed)} failed")
    return min(len(run.failed), 1)


if __name__ == "__main__":
    sys.exit(main())
