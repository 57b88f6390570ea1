"""What many runs cost besides their own work: plan, files, checks, collector, pages (docs/how-to/clusters.md)."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.measure import nodes
from structbench.bench.measure.row import Row
from structbench.bench.runs import execute, programs, results, store, writing
from structbench.bench.runs.spec import Spec
from structbench.bench.tracking.track import track
from structbench.bench.workflow import batches
from structbench.bench.workflow import config as configs

SIZES = (10_000, 100_000)  # runs that are planned; the files are of the most
WRITTEN = 1_000  # of the runs, and logged: the others are given links to their curves and weights, and not logged
POINTS = 60  # checkpoints of a run
SHORT = 30.0  # passes of the few that are really made
A_C = 200  # runs of GRID for each C
GRID = {
    "name": "many",
    "data": [f"synthetic:sequences={sequences}" for sequences in range(100, 125)],
    "algorithms": {"eg": {"eta": [0.25, 0.5, 1.0, 2.0]}, "sdca": {}, "sgd": {}, "sag": {}, "lbfgs": {}},
    "passes": 9_000,  # some 20 seconds a run
    "timed": False,
}
NODES, SECONDS = (1, 2, 4, 10, 100), 30.0  # that are simulated: nodes, and seconds of each of the most runs
SUBMIT = 1 / 350  # seconds of a submission: ``python -m tests.cluster.rates``


class Spent(NamedTuple):
    """What a command and the processes that it started took: CPU seconds, and the most memory of one in bytes.

    The system counts no less memory than that of the process that starts it.
    """

    seconds: float
    memory: float

    def __str__(self) -> str:
        return f"{self.seconds:.1f} CPU s, {self.memory / 1e9:.2f} GB"


def rows() -> Iterator[Row]:
    """Runs without their work: the workflow's plan, files, MLflow, pages; and how many nodes make in an hour."""
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
    for count in SIZES:
        file = folder / f"many{count}.yaml"
        grid = GRID | {"C": [float(C) for C in range(1, 1 + count // A_C)]}
        given = {"name": "many", "scale": "tiny", "figures": [], "grids": [grid]}
        file.write_text(json.dumps(given))
        config = configs.of(given)
        plan = _snakemake(file, "--until", "batch")
        yield f"snakemake plans {count:,} runs in {len(config.batches):,} batches", f"{plan}"
        start = _snakemake(file, str(next(iter(config.manifests.values()))))
        yield "one of these batches, as each SLURM job does twice", f"{start}"
    batch, run = _batch(config.specs, folder / "batch.json")
    yield "a batch besides its runs; a run besides its algorithm", f"{batch:.2f}; {run:.3f} CPU s"
    yield from _files(config, file)
    runs = [store.read(results.runs() / spec.key) for spec in config.specs[:WRITTEN]]
    seconds = _timed(lambda: track(runs, f"sqlite:///{folder}/mlflow.db", progress=False))
    yield f"runs logged to MLflow by the collector, {len(runs):,} of them", f"{len(runs) / seconds:.1f} a second"
    costs = nodes.Costs(plan.seconds, SUBMIT, 2 * start.seconds, batch, run, seconds / len(runs))
    yield from _simulated(costs)


def _files(config: configs.Config, file: Path) -> Iterator[tuple[str, str]]:
    """The runs' folders, and what reads all of them."""
    count, first, others = len(config.specs), config.specs[:WRITTEN], config.specs[WRITTEN:]
    like = store.read(results.runs() / replace(first[0], passes=SHORT).key)
    seconds = _timed(lambda: [_write(spec, like) for spec in first])
    yield "run folders written, one process", f"{WRITTEN / seconds:.0f} a second"
    for number, spec in enumerate(others):
        _link(spec, like, results.runs() / first[number % WRITTEN].key)
    for name, batch in config.batches.items():
        batches.write_manifest(config.manifests[name], [spec.key for spec in batch.specs], {})
    made = list(results.root().rglob("*"))
    size = sum(each.stat().st_blocks * 512 for each in made)
    yield f"files and folders of {count:,} runs", f"{len(made):,}, {size / 1e9:.2f} GB"
    for when in ("checked for the first time", "checked again"):
        yield f"{count:,} runs {when} (bench status)", f"{_spent('bench', 'status', str(file))}"
    yield "seen.json", f"{(results.root() / 'seen.json').stat().st_size / 1e6:.1f} MB"
    yield "report of them (bench report)", f"{_spent('bench', 'report', '--config', str(file))}"
    for page in sorted(results.report(config.name).glob("*.html")):
        yield page.name, f"{page.stat().st_size / 1e6:.1f} MB"


def _simulated(costs: nodes.Costs) -> Iterator[tuple[str, str]]:
    batch = [SECONDS] * int(batches.SECONDS // SECONDS)
    job = [batch] * nodes.batches_of_job()
    jobs = [job] * -(-SIZES[-1] // (len(batch) * len(job)))
    runs = len(jobs) * len(job) * len(batch)
    for count in NODES:
        ended = nodes.simulate(jobs, count, costs, nodes.queue())
        said = f"{3600 * runs / ended.made:,.0f} an hour, all made after {ended.made / 3600:.1f} h"
        yield (
            f"{runs:,} runs of {SECONDS:.0f} s on {count} nodes",
            f"{said}, logged after {ended.logged / 3600:.1f} h",
        )


def _batch(specs: list[Spec], manifest: Path) -> tuple[float, float]:
    """CPU seconds of a batch besides its runs, and of each run besides its algorithm."""
    short = [replace(specs[0], passes=SHORT, seed=seed) for seed in range(22)]
    first, few, many = short[:1], short[1:2], short[2:]
    execute.run_one(first[0], results.runs() / first[0].key, lambda line: None)  # compiles

    def besides(some: list[Spec]) -> float:
        spent = _spent("bench", "batch", "--out", str(manifest), *(spec.key for spec in some))
        made = (store.read(results.runs() / spec.key) for spec in some)
        return spent.seconds - sum(run.summary["cpu_seconds"] for run in made)

    one = besides(few)
    run = (besides(many) - one) / (len(many) - 1)
    return one - run, run


def _snakemake(config: Path, *words: str) -> Spent:
    """A dry run."""
    options = ("--dry-run", "--nolock", "--cores", "1")
    return _spent("snakemake", *options, *words, "--configfile", str(config))


def _spent(*words: str) -> Spent:
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([sys.executable, "-m", *words], cwd=ROOT, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(words)} failed: {said.read()}")
    return Spent(used.ru_utime + used.ru_stime, 1024 * used.ru_maxrss)


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _write(spec: Spec, like: store.Run) -> None:
    """A run's folder, with what another run gave."""
    curve = like.curve.iloc[np.linspace(0, len(like.curve) - 1, POINTS).astype(int)]
    writing.write(results.runs() / spec.key, spec.as_dict(), curve, _summary(spec, like), np.ones(1000))


def _link(spec: Spec, like: store.Run, other: Path) -> None:
    """The same in a fraction of the time: with the curve and weights in the folder of another run."""
    folder = results.runs() / spec.key
    folder.mkdir()
    for name in ("curve.parquet", "weights.npz"):
        os.link(other / name, folder / name)
    (folder / "spec.json").write_text(store.to_json(spec.as_dict()))
    (folder / "summary.json").write_text(store.to_json(store.sealed(folder, _summary(spec, like))))


def _summary(spec: Spec, like: store.Run) -> dict[str, Any]:
    provenance = like.summary["provenance"] | {"code_sha256": programs.sha256_of_run(spec)}
    return like.summary | {"key": spec.key, "provenance": provenance}
