"""Working sets, their quadratic program and the stopping rule of n-slack cutting planes."""

from itertools import pairwise

import numpy as np
import pytest

from structbench.algorithms.cutting_planes import cutting_plane, simplex_qp
from structbench.algorithms.cutting_planes.working_sets import WorkingSets, scores, weights
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import Case, case, every_structure
from tests.algorithms.solvers import Point, points

C = 0.8


def run(small: Case, monkeypatch, C: float = C, **params) -> tuple[list[Point], WorkingSets]:
    """All points of a run to its own end; the working sets after the last solution of the program."""
    sets, optimise = [], cutting_plane.optimise

    def spied(split, C, tolerance, current, w, rng):
        solved = optimise(split, C, tolerance, current, w, rng)
        sets.append(current._replace(alpha=current.alpha.copy()))
        return solved

    monkeypatch.setattr(cutting_plane, "optimise", spied)
    return list(points("cutting-plane", small.split, "hinge", C, **params)), sets[-1]


def outputs(sets: WorkingSets, small: Case, i: int) -> np.ndarray:
    """The part vectors of example i's working set."""
    found = []
    for p in range(sets.starts[i], sets.starts[i + 1]):
        part = sets.part[sets.part_starts[p] : sets.part_starts[p + 1]]
        found.append(np.bincount(part, minlength=len(small.examples[i].features)))
    return np.array(found, float)


@every_structure
@pytest.mark.parametrize("epsilon", [0.5, 1e-3])
def test_it_ends_when_no_constraint_is_violated_by_more_than_epsilon(name, epsilon, monkeypatch):
    """What the paper guarantees: w is feasible with slacks xi + epsilon, xi those of the working sets."""
    small = case(name)
    run_points, sets = run(small, monkeypatch, epsilon=epsilon)
    last, n = run_points[-1], len(small.examples)
    for i, e in enumerate(small.examples):
        h = lambda ys, losses, e=e: (ys @ e.features @ last.weights + losses).max()  # noqa: E731
        slack = h(outputs(sets, small, i), sets.losses[sets.starts[i] : sets.starts[i + 1]])
        assert h(e.outputs, e.losses) <= slack + epsilon + 1e-12
    assert last.notes["epsilon"] == epsilon
    assert last.value.primal - last.value.dual <= 2.5 * n * epsilon


@pytest.mark.parametrize("rank", [0, 2, 9])
def test_the_program_of_one_example_is_solved_even_if_singular(rank):
    rng = np.random.default_rng(0)
    f = rng.normal(size=(7, rank))
    gram, losses = f @ f.T, rng.random(7)
    alpha = rng.dirichlet(np.ones(7))
    h = losses - gram @ alpha / C
    gap = simplex_qp.maximise(h.copy(), gram, C, 1e-9, 1e-10, alpha_new := alpha.copy())
    assert gap == pytest.approx(h.max() - alpha @ h)
    assert alpha_new.min() >= 0
    assert alpha_new.sum() == pytest.approx(1, abs=1e-14)
    gradient = losses - gram @ alpha_new / C
    assert gradient.max() - alpha_new @ gradient <= 1e-9
    assert simplex_qp.maximise(gradient, gram, C, 1e-9, 1e-10, again := alpha_new.copy()) <= 1e-9
    assert (again == alpha_new).all()


def mixed(small: Case, monkeypatch, least: float) -> tuple[WorkingSets, np.ndarray]:
    """Working sets of a whole run, their outputs' probabilities drawn again, and the example of each."""
    _, sets = run(small, monkeypatch, epsilon=1e-3)
    example = np.repeat(np.arange(len(sets.starts) - 1), np.diff(sets.starts))
    weight = np.random.default_rng(0).random(len(sets.alpha)) + least
    return sets._replace(alpha=weight / np.bincount(example, weight)[example]), example


@every_structure
def test_conjugate_gradients_end_at_the_optimum_of_a_face_or_at_its_edge(name, monkeypatch):
    small = case(name, lengths=(3, 1, 4, 2, 2, 3) * 2)
    sets, example = mixed(small, monkeypatch, 0.5)
    w, duals = weights(parts.compiled(small.split), sets), []
    for _ in range(len(sets.alpha) + 1):
        duals.append(sets.alpha @ sets.losses - w @ w / (2 * C))
        simplex_qp.conjugate_gradients(parts.compiled(small.split), C, sets, w)
        np.testing.assert_allclose(np.bincount(example, sets.alpha), 1, atol=1e-12)
        np.testing.assert_allclose(w, weights(parts.compiled(small.split), sets), rtol=1e-9, atol=1e-9)
    assert sets.alpha.min() == 0
    assert all(after >= before - 1e-12 * abs(before) for before, after in pairwise(duals))
    h = sets.losses + scores(parts.compiled(small.split), sets, w) / C
    for i in range(len(small.examples)):
        kept = h[(example == i) & (sets.alpha > 0)]
        assert np.ptp(kept) <= 3e-5  # in valleys of no curvature the gradient keeps wandering up to 1.5e-5


@pytest.mark.parametrize("nothing", [1e-3, 0.1])
def test_what_a_dropped_output_has_stays_in_its_example(nothing, monkeypatch):
    """With a coarse idea of nothing, so that what is dropped shows in w and in the sums of probabilities."""
    small = case("multiclass-dense", lengths=(3, 1, 4, 2, 2, 3) * 2)
    sets, example = mixed(small, monkeypatch, 0.1)
    monkeypatch.setattr(simplex_qp, "MASS_ROUNDING", nothing)
    w, kept = weights(parts.compiled(small.split), sets), []
    for _ in range(5):
        simplex_qp.conjugate_gradients(parts.compiled(small.split), C, sets, w)
        kept.append(np.count_nonzero(sets.alpha))
        assert sets.alpha.min() >= 0
        assert ((sets.alpha == 0) | (sets.alpha >= nothing)).all()
        np.testing.assert_allclose(np.bincount(example, sets.alpha), 1, atol=1e-14)
        np.testing.assert_allclose(w, weights(parts.compiled(small.split), sets), rtol=1e-12, atol=1e-12)
    assert kept[-1] < len(sets.alpha) - 1


def test_the_program_is_solved_where_sweeps_alone_crawl(monkeypatch):
    """Eight free weights under the pull of 18 examples: sweeps gain 3e-10 each, some 100,000 would be needed."""
    small = case("multiclass-dense", lengths=(3, 1, 4, 2, 2, 3) * 3)
    assert run(small, monkeypatch, epsilon=1e-8, patience=1)[0][-1].relative_gap <= 1e-6
    monkeypatch.setattr(simplex_qp, "conjugate_gradients", lambda *_: None)
    monkeypatch.setattr(simplex_qp, "SWEEPS", 500)
    assert run(small, monkeypatch, epsilon=1e-8, patience=1)[0][-1].relative_gap > 1e-6


def test_examples_are_worked_off_in_batches_that_each_visit_some(monkeypatch):
    run_points, _ = run(case("multiclass-dense", lengths=(1,) * 25), monkeypatch, epsilon=0.1)
    assert run_points[1].notes["epsilon"] == pytest.approx(0.4)  # of the mean violation, which is 1
    assert [p.visits for p in run_points[:12]] == [0, 3, 6, 9, 12, 15, 17, 19, 21, 23, 25, 28]
