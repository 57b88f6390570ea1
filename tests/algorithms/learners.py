"""Mistake-driven learners written plainly: dense weights, lists of paths, averages of all that weights were."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from algorithms.objective import Iterate, Objective
from algorithms.structures import parts
from bench import catalogue
from tests.algorithms.searching import Path, Searcher, best


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
    """w, how often it changed and by what, and what it was after each example; v is w before its projections."""

    def __init__(self, size: int, rule: Alma | None) -> None:
        self.w, self.rule, self.shrunk = np.zeros(size), rule, 1.0
        self.differences: list[np.ndarray] = []
        self.gains: list[float] = []  # w . difference at each update
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
        self.gains.append(float(self.w @ difference))
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


def laso(problem: Any, i: int, beam: int, weights: Weights) -> None:
    """Figure 2 for beam search."""
    searcher = Searcher(problem, i)
    queue = [searcher.start()]
    while not searcher.all_finished(queue):
        children = searcher.children(queue)
        siblings = best([path for path in children if path.good], weights.w, beam)
        queue = best(children, weights.w, beam, weights.margin)
        none_good = not any(path.good for path in queue)
        if none_good or (searcher.all_finished(queue) and not queue[0].good):
            wrong = [path.features for path in queue if not path.good]
            weights.update(np.mean([path.features for path in siblings], axis=0) - np.mean(wrong, axis=0))
            queue = siblings
    weights.visited()


def perceptron(problem: Any, i: int, beam: int, weights: Weights, kind: str) -> None:
    """Standard, early and max-violation updates of a beam search."""
    searcher = Searcher(problem, i)
    queue, right = [searcher.start()], searcher.start()
    compared: list[tuple[float, Path, Path]] = []  # per round: how far ahead, the best path, the right one
    fallen = None
    while not (searcher.all_finished(queue) and searcher.finished(right)):
        queue = best(searcher.children(queue), weights.w, beam)
        right = next(path for path in searcher.children([right]) if path.good)
        compared.append((float((queue[0].features - right.features) @ weights.w), queue[0], right))
        if fallen is None and not any(path.good for path in queue):
            fallen = compared[-1]
    chosen = None
    if kind == "standard" or (kind == "early" and fallen is None):
        chosen = compared[-1]
    elif kind == "early":
        chosen = fallen
    else:
        wrong = [each for each in compared if not each[1].good]
        most = max((each[0] for each in wrong), default=0.0)
        chosen = next((each for each in wrong if each[0] >= most - 1e-9), compared[-1])
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
    return catalogue.solver(algorithm)(None, objective, np.random.default_rng(seed), **params)


def learned(
    algorithm: str, problem: Any, count: int, seed: int = 0, **params: Any
) -> Iterator[tuple[np.ndarray, int]]:
    """Weights and number of updates after each of so many passes, or fewer if learning ends before."""
    ends = (each for each in solver(algorithm, problem, seed, **params) if each.look)
    for each in islice(ends, count):
        yield each.vector * each.scale, int(each.notes["updates"])
