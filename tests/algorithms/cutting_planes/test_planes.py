"""Planes against dense matrices, their quadratic program, and what counts as rounding."""

import numpy as np
import pytest

from structbench.algorithms.cutting_planes.planes import Planes, solve_simplex_program

C = 0.5


def drawn(count: int = 8, size: int = 5) -> tuple[Planes, np.ndarray, np.ndarray]:
    """Planes that were added and optimised one by one, with all a (planes, size) and b."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(count, size)) * (rng.random((count, size)) < 0.6), rng.random(count) * 10
    planes = Planes(C, "test")
    for a_t, b_t in zip(a, b, strict=True):
        planes.add(a_t, b_t)
        planes.optimise(np.empty(size))
    return planes, a, b


def test_each_plane_adds_its_row_of_products():
    planes, a, b = drawn()
    np.testing.assert_allclose(planes.gram, a @ a.T, atol=1e-12)
    w = np.empty(a.shape[1])
    planes.optimise(w)
    np.testing.assert_allclose(w, planes.alpha @ a, atol=1e-12)
    assert planes.slack == pytest.approx((b - a @ w / C).max())


def test_shifted_planes_are_those_of_the_sums():
    planes, a, b = drawn()
    by = np.random.default_rng(1).normal(size=a.shape[1])
    moved = planes.shifted(by)
    np.testing.assert_allclose(moved.gram, (a + by) @ (a + by).T, atol=1e-12)
    np.testing.assert_array_equal(moved.b, b)
    assert not moved.alpha.any()


def test_planes_without_a_share_are_dropped_after_so_many_solutions():
    planes, a, b = drawn()
    last = planes.alpha > 0
    planes.drop(len(b))
    assert len(planes.b) == len(b)
    planes.drop(1)
    assert 0 < last.sum() < len(b)
    np.testing.assert_allclose(planes.gram, a[last] @ a[last].T, atol=1e-12)
    np.testing.assert_array_equal(planes.b, b[last])


def test_a_loss_above_all_planes_by_rounding_is_not_above_them():
    planes, *_ = drawn()
    assert planes.below(planes.slack + 1e-10, 0.0, 1.0)
    assert not planes.below(planes.slack + 1e-12, 0.0, 1.0)
    assert not planes.below(planes.slack + 1e-10, 0.0, 1e3)
    assert not planes.below(planes.slack + 1e-10, 1e-9, 1.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rank", [0, 3, 20])
def test_the_program_is_solved_even_if_singular(seed, rank):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(20, rank)) * 100, rng.random(20) * 1000
    Q = a @ a.T
    alpha = solve_simplex_program(Q, b, "one-slack")
    gradient = b - Q @ alpha
    assert alpha.min() >= 0
    assert alpha.sum() == pytest.approx(1, abs=1e-12)
    assert gradient.max() - alpha @ gradient <= 1e-7


def test_a_single_plane_and_planes_of_nothing_have_a_solution():
    assert solve_simplex_program(np.eye(1), np.zeros(1), "one-slack") == pytest.approx([1])
    assert solve_simplex_program(np.zeros((3, 3)), np.zeros(3), "one-slack").sum() == pytest.approx(1)
