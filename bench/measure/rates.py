"""What runs take, for the plan of a workflow: ``rates.csv``, from a whole default workflow made here."""

import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from algorithms.runtime.errors import UserError
from bench.measure.row import Row
from bench.runs import results, store
from bench.workflow import config, estimate
from bench.workflow.estimate import Rate

COMPILING = 165.0  # CPU seconds of all kernels, by ``bench measure compiling``


def rates() -> Iterator[Row]:
    """What runs take, from those that a whole default workflow has made here, for its plan elsewhere."""
    checked = config.read(str(config.DEFAULT))
    gone = [spec.key for spec in checked.specs if not store.sound(results.runs() / spec.key)]
    if gone:
        raise UserError(f"rates: {len(gone)} runs of the default config are not there: `make run` first")
    unit = estimate.yardstick()
    found = {("", estimate.YARDSTICK, ""): Rate(unit, 0.0, 0.0)}
    found |= {("", what, ""): Rate(seconds, 0.0, 0.0) for what, seconds in _overheads(checked).items()}
    found |= _of_runs(checked)
    estimate.write(found.items())
    runs = sum(rate.seconds for (data, _, _), rate in found.items() if data)
    yield Row(
        "rates", f"{len(found)} rates, {unit * 1000:.1f} ms a yardstick", f"{runs:.0f} s, one run of each kind"
    )


def _of_runs(checked: config.Config) -> dict[tuple[str, str, str], Rate]:
    groups: dict[tuple[str, str, str], list[Rate]] = defaultdict(list)
    for spec in checked.specs:
        run = store.read(results.runs() / spec.key)
        seconds = run.summary["total_seconds"]
        kept = sum(file.stat().st_size for file in run.folder.iterdir())
        groups[estimate.kind(spec)].append(Rate(seconds, seconds / max(1.0, run.summary["passes"]), kept))
    return {kind: Rate(*map(median, zip(*members, strict=True))) for kind, members in groups.items()}


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
