"""What eg2008's claims outside dependency parsing measure, for each seed; ``claims.toml`` says what must hold.

A rule takes the runs of one seed. ``C``, ``level`` and ``points`` are one value of those that the row lists.
SGD's rate is selected by its own run. Seeds that select different ones are settings of their own. On MNIST the
paper's rates are known: numbers with another rate are shown only.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.curves import Curve
from structbench.bench.drawing.intervals import SURE
from structbench.bench.papers import measured
from structbench.bench.papers.eg2008 import seeds as of_seed
from structbench.bench.papers.eg2008.runs import FIXED, POST_HOC
from structbench.bench.papers.eg2008.seeds import CLOSE, ETA0, FIRST_PASS, NEAR, Seed, apart, rate_of, where_of
from structbench.bench.papers.evidence import CERTIFIED, EXACT
from structbench.bench.papers.measured import PASSES, POINT, SECONDS, distance, farther, last, longer
from structbench.bench.papers.terms import Evidence, Registry, Run

HORIZON = 199.0  # passes; a run ends within one pass of its limit
LEVEL = 0.2 * POINT  # errors of 10,000 examples this close are level
SGD_ENDS = 5.0  # passes after which EG should lead
LATER = 10.0  # passes after which "roughly 5" is over

measure = Registry()  # of a seed
of_all = Registry()  # of all seeds at once


def _updating(eg: Run) -> Curve:
    """Return EG's curve without its first pass, which updates nothing."""
    return eg.curve.assign(passes=eg.curve["passes"] - FIRST_PASS)


@measure("linear_gap")
def linear_gap(seed: Seed, C: float) -> Evidence:
    curve = seed.run("eg", C).curve
    curve = curve.loc[(curve["passes"] >= curves.FIT_FROM) & (curve["gap"] > 0)]
    if len(curve) < curves.FEWEST_POINTS:
        return Evidence({"C": C}, np.nan, "share", state="more checkpoints")
    even = np.linspace(curve["passes"].iloc[0], curve["passes"].iloc[-1], 1000)  # checkpoints lie closer at first
    log_gap = np.interp(even, curve["passes"], np.log10(curve["gap"]))
    told = f"{np.polyfit(even, log_gap, 1)[0]:.2g} decades a pass"
    return Evidence({"C": C}, curves.r2(even, log_gap), "share", told=told)


@measure("last_gap")
def last_gap(seed: Seed, C: float) -> Evidence:
    """Measure the largest last relative gap of all seeds; after fewer passes than theirs it can still fall."""
    gap, passes = (last(seed.run("eg", C), column) for column in ("relative_gap", "passes"))
    bound = "at most" if gap > CLOSE and passes < HORIZON else ""
    return Evidence({"C": C}, gap, "share", bound=bound, told=f"after {passes:.3g} passes", source=CERTIFIED)


@measure("passes_by_C")
def passes_by_C(seed: Seed, Cs: Sequence[float], level: float) -> Iterator[Evidence]:
    for larger, C in pairwise(Cs):
        pair = seed.run("eg", C), seed.run("eg", larger)
        yield measured.times_until({"C": C, "over": larger}, pair, lambda run: curves.to_gap(run.curve, level))


@measure("error_passes_by_C")
def error_passes_by_C(seed: Seed, C: float, other: float) -> Evidence:
    """Measure passes until the error is within 0.2 points of its last one, at ``other`` over those at C."""

    def until(run: Run) -> float:
        return measured.until_error(run, last(run, "test_error") + LEVEL)

    return measured.times_until({"C": C}, (seed.run("eg", other), seed.run("eg", C)), until)


@measure("cyclic_over_random")
def cyclic_over_random(seed: Seed, C: float) -> Evidence:
    """Measure passes until the gap is 1 % of the optimum."""
    level = NEAR * seed.optimum(C).primal

    def until(run: Run) -> float:
        return measured.until(run, curves.decades_above(run.curve["gap"].to_numpy(), level))

    return measured.times_until({"C": C}, (seed.run("eg cyclic", C), seed.run("eg", C)), until)


@measure("error_apart")
def error_apart(seed: Seed) -> Evidence:
    pair = seed.run("eg", 10.0), seed.run("eg", 1.0)
    return apart(*pair, {}, state=_unfinished(*pair))


@measure("error_above")
def error_above(seed: Seed, C: float) -> Evidence:
    """Measure the last error at C less the greater one of C = 10 and C = 1."""
    made = [seed.run("eg", each) for each in (C, 10.0, 1.0)]
    values = [apart(made[0], other, {"C": C}, state=_unfinished(*made)) for other in made[1:]]
    return min(values, key=lambda each: each.value)


def _unfinished(*made: Run) -> str:
    return "more passes" if any(last(run, "relative_gap") > CLOSE for run in made) else ""


@measure("passes_to_gap")
def passes_to_gap(seed: Seed, C: float) -> Evidence:
    run = seed.run("eg", C)
    return of_seed.count({"C": C}, curves.to_gap(run.curve, CLOSE) - FIRST_PASS, last(run, "passes") - FIRST_PASS)


