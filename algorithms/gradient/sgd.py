"""Stochastic gradient descent on the primal, for smooth losses (eg2008, section 7.1.3).

    w <- w - eta (E_{p(.|x_i; w)} f(x_i, .) - f(x_i, y_i) + (C / n) w),   eta = eta0 / (1 + k / n)

at the k-th visit, to an example drawn at random. For comparison, eta may stay eta0 throughout. The weights are
kept as a number times a vector, so that a visit changes only the features of its example. For the log loss, p is
the model's distribution. For another smooth loss, it is the distribution of that loss's own maximum.

With A ||w||_1 an update ends with w <- soft(w, eta A / n), by ``lazy_steps``. Not in the paper.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.lazy_steps import catch_up, finish, waiting
from structbench.algorithms.gradient.stochastic import selected_rate, towards_gold
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.loss_factors import factor_of
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="SGD",
    loss="smooth",
    penalties=("l2", "elastic-A", "l1"),
    needs=("parts", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False),
    settings=Settings(contests=({},)),
    references=("eg2008",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    eta0: Annotated[float, ">= 0"] = 0.0,
    decay: bool = True,
    delay: Annotated[float, ">= 0"] = 1.0,
) -> Iterator[Iterate]:
    """Run SGD from w = 0, or from an earlier fit.

    Args:
        eta0: the initial learning rate. 0 selects it as the paper does: of 1, 0.1, 0.01, 0.001 and 0.0001, the one
            with the least error after one pass. That pass leaves out a random tenth of the training examples. The
            error is measured on this tenth, not on the test split. No pass counts these visits;
            the note ``calibration_visits`` does.
        decay: let the rate fall as above; if not, it stays ``eta0`` (section 7.1.3 compares the two).
        delay: the 1 of 1 + k / n. With 0 the rate is eta0 n / (k + 1), which is Pegasos's if eta0 = 1 / C.
    """
    split, factors, n = objective.split, objective.loss_factors, parts.num_examples(objective.split)
    delay = max(delay, 1 / n) if decay else 0.0
    trial = partial(_one_pass, A=objective.strengths.A / n, delay=delay)
    eta0, notes = selected_rate(objective, rng, "eta0", eta0, trial)
    v, scale, own = objective.first_weights(), 1.0, waiting(split, objective.strengths.A / n)
    yield Iterate(v, 0, notes=notes, scale=scale)
    visits = 0
    while True:
        for tick in split_pass(one_pass(rng, n, "random")):
            scale = _visit_examples(
                split, objective.loss_terms, objective.strengths.C / n, own, factors, eta0, delay, n, visits, tick,
                v, scale,
            )  # fmt: skip
            visits += len(tick)
            yield Iterate(v, visits, notes=notes, scale=scale)


def _one_pass(
    learn: Objective, strength: float, eta0: float, examples: np.ndarray, *, A: float, delay: float
) -> np.ndarray:
    v, m, own = np.zeros(parts.num_weights(learn.split)), len(examples), waiting(learn.split, A)
    v *= _visit_examples(
        learn.split, learn.loss_terms, strength, own, learn.loss_factors, eta0, delay, m, 0, examples, v, 1.0
    )
    return v


@kernel
def _visit_examples(split, loss, strength, own, factors, eta0, delay, n, visits, examples, v, scale):
    """Visit these examples in turn; returns the new scale, 1 with an l1 norm, none of whose steps wait."""
    memory = room(split, examples, 3)
    now, sums, nothing = 0, np.zeros(examples.shape[0] + 1), v[:0]
    for k in range(examples.shape[0]):
        i = examples[k]
        parts.prefetch(split, examples[min(k + 1, examples.shape[0] - 1)])
        m = parts.num_parts(split, i)
        s, mu, difference = memory[0, :m], memory[1, :m], memory[2, :m]
        eta = eta0 / (delay + visits / n) if delay > 0.0 else eta0
        if own.A > 0.0:
            catch_up(split, i, own, now, sums, nothing, v)
        towards_gold(split, loss, i, v, scale, s, mu, difference)
        scale *= 1 - eta * strength
        if abs(scale) < 1e-6:  # a strong penalty: start the number afresh before it vanishes
            _write_out(own, now, sums, scale, v)
            scale, now = 1.0, 0
        parts.add_features(split, i, eta / scale * factor_of(factors, i), difference, v)
        visits += 1
        now += 1
        sums[now] = sums[now - 1] + eta / abs(scale)
    if own.A > 0.0:
        _write_out(own, now, sums, scale, v)
        return 1.0
    return scale


@kernel
def _write_out(own, now, sums, scale, v):
    if own.A > 0.0:
        finish(own, now, sums, v[:0], scale, v)
        return
    for j in range(v.shape[0]):
        v[j] *= scale
