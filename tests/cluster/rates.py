"""How fast a cluster is: ``python -m tests.cluster.rates --nodes 2 4``.

For each number it starts that many nodes on this machine. It prints how many jobs the scheduler takes, and how
long the workflow takes for runs of known seconds, beside what ``bench.measure.nodes`` simulates.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from structbench.bench.measure import nodes
from tests.cluster import slurm, work
from tests.workflow.conftest import Checkout, copy_project

SUBMITTERS = 2  # as the executor has
JOBS = 200
A_BATCH, SECONDS = 2, 5.0  # runs, and seconds of each
RESTS = '''"""Rest: a run of known seconds."""

import time

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.structures import interface as parts


@algorithm(loss="any", needs=("parts",), random=False, threads=False)
def solve(problem, objective, rng, *, seconds: float = 1.0, number: int = 0):
    """Rest for this many seconds."""
    w = np.zeros(parts.num_weights(objective.split))
    yield Iterate(w, 0)
    time.sleep(seconds)
    yield Iterate(w, parts.num_examples(objective.split))
'''


def scheduler(cluster: slurm.Slurm) -> float:
    """Submit many jobs that do nothing, as the executor does, and wait until they are over; seconds of one."""
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
    print(f"empty jobs that these nodes get done: {JOBS / (time.monotonic() - started):.1f} a second")
    looked = time.monotonic()
    cluster.jobs()
    print(f"one look at the queue with {JOBS} jobs: {time.monotonic() - looked:.3f} s")
    return taken / JOBS


def workflow(cluster: slurm.Slurm, folder: Path, jobs: int, submit: float) -> None:
    """Make runs of known seconds, in this many SLURM jobs."""
    checkout = Checkout(copy_project(folder))
    own = folder / "mine" / "algorithms"
    own.mkdir(parents=True)
    (own / "rests.py").write_text(RESTS)
    runs = jobs * work.A_JOB * A_BATCH
    grid = {
        "name": "rests",
        "data": ["synthetic:sequences=100"],
        "C": [10],
        "algorithms": {"rests": {"seconds": [SECONDS], "number": [*range(runs)]}},
        "passes": 1,
        "figures": ["gap-passes"],
    }
    work.give(checkout, grid, A_BATCH, {"with": str(folder / "mine")})
    began, earlier = time.time(), len(cluster.jobs())
    code, said = checkout.run("snakemake", *work.OPTIONS)
    over = time.time() - began
    if code:
        sys.exit(said)
    made = max(checkout.runs().values()) / 1e9 - began
    found = _times()[earlier:]
    besides = sum(end - start for _, start, end in found) / len(found) - work.A_JOB * A_BATCH * SECONDS
    print(f"{runs} runs of {SECONDS:g} s in {len(found)} jobs; a job takes {besides:.1f} s besides its runs")
    costs = nodes.Costs(found[0][0] - began, submit, besides, 0.0, 0.0, 0.0)
    simulated = nodes.simulate(
        [[[SECONDS] * A_BATCH] * work.A_JOB] * jobs, len(cluster.nodes), costs, nodes.queue()
    )
    print(f"all are made after {made:.0f} s, simulated {simulated.made:.0f} s; the workflow takes {over:.0f} s")


def _times() -> list[tuple[float, float, float]]:
    """When each job was submitted, began and ended, in seconds since 1970, by its id."""
    said = subprocess.run(["scontrol", "show", "job"], check=True, capture_output=True, text=True).stdout

    def read(name: str) -> list[float]:
        return [datetime.fromisoformat(when).timestamp() for when in re.findall(rf"\b{name}=([-\dT:]+)", said)]

    return sorted(zip(read("SubmitTime"), read("StartTime"), read("EndTime"), strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--jobs", type=int, default=6, help="of the workflow")
    given = parser.parse_args()
    if why := slurm.missing():
        sys.exit(why)
    for count in given.nodes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "slurm").mkdir()
            print(f"{count} nodes", flush=True)
            with slurm.running(folder / "slurm", count) as cluster:
                workflow(cluster, folder / "structbench", given.jobs, scheduler(cluster))


if __name__ == "__main__":
    main()
