"""The pairs that L-BFGS remembers: 16 bits a number, and otherwise exact."""

import numpy as np
import pytest

from structbench.algorithms.gradient.history import History
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.long_vectors import BLOCK

SIZE = 2 * BLOCK + 1234
STEPS = 5


def kept(halves: np.ndarray) -> np.ndarray:
    return (halves.astype(np.uint32) << 16).view(np.float32).astype(float)


def filled(memory: int) -> tuple[History, np.ndarray, np.ndarray]:
    """After some steps on a quadratic: the history, the last gradient and the direction."""
    rng = np.random.default_rng(0)
    scale, w = rng.uniform(0.1, 10, size=SIZE), rng.normal(size=SIZE)
    history, direction = History(SIZE, memory), np.empty(SIZE)
    for _ in range(STEPS):
        w_new = w - 0.05 * scale * w * rng.uniform(0.5, 1.5, size=SIZE)
        history.append(w, w_new, scale * w, scale * w_new)
        w = w_new
    g = scale * w
    slope = history.direct(g, direction)
    assert slope == pytest.approx(g @ direction, rel=1e-10)
    return history, g, direction


@pytest.mark.parametrize("memory", [1, 3, 10])
def test_the_direction_is_that_of_the_two_loop_recursion_on_the_pairs_as_kept(memory):
    history, g, direction = filled(memory)
    assert len(history.rows) == min(memory, STEPS)
    pairs = [(kept(history.S[i]), kept(history.Y[i])) for i in history.rows]
    q, steps = g.copy(), []
    for s, y in reversed(pairs):
        steps.append((s @ q) / (s @ y))
        q -= steps[-1] * y
    s, y = pairs[-1]
    q *= (s @ y) / (y @ y)
    for s, y in pairs:
        q += (steps.pop() - (y @ q) / (s @ y)) * s
    np.testing.assert_allclose(direction, -q, rtol=1e-7, atol=1e-9 * np.abs(q).max())


def test_a_number_is_kept_to_the_nearest_of_16_bits():
    change = np.array([0.0, 1.0, -1.0, 1e-30, -3.3e7, 1.0 + 2**-8 + 2**-20, 1.0 + 2**-8 - 2**-20, np.pi])
    history = History(len(change), 1)
    history.append(np.zeros_like(change), change, np.zeros_like(change), change)
    found = kept(history.S[0])
    assert np.abs(found - change).max() > 0
    np.testing.assert_allclose(found, change, rtol=2**-8)
    np.testing.assert_array_equal(found[[0, 1, 2, 5, 6]], [0.0, 1.0, -1.0, 1.0 + 2**-7, 1.0])


def test_the_bits_do_not_depend_on_threads():
    _, _, one = filled(3)
    with parallel.using(2):
        np.testing.assert_array_equal(filled(3)[2], one)
