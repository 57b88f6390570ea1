"""Tables of methods, the best first: their rows, and the sentences that say what a table decides."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from structbench.bench.drawing import cautions, speed
from structbench.bench.drawing.intervals import FEWEST, Interval, interval
from structbench.bench.drawing.measures import MEASURES, QUALITY
from structbench.bench.drawing.method_looks import Problem, dealt
from structbench.bench.runs.spec import Spec
from structbench.datasets import DataRef

BEYOND = {"least": "smaller", "largest": "larger"}  # an end of a grid of C -> C that it lacks
USUAL_TIES = ("distance", "seconds")  # by which equal rows stand
DIGITS = 12  # of a mean error or F1: later ones are of the sum's rounding, and would tell equal methods apart


@dataclass(frozen=True)
class Row:
    """A method at one C, or without C. For each measure, ``values`` has one number a seed, or NaN.

    With folds it has one a fold, the mean over its seeds: seeds of one fold share its examples, so the interval
    must not count them as further folds. Of seconds it has those that compare, if there are any.
    """

    method: str
    loss: str
    penalty: str
    C: float | None
    values: dict[str, np.ndarray]
    diverged: int
    runs: tuple[Spec, ...]  # of each seed and fold
    chosen: str = ""  # how the method's name ends: with parameters that are chosen, as C is
    is_disturbed: bool = False  # whether its seconds mean little

    @property
    def family(self) -> str:
        """The method's name without the parameters that are chosen."""
        return self.method.replace(self.chosen, "", 1) if self.chosen else self.method

    @property
    def folds(self) -> int:
        """How many parts of the training examples were held out in turn."""
        return len({spec.data for spec in self.runs})

    @property
    def whole_folds(self) -> frozenset[DataRef]:
        """The data of the folds that each seed has."""
        seeds = {spec.seed for spec in self.runs}
        held = ({spec.data for spec in self.runs if spec.seed == seed} for seed in seeds)
        return frozenset(set.intersection(*held))

    @property
    def seeds(self) -> int:
        """How many seeds there are; some may lack folds."""
        return len({spec.seed for spec in self.runs})

    @property
    def on_everything(self) -> Spec:
        """The first run; of folds, that on all training examples."""
        return replace(self.runs[0], data=self.runs[0].data.whole)

    def mean(self, measure: str) -> float:
        """The mean over seeds, or folds: NaN if one has no value, infinity if one does not come to the level."""
        mean = float(np.mean(self.values[measure]))
        return round(mean, DIGITS) if measure in QUALITY else mean

    def spread(self, measure: str) -> dict[str, float]:
        """Mean with its 95 % interval, standard deviation (NaN of one seed), least and greatest value."""
        values = self.values[measure]
        with np.errstate(invalid="ignore"):
            deviation = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
        ends = {"min": float(values.min()), "max": float(values.max())}
        return self.interval(measure)._asdict() | {"sd": deviation} | ends

    def interval(self, measure: str) -> Interval:
        """The mean with its 95 % interval, whose ends are values that the measure can have."""
        values = self.values[measure]
        least = 0 if (values >= 0).all() else -np.inf
        return interval(values, FEWEST).within(least, 1 if measure in QUALITY else np.inf)

    def record(self) -> dict[str, object]:
        """The row for JSON."""
        named = {"method": self.method, "loss": self.loss, "penalty": self.penalty, "C": self.C}
        counts = {"seeds": self.seeds, "diverged": self.diverged, "runs": [spec.key for spec in self.runs]}
        return {**named, **counts, **{measure: self.spread(measure) for measure in MEASURES}}


