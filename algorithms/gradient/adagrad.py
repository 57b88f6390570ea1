"""AdaGrad: each weight has a step size of its own, from the squares of its gradients so far.

J. Duchi, E. Hazan and Y. Singer, Adaptive subgradient methods for online learning and stochastic optimization,
JMLR 2011: Figure 1 with diagonal matrices, in the primal-dual form of equation (3). With G the sum of the
gradients of the losses of t visits, S the sum of their squares, and lambda = C / n, each coordinate is

    w = argmin eta (G w + t lambda w^2 / 2) + H w^2 / 2 = -eta G / (H + eta lambda t),   H = delta + sqrt(S).

Only the features of a visited example change G and S. A visit first computes their weights; the others wait until
they are asked for. All of this is exact. So is the average: between its visits a weight is a constant over x + t,
and these sum to a difference of digamma functions.

The argmaxes of a pass with the hinge are a dual point, see ``subgradient``. G has the sum of their features. An
earlier fit w counts as a pass of gradients that led there: t = n, G = -(delta / eta + lambda n) w, S = 0.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np

from structbench.algorithms.gradient.stochastic import selected_rate, towards_gold
from structbench.algorithms.learning.certificate import Certificate
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.loss_factors import factor_of
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.learning.sparse_features import largest_support
from structbench.algorithms.losses.terms import dual_term
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

DELTA = 1e-8
EXPANDED = 16.0  # where the asymptotic series of the digamma function begins


class State(NamedTuple):
    """``descent`` is -G, ``squares`` S, ``g`` 0, ``w`` what was last computed, ``total`` its sum so far."""

    descent: np.ndarray
    squares: np.ndarray
    w: np.ndarray
    g: np.ndarray
    total: np.ndarray
    since: np.ndarray
    touched: np.ndarray
    sums: np.ndarray  # t, and the dual terms of the argmaxes


@algorithm(
    label="AdaGrad",
    needs=("parts", "argmax", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False),
    settings=Settings(figures=({}, {"average": True}), tests=({"average": True},), every_test={"eta": 0.3}),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    eta: Annotated[float, ">= 0"] = 0.0,
    average: bool = False,
) -> Iterator[Iterate]:
    """Run AdaGrad from w = 0, or from an earlier fit; each pass in a new random order.

    Args:
        eta: the step size. 0 selects it as ``sgd`` does.
        average: the weights are the average of w after each visit, not the last w.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    notes: dict[str, float | str] = {}
    if not objective.smooth:
        require_labels(split, "adagrad")
    if eta == 0:
        eta, notes["calibration_visits"] = selected_rate(objective, rng, partial(_trial, average=average))
    notes["eta"] = eta
    strength, first = objective.C / n, n if objective.start_from else 0
    state = _state(split, first, average)
    state.descent[:] = (DELTA / eta + strength * first) * objective.first_weights()
    certificate = None if objective.smooth else Certificate(objective)
    yield Iterate(objective.first_weights(), 0, notes=notes)
    visits = 0
    while True:
        before = None if certificate is None else state.descent.copy()
        for tick in split_pass(one_pass(rng, n, "permuted")):
            _visit_examples(split, objective.loss_terms, strength, objective.loss_factors, eta, tick, state)
            visits += len(tick)
            if certificate and before is not None and visits % n == 0:
                certificate.add(state.sums[1], state.descent - before)
                state.sums[1] = 0.0
            dual = certificate.dual if certificate else None
            yield Iterate(partial(_weights, eta, strength, first, state), visits, dual, notes)


def _state(split: Any, first: int, average: bool) -> State:
    size = parts.num_weights(split)
    averages = np.zeros((2, size if average else 0))
    averages[1] = first
    touched = np.empty(largest_support(split), np.int64)
    return State(*np.zeros((4, size)), *averages, touched=touched, sums=np.array([first, 0.0]))


def _trial(learn: Objective, strength: float, eta: float, examples: np.ndarray, *, average: bool) -> np.ndarray:
    state = _state(learn.split, 0, average)
    _visit_examples(learn.split, learn.loss_terms, strength, learn.loss_factors, eta, examples, state)
    return _weights(eta, strength, 0, state)


def _weights(eta: float, strength: float, first: int, state: State) -> np.ndarray:
    _compute(eta, strength, state, np.arange(len(state.w)), len(state.w))
    return state.total / (state.sums[0] - first) if len(state.total) else state.w.copy()


@kernel
def _visit_examples(split, loss, strength, factors, eta, examples, state):
    memory = room(split, examples, 3)
    for i in examples:
        m = parts.num_parts(split, i)
        s, mu, difference = memory[0, :m], memory[1, :m], memory[2, :m]
        mu[:] = 1.0
        count = parts.feature_support(split, i, mu, state.touched)
        _compute(eta, strength, state, state.touched, count)
        towards_gold(split, loss, i, state.w, 1.0, s, mu, difference)
        factor = factor_of(factors, i)
        if loss.temperature == 0.0:
            state.sums[1] += factor * dual_term(loss, split, i, 0.0, mu)
        parts.add_features(split, i, factor, difference, state.g)
        for k in range(count):
            j = state.touched[k]
            state.descent[j] += state.g[j]
            state.squares[j] += state.g[j] ** 2
            state.g[j] = 0.0
        state.sums[0] += 1


@kernel
def _compute(eta, strength, state, touched, count):
    """Compute the weights at these places, and add up all of their values until now."""
    t = state.sums[0]
    for k in range(count):
        j = touched[k]
        H = DELTA + np.sqrt(state.squares[j])
        state.w[j] = eta * state.descent[j] / (H + eta * strength * t)
        if len(state.total) > 0 and t > state.since[j]:
            state.total[j] += state.descent[j] / strength * _harmonic(H / (eta * strength), state.since[j] + 1, t)
            state.since[j] = t


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
