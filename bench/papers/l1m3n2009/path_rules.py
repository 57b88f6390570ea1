"""What the claims on l1m3n2009's three ways to train the l1-M3N measure, along their constants; see ``rules``.

The constants are the paper's own if it gives them, from the strongest. It does not give EM's fixed constant C'.
That whose numbers of weights are nearest to the row of EM in Table 1 counts; the others are shown. Errors and CPU
seconds of a fold are paired with those of the same fold.
"""

from dataclasses import dataclass
from inspect import signature

import numpy as np

from structbench.bench.papers.claim_rows import Part
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.rules import apart, over_sets
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import CUTTING_PLANE, SAID, SUBGRADIENT, SYNTHETIC, Way
from structbench.bench.papers.measured import Value, shown_only, together_of
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

SLOW = 5.0  # times EM's seconds, after which cutting planes are looked at
OTHERS = (SUBGRADIENT, CUTTING_PLANE)


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

    def ranges(self, way: Way) -> np.ndarray:
        """Return greatest less least error, by fold."""
        return np.ptp(self.errors(way), axis=0)

    def seconds(self, way: Way) -> np.ndarray:
        """Return CPU seconds, shape (constants, folds)."""
        return np.array([scores.cpu_seconds(each) for each in self.made(way)])

    def swings(self, way: Way) -> np.ndarray:
        """Return the logarithm of greatest over least seconds, by fold."""
        return np.ptp(np.log(self.seconds(way)), axis=0)

    def best(self, way: Way) -> scores.Score:
        """Return the score of the folds; the other folds choose the constant of each."""
        return scores.score(self.task, self.runs, way, [self.cross], self.task.path_of(way, self.cross.kind))

    def totals(self, way: Way, least: float = 0.0) -> np.ndarray:
        """Return how many average weights exceed ``least`` in magnitude, by data set and along the constants."""
        paths = [Along(self.task, self.runs, cross).made(way) for cross in self.task.crosses(10)]
        return np.array(
            [[scores.selected(scores.average_weights(each), least).total for each in path] for path in paths]
        )

    def cut(self, *ways: Way) -> str:
        """Return what would mend seconds that our limit of passes sets; empty if methods mostly end before it."""
        for way in ways:
            made = [run for each in self.made(way) for run in each]
            if 2 * sum(run.summary["status"] == "passes" for run in made) > len(made):
                return f"more passes of {way.name}"
        return ""

    def apart(self, where: dict, differences: np.ndarray, state: str = "") -> Value:
        """Return the mean of differences between errors of the folds, in points."""
        return apart(where, differences, [self.cross], state)

    def over_folds(self, where: dict, ratios: np.ndarray, *timed: Way) -> Value:
        """Return the mean of ratios by fold; of seconds, if methods are ``timed``."""
        return together_of([Value(where, float(ratio)) for ratio in ratios], "folds")._replace(
            state=self.cut(*timed)
        )


def measure(task: Task, cross: Cross, part: Part, runs: Runs) -> list[Value]:
    """Measure what a part of a row says, with each of EM's fixed constants if its rule reads EM."""
    rule, along, found = globals()[part.measure], Along(task, runs, cross), []
    if "em" not in signature(rule).parameters:
        return rule(along)
    nearest = _nearest(along)
    for em in task.ems:
        found += rule(along, em) if em is nearest else shown_only(rule(along, em), "at other C'")
    return found


def _nearest(along: Along) -> Way:
    """Return EM with the fixed constant at which its numbers of weights are nearest to Table 1."""
    listed = along.task.ems
    theirs = np.array([SAID["table1"][listed[0].name]["rows"][rank][1] for rank in along.task.ranks[SYNTHETIC]])
    totals = {em: along.totals(em).mean(axis=0) for em in listed} if len(listed) > 1 else {}
    return min(totals, key=lambda em: np.abs(totals[em] - theirs).mean()) if totals else listed[0]


def _by_row(values: np.ndarray, kind: str) -> list[Value]:
    """Return the mean over data sets at each constant, a row of Table 1."""
    return [over_sets([Value({"row": k + 1}, float(v), kind) for v in row]) for k, row in enumerate(values.T)]


def em_less_planes(along: Along, em: Way) -> list[Value]:
    """Measure how many more average weights EM keeps than cutting planes, constant by constant."""
    return _by_row(along.totals(em) - along.totals(CUTTING_PLANE), "value")


def subgradient_keeps(along: Along) -> list[Value]:
    """Measure how many average weights are not 0, at each radius."""
    return _by_row(along.totals(SUBGRADIENT), "value")


