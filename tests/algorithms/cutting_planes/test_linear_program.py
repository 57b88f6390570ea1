"""The warm linear program: against scipy's, and what it says where there is no optimum."""

import numpy as np
import pytest
import scipy.optimize as so
import scipy.sparse as sp

from structbench.algorithms.cutting_planes.linear_program import LinearProgram
from structbench.algorithms.runtime.errors import UserError


def cold(rows: np.ndarray, margins: np.ndarray, owners: np.ndarray, C: float, features: np.ndarray, slacks: int):
    """The optimum over these features, solved from nothing."""
    A = np.hstack([rows[:, features], -rows[:, features], np.eye(slacks)[owners]])
    costs = np.concatenate([np.full(2 * len(features), C / 2), np.ones(slacks)])
    return so.linprog(costs, -A, -margins, method="highs").fun


def test_rows_and_features_that_come_and_go():
    rng, C, size, slacks = np.random.default_rng(0), 0.8, 12, 3
    program = LinearProgram("test", C, size, slacks)
    assert program.solve() == 0.0
    known = np.empty(0, np.int64)
    for round in range(8):
        rows = rng.normal(size=(4, size)) * (rng.random((4, size)) < 0.6)
        program.add_rows(sp.csr_array(rows), rng.uniform(0, 2, size=4), rng.integers(0, slacks, size=4))
        if round in (1, 3, 4):
            new = np.setdiff1d(rng.integers(0, size, size=4), known)
            program.add_features(new)
            known = np.concatenate([known, new])
        value = program.solve(primal=round % 2 == 1)
        want = cold(program.rows.toarray(), program.margins, program.owners, C, known, slacks)
        assert value == pytest.approx(want, rel=1e-9)
        assert value == pytest.approx(program.conjugate, rel=1e-8)
        assert np.abs(program.dual_weights[known]).max(initial=0) <= C / 2 * (1 + 1e-8)
        assert np.abs(program.w).sum() * C / 2 + program.slacks.sum() == pytest.approx(value, rel=1e-8)
        program.prune(2)
        assert program.solve() == pytest.approx(value, rel=1e-9)
    assert len(program.margins) < 32


def test_an_unbounded_program_is_said_to_be_one():
    program = LinearProgram("test", -1.0, 2, 1)
    program.add_rows(sp.csr_array(np.eye(2)[:1]), np.ones(1), np.zeros(1, np.int64))
    program.add_features(np.array([0, 1]))
    with pytest.raises(
        UserError, match=r"test: the linear program over 1 constraints and 2 features .* unbounded"
    ):
        program.solve()


def test_an_infeasible_program_and_features_that_are_not_finite_are_refused():
    program = LinearProgram("test", 1.0, 2, 1)
    program._highs.changeColBounds(0, 0.0, 0.5)  # the slack
    program.add_rows(sp.csr_array((1, 2)), np.ones(1), np.zeros(1, np.int64))
    with pytest.raises(UserError, match="infeasible"):
        program.solve()
    with pytest.raises(UserError, match="not finite"):
        program.add_rows(sp.csr_array(np.array([[np.inf, 1.0]])), np.ones(1), np.zeros(1, np.int64))
        program.add_features(np.array([0]))
