"""Write the files by which Snakemake sees that a view, a problem or a measurement is out of date.

A view is a paper, ``grid-NAME``, the report or the tracking. ``state`` says which runs count. Each view has two
files under ``parts``, which are written only if they change. ``NAME.json`` holds what the config says of it, and a
hash of the programs that make it. Its job reads the config from there. ``NAME.runs`` holds when the newest of its
finished runs was written, and a hash of all their names. It has that time itself, so what was drawn since stays,
whichever workflow made the run. If other runs count now though none is newer, it has the time of the change.
"""

import itertools
import json
import os
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import write_if_changed
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.drawing import draw
from structbench.bench.papers import claim_rows
from structbench.bench.runs import problem_store, programs, results, store, unfinished, update_costs
from structbench.bench.workflow.config import Config

ROOMS = ("report", "tracking")  # views of all runs
DRAWN_BY = ("bench/drawing", "bench/runs", "bench/papers")  # folders of the programs that make any figure or claim


def part(config: str, name: str) -> str:
    """The file of what a view depends on besides runs; a config for ``config.read_config``."""
    return str(results.root() / config / "parts" / f"{name}.json")


def runs(config: str, name: str) -> str:
    """The file that is as new as the finished runs of a view."""
    return str(results.root() / config / "parts" / f"{name}.runs")


def write_inputs(config: Config) -> None:
    """Bring the files of all views of a config up to date; raises a UserError if one cannot be written."""
    for name, specs in {**config.runs_of, **dict.fromkeys(ROOMS, config.specs)}.items():
        given = config.given if name in ROOMS else config.part(name)
        made = {spec.key: config.finished[spec] for spec in specs if spec in config.finished}
        newest, names = max(made.values(), default=0), sha256("\n".join(sorted(made)).encode()).hexdigest()
        file = Path(runs(config.name, name))
        last = file.stat().st_mtime_ns if file.is_file() else -1
        with write_or_explain(file, "make its folder writable"):
            write_if_changed(Path(part(config.name, name)), json.dumps(given | {"programs": programs_of(name)}))
            if write_if_changed(file, f"{newest} {names}\n") and newest > last:
                os.utime(file, ns=(newest, newest))


def sweep(config: Config) -> None:
    """Remove, when a workflow starts, what it has to make again, and what killed processes were writing.

    Notes of problems and measurements of an update go if they are not of today's programs and data. So do the PNG
    of a figure and the report if a file is gone that no rule names, such as an SVG. Snakemake has them made again.
    """
    store.sweep(results.root())
    unfinished.sweep_curves(results.runs())
    stale = [problem_store.note(*each) for each, today in config.problems.items() if today is None]
    measured = dict.fromkeys(itertools.chain(*config.costs_of.values()))
    folder = results.figures(config.name)
    drawn = (folder / view / stem for view, stems in config.figures.items() for stem in stems)
    stale += [Path(f"{figure}.png") for figure in drawn if not _is_whole(Path(f"{figure}.json"))]
    for file in [*stale, *(update_costs.file(data) for data in measured if update_costs.is_stale(data))]:
        with suppress(OSError):  # somebody else has removed it, or may not be disturbed
            file.unlink()
    report = results.report(config.name)
    pages = [report / page for page in ("explorer.html", "runs.html")]
    if report.is_dir():
        views = (report / name for name in config.figures)
        pages += [folder / "index.html" for folder in (report, *views) if folder.is_dir()]
        if not all(page.is_file() for page in pages):
            shutil.rmtree(report, ignore_errors=True)  # its rule would empty it, too


def _is_whole(sidecar: Path) -> bool:
    """Whether a drawn figure has its table and all of its images."""
    with suppress(UserError, OSError):  # it is broken, or gone
        kinds = [*draw.read_sidecar(sidecar).images, "csv"]
        return all(sidecar.with_suffix(f".{kind}").is_file() for kind in kinds)
    return False


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