def truncated(along: Along) -> list[Value]:
    """Measure the share of them that is below 1e-4, at each radius."""
    before, after = (along.totals(SUBGRADIENT, least) for least in (0.0, scores.TINY))
    return _by_row((before - after) / np.maximum(before, 1), "share")


def best_errors_apart(along: Along, em: Way) -> list[Value]:
    """Measure the errors of the three at the constant of each, EM's and the subgradient's less cutting planes'."""
    planes = along.best(CUTTING_PLANE).parts
    return [along.apart({"": way.name}, along.best(way).parts - planes) for way in (em, SUBGRADIENT)]


def ranges_over_em(along: Along, em: Way) -> list[Value]:
    """Measure greatest less least error over constants, of the two others less EM's."""
    return [along.apart({"": way.name}, along.ranges(way) - along.ranges(em)) for way in OTHERS]


def swings_over_em(along: Along, em: Way) -> list[Value]:
    """Measure greatest over least seconds over constants, over EM's: of both others, of the subgradient on OCR."""
    others = OTHERS if along.cross.kind == SYNTHETIC else OTHERS[:1]
    swings = {way: np.exp(along.swings(way) - along.swings(em)) for way in others}
    return [along.over_folds({"": way.name}, ratios, way, em) for way, ratios in swings.items()]


def em_swing(along: Along, em: Way) -> list[Value]:
    """Measure EM's greatest over least seconds over constants."""
    return [along.over_folds({}, np.exp(along.swings(em)), em)]


def planes_weakest_over_strongest(along: Along) -> list[Value]:
    """Measure cutting planes' seconds at the weakest constant over those at the strongest."""
    seconds = along.seconds(CUTTING_PLANE)
    return [along.over_folds({}, seconds[-1] / seconds[0])]


def smallest_radius_over_largest(along: Along) -> list[Value]:
    """Measure the subgradient's seconds at the smallest radius over those at the largest."""
    seconds = along.seconds(SUBGRADIENT)
    return [along.over_folds({}, seconds[0] / seconds[-1])]


def seconds_follow_weights(along: Along) -> list[Value]:
    """Measure the rank correlation, over folds, of cutting planes' seconds with weights that are not 0.

    At one constant, as both follow the constant by construction; the mean is over constants.
    """
    values = []
    for made in along.made(CUTTING_PLANE):
        kept = np.array([scores.selected(scores.average_weights([run])).total for run in made])
        if len(made) > 2 and np.ptp(kept) > 0:
            values.append(Value({}, _rank_correlation(scores.cpu_seconds(made), kept), "value"))
    return [together_of(values or [Value({}, np.nan, "value", state="weights that differ by fold")], "constants")]


def _rank_correlation(x: np.ndarray, y: np.ndarray) -> float:
    """Return Spearman's correlation; scipy.stats takes a second to load."""
    return float(np.corrcoef(_ranks(x), _ranks(y))[0, 1])


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value; equal values share the mean of theirs."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[places]


def others_over_subgradient(along: Along, em: Way) -> list[Value]:
    """Measure the mean seconds over constants, of the two others over the subgradient's."""
    own = along.seconds(SUBGRADIENT).mean(axis=0)
    ratios = {way: along.seconds(way).mean(axis=0) / own for way in (CUTTING_PLANE, em)}
    return [along.over_folds({"": way.name}, each, way, SUBGRADIENT) for way, each in ratios.items()]


def greatest_over_least_error(along: Along, em: Way) -> list[Value]:
    """Measure it along the constants, of EM and of the subgradient."""
    errors = {way.name: along.errors(way) for way in (em, SUBGRADIENT)}
    return [along.over_folds({"": name}, each.max(axis=0) / each.min(axis=0)) for name, each in errors.items()]


def subgradient_behind_em(along: Along, em: Way) -> list[Value]:
    """Measure the subgradient's error less EM's, each at its constant."""
    return [along.apart({}, along.best(SUBGRADIENT).parts - along.best(em).parts)]


def planes_behind_em(along: Along, em: Way) -> list[Value]:
    """Measure cutting planes' error after five times EM's seconds on the fold less EM's, each at its constant."""
    planes, own = along.best(CUTTING_PLANE), along.best(em)
    allowed = SLOW * scores.cpu_seconds(along.runs.present(own.chosen))
    early, errors = False, []
    for run, limit in zip(along.runs.present(planes.chosen), allowed, strict=True):
        inside = run.curve[run.curve["cpu_seconds"] <= limit]
        errors.append(float((inside if len(inside) else run.curve[:1])["test_error"].iloc[-1]))
        early |= run.summary["status"] in ("timeout", "passes") and run.summary["cpu_seconds"] < limit
    return [along.apart({}, np.array(errors) - own.parts, "more seconds" if early else "")]
