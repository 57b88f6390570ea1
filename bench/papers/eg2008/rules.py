"""What the claims of eg2008 about EG alone measure, for each seed; ``claims.toml`` says what is asked of it.

A rule takes the task, the runs, and ``pick(algorithm, C, **params)``, which gives the run of one seed.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.runs import ANNEALED, Task
from structbench.bench.papers.intervals import SURE
from structbench.bench.papers.measured import Estimate, Value, last, longer, times, until, until_error
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

Pick = Callable[..., Run]
Cs = Sequence[float]

HORIZON = 199.0  # passes; a run ends within one pass of its limit
FIRST_PASS = 1.0  # computes w of the first u, and updates nothing
NEAR, CLOSE = 0.01, 0.001  # relative distances from the optimum at which rules look; Table 2's tolerance
POINT, POINTS = 0.01, "points of error"
LEVEL = 0.2 * POINT  # errors of 10,000 examples this close are level


def linear_gap(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure how much of the log gap's variance a line in passes explains, on Figure 6's axis."""
    for each in C:
        curve = pick("eg", each).curve
        known = (curve["passes"] >= curves.FIT_FROM).to_numpy() & (curve["gap"] > 0).to_numpy()
        if known.sum() < curves.FEWEST_POINTS:
            yield Value({"C": each}, np.nan, "share", state="more checkpoints")
            continue
        passes, gap = curve["passes"].to_numpy()[known], np.log10(curve["gap"].to_numpy()[known])
        even = np.linspace(passes[0], passes[-1], 1000)  # checkpoints lie closer at first
        log_gap = np.interp(even, passes, gap)
        told = f"{np.polyfit(even, log_gap, 1)[0]:.2g} decades a pass"
        yield Value({"C": each}, curves.r2(even, log_gap), "share", told=told)


def last_gap(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure the largest last relative gap of all seeds; after fewer passes than theirs it can still fall."""
    for each in C:
        gap, passes = (last(pick("eg", each), column) for column in ("relative_gap", "passes"))
        bound = "at most" if gap > CLOSE and passes < HORIZON else ""
        yield Value({"C": each}, gap, "share", bound=bound, told=f"after {passes:.3g} passes", largest=True)


def passes_by_C(task: Task, runs: Runs, pick: Pick, C: Cs, level: float) -> Iterator[Value]:
    """Measure passes to a relative gap, at each C over those at the one before."""
    for larger, smaller in pairwise(C):
        pair = pick("eg", smaller), pick("eg", larger)
        yield _times({"C": smaller, "over": larger}, pair, (curves.to_gap(run.curve, level) for run in pair))


def error_passes_by_C(task: Task, runs: Runs, pick: Pick, C: Cs, other: float) -> Iterator[Value]:
    """Measure passes until the error is within 0.2 points of its last one, at ``other`` over those at each C."""
    for each in C:
        pair = pick("eg", other), pick("eg", each)
        yield _times({"C": each}, pair, (until_error(run, last(run, "test_error") + LEVEL) for run in pair))


def cyclic_over_random(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure passes until the gap is 1 % of the optimum, C = 1."""
    pair = pick("eg", 1.0, order="cyclic"), pick("eg", 1.0)
    level = NEAR * task.optimum(runs, 1.0).primal
    excess = (curves.decades_above(run.curve["gap"].to_numpy(), level) for run in pair)
    yield _times({"C": 1.0}, pair, map(until, pair, excess))


def _times(where: dict[str, float], pair: tuple[Run, Run], passes: Iterator[float]) -> Value:
    """Return how many times as many passes the first run takes as the second."""
    return times(where, *passes, tuple(last(run, "passes") for run in pair))


def error_apart(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the last error at C = 10 less that at C = 1."""
    error, state = _last_errors(pick, (10.0, 1.0))
    yield Value({}, (error[10] - error[1]) / POINT, "difference", POINTS, state=state)


def error_above(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure the last error at each C less the greater one of C = 10 and C = 1."""
    error, state = _last_errors(pick, (*C, 10.0, 1.0))
    for each in C:
        above = (error[each] - max(error[10], error[1])) / POINT
        yield Value({"C": each}, above, "difference", POINTS, state=state)


def _last_errors(pick: Pick, C: Cs) -> tuple[dict[float, float], str]:
    ends = {each: pick("eg", each) for each in C}
    far = any(last(run, "relative_gap") > CLOSE for run in ends.values())
    return {each: last(run, "test_error") for each, run in ends.items()}, "more passes" if far else ""


def passes_to_gap(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure EG's passes to a relative gap of 0.1 %, without its first."""
    for each in C:
        run = pick("eg", each)
        yield reached({"C": each}, curves.to_gap(run.curve, CLOSE), last(run, "passes"))


def reached(where: dict[str, float], passes: float, end: float, least: float = -np.inf) -> Value:
    """Return passes without EG's first; if infinite, as a bound those that the runs made."""
    if np.isfinite(passes):
        return Value(where, max(passes - FIRST_PASS, least), "count")
    return Value(where, end - FIRST_PASS, "count", bound="at least")


def batch_over_online(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure passes until near the optimum, C = 10."""
    pair = pick("eg", 10.0, mode="batch"), pick("eg", 10.0)
    yield longer({"C": 10.0}, *pair, task.optimum(runs, 10.0), NEAR)


def retried(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure the share of updates that tried more than one step."""
    for each in C:
        notes = pick("eg", each).summary["notes"]
        share = notes["retried"] / notes["updates"] if notes.get("updates") else np.nan
        yield Value({"C": each}, share, "share")


def regular_over_annealed(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure passes until near the optimum, C = 1."""
    pair = pick("eg", 1.0), pick("eg", 1.0, **ANNEALED)
    yield longer({"C": 1.0}, *pair, task.optimum(runs, 1.0), NEAR)


def regular_over_annealed_in_error(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure passes until the error is within 0.2 points of the annealed run's last, C = 1."""
    pair = pick("eg", 1.0), pick("eg", 1.0, **ANNEALED)
    goal = last(pair[1], "test_error") + LEVEL
    yield _times({"C": 1.0}, pair, (until_error(run, goal) for run in pair))


def trials_apart(task: Task, runs: Runs, pick: Pick, C: Cs, level: float) -> Iterator[Value]:
    """Measure passes to a relative gap; ``spread`` says how far trials are apart."""
    for each in C:
        yield Value({"C": each}, curves.to_gap(pick("eg", each).curve, level))


def spread(by_seed: Sequence[Sequence[Value]]) -> list[Estimate]:
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
            ends = np.exp(ndtri((1 + SURE) / 2) * np.sqrt(2) * deviation * np.array([1.0, *tails]))
        found.append(Estimate(trials[0].where, *map(float, ends), count=len(values)))
    return found
