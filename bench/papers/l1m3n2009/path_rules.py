"""The rules by which what l1m3n2009 says of its three ways to learn the l1-M3N is judged, as ``rules`` are.

Along the path of each, from the strongest constant: the paper's own constants where it gives them, so that its
ranges are the paper's (a factor of 26 for EM, 64 for the others). Errors and CPU seconds of a fold are paired with
those of the same fold with other constants or methods; ratios of seconds are geometric means.

======================  ==============================================================================
em-as-cutting-plane     Table 1: totals of EM and of cutting planes, row by row, at most 30 of 200 apart in the
                        mean; not if over 60. EM's fixed constant C', which the paper does not give, is 1
subgradient-tail        at every radius at least 180 of 200 average weights are not 0, while EM and cutting
                        planes get to 100 or fewer; not if the subgradient gets to 100 or fewer, too
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

em-robust-time, subgradient-fastest and ocr-em-time are undecided where a method mostly stops after a number of
passes: then its seconds are what we allow it.
"""

import numpy as np

from bench.papers.intervals import Interval
from bench.papers.judging import INCONCLUSIVE, RATIOS, Judgement, graded
from bench.papers.l1m3n2009 import scores
from bench.papers.l1m3n2009.rules import POINT, interval, selected
from bench.papers.l1m3n2009.runs import Cross, Task
from bench.papers.l1m3n2009.setting import CUTTING_PLANE, EM, METHODS, SUBGRADIENT, Way
from bench.runs.finished import Runs
from bench.runs.store import weights_of

FEW, MANY = 100, 180  # of 200 features
NEAR, FAR = 30, 60


def em_as_cutting_plane(task: Task, runs: Runs) -> Judgement:
    em, planes = (_totals(task, runs, way) for way in (EM, CUTTING_PLANE))
    apart = float(np.mean(np.abs(np.subtract(em, planes))))
    numbers = f"EM {', '.join(map(str, em))}; cutting planes {', '.join(map(str, planes))}"
    return graded(apart <= NEAR, apart > FAR), numbers, f"{apart:.3g} apart in the mean"


def subgradient_tail(task: Task, runs: Runs) -> Judgement:
    tail, em, planes = (_totals(task, runs, way) for way in (SUBGRADIENT, EM, CUTTING_PLANE))
    others = max(min(em), min(planes))
    numbers = f"subgradient at least {min(tail)}, EM at least {min(em)}, cutting planes at least {min(planes)}"
    return graded(min(tail) >= MANY and others <= FEW, min(tail) <= FEW), numbers, ""


def tail_is_small(task: Task, runs: Runs) -> Judgement:
    shares = []
    for C in task.path_of(SUBGRADIENT, "synthetic"):
        average = scores.average_weights(runs.present(task.specs(SUBGRADIENT, task.first, C)))
        before, after = (scores.selected(average, least).total for least in (0.0, scores.TINY))
        shares.append((before - after) / max(before, 1))
    share = float(np.mean(shares))
    return graded(share <= 0.1, share > 0.25), f"{share:.1%} of the weights are below 1e-4", ""


def best_comparable(task: Task, cross: Cross, runs: Runs) -> Judgement:
    best = {way.name: _at_best(task, runs, way, cross) for way in METHODS}
    ends = {
        f"{one} less {other}": interval(best[one] - best[other]) for one in best for other in best if one < other
    }
    control = max(float(_ranges(task, runs, way, cross).mean()) for way in METHODS)
    allowed = min(POINT, control)
    good = all(max(-end.low, end.high) <= allowed for end in ends.values())
    verdict = graded(good, any(end.low > POINT or end.high < -POINT for end in ends.values()))
    return verdict, _points(ends), f"greatest range along a path {control / POINT:.2f} points"


def em_robust_error(task: Task, cross: Cross, runs: Runs) -> Judgement:
    ranges = {way.name: _ranges(task, runs, way, cross) for way in METHODS}
    ends = {name: interval(each - ranges[EM.name]) for name, each in ranges.items() if name != EM.name}
    numbers = f"range of EM {ranges[EM.name].mean() / POINT:.2f} points; more than that: {_points(ends)}"
    return _all(ends, 0.0), numbers, ""


def em_robust_time(task: Task, cross: Cross, runs: Runs) -> Judgement:
    swings = {way.name: _swings(task, runs, way, cross) for way in METHODS}
    ends = {name: ratio(np.exp(each - swings[EM.name])) for name, each in swings.items() if name != EM.name}
    numbers = f"greatest over least seconds, EM {np.exp(swings[EM.name].mean()):.3g}; over EM's: {_plain(ends)}"
    cut = _cut(task, runs, METHODS, cross)
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


def subgradient_fastest(task: Task, cross: Cross, runs: Runs) -> Judgement:
    seconds = {way.name: _seconds(task, runs, way, cross).mean(axis=0) for way in METHODS}
    own = seconds[SUBGRADIENT.name]
    ends = {name: ratio(each / own) for name, each in seconds.items() if name != SUBGRADIENT.name}
    cut = _cut(task, runs, METHODS, cross)
    verdict = graded(all(e.low > 1 for e in ends.values()), any(e.high < 1 for e in ends.values()))
    numbers = f"{own.mean():.3g} s a fold; over that: {_plain(ends)}"
    return INCONCLUSIVE if cut else verdict, numbers, cut


