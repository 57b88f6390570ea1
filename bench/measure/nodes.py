"""How long a cluster takes for many runs: jobs of known seconds, and the measured seconds of all around them."""

import heapq
from collections.abc import Sequence
from typing import NamedTuple

from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.workflow import config_files

PROFILE = ROOT / "workflow" / "profiles" / "slurm" / "config.yaml"
LONGEST_LOOK = 180.0  # seconds between two looks at the queue: Snakemake's executor waits no longer
LATER = 10.0  # seconds that it adds after each look that found no job ended


class Costs(NamedTuple):
    """Seconds besides the runs.

    plan: Until the first job is submitted. submit: Of a submission. job: To start a SLURM job. batch: To start one
    of its batches. run: Of a run besides its algorithm. track: To log a run, after all are made.
    """

    plan: float
    submit: float
    job: float
    batch: float
    run: float
    track: float


class Queue(NamedTuple):
    """How the head node submits. most: Jobs in the queue at once. look: Seconds between two looks at it."""

    most: int
    look: float


def queue() -> Queue:
    """How the profile for SLURM has the head node submit."""
    profile = config_files.loaded(str(PROFILE))
    return Queue(profile["jobs"], profile["slurm-init-seconds-before-status-checks"])


def batches_of_job() -> int:
    """How many batches that are not timed share a job."""
    return config_files.loaded(str(PROFILE))["group-components"]["together"]


class Ended(NamedTuple):
    """Seconds since the start: when the last run is made, when the head node sees it, when all runs are logged."""

    made: float
    seen: float
    logged: float


def simulate(jobs: Sequence[Sequence[Sequence[float]]], nodes: int, costs: Costs, queue: Queue) -> Ended:
    """When SLURM jobs end on nodes that each take one at a time, in the order of their submission.

    Args:
        jobs: For each job the seconds of the runs of its batches.
    """
    runs = [sum(map(len, batches)) for batches in jobs]
    work = [
        costs.job + costs.batch * len(batches) + costs.run * count + sum(map(sum, batches))
        for batches, count in zip(jobs, runs, strict=True)
    ]
    free = [0.0] * nodes
    now, wait, waiting = costs.plan, queue.look, work[::-1]
    queued: list[float] = []  # when the jobs in the queue end
    made = 0.0
    while waiting or queued:
        count = min(len(waiting), queue.most - len(queued))
        for submitted in range(1, 1 + count):
            queued.append(max(now + submitted * costs.submit, heapq.heappop(free)) + waiting.pop())
            heapq.heappush(free, queued[-1])
        made = max(made, *queued)
        now += max(wait, count * costs.submit)
        left = [end for end in queued if end > now]
        wait = queue.look if len(left) < len(queued) else min(wait + LATER, LONGEST_LOOK)
        queued = left
    return Ended(made, now, now + costs.track * sum(runs))
