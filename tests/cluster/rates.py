"""What a SLURM job costs beside its runs, and how many the scheduler takes: ``python -m tests.cluster.rates``.

It starts the two nodes of the tests on this machine, and prints the numbers of docs/clusters.md.
"""

import json
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.runs import store
from tests.cluster import slurm
from tests.workflow.conftest import Checkout, copy_project

SUBMITTERS = 2  # as the executor has
JOBS = 400
RUNS = 32  # in 4 batches: one SLURM job
SECONDS = 30.0  # of each


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
    print(f"empty jobs that two nodes of one CPU get done: {JOBS / (time.monotonic() - started):.1f} a second")
    looked = time.monotonic()
    cluster.jobs()
    print(f"one look at the queue with {JOBS} jobs: {time.monotonic() - looked:.3f} s")


def overhead(folder: Path) -> None:
    """A SLURM job of runs of half a minute each: its seconds, and those of its runs."""
    checkout = Checkout(copy_project(folder / "structbench"))
    grid = {
        "name": "half-a-minute",
        "data": ["synthetic:sequences=100"],
        "C": [1, 2, 3, 5, 10, 20, 30, 50],
        "algorithms": {"eg": {}, "sdca": {}, "sgd": {}, "sag": {}},
        "passes": 1e9,
        "gap": 0,
        "seconds": SECONDS,
    }
    config = {"scale": "tiny", "figures": [], "grids": [grid]}
    (checkout.folder / "config" / "half.yaml").write_text(json.dumps(config))
    words = ["--profile", "workflow/profiles/slurm", "--configfile", "config/half.yaml", "--until", "batch"]
    code, said = checkout.run(sys.executable, "-m", "snakemake", *words)
    assert code == 0, said
    jobs = subprocess.run(["scontrol", "show", "jobs"], capture_output=True, text=True, check=True).stdout
    ours = [job for job in jobs.split("\n\n") if "snakemake" in job or str(checkout.folder) in job]
    spent = sum(_seconds(job) for job in ours)
    runs = [run.summary["wall_seconds"] for run in store.all_runs(checkout.folder / "results" / "runs")]
    print(f"SLURM jobs: {len(ours)}, {spent:.0f} s; in them {len(runs)} runs of {sum(runs) / len(runs):.1f} s")
    print(f"overhead a run: {(spent - sum(runs)) / len(runs):.2f} s, {100 * (spent / sum(runs) - 1):.1f} %")


def _seconds(job: str) -> float:
    hours, minutes, seconds = re.search(r"RunTime=(\d+):(\d+):(\d+)", job).groups()
    return 3600 * int(hours) + 60 * int(minutes) + int(seconds)


def main() -> None:
    if why := slurm.missing():
        sys.exit(why)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "slurm").mkdir()
        with slurm.running(Path(folder) / "slurm") as cluster:
            scheduler(cluster)
            overhead(Path(folder))


if __name__ == "__main__":
    main()
