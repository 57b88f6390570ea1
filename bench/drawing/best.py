"""Rank the methods on each data set, each at its best C, with means over seeds and their spread.

Errors compare across every C, loss and penalty: each data set has one table of them. Gaps, distances, primal
values and seconds compare within one problem only: each problem has its own table.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np

from structbench.algorithms.learning import declaration
from structbench.bench.drawing import curves, speed
from structbench.bench.drawing.method_looks import Problem, certifiable, clock, clock_word, labels, problems
from structbench.bench.drawing.refuted import refutations
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.datasets import DataRef

LEVEL = 1e-3  # relative distance to the optimum
Method = tuple[str, str, str]  # name, loss, penalty
Measured = dict[Spec, dict[str, float]]  # each run's measures at its end
FEW = 5  # seeds: fewer show their range, others their standard deviation


class Measure(NamedTuple):
    """What is measured at the end of a run: how a table calls it and writes its values."""

    heading: str
    form: str
    scale: float = 1.0
    greatest: bool = False


MEASURES = {
    "validation_error": Measure("validation error %", ".2f", 100),
    "validation_f1": Measure("validation F1 %", ".2f", 100, greatest=True),
    "test_error": Measure("test error %", ".2f", 100),
    "test_f1": Measure("test F1 %", ".2f", 100, greatest=True),
    "gap": Measure("gap", ".1e"),
    "distance": Measure("distance", ".1e"),
    "primal": Measure("primal", ".8g"),
    "nonzero": Measure("nonzero weights", ",.0f"),
    "seconds_to_level": Measure("{clock} s to {level:g} %", ".3g"),
    "seconds": Measure("{clock} s", ".3g"),
    "passes": Measure("passes", ".3g"),
}
QUALITY = ("validation_error", "validation_f1", "test_error", "test_f1")
SHOWN = (*QUALITY, "nonzero", "gap", "distance", "seconds", "passes")  # in every table, whatever its ranking
DENSE = ("l2", declaration.NO_PENALTY)  # penalties that make no weight 0


@dataclass(frozen=True)
class Row:
    """A method at one C, or without C. For each measure, ``values`` has one number a seed, or NaN.

    Of seconds it has those that compare, if there are any.
    """

    method: str
    loss: str
    penalty: str
    C: float | None
    values: dict[str, np.ndarray]
    diverged: int
    runs: tuple[Spec, ...]  # of each seed

    @property
    def seeds(self) -> int:
        """How many seeds there are."""
        return len(self.values["passes"])

    def mean(self, measure: str) -> float:
        """The mean over seeds: NaN if one has no value, infinity if one does not come to the level."""
        return float(np.mean(self.values[measure]))

    def spread(self, measure: str) -> dict[str, float]:
        """Mean, standard deviation (NaN of one seed), least and greatest value over seeds."""
        values = self.values[measure]
        with np.errstate(invalid="ignore"):
            deviation = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
        ends = {"min": float(values.min()), "max": float(values.max())}
        return {"mean": self.mean(measure), "sd": deviation} | ends

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

    @property
    def title(self) -> str:
        """What the choice is of, and by which measure it is made."""
        where = self.data if self.problem is None else f"{self.data}, {self.problem.objective}"
        by = self.heading(self.by)
        return f"{where}, by {by.removesuffix(' %') if self.by in QUALITY else by}"

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

    def heading(self, measure: str) -> str:
        """What the table calls a measure."""
        return MEASURES[measure].heading.format(level=100 * self.level, clock=self.clock)

    def record(self) -> dict[str, object]:
        """The table for JSON."""
        where = dict(zip(Problem._fields[2:], self.problem[2:] if self.problem else (None,) * 3, strict=True))
        return {"data": self.data, **where, "rows": [row.record() for row in self.rows]}


@dataclass(frozen=True)
class Best:
    """What came of some runs: tables, how fast methods are, and notes on what these show."""

    tables: list[Table]
    answers: list[speed.Answer]
    notes: list[str]
    missing: int  # how many of the runs are not finished

    @property
    def by(self) -> str | None:
        """The measure of the rankings; None if there are none, or if they have several."""
        found = {table.by for table in self.tables}
        return found.pop() if len(found) == 1 else None

    def record(self) -> dict[str, object]:
        """The same for JSON."""
        return {
            "missing": self.missing,
            "C_chosen_on": " and ".join(sorted({table.chosen_on for table in self.tables} - {""})) or None,
            "tables": [table.record() for table in self.tables],
            "answers": [each._asdict() | {"data": each.data.text, "text": text} for each, text in self.answers],
        }


def best(specs: Sequence[Spec], runs: Runs, by: str | None = None, level: float = LEVEL) -> Best:
    """The tables of the runs of these specs that are finished.

    ``by``: One of ``MEASURES``; if None, the error on the validation split of data that have one, else the test's.
    ``level``: The relative distance to the optimum to which seconds are counted.
    """
    tables, answers, missing, made = [], [], [], []

    def data(spec: Spec) -> tuple[DataRef, str]:
        return spec.data, spec.test or ""

    for _, members in groupby(sorted(specs, key=data), key=data):
        names = _names([*members])
        joined = runs.joined(names)
        there = {spec: name for spec, name in names.items() if joined[spec] is not None}
        missing += names.keys() - there.keys()
        made += joined.present([*there])
        answers += (found := speed.answers({spec: there[spec] for spec in there if runs[spec]}, runs, level))
        tables += _tables(there, joined.comparable(names), by or usual(next(iter(names)).data), level, found)
    return Best(tables, answers, _notes(tables, specs, made), len(missing))


def usual(data: DataRef) -> str:
    """The measure that ranks methods on a data set if none is asked for."""
    return "validation_error" if data.validates else "test_error"


def _tables(names: dict[Spec, str], runs: Runs, by: str, level: float, answers: list[speed.Answer]) -> list[Table]:
    """The tables of one data set, given the names of the methods of its finished runs."""
    specs = [*names]
    measured = _measured(specs, runs, level)
    groups: list[tuple[Problem | None, list[Spec]]] = [(None, specs)] if specs else []
    if by not in QUALITY:
        groups = [*problems(spec for spec in specs if spec.loss != declaration.NO_LOSS)]
    tables = []
    for problem, members in groups:
        settings: dict[Method, dict[float | None, list[Spec]]] = defaultdict(lambda: defaultdict(list))
        for spec in members:
            C = spec.C if certifiable(spec) else None
            settings[names[spec], spec.loss, spec.penalty][C].append(spec)
        rows = []
        for method, by_C in settings.items():
            found = [_row(method, C, seeds, measured, runs) for C, seeds in by_C.items()]
            rows.append(min(found, key=lambda row: _place(row, by)))
        rows.sort(key=lambda row: (_place(row, by), row.method))
        ranked = any(np.isfinite(row.mean(by)) for row in rows)
        chosen = ranked and any(len(by_C) > 1 for by_C in settings.values())
        own = [answer for answer in answers if problem in (None, answer.problem)]
        tables.append(
            Table(problems(members)[0][0].shown, problem, by, level, rows, chosen, own, clock_word(specs))
        )
    return tables


def _row(method: Method, C: float | None, seeds: list[Spec], measured: Measured, runs: Runs) -> Row:
    values = {name: np.array([measured[spec][name] for spec in seeds]) for name in MEASURES}
    for name in ("seconds", "seconds_to_level"):
        known = values[name][~np.isnan(values[name])]
        values[name] = known if len(known) else values[name]
    diverged = sum(runs.finished(spec).summary["status"] == "diverged" for spec in seeds)
    return Row(*method, C, values, diverged, tuple(seeds))


def _names(specs: list[Spec]) -> dict[Spec, str]:
    """What legends call the methods. If only the limits tell two runs apart, the names have the limits."""
    names = labels(specs)
    same = Counter((name, spec.loss, spec.penalty, spec.C, spec.seed) for spec, name in names.items())
    unclear = {name for (name, *_), count in same.items() if count > 1}
    for spec in [spec for spec, name in names.items() if name in unclear]:
        seconds = "" if spec.seconds is None else f", {spec.seconds:g} {clock_word([spec])} s"
        names[spec] += f", at most {spec.passes:g} passes{seconds}, to a gap of {spec.gap:g}"
    return names


def _measured(specs: list[Spec], runs: Runs, level: float) -> Measured:
    """Each run's measures at its end."""
    column = clock(specs)
    found: Measured = {}
    refuted = {each.run.key for each in refutations(runs.present(specs))}
    for _, members in problems(specs):
        bound = curves.optimum(runs.present(members)).dual if members[0].loss != declaration.NO_LOSS else np.nan
        for spec in members:
            run = runs.finished(spec)
            values = dict.fromkeys(MEASURES, np.nan) | _last(run, column)
            if run.key in refuted:
                values["gap"] = np.nan
            if run.summary["status"] != "diverged" and np.isfinite(bound):
                above = (values["primal"] - bound) / abs(values["primal"])
                values["distance"] = max(0.0, above)  # a value below 0 is rounding
                values["seconds_to_level"] = curves.seconds_to(curves.own(run), bound, level, column)
            found[spec] = values
    return found


