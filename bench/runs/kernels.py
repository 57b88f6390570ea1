"""The kernels that a run needs, those that this machine has yet to compile, and news while it compiles.

``kernels.csv`` lists each kernel with the seconds to compile it where the yardstick was measured. It says how many
functions numba compiles with it. It names who needs the kernel: the id of a structure or of an algorithm,
``algorithm@structure``, or ``*`` for all runs. ``python -m bench measure kernels`` writes the file. Nothing is
expected of a kernel that is not in it.
"""

import csv
import math
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from structbench import datasets
from structbench.algorithms.runtime import kernel_folder
from structbench.bench.runs import yardstick
from structbench.bench.runs.news import News, duration
from structbench.bench.runs.spec import Spec

FILE = Path(__file__).with_name("kernels.csv")
FIELDS = ("kernel", "functions", "seconds", "needed_by")
EVERY = "*"
PRIOR = 5.0  # seconds of compiling after which its own pace counts as much as the yardstick's


class Cost(NamedTuple):
    """What compiling a kernel costs, without the other kernels that it calls.

    functions: How many numba compiles, including the ones kept with this one. seconds: CPU seconds on the machine
    of the yardstick.
    """

    functions: int
    seconds: float
    needed_by: frozenset[str]


@cache
def known() -> dict[str, Cost]:
    """What is in the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            row["kernel"]: Cost(int(row["functions"]), float(row["seconds"]), frozenset(row["needed_by"].split()))
            for row in csv.DictReader(file)
        }


@cache
def needed(structure: str | None, algorithm: str) -> frozenset[str]:
    """The kernels of runs of an algorithm on a structure."""
    reasons = {EVERY, structure or "", algorithm, f"{algorithm}@{structure}"}
    return frozenset(name for name, cost in known().items() if reasons & cost.needed_by)


def of_run(spec: Spec) -> frozenset[str]:
    """The kernels of a run."""
    return needed(datasets.structure(spec.data), spec.algorithm)


def missing(specs: Iterable[Spec], there: set[str]) -> dict[Spec, set[str]]:
    """The kernels that each run has to compile: no run before it needs them, and they are not ``there`` yet."""
    there, found = set(there), {}
    for spec in specs:
        found[spec] = of_run(spec) - there
        there |= found[spec]
    return found


def seconds(names: Iterable[str]) -> float:
    """CPU seconds to compile these kernels on the machine of the yardstick."""
    return sum(known()[name].seconds for name in names if name in known())


class Compiling:
    """Says what a run compiles: ``compiling kernels for chain, once: 34 of about 60, about 20 s left``.

    Args:
        say: Is told as the first kernel is begun, and then every ``every`` seconds.
    """

    def __init__(self, spec: Spec, say: Callable[[str], None], every: float) -> None:
        self.spec, self.say, self.every = spec, say, every
        self.left: set[str] | None = None  # the kernels to come, once there are any
        self.total = self.count = 0  # functions
        self.expected = self.begun = self.said = 0.0

    def __call__(self, name: str, done: bool) -> None:
        """numba begins, or is done with, a function."""
        now = time.monotonic()
        if self.left is None:
            self.left = set(of_run(self.spec) - kernel_folder.compiled())
            self.total = sum(known()[each].functions for each in self.left)
            self.begun, self.said = now, -math.inf
        if done:
            self.count += 1
            self.expected += seconds({name} & self.left)
            self.left.discard(name)
        if now - self.said >= self.every:
            self.said = now
            self.say(News(self.line, compiling=True))

    @property
    def line(self) -> str:
        """How far compiling is."""
        structure = datasets.structure(self.spec.data)
        what = f"compiling kernels{f' for {structure}' if structure else ''}, once"
        if self.count >= self.total:
            return f"{what}: {self.count} so far"
        pace = (time.monotonic() - self.begun + PRIOR * yardstick.slowness()) / (self.expected + PRIOR)
        return f"{what}: {self.count} of about {self.total}, about {duration(pace * seconds(self.left))} left"

    def over(self) -> None:
        """The run begins: say what was compiled for it, once."""
        if self.count:
            took = time.monotonic() - self.begun
            self.say(News(f"compiled {self.count} kernels in {took:.0f} s; the next run finds them"))
            self.count = 0
