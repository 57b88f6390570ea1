"""What the claims of eg2008 measure, for each seed; rows of ``claims.toml`` say what it is.

A rule takes the runs of one seed. ``C``, ``level`` and ``points`` are one value of those that the row lists.
SGD's rate is selected by its own run. Seeds that select different ones are settings of their own. On MNIST the
paper's rates are known: numbers with another rate are shown only.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers import measured
from structbench.bench.papers.eg2008.runs import POST_HOC, Task
from structbench.bench.papers.intervals import SURE
from structbench.bench.papers.measured import PASSES, POINT, SECONDS, Value, distance, farther, last, longer
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[Run, Run]

HORIZON = 199.0  # passes; a run ends within one pass of its limit
FIRST_PASS = 1.0  # computes w of the first u, and updates nothing
NEAR, CLOSE = 0.01, 0.001  # relative distances from the optimum at which rules look; Table 2's tolerance
LEVEL = 0.2 * POINT  # errors of 10,000 examples this close are level
ETA0 = {1000.0: 0.001, 100.0: 0.01, 10.0: 0.01, 1.0: 0.01}  # theirs
SGD_ENDS = 5.0  # passes after which EG should lead
LATER = 10.0  # passes after which "roughly 5" is over
EXACT = {"lbfgs", "conjugate-gradient"}  # no random draw matters
OTHER_RATE = "with another rate"  # a choice


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


def count(where: dict[str, float], passes: float, end: float) -> Value:
    """Return passes; if infinite, as a bound those that the runs made."""
    if np.isfinite(passes):
        return Value(where, max(passes, 0.1), "count")
    return Value(where, end, "count", bound="at least")


def _updating(eg: Run) -> "pd.DataFrame":
    """Return EG's curve without its first pass, which updates nothing."""
    return eg.curve.assign(passes=eg.curve["passes"] - FIRST_PASS)


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
    return times({"C": C}, pair, lambda run: measured.until_error(run, last(run, "test_error") + LEVEL))


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
    return count({"C": C}, curves.to_gap(run.curve, CLOSE) - FIRST_PASS, last(run, "passes") - FIRST_PASS)


def retried(seed: Seed, C: float) -> Value:
    notes = seed.run("eg", C).summary["notes"]
    return Value({"C": C}, notes["retried"] / notes["updates"] if notes.get("updates") else np.nan, "share")


def regular_over_annealed_in_error(seed: Seed, C: float) -> Value:
    """Measure passes until the error is within 0.2 points of the annealed run's last."""
    pair = seed.run("eg", C), seed.run("eg annealed", C)
    return times({"C": C}, pair, lambda run: measured.until_error(run, last(pair[1], "test_error") + LEVEL))


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


def rate_of(sgd: Run) -> float:
    """Return the rate that a run of SGD selected."""
    return float(sgd.summary["notes"]["eta0"])


def rates(*sgd: Run) -> str:
    return ", ".join(f"{rate_of(run):g}" for run in sgd)


def _where(C: float, *found: Run) -> dict[str, float]:
    """Return the setting, with the rate that SGD selected."""
    selected = [rate_of(run) for run in found if run.spec["algorithm"] == "sgd"]
    return {"C": C, "rate": selected[0]} if selected else {"C": C}


def at_their_rates(found: Sequence[Value]) -> list[Value]:
    """Return the numbers, as shown only where SGD selected another rate than the paper's SGD at that C.

    Where each seed did, the setting stays, without a number.
    """
    read = [
        each if at_rate_of_theirs(each.where) else each._replace(counted=False, choice=OTHER_RATE)
        for each in found
    ]
    settings: dict[tuple, list[Value]] = {}
    for each in read:
        settings.setdefault(tuple(_without_rate(each.where).items()), []).append(each)
    for where, values in settings.items():
        if all(each.choice == OTHER_RATE for each in values):
            state = "seeds that select the paper's rate"
            read.append(Value(dict(where), np.nan, values[0].kind, values[0].unit, state=state))
    return read


