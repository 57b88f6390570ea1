"""The plan of a workflow: runs in batches, how long they may take, and how far they are.

Short runs go in batches, since a process costs a second to start: all runs of one data set, or of the folds of
one cross-validation, with one algorithm, cut into pieces so that every core gets some.
"""

import json
import os
import sys
import time
from collections import defaultdict
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import datasets
from algorithms.runtime.files import atomic_file, write_atomically
from bench.papers.judging import by_setting, tally
from bench.runs import results, store
from bench.runs.execute import duration
from bench.runs.spec import Spec
from bench.workflow.config import Config

BATCH_RUNS = 8
FOLD_RUNS = 100  # of the folds of one data set, which are parts of it; but not of runs with a limit in seconds
NOMINAL = 0.2  # seconds a pass, where no run of the data set is known


def batches(specs: list[Spec]) -> dict[str, tuple[Spec, ...]]:
    """Id -> runs that one job makes; the id names data set and algorithm, and changes with the runs."""
    groups: dict[tuple[str, str | None, str, int, bool], list[Spec]] = defaultdict(list)
    for spec in specs:
        timed = spec.seconds is not None
        groups[_without_fold(spec.data), spec.test, spec.algorithm, spec.threads, timed].append(spec)
    made = {}
    for (_, _, algorithm, _, timed), members in groups.items():
        members.sort(key=lambda spec: spec.data)
        most = BATCH_RUNS if timed or len({spec.data for spec in members}) == 1 else FOLD_RUNS
        for first in range(0, len(members), most):
            chosen = tuple(members[first : first + most])
            digest = sha256("\n".join(spec.key for spec in chosen).encode()).hexdigest()[:8]
            made[f"{datasets.parse(chosen[0].data).name}-{algorithm}-{digest}"] = chosen
    return made


def _without_fold(data: str) -> str:
    """What a data set has in common with the other folds of its cross-validation."""
    name, options, path = datasets.parse(data)
    return repr((name, {key: value for key, value in options.items() if key != "fold"}, path))


def use_this_python() -> None:
    """Have jobs, which call ``python``, run with the one that runs this, its environment activated or not."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


class Costs:
    """Estimates of the seconds that runs take, from those finished before."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or results.runs()

    @cached_property
    def _rates(self) -> dict[tuple[str, ...], float]:
        """(data, algorithm) and (data,) -> seconds a pass."""
        seconds: dict[tuple[str, ...], float] = defaultdict(float)
        passes: dict[tuple[str, ...], float] = defaultdict(float)
        for run in store.all_runs(self.root):
            for key in ((run.spec["data"], run.spec["algorithm"]), (run.spec["data"],)):
                seconds[key] += run.summary["total_seconds"]
                passes[key] += run.summary["passes"] or 0
        return {key: seconds[key] / passes[key] for key in seconds if passes[key]}

    def seconds(self, spec: Spec) -> float:
        """About how long a run takes, evaluation included."""
        rates = self._rates
        rate = rates.get((spec.data, spec.algorithm)) or rates.get((spec.data,)) or NOMINAL
        limit = float("inf") if spec.seconds is None else spec.seconds
        return min(rate * spec.passes, limit) + 1


def forget_incomplete(batches: dict[str, tuple[Spec, ...]]) -> None:
    """Remove the manifest of a batch of which a run is gone or broken, so that the batch is made again."""
    for name, specs in batches.items():
        manifest = results.batches() / f"{name}.json"
        if manifest.exists() and not all(store.sound(results.runs() / spec.key) for spec in specs):
            manifest.unlink()


def begin(batches: dict[str, tuple[Spec, ...]], cores: int) -> str:
    """Note what a workflow is about to run; returns a sentence for its user."""
    due = {name: specs for name, specs in batches.items() if not (results.batches() / f"{name}.json").exists()}
    costs = Costs()
    estimates = {spec.key: round(costs.seconds(spec), 2) for specs in due.values() for spec in specs}
    with atomic_file(_plan_file()) as partial:
        partial.write_text(json.dumps({"cores": cores, "started": time.time(), "estimates": estimates}))
        _done_file().unlink(missing_ok=True)
    if not due:
        return f"All {sum(map(len, batches.values()))} runs are there."
    total = sum(estimates.values()) / max(1, min(cores, len(due)))
    return f"{len(estimates)} runs in {len(due)} batches on {cores} cores: about {duration(total)}"


def where(config: Config, mlflow: str) -> str:
    """Where a finished workflow's results are; ``mlflow`` says where MLflow has them."""
    drawn = sum(map(len, config.figures.values()))
    judged = [
        f"         {setting}: {tally(claim['verdict'] for claim in claims)}"
        for paper in config.papers
        for setting, claims in by_setting(_judged(config, paper))
    ]
    return "\n".join(
        [
            f"figures  {results.figures(config.name)}/ ({drawn}, each as PNG, SVG and PDF)",
            f"claims   {results.claims(config.name)}/",
            *judged,
            f"report   {results.report(config.name)}/index.html",
            f"MLflow   {mlflow}",
        ]
    )


def _judged(config: Config, paper: str) -> list[dict[str, Any]]:
    return json.loads((results.claims(config.name) / f"{paper}.json").read_text())["claims"]


def _done_file() -> Path:
    return results.batches() / ".done"


def _plan_file() -> Path:
    return results.batches() / ".plan.json"


def finished(key: str) -> str:
    """Note that a run is over; returns ``[12/48 runs, about 3 min left]``, empty outside of a workflow."""
    try:
        plan = json.loads(_plan_file().read_text())
        estimates, started, cores = plan["estimates"], plan["started"], plan["cores"]
        with _done_file().open("a") as file:  # short appended lines do not mix
            file.write(f"{key}\n")
        done = set(_done_file().read_text().split("\n")) & set(estimates)
    except (OSError, ValueError, TypeError, KeyError):  # no plan, or a damaged one: no reason to fail a run
        return ""
    if key not in estimates:
        return ""
    past = sum(estimates[key] for key in done)
    left = sum(estimates.values()) - past
    elapsed = time.time() - started
    # the estimates' ratios, scaled to the time that the finished ones took
    remaining = left * elapsed / past if past else left / cores
    return f"[{len(done)}/{len(estimates)} runs, about {duration(remaining)} left]"


def write_manifest(batch_file: Path, runs: list[store.Run]) -> None:
    """What a batch made: key and status of its runs; its presence means that all of them are finished."""
    content = {run.key: run.summary["status"] for run in runs}
    write_atomically(batch_file, json.dumps(content, indent=1) + "\n")
