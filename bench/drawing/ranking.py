"""The best methods of a config as text: tables, and on the terminal a sentence on each problem."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime.commands import as_called, command
from structbench.bench.drawing import best, speed
from structbench.bench.drawing.intervals import Interval
from structbench.bench.drawing.measures import MEASURES, QUALITY
from structbench.bench.drawing.method_looks import Problem, problems
from structbench.bench.drawing.standings import Row, Table
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import results
from structbench.bench.runs.spec import Spec
from structbench.datasets.problems import new_examples

MANY = 10  # tables: if there are more, of several data sets, each shows only its best method
SPARE = "validation_f1", "test_f1", "nonzero", "distance", "passes"  # what a narrow terminal leaves out first


def texts(table: Table) -> list[dict[str, str]]:
    """The rows of a table as text: heading -> cell. Columns without any value are left out."""
    dense = all(row.penalty in best.DENSE for row in table.rows)
    others = (measure for measure in best.SHOWN if measure != table.by and not (dense and measure == "nonzero"))
    measures = [table.by, *others]
    columns = {"method": [row.method for row in table.rows]}
    if table.problem is None:
        for name in ("loss", "penalty"):
            values = [getattr(row, name) for row in table.rows]
            if len(set(values) - {declaration.NO_LOSS}) > 1:
                columns[name] = ["-" if value == declaration.NO_LOSS else value for value in values]
        columns["C"] = ["-" if row.C is None else f"{row.C:g}" for row in table.rows]
    for measure in measures:
        spread = measure in (table.by, *QUALITY)
        columns[table.heading(measure)] = [_cell(row, measure, spread) for row in table.rows]
        if measure == table.by:
            told = ["-" if each is None else in_points(each).removesuffix(" points") for each in table.behind]
            columns["behind the first"] = [each.replace("+", "") for each in told]
    columns["folds"] = [f"{row.folds}" if row.folds > 1 else "-" for row in table.rows]
    columns["seeds"] = [f"{row.seeds}{f', {row.diverged} diverged' * bool(row.diverged)}" for row in table.rows]
    always = ("method", table.heading(table.by))
    kept = {name: cells for name, cells in columns.items() if name in always or {*cells} != {"-"}}
    return [dict(zip(kept, cells, strict=True)) for cells in zip(*kept.values(), strict=True)]


def by_strength(table: Table) -> list[dict[str, str]]:
    """What ranks, against C: a row a method, a column a C; empty if methods have one C."""
    Cs = sorted({C for by_C in table.by_C for C in by_C})
    return [
        {"at C =": table.told(row, row.family)}
        | {f"{C:g}": _cell(by_C[C], table.by, False) if C in by_C else "-" for C in Cs}
        for row, by_C in zip(table.rows, table.by_C, strict=True)
        if len(by_C) > 1
    ]


def merged(answers: Iterable[speed.Answer]) -> list[tuple[str, str]]:
    """Of which problems what is said; that no method comes near is said of several at once."""
    found = defaultdict[tuple, dict[tuple, list[Problem]]](lambda: defaultdict(list))
    for problem, text, _ in answers:
        one = "" if text.startswith("No method") else problem
        found[text, one][problem.fold, problem.loss, problem.penalty].append(problem)
    return [("; ".join(map(_setting, of.values())), text) for (text, _), of in found.items()]


def _setting(group: list[Problem]) -> str:
    """What problems that differ only in C minimise."""
    first, *others = group
    Cs = speed.in_words([f"{each.C:g}" for each in group])
    return first.setting.replace(f"C = {first.C:g}", f"C = {Cs}") if others else first.setting


def _cell(row: Row, measure: str, spread: bool) -> str:
    _, form, scale, _ = MEASURES[measure]
    found = {name: scale * value for name, value in row.spread(measure).items()}
    if np.isnan(found["mean"]):
        return "-"
    if np.isinf(found["mean"]):
        some = np.isfinite(row.values[measure]).sum()
        of = f"{row.folds} folds" if row.folds > 1 else f"{row.seeds} seeds"
        return f"{some} of {of}" if some else "not reached"
    said = format(found["mean"], form)
    if not spread or len(row.runs) == 1 or found["min"] == found["max"]:
        return said
    if np.isinf(found["low"]):
        return f"{said} ({found['min']:{form}} to {found['max']:{form}})"
    return f"{said} [{found['low']:{form}}, {found['high']:{form}}]"


def show(found: best.Best, elsewhere: Collection[Spec] = (), called: str = "") -> None:
    """Print the tables and sentences of ``best.best``; of many tables of several data sets only their first rows.

    Args:
        elsewhere: Published runs, whose models are not here.
        called: The config whose ranking this is, by which verbs find its runs.
    """
    count = 1
    if len(found.tables) > MANY and len({table.data for table in found.tables}) > 1:
        _print_first(found.tables)
        return
    for table in found.tables:
        whole = table.rows[0].on_everything
        print(table.title(problems([whole])[0][0].title if whole.data.paths else table.data))
        _print(texts(table), [table.heading(each) for each in SPARE if each != table.by])
        if strengths := by_strength(table):
            print(f"{table.heading(table.by)} against C")
            _print(strengths)
        for sentence in (table.warning, *table.sentences):
            if sentence:
                print(sentence)
        for where, text in merged(table.answers):
            print(f"{where}. {text}" if len(table.answers) > 1 else text)
        if table.by in QUALITY and table.rows[0].runs[0] not in elsewhere:
            print(_use(table.rows[0], called and (called if len(found.tables) == 1 else f"{called}:{count}")))
        count += len(table.rows)
        if table.answers:
            print()


def _use(first: Row, called: str) -> str:
    """How to label new examples with the first method, and to train it on all if some were held out."""
    spec, lines = first.runs[0], []
    label = command("predict", called or spec.key, "FILE", *results.words())
    if first.on_everything == spec and new_examples.supported(spec.data):
        lines = [f"Label new examples with the first: {label}"]
    if spec.data.validates:
        whole = replace(spec, data=spec.data.having(validation=None))
        lines.append(f"Train the first on all examples: `{whole.command('model')}`")
    return as_called("\n".join(lines))


def _print_first(tables: Sequence[Table]) -> None:
    rows = [{"data": table.title(table.data)} | texts(table)[0] | {"of": str(len(table.rows))} for table in tables]
    heads = dict.fromkeys(head for row in rows for head in row)
    _print([{head: row.get(head, "-") for head in heads} for row in rows])
    by = " or ".join(dict.fromkeys(table.by for table in tables))
    print(f"The best of each data set by {by}; `--data NAME` shows the others.")
    for warning in dict.fromkeys(table.warning for table in tables if table.warning):
        print(warning)


def _print(rows: list[dict[str, str]], spare: Sequence[str] = ()) -> None:
    print_table([*rows[0]], [[*row.values()] for row in rows], spare)


def in_points(interval: Interval) -> str:
    """An interval of errors in percentage points, or why it has no ends."""
    return interval.points().replace("[?]", "[too few examples]")