def both_robust(task: Task, cross: Cross, runs: Runs) -> Judgement:
    ends = {}
    for way in (EM, SUBGRADIENT):
        errors = _errors(task, runs, way, cross)
        ends[way.name] = ratio(errors.max(axis=0) / errors.min(axis=0))
    apart = RATIOS["slower"]
    verdict = graded(all(e.high < apart for e in ends.values()), any(e.low > apart for e in ends.values()))
    return verdict, f"greatest over least error: {_plain(ends)}", ""


def em_better(task: Task, cross: Cross, runs: Runs) -> Judgement:
    em, other = (_at_best(task, runs, way, cross) for way in (EM, SUBGRADIENT))
    end = interval(other - em)
    numbers = f"EM {em.mean():.4f}, subgradient {other.mean():.4f}, more by {end.points()}"
    return graded(end.low > 0, end.high < 0), numbers, ""


def em_time(task: Task, cross: Cross, runs: Runs) -> Judgement:
    em, other = (_swings(task, runs, way, cross) for way in (EM, SUBGRADIENT))
    own, more = ratio(np.exp(em)), ratio(np.exp(other - em))
    cut = _cut(task, runs, (SUBGRADIENT, EM), cross)
    stable = RATIOS["significantly"]
    verdict = graded(own.high < stable and more.low > 1, own.low > stable and more.high < 1)
    numbers = f"greatest over least seconds: EM {own}, the subgradient's over that {more}"
    return INCONCLUSIVE if cut else verdict, numbers, cut


def cutting_plane_on_ocr(task: Task, cross: Cross, runs: Runs) -> Judgement:
    planes, em = (
        scores.score(task, runs, way, [cross], task.path_of(way, cross.kind)) for way in (CUTTING_PLANE, EM)
    )
    if planes is None or em is None:
        return INCONCLUSIVE, "", "no constant has all of its runs"
    found = [runs.present(best.chosen) for best in (planes, em)]
    allowed = RATIOS["very"] * scores.cpu_seconds(found[1])
    early, errors = False, []
    for run, limit in zip(found[0], allowed, strict=True):
        curve = run.curve
        inside = curve[curve["cpu_seconds"] <= limit]
        errors.append(float((inside if len(inside) else curve[:1])["test_error"].iloc[-1]))
        early |= run.summary["status"] in ("timeout", "passes") and run.summary["cpu_seconds"] < limit
    end = interval(np.array(errors) - em.parts)
    numbers = (
        f"after {allowed.mean():.3g} s a fold, EM's five times, error {np.mean(errors):.4f}, EM's {em.mean:.4f}: "
        f"more by {end.points()}"
    )
    detail = f"at our limit {scores.cpu_seconds(found[0]).sum():.3g} s in all, error {planes.mean:.4f}"
    return INCONCLUSIVE if early else graded(end.low > POINT, end.high <= 0), numbers, detail


def ratio(values: np.ndarray) -> Interval:
    """The geometric mean, with its interval."""
    return Interval(*np.exp(interval(np.log(values))).round(9).tolist())


def _all(ends: dict[str, Interval], level: float) -> str:
    return graded(all(end.low > level for end in ends.values()), all(end.high < level for end in ends.values()))


def _cut(task: Task, runs: Runs, ways: tuple[Way, ...], cross: Cross) -> str:
    """Which of these methods we stop after a number of passes, mostly: their seconds are what we allow them."""
    found = []
    for way in ways:
        made = runs.present(task.all_of(way, cross, task.path_of(way, cross.kind)))
        if 2 * sum(run.summary["status"] == "passes" for run in made) > len(made):
            found.append(way.name)
    return f"{' and '.join(found)} stopped after a number of passes, mostly" if found else ""


def _errors(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """Along the path from the strongest constant, and by fold."""
    return np.array([scores.errors(runs, task.specs(way, cross, C)) for C in task.path_of(way, cross.kind)])


def _ranges(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """Greatest less least error along the path, by fold."""
    return np.ptp(_errors(task, runs, way, cross), axis=0)


def _seconds(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    made = [runs.present(task.specs(way, cross, C)) for C in task.path_of(way, cross.kind)]
    return np.array([scores.cpu_seconds(each) for each in made])


def _swings(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """The logarithm of the greatest seconds along the path over the least, by fold."""
    return np.ptp(np.log(_seconds(task, runs, way, cross)), axis=0)


def _at_best(task: Task, runs: Runs, way: Way, cross: Cross) -> np.ndarray:
    """Errors of the folds, the constant of each chosen by the others."""
    return scores.score(task, runs, way, [cross], task.path_of(way, cross.kind)).parts


def _totals(task: Task, runs: Runs, way: Way) -> list[int]:
    return [selected(task, runs, way, C).total for C in task.path_of(way, "synthetic")]


def _points(ends: dict[str, Interval]) -> str:
    return ", ".join(f"{name} {end.points()}" for name, end in ends.items())


def _plain(ends: dict[str, Interval]) -> str:
    return ", ".join(f"{name} {end}" for name, end in ends.items())
