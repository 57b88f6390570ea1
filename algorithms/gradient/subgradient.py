"""Subgradient descent on the primal of the hinge, with step sizes from theory and a certificate.

Shalev-Shwartz, Singer and Srebro 2007; Ratliff, Bagnell and Zinkevich 2007. Let psi_i = f(x_i, y_i) - f(x_i, y),
with y the cost-augmented argmax at w. Visit t, to example i, steps along an estimate of the subgradient,

    w <- w - (C w - n psi_i) / (C t) = (1 - 1 / t) w + (n / (C t)) psi_i,

so that w is n / C times the average of all psi so far. A visit changes only the sum of the psi.

The argmaxes of one pass, one of each example, are a dual point u with w(u) = sum_i psi_i. The certificate is an
average over all passes. Batch mode is Frank-Wolfe with step size 1 / t. Memory: O(features).
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.coordinate_ascent.frank_wolfe import batch_steps
from structbench.algorithms.learning.averages import averaged, by_power
from structbench.algorithms.learning.certificate import Certificate
from structbench.algorithms.learning.declaration import Promises, Settings, algorithm
from structbench.algorithms.learning.gold_outputs import squared_norms, subtract_from_gold
from structbench.algorithms.learning.inference import room
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.learning.sampling import one_pass, split_pass
from structbench.algorithms.losses.terms import costs_and_scores
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot
from structbench.algorithms.structures import interface as parts

POWERS = {"none": 0, "uniform": 0, "weighted": 1}
VISITS, LOSSES_SUM, COUNTED, SHARES, AVERAGED = range(5)  # places in what ``_visit_examples`` adds up


@algorithm(
    loss="polyhedral",
    needs=("parts", "argmax"),
    random={"mode": ("online",)},
    promises=Promises(linear=False),
    settings=Settings(figures=({}, {"mode": "batch"}), tests=({"mode": "batch", "average": "none"},)),
    references=("shalevshwartz2007", "ratliff2007"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    mode: Literal["online", "batch"] = "online",
    average: Literal["none", "uniform", "weighted"] = "weighted",
    delay: Annotated[float, ">= 0"] = 1.0,
) -> Iterator[Iterate]:
    """Run subgradient descent from w = 0.

    Args:
        mode: one example an update, in a new random order each pass, or all examples.
        average: the weights are the last w, or an average of w after each update. ``uniform`` is Pegasos. In
            ``weighted`` the t-th w counts t times (Lacoste-Julien, Schmidt and Bach, A simpler approach to
            obtaining an O(1/t) convergence rate for the projected stochastic subgradient method, 2012; with these
            step sizes Shamir and Zhang, Stochastic gradient descent for non-smooth optimization, 2013).
        delay: t starts late, as if earlier visits had found no error. Online it starts at delay n R^2 / C, with
            R^2 the mean of ||f(x_i, y_i)||^2. Then no step moves the margin of its own example by much more than
            1 / delay. In batch mode, a delay of 1 makes the first step that of Frank-Wolfe's line search. With 0,
            as in the papers, the first step throws w far away.
    """
    require_labels(objective.split, "subgradient")
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0)
    if mode == "online":
        yield from _online(objective, rng, average, delay)
    else:
        run = batch_steps(objective, _batch_step(delay))
        yield from run if average == "none" else averaged(run, by_power(POWERS[average]))


def _batch_step(delay: float) -> Callable[[int, float, float], float]:
    start = 0.0

    def step(t: int, gap: float, curvature: float) -> float:
        nonlocal start
        if t == 1 and gap > 0:
            start = delay * max(curvature / gap - 1, 0.0)
        return 1 / (t + start)

    return step


def _online(objective: Objective, rng: np.random.Generator, average: str, delay: float) -> Iterator[Iterate]:
    """After visit t, w_t = (n / C) psi_t / counted_t. Without a delay, counted_t = t.

    For averages, sum_t a_t w_t is (n / C) (shares psi - late), where shares is sum_t a_t / counted_t. ``late``
    adds up each visit's psi times the shares before that visit, because psi had no part in them.
    """
    split, C, n = objective.split, objective.C, parts.num_examples(objective.split)
    psi = np.zeros(parts.num_weights(split))
    late = np.zeros(0 if average == "none" else len(psi))
    certificate = Certificate(objective)
    psi_before, losses_before = np.zeros_like(psi), 0.0
    sums = np.zeros(5)
    sums[COUNTED] = delay * squared_norms(split)[0] / C
    while True:
        for tick in split_pass(one_pass(rng, n, "permuted")):
            _visit_examples(split, n / C, POWERS[average], tick, psi, late, sums)
            visits = int(sums[VISITS])
            if visits % n == 0:
                certificate.add(sums[LOSSES_SUM] - losses_before, psi - psi_before)
                psi_before[:], losses_before = psi, sums[LOSSES_SUM]
            if average == "none":
                vector, total = psi, sums[COUNTED]
            else:
                vector, total = sums[SHARES] * psi - late, sums[AVERAGED]
            yield Iterate(vector, visits, certificate.dual, scale=n / (C * total))


@kernel
def _visit_examples(split, most, power, examples, psi, late, sums):
    memory = room(split, examples, 3)
    visits, losses, counted, shares, averaged = sums
    for i in examples:
        m = parts.num_parts(split, i)
        e, s, y = memory[0, :m], memory[1, :m], memory[2, :m]
        costs_and_scores(split, i, psi, counted / most if counted > 0 else np.inf, e, s)
        parts.argmax(split, i, s, y)
        losses += dot(e, y)
        if subtract_from_gold(split, i, y, s):
            parts.add_features(split, i, 1.0, s, psi)
            if len(late) > 0:
                parts.add_features(split, i, shares, s, late)
        visits += 1
        counted += 1
        weight = visits**power
        shares += weight / counted
        averaged += weight
    sums[0], sums[1], sums[2], sums[3], sums[4] = visits, losses, counted, shares, averaged
