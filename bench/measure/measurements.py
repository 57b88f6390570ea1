"""``make bench``: ours and its peers side by side, in one run on one machine.

Every measurement has a target, and ratios are between numbers of the same run. Times are CPU seconds of one
thread where nothing else is said; compilation never counts.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.runtime.errors import UserError
from algorithms.runtime.files import write_atomically
from algorithms.runtime.names import meant
from bench.drawing.terminal import print_table
from bench.measure import (
    cores,
    iterations,
    lists,
    many_runs,
    mistakes,
    parsing,
    passes,
    predicting,
    reading,
    storage,
    threads,
    vowpal,
)
from bench.measure import seconds as times
from bench.measure.kernels import kernels
from bench.measure.rates import rates
from bench.measure.row import Row
from bench.runs import catalogue, problems, results, store, writing
from bench.runs.spec import make

CHUNKING = "conll2000"
CHUNKING_C = 2.0
SAME = 1e-6  # relative
MOST_PASSES = 3000.0
REPEATS = 3  # of which the fastest counts


def main(parts: list[str], as_json: bool = False) -> int:
    """Measure these parts, or all of them; prints a table, or JSON, and writes measurements.json.

    ``seconds:mnist,hinge`` measures the contests of the part ``seconds`` whose names begin like that.

    Returns 0 if all targets are met, else 1.

    Raises:
        UserError: a part is unknown, or a peer is not installed.
    """
    chosen = {name: _part(name) for name in parts or [name for name in PARTS if name not in BY_NAME_ONLY]}
    rows: list[Row] = []
    for name, measure in chosen.items():
        started = time.perf_counter()
        said = (PARTS[name.partition(":")[0]].__doc__ or "").partition(".")[0].lower()
        print(f"{name}: {said} ...", file=sys.stderr, flush=True)
        for row in measure():
            rows.append(row)
            print(f"  {row.what}: {row.ours}", file=sys.stderr, flush=True)
        print(f"  took {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    written = json.dumps([asdict(row) for row in rows], indent=1) + "\n"
    marks = {True: "yes", False: "NO", None: ""}
    if as_json:
        print(written, end="")
    else:
        print_table(
            ["part", "what", "ours", "theirs", "target", "met"],
            [[row.part, row.what, row.ours, row.theirs, row.target, marks[row.holds]] for row in rows],
        )
    write_atomically(results.root() / "measurements.json", written)
    return 0 if all(row.holds is not False for row in rows) else 1


def _part(name: str) -> Callable[[], Iterator[Row]]:
    part, _, which = name.partition(":")
    if part not in PARTS or (which and part != "seconds"):
        hint = meant(part, PARTS)
        raise UserError(f"measure: unknown part {name!r}: {hint}there are {', '.join(PARTS)}, and seconds:CONTEST")
    return partial(seconds, times.named(which)) if which else PARTS[part]


# ---- the same objective as the peers ---------------------------------------------------------------


def agreement() -> Iterator[Row]:
    """Same optimum as CRFsuite, scikit-learn and liblinear, and of two of ours."""
    yield from _same(f"{CHUNKING}:sentences=500", "log", CHUNKING_C, ("eg", "lbfgs"), "crfsuite")
    for C in (1000.0, 100.0, 10.0, 1.0):
        yield from _same("mnist", "log", C, ("eg", "lbfgs"), "sklearn")
    yield from _same("mnist:train=2000,test=100", "hinge", 10.0, ("smo", "frank-wolfe"), "liblinear")


def _same(data: str, loss: str, C: float, ours: tuple[str, str], peer: str) -> Iterator[Row]:
    """Our optima and the peer's, which is evaluated by our code."""
    peers_own = _optimum(data, loss, C, peer, 1e-7)["primal"]
    found = [_optimum(data, loss, C, algorithm, 1e-8) for algorithm in ours]
    about = f"{data}, {loss}, C = {C:g}"
    for name, summary in zip(ours, found, strict=True):
        off = abs(summary["primal"] - peers_own) / peers_own
        what = f"{name} and {peer}, {about}: relative difference"
        yield Row("agreement", what, f"{off:.1e}", f"{peers_own:.6f}", f"at most {SAME:g}", off <= SAME)
    # Both primal values lie above both duals, so they differ by no more than the gaps.
    off, gap = abs(found[0]["primal"] - found[1]["primal"]), max(summary["gap"] for summary in found)
    what = f"{' and '.join(ours)}, {about}: difference of primals"
    holds = off <= gap + 1e-9 * abs(found[0]["primal"])
    yield Row("agreement", what, f"{off:.2e}", "", f"certified gap {gap:.2e}", holds)


def _optimum(data: str, loss: str, C: float, algorithm: str, gap: float) -> dict[str, Any]:
    from bench.runs.driver import run

    catalogue.require(algorithm)
    spec = make(data, loss, C, algorithm, gap=gap, passes=MOST_PASSES)
    return run(spec, problems.obtain(data)[0]).summary


# ---- chunking at full size -------------------------------------------------------------------------


