"""What 10,000 runs cost apart from their own work: plan, files, collector (docs/how-to/clusters.md)."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.measure.row import Row
from structbench.bench.runs import execute, programs, results, store, writing
from structbench.bench.runs.spec import Spec
from structbench.bench.tracking.track import track
from structbench.bench.workflow import batches
from structbench.bench.workflow import config as configs

TRACKED = 1_000  # of the runs: the collector takes minutes for all
POINTS = 60  # checkpoints of a run
GRID = {
    "name": "many",
    "data": [f"synthetic:sequences={sequences}" for sequences in range(100, 125)],
    "C": [float(C) for C in range(1, 51)],
    "algorithms": {"eg": {"eta": [0.25, 0.5, 1.0, 2.0]}, "sdca": {}, "sgd": {}, "sag": {}, "lbfgs": {}},
    "passes": 30,
}


def rows() -> Iterator[Row]:
    """10,000 runs without their work: the workflow's plan, files, MLflow."""
    root = results.root()
    root.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=".many-runs", dir=root
    ) as folder:  # on the disk of those that are kept
        os.environ[results.VARIABLE] = str(Path(folder).resolve())
        try:
            for what, ours in _measured(Path(folder).resolve()):
                yield Row("many-runs", what, ours)
        finally:
            os.environ[results.VARIABLE] = str(root)


def _measured(folder: Path) -> Iterator[tuple[str, str]]:
    file, given = folder / "many.yaml", {"name": "many", "scale": "tiny", "grids": [GRID]}
    file.write_text(json.dumps(given))
    config = configs.of(given)
    count, made = len(config.specs), config.batches
    seconds = _snakemake(file, "--until", "batch")
    yield f"snakemake plans {count:,} runs in {len(made):,} batches", f"{seconds:.1f} CPU s"
    seconds = _snakemake(file, str(next(iter(config.manifests.values()))))
    yield "one of these batches, as each job of a cluster does twice", f"{seconds:.1f} CPU s"
    like = execute.run_one(config.specs[0], results.runs() / config.specs[0].key, lambda line: None, alone=True)
    seconds = _timed(lambda: [_write(spec, like) for spec in config.specs])
    yield "run folders written, one process", f"{count / seconds:.0f} a second"
    for name, batch in made.items():
        batches.write_manifest(config.manifests[name], [spec.key for spec in batch.specs], {})
    seconds = _timed(lambda: [batch.manifest for batch in made.values()])
    yield "finished runs looked at before the workflow begins", f"{count / seconds:.0f} a second"
    runs = store.all_runs()[:TRACKED]
    seconds = _timed(lambda: track(runs, f"sqlite:///{folder}/mlflow.db", progress=False))
    yield f"runs logged to MLflow by the collector, {len(runs):,} of them", f"{len(runs) / seconds:.1f} a second"


def _snakemake(config: Path, *words: str) -> float:
    """CPU seconds of a dry run."""
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--nolock", "--cores", "1", *words]
    before = os.times()
    subprocess.run([*command, "--configfile", str(config)], cwd=ROOT, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _write(spec: Spec, like: store.Run) -> None:
    """A run's folder, with what another run gave."""
    provenance = like.summary["provenance"] | {"code_sha256": programs.sha256_of_run(spec)}
    curve = like.curve.iloc[np.linspace(0, len(like.curve) - 1, POINTS).astype(int)]
    summary = like.summary | {"key": spec.key, "provenance": provenance}
    writing.write(results.runs() / spec.key, spec.as_dict(), curve, summary, np.ones(1000))
