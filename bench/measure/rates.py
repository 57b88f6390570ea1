"""What runs take, for the plan of a workflow: ``rates.csv``, from the default config's and the papers' runs."""

import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.measure.row import Row
from structbench.bench.runs import results, state, store, yardstick
from structbench.bench.runs.spec import Spec
from structbench.bench.workflow import config, config_files, estimate
from structbench.bench.workflow.estimate import Kind, Rate
from structbench.bench.workflow.names import GRID


def rows() -> Iterator[Row]:
    """Measure what runs take, from finished runs of the default config and of the papers, for plans elsewhere.

    A kind is measured again if all its runs are here, or if the file lacks it and some are. Overheads are measured
    if all runs of the default config are here. Other rates stay: their unit is the yardstick.
    """
    default, papers = (
        config.read(str(file)) for file in (config_files.DEFAULT, config_files.DEFAULT.with_name("paper.yaml"))
    )
    found = _of_runs(dict.fromkeys([*default.specs, *papers.specs]))
    if not found:
        raise UserError("rates: no runs of the default config or of the papers' are there: `make run` first")
    if all(map(_is_here, default.specs)):
        found |= {estimate.of_all(what): Rate(seconds, 0.0, 0.0) for what, seconds in _overheads(default).items()}
    slower = yardstick.slowness()
    anew = {kind: Rate(one.seconds / slower, one.pass_seconds / slower, one.bytes) for kind, one in found.items()}
    estimate.write((estimate.measured() | anew).items())
    yield Row("rates", f"{len(found)} rates", f"{slower:.2f} x the file's yardstick")


def _is_here(spec: Spec) -> bool:
    return state.of(spec, results.runs() / spec.key).is_finished


def _of_runs(specs: Iterable[Spec]) -> dict[Kind, Rate]:
    groups: dict[Kind, list[Rate | None]] = defaultdict(list)
    for spec in specs:
        groups[estimate.kind(spec)].append(_rate(spec) if _is_here(spec) else None)
    known = estimate.measured()
    here = {kind: list(filter(None, each)) for kind, each in groups.items() if all(each) or kind not in known}
    return {kind: estimate.mean(each) for kind, each in here.items() if each}


def _rate(spec: Spec) -> Rate:
    run = store.read(results.runs() / spec.key)
    seconds = run.summary["total_seconds"]
    kept = sum(file.stat().st_size for file in run.folder.iterdir())
    return Rate(seconds, seconds / max(1.0, run.summary["passes"]), kept)


def _overheads(checked: config.Config) -> dict[str, float]:
    """Seconds of what is not runs, see ``estimate.overhead``; what it does not measure stays as it is."""
    figures = {name: len(members) for name, members in checked.figures.items()}
    with tempfile.TemporaryDirectory() as scratch:
        batch = _timed("batch", "--out", str(Path(scratch, "batch.1.json")), checked.specs[0].key)
        job = _timed("claims", "scaling")  # which has none
        drawing = {name: _timed("figures", "--only", name) - job for name in figures}
        grids = [name for name in figures if name.startswith(GRID)]
        papers = [name for name in figures if name not in grids]
        server = {"MLFLOW_TRACKING_URI": f"sqlite:///{scratch}/mlflow.db"}
        nothing = server | {results.VARIABLE: f"{scratch}/none"}
        new, opened, logged = _timed("track", **nothing), _timed("track", **nothing), _timed("track", **server)
        report = _timed("report") - job
    return {
        "batch": batch,
        "job": job,
        "figure": sum(drawing[name] for name in papers) / sum(figures[name] for name in papers),
        "grid-figure": sum(drawing[name] for name in grids) / sum(figures[name] for name in grids),
        "claims": (_timed("claims") - job) / len(papers),
        "track": opened - job,
        "database": new - opened,
        "tracked": (logged - opened) / len(checked.specs),
        "reported": report / sum(figures.values()),
    }


def _timed(*words: str, **variables: str) -> float:
    begun = time.perf_counter()
    command = [sys.executable, "-m", "bench", *words]
    done = subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"rates: `bench {' '.join(words[:1])}` failed: {done.stderr.strip()[-300:]}")
    return time.perf_counter() - begun
