"""AdaGrad: each weight has a step size of its own, from the squares of its gradients so far.

Duchi, Hazan and Singer 2011: Figure 1 with diagonal matrices, in the primal-dual form of equation (3). With G the
sum of the gradients of the losses of t visits, S the sum of their squares, and lambda = C / n, each coordinate is

    w = argmin eta (G w + t lambda w^2 / 2) + H w^2 / 2 = -eta G / (H + eta lambda t),   H = delta + sqrt(S).

Only the features of a visited example change G and S. A visit first computes their weights; the others wait until
they are asked for. All of this is exact. So is the average: between its visits a weight is a constant over x + t,
and these sum to a difference of digamma functions.

The argmaxes of a pass with the hinge are a dual point, see ``subgradient``. G has the sum of their features. An
earlier fit w counts as a pass of gradients that led there: t = n, G = -(delta / eta + lambda n) w, S = 0.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.stochastic import selected_rate, towards_gold
from structbench.algorithms.learning.certificate import Certificate
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.loss_factors import factor_of
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.learning.sampling import ticks
from structbench.algorithms.learning.sparse_features import largest_support
from structbench.algorithms.losses.terms import dual_term
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

EXPANDED = 16.0  # where the asymptotic series of the digamma function begins
DESCENT, SQUARES, W, NOW, TOTAL, SINCE = range(6)  # rows of vectors: -G, S, w, 0; averages: sum of w until a visit


@algorithm(
    label="AdaGrad",
    needs=("parts", "argmax", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False),
    settings=Settings(
        figures=({}, {"eta": 0.3}, {"average": True}), tests=({"average": True},), every_test={"eta": 0.3}
    ),
    references=("duchi2011",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    eta: Annotated[float, ">= 0"] = 0.0,
    average: bool = False,
    delta: Annotated[float, "> 0"] = 1e-8,
) -> Iterator[Iterate]:
    """Run AdaGrad from w = 0, or from an earlier fit; each pass in a new random order.

    Args:
        eta: the step size. 0 selects it as ``sgd`` does.
        average: the weights are the average of w after each visit, not the last w.
        delta: what is added to sqrt(S).
    """
    split, n = objective.split, parts.num_examples(objective.split)
    if not objective.smooth:
        require_labels(split, "adagrad")
    eta, notes = selected_rate(objective, rng, "eta", eta, partial(_trial, average=average, delta=delta))
    strength, first = objective.C / n, n if objective.start_from else 0
    rows, touched, sums = _state(split, first, average, delta)
    rows[DESCENT] = (delta / eta + strength * first) * objective.first_weights()
    certificate = None if objective.smooth else Certificate(objective)
    yield Iterate(objective.first_weights(), 0, notes=notes)
    visits, before = 0, rows[DESCENT].copy()
    for tick in ticks(rng, n, "permuted"):
        _visit_examples(
            split, objective.loss_terms, strength, objective.loss_factors, eta, tick, rows, touched, sums
        )
        visits += len(tick)
        if certificate and visits % n == 0:
            certificate.add(sums[1], rows[DESCENT] - before)
            sums[1], before = 0.0, rows[DESCENT].copy()
        weights = partial(_weights, eta, strength, first, rows, sums)
        yield Iterate(weights, visits, certificate.dual if certificate else None, notes)


def _state(split: Any, first: int, average: bool, delta: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows of vectors, memory for features, and t, the dual terms of the argmaxes, delta."""
    rows = np.zeros((6 if average else 4, parts.num_weights(split)))
    rows[SINCE:] = first
    return rows, np.empty(largest_support(split), np.int64), np.array([first, 0.0, delta])


def _trial(
    learn: Objective, strength: float, eta: float, examples: np.ndarray, *, average: bool, delta: float
) -> np.ndarray:
    rows, touched, sums = _state(learn.split, 0, average, delta)
    _visit_examples(
        learn.split, learn.loss_terms, strength, learn.loss_factors, eta, examples, rows, touched, sums
    )
    return _weights(eta, strength, 0, rows, sums)


def _weights(eta: float, strength: float, first: int, rows: np.ndarray, sums: np.ndarray) -> np.ndarray:
    _compute(eta, strength, sums, rows, np.arange(rows.shape[1]))
    return rows[TOTAL] / (sums[0] - first) if len(rows) > TOTAL else rows[W].copy()


@kernel
def _visit_examples(split, loss, strength, factors, eta, examples, rows, touched, sums):
    memory = room(split, examples, 3)
    descent, squares, w, g = rows[DESCENT], rows[SQUARES], rows[W], rows[NOW]
    for i in examples:
        m = parts.num_parts(split, i)
        s, mu, difference = memory[0, :m], memory[1, :m], memory[2, :m]
        mu[:] = 1.0
        used = touched[: parts.feature_support(split, i, mu, touched)]
        _compute(eta, strength, sums, rows, used)
        towards_gold(split, loss, i, w, 1.0, s, mu, difference)
        factor = factor_of(factors, i)
        if loss.temperature == 0.0:
            sums[1] += factor * dual_term(loss, split, i, 0.0, mu)
        parts.add_features(split, i, factor, difference, g)
        for j in used:
            descent[j] += g[j]
            squares[j] += g[j] ** 2
            g[j] = 0.0
        sums[0] += 1


@kernel
def _compute(eta, strength, sums, rows, places):
    """Compute the weights at these places, and add up all of their values until now."""
    t, delta = sums[0], sums[2]
    descent, squares, w = rows[DESCENT], rows[SQUARES], rows[W]
    for j in places:
        w[j] = eta * descent[j] / (delta + np.sqrt(squares[j]) + eta * strength * t)
    if rows.shape[0] > TOTAL:
        total, since = rows[TOTAL], rows[SINCE]
        for j in places:
            if since[j] < t:
                x = (delta + np.sqrt(squares[j])) / (eta * strength)
                total[j] += descent[j] / strength * _harmonic(x, since[j] + 1, t)
                since[j] = t


@kernel
def _harmonic(x, first, last):
    """sum_k 1 / (x + k), k = first .. last."""
    total = 0.0
    while first <= last and (x + first < EXPANDED or last - first < 4):
        total += 1 / (x + first)
        first += 1
    if first <= last:
        a, b = 1 / (x + first), 1 / (x + last + 1)
        total += np.log1p((last + 1 - first) * a) + (a - b) / 2
        a, b = a * a, b * b
        total += (a - b) / 12 - (a**2 - b**2) / 120 + (a**3 - b**3) / 252 - (a**4 - b**4) / 240
    return total
