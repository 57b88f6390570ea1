"""``best``: which method is best on each data set."""

import argparse
import json
import math

from algorithms.runtime.errors import UserError
from algorithms.runtime.names import meant
from bench.drawing.terminal import print_table
from bench.runs import store
from bench.runs.finished import Runs
from bench.runs.spec import Spec
from bench.verbs.saying import say

MANY = 10  # tables: of more, each shows its best method alone


def do_best(given: argparse.Namespace) -> int:
    from bench.drawing import best
    from bench.workflow import config

    if not 0 < given.level < math.inf:
        raise UserError(f"--level must be above 0, not {given.level:g}")
    checked = config.read(given.config)
    specs = _chosen(checked.specs, given.data)
    runs = Runs()
    if not runs.present(specs):
        raise UserError(f"none of these {len(specs)} runs is finished under {runs.root}: `make run` makes them")
    found = best.best(specs, runs, given.by, given.level)
    if not found.tables:
        raise UserError(f"--by {given.by}: these runs minimise no loss: choose test_error or test_f1")
    if given.json:
        about = {"config": checked.name, "by": given.by, "level": given.level, "runs": len(specs)}
        print(json.dumps(store.plain(about | found.as_dict())))
        return 0
    if len(found.tables) > MANY:
        _print_first(found.tables, given.by)
    else:
        _print_all(found)
    if found.missing:
        say(f"{found.missing} of {len(specs)} runs are not finished, and left out")
    for note in found.notes:
        print(note)
    return 0


def _chosen(specs: list[Spec], data: str | None) -> list[Spec]:
    """The specs on a data set, by its name alone or with its options.

    Raises:
        UserError: there are none.
    """
    known = {name for spec in specs for name in (spec.data, spec.data.partition(":")[0])}
    if data is not None and data not in known:
        hint = meant(data, known)
        raise UserError(f"--data {data}: {hint}the config has {', '.join(sorted({spec.data for spec in specs}))}")
    return [spec for spec in specs if data in (None, spec.data, spec.data.partition(":")[0])]


def _print_all(found) -> None:
    from bench.drawing import best

    for table in found.tables:
        print(table.title)
        _print(best.texts(table))
        answers = found.answers_to(table)
        for answer in answers:
            print(f"{answer.objective}. {answer.text}" if len(answers) > 1 else answer.text)
        if answers:
            print()


def _print_first(tables, by: str) -> None:
    from bench.drawing import best

    rows = [{"data": table.title} | best.texts(table)[0] | {"of": str(len(table.rows))} for table in tables]
    heads = dict.fromkeys(head for row in rows for head in row)
    _print([{head: row.get(head, "-") for head in heads} for row in rows])
    print(f"The best of each data set by {by}; `--data NAME` shows the others.")


def _print(rows: list[dict[str, str]]) -> None:
    print_table([*rows[0]], [[*row.values()] for row in rows])
