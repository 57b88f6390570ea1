"""Adam: steps along an average of gradients over the root of an average of their squares, for smooth losses.

Kingma and Ba 2015: Algorithm 1, with the rate alpha / sqrt(t) of Theorem 4.1 and section 6.1. With g the gradient
of a visited example,

    m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2,
    w <- w - alpha / sqrt(t) (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).

The paper's step changes every weight. Here each has its own time t, the number of visits to examples with its
feature. So its steps are the paper's for these examples. If every example has all features, this is Algorithm 1.
Otherwise it is not: m and v do not shrink, and the weight does not move, at visits to other examples.

The n_j examples with feature j share its penalty: their gradients have C w_j / n_j. So they sum to that of P.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.stochastic import selected_rate, towards_gold
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.loss_factors import factor_of
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.sampling import ticks
from structbench.algorithms.learning.sparse_features import largest_support
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

EPSILON = 1e-8


@algorithm(
    label="Adam",
    loss="smooth",
    needs=("parts", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False),
    settings=Settings(figures=({}, {"alpha": 0.03}), every_test={"alpha": 0.1}),
    references=("kingma2015",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    alpha: Annotated[float, ">= 0"] = 0.0,
    beta1: Annotated[float, ">= 0", "< 1"] = 0.9,
    beta2: Annotated[float, ">= 0", "< 1"] = 0.999,
    decay: bool = True,
) -> Iterator[Iterate]:
    """Run Adam from w = 0, or from an earlier fit.

    Args:
        alpha: the rate. 0 selects it as ``sgd`` does.
        beta1, beta2: the share of what m and v were that they keep.
        decay: let the rate fall as 1 / sqrt(t); if not, it stays ``alpha``.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    betas = np.array([beta1, beta2])
    alpha, notes = selected_rate(objective, rng, "alpha", alpha, partial(_trial, betas=betas, decay=decay))
    rows, touched = _state(split, objective.C)
    rows[0] = objective.first_weights()
    yield Iterate(rows[0], 0, notes=notes)
    visits, paces = 0, _paces(alpha, betas, decay)
    for tick in ticks(rng, n, "random"):
        _visit_examples(
            split, objective.loss_terms, objective.loss_factors, betas, paces, decay, tick, rows, touched
        )
        visits += len(tick)
        yield Iterate(rows[0], visits, notes=notes)


def _trial(
    learn: Objective, strength: float, alpha: float, examples: np.ndarray, *, betas: np.ndarray, decay: bool
) -> np.ndarray:
    rows, touched = _state(learn.split, strength * len(examples))
    paces = _paces(alpha, betas, decay)
    _visit_examples(
        learn.split, learn.loss_terms, learn.loss_factors, betas, paces, decay, examples, rows, touched
    )
    return rows[0]


def _state(split: Any, C: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows w, m, v, t, the gradient (0 between visits) and C / n_j; memory for features."""
    rows, touched = np.zeros((6, parts.num_weights(split))), np.empty(largest_support(split), np.int64)
    _count(split, rows[4], rows[5], touched)
    np.divide(C, rows[5], out=rows[5], where=rows[5] > 0)
    rows[4] = 0.0
    return rows, touched


def _paces(alpha: float, betas: np.ndarray, decay: bool) -> np.ndarray:
    """By t what m and v are multiplied by, (T, 2): until 1 - beta^t is 1 by rounding. First alpha, and 1."""
    logs = np.log(np.maximum(betas, 1e-300))
    t = np.arange(1, 2 + int((-40 / logs).max()))
    left = -np.expm1(np.maximum(np.outer(logs, t), -700.0))  # 1 - beta^t
    pace = alpha / (np.sqrt(t) if decay else 1.0) / left[0]
    return np.vstack([[alpha, 1.0], np.transpose([pace, 1 / left[1]])])


@kernel
def _count(split, last, counts, touched):
    """counts = n_j, the examples that have feature j; ``last`` is memory."""
    for i in range(parts.num_examples(split)):
        for j in touched[: parts.feature_support(split, i, np.ones(parts.num_parts(split, i)), touched)]:
            if last[j] != i + 1:
                last[j] = i + 1
                counts[j] += 1


@kernel
def _visit_examples(split, loss, factors, betas, paces, decay, examples, rows, touched):
    memory = room(split, examples, 3)
    w, m, v, t, g, shares = rows[0], rows[1], rows[2], rows[3], rows[4], rows[5]
    beta1, beta2 = betas
    for i in examples:
        size = parts.num_parts(split, i)
        s, mu, difference = memory[0, :size], memory[1, :size], memory[2, :size]
        towards_gold(split, loss, i, w, 1.0, s, mu, difference)
        parts.add_features(split, i, -factor_of(factors, i), difference, g)
        mu[:] = 1.0
        used = touched[: parts.feature_support(split, i, mu, touched)]
        for j in used:
            if np.isnan(g[j]):  # done already
                continue
            now = g[j] + shares[j] * w[j]
            g[j] = np.nan
            t[j] += 1
            m[j] = beta1 * m[j] + (1 - beta1) * now
            v[j] = beta2 * v[j] + (1 - beta2) * now * now
            pace, lift = paces[0]
            if t[j] < paces.shape[0]:
                pace, lift = paces[int(t[j])]
            elif decay:
                pace /= np.sqrt(t[j])
            w[j] -= pace * m[j] / (np.sqrt(lift * v[j]) + EPSILON)
        for j in used:
            g[j] = 0.0
