"""The files by which Snakemake sees that a view is out of date.

A view is a paper, ``grid-NAME``, the report or the tracking. ``state`` says which runs count. Each view has two
files under ``parts``, which are written only if they change. ``NAME.json`` holds what the config says of it, and a
hash of the programs that make it. Its job reads the config from there. ``NAME.runs`` holds when the newest of its
finished runs was written, and has that time itself. What was drawn since stays, whichever workflow made the run.
"""

import json
import os
from hashlib import sha256
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_if_changed
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.papers import claim_rows
from structbench.bench.runs import programs, results
from structbench.bench.workflow.config import Config

ROOMS = ("report", "tracking")  # views of all runs
DRAWN_BY = ("bench/drawing", "bench/runs", "bench/papers")  # folders of the programs that make any figure or claim


def part(config: str, name: str) -> str:
    """The file of what a view depends on besides runs; a config for ``config.read_config``."""
    return str(results.root() / config / "parts" / f"{name}.json")


def runs(config: str, name: str) -> str:
    """The file that is as new as the newest run of a view."""
    return str(results.root() / config / "parts" / f"{name}.runs")


def write_inputs(config: Config) -> None:
    """Bring the files of all views of a config up to date.

    Raises:
        UserError: One cannot be written.
    """
    for name, specs in {**config.runs_of, **dict.fromkeys(ROOMS, config.specs)}.items():
        given = config.given if name in ROOMS else config.part(name)
        newest = max((config.finished[spec] for spec in specs if spec in config.finished), default=0)
        file = Path(runs(config.name, name))
        try:
            write_if_changed(Path(part(config.name, name)), json.dumps(given | {"programs": programs_of(name)}))
            if write_if_changed(file, str(newest)):
                os.utime(file, ns=(newest, newest))
        except OSError as error:
            raise UserError(f"cannot write {file} ({error.strerror}): make its folder writable") from error


def programs_of(name: str) -> str:
    """A hash of the programs, rows of claims and templates that make a view."""
    folders = [f"bench/{name}"] if name in ROOMS else [*DRAWN_BY, f"bench/papers/{name}"]
    found = sha256()
    for folder in folders:
        found.update(programs.sha256(own_folders.files(folder, "*.py")).encode())
        for file in own_folders.files(folder, "*.toml").values():
            found.update(repr(claim_rows.tables(file)).encode())
        for file in sorted((ROOT / folder / "templates").glob("*.*")):
            found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()
