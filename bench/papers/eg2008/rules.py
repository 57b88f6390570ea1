"""What the claims of eg2008 about EG alone measure, for each seed; rows of ``claims.toml`` say what it is.

A rule takes the runs of one seed. ``C``, ``level`` and ``points`` are one value of those that the row lists.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers import measured
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.intervals import SURE
from structbench.bench.papers.measured import PASSES, POINT, Value, last, until_error
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

Pair = tuple[Run, Run]

HORIZON = 199.0  # passes; a run ends within one pass of its limit
FIRST_PASS = 1.0  # computes w of the first u, and updates nothing
NEAR, CLOSE = 0.01, 0.001  # relative distances from the optimum at which rules look; Table 2's tolerance
LEVEL = 0.2 * POINT  # errors of 10,000 examples this close are level


@dataclass(frozen=True)
class Seed:
    """The runs of a task with its k-th seed."""

    task: Task
    runs: Runs
    k: int
    optimum: Callable[[float], curves.Optimum]  # of the log loss at a C, the same for all seeds

    def run(self, kind: str, C: float | None = None, **params: Any) -> Run:
        specs = self.task.found(kind, C, **params)
        return self.runs[specs[min(self.k, len(specs) - 1)]]


def times(where: dict[str, Any], pair: Pair, until: Callable[[Run], float], clock: str = PASSES) -> Value:
    """Return how many times as long the first run takes as the second until something."""
    return measured.times(where, *map(until, pair), tuple(measured.ticks(run, clock)[-1] for run in pair))


def apart(run: Run, other: Run, where: dict[str, Any], **more: Any) -> Value:
    """Return the last error of a run less another's."""
    return measured.points(where, last(run, "test_error") - last(other, "test_error"), **more)


def reached(where: dict[str, float], passes: float, end: float, least: float = -np.inf) -> Value:
    """Return passes without EG's first; if infinite, as a bound those that the runs made."""
    if np.isfinite(passes):
        return Value(where, max(passes - FIRST_PASS, least), "count")
    return Value(where, end - FIRST_PASS, "count", bound="at least")


def linear_gap(seed: Seed, C: float) -> Value:
    curve = seed.run("eg", C).curve
    curve = curve[(curve["passes"] >= curves.FIT_FROM) & (curve["gap"] > 0)]
    if len(curve) < curves.FEWEST_POINTS:
        return Value({"C": C}, np.nan, "share", state="more checkpoints")
    even = np.linspace(*curve["passes"].iloc[[0, -1]], 1000)  # checkpoints lie closer at first
    log_gap = np.interp(even, curve["passes"], np.log10(curve["gap"]))
    told = f"{np.polyfit(even, log_gap, 1)[0]:.2g} decades a pass"
    return Value({"C": C}, curves.r2(even, log_gap), "share", told=told)


def last_gap(seed: Seed, C: float) -> Value:
    """Measure the largest last relative gap of all seeds; after fewer passes than theirs it can still fall."""
    gap, passes = (last(seed.run("eg", C), column) for column in ("relative_gap", "passes"))
    bound = "at most" if gap > CLOSE and passes < HORIZON else ""
    return Value({"C": C}, gap, "share", bound=bound, told=f"after {passes:.3g} passes", largest=True)


def passes_by_C(seed: Seed, Cs: Sequence[float], level: float) -> list[Value]:

    def until(run: Run) -> float:
        return curves.to_gap(run.curve, level)

    pairs = [({"C": C, "over": larger}, (seed.run("eg", C), seed.run("eg", larger))) for larger, C in pairwise(Cs)]
    return [times(where, pair, until) for where, pair in pairs]


def error_passes_by_C(seed: Seed, C: float, other: float) -> Value:
    """Measure passes until the error is within 0.2 points of its last one, at ``other`` over those at C."""
    pair = seed.run("eg", other), seed.run("eg", C)
    return times({"C": C}, pair, lambda run: until_error(run, last(run, "test_error") + LEVEL))


def cyclic_over_random(seed: Seed, C: float) -> Value:
    """Measure passes until the gap is 1 % of the optimum."""
    level = NEAR * seed.optimum(C).primal

    def until(run: Run) -> float:
        return measured.until(run, curves.decades_above(run.curve["gap"].to_numpy(), level))

    return times({"C": C}, (seed.run("eg cyclic", C), seed.run("eg", C)), until)


def error_apart(seed: Seed) -> Value:
    pair = seed.run("eg", 10.0), seed.run("eg", 1.0)
    return apart(*pair, {}, state=_unfinished(*pair))


def error_above(seed: Seed, C: float) -> Value:
    """Measure the last error at C less the greater one of C = 10 and C = 1."""
    made = [seed.run("eg", each) for each in (C, 10.0, 1.0)]
    values = [apart(made[0], other, {"C": C}, state=_unfinished(*made)) for other in made[1:]]
    return min(values, key=lambda each: each.value)


def _unfinished(*made: Run) -> str:
    return "more passes" if any(last(run, "relative_gap") > CLOSE for run in made) else ""


def passes_to_gap(seed: Seed, C: float) -> Value:
    run = seed.run("eg", C)
    return reached({"C": C}, curves.to_gap(run.curve, CLOSE), last(run, "passes"))


def retried(seed: Seed, C: float) -> Value:
    notes = seed.run("eg", C).summary["notes"]
    return Value({"C": C}, notes["retried"] / notes["updates"] if notes.get("updates") else np.nan, "share")


def regular_over_annealed_in_error(seed: Seed, C: float) -> Value:
    """Measure passes until the error is within 0.2 points of the annealed run's last."""
    pair = seed.run("eg", C), seed.run("eg annealed", C)
    return times({"C": C}, pair, lambda run: until_error(run, last(pair[1], "test_error") + LEVEL))


def trials_apart(seed: Seed, C: float, level: float) -> Value:
    """Measure passes to a relative gap; ``spread`` says how far trials are apart."""
    return Value({"C": C}, curves.to_gap(seed.run("eg", C).curve, level))


def spread(by_seed: Sequence[Sequence[Value]]) -> list[Value]:
    """Return the factor within which 95 of 100 pairs of trials stay, if the logarithms of values are normal.

    Chi-squared gives its interval. It is not known with fewer than two trials, or if one has no value.
    """
    from scipy.special import chdtri, ndtri  # chi-squared and normal; scipy.stats takes a second to load

    found = []
    for trials in zip(*by_seed, strict=True):
        values, ends = np.array([each.value for each in trials]), (np.nan, -np.inf, np.inf)
        if len(values) > 1 and np.isfinite(values).all():
            freedom, deviation = len(values) - 1, np.log(values).std(ddof=1)
            tails = np.sqrt(freedom / chdtri(freedom, [(1 - SURE) / 2, (1 + SURE) / 2]))
            ends = np.exp(ndtri((1 + SURE) / 2) * np.sqrt(2) * deviation * np.array([1.0, *tails])).tolist()
        about = dict(zip(("value", "low", "high"), ends, strict=True))
        found.append(trials[0]._replace(**about, count=len(values)))
    return found