@dataclass(frozen=True)
class Table:
    """The methods of a data set, or of a problem, the best first."""

    data: str  # what it calls the data set
    problem: Problem | None
    by: str  # the measure of the ranking
    level: float
    rows: list[Row]
    chosen: bool  # whether methods chose among several C
    answers: list[speed.Answer]  # how fast methods are
    clock: str  # of its seconds: CPU or wall
    by_C: list[dict[float, Row]]  # of each row, the method at each C that there is
    behind: list[Interval | None]  # of each row, how far it is behind the first; None if that is not known
    near: list[dict[float, Interval | None]]  # of each row, how far other C are behind its best
    decisions: int  # that an error is a share of; 0 if that is not known

    def title(self, data: str) -> str:
        """What the choice is of, and by which measure it is made; ``data`` names its data set."""
        where = data
        if self.rows and self.rows[0].runs[0].data.folds:
            number, folds, seed = dealt(self.rows[0].runs[0].data)
            where += f", fold {number} of {folds}" if self.problem else f", {folds}-fold cross-validation"
            where += f", dealt by seed {seed}" if seed else ""
        where += f", {self.problem.objective}" if self.problem else ""
        by = self.heading(self.by)
        return f"{where}, by {by.removesuffix(' %') if self.by in QUALITY else by}"

    @property
    def is_measured(self) -> bool:
        """Whether a method has a value of what ranks: without any, their order means nothing."""
        return any(np.isfinite(row.mean(self.by)) for row in self.rows)

    @property
    def chosen_on(self) -> str:
        """The split by which methods chose among several C; empty if they did not, or by the training split."""
        return self.by.partition("_")[0] if self.chosen and self.by in QUALITY else ""

    @property
    def warning(self) -> str:
        """What is wrong with the numbers; empty if nothing is."""
        if self.chosen_on != "test":
            return ""
        what = "F1" if self.by == "test_f1" else "error"
        return (
            f"CHOSEN ON TEST DATA: each method has the C of its best {what} on the test split, so this {what} is "
            "optimistic. A config with `validation: 0.1` holds out a tenth of the training examples to choose by."
        )

    @property
    def sentences(self) -> list[str]:
        """Which methods and C cannot be told from the best, which have other folds, what to be careful with."""
        return [*self._ties(), *self._apart(), *self._unpaired(), *self._close(), *self._ends(), *self._cautions()]

    @property
    def tied(self) -> list[Row]:
        """The first method, and those with the same error or F1."""
        first, *others = self.rows
        same = (row for row in others if (row.mean(self.by), row.folds) == (first.mean(self.by), first.folds))
        return [first, *(same if self.by in QUALITY else ())]

    @property
    def is_open(self) -> bool:
        """Whether others tie with the first method or cannot be told apart from it: the first sentence says so."""
        return any(self._ties()) or any(self._apart())

    def told(self, row: Row, name: str = "") -> str:
        """The method, or another name of the row, with the loss and penalty in which its family differs."""
        same = [each for each in self.rows if each.family == row.family]
        loss = f", {row.loss} loss" if any(each.loss != row.loss for each in same) else ""
        penalty = f", {row.penalty}" if any(each.penalty != row.penalty for each in same) else ""
        return (name or row.method) + loss + penalty

    def _ties(self) -> Iterator[str]:
        clock, note = _clock(self.tied)
        tied = sorted(self.tied, key=lambda row: sort_key(row, clock))
        if len(tied) > 1:
            fastest, *others = tied
            _, form, scale, _ = MEASURES[self.by]
            said = (
                f"{speed.in_words([*map(self.told, self.tied)])} tie at {scale * fastest.mean(self.by):{form}} %"
            )
            least = max(fastest.mean(clock), speed.INSTANT if clock == "seconds" else 0) or np.nan
            ratios = [(self.told(row), row.mean(clock) / least) for row in others]
            if ratios[0][1] > speed.TIE and np.isfinite(ratios[-1][1]):
                slower = speed.slower(ratios, "long" if clock == "seconds" else "many").removesuffix(".")
                said += f". {speed.bracketed(self.told(fastest))} took the fewest {clock}: {slower}{note}"
            yield f"{said}."

    def _apart(self) -> list[str]:
        rows = [row for row, behind in zip(self.rows, self.behind, strict=True) if _is_noise(behind)]
        if len(rows) < len(self.tied):  # none but those that tie
            return []
        rows = [self.rows[0], *rows]
        names = speed.in_words([*map(self.told, rows)])
        clock, note = _clock(rows)
        said = f"{names} cannot be told apart (95 % intervals of a paired bootstrap over examples)."
        if np.isfinite([row.mean(clock) for row in rows]).all():
            fastest = min(rows, key=lambda row: sort_key(row, clock))
            said += f" {speed.bracketed(self.told(fastest))} took the fewest {clock} of them{note}."
        return [said]

    def _unpaired(self) -> Iterator[str]:
        """Which methods have other folds than the first; their intervals are of the folds that both have."""
        if self.by not in QUALITY:
            return
        first, found = self.rows[0].whole_folds, defaultdict(list)
        for row in self.rows[1:]:
            if row.whole_folds != first:
                found[len(row.whole_folds & first)].append(self.told(row))
        for shared, names in found.items():
            many = f"only {shared} of the folds" if shared else "no fold"
            yield f"{speed.in_words(names)} and {speed.bracketed(self.told(self.rows[0]))} share {many}: " + (
                "intervals are of these alone." if shared else "no interval compares them."
            )

    def _close(self) -> Iterator[str]:
        """Which C cannot be told apart from the best C of a method, and whether that is an end of the grid."""
        found = defaultdict(list)
        for row, by_C, near in zip(self.rows, self.by_C, self.near, strict=True):
            level = {C: behind.mean for C, behind in near.items() if behind and _is_noise(behind)}
            if level and row.C is not None:
                end, inner = self._end(row, by_C)
                last = f" C = {row.C:g} is the {end} of the grid: {BEYOND.get(end)} ones were not tried."
                last = last if inner in level else ""  # else ``_ends`` says it
                found[tuple(sorted([row.C, *level])), last].append((self.told(row), max(level.values())))
        for (Cs, last), of in sorted(found.items()):
            names, most = zip(*of, strict=True)
            count = round(self.decisions * max(most))
            why = f": {count} of {self.decisions:,} decisions decide{'s' if count == 1 else ''}" if count else ""
            is_held = self.by.startswith("validation") and self.rows[0].folds == 1
            more = "; `cv: 5` tells more" if is_held else ""
            same = speed.in_words([f"{C:g}" for C in Cs])
            yield f"C = {same} cannot be told apart for {speed.in_words(names)}{why}{more}.{last}"

    def _ends(self) -> list[str]:
        """Whose best C is an end of the grid, and better than the next C beyond noise."""
        found = {}
        for row, by_C, near in zip(self.rows, self.by_C, self.near, strict=True):
            end, inner = self._end(row, by_C)
            behind = near.get(inner)
            if end and (behind is None or behind.low > 0):
                found.setdefault((row.C, end), []).append(self.told(row))
        return [
            f"C = {C:g} is the {end} of the grid, and the best for "
            f"{speed.in_words(names)}: try {BEYOND[end]} ones."
            for (C, end), names in sorted(found.items())
        ]

    def _end(self, row: Row, by_C: dict[float, Row]) -> tuple[str, float]:
        """Which end of the grid a row's C is, and the C next to it; empty and NaN if it is neither."""
        known = sorted(C for C, each in by_C.items() if np.isfinite(each.mean(self.by)))
        if self.by in QUALITY and len(known) > 1 and row.C in (known[0], known[-1]):
            return ("least", known[1]) if known[0] == row.C else ("largest", known[-2])
        return "", np.nan

    def _cautions(self) -> Iterator[str]:
        if self.by in QUALITY:
            gaps, passes = ([row.mean(measure) for row in self.rows] for measure in ("gap", "passes"))
            yield from cautions.ended_far([*map(self.told, self.rows)], gaps, passes, self.chosen)
            errors = (self.rows[0].mean(f"{split}_error") for split in ("validation", "test"))
            yield from cautions.odd_split(self.told(self.rows[0]), *errors)

    def heading(self, measure: str) -> str:
        """What the table calls a measure."""
        return MEASURES[measure].heading.format(level=100 * self.level, clock=self.clock)

    def record(self) -> dict[str, object]:
        """The table for JSON."""
        where = dict(zip(Problem._fields[2:], self.problem[2:] if self.problem else (None,) * 3, strict=True))
        rows = [
            row.record()
            | {"behind": behind and behind._asdict(), "by_C": {C: each.mean(self.by) for C, each in by_C.items()}}
            for row, behind, by_C in zip(self.rows, self.behind, self.by_C, strict=True)
        ]
        return {"data": self.data, **where, "by": self.by, "rows": rows, "sentences": self.sentences}