def at_rate_of_theirs(where: Mapping[str, Any]) -> bool:
    """Tell whether a setting has no rate of SGD, or the paper's."""
    said = where.get("rates", "") if "over" in where else f"{where['rate']:g}" if "rate" in where else ""
    return not said or said == ", ".join(f"{ETA0[where[C]]:g}" for C in ("C", "over") if C in where)


def _without_rate(where: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in where.items() if name not in ("rate", "rates")}


def time_to_level(seed: Seed, C: float, level: float, other: str, mine: str = "eg", clock: str = PASSES) -> Value:
    """Measure the passes or seconds of one algorithm until near the optimum over another's."""
    pair, exact = (seed.run(other, C), seed.run(mine, C)), {other, mine} <= EXACT and clock == PASSES
    return longer(_where(C, *pair), *pair, seed.optimum(C), level, clock, exact)


def eg_distance_after_one_pass(seed: Seed, C: float) -> Value:
    eg, sgd, best = seed.run("eg", C), seed.run("sgd", C), seed.optimum(C)
    made = eg.curve[np.isfinite(eg.curve["updates"]) & (eg.curve["passes"] > 0)]
    updates = made["updates"] / eg.summary["num_examples"]
    primal = float(np.interp(1.0, updates, made["primal"])) if len(made) else np.nan
    return farther(_where(C, sgd), (primal - best.primal) / abs(best.primal), distance(sgd, best, 1.0))


def overtakes(seed: Seed, C: float) -> Value:
    eg, sgd = seed.run("eg", C), seed.run("sgd", C)
    mine = _updating(eg)
    end = min(last(sgd, "passes"), mine["passes"].iloc[-1])
    return count(_where(C, sgd), curves.overtakes(mine, sgd.curve), end)


def lead_by_C(seed: Seed, Cs: Sequence[float]) -> list[Value]:
    """Measure SGD's primal less EG's, over the optimum, mean from pass 5 on, at each C over the one before."""
    sgd, lead, found = {C: seed.run("sgd", C) for C in Cs}, {}, []
    even = np.linspace(SGD_ENDS, min(last(run, "passes") for run in sgd.values()), 200)
    for C, run in sgd.items():
        apart = curves.at(run.curve, "primal", even) - curves.at(seed.run("eg", C).curve, "primal", even)
        lead[C] = float(np.mean(apart)) / abs(seed.optimum(C).primal)
    for larger, C in pairwise(Cs):
        where = {"C": C, "over": larger, "rates": rates(sgd[C], sgd[larger])}
        ratio = max(lead[C], 1e-9) / lead[larger] if lead[larger] > 0 else np.nan
        state = "" if lead[larger] > 0 else "a lead of EG at the larger C"
        found.append(Value(where, ratio, state=state, told=f"{lead[C]:.2%} / {lead[larger]:.2%}"))
    return found


