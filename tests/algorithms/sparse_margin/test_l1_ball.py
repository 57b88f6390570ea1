"""The projection onto the l1 ball against sorting and against its optimality conditions."""

import numpy as np
import pytest

from structbench.algorithms.sparse_margin.l1_ball import project, shrinkage


def by_sorting(v: np.ndarray, radius: float) -> float:
    """theta as in Duchi et al., Figure 1."""
    if np.abs(v).sum() <= radius:
        return 0.0
    sizes = np.sort(np.abs(v))[::-1]
    thetas = (np.cumsum(sizes) - radius) / np.arange(1, len(v) + 1)
    return float(thetas[np.flatnonzero(sizes > thetas)[-1]])


@pytest.mark.parametrize("seed", range(40))
def test_the_shrinkage_is_that_of_sorting(seed):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=rng.integers(1, 60))
    if seed % 4 == 0:
        v = np.round(v)  # ties and zeros
    for radius in (1e-9, 0.3, 1.0, 5.0, 1e3):
        assert shrinkage(np.abs(v), radius) == pytest.approx(by_sorting(v, radius), abs=1e-12)


def test_all_sizes_equal():
    assert shrinkage(np.ones(7), 3.5) == pytest.approx(0.5)
    assert shrinkage(np.zeros(7), 3.5) == 0.0
    assert shrinkage(np.empty(0), 3.5) == 0.0


@pytest.mark.parametrize("seed", range(10))
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
