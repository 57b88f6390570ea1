"""Mistake-driven learners written plainly: dense weights, lists of paths, averages of all that weights were."""

from collections.abc import Callable, Iterator
from itertools import islice, takewhile
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import algorithm_module
from tests.algorithms.searching import Path, Searcher, best

RUNS = [
    (algorithm, params | {"beam": beam})
    for beam in (1, 3, "inf")
    for algorithm, params in (
        ("laso", {"update": "perceptron"}),
        ("laso", {"update": "alma"}),
        ("perceptron", {}),
        ("early-update", {}),
        ("max-violation", {}),
    )
    if beam != "inf" or algorithm in ("laso", "perceptron")
]


class Alma(NamedTuple):
    """Parameters of the large margin variant; see laso2005, section 3.4."""

    alpha: float
    B: float
    C: float


def alma(alpha: float = 0.9, B: float = 0.0, C: float = 2**0.5) -> Alma:
    return Alma(alpha, B or 8**0.5 / alpha, C)


def project(u: np.ndarray) -> np.ndarray:
    return u / max(1.0, float(np.sqrt(u @ u)))


class Weights:
    """w, by what it changed, and what it was after each example."""

    def __init__(self, size: int, rule: Alma | None) -> None:
        self.w, self.rule, self.shrunk = np.zeros(size), rule, 1.0
        self.differences: list[np.ndarray] = []
        self.after_examples: list[np.ndarray] = []
        self.unshrunk: list[np.ndarray] = []

    @property
    def generation(self) -> int:
        return len(self.differences) + 1

    @property
    def margin(self) -> float:
        return (1 - self.rule.alpha) * self.rule.B / self.generation**0.5 if self.rule else 0.0

    def update(self, difference: np.ndarray) -> None:
        """Eq. (2), or Eq. (3)."""
        step = difference
        if self.rule:
            step = self.rule.C / self.generation**0.5 * project(difference)
        self.differences.append(difference)
        moved = self.w + step
        self.w = project(moved) if self.rule else moved
        self.shrunk /= max(1.0, float(np.sqrt(moved @ moved))) if self.rule else 1.0

    def visited(self) -> None:
        self.after_examples.append(self.w)
        self.unshrunk.append(self.w / self.shrunk)

    def average(self, kind: str) -> np.ndarray:
        if kind == "none":
            return self.w
        return np.mean(self.after_examples if kind == "uniform" else self.unshrunk, axis=0)


def laso(problem: Any, i: int, beam: int, weights: Weights, rows: str = "decisions") -> None:
    """Figure 2 for beam search."""
    searcher = Searcher(problem, i)
    queues, r = {0: [searcher.start()]}, 0
    while not searcher.all_finished(queues.get(r, [])):
        searcher.expand(queues, r, rows)
        r += 1
        siblings = best([path for path in queues.get(r, []) if path.good], weights.w, beam)
        queue = queues[r] = best(queues.get(r, []), weights.w, beam, weights.margin)
        if not siblings or (queue[0].good if searcher.all_finished(queue) else any(path.good for path in queue)):
            continue
        ahead = [path.features for path in takewhile(lambda path: not path.good, queue)]
        weights.update(np.mean([path.features for path in siblings], axis=0) - np.mean(ahead, axis=0))
        queues = {r: siblings}
    weights.visited()


def perceptron(problem: Any, i: int, beam: int, weights: Weights, kind: str, rows: str = "decisions") -> None:
    """Standard, early and max-violation updates of a beam search, where the right path is in a row."""
    searcher = Searcher(problem, i)
    queues, r, right = {0: [searcher.start()]}, 0, {0: searcher.start()}
    compared: list[tuple[float, Path, Path]] = []  # how far ahead the best path is, it, the right one
    fallen = None
    while not (r in right and searcher.all_finished(queues.get(r, [])) and searcher.finished(right[r])):
        searcher.expand(queues, r, rows)
        if r in right:
            (after,) = (path for path in searcher.children([right[r]]) if path.good)
            right[searcher.row(after, r, rows)] = after
        r += 1
        queues[r] = best(queues.get(r, []), weights.w, beam)
        if r in right:
            lead = float((queues[r][0].features - right[r].features) @ weights.w)
            compared.append((lead, queues[r][0], right[r]))
            if fallen is None and not any(path.good for path in queues[r]):
                fallen = compared[-1]
    chosen = compared[-1]
    if kind == "early" and fallen:
        chosen = fallen
    elif kind == "max-violation":
        wrong = [each for each in compared if not each[1].good]
        most = max((each[0] for each in wrong), default=0.0)
        chosen = next((each for each in wrong if each[0] >= most - 1e-9), chosen)
    if not chosen[1].good:
        weights.update(chosen[2].features - chosen[1].features)
    weights.visited()


def passes(problem: Any, visit: Callable[[int, Weights], None], rule: Alma | None, seed: int) -> Iterator[Weights]:
    """The weights after each pass, over the examples in the order of that seed."""
    rng, weights = np.random.default_rng(seed), Weights(parts.num_weights(problem), rule)
    while True:
        for i in rng.permutation(parts.num_examples(problem)):
            visit(int(i), weights)
        yield weights


def solver(algorithm: str, problem: Any, seed: int = 0, **params: Any) -> Iterator[Iterate]:
    """What an algorithm yields."""
    objective = Objective(problem, "none", 1.0, "none")
    return algorithm_module.solver(algorithm)(None, objective, np.random.default_rng(seed), **params)


def learned(
    algorithm: str, problem: Any, count: int, seed: int = 0, **params: Any
) -> Iterator[tuple[np.ndarray, int]]:
    """Weights and number of updates after each of so many passes, or fewer if learning ends before."""
    ends = (each for each in solver(algorithm, problem, seed, **params) if each.hints.evaluate_now)
    for each in islice(ends, count):
        yield each.vector * each.scale, int(each.notes["updates"])
