"""The linear program of the l1-norm M3N over working sets of outputs and features, warm-started in HiGHS.

Rows are constraints w . a + xi_j >= b with sparse a. Columns are the slacks xi_j >= 0 at cost 1. Each feature of
the program has two more: w_k = mu_k - nu_k with mu_k, nu_k >= 0 at cost C / 2 (l1m3n2009, section 4.1). The dual
variables alpha >= 0 of the rows give w(u) = sum alpha a and conj(u) = sum alpha b. A feature outside the program
would lower its value if |w(u)_k| > C / 2.

Q. Huangfu and J. A. J. Hall, Parallelizing the dual revised simplex method, Math. Program. Comput. 2018.
"""

import highspy
import numpy as np
import scipy.sparse as sp

from structbench.algorithms.runtime.errors import UserError

TIGHT = 1e-9  # feasibility, primal and dual, that HiGHS is asked for


class LinearProgram:
    """A program of ``size`` weights and some slacks. It starts without rows and features."""

    def __init__(self, name: str, C: float, size: int, slacks: int) -> None:
        self.name, self.C = name, C
        self.rows = sp.csr_array((0, size))
        self.margins, self.owners, self.idle = np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64)
        self.features = np.empty(0, np.int64)  # in the order of their pairs of columns, after the slacks
        self.alpha, self.w, self.slacks = np.empty(0), np.zeros(size), np.zeros(slacks)
        self._highs = highspy.Highs()
        for option, value in {
            "output_flag": False, "threads": 1, "presolve": "off", "random_seed": 0,
            "primal_feasibility_tolerance": TIGHT, "dual_feasibility_tolerance": TIGHT,
        }.items():  # fmt: skip
            self._highs.setOptionValue(option, value)
        self._add_columns(np.ones(slacks), sp.csc_array((0, slacks)))

    def add_rows(self, rows: sp.csr_array, margins: np.ndarray, owners: np.ndarray) -> None:
        """Add constraints: ``rows`` (rows, size), their b and the number of each one's slack."""
        self.rows = sp.csr_array(sp.vstack([self.rows, rows])) if len(self.margins) else rows
        self.margins = np.concatenate([self.margins, margins])
        self.owners = np.concatenate([self.owners, owners])
        self.idle = np.concatenate([self.idle, np.zeros(len(margins), np.int64)])
        count = len(margins)
        slack = sp.csr_array((np.ones(count), (np.arange(count), owners)), shape=(count, len(self.slacks)))
        entries = sp.csr_array(sp.hstack([slack, _paired(rows, self.features)]))
        status = self._highs.addRows(
            count, margins, np.full(count, highspy.kHighsInf), entries.nnz,
            entries.indptr[:-1].astype(np.int32), entries.indices.astype(np.int32), entries.data.astype(float),
        )  # fmt: skip
        self._check(status, "does not take the new constraints")

    def add_features(self, features: np.ndarray) -> None:
        """Free these weights, which were fixed at 0."""
        self.features = np.concatenate([self.features, features])
        self._add_columns(np.full(2 * len(features), self.C / 2), _paired(self.rows, features))

    def _add_columns(self, costs: np.ndarray, columns: sp.csc_array) -> None:
        count = len(costs)
        status = self._highs.addCols(
            count, costs, np.zeros(count), np.full(count, highspy.kHighsInf), columns.nnz,
            columns.indptr[:-1].astype(np.int32), columns.indices.astype(np.int32), columns.data.astype(float),
        )  # fmt: skip
        self._check(status, "does not take the new columns")

    def solve(self, primal: bool = False) -> float:
        """Optimise by the primal simplex method if new features make that the warm one, else by the dual.

        Sets ``w``, ``slacks`` and ``alpha``, and returns the optimum.

        Raises:
            UserError: HiGHS finds no optimum.
        """
        self._highs.setOptionValue("simplex_strategy", 4 if primal else 1)
        self._highs.run()
        status = self._highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:  # the last basis may be of no use
            self._highs.clearSolver()
            self._highs.run()
            status = self._highs.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            said = self._highs.modelStatusToString(status).lower()
            raise UserError(
                f"{self.name}: the linear program over {len(self.margins)} constraints and {len(self.features)} "
                f"features has no optimum, HiGHS says: {said}"
            )
        solution = self._highs.getSolution()
        values = np.array(solution.col_value)
        first = len(self.slacks)
        self.slacks = values[:first]
        self.w[:] = 0.0
        self.w[self.features] = values[first::2] - values[first + 1 :: 2]
        alpha = np.maximum(np.array(solution.row_dual), 0.0)
        total = np.bincount(self.owners, alpha, len(self.slacks))  # at most 1, up to the tolerances of HiGHS
        self.alpha = alpha / np.maximum(total, 1.0)[self.owners]
        self.idle = np.where(self.alpha > 0, 0, self.idle + 1)
        return float(self._highs.getInfo().objective_function_value)

    @property
    def dual_weights(self) -> np.ndarray:
        """w(u) of all features."""
        return self.rows.T @ self.alpha if len(self.alpha) else np.zeros_like(self.w)

    @property
    def conjugate(self) -> float:
        """conj(u)."""
        return float(self.alpha @ self.margins) if len(self.alpha) else 0.0

    def prune(self, patience: int) -> None:
        """Drop the constraints whose alpha was 0 after this many solutions in a row."""
        idle = np.flatnonzero(self.idle >= patience)
        if len(idle) == 0:
            return
        self._check(self._highs.deleteRows(len(idle), idle.astype(np.int32)), "does not drop constraints")
        keep = np.flatnonzero(self.idle < patience)
        self.rows = sp.csr_array(self.rows[keep])
        self.margins, self.owners = self.margins[keep], self.owners[keep]
        self.idle, self.alpha = self.idle[keep], self.alpha[keep]

    def _check(self, status: highspy.HighsStatus, what: str) -> None:
        if status == highspy.HighsStatus.kError:
            raise UserError(f"{self.name}: HiGHS {what}: is a feature too large or not finite?")


def _paired(rows: sp.csr_array, features: np.ndarray) -> sp.csc_array:
    """The columns of mu_k and of nu_k for each of these features, in turn."""
    columns = rows[:, np.repeat(features, 2)]
    return sp.csc_array(columns @ sp.diags_array(np.tile([1.0, -1.0], len(features))))