def _is_noise(behind: Interval | None) -> bool:
    """Whether an interval that there is has 0: too few examples give none, from -inf to inf."""
    return behind is not None and -np.inf < behind.low <= 0


def _clock(rows: list[Row]) -> tuple[str, str]:
    """What compares how long methods took, seconds or passes, and what is to be said of these seconds."""
    if speed.too_short((row.mean("seconds") for row in rows), (spec for row in rows for spec in row.runs)):
        return "passes", speed.TOO_SHORT
    return "seconds", speed.DISTURBED if any(row.is_disturbed for row in rows) else ""


def place(row: Row, by: str, ties: tuple[str, str] = USUAL_TIES) -> tuple:
    """The sort key of rows: the rule. Rows without a value come last, and before them those of fewer folds."""
    means = (sort_key(row, measure) for measure in (by, *ties))
    return bool(np.isnan(row.mean(by))), -row.folds, *means, row.method


def tie_breakers(rows: list[Row], by: str, are_timed: bool) -> tuple[str, str]:
    """The measures by which equal methods stand; of those with the best error or F1, passes if they are short."""
    if by not in QUALITY:
        return USUAL_TIES
    first = min(place(row, by)[:3] for row in rows)
    clock, _ = _clock([row for row in rows if place(row, by)[:3] == first])
    return (clock, "distance") if are_timed or clock == "passes" else ("distance", clock)


def sort_key(row: Row, measure: str) -> float:
    """The mean as a number of which less is better; infinite if it is not known."""
    mean = row.mean(measure)
    return np.inf if np.isnan(mean) else -mean if MEASURES[measure].greatest else mean
