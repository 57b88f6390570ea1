"""What the claims of eg2008 about EG against SGD and L-BFGS measure, for each seed; see ``rules``.

SGD's rate is selected by its own run. Seeds that select different ones are settings of their own.
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.rules import FIRST_PASS, LEVEL, POINT, POINTS, Cs, Pick, reached
from structbench.bench.papers.eg2008.runs import FIXED_RATE, POST_HOC, Task
from structbench.bench.papers.measured import (
    PASSES,
    SECONDS,
    Value,
    distance,
    farther,
    last,
    longer,
    seconds_per,
    ticks,
    times,
    until_error,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

ETA0 = {1000.0: 0.001, 100.0: 0.01, 10.0: 0.01, 1.0: 0.01}  # theirs
SGD_ENDS = 5.0  # passes after which EG should lead
LATER = 10.0  # passes after which "roughly 5" is over
EXACT = ("lbfgs", "conjugate-gradient")  # no random draw matters


def rate_of(sgd: Run) -> float:
    """Return the rate that a run of SGD selected."""
    return float(sgd.summary["notes"]["eta0"])


def _where(C: float, *found: Run) -> dict[str, float]:
    """Return the setting, with the rate that SGD selected."""
    rates = [rate_of(run) for run in found if run.spec["algorithm"] == "sgd"]
    return {"C": C, "rate": rates[0]} if rates else {"C": C}


def time_to_level(
    task: Task, runs: Runs, pick: Pick, other: str, C: Cs, levels: Cs, mine: str = "eg", clock: str = PASSES
) -> Iterator[Value]:
    """Measure the passes or seconds of one algorithm until near the optimum over another's."""
    for each in C:
        pair = pick(other, each), pick(mine, each)
        for level in levels:
            exact = {other, mine} <= {*EXACT} and clock == PASSES
            yield longer(_where(each, *pair), *pair, task.optimum(runs, each), level, clock, exact)


