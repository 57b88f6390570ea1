"""The path over C: its values and its stages."""

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from structbench.algorithms.exponentiated_gradient.eg_path import strengths
from structbench.algorithms.runtime.errors import UserError
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import start
from tests.narrowing import not_none

both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])
TOLERANCE = 0.02
PATH: dict[str, Any] = {"first": 8.0, "ratio": 0.5, "tolerance": TOLERANCE}


@pytest.mark.parametrize(
    ("first", "ratio", "last", "path"),
    [
        (8, 0.5, 1.0, [8, 4, 2, 1]),
        (8, 0.5, 1.5, [8, 4, 2, 1.5]),
        (8, 0.5, 8, [8]),
        (8, 0.1, 7, [8, 7]),
    ],
)
def test_a_path_ends_at_the_last_value(first, ratio, last, path):
    assert strengths(first, ratio, last) == pytest.approx(path, rel=1e-12)


@pytest.mark.parametrize(("C", "count"), [(1000.0, 1), (700.0, 2), (1.0, 21)])
def test_by_default_a_path_falls_from_1000_by_0_7(C, count):
    _, solver = start("eg-path", case("multiclass-dense").split, "log", C)
    assert next(solver).notes["strengths"] == count


@pytest.mark.parametrize(
    ("first", "ratio", "sentence"),
    [(1.0, 0.7, "goes down to C=2: first=1 "), (8.0, 1.0, "ratio=1 must lie")],
)
def test_a_path_must_go_down(first, ratio, sentence):
    _, solver = start("eg-path", case("multiclass-dense").split, "log", 2.0, first=first, ratio=ratio)
    with pytest.raises(UserError, match=sentence):
        next(solver)


@every_structure
@both_losses
def test_every_stage_ends_within_the_tolerance(name, loss):
    """By an evaluation of ours at the stage's C; before its last pass it was not there yet."""
    objective, solver = start("eg-path", case(name).split, loss, 1.0, **PATH)
    gaps: dict[float, list[float]] = {}
    assert next(solver).hints.C is None
    for iterate in solver:
        if iterate.hints.C is None:
            break
        value = replace(objective, C=iterate.hints.C).evaluate(iterate.vector * iterate.scale, *iterate.dual_point)
        gaps.setdefault(iterate.hints.C, []).append((value.primal - value.dual) / value.primal)
    assert list(gaps) == [8.0, 4.0, 2.0, 1.0]
    for found in gaps.values():
        assert found[-1] <= TOLERANCE
        assert all(gap > TOLERANCE for gap in found[:-1])


@every_structure
@both_losses
def test_the_first_stage_is_eg_at_the_first_value(name, loss):
    split, n = case(name).split, 6
    _, path = start("eg-path", split, loss, 1.0, seed=3, first=8.0, tolerance=1e-12)
    _, plain = start("eg", split, loss, 8.0, seed=3)
    by_pass = islice(plain, 1 + n, None, n)  # after w = 0 and the first u: six updates, six points
    next(path)
    for one, other in islice(zip(path, by_pass, strict=False), 5):
        assert (one.visits, not_none(one.dual).conjugate) == (other.visits, not_none(other.dual).conjugate)
        assert (one.vector * one.scale).tobytes() == (other.vector * other.scale).tobytes()


@both_losses
def test_a_single_label_leaves_nothing_to_learn(loss):
    """P = D = 0 from the start on: each value of C takes one pass."""
    _, solver = start("eg-path", case("multiclass-dense", num_labels=1).split, loss, 1.0, **PATH)
    run = list(islice(solver, 8))
    assert [iterate.hints.C for iterate in run] == [None, 8.0, 4.0, 2.0, 1.0, None, None, None]
    assert not any(iterate.vector.any() for iterate in run)
