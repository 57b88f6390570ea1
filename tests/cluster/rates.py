"""How many jobs the scheduler takes: ``python -m tests.cluster.rates``.

It starts the two nodes of the tests on this machine, and prints the numbers of docs/how-to/clusters.md.
"""

import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.cluster import slurm

SUBMITTERS = 2  # as the executor has
JOBS = 200


def scheduler(cluster: slurm.Slurm) -> None:
    """Submit many jobs that do nothing, as the executor does, and wait until they are over."""
    submit = ["sbatch", "--parsable", "--output=/dev/null", "--mem=100", "--wrap=true"]

    def one(_: int) -> None:
        subprocess.run(submit, check=True, capture_output=True)

    started = time.monotonic()
    with ThreadPoolExecutor(SUBMITTERS) as pool:
        list(pool.map(one, range(JOBS)))
    taken = time.monotonic() - started
    print(f"jobs that the scheduler takes: {JOBS / taken:.0f} a second ({SUBMITTERS} submit at once)")
    while any(state in ("PENDING", "RUNNING", "COMPLETING") for _, state in cluster.jobs()):
        time.sleep(0.5)
    print(f"empty jobs that two nodes of two CPUs get done: {JOBS / (time.monotonic() - started):.1f} a second")
    looked = time.monotonic()
    cluster.jobs()
    print(f"one look at the queue with {JOBS} jobs: {time.monotonic() - looked:.3f} s")


def main() -> None:
    if why := slurm.missing():
        sys.exit(why)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "slurm").mkdir()
        with slurm.running(Path(folder) / "slurm") as cluster:
            scheduler(cluster)


if __name__ == "__main__":
    main()