@measure("retried")
def retried(seed: Seed, C: float) -> Evidence:
    notes = seed.run("eg", C).summary["notes"]
    return Evidence({"C": C}, notes["retried"] / notes["updates"] if notes.get("updates") else np.nan, "share")


@measure("regular_over_annealed_in_error")
def regular_over_annealed_in_error(seed: Seed, C: float) -> Evidence:
    """Measure passes until the error is within 0.2 points of the annealed run's last."""
    pair = seed.run("eg", C), seed.run("eg annealed", C)
    goal = last(pair[1], "test_error") + LEVEL
    return measured.times_until({"C": C}, pair, lambda run: measured.until_error(run, goal))


@of_all("trials_apart", within=(1, np.inf))
def trials_apart(seeds: Sequence[Seed], C: float, level: float) -> Evidence:
    """Measure the factor within which 95 of 100 pairs of trials stay, in passes to a relative gap.

    It takes the logarithms as normal; chi-squared gives the interval.
    """
    from scipy.special import chdtri, ndtri  # chi-squared and normal; scipy.stats takes a second to load

    passes = np.array([curves.to_gap(seed.run("eg", C).curve, level) for seed in seeds])
    if len(passes) < 2 or not np.isfinite(passes).all():
        return Evidence({"C": C}, np.nan, count=len(passes))
    freedom, deviation = len(passes) - 1, np.log(passes).std(ddof=1)
    tails = np.sqrt(freedom / chdtri(freedom, [(1 - SURE) / 2, (1 + SURE) / 2]))
    value, low, high = np.exp(ndtri((1 + SURE) / 2) * np.sqrt(2) * deviation * np.array([1.0, *tails])).tolist()
    return Evidence({"C": C}, value, low=low, high=high, count=len(passes))


@measure("time_to_level")
def time_to_level(
    seed: Seed, C: float, level: float, other: str, mine: str = "eg", clock: str = PASSES
) -> Evidence:
    """Measure the passes or seconds of one algorithm until near the optimum over another's."""
    pair, is_exact = (seed.run(other, C), seed.run(mine, C)), {other, mine} <= {*FIXED} and clock == PASSES
    return longer(where_of(C, *pair), *pair, seed.optimum(C), level, clock, EXACT if is_exact else "seeds")


@measure("eg_distance_after_one_pass")
def eg_distance_after_one_pass(seed: Seed, C: float) -> Evidence:
    eg, sgd, best = seed.run("eg", C), seed.run("sgd", C), seed.optimum(C)
    made = eg.curve[np.isfinite(eg.curve["updates"]) & (eg.curve["passes"] > 0)]
    updates = made["updates"] / eg.summary["num_examples"]
    primal = float(np.interp(1.0, updates, made["primal"])) if len(made) else np.nan
    return farther(where_of(C, sgd), (primal - best.primal) / abs(best.primal), distance(sgd, best, 1.0))


@measure("overtakes")
def overtakes(seed: Seed, C: float) -> Evidence:
    eg, sgd = seed.run("eg", C), seed.run("sgd", C)
    mine = _updating(eg)
    end = min(last(sgd, "passes"), mine["passes"].iloc[-1])
    return of_seed.count(where_of(C, sgd), curves.overtakes(mine, sgd.curve), end)


@measure("lead_by_C")
def lead_by_C(seed: Seed, Cs: Sequence[float]) -> Iterator[Evidence]:
    """Measure SGD's primal less EG's, over the optimum, mean from pass 5 on, at each C over the one before."""
    sgd, lead = {C: seed.run("sgd", C) for C in Cs}, {}
    even = np.linspace(SGD_ENDS, min(last(run, "passes") for run in sgd.values()), 200)
    for C, run in sgd.items():
        apart = curves.at(run.curve, "primal", even) - curves.at(seed.run("eg", C).curve, "primal", even)
        lead[C] = float(np.mean(apart)) / abs(seed.optimum(C).primal)
    for larger, C in pairwise(Cs):
        where = {"C": C, "over": larger, "rates": of_seed.rates(sgd[C], sgd[larger])}
        ratio = max(lead[C], 1e-9) / lead[larger] if lead[larger] > 0 else np.nan
        state = "" if lead[larger] > 0 else "a lead of EG at the larger C"
        yield Evidence(where, ratio, state=state, told=f"{lead[C]:.2%} / {lead[larger]:.2%}")


