"""``best``: which method is best on each data set."""

import argparse
import math
import os
from contextlib import suppress

from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import are, listed_near, meant, plural
from structbench.bench.runs import problem_store, results
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.bench.verbs import states
from structbench.bench.verbs.saying import document, say
from structbench.bench.verbs.verb import JSON, PUBLISHED, STALE, THE_CONFIG, argument, verb
from structbench.bench.workflow import config
from structbench.bench.workflow.config_files import make_command, unless_usual
from structbench.datasets import DataRef, data_ref
from structbench.datasets.scores.labels import schemes

BY = "validation_error", "validation_f1", "test_error", "test_f1", "gap", "distance", "primal", "seconds"
SHOWN = 5  # data sets in a message


@verb(
    THE_CONFIG,
    argument(
        "--by",
        choices=BY,
        help="by what; seconds are those to --level (default: validation_error of data with a validation split, "
        "else test_error)",
    ),
    argument("--level", type=float, default=1e-3, help="relative distance to the optimum (default: 1e-3)"),
    argument("--data", metavar="NAME", help="just this data set, with whatever options"),
    PUBLISHED,
    STALE,
    JSON,
    examples=(
        "best config/mine.yaml --by validation_f1",
        "best mine --data mnist --by seconds --level 1e-4 --json",
        "best mine --published eg2008 --by distance",
        "best",
    ),
)
def do_best(given: argparse.Namespace) -> int:
    """Rank the methods of a config's finished runs, each at the C that suits it."""
    from structbench.bench.drawing import best, ranking
    from structbench.bench.drawing.measures import QUALITY
    from structbench.bench.report import published_runs

    if not 0 < given.level < math.inf:
        raise UserError(f"--level must be above 0, not {given.level:g}")
    checked = config.read_config(given.config)
    specs = _chosen(checked.specs, given.data)
    runs = Runs(with_stale=given.stale)
    if not runs.joined(specs).present(specs):
        if old := states.stale(checked, specs):
            again = f"`{make_command(given.config)}` makes them again, and --stale ranks them as they are"
            raise UserError(f"{old}: {again}")
        raise UserError(
            f"none of these {len(specs)} runs is finished under {runs.root.absolute()}: "
            f"`{make_command(given.config)}` makes them; for another folder say --results DIR, or set "
            f"{results.VARIABLE}"
        )
    taken, said = published_runs.taken(specs, runs, given.published) if given.published else ({}, [])
    specs += taken
    found = best.best(specs, runs, "seconds_to_level" if given.by == "seconds" else given.by, given.level, taken)
    say(*said)
    if not found.tables:
        raise UserError(f"--by {given.by}: these runs minimise no loss: choose test_error or test_f1")
    is_measured = any(table.is_measured for table in found.tables)
    if given.by in QUALITY and not is_measured:
        raise UserError(f"--by {given.by}: {_why_none(given.by, runs.present(specs))}")
    if given.json:
        about = {"config": checked.name, "by": found.by, "level": given.level, "runs": len(specs)}
        return document(about | found.record())
    is_usual = not (given.by or given.data or given.published or given.stale)
    ranking.show(found, taken, given.config if is_usual else "")
    if found.by in QUALITY and not is_measured:
        say(f"the order means nothing: {_why_none(found.by, runs.present(specs))}")
    if found.missing:
        says = command("status", *unless_usual(given.config), *results.words())
        of = f"{found.missing} of {plural(len(specs), 'run')} {are(found.missing)}"
        say(f"{of} not finished, and left out (`{says}`)")
    if shaken := runs.disturbed:
        say(f"{len(shaken)} of these runs were not timed alone, or were disturbed: their seconds mean little")
    if given.stale and runs.stale:
        say(f"stale, of other programs, data or settings: {len(runs.stale)} of these runs")
    print(*found.notes, sep="\n")
    return 0


def _why_none(by: str, made: list[Run]) -> str:
    """Why no run has such an error or F1."""
    plain = [run for run in made if _has_plain_labels(run)]
    if plain and by.endswith("f1") and len(plain) == len(made):
        first = plain[0].spec
        labels = problem_store.stored_labels(first.data, first.test) or [*plain[0].summary["by_label"]]
        return f"{schemes.why_none(labels)}; choose an error"
    hint = "hold out examples, validation: 0.1, or " if by.startswith("validation") else ""
    return f"no run here has a {by.replace('_', ' ')}: {hint}choose another"


def _has_plain_labels(run: Run) -> bool:
    """Whether its F1 would be of chunks, and its labels are no tags of them."""
    summary = run.summary
    return bool(summary.get("by_label")) and not summary["scheme"] and "chunks" in run.spec.data.scores


def _chosen(specs: list[Spec], data: str | None) -> list[Spec]:
    """The specs on a data set, by its name alone or with its options, as the config or a table's title has it.

    Raises:
        UserError: There are none.
    """
    if data is None:
        return [*specs]
    wanted = {data}
    with suppress(UserError):
        wanted.add(data_ref(data).text)
    exact = {spec: _names(spec.data) for spec in specs}
    for names in exact, {spec: _names(spec.data.having(validation=None)) for spec in specs}:
        if found := [spec for spec in specs if wanted & names[spec]]:
            return found
    there = sorted({spec.data.whole.shown for spec in specs})
    known = sorted(set().union(*exact.values()))
    raise UserError(f"--data {data}: {meant(data, known)}the config has{listed_near(there, data, SHOWN)}")


def _names(of: DataRef) -> set[str]:
    """What a data set may be called."""
    file = {os.path.basename(of.path)} if of.path else set()
    return {of.name, of.text, of.shown, of.whole.text, of.whole.shown} | file
