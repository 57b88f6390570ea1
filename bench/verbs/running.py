"""``run``: train or cross-validate; ``path``: train along falling values of C; ``show``: print a run."""

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from structbench.algorithms.runtime.commands import command
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import split_options
from structbench.bench.drawing import cautions
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import (
    anybodys_code,
    catalogue,
    execute,
    grids,
    problem_store,
    results,
    state,
    store,
    unfinished,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, check_name, make
from structbench.bench.verbs import named
from structbench.bench.verbs.saying import document, percent, print_pairs, say, text
from structbench.bench.verbs.verb import A_RUN, JSON, Argument, argument, flag, verb
from structbench.datasets.scores.labels import schemes
from structbench.datasets.scores.labels.table import OfLabel

if TYPE_CHECKING:
    import pandas as pd

OUTCOME = (
    "status", "C", "primal", "dual", "gap", "relative_gap", "passes", "wall_seconds", "cpu_seconds", "train_error",
    "validation_error", "test_error", "train_f1", "validation_f1", "test_f1", "num_weights", "num_examples",
    "message",
)  # fmt: skip
AGAIN = "the run that was being made starts again; runs that are finished are kept"
PATHS = ("sequential-dual-path", "eg-path")  # algorithms; the first that has the loss and the penalty is usual
JUDGED = ("test", "validation", "train")  # of these splits, the first with predictions has scores of its labels
ERRORS = ("validation_error", "test_error")  # of a path's C: the first that its curve has
FAR = 0.1  # a relative gap at the end that features on odd scales may explain
NO_LOSS = "see `list losses`; none (the default) for an algorithm that minimises none"


def _objective(about_C: str, about_loss: str = NO_LOSS, required: bool = False) -> tuple[Argument, ...]:
    """What to minimise. ``required``: The loss and C are."""
    return (
        argument("--data", required=True, metavar="NAME|FORMAT:PATH", help="see `list datasets`"),
        argument("--test", metavar="PATH", help="test file, for data sets that read a file of yours"),
        argument("--loss", required=required, help=about_loss),
        argument("--C", required=required, type=float, help=about_C),
    )


def _limits(passes: float) -> tuple[Argument, ...]:
    """How to run it, when to stop, and where to keep it."""
    about_seconds = "stop after this many CPU seconds of the algorithm's own (with several threads: wall)"
    return (
        argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter of the algorithm"),
        argument("--passes", type=float, default=passes, help=f"stop after so many passes (default: {passes:g})"),
        argument("--seconds", type=float, help=about_seconds),
        argument("--seed", type=int, default=0, help="of everything random (default: 0)"),
        argument("--threads", type=int, default=1, help="for the loops over all examples (default: 1)"),
        argument("--out", metavar="DIR", help="the run's folder (default: results/runs/ and its key)"),
        flag("--again", "make it again, even if DIR holds a finished run"),
    )


RUN = (
    *_objective("strength of the penalty, above 0: C ||w||^2 / 2, or what --penalty says"),
    argument("--algorithm", required=True, metavar="NAME", help="see `list algorithms`; maybe as in eg:order=gap"),
    argument("--gap", type=float, default=1e-6, help="stop at this relative duality gap (default: 1e-6)"),
    argument(
        "--penalty",
        help="l2 (default, or what the algorithm is for), elastic-A (C ||w||^2 / 2 + A ||w||_1, A such as 0.1), "
        "l1 (C ||w||_1 / 2), l1-ball (||w||_1 <= 1 / C), l1-squared (C ||w||_1^2 / 2), laplace-LAMBDA, none",
    ),
    *_limits(passes=100.0),
)


@verb(
    *RUN,
    flag("--json", "print the outcome as a JSON object, as is done without --cv where the output is no terminal"),
    argument("--cv", type=int, metavar="K", help="K runs, each without another of K folds of the training data"),
    examples=(
        "run --data mnist --loss log --C 10 --algorithm eg --passes 20",
        "run --data crfsuite:train.txt --test test.txt --loss log --C 2 --algorithm lbfgs --out runs/mine",
        "run --data ocr --loss hinge --C 10 --algorithm eg --set mode=batch --set eta=1 --seconds 60",
        "run --data columns:train.txt --loss log --C 1 --algorithm eg:order=gap --cv 5",
    ),
)
def do_run(given: argparse.Namespace) -> int:
    """Run one algorithm on one data set, and print the outcome: to a program, as a JSON object.

    With ``--cv`` the training data are dealt to folds, as whole documents if they have documents. A table has the
    mean over folds with its 95 % interval.
    """
    given.interrupted = AGAIN
    spec = asked(given)
    if given.cv is not None:
        return _cross_validate(spec, given)
    folder = _folder(spec, given)
    made = _made(spec, folder, given)
    _print_outcome(made, folder, given.json)
    return 0


def _cross_validate(spec: Spec, given: argparse.Namespace) -> int:
    from structbench.bench.drawing import best, ranking

    if given.out:
        raise UserError(f"--out {given.out}: --cv makes a run for each fold: leave out --out")
    specs = [replace(spec, data=data) for data in grids.folds_of(spec.data, given.cv, given.seed)]
    for each in specs:
        _made(each, _folder(each, given), given)
    found = best.best(specs, Runs())
    if given.json:
        return document({"runs": [each.key for each in specs], "by": found.by} | found.record())
    ranking.show(found)
    print(found.notes[-1])
    return 0


def _made(spec: Spec, folder: Path, given: argparse.Namespace) -> store.Run:
    """The finished run; stdout is for its outcome alone, whatever the algorithm's own programs write."""
    with anybodys_code.away_from_stdout():
        return execute.run_one(spec, folder, say, given.again)


def asked(given: argparse.Namespace) -> Spec:
    """The run that ``bench run`` is asked for."""
    algorithm, _, params = given.algorithm.partition(":")
    options = {name: unquote(value) for name, value in split_options(",".join([params, *given.set])).items()}
    return _spec(given, algorithm, options, penalty=given.penalty, gap=given.gap)


def _spec(given: argparse.Namespace, algorithm: str, params: dict[str, str], **more: Any) -> Spec:
    more |= {name: getattr(given, name) for name in ("test", "passes", "seconds", "seed", "threads")}
    return make(given.data, given.loss, given.C, algorithm, params, **more)


@verb(
    *_objective("the last and least C, above 0", "see `list losses`", required=True),
    argument("--algorithm", choices=PATHS, help="the solver (default: the first for hinge and l2, else eg-path)"),
    argument("--penalty", help="l2 (default), or elastic-A (C ||w||^2 / 2 + A ||w||_1, A such as 0.1)"),
    argument("--first", type=float, default=1000.0, help="the first and largest C (default: 1000)"),
    argument("--ratio", type=float, default=0.7, help="of each C to the one before (default: 0.7)"),
    argument("--tolerance", type=float, default=1e-3, help="relative gap to reach at each C (default: 1e-3)"),
    *_limits(passes=1000.0),
    JSON,
    examples=(
        "path --data mnist --loss log --first 1000 --ratio 0.7 --C 0.2737 --tolerance 1e-3",
        "path --data ocr --loss hinge --first 100 --ratio 0.5 --C 1 --tolerance 1e-2",
        "path --data svmlight:train.txt --test test.txt --loss log --C 1 --out runs/path",
    ),
)
def do_path(given: argparse.Namespace) -> int:
    """Optimise falling values of C, warm-started, and print a table of them, then the outcome.

    See eg2008, section 7.1.2 and Table 2, for the log loss.
    """
    given.interrupted = AGAIN
    path = [f"{name}={getattr(given, name)}" for name in ("first", "ratio", "tolerance")]
    params = split_options(",".join([*path, *given.set]))
    usual = PATHS[given.loss not in catalogue.losses(PATHS[0]) or given.penalty not in (None, "l2")]
    spec = _spec(given, given.algorithm or usual, params, penalty=given.penalty, gap=given.tolerance)
    folder = _folder(spec, given)
    made = _made(spec, folder, given)
    stages = _stages(made.curve)
    if given.json:
        _print_outcome(made, folder, True, stages=stages.to_dict("records"))
    else:
        print_table([*stages], [[*map(text, row)] for row in stages.to_numpy().tolist()])
        _print_outcome(made, folder, False)
    return 0


def _stages(curve: "pd.DataFrame") -> "pd.DataFrame":
    """Of each C of a path: C, passes, passes up to here, error, gap and CPU seconds up to here."""
    ends = curve[curve["passes"] > 0].groupby("C", sort=False).last().reset_index()
    passes, error = ends["passes"], next(name for name in ERRORS if name in ends)
    columns = {"passes": passes.diff().fillna(passes), "total passes": passes}
    columns |= {error.replace("_", " "): ends[error], "relative gap": ends["relative_gap"]}
    return ends[["C"]].assign(**columns, **{"CPU s": ends["cpu_seconds"]})


def _folder(spec: Spec, given: argparse.Namespace) -> Path:
    """The folder that the user named, or the one of the run's own name."""
    if given.out and Path(given.out).name.endswith(unfinished.SUFFIX):
        said = f"{unfinished.SUFFIX} ends the names of runs that are being made"
        raise UserError(f"--out {given.out}: {said}: choose another name")
    if given.out:
        return Path(given.out)
    check_name(spec)
    return results.runs() / spec.key


def _print_outcome(made: store.Run, folder: Path, as_json: bool, **more: Any) -> None:
    """What ``run`` and ``path`` end with: JSON if it is asked for, or if the output is no terminal."""
    say(f"{made.summary['status']}: {made.summary['message']}; see `{command('show', folder)}`")
    labels, scheme = made.summary["by_label"], made.summary["scheme"]
    if scheme:
        say(f"the labels are tags of {scheme}: F1 is of chunks")
    elif "chunks" in made.spec.data.scores and labels:
        say(schemes.why_none(problem_store.stored_labels(made.spec.data, made.spec.test) or [*labels]))
    held, tested = (made.summary.get(f"{split}_error") for split in ("validation", "test"))
    if held is not None and tested is not None:
        say(*cautions.odd_split("this run", held, tested))
    say(*_odd_scales(made))
    if not as_json and sys.stdout.isatty():
        print(*_in_lines(made), folder, sep="\n")
        return
    outcome = {name: made.summary.get(name) for name in OUTCOME}  # without such a split none is of validation
    outcome |= {"scheme": scheme, "f1_by_label": {label: row["f1"] for label, row in labels.items()}}
    judged = (name for name in JUDGED if labels and outcome[f"{name}_error"] is not None)
    outcome["f1_by_label_of"] = next(judged, None)
    document(outcome | {"run": made.key, "folder": str(folder)} | more)


def _odd_scales(made: store.Run) -> list[str]:
    """What ``data check`` says of the scales of features, if the run ended far from the optimum or diverged."""
    status, gap = made.summary["status"], made.summary.get("relative_gap")
    is_far = status == "diverged" or (status != "converged" and gap is not None and gap > FAR)
    if not is_far or not problem_store.fingerprint(made.spec.data, made.spec.test):
        return []
    from structbench.bench.verbs import data_check

    data = made.spec.data, made.spec.test
    is_odd = data_check.scales(problem_store.obtain(*data)[0])  # without names, which take memory
    return data_check.scales(problem_store.obtain(*data, names=True)[0]) if is_odd else []


def _in_lines(made: store.Run) -> Iterator[str]:
    """The outcome for a person: errors; gap and seconds."""
    numbers = {name: value for name, value in made.summary.items() if isinstance(value, float)}
    known = {name: value for name, value in numbers.items() if math.isfinite(value)}
    quality = [f"{split}_{score}" for split in ("train", "validation", "test") for score in ("error", "f1")]
    yield ", ".join(f"{name.replace('_', ' ')} {100 * known[name]:.2f} %" for name in quality if name in known)
    gap = f"relative gap {known['relative_gap']:.1e}, " if "relative_gap" in known else ""
    yield f"{gap}{text(made.summary['passes'])} passes, {text(made.summary['cpu_seconds'])} CPU s"


@verb(argument("run", metavar="RUN", help=A_RUN), JSON, examples=("show mnist__log__C=10__eg", "show mine --json"))
def do_show(given: argparse.Namespace) -> int:
    """Show a run's spec, curve and summary."""
    found = named.run_named(given.run)
    curve = found.curve
    columns = [*curve.dropna(axis=1, how="all").columns]
    there, made_by = state.of_folder(found.folder), None
    with suppress(UserError):  # its algorithm may be in a folder that is not named: the state says it
        made_by = found.command
    if given.json:
        rows = {name: curve[name].tolist() for name in columns}
        shown = {"spec": found.spec.as_dict(), "summary": found.summary, "curve": rows, "state": str(there.state)}
        return document(shown | {"why": there.reason, "command": made_by, "folder": str(found.folder)})
    print_pairs(("spec", ""), {k: text(v) for k, v in found.spec.as_dict().items() if v is not None})
    summary = {k: v for k, v in found.summary.items() if k not in ("provenance", "key", "by_label")}
    # of thirty scores most are those of other kinds of outputs
    there_is = {k: v for k, v in summary.items() if v is not None and not (isinstance(v, float) and math.isnan(v))}
    print_pairs(("summary", ""), {k: percent(k, v) for k, v in there_is.items()})
    if rows := found.summary.get("by_label"):
        table = [[label, *(text(row.get(name)) for name in OfLabel._fields)] for label, row in rows.items()]
        print_table(["label", *OfLabel._fields], table)
    print_pairs(("provenance", ""), {k: text(v) for k, v in found.summary["provenance"].items()})
    rows = curve[columns].to_numpy().tolist()
    print_table(columns, [[*map(percent, columns, map(float, row))] for row in rows])
    if made_by:
        say(f"made by: {made_by}")
    if there.reason and store.finished(found.folder):
        say(f"this run is {there.state}: {there.reason}")
    return 0
