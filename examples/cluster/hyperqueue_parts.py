"""Computes the parts of `swath pairs` or `swath neighbors` that are missing, by HyperQueue on this machine, and joins them.

python hyperqueue_parts.py PARTS OUTPUT swath pairs|neighbors ... (the command without --shard and --output)

Needs `pip install hyperqueue`. A part is a file in OUTPUT.parts, which swath puts there in one step when it is complete. Run the program
again after any failure: it computes the parts that have no file.
"""

import os
import subprocess
import sys
from pathlib import Path

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig


def missing(folder, parts):
    return [part for part in range(parts) if not (folder / f"{part}").exists()]


def compute(command, folder, parts):
    folder.mkdir(exist_ok=True)
    # A failed part does not end the others.
    job = Job(default_workdir=Path.cwd(), max_fails=None)
    todo = missing(folder, parts)
    for part in todo:
        arguments = ["--shard", f"{part}/{parts}", "--output", str(folder / f"{part}")]
        job.program([*command, *arguments], stdout=None, stderr=str(folder / f"{part}.log"))
    if not todo:
        return
    with LocalCluster(worker_config=WorkerConfig(cores=os.cpu_count())) as cluster:
        client = cluster.client()
        client.wait_for_jobs([client.submit(job)], raise_on_error=False)


def main(parts, output, *command):
    folder, parts = Path(f"{output}.parts"), int(parts)
    compute(command, folder, parts)
    left = missing(folder, parts)
    if left:
        sys.exit(f"parts {left} failed; their messages are in {folder}; run this again")
    files = [str(folder / f"{part}") for part in range(parts)]
    subprocess.run([command[0], "join", *files, "--output", output], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