def _errors(seed: Seed, C: float, sgd_C: Sequence[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return passes, EG's error at a C, its first pass not counted, and the least error of SGD's."""
    eg, sgds = _updating(seed.run("eg", C)), [seed.run("sgd", each).curve for each in sgd_C]
    end = min(curve["passes"].iloc[-1] for curve in (eg, *sgds))
    passes = eg["passes"].to_numpy()
    passes = np.union1d(passes[(passes >= 1) & (passes <= end)], end)
    least = np.min([curves.at(curve, "test_error", passes) for curve in sgds], axis=0)
    return passes, curves.at(eg, "test_error", passes), least


def sgd_leads_until(seed: Seed, C: float, sgd_C: Sequence[float]) -> Value:
    passes, mine, least = _errors(seed, C, sgd_C)
    return count({"C": C}, curves.settled(passes, mine - least - LEVEL), passes[-1])


def error_behind_sgd(seed: Seed, C: float, sgd_C: Sequence[float]) -> Value:
    passes, mine, least = _errors(seed, C, sgd_C)
    later = (mine - least)[passes >= LATER]
    return measured.points({"C": C}, float(np.mean(later)) if len(later) else np.nan)


def sgd_errors_apart(seed: Seed, C: float) -> Value:
    first = seed.run("sgd", 1.0).curve
    first = first[first["passes"] >= 1]
    apart = curves.at(seed.run("sgd", C).curve, "test_error", first["passes"]) - first["test_error"]
    return measured.points({"C": C}, float(np.mean(np.abs(apart))))


def eta0_as_theirs(seed: Seed, C: float) -> Value:
    ours = rate_of(seed.run("sgd", C))
    return Value({"C": C}, float(np.isclose(ours, ETA0[C])), "category", told=f"{ours:g}")


def selected_over_post_hoc(seed: Seed, C: float) -> Value:
    selected, other, best = seed.run("sgd", C), seed.run("sgd post-hoc", C), seed.optimum(C)
    if np.isclose(rate_of(selected), POST_HOC["eta0"]):
        return Value(_where(C, selected), np.nan, state="seeds that select another rate than 0.1")
    return farther(_where(C, selected), distance(selected, best), distance(other, best))


def fixed_over_decay(seed: Seed, C: float) -> Value:
    """Measure SGD's distance to the optimum with a fixed rate over that with decay, where the shorter run ends."""
    pair, best = (seed.run("sgd fixed", C), seed.run("sgd", C)), seed.optimum(C)
    end = min(last(run, "passes") for run in pair)
    return farther({"C": C, "rates": rates(*pair)}, *(distance(run, best, end) for run in pair))


def lbfgs_ahead_in_error(seed: Seed, C: float) -> Value:
    """Measure the most that L-BFGS, at C and from pass 1 on, errs less than EG at C = 10."""
    eg, curve = seed.run("eg", 10.0).curve, seed.run("lbfgs", C).curve
    curve = curve[curve["passes"] >= 1]
    ahead = curves.at(eg, "test_error", curve["passes"].to_numpy()) - curve["test_error"].to_numpy()
    told = f"at pass {curve['passes'].iloc[ahead.argmax()]:.3g}"
    return measured.points({"C": C}, float(ahead.max()), told=told)


def cost_of_update(seed: Seed, C: float, other: str) -> Value:
    """Measure CPU seconds of EG's updates, line search included, over those of another's visits."""
    eg, rival = seed.run("eg", C), seed.run(other, C)
    first = float(np.interp(FIRST_PASS, eg.curve["passes"], measured.ticks(eg, SECONDS)))  # w of the first u
    mine = measured.seconds_per(eg, last(eg, "updates"), first)
    visits = eg.summary["num_examples"] * (last(rival, "passes") - float(rival.curve["passes"].iloc[0]))
    theirs = measured.seconds_per(rival, visits)
    return Value({"C": C}, mine / theirs, told=f"{1e6 * mine:.3g} / {1e6 * theirs:.3g} microseconds")


def lead_in_passes_over_seconds(seed: Seed, C: float, level: float, other: str) -> Value:
    pair, best = (seed.run(other, C), seed.run("eg", C)), seed.optimum(C)
    passes, seconds = (longer({"C": C}, *pair, best, level, clock) for clock in (PASSES, SECONDS))
    bound = passes.bound or seconds.bound
    return passes._replace(value=np.nan if bound else passes.value / seconds.value, bound="", told="")


def error_seconds_over_sgd(seed: Seed, points: float) -> Value:
    """Measure EG's seconds until within some points of its last error over SGD's, C = 10."""
    pair = seed.run("eg", 10.0), seed.run("sgd", 10.0)
    goal = last(pair[0], "test_error") + points * POINT
    where = _where(10.0, pair[1]) | {"points": points}
    return times(where, pair, lambda run: measured.until_error(run, goal, SECONDS), SECONDS)
