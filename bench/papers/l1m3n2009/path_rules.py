"""Measure error, CPU time and sparsity of l1m3n2009's three l1-M3N solvers over the regularisation constants.

The constants are the paper's own if it gives them, from the strongest. It does not give EM's fixed constant C': a
sentence is judged at each. Errors and CPU seconds of a fold are paired with those of the same fold.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.grid_runs import listed, named
from structbench.bench.papers.l1m3n2009 import runs as made
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.rules import apart, at_each, over_sets, over_shared_folds
from structbench.bench.papers.l1m3n2009.runs import CUTTING_PLANE, EM, SUBGRADIENT, Cross, Task, Way
from structbench.bench.papers.measured import SECONDS, ticks, together_of
from structbench.bench.papers.terms import Evidence, Part, Registry, Run, Runs

measure = Registry()
SLOW = 5.0  # times EM's seconds, after which cutting planes are looked at


@dataclass(frozen=True)
class Along:
    """The runs of a cross-validation along the constants of each method, from the strongest."""

    task: Task
    runs: Runs
    cross: Cross

    def made(self, way: Way) -> list[list[Run]]:
        """Return the finished runs at each constant, one a fold."""
        Cs = self.task.path_of(way, self.cross.kind)
        return [self.runs.present(self.task.specs(way, self.cross, C)) for C in Cs]

    def errors(self, way: Way) -> np.ndarray:
        """Return errors, shape (constants, folds)."""
        Cs = self.task.path_of(way, self.cross.kind)
        return np.array([scores.errors(self.runs, self.task.specs(way, self.cross, C)) for C in Cs])

    def seconds(self, way: Way) -> np.ndarray:
        """Return CPU seconds, shape (constants, folds)."""
        return np.array([scores.cpu_seconds(each) for each in self.made(way)])

    def at_fixed_passes(self, way: Way) -> np.ndarray:
        """Return CPU seconds; of the subgradient, which the paper stops by passes, those of a pass."""
        if way is not SUBGRADIENT:
            return self.seconds(way)
        return np.array([[curves.seconds_per_pass(run.curve) for run in folds] for folds in self.made(way)])

    def best(self, way: Way) -> scores.Score:
        """Return the score of the folds; the other folds choose the constant of each."""
        return scores.of_finished(self.task, self.runs, way, [self.cross], self.task.path_of(way, self.cross.kind))

    def totals(self, way: Way, least: float = 0.0) -> np.ndarray:
        """Return how many average weights exceed ``least`` in magnitude, by data set and along the constants."""
        paths = [Along(self.task, self.runs, cross).made(way) for cross in self.task.crosses(10)]
        return np.array(
            [[scores.selected(scores.average_weights(each), least).total for each in path] for path in paths]
        )

    def cut(self, *ways: Way) -> str:
        """Return what would mend seconds that our limit of passes sets at some constant; mostly empty."""
        for way in ways:
            for folds in self.made(way):
                if 2 * [run.summary["status"] for run in folds].count("passes") > len(folds):
                    made = "the paper's" if way is SUBGRADIENT else "more"
                    return f"{made} passes of {way.name}"
        return ""

    def over_folds(self, where: dict, ratios: np.ndarray, *timed: Way) -> Evidence:
        """Return the mean of ratios by fold; of seconds, if methods are ``timed``."""
        return together_of([Evidence(where, float(ratio)) for ratio in ratios], "folds")._replace(
            state=self.cut(*timed)
        )


# What a row ``reads`` of a method: by fold.
READINGS: dict[str, Callable[[Along, Way], np.ndarray]] = {
    "best error": lambda along, way: along.best(way).parts,
    "range of errors": lambda along, way: np.ptp(along.errors(way), axis=0),
    "greatest over least error": lambda along, way: along.errors(way).max(axis=0) / along.errors(way).min(axis=0),
    "mean seconds": lambda along, way: along.seconds(way).mean(axis=0),
    "greatest over least seconds": lambda along, way: np.exp(np.ptp(np.log(along.at_fixed_passes(way)), axis=0)),
    "last over first seconds": lambda along, way: along.seconds(way)[-1] / along.seconds(way)[0],
    "first over last seconds a pass": lambda along, way: np.divide(*along.at_fixed_passes(way)[[0, -1]]),
}
# The methods whose limit of passes must not set what is read.
CUT = {
    "mean seconds": (CUTTING_PLANE, *made.EMS, SUBGRADIENT),
    "greatest over least seconds": (CUTTING_PLANE, *made.EMS),
}


def measured(task: Task, cross: Cross, part: Part, runs: Runs) -> Iterable[Evidence]:
    """Measure what a part of a row says; where it depends on EM, with each of its fixed constants."""
    rule, along = measure[part.measure], Along(task, runs, cross)
    if EM not in listed(given := named(part.given, made.WAYS)):
        return rule(along, **given)
    return at_each(task.ems, lambda em: rule(along, **named(part.given, made.WAYS | {EM.name: em})))


def _by_row(values: np.ndarray, kind: str) -> list[Evidence]:
    """Return the mean over data sets at each constant, a row of Table 1."""
    return [over_sets([Evidence({"row": k + 1}, float(v), kind) for v in row]) for k, row in enumerate(values.T)]


@measure("em_less_planes", within=(-200, 200))
def em_less_planes(along: Along, em: Way) -> list[Evidence]:
    return _by_row(along.totals(em) - along.totals(CUTTING_PLANE), "value")


@measure("subgradient_keeps", within=(0, 200))
def subgradient_keeps(along: Along) -> list[Evidence]:
    return _by_row(along.totals(SUBGRADIENT), "value")


@measure("truncated")
def truncated(along: Along) -> list[Evidence]:
    before, after = (along.totals(SUBGRADIENT, least) for least in (0.0, scores.TINY))
    return _by_row((before - after) / scores.STATES, "share")


def _each(of: Way | list[Way]) -> list[tuple[dict[str, str], Way]]:
    """Return methods with their settings: those of a list have names."""
    return [({"": way.name}, way) for way in of] if isinstance(of, list) else [({}, of)]


@measure("error_above")
def error_above(along: Along, of: Way | list[Way], over: Way, reads: str) -> list[Evidence]:
    """Measure what is read of errors less the same of another method."""
    read, crosses = partial(READINGS[reads], along), [along.cross]
    return [apart(where, read(way) - read(over), crosses) for where, way in _each(of)]


@measure("times")
def times_longer(along: Along, of: Way | list[Way], reads: str, over: Way | None = None) -> Iterator[Evidence]:
    """Measure what is read, or that over the same of another method."""
    read = partial(READINGS[reads], along)
    for where, way in _each(of):
        ratios = read(way) / read(over) if over else read(way)
        timed = [each for each in (way, over) if each and each in CUT.get(reads, ())]
        yield along.over_folds(where, ratios, *timed)


@measure("seconds_follow_weights", within=(-1, 1))
def seconds_follow_weights(along: Along) -> list[Evidence]:
    """Measure the correlation, over folds, of cutting planes' seconds with weights that are not 0.

    At one constant, as both follow the constant by construction; the mean is over constants.
    """
    seconds = along.seconds(CUTTING_PLANE)
    weights = [[scores.average_weights([run]) for run in folds] for folds in along.made(CUTTING_PLANE)]
    kept = np.array([[scores.selected(w).total for w in folds] for folds in weights])
    differ = np.ptp(kept, axis=1) > 0
    if not differ.any():
        state = "weights that differ by fold"
        return [Evidence({}, np.nan, "value", state=state, source="folds", count=kept.shape[1])]

    def correlation(drawn: np.ndarray) -> np.ndarray:
        return np.apply_along_axis(_mean_correlation, -1, drawn, seconds[differ], kept[differ])

    return [over_shared_folds(correlation, kept.shape[1], kind="value")]


def _mean_correlation(folds: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """Return the correlation over these folds, the mean over rows."""
    pairs = zip(x[:, folds], y[:, folds], strict=True)
    found = [np.corrcoef(a, b)[0, 1] for a, b in pairs if np.ptp(a) > 0 and np.ptp(b) > 0]
    return float(np.mean(found)) if found else np.nan


@measure("planes_behind_em")
def planes_behind_em(along: Along, em: Way) -> list[Evidence]:
    """Measure cutting planes' error after five times EM's seconds on the fold less EM's, each at its constant."""
    planes, own = along.best(CUTTING_PLANE), along.best(em)
    allowed = SLOW * scores.cpu_seconds(along.runs.present(own.chosen))
    early, errors = False, []
    for run, limit in zip(along.runs.present(planes.chosen), allowed, strict=True):
        inside = run.curve.loc[ticks(run, SECONDS) <= limit]
        errors.append(float((inside if len(inside) else run.curve.iloc[:1])["test_error"].iloc[-1]))
        early |= run.summary["status"] in ("timeout", "passes") and ticks(run, SECONDS)[-1] < limit
    return [apart({}, np.array(errors) - own.parts, [along.cross], "more seconds" if early else "")]
