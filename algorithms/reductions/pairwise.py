"""Multiclass classification by binary classifiers: one-vs-one with voting, or one-vs-rest.

klein2011, "Binary Classification" and "Multiclass Decision Rule". With two classes f(x, -1) = -f(x, +1). So a
problem has a single vector of weights and decides by the sign of w . x. Several problems are reconciled by votes
(Kressel 1999), or by the largest w . x.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, count
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.coordinate_ascent import smo
from structbench.algorithms.gradient import lbfgs
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.mistake_driven import mira, perceptron
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass

LOSSES = {"smooth": "log", "polyhedral": "hinge", "none": "none"}  # what a solver asks of a loss -> its loss here
SOLVERS = {"smo": smo, "lbfgs": lbfgs, "perceptron": perceptron, "mira": mira}


def predictions(split: Any, w: np.ndarray, *, against: str, **_: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As ``structures.prediction.predictions``, by votes, or by the largest score against the rest.

    If classes have equally many votes, the larger sum of w . x of their decisions wins.
    """
    x, y, K = parts.classes(split)
    found = np.asarray(ft.as_matrix(x) @ w.reshape(len(_problems(K, against)), -1).T)  # (n, problems)
    votes, sums = np.zeros((2, len(y), K))
    for decision, (positive, negative) in zip(found.T, _problems(K, against), strict=True):
        sums[:, positive] += decision
        if negative >= 0:
            votes[:, positive] += decision > 0
            votes[:, negative] += decision < 0
            sums[:, negative] -= decision
    best = np.where(votes == votes.max(axis=1, keepdims=True), sums, -np.inf).argmax(axis=1)
    return best.astype(np.int32), np.asarray(y, np.int32), np.arange(len(y) + 1)


@algorithm(
    label="Pairwise",
    loss="none",
    needs=("parts", "argmax", "feature rows", "single decisions"),
    random={"solver": ("smo", "perceptron", "mira")},
    predict=predictions,
    settings=Settings(tests=({"against": "rest"},)),
    references=("kressel1999",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    against: Literal["each", "rest"] = "each",
    solver: Literal["smo", "lbfgs", "perceptron", "mira"] = "smo",
    C: Annotated[float, "> 0"] = 1.0,
) -> Iterator[Iterate]:
    """Solve all binary problems side by side. Yields their weights, (problems, columns), after a pass over each.

    Visits are the solver's: a pass over all pairs makes K - 1 to each example. The run ends when all solvers end.

    Args:
        against: each other class, K (K - 1) / 2 problems, or the rest, K problems.
        solver: of the binary problems, with its defaults. ``smo`` has the hinge, ``lbfgs`` the log loss.
        C: strength of the l2 penalty in each problem, as in multiclass with two classes. Mistake-driven solvers
            ignore it.
    """
    require_labels(objective.split, "pairwise")
    x, y, K = parts.classes(objective.split)
    tasks = _problems(K, against)
    w = np.zeros((len(tasks), ft.shape(x)[1]))
    yield Iterate(w.ravel(), 0)
    runs = []
    for row, (positive, negative) in zip(w, tasks, strict=True):
        rows = np.flatnonzero((y == positive) | (y == negative) if negative >= 0 else y >= 0)
        if len(rows):
            split = multiclass.build(ft.take_rows(x, rows), y[rows] == positive, 2)
            runs.append(_Run(row, len(rows), _solver(SOLVERS[solver], problem, split, C, rng)))
    visits = 0
    for passes in count(1):
        for run in runs:
            run.advance(passes)
        if (made := sum(run.visits for run in runs)) > visits:
            visits = made
            yield Iterate(w.ravel(), visits)
        if all(run.ended for run in runs):
            return


def _solver(module: Any, problem: Any, split: Any, C: float, rng: np.random.Generator) -> Iterator[Iterate]:
    loss = LOSSES[module.solve.declaration.loss]
    objective = Objective(split, "none", 1.0, "none") if loss == "none" else Objective(split, loss, C)
    return module.solve(problem, objective, rng, **module.solve.__kwdefaults__)


@dataclass
class _Run:
    """A solver of one binary problem; its weights go into ``row``, (columns,)."""

    row: np.ndarray
    examples: int
    solver: Iterator[Iterate]
    visits: int = 0
    ended: bool = False

    def advance(self, passes: int) -> None:
        """Go on until this many passes are made."""
        while not self.ended and self.visits < passes * self.examples:
            iterate = next(self.solver, None)
            if iterate is None:
                self.ended = True
            else:
                self.visits = iterate.visits
                both = iterate.vector.reshape(-1, 2)
                self.row[:] = iterate.scale * (both[:, 1] - both[:, 0])


def _problems(K: int, against: str) -> list[tuple[int, int]]:
    """The classes of +1 and of -1 in each problem; -1 means all other classes."""
    return list(combinations(range(K), 2)) if against == "each" else [(k, -1) for k in range(K)]
