"""How fast a cluster is: ``python -m tests.cluster.rates --nodes 2 4``.

For each number it starts that many nodes on this machine. It prints how long the workflow takes for runs
of known seconds, beside what ``bench.measure.nodes`` simulates, and how many jobs the scheduler takes.
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
A_JOB, A_BATCH, SECONDS = 2, 2, 3.0  # batches, their runs, and seconds of each
RESTS = '''"""Rest: a run of known seconds."""

import time

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.structures import interface as parts

EXAMPLES = 50


@algorithm(loss="any", needs=("parts",), random=False)
def solve(problem, objective, rng, *, seconds: float = 1.0, number: int = 0):
    """Rest for this many seconds."""
    w = np.zeros(parts.num_weights(objective.split))
    yield Iterate(w, 0)
    n = parts.num_examples(objective.split)
    time.sleep(seconds if n >= EXAMPLES else 0)  # not while kernels are compiled on a few examples
    yield Iterate(w, n)
'''


def scheduler(cluster: slurm.Slurm) -> None:
    """Submit many jobs that do nothing, as the executor does, and look at the queue."""
    submit = ["sbatch", "--parsable", "--output=/dev/null", "--mem=100", "--wrap=true"]

    def one(_: int) -> None:
        subprocess.run(submit, check=True, capture_output=True)

    started = time.monotonic()
    with ThreadPoolExecutor(SUBMITTERS) as pool:
        list(pool.map(one, range(JOBS)))
    print(f"jobs that the scheduler takes: {JOBS / (time.monotonic() - started):.0f} a second")
    looked = time.monotonic()
    cluster.jobs()
    print(f"one look at the queue with {JOBS} jobs: {time.monotonic() - looked:.3f} s", flush=True)


def workflow(cluster: slurm.Slurm, folder: Path, jobs: int) -> None:
    """Make runs of known seconds, in this many SLURM jobs."""
    checkout = Checkout(copy_project(folder))
    own = folder / "mine" / "algorithms"
    own.mkdir(parents=True)
    (own / "rests.py").write_text(RESTS)
    runs = jobs * A_JOB * A_BATCH
    grid = {
        "name": "rests",
        "data": ["synthetic:sequences=1000"],
        "C": [10],
        "algorithms": {"rests": {"seconds": [SECONDS], "number": [*range(runs)]}},
        "passes": 1,
        "threads": 2,  # all that a node has
        "timed": False,  # timed batches would take turns, as all nodes are one machine
    }
    work.give(checkout, grid, A_BATCH, {"with": str(folder / "mine")})
    began = time.time()
    with checkout.running("snakemake", *work.OPTIONS, "--group-components", f"together={A_JOB}") as going:
        while len(checkout.runs()) < runs or {state for _, state in cluster.jobs()} != {"COMPLETED"}:
            if going.poll() is not None:
                sys.exit(going.communicate()[0])
            time.sleep(0.2)
    made = max(checkout.runs().values()) / 1e9 - began
    found = _times()
    besides = sum(end - start for _, start, end in found) / len(found) - A_JOB * A_BATCH * SECONDS
    print(f"{runs} runs of {SECONDS:g} s in {len(found)} jobs; a job takes {besides:.1f} s besides its runs")
    costs = nodes.Costs(found[0][0] - began, 0.0, besides, 0.0, 0.0, 0.0)
    simulated = nodes.simulate([[[SECONDS] * A_BATCH] * A_JOB] * jobs, len(cluster.nodes), costs, nodes.queue())
    print(f"all are made after {made:.0f} s, simulated {simulated.made:.0f} s", flush=True)


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
                workflow(cluster, folder / "structbench", given.jobs)
                scheduler(cluster)


if __name__ == "__main__":
    main()
