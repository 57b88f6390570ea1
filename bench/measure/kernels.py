"""Measure what each kernel costs to compile, and which runs need it: writes ``bench/runs/kernels.csv``.

Plans and news read this file. One process warms up every algorithm on every structure, from an empty cache. A
second process finds all kernels compiled. It copies itself for each algorithm on each structure. A copy needs the
kernels that it loads, and all that these call.
"""

import csv
import gc
import multiprocessing
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from typing import TypeVar

from structbench import datasets
from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime import compiling
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.measure.row import Row
from structbench.bench.runs import catalogue, problems, results, yardstick
from structbench.bench.runs import kernels as known
from structbench.bench.runs.spec import Spec, make

T = TypeVar("T")


def rows() -> Iterator[Row]:
    """What compiling each kernel costs. Everything is compiled again, in minutes of one core."""
    with tempfile.TemporaryDirectory() as scratch:
        (costs, seconds), needed = (_in_a_new_process(partial(work, scratch)) for work in (_costs, _needs))
    reasons = {name: {what for what, names in needed.items() if name in names} for name in sorted(costs)}
    with known.FILE.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(known.FIELDS)
        for name, why in reasons.items():
            if why:
                functions, each = costs[name]
                out.writerow([name, functions, f"{each:.3g}", " ".join(_brief(why, set(needed)))])
    yield Row("kernels", "CPU seconds of compiling everything, from an empty cache", f"{seconds:.0f} s")
    yield Row("kernels", "kernels in bench/runs/kernels.csv", f"{sum(map(bool, reasons.values()))}")


def _keep_in(scratch: str) -> None:
    """Have this process keep kernels and problems in a folder."""
    os.environ |= {"STRUCTBENCH_KERNELS": f"{scratch}/kernels", results.VARIABLE: f"{scratch}/results"}


def _in_a_new_process(work: Callable[[], T], kind: str = "spawn") -> T:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(kind)) as process:
        return process.submit(work).result()


def _brief(reasons: set[str], everything: set[str]) -> list[str]:
    """What needs a kernel: ``algorithm@structure``, or one word for all that have it."""
    if reasons == everything:
        return [known.EVERY]
    said, left = [], set(reasons)
    for part in (1, 0):  # structures, then algorithms
        for word in sorted({each.split("@")[part] for each in reasons}):
            members = {each for each in everything if each.split("@")[part] == word}
            if members <= reasons and members & left:
                said.append(word)
                left -= members
    return said + sorted(left)


# ---- the two processes -----------------------------------------------------------------------------


def _specs(data: str) -> Iterator[Spec]:
    """A run of each algorithm and loss that the data allow."""
    structure = datasets.structure(data)
    for name in catalogue.algorithms():
        if catalogue.runs_on(name, structure) and not catalogue.missing(name):
            for loss in catalogue.losses(name):
                C = None if loss == declaration.NO_LOSS else 1.0
                penalty = catalogue.penalties(name)[0].replace("LAMBDA", "1")
                try:
                    yield make(data, loss, C, name, penalty=penalty)
                except UserError:  # its default parameters are for another loss
                    continue


def _warmed_up(spec: Spec) -> bool:
    from structbench.bench.runs.driver import warm_up

    try:
        warm_up(spec, problems.obtain(spec.data)[0])
    except UserError:  # it cannot learn these data
        return False
    return True


def _costs(scratch: str) -> tuple[dict[str, tuple[int, float]], float]:
    """Kernel -> how many functions are compiled with it, and seconds, without those that it calls; all seconds."""
    _keep_in(scratch)
    from structbench.algorithms.runtime.kernel_cache import KernelCache

    kept, stack, found = set(), [], {}
    began, make_cache = time.process_time(), KernelCache.__init__

    def noted(self: KernelCache, function: Callable) -> None:
        make_cache(self, function)
        kept.add(compiling.name_of(function))

    def hear(name: str, done: bool) -> None:
        if not done:
            stack.append((name, time.process_time(), [0.0]))
            return
        _, begun, inside = stack.pop()
        took = time.process_time() - begun
        if stack:
            stack[-1][2][0] += took
        owner = next((each for each in [name, *(outer for outer, *_ in reversed(stack))] if each in kept), name)
        functions, seconds = found.get(owner, (0, 0.0))
        found[owner] = functions + 1, seconds + took - inside[0]

    KernelCache.__init__ = noted
    with compiling.heard(hear):
        for data in datasets.small().values():
            for spec in _specs(data):
                if not _warmed_up(spec):
                    stack.clear()
    total, unit = time.process_time() - began, yardstick.cpu_seconds() / yardstick.SECONDS
    return {name: (functions, seconds / unit) for name, (functions, seconds) in found.items()}, total


def _needs(scratch: str) -> dict[str, set[str]]:
    """``algorithm@structure`` -> the kernels that its runs need."""
    _keep_in(scratch)
    found: dict[str, set[str]] = defaultdict(set)
    for structure, data in datasets.small().items():
        problems.obtain(data)
        for spec in _specs(data):
            with suppress(BrokenProcessPool):
                if needed := _in_a_new_process(partial(_needed, spec), "fork"):
                    found[f"{spec.algorithm}@{structure}"] |= needed
    return dict(found)


def _needed(spec: Spec) -> set[str]:
    return _loaded() if _warmed_up(spec) else set()


def _loaded() -> set[str]:
    """The kernels that this process has, and those that they call."""
    from structbench.algorithms.runtime.kernel import Kernel
    from structbench.algorithms.runtime.kernel_cache import reached

    made = [each for each in gc.get_objects() if type(each) is Kernel and each.overloads]
    return {compiling.name_of(each.python) for start in made for each in reached(start) if type(each) is Kernel}