def chunking() -> Iterator[Row]:
    """Chunking on all of CoNLL-2000: cost of an L-BFGS iteration, F1, memory."""
    yield from iterations.rows()
    command = ["run", "--data", CHUNKING, "--loss", "log", "--C", f"{CHUNKING_C:g}", "--gap", "1e-3"]
    for algorithm in ("eg", "lbfgs"):
        outcome, peak, _ = _command([*command, "--algorithm", algorithm])
        f1 = outcome["test_f1"]
        reached = f"relative gap {outcome['relative_gap']:.1e} after {outcome['passes']:.0f} passes"
        what = f"test F1 of {algorithm}, {reached}, {outcome['wall_seconds']:.0f} s"
        yield Row("chunking", what, f"{100 * f1:.2f}", "", "at least 93.6", f1 >= 0.936)
        yield Row(
            "chunking",
            f"peak memory of that run of {algorithm}",
            f"{peak / 1e9:.2f} GB",
            "",
            "under 2 GB",
            peak < 2e9,
        )


def seconds(chosen: list[times.Contest] | None = None) -> Iterator[Row]:
    """Seconds to relative distances of 1e-3 and 1e-6 from the optimum, ours and the peers'."""
    yield from times.rows(chosen or times.contests())


def _command(words: list[str]) -> tuple[dict[str, Any], float, float]:
    """Outcome, peak memory in bytes and wall seconds of ``python -m bench`` in its own process."""
    with tempfile.TemporaryDirectory() as folder:
        out, report = Path(folder, "run"), Path(folder, "peak")
        program = (
            "import resource, subprocess, sys; done = subprocess.run(sys.argv[2:]).returncode; "
            "peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss; "
            "open(sys.argv[1], 'w').write(str(peak)); sys.exit(done)"
        )
        command = [sys.executable, "-m", "bench", *words, "--out", str(out)]
        started = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program, str(report), *command], stdout=subprocess.PIPE, text=True, check=False
        )
        seconds = time.perf_counter() - started
        if done.returncode:
            raise UserError(f"measure: `{' '.join(command)}` failed")
        return json.loads(done.stdout.splitlines()[-1]), int(report.read_text()) * 1024, seconds


# ---- start, compiling, tracking --------------------------------------------------------------------


def start() -> Iterator[Row]:
    """Start of a run: imports and cached kernels."""
    words = ["run", "--data", "mnist:train=100,test=100", "--loss", "log", "--C", "10", "--algorithm", "eg"]
    _command([*words, "--passes", "1"])
    seconds = min(_command([*words, "--passes", "1"])[2] for _ in range(3))
    what = "a whole run on 100 digits, kernels cached, wall time"
    yield Row("start", what, f"{seconds:.2f} s", "", "under 2 s", seconds < 2)


def compiling() -> Iterator[Row]:
    """Compile every algorithm on every structure, from an empty cache, then start anew."""
    what = "CPU seconds of compiling everything, from an empty cache"
    with tempfile.TemporaryDirectory() as kernels:
        first, again = (_compiled_into(kernels) for _ in range(2))
    yield Row("compiling", what, f"{first['cpu_seconds']:.0f} s", "", "", None)
    yield Row("compiling", "kernels compiled then", f"{first['kernels']}", "", "", None)
    count = again["kernels"]
    yield Row("compiling", "kernels that a second process compiles", f"{count}", "", "none", count == 0)


def _compiled_into(kernels: str) -> dict[str, float]:
    words = [sys.executable, "-m", "bench.measure.compiling"]
    environment = os.environ | {"STRUCTBENCH_KERNELS": kernels}
    return json.loads(subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout)


def tracking() -> Iterator[Row]:
    """Log 500 finished runs of 60 checkpoints to a new MLflow database."""
    from bench.runs.driver import run
    from bench.tracking.track import track

    spec = make("mnist:train=100,test=100", "log", 10.0, "eg", passes=5.0, gap=0.0)
    problem, sha = problems.obtain(spec.data)
    result = run(spec, problem)
    names = ("git_commit", "host", "cpu", "python", "numba", "numpy", "scipy")
    provenance = dict.fromkeys(names, "unknown") | {"data_sha256": sha, "code_sha256": sha, "threads": 1}
    provenance["started"] = "2026-01-01T00:00:00+00:00"
    import pandas as pd

    curve = pd.DataFrame([result.rows[k * len(result.rows) // 60] for k in range(60)], dtype=float)
    curve["passes"] = np.geomspace(0.1, 100, 60)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(500):
            one = replace(spec, seed=seed)
            summary = result.summary | {"key": one.key, "provenance": provenance}
            writing.write(Path(folder, one.key), one.as_dict(), curve, summary, result.weights[:10])
        runs = store.all_runs(Path(folder))
        started = time.perf_counter()
        track(runs, f"sqlite:///{folder}/mlflow.db", progress=False)
        seconds = time.perf_counter() - started
    yield Row(
        "tracking", "500 runs of 60 checkpoints, wall time", f"{seconds:.1f} s", "", "under 60 s", seconds < 60
    )


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "start": start,
    "compiling": compiling,
    "passes": passes.rows,
    "parsing": parsing.rows,
    "lists": lists.rows,
    "mistakes": mistakes.rows,
    "predicting": predicting.rows,
    "reading": reading.rows,
    "chunking": chunking,
    "threads": threads.rows,
    "seconds": seconds,
    "cores": cores.rows,
    "storage": storage.rows,
    "agreement": agreement,
    "tracking": tracking,
    "many-runs": many_runs.rows,
    "vowpal": vowpal.rows,
    "rates": rates,
    "kernels": kernels,
}
BY_NAME_ONLY = ("many-runs", "rates", "kernels", "vowpal")  # ten minutes; files of the project; another program
