"""Adam: steps along an average of gradients over the root of an average of their squares, for smooth losses.

D. P. Kingma and J. Ba, Adam: a method for stochastic optimization, ICLR 2015: Algorithm 1, with the rate
alpha / sqrt(t) of Theorem 4.1 and section 6.1. With g the gradient of a visited example,

    m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2,
    w <- w - alpha / sqrt(t) (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon).

The paper's step changes every weight. Here each has its own time t, the number of visits to examples with its
feature. So its steps are the paper's for these examples. If every example has all features, this is Algorithm 1.
Otherwise it is not: m and v do not shrink, and the weight does not move, at visits to other examples.

The n_j examples with feature j share its penalty: their gradients have C w_j / n_j. So they sum to that of P.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from structbench.algorithms.gradient.stochastic import selected_rate, towards_gold
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.loss_factors import factor_of
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.learning.sparse_features import largest_support
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

EPSILON = 1e-8


class State(NamedTuple):
    """``g`` is 0 between visits, ``shares`` has C / n_j, ``left1`` and ``left2`` have 1 - beta^t by t."""

    w: np.ndarray
    m: np.ndarray
    v: np.ndarray
    t: np.ndarray
    g: np.ndarray
    shares: np.ndarray
    touched: np.ndarray
    left1: np.ndarray
    left2: np.ndarray


@algorithm(
    label="Adam",
    loss="smooth",
    needs=("parts", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False),
    settings=Settings(every_test={"alpha": 0.1}),
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
    split, n, factors = objective.split, parts.num_examples(objective.split), objective.loss_factors
    notes: dict[str, float | str] = {}
    if alpha == 0:
        trial = partial(_trial, beta1=beta1, beta2=beta2, decay=decay)
        alpha, notes["calibration_visits"] = selected_rate(objective, rng, trial)
    notes["alpha"] = alpha
    state = _state(split, objective.C, beta1, beta2)
    state.w[:] = objective.first_weights()
    yield Iterate(state.w, 0, notes=notes)
    visits = 0
    while True:
        for tick in split_pass(one_pass(rng, n, "random")):
            _visit_examples(split, objective.loss_terms, factors, alpha, beta1, beta2, decay, tick, state)
            visits += len(tick)
            yield Iterate(state.w, visits, notes=notes)


def _trial(
    learn: Objective,
    strength: float,
    alpha: float,
    examples: np.ndarray,
    *,
    beta1: float,
    beta2: float,
    decay: bool,
) -> np.ndarray:
    state = _state(learn.split, strength * len(examples), beta1, beta2)
    _visit_examples(learn.split, learn.loss_terms, learn.loss_factors, alpha, beta1, beta2, decay, examples, state)
    return state.w


def _state(split: Any, C: float, beta1: float, beta2: float) -> State:
    vectors, touched = np.zeros((6, parts.num_weights(split))), np.empty(largest_support(split), np.int64)
    state = State(*vectors, touched=touched, left1=_left(beta1), left2=_left(beta2))
    _count(split, state.g, state.shares, touched)
    np.divide(C, state.shares, out=state.shares, where=state.shares > 0)
    state.g[:] = 0.0
    return state


def _left(beta: float) -> np.ndarray:
    """1 - beta^t for t = 0, 1, ..., until it is 1 by rounding."""
    return 1 - beta ** np.arange(np.ceil(np.log(1e-17) / np.log(beta)) + 1 if beta else 1.0)


@kernel
def _count(split, last, counts, touched):
    """counts = n_j, the examples that have feature j; ``last`` is memory."""
    for i in range(parts.num_examples(split)):
        for k in range(parts.feature_support(split, i, np.ones(parts.num_parts(split, i)), touched)):
            j = touched[k]
            if last[j] != i + 1:
                last[j] = i + 1
                counts[j] += 1


@kernel
def _visit_examples(split, loss, factors, alpha, beta1, beta2, decay, examples, state):
    memory = room(split, examples, 3)
    w, m, v, t, g, shares, touched, left1, left2 = state
    for i in examples:
        size = parts.num_parts(split, i)
        s, mu, difference = memory[0, :size], memory[1, :size], memory[2, :size]
        towards_gold(split, loss, i, w, 1.0, s, mu, difference)
        parts.add_features(split, i, -factor_of(factors, i), difference, g)
        mu[:] = 1.0
        count = parts.feature_support(split, i, mu, touched)
        for k in range(count):
            j = touched[k]
            if np.isnan(g[j]):  # done already
                continue
            now = g[j] + shares[j] * w[j]
            g[j] = np.nan
            t[j] += 1
            m[j] = beta1 * m[j] + (1 - beta1) * now
            v[j] = beta2 * v[j] + (1 - beta2) * now * now
            mean, square = m[j], v[j]
            if t[j] < left1.shape[0]:
                mean /= left1[int(t[j])]
            if t[j] < left2.shape[0]:
                square /= left2[int(t[j])]
            rate = alpha / np.sqrt(t[j]) if decay else alpha
            w[j] -= rate * mean / (np.sqrt(square) + EPSILON)
        for k in range(count):
            g[touched[k]] = 0.0
