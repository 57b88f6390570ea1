"""What runs take, for the plan of a workflow: ``rates.csv``, from the default config's and the papers' runs."""

import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from algorithms.runtime.errors import UserError
from bench.measure.row import Row
from bench.runs import results, store
from bench.runs.spec import Spec
from bench.workflow import config, estimate
from bench.workflow.estimate import Kind, Rate

COMPILING = 165.0  # CPU seconds of all kernels, by ``bench measure compiling``


def rates() -> Iterator[Row]:
    """What runs take, from those of the default config and of the papers' that are here, for a plan elsewhere.

    Kinds of which all runs are here are measured anew, those that the file has not from the runs that are here,
    overheads where all of the default config's are. The rest of the file stays: its unit is the yardstick.
    """
    default, papers = (config.read(str(file)) for file in (config.DEFAULT, config.DEFAULT.with_name("paper.yaml")))
    found = _of_runs(dict.fromkeys([*default.specs, *papers.specs]))
    if not found:
        raise UserError("rates: no runs of the default config or of the papers' are there: `make run` first")
    if all(map(_is_here, default.specs)):
        found |= {estimate.of_all(what): Rate(seconds, 0.0, 0.0) for what, seconds in _overheads(default).items()}
    unit = estimate.yardstick()
    slower = unit / estimate.measured()[estimate.of_all(estimate.YARDSTICK)].seconds
    anew = {kind: Rate(one.seconds / slower, one.pass_seconds / slower, one.bytes) for kind, one in found.items()}
    estimate.write((estimate.measured() | anew).items())
    yield Row("rates", f"{len(found)} rates, {unit * 1000:.1f} ms a yardstick", f"{slower:.2f} x the file's")


def _is_here(spec: Spec) -> bool:
    return store.sound(results.runs() / spec.key)


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
    """Seconds of what is not runs: to start a batch, to draw a figure, and all that comes after."""
    key = checked.specs[0].key
    with tempfile.TemporaryDirectory() as scratch:
        batch = _timed("batch", "--out", str(Path(scratch, "batch.1.json")), key)
    figures = _timed("figures") / sum(map(len, checked.figures.values()))
    rest = _timed("claims") + _timed("track") + _timed("report")
    return {"batch": batch, "figure": figures, "rest": rest, "compiling": COMPILING}


def _timed(*words: str) -> float:
    begun = time.perf_counter()
    done = subprocess.run([sys.executable, "-m", "bench", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UserError(f"rates: `bench {' '.join(words[:1])}` failed: {done.stderr.strip()[-300:]}")
    return time.perf_counter() - begun
