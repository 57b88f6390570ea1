"""The rules by which claims on l1m3n2009's three ways to train the l1-M3N are judged, as in ``rules``.

Each method is read along its path, from the strongest constant. The constants are the paper's own if it gives
them, so that its ranges are the paper's (a factor of 26 for EM, 64 for the others). The paper does not give EM's
fixed constant C'. It is 1, 0.5 and 2 in turn, and claims on EM must hold for each. Errors and CPU seconds of a
fold are paired with those of the same fold with other constants or methods. Ratios of seconds are geometric means.
Average weights are over the ten folds of a data set, as in Table 1; their intervals are over data sets.

======================  ==============================================================================
em-as-cutting-plane     Table 1: totals of EM and of cutting planes, row by row, at most 30 of 200 apart in the
                        mean; not if over 60
subgradient-tail        the least of 200 average weights that are not 0 at a radius is 180 or more, while EM and
                        cutting planes get to 100 or fewer; not if the subgradient gets to 100 or fewer, too
tail-is-small           truncating average weights at 1e-4 takes at most 10% of the subgradient's, mean over
                        radii; not if over 25%
best-comparable         errors at the constant of each: within a point of each other, and nearer than the range of
                        error along the path of the most sensitive, the control; not if two are further apart
em-robust-error         greatest less least error along the path, fold by fold: both others' less EM's above 0; not
                        if both below
em-robust-time          greatest over least CPU seconds, fold by fold: both others' over EM's above 1; not if
                        both below
cutting-plane-slows     CPU seconds at the weakest constant are very much (5) more than at the strongest; not if
                        no more
time-follows-non-zeros  rank correlation of the cutting planes' CPU seconds with the weights that are not 0, fold
                        by fold: above 0.5; not if below 0.5. It asks for four constants
subgradient-speeds-up   CPU seconds at the smallest radius over those at the largest: above 1; not if below
subgradient-fastest     mean CPU seconds over the path, both others' over the subgradient's: above 1; not if one is
                        below
ocr-both-robust         greatest over least error along the path, of EM and of the subgradient: below 1.2, what
                        counts as apart; not if one is above
ocr-em-better           error at the constant of each, the subgradient's less EM's: above 0; not if below
ocr-em-time             greatest over least CPU seconds along the path: the subgradient's over EM's above 1, and
                        EM's below 1.5 (significantly); not if EM's is above that and the subgradient's below EM's
ocr-cutting-plane       "extremely slow": with very much (5) more seconds than EM takes to its end on the same
                        fold, the error is still over 1 point above EM's, each at its constant; not if it is not
                        above. Undecided if our limit ends runs before that
======================  ==============================================================================

em-robust-time, subgradient-fastest and ocr-em-time are undecided if a method mostly stops at its limit of passes:
then its seconds are set by our limit.
"""

from collections.abc import Callable
from functools import wraps

import numpy as np

from structbench.bench.papers.intervals import Interval
from structbench.bench.papers.judging import INCONCLUSIVE, RATIOS, Judgement, graded, unanimous
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.rules import POINT, interval
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import CUTTING_PLANE, SUBGRADIENT, Way
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import weights_of

FEW, MANY = 100, 180  # of 200 features
NEAR, FAR = 30, 60


def for_each_constant(rule: Callable[..., Judgement]) -> Callable[..., Judgement]:
    """Judge a rule on EM (its last argument) for each fixed constant C'; return the verdict they agree on."""

    @wraps(rule)
    def judged(task: Task, *about: Cross | Runs) -> Judgement:
        found = {f"C' = {em.weight:g}": rule(task, *about, em) for em in task.ems}
        if len(found) == 1:
            return next(iter(found.values()))
        told = "; ".join(f"{at}: {numbers} ({verdict})" for at, (verdict, numbers, _) in found.items())
        details = list(dict.fromkeys(detail for *_, detail in found.values() if detail))
        return unanimous([verdict for verdict, *_ in found.values()]), told, "; ".join(details)

    return judged


@for_each_constant
def em_as_cutting_plane(task: Task, runs: Runs, em: Way) -> Judgement:
    totals = [_totals(task, runs, way) for way in (em, CUTTING_PLANE)]
    apart = interval(np.abs(totals[0] - totals[1]).mean(axis=1))
    told = (", ".join(map(str, each[0])) for each in totals)
    numbers = "{} apart in the mean; on the first data set EM {}, cutting planes {}".format(apart, *told)
    return graded(apart.high <= NEAR, apart.low > FAR), numbers, ""


@for_each_constant
def subgradient_tail(task: Task, runs: Runs, em: Way) -> Judgement:
    ways = {"subgradient": SUBGRADIENT, "EM": em, "cutting planes": CUTTING_PLANE}
    least = {name: interval(_totals(task, runs, way).min(axis=1)) for name, way in ways.items()}
    tail, *others = least.values()
    verdict = graded(tail.low >= MANY and all(end.high <= FEW for end in others), tail.high <= FEW)
    return verdict, f"at least {_plain(least)}", ""


