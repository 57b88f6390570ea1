"""What a SLURM job costs beside its runs, and how many the scheduler takes: ``python -m tests.cluster.rates``.

It starts the two nodes of the tests on this machine, and prints the numbers of docs/clusters.md.
"""

import json
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
JOBS = 200
SECONDS = 15.0  # of each of 16 runs
LONG = 30.0  # seconds of a run that must not cost much more
LOOK = 2.0  # seconds between two looks at the processes


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


def overhead(cluster: slurm.Slurm, folder: Path) -> None:
    """A SLURM job of 16 batches of one run each: its CPU seconds beside those of the algorithms."""
    checkout = Checkout(copy_project(folder / "structbench"))
    grid = {
        "name": "rates",
        "data": ["synthetic:sequences=100"],
        "C": [1, 3, 10, 30],
        "algorithms": {"eg": {}, "sdca": {}, "sgd": {}, "sag": {}},
        "passes": 1e9,
        "gap": 0,
        "seconds": SECONDS,
    }
    config = {"scale": "tiny", "figures": [], "grids": [grid]}
    (checkout.folder / "config" / "rates.yaml").write_text(json.dumps(config))
    words = ["--profile", "workflow/profiles/slurm", "--configfile", "config/rates.yaml", "--until", "batch"]
    before = len(cluster.jobs())
    spent = 0.0
    with checkout.running(sys.executable, "-m", "snakemake", *words) as workflow:
        while workflow.poll() is None:
            spent = max(spent, *map(cluster.cpu_seconds, cluster.nodes))
            time.sleep(LOOK)
        assert workflow.returncode == 0 and len(cluster.jobs()) == before + 1, workflow.communicate()[0]
    summaries = [run.summary for run in store.all_runs(checkout.folder / "results" / "runs")]
    own = sum(summary["cpu_seconds"] for summary in summaries)
    wall = sum(summary["wall_seconds"] for summary in summaries) / len(summaries)
    each = (spent - own) / len(summaries)
    print(f"a SLURM job of {len(summaries)} runs of {wall:.1f} s: {spent:.0f} CPU s, the algorithms' {own:.0f}")
    print(f"beside its algorithm, a run costs {each:.2f} CPU s: {100 * each / LONG:.1f} % of {LONG:g} s")


def main() -> None:
    if why := slurm.missing():
        sys.exit(why)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "slurm").mkdir()
        with slurm.running(Path(folder) / "slurm") as cluster:
            scheduler(cluster)
            overhead(cluster, Path(folder))


if __name__ == "__main__":
    main()
