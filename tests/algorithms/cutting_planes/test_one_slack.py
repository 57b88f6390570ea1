"""The planes of 1-slack cutting planes, and the stopping rule."""

from itertools import islice, pairwise

import numpy as np
import pytest

from structbench.algorithms.cutting_planes import planes
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import first, points, start
from tests.narrowing import not_none, number

C = 0.8


@every_structure
@pytest.mark.parametrize("epsilon", [0.3, 1e-5])
def test_it_ends_epsilon_from_the_optimum(name, epsilon):
    """What the paper guarantees, for means over the examples; the rounds before are further away."""
    run = list(points("one-slack", case(name).split, "hinge", C, epsilon=epsilon))
    gaps = [(point.value.primal - point.value.dual) / 6 for point in run[1:]]
    assert gaps[-1] <= epsilon
    assert all(gap > epsilon for gap in gaps[:-2])  # the last two are one point: before and after the check
    duals = [point.value.dual for point in run[1:]]
    assert all(after >= before - 1e-9 * (1 + abs(before)) for before, after in pairwise(duals))
    assert [point.visits for point in run] == [6 * k for k in range(len(run))]


@every_structure
@pytest.mark.parametrize(
    ("algorithm", "all_kept", "of"), [("one-slack", 10_000, "planes"), ("cutting-plane", 1000, "outputs")]
)
def test_pruning_changes_what_is_kept_and_not_the_optimum(name, algorithm, all_kept, of):
    split = case(name, lengths=(3, 1, 4, 2, 2, 3) * 3).split
    runs = ([*points(algorithm, split, "hinge", C, epsilon=1e-8, patience=some)] for some in (1, all_kept))
    pruned, kept = (run[-1] for run in runs)
    assert pruned.value.primal == pytest.approx(kept.value.primal, rel=1e-6)
    assert pruned.relative_gap <= 1e-6
    assert number(pruned.notes, of) < number(kept.notes, of)


@pytest.mark.parametrize("largest", [1e4, 1e8])
def test_a_program_that_does_not_converge_ends_the_run_at_the_weights_before(largest):
    x = np.random.default_rng(0).normal(size=(60, 2)) * [largest, 1.0]
    split = multiclass.build(ft.dense(x), np.arange(60) % 3, 3)
    *_, before, last = points("one-slack", split, "hinge", 1.0)
    assert (last.weights == before.weights).all() and last.value == before.value
    assert 0 < last.relative_gap < np.inf


def test_a_program_of_hidden_choices_that_does_not_converge_is_said_to(monkeypatch):
    monkeypatch.setattr(planes, "PRECISION", 1e-300)
    with pytest.raises(UserError, match="latent-svm: the quadratic program over 1 planes does not converge"):
        [*start("latent-svm", case("chain-dense").split, "none", 0.0, penalty="none", strength=0.3)[1]]


def test_a_loss_above_all_planes_by_rounding_is_not_above_them():
    rng, made = np.random.default_rng(0), planes.Planes(0.5)
    for a, b in zip(rng.normal(size=(8, 5)), rng.random(8) * 10, strict=True):
        made.add(a, b)
    made.optimise(np.empty(5))
    assert made.below(made.slack + 1e-10, 0.0, 1.0, 1)
    assert not made.below(made.slack + 1e-12, 0.0, 1.0, 1)
    assert not made.below(made.slack + 1e-10, 0.0, 1e3, 1)
    assert not made.below(made.slack + 1e-10, 1e-9, 1.0, 1)


@pytest.mark.parametrize("rank", [0, 3, 20])
def test_the_program_is_solved_even_if_singular(rank):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(20, rank)) * 100, rng.random(20) * 1000
    Q = a @ a.T
    alpha = planes.solve_simplex_program(Q, b)
    assert alpha is not None
    gradient = b - Q @ alpha
    assert alpha.min() >= 0
    assert alpha.sum() == pytest.approx(1, abs=1e-12)
    assert gradient.max() - alpha @ gradient <= 1e-7


def test_a_single_plane_and_planes_of_nothing_have_a_solution():
    assert planes.solve_simplex_program(np.eye(1), np.zeros(1)) == pytest.approx([1])
    assert not_none(planes.solve_simplex_program(np.zeros((3, 3)), np.zeros(3))).sum() == pytest.approx(1)


@pytest.mark.parametrize(("algorithm", "params"), [("one-slack", {}), ("frank-wolfe", {"mode": "batch"})])
def test_the_best_weights_are_those_with_the_least_objective_before_the_last_step(algorithm, params):
    split = case("chain-dense").split
    plain, best = (
        [point.value for point in islice(points(algorithm, split, "hinge", 0.05, **params, **more), 15)]
        for more in ({}, {"best": True})
    )
    least = np.minimum.accumulate([value.primal for value in plain])
    assert [value.primal for value in best[1:]] == pytest.approx(least[:-1].tolist())
    assert [value.dual for value in best[1:]] == pytest.approx([value.dual for value in plain[1:]])
    assert any(value.primal > before for value, before in zip(plain[1:], least[:-1], strict=True))


def test_blocks_do_not_know_the_best_weights():
    with pytest.raises(UserError, match=r"^best=true is for mode=batch without an average: give best=false$"):
        first(1, "frank-wolfe", case("chain-dense").split, "hinge", C, best=True)
