"""Numbers read off the runs of eg2004: sweeps over the training set, duals, and Theorem 2's bound."""

from dataclasses import replace

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2004.setting import SMO_VISITS
from structbench.bench.runs.store import Run


def sweeps(run: Run) -> np.ndarray:
    """Return sweeps (updates / n) at the checkpoints; NaN before EG's first theta."""
    if run.spec["algorithm"] == "smo":
        return run.curve["passes"].to_numpy() / SMO_VISITS
    return run.curve["updates"].to_numpy() / run.summary["num_examples"]


def by_sweeps(run: Run) -> Run:
    """Copy a run with sweeps in place of passes, for a figure."""
    other = replace(run)
    other.__dict__["curve"] = run.curve.assign(passes=sweeps(run))
    return other


def dual_after(run: Run, many: float, of: np.ndarray | None = None) -> float:
    """Return the dual after this many sweeps, or passes if ``of`` gives them; -infinity before the first known."""
    x, dual = sweeps(run) if of is None else of, run.curve["dual"].to_numpy()
    known = np.isfinite(x) & np.isfinite(dual)
    return float(np.interp(many, x[known], dual[known], left=-np.inf)) if known.any() else -np.inf


def dual_after_passes(run: Run, passes: float) -> float:
    """Return the dual after this many passes."""
    return dual_after(run, passes, run.curve["passes"].to_numpy())


def bound(run: Run, exact: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return steps T from 1 on, Q(alpha^{T+1}) - Q*, and Theorem 2's bound on it.

    The bound is for the last point u, whose D(u, u1) is known, plus Q(u) - Q*. The run ``exact`` knows the
    optimum. The first pass computes alpha^1.
    """
    curve, notes = run.curve[run.curve["passes"] >= 2], run.summary["notes"]
    T, Q = curve["passes"].to_numpy() - 1, -curve["dual"].to_numpy()
    least = -curves.optimum([run, exact]).dual
    rate = 2.5 * (notes["B"] + notes["lambda"]) * notes["divergence"]
    return T, Q - least, rate / T + 1.5 * (notes["first_Q"] - Q) / T + Q[-1] - least
