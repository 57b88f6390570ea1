"""The path over C: its values and its stages."""

from dataclasses import replace
from itertools import islice, takewhile
from typing import Any

import numpy as np
import pytest

from structbench.algorithms.learning.falling_strengths import strengths
from structbench.algorithms.learning.objective import Iterate
from structbench.algorithms.runtime.errors import UserError
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import start
from tests.narrowing import not_none

PATHS = (("eg-path", "log"), ("eg-path", "hinge"), ("sequential-dual-path", "hinge"))
every_path = pytest.mark.parametrize(("algorithm", "loss"), PATHS)
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


@pytest.mark.parametrize("algorithm", ["eg-path", "sequential-dual-path"])
@pytest.mark.parametrize(
    ("first", "ratio", "sentence"),
    [(1.0, 0.7, "goes down to C=2: first=1 "), (8.0, 1.0, "ratio=1 must lie")],
)
def test_a_path_must_go_down(algorithm, first, ratio, sentence):
    _, solver = start(algorithm, case("multiclass-dense").split, "hinge", 2.0, first=first, ratio=ratio)
    with pytest.raises(UserError, match=sentence):
        next(solver)


@every_structure
@every_path
def test_every_stage_ends_within_the_tolerance(name, algorithm, loss):
    """By an evaluation of ours at its C, of u computed again. It was not before; and goes on from the last u."""
    objective, solver = start(algorithm, case(name).split, loss, 1.0, **PATH)
    gaps: dict[float, list[float]] = {}
    before: tuple[float, np.ndarray] | None = None
    assert next(solver).hints.C is None
    for iterate in solver:
        if iterate.hints.C is None:
            break
        u = not_none(not_none(iterate.dual).recompute)()
        stage = replace(objective, C=iterate.hints.C)
        value = stage.evaluate(iterate.vector * iterate.scale, *u)
        assert before is None or value.dual >= stage.dual_value(*before) - 1e-9
        before = u
        gaps.setdefault(iterate.hints.C, []).append((value.primal - value.dual) / value.primal)
    assert list(gaps) == [8.0, 4.0, 2.0, 1.0]
    for found in gaps.values():
        assert found[-1] <= TOLERANCE
        assert all(gap > TOLERANCE for gap in found[:-1])


@every_structure
@every_path
def test_the_first_stage_is_the_plain_solver_at_the_first_value(name, algorithm, loss):
    split = case(name).split
    _, path = start(algorithm, split, loss, 1.0, seed=3, first=8.0, tolerance=1e-12)
    own: dict[str, Any] = {"proximal": 0.0} if algorithm == "sequential-dual-path" else {}
    _, plain = start(algorithm.removesuffix("-path"), split, loss, 8.0, seed=3, **own)
    by_visits = {point.visits: as_compared(point) for point in islice(plain, 60)}
    for point in takewhile(lambda point: point.hints.C == 8.0, islice(path, 1, 6)):
        assert by_visits[point.visits] == as_compared(point)


def as_compared(point: Iterate) -> tuple[float, bytes]:
    return point.dual.conjugate if point.dual else 0.0, (point.vector * point.scale).tobytes()


@every_path
def test_a_single_label_leaves_nothing_to_learn(algorithm, loss):
    """P = D = 0 from the start on: each value of C takes one pass."""
    _, solver = start(algorithm, case("multiclass-dense", num_labels=1).split, loss, 1.0, **PATH)
    run = list(islice(solver, 8))
    assert [iterate.hints.C for iterate in run[:6]] == [None, 8.0, 4.0, 2.0, 1.0, None]
    assert not any(iterate.vector.any() for iterate in run)
