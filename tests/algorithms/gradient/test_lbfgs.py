"""L-BFGS: what it counts, where it ends, and what it leaves behind."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.gradient.lbfgs import CURVATURE, SUFFICIENT, TRIALS, wolfe
from structbench.algorithms.learning.objective import Objective
from tests.algorithms.oracle import case, every_structure
from tests.algorithms.solvers import evaluated, points, start

ENOUGH = 60  # iterations


@every_structure
def test_it_reaches_the_optimum_to_rounding_and_stays_there(name):
    run = list(islice(points("lbfgs", case(name).split, "log", 1.0), ENOUGH))
    assert run[-1].relative_gap < 1e-11
    primals = [point.value.primal for point in run]
    assert (np.diff(primals) <= 1e-12 * primals[0]).all()
    assert np.isfinite([point.weights for point in run]).all()


@pytest.mark.parametrize(
    ("algorithm", "penalty"),
    [("lbfgs", "l2"), ("gradient-ascent", "l2"), ("conjugate-gradient", "l2"), ("owl-qn", "l2"), ("owl-qn", "l1")],
)
def test_every_evaluation_is_a_visit_to_all_examples_and_the_primal_falls(algorithm, penalty, monkeypatch):
    evaluation = "value_and_gradient" if penalty == "l2" else "loss_and_gradient"
    made, original = [], getattr(Objective, evaluation)

    def counted(self, w, *rest):
        made.append(w.copy())
        return original(self, w, *rest)

    monkeypatch.setattr(Objective, evaluation, counted)
    objective, solver = start(algorithm, case("chain-binary").split, "log", 1e-2, penalty=penalty)
    primals = [evaluated(objective, next(solver)).value.primal]
    for iterate in islice(solver, 12):
        assert iterate.visits == 6 * len(made)
        assert iterate.notes.get("evaluations", len(made)) == len(made)
        assert any(np.array_equal(iterate.vector * iterate.scale, w) for w in made)
        primals.append(evaluated(objective, iterate).value.primal)
    assert len(made) > 11 and (np.diff(primals) < 0).all()


@pytest.mark.parametrize("step", [1e-4, 1.0, 1.9999, 1e4])
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (lambda t: t**2 / 2 - t, lambda t: t - 1),
        (lambda t: np.exp(min(t, 700.0)) - 3 * t, lambda t: np.exp(min(t, 700.0)) - 3),
        (lambda t: np.sqrt(1 + (t - 5) ** 2), lambda t: (t - 5) / np.sqrt(1 + (t - 5) ** 2)),
        (lambda t: (t - 0.5) ** 2 if t < 1 else np.inf, lambda t: 2 * t - 1 if t < 1 else np.nan),
    ],
)
def test_the_line_search_ends_at_the_first_step_that_meets_wolfe_s_conditions(f, slope, step):
    tried = []

    def trial(t):
        tried.append(t)
        return f(t), slope(t)

    found, trials = wolfe(trial, f(0), slope(0), step)
    falls = [f(t) <= f(0) + SUFFICIENT * t * slope(0) for t in tried]
    flatter = [slope(t) >= CURVATURE * slope(0) for t in tried]
    assert [*zip(falls, flatter, strict=True)].index((True, True)) == trials - 1 == len(tried) - 1
    assert found == f(tried[-1])
    assert tried[0] == step and trials < 20
    low, high = 0.0, np.inf
    for t, after, fallen in zip(tried, tried[1:], falls, strict=False):
        low, high = (t, high) if fallen else (low, t)
        margin = 0.1 * (high - low)
        ends = (low + margin, high - margin) if high < np.inf else (2 * t, 10 * t)
        assert ends[0] * (1 - 1e-12) <= after <= ends[1] * (1 + 1e-12)
        assert np.isfinite(slope(t)) or after == (low + high) / 2


def test_wolfe_s_conditions_may_hold_nowhere_and_forgive_rounding():
    tried = []
    assert wolfe(lambda t: tried.append(t) or (-t, -1.0), 0.0, -1.0, 1.0) == (None, TRIALS)
    assert len(tried) == TRIALS
    rise = 1e6 * (1 + 5e-15)
    assert wolfe(lambda t: (rise, 0.0), 1e6, -1e-12, 1.0) == (rise, 1)
    assert wolfe(lambda t: (1e6 * (1 + 5e-14), 0.0), 1e6, -1e-12, 1.0) == (None, TRIALS)
