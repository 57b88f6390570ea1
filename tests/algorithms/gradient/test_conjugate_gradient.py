"""Conjugate gradients and gradient ascent: what they promise on a quadratic."""

from typing import Any

import numpy as np
import pytest

from structbench.algorithms.gradient import conjugate_gradient, gradient_ascent
from structbench.algorithms.gradient.line_search import _next, backtracked, evaluated, minimised
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import case
from tests.narrowing import fake

SPLIT = case("multiclass-dense").split
SIZE = parts.num_weights(SPLIT)


def quadratic(seed: int = 0) -> tuple[Any, np.ndarray]:
    """(w - w*) A (w - w*) / 2 in place of an objective, and w*; A has 12 different eigenvalues, 1 to 100."""
    rng = np.random.default_rng(seed)
    basis = np.linalg.qr(rng.normal(size=(SIZE, SIZE)))[0]
    A, best = basis * np.geomspace(1, 100, SIZE) @ basis.T, rng.normal(size=SIZE)

    def value_and_gradient(w: np.ndarray, gradient: np.ndarray) -> float:
        gradient[:] = A @ (w - best)
        return float((w - best) @ gradient) / 2

    return fake(split=SPLIT, value_and_gradient=value_and_gradient), best


def test_conjugate_gradients_need_as_many_steps_as_there_are_weights():
    objective, best = quadratic()
    steps = list(conjugate_gradient.solve(None, objective, None, flat=1e-9))
    far = [float(np.abs(step.vector - best).max()) for step in steps]
    assert far[SIZE] < 1e-7 < 1e-3 < far[SIZE // 2]
    climbed = list(zip(range(SIZE + 1), gradient_ascent.solve(None, objective, None), strict=False))
    assert np.abs(climbed[-1][1].vector - best).max() > 1e-2


@pytest.mark.parametrize("step", [1e-6, 1e-3, 1.0, 1e4])
def test_a_line_search_ends_where_it_says(step):
    objective, _ = quadratic(1)
    start = evaluated(objective, np.zeros(SIZE))
    direction = -start.gradient
    there, moved, trials = minimised(objective, start, direction, step, 1e-3)
    assert abs(there.gradient @ direction) <= 1e-3 * (direction @ direction)
    np.testing.assert_allclose(there.w, start.w + moved * direction)
    assert trials <= 20
    there, moved, trials = backtracked(objective, start, direction, step)
    assert there.value <= start.value - 1e-4 * moved * (direction @ direction)
    assert moved == step / 2 ** (trials - 1)


@pytest.mark.parametrize(
    ("low_slope", "high", "high_slope", "step"),
    [
        (-1.0, np.inf, np.inf, 4.0),  # the slope was -2 at 0, and is level there
        (-1e-3, np.inf, np.inf, 2.2),
        (-1.999, np.inf, np.inf, 20.0),
        (-2.5, np.inf, np.inf, 20.0),
        (-1.0, 12.0, 3.0, 4.5),
        (-1.0, 12.0, 0.0, 7.0),
        (-1e-3, 12.0, 3.0, 3.0),
        (-3.0, 12.0, 1e-3, 11.0),
    ],
)
def test_the_next_step_is_the_secant_s_but_within_limits(low_slope, high, high_slope, step):
    assert _next(2.0, low_slope, high, high_slope, -2.0) == pytest.approx(step)
