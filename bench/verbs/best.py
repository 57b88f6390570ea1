"""``best``: which method is best on each data set."""

import argparse
import json
import math

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.runs import documents
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.verbs.saying import say
from structbench.bench.verbs.verb import JSON, STALE, THE_CONFIG, argument, verb


@verb(
    THE_CONFIG,
    argument(
        "--by",
        choices=(
            "validation_error",
            "validation_f1",
            "test_error",
            "test_f1",
            "gap",
            "distance",
            "primal",
            "seconds",
        ),
        help="by what; seconds are those to --level (default: validation_error of data with a validation split, "
        "else test_error)",
    ),
    argument(
        "--level", type=float, default=1e-3, help="relative distance to the optimum to reach (default: 1e-3)"
    ),
    argument("--data", metavar="NAME", help="just this data set, with whatever options"),
    STALE,
    JSON,
    examples=(
        "best config/mine.yaml --by validation_f1",
        "best mine --data mnist --by seconds --level 1e-4 --json",
        "best",
    ),
)
def do_best(given: argparse.Namespace) -> int:
    """Rank the methods of a config's finished runs, each at the C that suits it."""
    from structbench.bench.drawing import best, ranking
    from structbench.bench.workflow import config

    if not 0 < given.level < math.inf:
        raise UserError(f"--level must be above 0, not {given.level:g}")
    checked = config.read_config(given.config)
    specs = _chosen(checked.specs, given.data)
    runs = Runs(with_stale=given.stale)
    if not runs.joined(specs).present(specs):
        raise UserError(f"none of these {len(specs)} runs is finished under {runs.root}: `make run` makes them")
    found = best.best(specs, runs, "seconds_to_level" if given.by == "seconds" else given.by, given.level)
    if not found.tables:
        raise UserError(f"--by {given.by}: these runs minimise no loss: choose test_error or test_f1")
    if given.json:
        about = {"config": checked.name, "by": found.by, "level": given.level, "runs": len(specs)}
        print(json.dumps(documents.to_jsonable(about | found.record())))
        return 0
    ranking.show(found)
    if found.missing:
        say(f"{found.missing} of {len(specs)} runs are not finished, and left out (`python -m bench status`)")
    shaken = runs.disturbed if given.by == "seconds" else []
    if shaken:
        say(f"{len(shaken)} of these runs were not timed alone, or disturbed: their seconds mean little")
    if given.stale and runs.stale:
        say(f"stale, of other programs, data or settings: {len(runs.stale)} of these runs")
    warnings = {table.warning for table in found.tables}  # the tables have them
    for note in found.notes:
        if note not in warnings:
            print(note)
    return 0


def _chosen(specs: list[Spec], data: str | None) -> list[Spec]:
    """The specs on a data set, by its name alone or with its options.

    Raises:
        UserError: There are none.
    """
    names = {spec: (spec.data.text, spec.data.name, spec.data.shown) for spec in specs}
    known = {name for each in names.values() for name in each}
    if data is not None and data not in known:
        there = sorted({shown for *_, shown in names.values()})
        raise UserError(f"--data {data}: {meant(data, known)}the config has {', '.join(there)}")
    return [spec for spec in specs if data is None or data in names[spec]]
