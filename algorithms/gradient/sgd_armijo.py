"""SGD whose steps a stochastic Armijo line search finds, for smooth losses.

Vaswani et al. 2019: Algorithm 1, with option 2 of Algorithm 2, the reset. A visit to an example drawn at random
starts at the last step size, times growth^(1 / n), and takes it times 0.9 until

    f_i(w - eta g) <= f_i(w) - c eta ||g||^2,   f_i(w) = loss_i(w) + C ||w||^2 / (2 n),   g = grad f_i(w).

It needs no rate. Theory wants one w to be best for every f_i; else it ends some way from the optimum, as here.

Weights are a number times a vector. A trial costs an inference, on scores that differ by Gram products, and counts
as a visit. ||w||^2 is kept up step by step, and computed ten times a pass.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.learning.declaration import Promises, algorithm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.loss_factors import factor_of
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.sampling import ticks
from structbench.algorithms.losses.terms import augment, soft_max
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to, total_score
from structbench.algorithms.structures import interface as parts

BACK = 0.9  # the paper's beta
ROUNDING = 1e-14  # of f_i
TRIALS = 500
VANISHING = 1e-6  # of what multiplies the vector


@algorithm(
    label="SGD, Armijo",
    loss="smooth",
    needs=("parts", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    promises=Promises(linear=False, optimal=False),
    references=("vaswani2019",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    c: Annotated[float, "> 0", "< 1"] = 0.5,
    growth: Annotated[float, ">= 1"] = 2.0,
    eta_max: Annotated[float, "> 0"] = 1.0,
) -> Iterator[Iterate]:
    """Run SGD with a line search from w = 0, or from an earlier fit.

    Args:
        c: the share of the promised decrease that a step must reach, 1 / 2 in the theorem on convex losses.
        growth: what the step size may grow by in a pass; with 1 it never grows.
        eta_max: the step size that the first visit tries first.
    """
    split, n = objective.split, parts.num_examples(objective.split)
    faster = growth ** (1 / n)
    v, state = objective.first_weights(), np.array([0.0, 1.0, 0.0, eta_max / faster])
    yield Iterate(v, 0)
    for tick in ticks(rng, n, "random"):
        state[2] = state[1] ** 2 * float(v @ v)
        _visit_examples(
            split, objective.loss_terms, objective.C / n, objective.loss_factors, c, faster, tick, v, state
        )
        yield Iterate(v, int(state[0]), notes={"step": state[3]}, scale=state[1])


@kernel
def _visit_examples(split, loss, strength, factors, c, growth, examples, v, state):
    """``state``: visits, what v is multiplied by, ||w||^2, the last step size."""
    memory = room(split, examples, 6)
    visits, scale, square, eta = state
    for i in examples:
        size = parts.num_parts(split, i)
        own, s, mu, gold = memory[0, :size], memory[1, :size], memory[2, :size], memory[3, :size]
        d, change = memory[4, :size], memory[5, :size]
        q = factor_of(factors, i)
        parts.scores(split, i, v, own)
        for r in range(size):
            own[r] *= scale
        parts.gold(split, i, gold)
        here = q * _loss(split, loss, i, own, gold, s, mu) + strength / 2 * square
        for r in range(size):
            d[r] = gold[r] - mu[r]
        along, norm = (
            total_score(own, d),
            parts.squared_norm(split, i, d),
        )  # w . d f, ||d f||^2; g = C w / n - q d f
        change[:] = 0.0
        parts.add_gram(split, i, q, d, change)
        promised = c * (q * q * norm - 2 * q * strength * along + strength * strength * square)
        eta *= growth
        visits += 1
        for _ in range(TRIALS):
            visits += 1
            keep, step = 1 - eta * strength, eta * q
            for r in range(size):
                s[r] = keep * own[r] + eta * change[r]
            moved = keep * keep * square + 2 * keep * step * along + step * step * norm
            there = q * _loss(split, loss, i, s, gold, s, mu) + strength / 2 * moved
            if there <= here - eta * promised + ROUNDING * abs(here):
                break
            eta *= BACK
        square, scale = moved, scale * keep
        if abs(scale) < VANISHING:
            for j in range(v.shape[0]):
                v[j] *= scale
            scale = 1.0
        parts.add_features(split, i, step / scale, d, v)
    state[0], state[1], state[2], state[3] = visits, scale, square, eta


@kernel
def _loss(split, loss, i, own, gold, s, mu):
    """loss_i at the scores ``own``; s becomes these with costs, mu the marginals."""
    at_gold = total_score(own, gold)
    copy_to(own, s)
    augment(loss, split, i, s)
    return soft_max(loss, split, i, s, mu) - at_gold
