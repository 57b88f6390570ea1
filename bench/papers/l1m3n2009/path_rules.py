"""What the claims on l1m3n2009's three ways to train the l1-M3N measure, along their constants; see ``rules``.

The constants are the paper's own if it gives them, from the strongest. It does not give EM's fixed constant C'.
That whose numbers of weights are nearest to the row of EM in Table 1 counts; the others are shown. Errors and CPU
seconds of a fold are paired with those of the same fold.
"""

from collections.abc import Callable, Iterator

import numpy as np

from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.rules import apart
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import CUTTING_PLANE, SUBGRADIENT, Way
from structbench.bench.papers.l1m3n2009.tables import THEIRS
from structbench.bench.papers.measured import Estimate, Value, together_of
from structbench.bench.runs.finished import Runs

SLOW = 5.0  # times EM's seconds, after which cutting planes are looked at
OTHER = "at other C'"


def ems(task: Task, runs: Runs) -> Iterator[tuple[Way, dict]]:
    """Give EM with each fixed constant; all but that nearest to Table 1 are shown, and not counted."""
    theirs = np.array([THEIRS[task.ems[0].name][1][rank].total for rank in task.ranks["synthetic"]])
    totals = {em: _totals(task, runs, em).mean(axis=0) for em in task.ems} if len(task.ems) > 1 else {}
    nearest = min(totals, key=lambda em: np.abs(totals[em] - theirs).mean()) if totals else task.ems[0]
    for em in task.ems:
        yield em, {} if em is nearest else {"counted": False, "choice": OTHER}


def for_each_em(task: Task, runs: Runs, of: Callable[[Way], list[Estimate]]) -> list[Estimate]:
    """Measure with EM at each fixed constant."""
    return [each._replace(**aside) for em, aside in ems(task, runs) for each in of(em)]


def em_less_planes(task: Task, runs: Runs) -> list[Estimate]:
    """Measure how many more average weights EM keeps than cutting planes, constant by constant."""
    planes = _totals(task, runs, CUTTING_PLANE)

    def of(em: Way) -> list[Estimate]:
        more = (_totals(task, runs, em) - planes).T
        return [_over_sets([Value({"row": k + 1}, float(d), "value") for d in row]) for k, row in enumerate(more)]

    return for_each_em(task, runs, of)


def subgradient_keeps(task: Task, runs: Runs) -> list[Estimate]:
    """Measure how many average weights are not 0, at each radius."""
    totals = _totals(task, runs, SUBGRADIENT).T
    return [_over_sets([Value({"row": k + 1}, float(n), "value") for n in row]) for k, row in enumerate(totals)]


def truncated(task: Task, runs: Runs) -> list[Estimate]:
    """Measure the share of them that is below 1e-4, at each radius."""
    before, after = (_totals(task, runs, SUBGRADIENT, least) for least in (0.0, scores.TINY))
    shares = ((before - after) / np.maximum(before, 1)).T
    return [_over_sets([Value({"row": k + 1}, float(s), "share") for s in row]) for k, row in enumerate(shares)]