def _errors(seed: Seed, C: float, sgd_C: Sequence[float]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return passes, EG's error at a C, its first pass not counted, and the least error of SGD's."""
    eg, sgds = _updating(seed.run("eg", C)), [seed.run("sgd", each).curve for each in sgd_C]
    end = min(curve["passes"].iloc[-1] for curve in (eg, *sgds))
    passes = eg["passes"].to_numpy()
    passes = np.union1d(passes[(passes >= 1) & (passes <= end)], end)
    least = np.min([curves.at(curve, "test_error", passes) for curve in sgds], axis=0)
    return passes, curves.at(eg, "test_error", passes), least


@measure("sgd_leads_until")
def sgd_leads_until(seed: Seed, C: float, sgd_C: Sequence[float]) -> Evidence:
    passes, mine, least = _errors(seed, C, sgd_C)
    return of_seed.count({"C": C}, curves.settled(passes, mine - least - LEVEL), passes[-1])


@measure("error_behind_sgd")
def error_behind_sgd(seed: Seed, C: float, sgd_C: Sequence[float]) -> Evidence:
    passes, mine, least = _errors(seed, C, sgd_C)
    later = (mine - least)[passes >= LATER]
    return measured.points({"C": C}, float(np.mean(later)) if len(later) else np.nan)


@measure("sgd_errors_apart", within=(0, 100))
def sgd_errors_apart(seed: Seed, C: float) -> Evidence:
    first = seed.run("sgd", 1.0).curve
    first = first.loc[first["passes"] >= 1]
    apart = curves.at(seed.run("sgd", C).curve, "test_error", first["passes"]) - first["test_error"]
    return measured.points({"C": C}, float(np.mean(np.abs(apart))))


@measure("eta0_as_theirs")
def eta0_as_theirs(seed: Seed, C: float) -> Evidence:
    ours = rate_of(seed.run("sgd", C))
    return Evidence({"C": C}, float(np.isclose(ours, ETA0[C])), "category", told=f"{ours:g}")


@measure("selected_over_post_hoc")
def selected_over_post_hoc(seed: Seed, C: float) -> Evidence:
    selected, other, best = seed.run("sgd", C), seed.run("sgd post-hoc", C), seed.optimum(C)
    if np.isclose(rate_of(selected), POST_HOC["eta0"]):
        return Evidence(where_of(C, selected), np.nan, state="seeds that select another rate than 0.1")
    return farther(where_of(C, selected), distance(selected, best), distance(other, best))


@measure("fixed_over_decay")
def fixed_over_decay(seed: Seed, C: float) -> Evidence:
    """Measure SGD's distance to the optimum with a fixed rate over that with decay, where the shorter run ends."""
    pair, best = (seed.run("sgd fixed", C), seed.run("sgd", C)), seed.optimum(C)
    end = min(last(run, "passes") for run in pair)
    return farther({"C": C, "rates": of_seed.rates(*pair)}, *(distance(run, best, end) for run in pair))


@measure("lbfgs_ahead_in_error")
def lbfgs_ahead_in_error(seed: Seed, C: float) -> Evidence:
    """Measure the most that L-BFGS, at C and from pass 1 on, errs less than EG at C = 10."""
    eg, curve = seed.run("eg", 10.0).curve, seed.run("lbfgs", C).curve
    curve = curve.loc[curve["passes"] >= 1]
    if curve.empty:
        return measured.points({"C": C}, np.nan, state="more passes")
    ahead = curves.at(eg, "test_error", curve["passes"].to_numpy()) - curve["test_error"].to_numpy()
    told = f"at pass {curve['passes'].iloc[ahead.argmax()]:.3g}"
    return measured.points({"C": C}, float(ahead.max()), told=told)


@measure("cost_of_update")
def cost_of_update(seed: Seed, C: float, other: str) -> Evidence:
    """Measure CPU seconds of EG's updates, line search included, over those of another's visits."""
    eg, rival = seed.run("eg", C), seed.run(other, C)
    first = float(np.interp(FIRST_PASS, eg.curve["passes"], measured.ticks(eg, SECONDS)))  # w of the first u
    mine = measured.seconds_per(eg, last(eg, "updates"), first)
    visits = eg.summary["num_examples"] * (last(rival, "passes") - float(rival.curve["passes"].iloc[0]))
    theirs = measured.seconds_per(rival, visits)
    return Evidence({"C": C}, mine / theirs, told=f"{1e6 * mine:.3g} / {1e6 * theirs:.3g} CPU microseconds")


@measure("lead_in_passes_over_seconds")
def lead_in_passes_over_seconds(seed: Seed, C: float, level: float, other: str) -> Evidence:
    pair, best = (seed.run(other, C), seed.run("eg", C)), seed.optimum(C)
    passes, seconds = (longer({"C": C}, *pair, best, level, clock) for clock in (PASSES, SECONDS))
    bound = passes.bound or seconds.bound
    return passes._replace(value=np.nan if bound else passes.value / seconds.value, bound="", told="")


@measure("error_seconds_over_sgd")
def error_seconds_over_sgd(seed: Seed, points: float) -> Evidence:
    """Measure EG's seconds until within some points of its last error over SGD's, C = 10."""
    pair = seed.run("eg", 10.0), seed.run("sgd", 10.0)
    goal = last(pair[0], "test_error") + points * POINT
    where = where_of(10.0, pair[1]) | {"points": points}
    return measured.times_until(where, pair, lambda run: measured.until_error(run, goal, SECONDS), SECONDS)
