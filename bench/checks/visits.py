"""Check that algorithms count all their visits: a process without numba counts calls of inference."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import islice

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import OF_ANYBODY
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import structure_types
from structbench.algorithms.structures.compiled import OPERATIONS
from structbench.bench.checks import algorithms
from structbench.bench.runs import algorithm_module, anybodys_code, faults

INFERENCE = ("marginals", "argmax", "clique_marginals", "k_best")  # each call: an example
PASSES = ("value_and_gradient", "loss_and_gradient", "evaluate")  # of an objective, each call: all its examples
ITERATES, SECONDS = 20, 60  # seconds of an algorithm, on the average
NOT_COUNTED = "visits were not counted"


def undercounted(names: Sequence[str], texts: Sequence[str] = algorithms.DATA) -> dict[str, str]:
    """Name -> a sentence, if an algorithm says fewer visits than it makes or visits were not counted; else empty.

    Args:
        texts: Data sets, of which the first that an algorithm can learn is taken.
    """
    found: dict[str, str] = {}
    while left := [name for name in names if name not in found]:
        counted, why = _counted(left, texts)
        found |= counted
        if stopped := next((name for name in left if name not in found), None):  # those after it are to be counted
            found[stopped] = f"{NOT_COUNTED}: {why}"
    return found


def _counted(names: Sequence[str], texts: Sequence[str]) -> tuple[dict[str, str], str]:
    """What a process says of these algorithms, in their order, until it ends; and why it may have ended early."""
    words, env = [sys.executable, "-m", __spec__.name, *names], os.environ | {"NUMBA_DISABLE_JIT": "1"}
    try:
        done = subprocess.run(
            words, input="\n".join(texts), env=env, capture_output=True, text=True, timeout=SECONDS * len(names)
        )
        printed, why = done.stdout, (done.stderr.splitlines() or [f"the process ended with {done.returncode}"])[-1]
    except subprocess.TimeoutExpired as error:
        printed, why = (error.stdout or b"").decode(), f"it takes more than {SECONDS * len(names)} s without numba"
    found: dict[str, str] = {}
    for line in printed.splitlines():
        found |= json.loads(line)
    return found, why


def _wrong(name: str, texts: Iterable[str], seen: Counter[str]) -> str:
    """Run an algorithm on the first small problem that it learns; ``seen`` counts its calls."""
    declared = algorithm_module.declaration(name)
    small = (each for text in texts for each in algorithms.small([text]))
    problem = next((each.problem for each in small if not algorithms.refusal(name, each.split)), None)
    if problem is None or declared.black_box:
        return ""
    n, params = parts.num_examples(problem.train), declared.settings.every_test
    _, solver = algorithms.start(
        name, problem, algorithms.losses(name)[0], algorithms.C, 0, algorithms.usual_penalty(name), **params
    )
    seen.clear()
    for iterate in islice(solver, ITERATES):
        made = max(seen.values(), default=0)
        if made > iterate.visits + n:
            return f"it says {iterate.visits} visits, and has called inference for {made} examples: each counts"
    return ""


def _count_calls(seen: Counter[str]) -> None:
    """Count calls of inference from now on, but none within another."""
    within = 0

    def counted(function: Callable, name: str, examples: Callable[..., int]) -> Callable:
        @wraps(function)
        def call(*given, **named):
            nonlocal within
            seen[name] += 0 if within else examples(*given)
            within += 1
            try:
                return function(*given, **named)
            finally:
                within -= 1

        return call

    for name in INFERENCE:
        made = OPERATIONS[name].implementations
        made |= {kind: counted(function, name, lambda *given: 1) for kind, function in made.items()}
    for name in PASSES:
        of_all = counted(getattr(Objective, name), name, lambda of, *given: parts.num_examples(of.split))
        setattr(Objective, name, of_all)


if __name__ == "__main__":
    structure_types.structure_types()  # the user's own, too: their calls are counted
    calls, given = Counter[str](), sys.stdin.read().splitlines()
    _count_calls(calls)
    for each in sys.argv[1:]:
        try:
            with anybodys_code.away_from_stdout():
                said = _wrong(each, given, calls)
        except OF_ANYBODY as error:  # of any kind: the algorithm may be anybody's
            said = f"{NOT_COUNTED}: {faults.described(each, error)}"
        print(json.dumps({each: said}), flush=True)