def _last(run: Run, column: str) -> dict[str, float]:
    """What a run's summary says of its end. If the run diverged, only passes and seconds."""
    fields = {"passes": "passes", "seconds": column}
    if run.summary["status"] != "diverged":
        fields |= {name: name for name in QUALITY} | {
            "gap": "relative_gap",
            "primal": "primal",
            "nonzero": "num_nonzero",
        }
    given = {measure: run.summary.get(field) for measure, field in fields.items()}
    return {measure: np.nan if value is None else float(value) for measure, value in given.items()}


def _place(row: Row, by: str) -> tuple[float, float]:
    """The sort key of rows: the measure, then the distance to the optimum. Rows without a value come last."""

    def key(measure: str) -> float:
        mean = row.mean(measure)
        return np.inf if np.isnan(mean) else -mean if MEASURES[measure].greatest else mean

    return key(by), key("distance")


def _notes(tables: list[Table], specs: Sequence[Spec], made: list[Run]) -> list[str]:
    """Sentences on what tables show."""
    notes = [
        *map(str, refutations(made)),
        "gap: how far from the optimum a run is at most, by its own dual value: (primal - dual) / primal.",
        "distance: the same by the greatest dual value of all these runs on the problem.",
        f"{clock_word(specs)} s: {clock_word(specs)} seconds of the algorithm alone, to the end of the run.",
    ]
    if max((row.seeds for table in tables for row in table.rows), default=1) > 1:
        notes.append(f"Means over seeds; in brackets their range, from {FEW} seeds on ± the standard deviation.")
    return [*notes, *dict.fromkeys(table.warning for table in tables if table.warning)]
