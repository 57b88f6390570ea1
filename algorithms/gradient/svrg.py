"""SVRG: stochastic gradients, each corrected by that of a snapshot of the weights, for smooth losses.

Johnson and Zhang 2013: the procedure of Figure 1 with option I. With the snapshot w' and g the gradient of P / n
there, it makes 2 n steps

    w <- w - eta (grad f_i(w) - grad f_i(w') + g),   f_i(w) = loss_i(w) + C ||w||^2 / (2 n),

each for an example drawn at random. Then w is the next snapshot. A snapshot is a visit to all examples, a step two
visits to its example. The paper starts from a pass of SGD; this starts from w = 0.

The weights are w' + beta z + gamma g, so that a step changes only the features of its example.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.gradient.stochastic import selected_rate, towards_gold
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.loss_factors import factor_of
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.losses.terms import soft_max
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts

PASSES = 2  # of steps from a snapshot; the paper's choice for convex objectives
VANISHING = 1e-6  # beta at which it starts afresh


@algorithm(
    label="SVRG",
    loss="smooth",
    needs=("parts", "marginals"),
    threads=False,
    loss_factors=True,
    warm_start=True,
    settings=Settings(figures=({}, {"eta": 0.01}), every_test={"eta": 0.1}),
    references=("johnson2013",),
)
def solve(
    problem: Any, objective: Objective, rng: np.random.Generator, *, eta: Annotated[float, ">= 0"] = 0.0
) -> Iterator[Iterate]:
    """Run SVRG from w = 0, or from an earlier fit.

    Args:
        eta: the step size. 0 selects it as ``sgd`` does, after a snapshot and a pass of steps. For convergence it
            must be below 1 / L by a factor, with L the largest Lipschitz constant of a gradient (Theorem 1).
    """
    split, n = objective.split, parts.num_examples(objective.split)
    eta, notes = selected_rate(objective, rng, "eta", eta, _trial, cost=3)
    snapshot, visits = objective.first_weights(), 0
    z, g = np.zeros((2, len(snapshot)))
    losses = split, objective.loss_terms, objective.C / n, objective.loss_factors
    yield Iterate(snapshot, 0, notes=notes)
    while True:
        objective.value_and_gradient(snapshot, g)
        g /= n
        visits += n
        z[:], scales = 0.0, (1.0, 0.0)
        yield Iterate(snapshot, visits, notes=notes)
        for tick in [each for _ in range(PASSES) for each in split_pass(one_pass(rng, n, "random"))]:
            scales = _visit_examples(*losses, eta, tick, snapshot, z, g, *scales)
            visits += 2 * len(tick)
            yield Iterate(partial(_weights, snapshot, z, g, *scales), visits, notes=notes)
        snapshot = _weights(snapshot, z, g, *scales)


def _trial(learn: Objective, strength: float, eta: float, examples: np.ndarray) -> np.ndarray:
    snapshot, z, g = np.zeros((3, parts.num_weights(learn.split)))
    learn.loss_and_gradient(snapshot, g)
    g /= len(examples)
    scales = _visit_examples(
        learn.split, learn.loss_terms, strength, learn.loss_factors, eta, examples, snapshot, z, g, 1.0, 0.0
    )
    return _weights(snapshot, z, g, *scales)


def _weights(snapshot: np.ndarray, z: np.ndarray, g: np.ndarray, beta: float, gamma: float) -> np.ndarray:
    return snapshot + beta * z + gamma * g


@kernel
def _visit_examples(split, loss, strength, factors, eta, examples, snapshot, z, g, beta, gamma):
    memory = room(split, examples, 5)
    keep = 1 - eta * strength
    for i in examples:
        m = parts.num_parts(split, i)
        s, mu, there, moved, difference = memory[0, :m], memory[1, :m], memory[2, :m], memory[3, :m], memory[4, :m]
        towards_gold(split, loss, i, snapshot, 1.0, s, there, difference)
        parts.scores(split, i, z, moved)
        parts.scores(split, i, g, difference)
        for r in range(m):
            s[r] += beta * moved[r] + gamma * difference[r]
        soft_max(loss, split, i, s, mu)
        for r in range(m):
            difference[r] = there[r] - mu[r]
        beta, gamma = keep * beta, keep * gamma - eta
        if abs(beta) < VANISHING:
            for j in range(z.shape[0]):
                z[j] *= beta
            beta = 1.0
        parts.add_features(split, i, eta / beta * factor_of(factors, i), difference, z)
    return beta, gamma
