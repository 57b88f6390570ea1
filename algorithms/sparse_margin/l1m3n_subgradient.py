"""Projected subgradient descent for the hinge on an l1 ball (l1m3n2009, section 4.2, Algorithm 2).

The weights stay within ||w||_1 <= lambda = 1 / C, the penalty ``l1-ball``. With psi_i = f(x_i, y_i) - f(x_i, y), y
the cost-augmented argmax at w, step t is

    w <- projection of w + eta_t psi,     eta_t = eta lambda / (G sqrt(t)).

psi is that of one example (online) or the sum of all (batch). G is the root of the average ||psi||^2 so far. eta =
1 minimises the theory's bound, which is for a ball with Euclidean radius lambda. A sparse optimum's ||w||_2 is far
below its ||w||_1, so that an eta far below 1 is better.

The psi of one pass, one of each example, are w(u) of a dual point u: an average over passes is the certificate.

If the ball is large enough, no example has a loss, and the optimum is 0 = P(w) = D(u), u the gold outputs.
"""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.learning.certificate import Certificate
from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.gold_outputs import subtract_from_gold
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.l1_ball import project
from structbench.algorithms.learning.objective import Hints, Iterate, Objective, Value, require_labels
from structbench.algorithms.learning.sampling import split_pass
from structbench.algorithms.learning.sparse_features import largest_support
from structbench.algorithms.losses.terms import costs_and_scores
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts

POWERS = {"none": -1, "uniform": 0, "weighted": 1}
ROUNDING = 1e-12  # of an example's loss; a wrong label costs 1
STEPS, LOSSES_SUM, SQUARES, AVERAGED, COUNT = range(5)  # places in what ``_visit_examples`` carries


@algorithm(loss="polyhedral", penalties=("l1-ball",), needs=("parts", "argmax"), references=("l1m3n2009",))
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    mode: Literal["online", "batch"] = "online",
    average: Literal["none", "uniform", "weighted"] = "weighted",
    eta: Annotated[float, "> 0"] = 0.1,
) -> Iterator[Iterate]:
    """Run projected subgradient descent from w = 0.

    Args:
        mode: one example a step, in a new random order each pass, or all of them (the paper's Algorithm 2).
        average: the weights are the last w, whose small weights come and go; or the average over all steps; or the
            average in which the t-th counts t times. An average is 0 only where every w was 0.
        eta: the length of steps.
    """
    require_labels(objective.split, "l1m3n-subgradient")
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)
    run = _online if mode == "online" else _batch
    yield from run(objective, rng, POWERS[average], eta)


class _State:
    """w, its list of nonzero weights, its average times sums[AVERAGED], and a dual point."""

    def __init__(self, objective: Objective, power: int) -> None:
        size = parts.num_weights(objective.split)
        self.objective, self.certificate = objective, Certificate(objective)
        self.w, self.sizes = np.zeros((2, size))
        self.listed, self.where = np.zeros(size, np.bool_), np.zeros(size, np.int64)
        self.total = np.zeros(size if power >= 0 else 0)
        self.sums = np.zeros(5)

    def iterate(self, visits: int) -> Iterate:
        vector, scale = (self.total, 1 / self.sums[AVERAGED]) if len(self.total) else (self.w, 1.0)
        hints = Hints(value=partial(self.value, vector, scale))
        return Iterate(vector, visits, self.certificate.dual, scale=scale, hints=hints)

    def value(self, vector: np.ndarray, scale: float) -> Value:
        """As ``Objective.evaluate``; losses that are 0 up to rounding, of either sign, are 0."""
        conjugate, dual_weights = self.certificate.conjugate, self.certificate.dual_weights
        found = self.objective.evaluate(scale * vector, conjugate, dual_weights)
        none = abs(found.primal) <= ROUNDING * parts.num_examples(self.objective.split)
        return found._replace(primal=0.0) if none else found


def _batch(objective: Objective, rng: np.random.Generator, power: int, eta: float) -> Iterator[Iterate]:
    split, radius = objective.split, 1 / objective.C
    n, size = parts.num_examples(split), parts.num_weights(split)
    state = _State(objective, power)
    state.listed[:] = True
    psi = np.empty(size)
    while True:
        _, conjugates = objective.losses_and_conjugates(state.w, psi)
        np.negative(psi, out=psi)
        state.certificate.add(float(conjugates.sum()), psi)
        state.sums[STEPS] += 1
        state.sums[SQUARES] += psi @ psi
        if state.sums[SQUARES] == 0:  # the gold outputs win everywhere, whatever the step
            state.sums[AVERAGED] = 1.0
            yield state.iterate(n)
            return
        state.w += eta * radius / np.sqrt(state.sums[SQUARES]) * psi
        state.listed[:], state.where[:] = True, np.arange(size)
        project(state.w, state.listed, state.where, size, radius, state.sizes)
        if power >= 0:
            weight = state.sums[STEPS] ** power
            state.total += weight * state.w
            state.sums[AVERAGED] += weight
        yield state.iterate(int(state.sums[STEPS]) * n)


def _online(objective: Objective, rng: np.random.Generator, power: int, eta: float) -> Iterator[Iterate]:
    split, radius = objective.split, 1 / objective.C
    n, size = parts.num_examples(split), parts.num_weights(split)
    state = _State(objective, power)
    psi, before = np.zeros((2, size))
    touched = np.empty(largest_support(split), np.int64)
    passes = 0
    while True:
        for tick in split_pass(rng.permutation(n)):
            _visit_examples(
                split, tick, radius, eta, power, state.w, state.listed, state.where, state.sizes, state.total,
                psi, touched, state.sums,
            )  # fmt: skip
            visits = int(state.sums[STEPS])
            if visits == (passes + 1) * n:
                passes += 1
                state.certificate.add(state.sums[LOSSES_SUM], psi - before)
                before[:] = psi
                state.sums[LOSSES_SUM] = 0.0
            yield state.iterate(visits)


@kernel
def _visit_examples(split, examples, radius, eta, power, w, listed, where, sizes, total, psi, touched, sums):
    """A step for each of these examples; psi and sums[LOSSES_SUM] add up what makes the dual point."""
    memory = room(split, examples, 3)
    count = int(sums[COUNT])
    for i in examples:
        m = parts.num_parts(split, i)
        e, s, y = memory[0, :m], memory[1, :m], memory[2, :m]
        costs_and_scores(split, i, w, 1.0, e, s)
        parts.argmax(split, i, s, y)
        sums[LOSSES_SUM] += dot(e, y)
        sums[STEPS] += 1
        if subtract_from_gold(split, i, y, s):
            sums[SQUARES] += parts.squared_norm(split, i, s)
            if sums[SQUARES] > 0:
                parts.add_features(split, i, eta * radius / np.sqrt(sums[SQUARES]), s, w)
                parts.add_features(split, i, 1.0, s, psi)
                for j in range(parts.feature_support(split, i, s, touched)):
                    k = touched[j]
                    if not listed[k]:
                        listed[k] = True
                        where[count] = k
                        count += 1
                count = project(w, listed, where, count, radius, sizes)
        if power >= 0:
            weight = sums[STEPS] ** power
            for j in range(count):
                total[where[j]] += weight * w[where[j]]
            sums[AVERAGED] += weight
    sums[COUNT] = count
