"""Averaged stochastic gradient descent, for smooth losses (Polyak and Juditsky 1992; Xu 2011; Bottou 2011).

Xu 2011; the rate is that of L. Bottou's program crfasgd. Visit t, from 0, to an example drawn at random, steps and
averages by

    w <- (1 - eta_t C / n) w - eta_t grad loss_i(w),   eta_t = eta0 (1 + eta0 t C / n)^(-3/4),
    a <- a + (w - a) / max(1, t + 1 - t0).

Weights are a number times a vector v, and their sum since t0 is another number times v less a vector ``late``. So
a visit changes only the features of its example, in two vectors.
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
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

VISITS, SCALE, SHARES = range(3)  # places in ``sums``: shares v - late is the sum of the weights since t0


@algorithm(
    label="Averaged SGD",
    loss="smooth",
    needs=("parts", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False),
    settings=Settings(figures=({}, {"eta0": 0.1}), every_test={"eta0": 0.3}),
    references=("polyak1992", "xu2011"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    eta0: Annotated[float, ">= 0"] = 0.0,
    after: Annotated[float, ">= 0"] = 1.0,
    decay: bool = True,
) -> Iterator[Iterate]:
    """Run averaged SGD from w = 0, or from an earlier fit.

    Args:
        eta0: the initial learning rate. 0 selects it as ``sgd`` does, by the averaged weights of a pass.
        after: passes before averaging begins. Until then, the weights are the last ones.
        decay: let the rate fall as above; if not, it stays ``eta0`` (as in Schmidt et al. 2015).
    """
    split, n = objective.split, parts.num_examples(objective.split)
    eta0, notes = selected_rate(objective, rng, "eta0", eta0, partial(_trial, decay=decay))
    v, t0, sums = objective.first_weights(), round(after * n), np.array([0.0, 1.0, 0.0])
    late, power = np.zeros_like(v), -0.75 if decay else 0.0
    yield Iterate(v, 0, notes=notes)
    for tick in ticks(rng, n, "random"):
        _visit_examples(
            split, objective.loss_terms, objective.C / n, objective.loss_factors, eta0, power, t0, tick, v, late,
            sums,
        )  # fmt: skip
        visits = int(sums[VISITS])
        if visits > t0:
            yield Iterate(partial(_average, v, late, sums[SHARES], visits - t0), visits, notes=notes)
        else:
            yield Iterate(v, visits, notes=notes, scale=sums[SCALE])


def _trial(learn: Objective, strength: float, eta0: float, examples: np.ndarray, *, decay: bool) -> np.ndarray:
    v, late = np.zeros((2, parts.num_weights(learn.split)))
    sums, power = np.array([0.0, 1.0, 0.0]), -0.75 if decay else 0.0
    _visit_examples(
        learn.split, learn.loss_terms, strength, learn.loss_factors, eta0, power, 0, examples, v, late, sums
    )
    return _average(v, late, sums[SHARES], len(examples))


def _average(v: np.ndarray, late: np.ndarray, shares: float, count: int) -> np.ndarray:
    return (shares * v - late) / count


@kernel
def _visit_examples(split, loss, strength, factors, eta0, power, t0, examples, v, late, sums):
    memory = room(split, examples, 3)
    visits, scale, shares = sums
    for i in examples:
        m = parts.num_parts(split, i)
        s, mu, difference = memory[0, :m], memory[1, :m], memory[2, :m]
        eta = eta0 * (1 + eta0 * visits * strength) ** power
        towards_gold(split, loss, i, v, scale, s, mu, difference)
        scale *= 1 - eta * strength
        if abs(scale) < 1e-6:  # start the numbers afresh before one vanishes
            for j in range(v.shape[0]):
                late[j] -= shares * v[j]
                v[j] *= scale
            scale, shares = 1.0, 0.0
        step = eta / scale * factor_of(factors, i)
        parts.add_features(split, i, step, difference, v)
        visits += 1
        if visits > t0:
            if shares != 0.0:
                parts.add_features(split, i, step * shares, difference, late)
            shares += scale
    sums[0], sums[1], sums[2] = visits, scale, shares
