"""What figures and rules of eg2004 read off runs: sweeps over the training set, duals there, Theorem 2's bound."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2004.setting import SMO_VISITS
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

Pick = Callable[[list[Spec]], Run]  # of the specs, one a seed, the run of one seed


def sweeps(run: Run) -> np.ndarray:
    """Sweeps over the training set at the checkpoints, updates over n; NaN of EG before its first theta."""
    if run.spec["algorithm"] == "smo":
        return run.curve["passes"].to_numpy() / SMO_VISITS
    return run.curve["updates"].to_numpy() / run.summary["num_examples"]


def by_sweeps(run: Run) -> Run:
    """The same run with sweeps in place of passes, for a figure."""
    other = replace(run)
    other.__dict__["curve"] = run.curve.assign(passes=sweeps(run))
    return other


def dual_after(run: Run, many: float, of: np.ndarray | None = None) -> float:
    """The dual after so many sweeps, or passes if ``of`` gives those; -infinity before the first one known."""
    x, dual = sweeps(run) if of is None else of, run.curve["dual"].to_numpy()
    known = np.isfinite(x) & np.isfinite(dual)
    return float(np.interp(many, x[known], dual[known], left=-np.inf)) if known.any() else -np.inf


def dual_after_passes(run: Run, passes: float) -> float:
    """The dual after so many visits, over n."""
    return dual_after(run, passes, run.curve["passes"].to_numpy())


def bound(run: Run, exact: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps T, Q(alpha^{T+1}) - Q*, and its bound, from T = 1 on; ``exact`` knows the optimum.

    The bound is Theorem 2's for the last point u, D(u, u1) of which is known, and Q(u) - Q*. The first pass
    computes alpha^1.
    """
    curve, notes = run.curve[run.curve["passes"] >= 2], run.summary["notes"]
    T, Q = curve["passes"].to_numpy() - 1, -curve["dual"].to_numpy()
    least = -curves.optimum([run, exact]).dual
    rate = 2.5 * (notes["B"] + notes["lambda"]) * notes["divergence"]
    return T, Q - least, rate / T + 1.5 * (notes["first_Q"] - Q) / T + Q[-1] - least
