"""How many runs an hour N nodes make: a simulation of the workflow on SLURM, and a measurement here.

    .venv/bin/python -m tests.cluster.nodes                     # the table of docs/how-to/clusters.md
    .venv/bin/python -m tests.cluster.nodes --measure 2 4       # clusters of two and of four nodes here

Measured runs sleep, so several nodes on this machine do not disturb each other.
"""

import argparse
import heapq
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.cluster import slurm
from tests.workflow.conftest import Checkout, copy_project

SLEEPER = '''"""Sleeps: a run that takes time and no processor."""

import time

import numpy as np

from structbench.algorithms.learning.declaration import Promises, algorithm
from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.structures import interface as parts


@algorithm(loss="smooth", needs=("parts",), random=False, threads=False, promises=Promises(linear=False))
def solve(problem, objective, rng, *, seconds: float = 1.0):
    """Sleep for so many seconds a pass."""
    w, n = np.zeros(parts.num_weights(objective.split)), parts.num_examples(objective.split)
    for passes in range(10**6):
        yield Iterate(w, n * passes)
        time.sleep(seconds)
'''


@dataclass(frozen=True)
class Costs:
    """What a workflow costs besides its runs, in seconds.

    Attributes:
        plan: Snakemake's start on the head node.
        submit: Of a SLURM job, one after another.
        job: Of a SLURM job besides its batches: its start, and Snakemake's start in it, twice.
        batch: Of a batch besides its runs.
        look, longer: Until the first look for finished jobs, and how much later each next look in vain is.
        logged: Of a run, by the one collector at the end. last: Of all else at the end.
    """

    plan: float = 10.0
    submit: float = 0.02
    job: float = 8.5
    batch: float = 2.6
    look: float = 20.0
    longer: float = 10.0
    logged: float = 1 / 5.6
    last: float = 30.0


def simulated(
    runs: int, nodes: int, each: float, a_batch: int, batches: int, costs: Costs, most: int = 100
) -> dict:
    """Seconds until all runs are made, and until all is done.

    Args:
        each: Seconds of a run. a_batch: Runs in a batch. batches: Those that share a SLURM job.
        most: Jobs in the queue at once.
    """
    a_job = a_batch * batches
    left = [a_job] * (runs // a_job) + ([runs % a_job] if runs % a_job else [])
    free = [0.0] * nodes  # when each node is free
    now, pause, queued = costs.plan, costs.look, []  # queued: the ends of jobs that Snakemake waits for
    made = 0.0
    while left or queued:
        while left and len(queued) < most:
            size = left.pop()
            now += costs.submit
            begin = max(now, heapq.heappop(free))
            end = begin + costs.job - (-size // a_batch) * costs.batch + size * each
            heapq.heappush(free, end)
            heapq.heappush(queued, end)
            made = max(made, end)
        now += pause
        ended = len(queued)
        while queued and queued[0] <= now:
            heapq.heappop(queued)
        pause = costs.look if len(queued) < ended else pause + costs.longer
    return {"made": made, "done": now + costs.logged * runs + costs.last}


def table(costs: Costs) -> None:
    """Print how many runs an hour nodes make."""
    print("| nodes | runs of 5 s | runs of 30 s | runs of 300 s |\n|---|---|---|---|")
    for nodes in (1, 2, 4, 10, 30, 100, 300):
        cells = []
        for each, a_batch in ((5.0, 6), (30.0, 1), (300.0, 1)):
            runs = max(1000, 200 * nodes)
            found = simulated(runs, nodes, each, a_batch, 16, costs, max(100, nodes))
            cells.append(f"{3600 * runs / found['made']:,.0f} ({3600 * runs / found['done']:,.0f})")
        print(f"| {nodes} | {' | '.join(cells)} |")


def measure(nodes: int, seconds: float = 4.0, jobs_a_node: int = 2) -> None:
    """A workflow of sleeping runs, four to a SLURM job, and the same simulated."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        place.chmod(0o755)
        checkout = Checkout(copy_project(place / "structbench"))
        (place / "own" / "algorithms").mkdir(parents=True)
        (place / "own" / "algorithms" / "sleeper.py").write_text(SLEEPER)
        runs = 4 * nodes * jobs_a_node
        grid = {"name": "mine", "data": ["toy-points"], "C": [*range(1, runs + 1)], "passes": 10, "gap": 0,
                "algorithms": {"sleeper": {"seconds": [seconds / 10]}}, "figures": ["gap-passes"]}  # fmt: skip
        config = {"scale": "tiny", "with": [str(place / "own")], "figures": [], "grids": [grid]}
        (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(config))
        (place / "slurm").mkdir()
        with slurm.running(place / "slurm", nodes):
            started = time.time()
            words = ("snakemake", "--profile", "workflow/profiles/slurm", "--configfile", "config/mine.yaml")
            code, said = checkout.run(*words, "--until", "batch")
            took = time.time() - started
            if code:
                sys.exit(said)
        last = max(when for when in checkout.runs().values()) / 1e9 - started
        batches = len(list((checkout.folder / "results" / "batches").glob("*.json")))
        print(
            f"{nodes} nodes, {runs} runs of {seconds:g} s in {batches} batches: {last:.0f} s, in all {took:.0f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", nargs="+", type=int, default=[], metavar="NODES")
    given = parser.parse_args()
    if given.measure and (why := slurm.missing()):
        sys.exit(why)
    for nodes in given.measure:
        measure(nodes)
    if not given.measure:
        table(Costs())


if __name__ == "__main__":
    main()