def best_errors_apart(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure the errors of the three at the constant of each, EM's and the subgradient's less cutting planes'."""

    def of(em: Way) -> list[Estimate]:
        planes = _at_best(task, runs, CUTTING_PLANE, cross)
        others = {way.name: _at_best(task, runs, way, cross) for way in (em, SUBGRADIENT)}
        return [apart({"": name}, errors - planes, [cross]) for name, errors in others.items()]

    return for_each_em(task, runs, of)


def ranges_over_em(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure greatest less least error over constants, of the two others less EM's."""

    def of(em: Way) -> list[Estimate]:
        own = _ranges(task, runs, em, cross)
        return [apart({"": way.name}, _ranges(task, runs, way, cross) - own, [cross]) for way in _OTHERS]

    return for_each_em(task, runs, of)


def swings_over_em(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure greatest over least seconds over constants, of the two others over EM's."""
    return for_each_em(task, runs, lambda em: [_swing_over(task, runs, way, em, cross) for way in _OTHERS])


def subgradient_swing_over_em(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    return for_each_em(task, runs, lambda em: [_swing_over(task, runs, SUBGRADIENT, em, cross)])


def em_swing(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure EM's greatest over least seconds over constants."""

    def of(em: Way) -> list[Estimate]:
        found = _over_folds({}, np.exp(_swings(task, runs, em, cross)))
        return [found._replace(state=_cut(task, runs, (em,), cross))]

    return for_each_em(task, runs, of)


def _swing_over(task: Task, runs: Runs, way: Way, em: Way, cross: Cross) -> Estimate:
    ratios = np.exp(_swings(task, runs, way, cross) - _swings(task, runs, em, cross))
    return _over_folds({"": way.name}, ratios)._replace(state=_cut(task, runs, (way, em), cross))


def planes_weakest_over_strongest(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure cutting planes' seconds at the weakest constant over those at the strongest."""
    seconds = _seconds(task, runs, CUTTING_PLANE, cross)
    return [_over_folds({}, seconds[-1] / seconds[0])]


def smallest_radius_over_largest(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure the subgradient's seconds at the smallest radius over those at the largest."""
    seconds = _seconds(task, runs, SUBGRADIENT, cross)
    return [_over_folds({}, seconds[0] / seconds[-1])]


def seconds_follow_weights(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure the rank correlation, over folds, of cutting planes' seconds with weights that are not 0.

    At one constant, as both follow the constant by construction; the mean is over constants.
    """
    from scipy.stats import spearmanr  # takes a second to load

    values = []
    for C in task.path_of(CUTTING_PLANE, cross.kind):
        made = runs.present(task.specs(CUTTING_PLANE, cross, C))
        kept = np.array([np.count_nonzero(scores.average_weights([run])[: scores.STATES]) for run in made])
        if len(made) > 2 and np.ptp(kept) > 0:
            values.append(Value({}, float(spearmanr(scores.cpu_seconds(made), kept).statistic), "value"))
    return [together_of(values or [Value({}, np.nan, "value", state="weights that differ by fold")], "constants")]


def others_over_subgradient(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure the mean seconds over constants, of the two others over the subgradient's."""
    own = _seconds(task, runs, SUBGRADIENT, cross).mean(axis=0)

    def of(em: Way) -> list[Estimate]:
        return [
            _over_folds({"": way.name}, _seconds(task, runs, way, cross).mean(axis=0) / own)._replace(
                state=_cut(task, runs, (way, SUBGRADIENT), cross)
            )
            for way in (CUTTING_PLANE, em)
        ]

    return for_each_em(task, runs, of)


def greatest_over_least_error(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure it along the constants, of EM and of the subgradient."""

    def of(em: Way) -> list[Estimate]:
        found = []
        for way in (em, SUBGRADIENT):
            errors = _errors(task, runs, way, cross)
            found.append(_over_folds({"": way.name}, errors.max(axis=0) / errors.min(axis=0)))
        return found

    return for_each_em(task, runs, of)


def subgradient_behind_em(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure the subgradient's error less EM's, each at its constant."""
    other = _at_best(task, runs, SUBGRADIENT, cross)
    return for_each_em(task, runs, lambda em: [apart({}, other - _at_best(task, runs, em, cross), [cross])])


def planes_behind_em(task: Task, cross: Cross, runs: Runs) -> list[Estimate]:
    """Measure cutting planes' error after five times EM's seconds on the fold less EM's, each at its constant."""

    def of(em: Way) -> list[Estimate]:
        planes, own = (
            scores.score(task, runs, way, [cross], task.path_of(way, cross.kind)) for way in (CUTTING_PLANE, em)
        )
        allowed = SLOW * scores.cpu_seconds(runs.present(own.chosen))
        early, errors = False, []
        for run, limit in zip(runs.present(planes.chosen), allowed, strict=True):
            inside = run.curve[run.curve["cpu_seconds"] <= limit]
            errors.append(float((inside if len(inside) else run.curve[:1])["test_error"].iloc[-1]))
            early |= run.summary["status"] in ("timeout", "passes") and run.summary["cpu_seconds"] < limit
        return [apart({}, np.array(errors) - own.parts, [cross], "more seconds" if early else "")]

    return for_each_em(task, runs, of)


_OTHERS = (SUBGRADIENT, CUTTING_PLANE)


def _over_folds(where: dict, ratios: np.ndarray) -> Estimate:
    return together_of([Value(where, float(ratio)) for ratio in ratios], "folds")


def _over_sets(values: list[Value]) -> Estimate:
    return together_of(values, "data sets")


def _cut(task: Task, runs: Runs, ways: tuple[Way, ...], cross: Cross) -> str:
    """Return what would mend seconds that our limit of passes sets; empty if methods mostly end before it."""
    for way in ways:
        made = runs.present(task.all_of(way, cross, task.path_of(way, cross.kind)))
        if 2 * sum(run.summary["status"] == "passes" for run in made) > len(made):
            return f"more passes of {way.name}"
    return ""


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
