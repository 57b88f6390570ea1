"""Rank the methods of each data set from finished runs, each at its best C, by one rule for all callers.

The rule: the most folds, then the best mean over seeds and folds; of equal ones the least distance to the optimum,
then the fewest seconds, then the name. Of methods whose runs were all timed alone, seconds come before distance.
Where runs are too short to time (``speed.too_short``), passes stand for seconds, and come before distance.
A paired bootstrap over examples says how far others are behind the first, and other C behind a method's best.

Errors compare across every C, loss and penalty: each data set has one table of them. Gaps, distances, primal
values and seconds compare within one problem only: each problem has its own table.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby
from types import MappingProxyType

import numpy as np

from structbench.algorithms.learning import declaration
from structbench.bench.drawing import speed
from structbench.bench.drawing.intervals import FEWEST, Interval, percentiles, resampled
from structbench.bench.drawing.measures import MEASURES, QUALITY, Measured, measures_of
from structbench.bench.drawing.method_looks import (
    Problem,
    certifiable,
    clock_word,
    counts_visits,
    dealt,
    labels,
    limits,
    problems,
)
from structbench.bench.drawing.refuted import refutations
from structbench.bench.drawing.standings import Row, Table, place, tie_breakers
from structbench.bench.runs import predicted
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.objective_names import shortest
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.datasets import DataRef

LEVEL = 1e-3  # relative distance to the optimum
Method = tuple[str, str, str]  # name, loss, penalty
Given = tuple[tuple[str, float], ...]  # parameters that are chosen
Setting = tuple[float | None, Given]  # C, and these
FEW = 5  # values of a number among the parameters of an algorithm: of more, each method has its best
SHOWN = (*QUALITY, "nonzero", "gap", "distance", "seconds", "passes")  # in every table, whatever its ranking
DENSE = ("l2", declaration.NO_PENALTY)  # penalties that make no weight 0


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
            "answers": [
                each._asdict() | {"data": each.data.text, "text": text, "clock": clock}
                for each, text, clock in self.answers
            ],
        }


def best(
    specs: Sequence[Spec],
    runs: Runs,
    by: str | None = None,
    level: float = LEVEL,
    papers: Mapping[Spec, str] = MappingProxyType({}),
) -> Best:
    """The tables of the runs of these specs that are finished.

    ``by``: One of ``MEASURES``; if None, the error on the validation split of data that have one, else the test's.
    ``level``: The relative distance to the optimum to which seconds are counted. ``papers``: Which paper published
    a run; its method's name says so.
    """
    tables, answers, missing, made = [], [], [], []

    def data(spec: Spec) -> tuple[DataRef, tuple[int, ...], str]:
        return spec.data.whole, dealt(spec.data)[1:], spec.test or ""  # another dealing has other folds

    for _, members in groupby(sorted(specs, key=data), key=data):
        names = _names([*members], papers)
        joined = runs.joined(names)
        there = {spec: name for spec, name in names.items() if joined[spec] is not None}
        missing += names.keys() - there.keys()
        made += joined.present([*there])
        first = next(iter(there), None)  # of folds one stands for all
        timed = {spec: name for spec, name in there.items() if runs[spec] and first and spec.data == first.data}
        answers += (found := speed.answers(timed, runs, level))
        tables += _tables(there, joined.comparable(names), by or usual(next(iter(names)).data), level, found)
    return Best(tables, answers, _notes(tables, specs, made), len(missing))


def headline(specs: Sequence[Spec]) -> str | None:
    """The measure that answers a config: seconds if all its runs solve one problem, else None, ``usual``."""
    return "seconds_to_level" if len(problems(specs)) == 1 and all(map(certifiable, specs)) else None


def usual(data: DataRef) -> str:
    """The measure that ranks methods on a data set if none is asked for."""
    return "validation_error" if data.validates else "test_error"


def _tables(
    names: dict[Spec, str], runs: Runs, by: str, level: float, answers: list[speed.Answer]
) -> Iterator[Table]:
    """The tables of one data set, given the names of the methods of its finished runs."""
    specs = [*names]
    if by == "seconds_to_level" and any(answer.clock == "passes" for answer in answers):
        visits = all(counts_visits(spec) for spec in specs if spec.loss != declaration.NO_LOSS)
        by = "passes_to_level" if visits else by  # a peer's own iterations are no passes
    values, searched = measures_of(specs, runs, level), _searched(specs)
    groups: list[tuple[Problem | None, list[Spec]]] = [(None, specs)] if specs else []
    if by not in QUALITY:
        groups = [*problems(spec for spec in specs if spec.loss != declaration.NO_LOSS)]
    for problem, members in groups:
        settings: dict[Method, dict[Setting, list[Spec]]] = defaultdict(lambda: defaultdict(list))
        for spec in members:
            C = spec.C if certifiable(spec) else None
            settings[names[spec], spec.loss, spec.penalty][C, searched(spec)].append(spec)
        rows = []
        for method, by_setting in settings.items():
            found = [_row(method, *setting, seeds, values, runs) for setting, seeds in by_setting.items()]
            found.sort(key=lambda row: place(row, by))
            by_C = {row.C: row for row in reversed(found) if row.C is not None}
            rows.append((found[0], {C: by_C[C] for C in sorted(by_C)}))
        ties = tie_breakers([row for row, _ in rows], by, all(_is_timed(row, runs) for row, _ in rows))
        rows.sort(key=lambda both: place(both[0], by, ties))
        best_rows = [row for row, _ in rows]
        ranked = any(np.isfinite(row.mean(by)) for row in best_rows)
        chosen = ranked and any(len(by_setting) > 1 for by_setting in settings.values())
        own = [answer for answer in answers if problem in (None, answer.problem)]
        data, clock = problems([best_rows[0].on_everything])[0][0].shown, clock_word(specs)
        every, behind = [by_C for _, by_C in rows], _behind(best_rows, by, runs)
        near = [_near(row, by_C, by, runs) for row, by_C in rows]
        count = _decisions(best_rows[0], by, runs)
        yield Table(data, problem, by, level, best_rows, chosen, own, clock, every, behind, near, count)


def _is_timed(row: Row, runs: Runs) -> bool:
    """Whether its seconds are of runs that nothing disturbed."""
    alone = not any(runs.finished(spec).disturbance for spec in row.runs)
    return alone and bool(np.isfinite(row.mean("seconds")))


def _near(row: Row, by_C: dict[float, Row], by: str, runs: Runs) -> dict[float, Interval | None]:
    """How far a method at each other C is behind that at its best."""
    others = {C: each for C, each in by_C.items() if each is not row and each.folds == row.folds}
    return dict(zip(others, _behind([row, *others.values()], by, runs)[1:], strict=True))


def _decisions(row: Row, by: str, runs: Runs) -> int:
    """Of how many decisions its error is a share; 0 of several runs, or if that is not known."""
    split, _, score = by.partition("_")
    if by not in QUALITY or score != "error" or len(row.runs) != 1:
        return 0
    found = predicted.counts(runs.finished(row.runs[0]), split, score)
    return 0 if found is None else int(found[:, 1].sum())


def _behind(rows: list[Row], by: str, runs: Runs) -> list[Interval | None]:
    """How far each method is behind the first: a paired bootstrap over examples of the folds that both have."""
    if by not in QUALITY:
        return [None] * len(rows)

    @cache
    def samples(row: int, folds: frozenset[DataRef]) -> np.ndarray | None:
        return _samples(rows[row], folds, by, runs)

    found: list[Interval | None] = [None]
    for k, row in enumerate(rows[1:], 1):
        shared = rows[0].whole_folds & row.whole_folds
        first, own = (samples(0, shared), samples(k, shared)) if shared else (None, None)
        found.append(None if first is None or own is None else percentiles(first - own))
    return found


def _samples(row: Row, folds: frozenset[DataRef], by: str, runs: Runs) -> np.ndarray | None:
    """Its mean score over these folds, resampled. Each fold has the same test examples: their counts are added.

    Counts are divided by their fold's sum: then the score of all is the mean of the folds' scores, as in tables.
    """
    split, score = by.split("_")
    seeds = defaultdict(list)
    for spec in sorted((spec for spec in row.runs if spec.data in folds), key=lambda spec: spec.data):
        seeds[spec.seed].append(predicted.counts(runs.finished(spec), split, score))
    if not np.isfinite(row.mean(by)) or any(each is None for found in seeds.values() for each in found):
        return None
    seeds = {seed: [one / one[:, 1:].sum() for one in found] for seed, found in seeds.items()}
    if split == "test":
        seeds = {seed: [sum(found)] for seed, found in seeds.items() if len({*map(len, found)}) == 1}
    whole = [np.vstack(found) for found in seeds.values()]
    fit = len(whole) == row.seeds and len({*map(len, whole)}) == 1
    return resampled(whole, row.runs[0].key) if fit else None


def _row(method: Method, C: float | None, searched: Given, seeds: list[Spec], of: Measured, runs: Runs) -> Row:
    called, loss, penalty = method
    chosen = "".join(f", {key} {shortest(value)}" for key, value in searched)
    made, has_folds = {spec: runs.finished(spec) for spec in seeds}, len({spec.data for spec in seeds}) > 1
    values = {}
    for name in MEASURES:
        known = seeds
        if name in ("seconds", "seconds_to_level"):  # of another machine they are not known, and count for nothing
            known = [spec for spec in seeds if not (np.isnan(of[spec][name]) and made[spec].came_to_its_C)]
        parts = defaultdict(list)
        for spec in known or seeds:
            parts[spec.data if has_folds else spec].append(of[spec][name])
        values[name] = np.array([np.mean(found) for found in parts.values()])
    diverged = sum(run.summary["status"] == "diverged" for run in made.values())
    return Row(
        called + chosen,
        loss,
        penalty,
        C,
        values,
        diverged,
        tuple(seeds),
        chosen,
        any(run.disturbance for run in made.values()),
    )


def _names(specs: list[Spec], papers: Mapping[Spec, str]) -> dict[Spec, str]:
    """What legends call the methods. If only limits tell two runs apart, the names have those that differ."""
    searched = _searched(specs)
    plain = {
        spec: replace(spec, params=tuple(each for each in spec.params if each not in searched(spec)))
        for spec in specs
    }
    called = labels([*plain.values()])
    of = {spec: f" ({papers[spec]})" if spec in papers else "" for spec in specs}
    told = limits(((spec, called[each] + of[spec]) for spec, each in plain.items()), searched)
    return {spec: called[each] + told.get(spec, "") + of[spec] for spec, each in plain.items()}


def _searched(specs: list[Spec]) -> Callable[[Spec], Given]:
    """Of a spec those numbers among its parameters that are chosen as C is: they have more than ``FEW`` values."""
    values = defaultdict(set)
    for spec in specs:
        for name, value in spec.params:
            if isinstance(value, int | float) and not isinstance(value, bool):
                values[spec.algorithm, name].add(value)
    many = {place for place, found in values.items() if len(found) > FEW}
    return lambda spec: tuple(each for each in spec.params if (spec.algorithm, each[0]) in many)


def _notes(tables: list[Table], specs: Sequence[Spec], made: list[Run]) -> list[str]:
    """Sentences on what tables show."""
    clocks = dict.fromkeys(table.clock for table in tables) or [clock_word(specs)]
    notes = [
        *map(str, refutations(made)),
        "gap: how far from the optimum a run is at most, by its own dual value: (primal - dual) / |primal|.",
        "distance: the same by the greatest dual value of all these runs on the problem.",
        *(f"{each} s: {each} seconds of the algorithm alone, to the end of the run." for each in clocks),
    ]
    if max((len(row.runs) for table in tables for row in table.rows), default=1) > 1:
        notes.append(
            "Means over seeds and folds, in brackets the 95 % interval over folds (without any, over seeds); "
            f"of fewer than {FEWEST} the range."
        )
    return notes
