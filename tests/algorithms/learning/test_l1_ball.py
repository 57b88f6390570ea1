"""The projection onto the l1 ball against sorting and against its optimality conditions."""

from itertools import product

import numpy as np
import pytest

from structbench.algorithms.learning.l1_ball import project, shrinkage


def by_sorting(v: np.ndarray, radius: float) -> float:
    """theta as in Duchi et al., Figure 1."""
    if np.abs(v).sum() <= radius:
        return 0.0
    sizes = np.sort(np.abs(v))[::-1]
    thetas = (np.cumsum(sizes) - radius) / np.arange(1, len(v) + 1)
    return float(thetas[np.flatnonzero(sizes > thetas)[-1]])


def test_the_shrinkage_is_that_of_sorting():
    rng = np.random.default_rng(0)
    drawn = [rng.normal(size=size) for size in rng.integers(1, 60, size=40)]
    drawn += [np.round(v) for v in drawn[:10]]  # ties and zeros
    for v, radius in product([*drawn, np.ones(7), np.zeros(7), np.empty(0)], (1e-9, 0.3, 1.0, 3.5, 1e3)):
        assert shrinkage(np.abs(v), radius) == pytest.approx(by_sorting(v, radius), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_projection_keeps_its_list_and_is_the_nearest_point(seed):
    rng = np.random.default_rng(seed)
    w, radius = np.where(rng.random(50) < 0.4, rng.normal(size=50), 0.0), 2.0
    before = w.copy()
    listed, where = w != 0, np.zeros(50, np.int64)
    count = int(listed.sum())
    where[:count] = rng.permutation(np.flatnonzero(listed))
    count = project(w, listed, where, count, radius, np.empty(50))
    assert sorted(where[:count]) == list(np.flatnonzero(w)) == list(np.flatnonzero(listed))
    assert np.abs(w).sum() == pytest.approx(min(radius, np.abs(before).sum()))
    for _ in range(200):  # (before - w) . (v - w) <= 0 for all v in the ball
        v = rng.normal(size=50) * (rng.random(50) < 0.1)
        v *= radius / max(np.abs(v).sum(), 1e-300)
        assert (before - w) @ (v - w) <= 1e-12