def tail_is_small(task: Task, runs: Runs) -> Judgement:
    before, after = (_totals(task, runs, SUBGRADIENT, least) for least in (0.0, scores.TINY))
    share = interval(((before - after) / np.maximum(before, 1)).mean(axis=1))
    return graded(share.high <= 0.1, share.low > 0.25), f"share of the weights that is below 1e-4: {share}", ""


@for_each_constant
def best_comparable(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    best = {way.name: _at_best(task, runs, way, cross) for way in _methods(em)}
    ends = {
        f"{one} less {other}": interval(best[one] - best[other]) for one in best for other in best if one < other
    }
    control = max(float(_ranges(task, runs, way, cross).mean()) for way in _methods(em))
    allowed = min(POINT, control)
    good = all(max(-end.low, end.high) <= allowed for end in ends.values())
    verdict = graded(good, any(end.low > POINT or end.high < -POINT for end in ends.values()))
    return verdict, _points(ends), f"greatest range along a path {control / POINT:.2f} points"


@for_each_constant
def em_robust_error(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    ranges = {way.name: _ranges(task, runs, way, cross) for way in _methods(em)}
    ends = {name: interval(each - ranges[em.name]) for name, each in ranges.items() if name != em.name}
    numbers = f"range of EM {ranges[em.name].mean() / POINT:.2f} points; more than that: {_points(ends)}"
    return _all(ends, 0.0), numbers, ""


@for_each_constant
def em_robust_time(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    swings = {way.name: _swings(task, runs, way, cross) for way in _methods(em)}
    ends = {name: ratio(np.exp(each - swings[em.name])) for name, each in swings.items() if name != em.name}
    numbers = f"greatest over least seconds, EM {np.exp(swings[em.name].mean()):.3g}; over EM's: {_plain(ends)}"
    cut = _cut(task, runs, _methods(em), cross)
    return INCONCLUSIVE if cut else _all(ends, 1.0), numbers, cut


def cutting_plane_slows(task: Task, cross: Cross, runs: Runs) -> Judgement:
    seconds = _seconds(task, runs, CUTTING_PLANE, cross)
    end = ratio(seconds[-1] / seconds[0])
    numbers = f"{seconds[0].mean():.3g} s to {seconds[-1].mean():.3g} s a fold, ratio {end}"
    return graded(end.low >= RATIOS["very"], end.high <= 1), numbers, ""


def time_follows_non_zeros(task: Task, cross: Cross, runs: Runs) -> Judgement:
    from scipy.stats import spearmanr

    made = [runs.present(task.specs(CUTTING_PLANE, cross, C)) for C in task.path_of(CUTTING_PLANE, cross.kind)]
    if len(made) < 4:
        return INCONCLUSIVE, "", f"{len(made)} constants only"
    seconds = np.array([scores.cpu_seconds(each) for each in made])
    kept = np.array([[np.count_nonzero(weights_of(run)) for run in each] for each in made])
    end = interval(
        np.array([spearmanr(a, b).statistic if np.ptp(b) else 0.0 for a, b in zip(seconds.T, kept.T, strict=True)])
    )
    return graded(end.low > 0.5, end.high < 0.5), f"rank correlation {end}", f"{len(made)} constants"


def subgradient_speeds_up(task: Task, cross: Cross, runs: Runs) -> Judgement:
    seconds = _seconds(task, runs, SUBGRADIENT, cross)
    end = ratio(seconds[0] / seconds[-1])
    numbers = f"{seconds[0].mean():.3g} s to {seconds[-1].mean():.3g} s a fold, ratio {end}"
    return graded(end.low > 1, end.high < 1), numbers, ""


@for_each_constant
def subgradient_fastest(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    seconds = {way.name: _seconds(task, runs, way, cross).mean(axis=0) for way in _methods(em)}
    own = seconds[SUBGRADIENT.name]
    ends = {name: ratio(each / own) for name, each in seconds.items() if name != SUBGRADIENT.name}
    cut = _cut(task, runs, _methods(em), cross)
    verdict = graded(all(e.low > 1 for e in ends.values()), any(e.high < 1 for e in ends.values()))
    numbers = f"{own.mean():.3g} s a fold; over that: {_plain(ends)}"
    return INCONCLUSIVE if cut else verdict, numbers, cut


@for_each_constant
def both_robust(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    ends = {}
    for way in (em, SUBGRADIENT):
        errors = _errors(task, runs, way, cross)
        ends[way.name] = ratio(errors.max(axis=0) / errors.min(axis=0))
    apart = RATIOS["slower"]
    verdict = graded(all(e.high < apart for e in ends.values()), any(e.low > apart for e in ends.values()))
    return verdict, f"greatest over least error: {_plain(ends)}", ""


@for_each_constant
def em_better(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    own, other = (_at_best(task, runs, way, cross) for way in (em, SUBGRADIENT))
    end = interval(other - own)
    numbers = f"EM {own.mean():.4f}, subgradient {other.mean():.4f}, more by {end.points()}"
    return graded(end.low > 0, end.high < 0), numbers, ""


@for_each_constant
def em_time(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    swing, other = (_swings(task, runs, way, cross) for way in (em, SUBGRADIENT))
    own, more = ratio(np.exp(swing)), ratio(np.exp(other - swing))
    cut = _cut(task, runs, (SUBGRADIENT, em), cross)
    stable = RATIOS["significantly"]
    verdict = graded(own.high < stable and more.low > 1, own.low > stable and more.high < 1)
    numbers = f"greatest over least seconds: EM {own}, the subgradient's over that {more}"
    return INCONCLUSIVE if cut else verdict, numbers, cut


@for_each_constant
def cutting_plane_on_ocr(task: Task, cross: Cross, runs: Runs, em: Way) -> Judgement:
    planes, own = (
        scores.score(task, runs, way, [cross], task.path_of(way, cross.kind)) for way in (CUTTING_PLANE, em)
    )
    if planes is None or own is None:
        return INCONCLUSIVE, "", "no constant has all of its runs"
    found = [runs.present(best.chosen) for best in (planes, own)]
    allowed = RATIOS["very"] * scores.cpu_seconds(found[1])
    early, errors = False, []
    for run, limit in zip(found[0], allowed, strict=True):
        curve = run.curve
        inside = curve[curve["cpu_seconds"] <= limit]
        errors.append(float((inside if len(inside) else curve[:1])["test_error"].iloc[-1]))
        early |= run.summary["status"] in ("timeout", "passes") and run.summary["cpu_seconds"] < limit
    end = interval(np.array(errors) - own.parts)
    numbers = (
        f"after {allowed.mean():.3g} s a fold, EM's five times, error {np.mean(errors):.4f}, EM's {own.mean:.4f}: "
        f"more by {end.points()}"
    )
    detail = f"at our limit {scores.cpu_seconds(found[0]).sum():.3g} s in all, error {planes.mean:.4f}"
    return INCONCLUSIVE if early else graded(end.low > POINT, end.high <= 0), numbers, detail


def ratio(values: np.ndarray) -> Interval:
    """Return the geometric mean with its interval."""
    return Interval(*np.exp(interval(np.log(values))).round(9).tolist())


def _methods(em: Way) -> tuple[Way, ...]:
    return SUBGRADIENT, CUTTING_PLANE, em


def _all(ends: dict[str, Interval], level: float) -> str:
    return graded(all(end.low > level for end in ends.values()), all(end.high < level for end in ends.values()))


def _cut(task: Task, runs: Runs, ways: tuple[Way, ...], cross: Cross) -> str:
    """Name the methods that mostly stop at our limit of passes, so that our limit sets their seconds."""
    found = []
    for way in ways:
        made = runs.present(task.all_of(way, cross, task.path_of(way, cross.kind)))
        if 2 * sum(run.summary["status"] == "passes" for run in made) > len(made):
            found.append(way.name)
    return f"{' and '.join(found)} stopped after a number of passes, mostly" if found else ""


def _errors(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """Return errors along the path, from the strongest constant, by fold."""
    return np.array([scores.errors(runs, task.specs(way, cross, C)) for C in task.path_of(way, cross.kind)])


def _ranges(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """Return greatest less least error along the path, by fold."""
    return np.ptp(_errors(task, runs, way, cross), axis=0)


def _seconds(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    made = [runs.present(task.specs(way, cross, C)) for C in task.path_of(way, cross.kind)]
    return np.array([scores.cpu_seconds(each) for each in made])


def _swings(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """Return the logarithm of greatest over least seconds along the path, by fold."""
    return np.ptp(np.log(_seconds(task, runs, way, cross)), axis=0)


def _at_best(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """Return the errors of the folds; the other folds choose the constant of each."""
    return scores.score(task, runs, way, [cross], task.path_of(way, cross.kind)).parts


def _totals(task: Task, runs: Runs, way: Way, least: float = 0.0) -> np.ndarray:
    """Return how many average weights exceed ``least`` in magnitude, by data set and along the path."""
    found = [
        [runs.present(task.specs(way, cross, C)) for C in task.path_of(way, cross.kind)]
        for cross in task.crosses(10)
    ]
    return np.array(
        [[scores.selected(scores.average_weights(each), least).total for each in path] for path in found]
    )


def _points(ends: dict[str, Interval]) -> str:
    return ", ".join(f"{name} {end.points()}" for name, end in ends.items())


def _plain(ends: dict[str, Interval]) -> str:
    return ", ".join(f"{name} {end}" for name, end in ends.items())
