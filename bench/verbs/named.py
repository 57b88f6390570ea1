"""Resolve a run named on the command line by folder, key or config (its best run), and what --out names."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import first_of
from structbench.bench.runs import hosts, results, store
from structbench.bench.runs.finished import Runs
from structbench.bench.verbs.saying import say
from structbench.bench.workflow import config_files

Found = TypeVar("Found")


def run_named(text: str) -> store.Run:
    """The run that a user names; raises as ``hosts.find_run``, or as ``found_by``."""
    return found_by(hosts.find_run, text)


def runs_named(texts: Iterable[str]) -> list[store.Run]:
    """The runs that a user names, as ``run_named``. Results lie where the first one's config has them."""
    first, *others = texts
    found = [run_named(first)]
    for text in others:
        with results.kept():
            found.append(run_named(text))
    return found


def publications(out: str | None) -> Path:
    """The folder that ``--out`` names; if it names none, structbench's own, from whatever folder one calls."""
    from structbench.bench.report.published import RESULTS

    if out:
        return Path(out)
    return RESULTS.relative_to(Path.cwd()) if RESULTS.is_relative_to(Path.cwd()) else RESULTS


def file_out(out: str | Path) -> Path:
    """The file that ``--out`` names; raises a UserError if its folder is not there."""
    if not (folder := Path(out).absolute().parent).is_dir():
        raise UserError(f"--out {out}: there is no folder {folder}: make it first")
    return Path(out)


def found_by(find: Callable[[str], Found], text: str) -> Found:
    """What ``find`` makes of the name of a run, or else of the key of the run that a config's name means.

    ``mine`` is the best run of the config mine, by what ``bench best mine`` ranks by, and ``mine:2`` the second.

    Raises:
        UserError: ``find`` does, and the text names no config. Or the config has no such run.
    """
    try:
        return find(text)
    except UserError:
        if os.path.isfile(text) and store.finished(Path(text).parent):
            raise UserError(f"{text} is a file of a run: give its folder, {Path(text).parent}") from None
        name, _, number = text.rpartition(":") if text.rpartition(":")[2].isdigit() else (text, "", "")
        if not config_files.is_config(name):
            raise
    from structbench.bench.drawing import best
    from structbench.bench.verbs import states
    from structbench.bench.workflow import config

    checked, runs = config.read_config(name), Runs()
    tables = best.best(checked.specs, runs).tables
    rows = [row for table in tables for row in table.rows]
    if not rows and (old := states.stale(checked, checked.specs)):
        again, all_ = config_files.make_command(name), command("best", name, "--stale", *results.words())
        raise UserError(f"{old}: `{again}` makes them again; or give the key of one: `{all_}`")
    if not rows:
        none = f"none of the {len(checked.specs)} runs of the config {name} is finished"
        makes = config_files.make_command(name)
        raise UserError(f"{none} under {runs.root.absolute()}: `{makes}` makes them")
    if not number and len(tables) > 1:
        datas = first_of([table.data for table in tables], hosts.SHOWN)
        raise UserError(f"the config {name} has several data sets ({datas}): say {name}:1 to {name}:{len(rows)}")
    place = int(number or 1)
    if not 0 < place <= len(rows):
        said = command("best", name, *results.words())
        raise UserError(f"{text}: finished runs of the config {name} are of {len(rows)} methods: {said}")
    spec = rows[place - 1].runs[0]
    of_data = [each for each in checked.specs if (each.data.whole, each.test) == (spec.data.whole, spec.test)]
    made = runs.joined(of_data).finished(spec)  # a merged one, maybe
    if spec.data.folds > 1:
        whole = f"`{command('best', name, *results.words())}` says how to train on all examples"
        say(f"{text} means {spec.key}, which learned without one of {spec.data.folds} folds: {whole}")
    return find(str(made.folder))
