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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench import catalogue, problems, store
from bench.spec import make
from datasets.base.errors import UserError

RESULTS = Path("results/compare.json")
CHUNKING = "conll2000"
CHUNKING_C = 2.0
ITERATIONS = 20
PASSES = 5
REPEATS = 3  # of which the fastest counts


@dataclass(frozen=True)
class Row:
    """One measurement; ``holds`` is whether the target is met, None where there is none."""

    part: str
    what: str
    ours: str
    theirs: str = ""
    target: str = ""
    holds: bool | None = None


def main(parts: list[str]) -> int:
    """Measure these parts, or all of them; prints a table and writes results/compare.json.

    Returns 0 if all targets are met, else 1.

    Raises:
        UserError: a part is unknown, or a peer is not installed.
    """
    for name in parts:
        if name not in PARTS:
            raise UserError(f"compare: unknown part {name!r}: there are {', '.join(PARTS)}")
    rows: list[Row] = []
    for name in parts or PARTS:
        started = time.perf_counter()
        print(f"{name}: {(PARTS[name].__doc__ or '').partition('.')[0].lower()} ...", file=sys.stderr, flush=True)
        for row in PARTS[name]():
            rows.append(row)
            print(f"  {row.what}: {row.ours}", file=sys.stderr, flush=True)
        print(f"  took {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    from bench.verbs import print_table

    said = {True: "yes", False: "NO", None: ""}
    print_table(
        ["part", "what", "ours", "theirs", "target", "met"],
        [[row.part, row.what, row.ours, row.theirs, row.target, said[row.holds]] for row in rows],
    )
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return 0 if all(row.holds is not False for row in rows) else 1


def _peer(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise UserError(f"compare: the peer {name} is not installed: `make setup` installs it") from error


def _optimum(data: str, algorithm: str, C: float, gap: float, passes: float) -> dict[str, Any]:
    from bench.run import run

    spec = make(data, "log", C, algorithm, gap=gap, passes=passes)
    return run(spec, problems.obtain(data)[0]).summary


# ---- the same objective as the peers ---------------------------------------------------------------


def agreement() -> Iterator[Row]:
    """Same optimum as CRFsuite and scikit-learn, and of EG and L-BFGS."""
    data = f"{CHUNKING}:sentences=500"
    loss = _crfsuite(500)(delta=1e-14, epsilon=1e-12, max_iterations=3000)[0]
    found = {a: _optimum(data, a, CHUNKING_C, 1e-9, 1000) for a in ("lbfgs", "eg")}
    for name, summary in found.items():
        off = abs(summary["primal"] - loss) / loss
        what = f"{name} and CRFsuite, {data}, C = {CHUNKING_C:g}: relative difference"
        yield Row("agreement", what, f"{off:.1e}", f"{loss:.6f}", "at most 1e-6", off <= 1e-6)
    yield _certified("agreement", data, CHUNKING_C, found["eg"], found["lbfgs"])
    linear = _peer("sklearn.linear_model")
    from algorithms.objective import Objective
    from algorithms.structures.features import as_matrix

    train = problems.obtain("mnist")[0].train
    for C in (1000.0, 100.0, 10.0, 1.0):
        model = linear.LogisticRegression(C=1 / C, fit_intercept=False, tol=1e-9, max_iter=3000, solver="lbfgs")
        w = np.ascontiguousarray(model.fit(as_matrix(train.x), train.y).coef_.T).ravel()
        theirs = Objective(train, "log", C).evaluate(w, None).primal
        eg = _optimum("mnist", "eg", C, 1e-8, 1500)
        off = abs(eg["primal"] - theirs) / theirs
        what = f"eg and scikit-learn, mnist, C = {C:g}: relative difference"
        yield Row("agreement", what, f"{off:.1e}", f"{theirs:.6f}", "at most 1e-6", off <= 1e-6)
        yield _certified("agreement", "mnist", C, eg, _optimum("mnist", "lbfgs", C, 1e-8, 1500))


def _certified(part: str, data: str, C: float, a: dict, b: dict) -> Row:
    """Both primal values lie above both duals, so they differ by no more than the gaps."""
    off, gap = abs(a["primal"] - b["primal"]), max(a["gap"], b["gap"])
    what = f"eg and lbfgs, {data}, C = {C:g}: difference of primals"
    return Row(part, what, f"{off:.2e}", "", f"certified gap {gap:.2e}", off <= gap + 1e-9 * abs(a["primal"]))


def _crfsuite(sentences: int) -> Callable[..., tuple[float, float]]:
    """Train CRFsuite on the first sentences (0: all) with these options; gives its loss and the CPU seconds."""
    from datasets import conll2000
    from datasets.base import chunking, templates
    from datasets.base.fetch import Fetcher

    with Fetcher() as files:
        text = conll2000.text(files(conll2000.CORPUS), "train")
    read = chunking.read(text, "conll2000/train.txt", sentences)
    labels = iter(read.columns["chunk"])
    trainer = _peer("pycrfsuite").Trainer(verbose=False)
    for attributes in templates.attributes(read, chunking.TEMPLATES):
        trainer.append(attributes, [next(labels) for _ in attributes])
    trainer.select("lbfgs")

    def train(**options: Any) -> tuple[float, float]:
        possible = {"feature.possible_states": 1, "feature.possible_transitions": 1}
        trainer.set_params({"c1": 0, "c2": CHUNKING_C / 2, **possible, **options})
        with tempfile.TemporaryDirectory() as folder:
            started = time.process_time()
            trainer.train(str(Path(folder, "model")))
            seconds = time.process_time() - started
        return trainer.logparser.last_iteration["loss"], seconds

    return train


# ---- chunking at full size -------------------------------------------------------------------------


def chunking() -> Iterator[Row]:
    """Chunking on all of CoNLL-2000: F1, cost of an L-BFGS iteration, memory."""
    from algorithms import parallel
    from algorithms.objective import Objective
    from bench.run import warm_up

    problem = problems.obtain(CHUNKING)[0]
    spec = make(CHUNKING, "log", CHUNKING_C, "lbfgs")
    warm_up(spec, problem)
    wall: dict[int, float] = {}
    ours = np.inf
    for threads in sorted({1, min(2, os.cpu_count() or 1), os.cpu_count() or 1}):
        parallel.set_threads(threads)
        solver = catalogue.solver("lbfgs")(problem, Objective(problem.train, "log", CHUNKING_C), None)
        for _ in range(12):  # until all pairs are in use
            next(solver)
        started, cpu = time.perf_counter(), time.process_time()
        for _ in range(ITERATIONS):
            next(solver)
        wall[threads] = (time.perf_counter() - started) / ITERATIONS
        if threads == 1:
            ours = (time.process_time() - cpu) / ITERATIONS
        solver.close()
    parallel.set_threads(1)
    train = _crfsuite(0)
    theirs = (train(max_iterations=ITERATIONS + 1)[1] - train(max_iterations=1)[1]) / ITERATIONS
    what = "one L-BFGS iteration against CRFsuite's, 7.4 million weights"
    yield Row("chunking", what, f"{ours:.3f} s", f"{theirs:.3f} s", "at most half", ours <= theirs / 2)
    said = ", ".join(f"{threads}: {seconds:.3f} s" for threads, seconds in wall.items())
    fewer, more = min(wall), max(wall)
    yield Row("chunking", "wall time of an iteration, by threads", said, "", "falls", wall[more] < wall[fewer])

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
            raise UserError(f"compare: `{' '.join(command)}` failed")
        return json.loads(done.stdout.splitlines()[-1]), int(report.read_text()) * 1024, seconds


# ---- passes, start, tracking -----------------------------------------------------------------------


def passes() -> Iterator[Row]:
    """One online pass of EG, and its cost beside SGD's."""
    from algorithms.objective import Objective
    from algorithms.structures import parts
    from bench.run import warm_up

    for data, C, target in (("mnist", 10.0, 0.5), ("ocr", 10.0, None), (CHUNKING, CHUNKING_C, 3.0)):
        problem = problems.obtain(data)[0]
        n = parts.num_examples(problem.train)
        cost = {"eg": np.inf, "sgd": np.inf}
        for algorithm in [*cost] * REPEATS:
            params = {"eta0": 0.1} if algorithm == "sgd" else {}
            warm_up(make(data, "log", C, algorithm, params), problem)
            objective = Objective(problem.train, "log", C)
            solver = catalogue.solver(algorithm)(problem, objective, np.random.default_rng(0), **params)
            next(solver)
            started = time.process_time()
            iterate = next(iterate for iterate in solver if iterate.visits >= PASSES * n)
            cost[algorithm] = min(cost[algorithm], (time.process_time() - started) / iterate.visits * n)
        limit = "" if target is None else f"at most {target:g} s"
        met = None if target is None else cost["eg"] <= target
        yield Row(
            "passes",
            f"one online EG pass over {data}, mean of the first {PASSES}",
            f"{cost['eg']:.3f} s",
            "",
            limit,
            met,
        )
        ratio = cost["eg"] / cost["sgd"]
        what = f"a visit of EG against one of SGD, {data}"
        yield Row("passes", what, f"{ratio:.2f} x", f"{cost['sgd']:.3f} s a pass", "at most 1.3 x", ratio <= 1.3)


def start() -> Iterator[Row]:
    """Start of a run: imports and cached kernels."""
    words = ["run", "--data", "mnist:train=100,test=100", "--loss", "log", "--C", "10", "--algorithm", "eg"]
    _command([*words, "--passes", "1"])
    seconds = min(_command([*words, "--passes", "1"])[2] for _ in range(3))
    what = "a whole run on 100 digits, kernels cached, wall time"
    yield Row("start", what, f"{seconds:.2f} s", "", "under 2 s", seconds < 2)


def tracking() -> Iterator[Row]:
    """Log 500 finished runs of 60 checkpoints to a new MLflow database."""
    from bench.run import run
    from bench.track import track

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
            store.write(Path(folder, one.key), one.as_dict(), curve, summary, result.weights[:10])
        runs = store.all_runs(Path(folder))
        started = time.perf_counter()
        track(runs, f"sqlite:///{folder}/mlflow.db", progress=False)
        seconds = time.perf_counter() - started
    yield Row(
        "tracking", "500 runs of 60 checkpoints, wall time", f"{seconds:.1f} s", "", "under 60 s", seconds < 60
    )


PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "start": start,
    "passes": passes,
    "chunking": chunking,
    "agreement": agreement,
    "tracking": tracking,
}
