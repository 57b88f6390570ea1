"""L-BFGS on the primal, for smooth losses (eg2008, section 7.1.4).

The direction is -H g, see ``history``. Apart from the gradient of the losses, the speed of memory limits an
iteration. So vectors of weights are read and written as rarely as possible.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.gradient.history import History
from structbench.algorithms.gradient.preconditioner import Scaled, scaled
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Hints, Iterate, Objective, Value
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.long_vectors import inner
from structbench.algorithms.structures import interface as parts

SUFFICIENT, CURVATURE = 1e-4, 0.9  # of Wolfe's two conditions
TRIALS = 40
ROUNDING = 1e-14  # of the objective


@algorithm(
    label="L-BFGS",
    loss="smooth",
    penalties=("l2", "none"),
    needs=lambda preconditioner, **_: ("parts", "marginals", *["feature rows"] * (preconditioner != "none")),
    random=False,
    loss_factors=True,
    warm_start=True,
    settings=Settings(contests=({},)),
    references=("liu1989",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    memory: Annotated[int, ">= 1"] = 10,
    preconditioner: Literal["none", "diagonal"] = "none",
) -> Iterator[Iterate]:
    """Run L-BFGS from w = 0, or from an earlier fit. Yields after each iteration.

    Each evaluation of the line search counts as a visit to all examples.

    Args:
        memory: pairs of vectors kept (the paper's number).
        preconditioner: ``diagonal`` minimises the same objective over weights times the root of the curvature that
            their column of features gives. So features may be on very different scales.
    """
    n = parts.num_examples(objective.split)
    w = objective.first_weights()
    yield Iterate(w, 0)
    history = History(len(w), memory)
    g, w_new, g_new, direction = (np.empty_like(w) for _ in range(4))
    inner = scaled(objective) if preconditioner == "diagonal" else objective
    w = w * inner.roots if isinstance(inner, Scaled) else w
    value, evaluations = inner.value_and_gradient(w, g), 1
    while True:
        slope = history.direct(g, direction)
        if not slope < 0:
            return

        trial = partial(value_after, inner, w, direction, w_new, g_new)
        first = 1.0 if history.rows or inner is not objective else 1 / np.sqrt(-slope)
        accepted, trials = wolfe(trial, value, slope, first)
        evaluations += trials
        if accepted is None or not accepted < value:  # rounding hides any further progress
            return
        value = accepted
        history.append(w, w_new, g, g_new)
        w, w_new, g, g_new = w_new, w, g_new, g
        notes: dict[str, float | str] = {"evaluations": evaluations}
        if isinstance(inner, Scaled):
            yield Iterate(partial(inner.weights, w), evaluations * n, notes=notes)
        else:
            known = partial(value_found, objective, value, objective.conjugate, w, g)
            yield Iterate(w, evaluations * n, notes=notes, hints=Hints(value=known))


def value_found(objective: Objective, primal: float, conjugate: float, w: np.ndarray, g: np.ndarray) -> Value:
    """P(w) and the dual value of u_i = p(. | x_i; w). The gradient of the losses is -w(u).

    ``g`` is the gradient of P without A ||w||_1.
    """
    C = objective.strengths.C
    return Value(primal, objective.dual_value(conjugate, g - C * w if C else g))


def value_after(objective: Objective | Scaled, w, direction, w_new, g_new, step: float) -> tuple[float, float]:
    """Value and slope after a step along the direction; fills w_new and g_new."""
    parallel.for_each(_move, len(w), w, step, direction, w_new)
    return objective.value_and_gradient(w_new, g_new), inner(g_new, direction)


def wolfe(
    trial: Callable[[float], tuple[float, float]], value: float, slope: float, step: float
) -> tuple[float | None, int]:
    """Find a step that satisfies Wolfe's weak conditions: secants on the slope, safeguarded by bisection.

    Args:
        trial: step -> value and slope of the function there. The last call is the accepted step.
        value, slope: at step 0; the slope is negative.
        step: the first to try.

    Returns:
        The value at the accepted step, or None if ``TRIALS`` trials find no such step. And the number of trials.
    """
    low, high = 0.0, np.inf
    for trials in range(1, TRIALS + 1):
        there, slope_there = trial(step)
        if not there <= value + SUFFICIENT * step * slope + ROUNDING * abs(value):
            high = step
        elif slope_there < CURVATURE * slope:
            low = step
        else:
            return there, trials
        secant = step * slope / (slope - slope_there) if slope_there > slope else np.inf
        if np.isfinite(high):
            margin = 0.1 * (high - low)
            middle = (low + high) / 2
            step = min(max(secant, low + margin), high - margin) if np.isfinite(secant) else middle
        else:
            step = min(max(secant, 2 * step), 10 * step)
    return None, TRIALS


@kernel
def _move(first, last, w, step, direction, w_new):
    for k in range(first, last):
        w_new[k] = w[k] + step * direction[k]
