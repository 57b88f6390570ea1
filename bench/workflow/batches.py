"""Group runs into batches, one for each workflow job, and estimate each job's time limit and memory.

A process costs a second to start, so short runs go together. A batch takes runs of one data set, with whatever
options, for about a minute. Runs whose seconds are read have batches of their own. These get the machine to
themselves, one after another, and so may be longer.

Only runs that are not finished are in a batch. A batch that has to be made has a journal of its own, which no
earlier job wrote. So Snakemake makes it, and finding out deletes nothing.
"""

import json
import os
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import count
from math import ceil
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.files import write_if_changed
from structbench.bench.runs import documents, problem_store, results
from structbench.bench.runs.spec import Spec
from structbench.bench.workflow import estimate, journal

BATCH_SECONDS, ALONE_BATCH_SECONDS = 60.0, 120.0  # of the runs of a batch; of one that runs alone
MAX_RUNS = 100  # at most in one
BASE_MEGABYTES, PROBLEM_COPIES = 2000, 12  # without data; chains took up to 12 times their problem
MAX_GROWTH = 4  # times what a job asks for at its first attempt
AGAIN_VARIABLE = "STRUCTBENCH_AGAIN"  # in the environment of jobs that make finished runs again
ATTEMPTS_VARIABLE = "STRUCTBENCH_ATTEMPTS"  # in the environment of jobs: how often a batch may be tried


class Job(NamedTuple):
    """What Snakemake needs to make a batch.

    Attributes:
        problem: The note of a problem.
        how: Options of ``bench batch``.
        minutes: Five, and five times what its runs are expected to take.
    """

    problem: str
    runs: list[str]
    how: str
    alone: bool
    threads: int
    minutes: int

    def minutes_for(self, attempt: int) -> int:
        """The time limit of a SLURM job that makes only this batch."""
        return min(attempt, MAX_GROWTH) * self.minutes

    def megabytes_for(self, attempt: int) -> int:
        """The memory that it asks a cluster for, by the bytes of its problem."""
        size = sum(file.stat().st_size for file in Path(self.problem).with_suffix("").glob("*")) / 1e6
        return min(attempt, MAX_GROWTH) * ceil(BASE_MEGABYTES + PROBLEM_COPIES * size)


@dataclass(frozen=True)
class Batch:
    """The runs of one job. The name says data set and algorithm, and changes with the runs.

    Attributes:
        alone: Its seconds are read, so nothing else may run meanwhile.
        memory: Its peak memory is read, and so measured, each in a run of its own.
    """

    name: str
    specs: tuple[Spec, ...]
    alone: bool
    memory: bool = False

    @cached_property
    def journal(self) -> Path:
        """The journal that its job is to write; there was no such file when this was first asked."""
        files = (results.batches() / f"{self.name}.{attempt}.journal" for attempt in count(1))
        return next(file for file in files if not file.exists())

    @property
    def options(self) -> str:
        """How ``bench batch`` is to make it."""
        paths = {f"{name}={path}" for spec in self.specs for name, path in spec.paths.items()}
        given = [shlex.quote(f"--path={each}") for each in sorted(paths)]
        return " ".join(["--alone"] * self.alone + ["--memory"] * self.memory + given)

    @property
    def job(self) -> Job:
        """Its job, with its largest problem. The others are of the same files: its runs build them."""
        largest, keys = max(self.specs, key=estimate.training_examples), [spec.key for spec in self.specs]
        minutes = 5 + ceil(5 * sum(map(estimate.seconds, self.specs)) / 60)
        note = str(problem_store.note(largest.data, largest.test))
        return Job(note, keys, self.options, self.alone, largest.threads, minutes)


def cut(specs: Iterable[Spec], timed: frozenset[Spec], measured: frozenset[Spec]) -> dict[str, Batch]:
    """Cut runs into batches, by name.

    Args:
        timed: The runs whose seconds are read.
        measured: The runs whose peak memory is read.
    """
    groups = defaultdict(list)
    for spec in specs:
        files = spec.data.name, spec.data.path, spec.test
        groups[files, spec.threads, spec in timed, spec in measured].append(spec)
    made = {}
    for (*_, alone, memory), members in groups.items():
        members.sort(key=lambda spec: (spec.algorithm, spec.data, spec.key))
        for piece in _pieces(members, ALONE_BATCH_SECONDS if alone else BATCH_SECONDS):
            made[_name(piece)] = Batch(_name(piece), tuple(piece), alone, memory)
    return made


def _name(specs: list[Spec]) -> str:
    digest = sha256("\n".join(spec.key for spec in specs).encode()).hexdigest()[:8]
    names = [specs[0].data.name, *dict.fromkeys(spec.algorithm for spec in specs)]
    return f"{'-'.join(names if len(names) < 3 else [*names[:2], 'to', names[-1]])}-{digest}"


def _pieces(specs: list[Spec], most: float) -> Iterator[list[Spec]]:
    """Cut runs into pieces, each with work for at most ``most`` seconds."""
    piece, seconds = [], 0.0
    for spec in specs:
        more = estimate.seconds(spec)
        if piece and (seconds + more > most or len(piece) == MAX_RUNS):
            yield piece
            piece, seconds = [], 0.0
        piece.append(spec)
        seconds += more
    if piece:
        yield piece


def is_again() -> bool:
    """Whether batches are to make finished runs again."""
    return bool(os.environ.get(AGAIN_VARIABLE))


def is_last(attempt: int) -> bool:
    """Whether the workflow tries no batch again after this attempt, of which the first is 1."""
    return attempt >= int(os.environ.get(ATTEMPTS_VARIABLE) or 1)


def jobs_file(config: str) -> Path:
    """The file of a config's jobs: on a cluster each of them reads it."""
    return results.root() / config / "batches.json"


def write_jobs(config: str, batches: dict[str, Batch]) -> None:
    """Write the jobs, each under the name of its batch."""
    write_if_changed(jobs_file(config), json.dumps({name: batch.job._asdict() for name, batch in batches.items()}))


def read_jobs(config: str) -> dict[str, Job]:
    """The jobs of the workflow that makes a config now; raises a UserError if they cannot be read."""
    shape = Job.__annotations__ | {"runs": [str]}
    found = documents.content(jobs_file(config), {str: shape}, "call the same command again")
    return {name: Job(**each) for name, each in found.items()}


def failures() -> dict[str, str]:
    """Run -> why it failed, of those that failed when a batch made them last."""
    found: dict[str, str] = {}
    for file in sorted(results.batches().glob("*.journal"), key=lambda file: file.stat().st_mtime):
        for key, line in journal.Journal(file).over.items():
            if line.what == journal.FAILED:
                found[key] = line.said
            else:
                found.pop(key, None)
    return found
