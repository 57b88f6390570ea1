"""``run``, ``path`` and ``show``: one run, made and looked at."""

import argparse
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.options import split_options
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import execute, hosts, results, state, store
from structbench.bench.runs.spec import Spec, check_name, make
from structbench.bench.verbs.saying import document, say, table, text

OUTCOME = (
    "status", "C", "primal", "dual", "gap", "relative_gap", "passes", "wall_seconds", "cpu_seconds", "train_error",
    "test_error", "train_f1", "test_f1", "num_weights", "num_examples", "message",
)  # fmt: skip
STAGE = ("C", "passes", "total passes", "test error", "relative gap", "seconds")


def do_run(given: argparse.Namespace) -> int:
    spec = asked(given)
    folder = _folder(spec, given)
    _print_outcome(execute.run_one(spec, folder, say, given.again), folder)
    return 0


def asked(given: argparse.Namespace) -> Spec:
    """The run that ``bench run`` is asked for."""
    algorithm, _, params = given.algorithm.partition(":")
    options = split_options(",".join([params, *given.set]))
    return _spec(given, algorithm, options, penalty=given.penalty, gap=given.gap)


def _spec(given: argparse.Namespace, algorithm: str, params: dict[str, str], **more: Any) -> Spec:
    more |= {name: getattr(given, name) for name in ("test", "passes", "seconds", "seed", "threads")}
    return make(given.data, given.loss, given.C, algorithm, params, **more)


def do_path(given: argparse.Namespace) -> int:
    """Optimise falling values of C one after another (eg2008, section 7.1.2 and Table 2)."""
    path = [f"{name}={getattr(given, name)}" for name in ("first", "ratio", "tolerance")]
    params = split_options(",".join([*path, *given.set]))
    spec = _spec(given, "eg-path", params, gap=given.tolerance)
    folder = _folder(spec, given)
    made = execute.run_one(spec, folder, say, given.again)
    stages = _stages(made.curve)
    if given.json:
        _print_outcome(made, folder, stages=[dict(zip(STAGE, row, strict=True)) for row in stages])
    else:
        print_table([*STAGE], [[text(value) for value in row] for row in stages])
        _print_outcome(made, folder)
    return 0


def _stages(curve) -> list[tuple[float, ...]]:
    """Of each C of a path: C, passes, passes up to here, error, gap and seconds up to here."""
    ends = curve[curve["passes"] > 0].groupby("C", sort=False).last()
    passes = ends["passes"].diff().fillna(ends["passes"])
    rows = zip(
        ends.index, passes, ends["passes"], ends["test_error"], ends["relative_gap"], ends["wall_seconds"],
        strict=True,
    )  # fmt: skip
    return [tuple(float(value) for value in row) for row in rows]


def _folder(spec: Spec, given: argparse.Namespace) -> Path:
    """The folder that the user named, or the one of the run's own name."""
    if given.out:
        return Path(given.out)
    check_name(spec)
    return results.runs() / spec.key


def _print_outcome(made: store.Run, folder: Path, **more: Any) -> None:
    """What ``run`` and ``path`` end with."""
    say(f"{made.summary['status']}: {made.summary['message']}; see `python -m bench show {folder}`")
    outcome = {name: made.summary[name] for name in OUTCOME}
    document(outcome | {"run": made.key, "folder": str(folder)} | more)


def do_show(given: argparse.Namespace) -> int:
    found = hosts.find(given.run)
    curve = found.curve
    columns = [*curve.dropna(axis=1, how="all").columns]
    there = state.of_folder(found.folder)
    if given.json:
        rows = {name: curve[name].tolist() for name in columns}
        shown = {"spec": found.spec.as_dict(), "summary": found.summary, "curve": rows, "state": str(there.state)}
        return document(shown | {"why": there.reason, "command": found.command, "folder": str(found.folder)})
    table(("spec", ""), {k: text(v) for k, v in found.spec.as_dict().items() if v is not None})
    shown = {k: text(v) for k, v in found.summary.items() if k not in ("provenance", "key")}
    table(("summary", ""), shown)
    table(("provenance", ""), {k: text(v) for k, v in found.summary["provenance"].items()})
    print_table(columns, [[text(float(value)) for value in row] for row in curve[columns].to_numpy()])
    say(f"made by: {found.command}")
    if there.reason and store.finished(found.folder):
        say(f"this run is {there.state}: {there.reason}")
    return 0