def eg_distance_after_one_pass(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure EG's distance to the optimum over SGD's when each has updated n times."""
    for each in C:
        eg, sgd, best = pick("eg", each), pick("sgd", each), task.optimum(runs, each)
        updates = eg.curve["updates"].to_numpy() / eg.summary["num_examples"]
        made = np.isfinite(updates) & (eg.curve["passes"] > 0).to_numpy()
        primals = eg.curve["primal"].to_numpy()[made]
        primal = float(np.interp(1.0, updates[made], primals)) if made.any() else np.nan
        mine = (primal - best.primal) / abs(best.primal)
        yield farther(_where(each, sgd), mine, distance(sgd, best, 1.0))


def overtakes(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure the pass from which on EG's primal stays below SGD's, without EG's first."""
    for each in C:
        eg, sgd = pick("eg", each), pick("sgd", each)
        end = min(last(eg, "passes"), last(sgd, "passes"))
        yield reached(_where(each, sgd), curves.overtakes(eg.curve, sgd.curve), end, 0.1)


def lead_by_C(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure SGD's primal less EG's, over the optimum, mean from pass 5 on, at each C over the one before."""
    lead, rates = {}, {}
    for each in C:
        eg, sgd, best = pick("eg", each), pick("sgd", each), task.optimum(runs, each)
        even = np.linspace(SGD_ENDS, min(last(pick("sgd", one), "passes") for one in C), 200)
        apart = curves.at(sgd.curve, "primal", even) - curves.at(eg.curve, "primal", even)
        lead[each], rates[each] = float(np.mean(apart)) / abs(best.primal), rate_of(sgd)
    for larger, smaller in pairwise(C):
        where = {"C": smaller, "over": larger, "rates": f"{rates[smaller]:g}, {rates[larger]:g}"}
        told = f"{lead[smaller]:.2%} / {lead[larger]:.2%}"
        leads = lead[larger] > 0
        ratio = max(lead[smaller], 1e-9) / lead[larger] if leads else np.nan
        yield Value(where, ratio, state="" if leads else "a lead of EG at the larger C", told=told)


def _errors(pick: Pick, sgd_C: Cs) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return passes, EG's error at C = 10, and the least error of SGD's."""
    eg, sgds = pick("eg", 10.0).curve, [pick("sgd", C).curve for C in sgd_C]
    end = min(curve["passes"].iloc[-1] for curve in sgds)
    passes = eg["passes"].to_numpy()
    passes = np.union1d(passes[(passes >= 1) & (passes <= end)], end)
    least = np.min([curves.at(curve, "test_error", passes) for curve in sgds], axis=0)
    return passes, curves.at(eg, "test_error", passes), least


def sgd_leads_until(task: Task, runs: Runs, pick: Pick, sgd_C: Cs) -> Iterator[Value]:
    """Measure the first pass at which the least error of SGD's is not below EG's at C = 10 by over 0.2 points."""
    passes, mine, least = _errors(pick, sgd_C)
    first = next(iter(passes[mine <= least + LEVEL]), np.inf)
    yield reached({"C": 10.0}, first, passes[-1], 0.1)


def error_behind_sgd(task: Task, runs: Runs, pick: Pick, sgd_C: Cs) -> Iterator[Value]:
    """Measure EG's error less SGD's least, mean from pass 10 on."""
    passes, mine, least = _errors(pick, sgd_C)
    later = passes >= LATER
    behind = float(np.mean((mine - least)[later])) / POINT if later.any() else np.nan
    yield Value({"C": 10.0}, behind, "difference", POINTS)


def sgd_errors_apart(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure the mean over checkpoints, from pass 1 on, of the error's distance from that at C = 1."""
    first = pick("sgd", 1.0).curve
    first = first[first["passes"] >= 1]
    for each in C:
        apart = curves.at(pick("sgd", each).curve, "test_error", first["passes"]) - first["test_error"]
        yield Value({"C": each}, float(np.mean(np.abs(apart))) / POINT, "difference", POINTS)


def eta0_as_theirs(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure whether the rate that is selected is the paper's."""
    for each in C:
        ours = rate_of(pick("sgd", each))
        yield Value({"C": each}, float(np.isclose(ours, ETA0[each])), "category", told=f"{ours:g}")


def selected_over_post_hoc(task: Task, runs: Runs, pick: Pick) -> Iterator[Value]:
    """Measure the last distance to the optimum of the selected rate over that of 0.1, C = 1."""
    selected, other, best = pick("sgd", 1.0), pick("sgd", 1.0, **POST_HOC), task.optimum(runs, 1.0)
    where = _where(1.0, selected)
    if np.isclose(rate_of(selected), POST_HOC["eta0"]):
        yield Value(where, np.nan, state="seeds that select another rate than 0.1")
    else:
        yield farther(where, *(distance(run, best, last(run, "passes")) for run in (selected, other)))


def fixed_over_decay(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure SGD's distance to the optimum with a fixed rate over that with decay, where the shorter run ends."""
    for each in C:
        fixed, decay, best = pick("sgd", each, **FIXED_RATE), pick("sgd", each), task.optimum(runs, each)
        end = min(last(fixed, "passes"), last(decay, "passes"))
        where = {"C": each, "rates": f"{rate_of(fixed):g}, {rate_of(decay):g}"}
        yield farther(where, distance(fixed, best, end), distance(decay, best, end))


def lbfgs_ahead_in_error(task: Task, runs: Runs, pick: Pick, C: Cs) -> Iterator[Value]:
    """Measure the most that L-BFGS, at each C and from pass 1 on, errs less than EG at C = 10."""
    eg = pick("eg", 10.0).curve
    for each in C:
        curve = pick("lbfgs", each).curve
        curve = curve[curve["passes"] >= 1]
        ahead = curves.at(eg, "test_error", curve["passes"].to_numpy()) - curve["test_error"].to_numpy()
        told = f"at pass {curve['passes'].iloc[ahead.argmax()]:.3g}"
        yield Value({"C": each}, float(ahead.max()) / POINT, "difference", POINTS, told=told)


def cost_of_update(task: Task, runs: Runs, pick: Pick, other: str) -> Iterator[Value]:
    """Measure CPU seconds of EG's updates, line search included, over those of another's visits, C = 10."""
    eg, rival = pick("eg", 10.0), pick(other, 10.0)
    seconds = ticks(eg, SECONDS)
    first = float(np.interp(FIRST_PASS, eg.curve["passes"], seconds))  # it computes w of the first u
    mine = seconds_per(eg, last(eg, "updates"), first)
    visits = eg.summary["num_examples"] * (last(rival, "passes") - float(rival.curve["passes"].iloc[0]))
    theirs = seconds_per(rival, visits)
    yield Value({"C": 10.0}, mine / theirs, told=f"{1e6 * mine:.3g} / {1e6 * theirs:.3g} microseconds")


def lead_in_passes_over_seconds(task: Task, runs: Runs, pick: Pick, other: str, levels: Cs) -> Iterator[Value]:
    """Measure how many times as long another takes in passes, over the same in seconds, C = 10."""
    pair, best = (pick(other, 10.0), pick("eg", 10.0)), task.optimum(runs, 10.0)
    for level in levels:
        passes, seconds = (longer({"C": 10.0}, *pair, best, level, clock) for clock in (PASSES, SECONDS))
        bound = bool(passes.bound or seconds.bound)
        yield passes._replace(value=np.nan if bound else passes.value / seconds.value, bound="", told="")


def error_seconds_over_sgd(task: Task, runs: Runs, pick: Pick, points: Cs) -> Iterator[Value]:
    """Measure EG's seconds until within some points of its last error over SGD's, C = 10."""
    pair = pick("eg", 10.0), pick("sgd", 10.0)
    for each in points:
        goal = last(pair[0], "test_error") + each * POINT
        found = [until_error(run, goal, SECONDS) for run in pair]
        yield times({"points": each}, *found, tuple(ticks(run, SECONDS)[-1] for run in pair))
