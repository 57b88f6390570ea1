"""What each kernel costs to compile, and which runs need it: ``bench/runs/kernels.csv``, for plans and news.

One process warms every algorithm up on every structure, from an empty cache. Then one that finds all kernels
compiled makes a copy of itself for each algorithm on each structure: the kernels that the copy loads are those
it needs, with all that they call.
"""

import csv
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from algorithms.runtime import compiling
from algorithms.runtime.errors import UserError
from bench.measure.row import Row
from bench.runs import catalogue, problems, yardstick
from bench.runs import kernels as known
from bench.runs.spec import Spec, make

DATA = {  # a small data set of each structure
    "multiclass": "mnist:train=100,test=100",
    "chain": "toy-english:sentences=30",
    "segments": "toy-english:sentences=30,task=segments",
    "joint": "toy-english:sentences=30,task=joint",
    "dependency": "toy-english:sentences=30,task=dependencies",
    "nonprojective": "conll2007:sentences=60,structure=nonprojective,test_sentences=40",
    "forest": "toy-english:sentences=30,task=brackets,test_sentences=20",
    "tree": "web-records:share=5,test_records=60",
    "field": "toy-english:sentences=30,task=skip-chains,test_sentences=15",
    "matching": "toy-bitext",
    "subclasses": "toy-clusters",
}


def rows() -> Iterator[Row]:
    """What compiling each kernel costs: all are compiled anew, minutes of one core."""
    with tempfile.TemporaryDirectory() as scratch:
        costs = _process("costs", scratch)
        needed = _process("needs", scratch)
    reasons: dict[str, set[str]] = defaultdict(set)
    for what, names in needed.items():
        for name in names:
            reasons[name].add(what)
    with known.FILE.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(known.FIELDS)
        for name, (functions, seconds) in sorted(costs.items()):
            if name in reasons:
                out.writerow([name, functions, f"{seconds:.3g}", " ".join(_brief(reasons[name], set(needed)))])
    yield Row("kernels", "kernels in bench/runs/kernels.csv", f"{len(reasons)}")


def _process(what: str, scratch: str) -> dict:
    env = os.environ | {"STRUCTBENCH_KERNELS": f"{scratch}/kernels", "STRUCTBENCH_RESULTS": f"{scratch}/results"}
    words = [sys.executable, "-m", "bench.measure.kernels", what, f"{scratch}/{what}.json"]
    done = subprocess.run(words, env=env, check=False)
    if done.returncode:
        raise UserError(f"kernels: `{' '.join(words[1:])}` failed (see above)")
    return json.loads(Path(scratch, f"{what}.json").read_text(encoding="utf-8"))


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


def _specs(structure: str) -> Iterator[Spec]:
    """A run of each algorithm and loss that the structure's data allow."""
    for name in catalogue.algorithms():
        if catalogue.runs_on(name, structure) and not catalogue.missing(name):
            for loss in catalogue.losses(name):
                C = None if loss == catalogue.NO_LOSS else 1.0
                penalty = catalogue.penalties(name)[0].replace("LAMBDA", "1")
                try:
                    yield make(DATA[structure], loss, C, name, penalty=penalty)
                except UserError:  # its default parameters are for another loss
                    continue


def _warmed_up(spec: Spec) -> bool:
    from bench.runs.driver import warm_up

    try:
        warm_up(spec, problems.obtain(spec.data)[0])
    except UserError:  # it cannot learn these data
        return False
    return True


def costs() -> dict[str, tuple[int, float]]:
    """Kernel -> how many functions are compiled with it, and seconds; not with the kernels that it calls."""
    from algorithms.runtime.kernel_cache import KernelCache

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
        for structure in DATA:
            for spec in _specs(structure):
                if not _warmed_up(spec):
                    stack.clear()
    print(f"compiled {len(found)} kernels in {time.process_time() - began:.0f} s", file=sys.stderr)
    unit = yardstick.cpu_seconds() / yardstick.SECONDS
    return {name: (functions, seconds / unit) for name, (functions, seconds) in found.items()}


def needs() -> dict[str, list[str]]:
    """``algorithm@structure`` -> the kernels that its runs need."""
    found: dict[str, set[str]] = defaultdict(set)
    for structure in DATA:
        problems.obtain(DATA[structure])
        for spec in _specs(structure):
            with tempfile.NamedTemporaryFile("r", encoding="utf-8") as file:
                child = os.fork()
                if not child:
                    code = 1
                    try:
                        if _warmed_up(spec):
                            Path(file.name).write_text(json.dumps(sorted(_loaded(structure))), encoding="utf-8")
                        code = 0
                    finally:
                        os._exit(code)
                os.waitpid(child, 0)
                if said := file.read():
                    found[f"{spec.algorithm}@{structure}"].update(json.loads(said))
    return {what: sorted(names) for what, names in found.items()}


def _loaded(structure: str) -> set[str]:
    """The kernels that this process has, those that they call, and those of the structure's operations."""
    from algorithms.runtime.kernel import Kernel
    from algorithms.runtime.kernel_cache import reached
    from algorithms.structures.compiled import OPERATIONS

    kind = type(problems.obtain(DATA[structure])[0].train)
    made = [each for each in gc.get_objects() if type(each) is Kernel and each._dispatcher is not None]
    operations = [each.of(kind) for each in OPERATIONS.values() if each.compiled and each.of(kind) is not None]
    names = {f"compiled.operations_of_{kind.__name__}"}
    for start in [*(each for each in made if each._dispatcher.overloads), *operations]:
        names |= {compiling.name_of(each.python) for each in reached(start) if type(each) is Kernel}
    return names


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps({"costs": costs, "needs": needs}[sys.argv[1]]()), encoding="utf-8")
