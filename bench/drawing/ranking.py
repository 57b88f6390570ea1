"""The best methods of a config as text: tables, and on the terminal a sentence on each problem."""

from collections.abc import Sequence

import numpy as np

from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime.commands import as_called, command
from structbench.bench.drawing import best
from structbench.bench.drawing.terminal import print_table
from structbench.datasets.problems import new_examples

MANY = 10  # tables: if there are more, each shows only its best method


def texts(table: best.Table) -> list[dict[str, str]]:
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
        spread = measure in (table.by, *best.QUALITY)
        columns[table.heading(measure)] = [_cell(row, measure, spread) for row in table.rows]
    columns["seeds"] = [f"{row.seeds}{f', {row.diverged} diverged' * bool(row.diverged)}" for row in table.rows]
    always = ("method", table.heading(table.by))
    kept = {name: cells for name, cells in columns.items() if name in always or {*cells} != {"-"}}
    return [dict(zip(kept, cells, strict=True)) for cells in zip(*kept.values(), strict=True)]


def _cell(row: best.Row, measure: str, spread: bool) -> str:
    _, form, scale, _ = best.MEASURES[measure]
    found = {name: scale * value for name, value in row.spread(measure).items()}
    if np.isnan(found["mean"]):
        return "-"
    if np.isinf(found["mean"]):
        some = np.isfinite(row.values[measure]).sum()
        return f"{some} of {row.seeds} seeds" if some else "not reached"
    said = format(found["mean"], form)
    if not spread or row.seeds == 1 or found["min"] == found["max"]:
        return said
    if row.seeds < best.FEW:
        return f"{said} ({found['min']:{form}} to {found['max']:{form}})"
    return f"{said} ± {found['sd']:{form}}"


def show(found: best.Best) -> None:
    """Print the tables and sentences of ``best.best``; of many tables only their first rows."""
    if len(found.tables) > MANY:
        _print_first(found.tables)
        return
    for table in found.tables:
        print(table.title)
        _print(texts(table))
        if table.warning:
            print(table.warning)
        for answer in table.answers:
            print(f"{answer.problem.objective}. {answer.text}" if len(table.answers) > 1 else answer.text)
        first = table.rows[0].runs[0]
        if table.by in best.QUALITY and new_examples.supported(first.data):
            print(as_called(f"Label new examples with the first: {command('predict', first.key, 'FILE')}"))
        if table.answers:
            print()


def _print_first(tables: Sequence[best.Table]) -> None:
    rows = [{"data": table.title} | texts(table)[0] | {"of": str(len(table.rows))} for table in tables]
    heads = dict.fromkeys(head for row in rows for head in row)
    _print([{head: row.get(head, "-") for head in heads} for row in rows])
    by = " or ".join(dict.fromkeys(table.by for table in tables))
    print(f"The best of each data set by {by}; `--data NAME` shows the others.")
    for warning in dict.fromkeys(table.warning for table in tables if table.warning):
        print(warning)


def _print(rows: list[dict[str, str]]) -> None:
    print_table([*rows[0]], [[*row.values()] for row in rows])
