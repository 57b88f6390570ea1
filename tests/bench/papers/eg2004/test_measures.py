"""What rules of eg2004 measure on dual values that are given, worked out by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2004 import rules
from structbench.bench.papers.eg2004.runs import SMO_VISITS
from tests.bench.papers.hand_made import run

SWEEPS = [np.nan, 0, 1, 3, 10, 99]
EG = run(updates=100 * np.array(SWEEPS), dual=[np.nan, -9, 1, 6, 20, 44])
FAST = run(updates=100 * np.array(SWEEPS), dual=[np.nan, -9, 1, 3, 30, 50])
FAR = run(updates=100 * np.array(SWEEPS), dual=[np.nan, -9, 1, 7, 30, 60])
SMO = run("smo", passes=SMO_VISITS * np.array([0.0, 1, 2, 4, 9, 99]), dual=[0, 2, 6, 10, 20, 40])
TASK = SimpleNamespace(
    sweeps=99.0, smo=lambda C: [SMO], from_thetas=lambda C: [[SMO], [EG]], hybrid=lambda C: [FAST]
)
TASK.settings = lambda C, steps: {"far": [FAR]} if steps else {"slow": [EG], "fast": [FAST]}
TASK.problem = lambda C: [EG, FAST, SMO]


def measured(rule, runs=None):
    return [*rule(TASK, 2.0, runs or SimpleNamespace(present=lambda specs: specs), lambda specs: specs[0])]


def test_sweeps_and_duals_after_them():
    np.testing.assert_array_equal(rules.sweeps(EG), SWEEPS)
    np.testing.assert_allclose(rules.sweeps(SMO), [0, 1, 2, 4, 9, 99])
    np.testing.assert_array_equal(rules.by_sweeps(EG).curve["passes"], SWEEPS)
    assert EG.curve["passes"].iloc[1] == 1, "the run itself stays"
    assert rules._dual_after(EG, 3.0) == 6 and rules._dual_after(EG, 2.0) == 3.5
    assert rules._dual_after(SMO, 3.0) == 8 and rules._dual_after(EG, -1.0) == -np.inf
    unknown = run(updates=np.full(6, np.nan))
    assert rules._dual_after(unknown, 3.0) == -np.inf


def test_shares_of_dual_values():
    assert [each.value for each in measured(rules.smo_early)] == pytest.approx([8 / 40])
    fixed, adaptive = measured(rules.eg_overtakes)
    assert (fixed.where, fixed.value) == ({"C": 2.0, "": "fixed steps"}, pytest.approx(0.1))
    assert (adaptive.where[""], adaptive.value) == ("adaptive steps", pytest.approx(1 - 7 / 8)), (
        "less than its lead"
    )
    best = measured(rules.best_eg_above_smo)
    assert [(each.value, each.told) for each in best] == [(0.25, "fast"), (0.5, "far")]
    (hybrid,) = measured(rules.hybrid_benefits)
    assert hybrid.counted and hybrid.value == pytest.approx(50 / 44), (
        "after 99 passes, when SMO has made fewer sweeps"
    )


@pytest.mark.parametrize(("primal", "bound"), [(50.5, ""), (51.0, "at least")])
def test_how_far_smo_is_below_the_optimum_is_a_bound_where_that_is_not_known(primal, bound):
    certified = run(primal=np.full(6, primal), dual=np.full(6, 50.0))
    runs = SimpleNamespace(present=lambda specs: [certified])
    (found,) = measured(rules.smo_below_optimum, runs)
    assert (found.value, found.bound) == (pytest.approx(0.2), bound)


def test_theorem_2_bounds_the_distance_to_the_optimum():
    """Q = -D; the first pass computes alpha^1, so that T = passes - 1."""
    notes = {"B": 3.0, "lambda": 1.0, "divergence": 2.0, "first_Q": 5.0}
    mine = run(
        passes=[0, 1, 2, 3, 5], dual=[np.nan, -5, -4, -3, -2.0], primal=np.full(5, 9.0), summary={"notes": notes}
    )
    exact = run(primal=np.full(6, 0.0), dual=np.full(6, -1.0))
    T, far, bound = rules.bound(mine, exact)
    assert T.tolist() == [1, 2, 4] and far.tolist() == [3, 2, 1]
    expected = [20 / t + 1.5 * (5 - q) / t + 2 - 1 for t, q in zip((1, 2, 4), (4, 3, 2), strict=True)]
    np.testing.assert_allclose(bound, expected)
    assert curves.optimum([mine, exact]).dual == -1
