"""The planes of 1-slack cutting planes, and the stopping rule."""

from itertools import pairwise

import numpy as np
import pytest

from structbench.algorithms.cutting_planes import planes
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import Case, case, every_structure
from tests.algorithms.solvers import Point, points, solved

C = 0.8


def run(small: Case, monkeypatch, **params) -> tuple[list[Point], list[tuple]]:
    """All points of a run to its own end, and the planes (a, b) in the order they were made."""
    made, add = [], planes.Planes.add

    def spied(self, a, b):
        made.append((a.copy(), b))
        add(self, a, b)

    monkeypatch.setattr(planes.Planes, "add", spied)
    return list(points("one-slack", small.split, "hinge", C, **params)), made


@every_structure
@pytest.mark.parametrize("unseen", [0.0, 0.4])
def test_planes_lie_below_the_loss_and_touch_it(name, unseen, monkeypatch):
    small = case(name, unseen=unseen)
    run_points, made = run(small, monkeypatch, epsilon=1e-6)
    rng = np.random.default_rng(0)
    others = [rng.normal(size=parts.num_weights(small.split)) * size for size in (0, 0.1, 1, 10)]
    for a, b in made:
        for w in others:
            assert b - w @ a <= sum(small.losses(w, "hinge")) + 1e-9 * (1 + abs(w @ a))
    for point, (a, b) in zip(run_points, made[1:], strict=False):  # made[0]: the right outputs
        loss = sum(small.losses(point.weights, "hinge"))
        assert b - point.weights @ a == pytest.approx(loss, rel=1e-10, abs=1e-9)
    a, b = made[0]
    if unseen == 0:
        assert b == 0
        assert not a.any()


@every_structure
def test_the_dual_never_decreases_and_alpha_is_feasible(name, monkeypatch):
    found, solve_program = [], planes.solve_simplex_program

    def spied(Q, b, algorithm):
        found.append((Q, b, solve_program(Q, b, algorithm)))
        return found[-1][2]

    monkeypatch.setattr(planes, "solve_simplex_program", spied)
    run_points, _ = run(case(name), monkeypatch, epsilon=1e-8)
    for Q, b, alpha in found:
        assert alpha.min() >= 0
        assert abs(alpha.sum() - 1) <= 1e-12
        gradient = b - Q @ alpha
        assert gradient.max() - alpha @ gradient <= 1e-9 * (1 + abs(b).max())
    duals = [point.value.dual for point in run_points[1:]]
    assert all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(duals))
    assert duals[-1] > duals[0]


@every_structure
@pytest.mark.parametrize("epsilon", [0.3, 1e-5])
def test_it_ends_epsilon_from_the_optimum(name, epsilon, monkeypatch):
    """What the paper guarantees, for means over the examples; the rounds before are further away."""
    small = case(name)
    run_points, made = run(small, monkeypatch, epsilon=epsilon)
    n = len(small.examples)
    gaps = [(point.value.primal - point.value.dual) / n for point in run_points[1:]]
    assert gaps[-1] <= epsilon
    assert all(gap > epsilon for gap in gaps[:-2])  # the last two are one point: before and after the check
    assert len(run_points) == len(made) + 1
    assert [point.visits for point in run_points] == [n * k for k in range(len(run_points))]


@every_structure
def test_pruning_changes_the_planes_and_not_the_optimum(name, monkeypatch):
    small = case(name, lengths=(3, 1, 4, 2, 2, 3) * 3)
    pruned, kept = (run(small, monkeypatch, epsilon=1e-8, patience=patience)[0][-1] for patience in (1, 10_000))
    assert pruned.value.primal == pytest.approx(kept.value.primal, rel=1e-6)
    assert pruned.relative_gap <= 1e-6
    assert pruned.notes["planes"] < kept.notes["planes"]


def test_a_program_that_does_not_converge_is_said_to(monkeypatch):
    monkeypatch.setattr(planes, "PRECISION", 1e-300)
    with pytest.raises(
        UserError, match=r"one-slack: the quadratic program over \d+ planes does not converge \(PIQP"
    ):
        solved("one-slack", case("chain-dense").split, "hinge", 0.01, gap=1e-8)


def test_a_loss_above_all_planes_by_rounding_is_not_above_them():
    rng, made = np.random.default_rng(0), planes.Planes(0.5, "test")
    for a, b in zip(rng.normal(size=(8, 5)), rng.random(8) * 10, strict=True):
        made.add(a, b)
    made.optimise(np.empty(5))
    assert made.below(made.slack + 1e-10, 0.0, 1.0)
    assert not made.below(made.slack + 1e-12, 0.0, 1.0)
    assert not made.below(made.slack + 1e-10, 0.0, 1e3)
    assert not made.below(made.slack + 1e-10, 1e-9, 1.0)


@pytest.mark.parametrize("rank", [0, 3, 20])
def test_the_program_is_solved_even_if_singular(rank):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(20, rank)) * 100, rng.random(20) * 1000
    Q = a @ a.T
    alpha = planes.solve_simplex_program(Q, b, "one-slack")
    gradient = b - Q @ alpha
    assert alpha.min() >= 0
    assert alpha.sum() == pytest.approx(1, abs=1e-12)
    assert gradient.max() - alpha @ gradient <= 1e-7


def test_a_single_plane_and_planes_of_nothing_have_a_solution():
    assert planes.solve_simplex_program(np.eye(1), np.zeros(1), "one-slack") == pytest.approx([1])
    assert planes.solve_simplex_program(np.zeros((3, 3)), np.zeros(3), "one-slack").sum() == pytest.approx(1)
