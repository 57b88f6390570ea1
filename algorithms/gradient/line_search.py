"""Descent with line searches, which halve the step (Armijo) or find the minimum along a direction."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.structures import interface as parts

SUFFICIENT = 1e-4  # of the decrease that the slope promises, Armijo's condition
ROUNDING = 1e-14  # of the objective
TRIALS = 40


class Point(NamedTuple):
    """w, P(w) and its gradient; shapes (num_weights,)."""

    w: np.ndarray
    value: float
    gradient: np.ndarray


def descent(
    objective: Objective,
    search: Callable[[Point, np.ndarray, float], tuple[Point, float, int]],
    turn: Callable[[Point, Point, np.ndarray, float], tuple[np.ndarray, float]],
) -> Iterator[Iterate]:
    """Descend from w = 0, first along the gradient. Yields after each step; each evaluation of P counts.

    It ends where the gradient is 0, or where rounding hides any further progress.

    Args:
        search: from a point, along a direction, with a first step: as ``backtracked``.
        turn: the next direction and first step, from the points before and after a step, its direction and length.
    """
    n, w = parts.num_examples(objective.split), np.zeros(parts.num_weights(objective.split))
    yield Iterate(w, 0)
    point, evaluations = evaluated(objective, w), 1
    direction, step = -point.gradient, 1 / (float(np.sqrt(point.gradient @ point.gradient)) or 1.0)
    while point.gradient.any():
        before = point
        point, moved, trials = search(point, direction, step)
        evaluations += trials
        if not point.value < before.value:
            return
        yield Iterate(point.w, evaluations * n, notes={"evaluations": evaluations, "step": moved})
        direction, step = turn(before, point, direction, moved)


def evaluated(objective: Objective, w: np.ndarray) -> Point:
    """Evaluate P and its gradient at w: an inference on every example."""
    gradient = np.empty_like(w)
    return Point(w, objective.value_and_gradient(w, gradient), gradient)


def falls(start: Point, slope: float, step: float, there: Point) -> bool:
    """Whether a step has Armijo's decrease; a rise by rounding passes."""
    return there.value <= start.value + SUFFICIENT * step * slope + ROUNDING * abs(start.value)


def backtracked(
    objective: Objective, start: Point, direction: np.ndarray, step: float
) -> tuple[Point, float, int]:
    """Halve the step until P falls by enough (Armijo 1966).

    Returns:
        The point reached, the step, and how often P was evaluated. If no step is short enough: the start and a
        step of 0.
    """
    slope = float(start.gradient @ direction)
    for trials in range(1, TRIALS + 1):
        there = evaluated(objective, start.w + step * direction)
        if falls(start, slope, step, there):
            return there, step, trials
        step /= 2
    return start, 0.0, TRIALS


def minimised(
    objective: Objective, start: Point, direction: np.ndarray, step: float, flat: float
) -> tuple[Point, float, int]:
    """Find a step where the slope is at most ``flat`` of the slope at the start, by secants within a bracket.

    P is convex, so that the sign of the slope tells on which side of the minimum a step ends.

    Returns:
        As ``backtracked``.
    """
    slope = float(start.gradient @ direction)
    low, low_slope, high, high_slope = 0.0, slope, np.inf, np.inf
    for trials in range(1, TRIALS + 1):
        there = evaluated(objective, start.w + step * direction)
        now = float(there.gradient @ direction)
        fallen = falls(start, slope, step, there)
        if fallen and abs(now) <= flat * -slope:
            return there, step, trials
        if fallen and now < 0:
            low, low_slope = step, now
        else:
            high, high_slope = step, max(now, 0.0)
        step = _next(low, low_slope, high, high_slope, slope)
    return start, 0.0, TRIALS


def _next(low: float, low_slope: float, high: float, high_slope: float, slope: float) -> float:
    if not np.isfinite(high):  # where a linear slope would be 0, but not too far
        curvature = (low_slope - slope) / low
        return min(max(low - low_slope / curvature, 1.1 * low), 10 * low) if curvature > 0 else 10 * low
    margin = 0.1 * (high - low)
    secant = low + (high - low) * low_slope / (low_slope - high_slope) if high_slope > 0 else (low + high) / 2
    return min(max(secant, low + margin), high - margin)
