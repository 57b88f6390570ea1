"""The best methods of a config on the terminal: a table a data set, and a sentence on each problem."""

from collections.abc import Sequence
from shlex import quote

from structbench.bench.drawing import best
from structbench.bench.drawing.terminal import print_table
from structbench.datasets.problems import new_examples

MANY = 10  # tables: if there are more, each shows only its best method


def show(found: best.Best) -> None:
    """Print the tables and sentences of ``best.best``; of many tables only their first rows."""
    if len(found.tables) > MANY:
        _print_first(found.tables)
        return
    for table in found.tables:
        print(table.title)
        _print(best.texts(table))
        if table.warning:
            print(table.warning)
        answers = found.answers_to(table)
        for answer in answers:
            print(f"{answer.objective}. {answer.text}" if len(answers) > 1 else answer.text)
        first = table.rows[0].runs[0]
        if table.by in best.QUALITY and new_examples.supported(first.data):
            print(f"Label new examples with the first: python -m bench predict {quote(first.key)} FILE")
        if answers:
            print()


def _print_first(tables: Sequence[best.Table]) -> None:
    rows = [{"data": table.title} | best.texts(table)[0] | {"of": str(len(table.rows))} for table in tables]
    heads = dict.fromkeys(head for row in rows for head in row)
    _print([{head: row.get(head, "-") for head in heads} for row in rows])
    by = " or ".join(dict.fromkeys(table.by for table in tables))
    print(f"The best of each data set by {by}; `--data NAME` shows the others.")
    for warning in dict.fromkeys(table.warning for table in tables if table.warning):
        print(warning)


def _print(rows: list[dict[str, str]]) -> None:
    print_table([*rows[0]], [[*row.values()] for row in rows])
