"""Quantities computed from convergence curves: the optimum, the distance to it, and the time to reach a gap."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    from pandas import DataFrame as Curve
else:  # pandas takes a second to load
    Curve = Any

TIE = 1e-6  # relative difference of primal values below which two runs are level: the runs stop at this gap
FIT_FROM = 1.0  # passes: where a fit of the log gap starts, at the first dual point
FEWEST_POINTS = 5
SMALLEST = 1e-9  # a smaller relative distance to the optimum is rounding
LEAST = 1e-3  # of a level: a smaller distance counts as this, since 0 has no logarithm


class Optimum(NamedTuple):
    """The least primal value of several runs and the greatest dual value, which bounds what is left."""

    primal: float
    dual: float

    @property
    def relative_gap(self) -> float:
        """``(primal - dual) / |primal|``."""
        return (self.primal - self.dual) / abs(self.primal)


def optimum(runs: list[Run]) -> Optimum:
    """The best certified value of a problem, over runs with the same data, loss and C; NaN if there are none.

    A dual value above a primal one is no bound but an overflow, of a run that diverged.
    """
    return optimum_of([finite_values(own(run)) for run in runs])


def optimum_of(values: list[tuple[np.ndarray, np.ndarray]]) -> Optimum:
    """The same, given the finite primal and dual values of each run."""
    if not values:
        return Optimum(np.nan, np.nan)
    primal = min(primals.min(initial=np.inf) for primals, _ in values)
    duals = np.concatenate([duals for _, duals in values])
    bounds = duals[duals <= primal + TIE * abs(primal)] if np.isfinite(primal) else duals
    return Optimum(float(primal), float(bounds.max(initial=-np.inf)))


def own(run: Run) -> Curve:
    """The checkpoints at the run's own C: a path has others before."""
    return run.curve.loc[run.curve["C"] == run.spec.C]


def finite_values(curve: Curve | dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The primal and the dual values that are neither NaN nor infinite."""
    primals, duals = (np.asarray(curve[name]) for name in ("primal", "dual"))
    return primals[np.isfinite(primals)], duals[np.isfinite(duals)]


def at(curve: Curve, column: str, passes: float | np.ndarray) -> np.ndarray:
    """A column interpolated at these passes; after the run's end, its last value."""
    return np.asarray(np.interp(passes, curve["passes"], curve[column]))


def settled(positions: np.ndarray, excess: np.ndarray) -> float:
    """The position from which on ``excess`` stays at or below 0, infinity if it does not; NaN is above 0.

    It is linear between checkpoints, which lie a fifth apart, often farther than repetitions with other seeds.
    """
    bad = np.flatnonzero(~(excess <= 0))
    first = bad[-1] + 1 if len(bad) else 0
    if first == len(positions):
        return np.inf
    if first == 0 or not np.isfinite(excess[first - 1]):
        return float(positions[first])
    share = excess[first - 1] / (excess[first - 1] - excess[first])
    return float(positions[first - 1] + share * (positions[first] - positions[first - 1]))


def decades_above(distances: np.ndarray, level: float | np.ndarray) -> np.ndarray:
    """log10(distance / level), at least -3: how ``settled`` reads a distance that falls to a level."""
    with np.errstate(invalid="ignore"):
        return np.log10(np.maximum(distances, LEAST * level) / level)


def to_gap(curve: Curve, level: float, clock: str = "passes") -> float:
    """What the clock shows once the gap stays within ``level`` of the primal; infinity if it does not."""
    return settled(curve[clock].to_numpy(), decades_above(curve["relative_gap"].to_numpy(), level))


def distance(curve: Curve, bound: float) -> np.ndarray:
    """How far the primal is above a bound from below, in shares of itself; NaN where that is rounding."""
    primal = curve["primal"].to_numpy()
    with np.errstate(invalid="ignore", divide="ignore"):
        above = (primal - bound) / np.abs(primal)
    return np.where(above > SMALLEST, above, np.nan)


def seconds_to(curve: Curve, bound: float, level: float, clock: str = "cpu_seconds") -> float:
    """Seconds after which the primal stays certified: above a lower bound by at most ``level`` of itself.

    Infinity if it does not, NaN if no seconds are known.
    """
    seconds, primal = curve[clock].to_numpy(), curve["primal"].to_numpy()
    if np.isnan(seconds).any():
        return np.nan
    return settled(seconds, decades_above(primal - bound, level * np.abs(primal)))


def overtakes(curve: Curve, other: Curve) -> float:
    """Passes from which on the primal of ``curve`` stays below that of ``other`` (or level); maybe infinity."""
    passes = np.union1d(curve["passes"], other["passes"])
    passes = passes[passes > 0]
    mine, others = at(curve, "primal", passes), at(other, "primal", passes)
    return settled(passes, mine - others - TIE * np.abs(others))


def r2(x: np.ndarray, y: np.ndarray) -> float:
    """The share of y's variance that a line in x explains."""
    residual = y - np.polyval(np.polyfit(x, y, 1), x)
    spread = y - y.mean()
    return float(1 - residual @ residual / (spread @ spread)) if spread @ spread > 0 else 0.0


def seconds_per_pass(curve: Curve, clock: str = "cpu_seconds") -> float:
    """Seconds of the algorithm for an effective pass, over the whole run, without its set-up; NaN of no passes."""
    first, last = curve.iloc[0], curve.iloc[-1]
    passes = last["passes"] - first["passes"]
    return float((last[clock] - first[clock]) / passes) if passes else np.nan
