"""Prepare the data of the explorer, an interactive page on which a reader chooses runs and sees their curves.

The page thins and rounds its curves, and says so. So it opens with thousands of runs. Seconds are only compared
within one host. ``docs/why/decisions/explorer.md`` says why it draws by itself.
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from urllib.parse import unquote

import numpy as np

from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import plural
from structbench.bench.drawing import colours, curves
from structbench.bench.drawing.method_looks import problems, told_apart
from structbench.bench.drawing.refuted import refutations
from structbench.bench.report import gathered
from structbench.bench.report.published_runs import PublishedRun
from structbench.bench.runs import algorithm_module, documents
from structbench.bench.runs.algorithm_files import by_family
from structbench.bench.runs.finished import machine_of
from structbench.bench.runs.objective_names import shortest
from structbench.bench.runs.spec import Spec, fields_of
from structbench.bench.runs.store import Run
from structbench.bench.workflow.paper_modules import title
from structbench.datasets import DataRef
from structbench.datasets.references import file_names
from structbench.datasets.references.data_ref import FOLD

NAME = "explorer.html"
MOST_RUNS = 20_000
MOST_POINTS, FEWEST_POINTS = 60, 16  # checkpoints that are kept of a run
ALL_POINTS = 240_000  # of all runs together, as long as each keeps the fewest
NO_OBJECTIVE, NO_STRENGTH = "none", "-"  # of algorithms that are mistake-driven
DIGITS = {"passes": 4, "seconds": 4, "gap": 4, "distance": 4, "primal": 6, "error": 4, "f1": 4, "validation": 4}

READ = ("C", "passes", "wall_seconds", "cpu_seconds", "primal", "dual", "relative_gap", "test_error", "test_f1")
READ += ("validation_error",)
FOLDS = re.compile(f"validation={FOLD}")  # in the name of a run

Columns = dict[str, np.ndarray]
Problem = tuple[str, str, str]  # data and test, loss and penalty, C
Data = tuple[DataRef, str | None]  # data and test
Versions = Mapping[Data, set[str]]


def contents(
    runs: Iterable[Run], figures: Iterable[gathered.Figure] = (), most_points: int = MOST_POINTS
) -> tuple[documents.Json, list[tuple[Run, str]]]:
    """The page's data, for JSON, and the runs whose curves cannot be read, each with the reason.

    ``data`` lists the words that runs share. Each run has its places in these lists, and its curve. The curve has
    a list of numbers for each of ``DIGITS``, or None if the run has no such value:

    - ``gap``: ``(primal - dual) / |primal|``, the run's own certificate.
    - ``distance``: ``(primal - bound) / |primal|``. The bound is the greatest dual value of all runs of the
      problem, so a method without a good dual point of its own counts like the others.
    - ``error``, ``f1``: of the test split, in percent; ``validation``: the error of the examples held out.

    The folds of cross-validation are one problem for a reader: each run says its fold, and has a bound of its own.

    Args:
        figures: Drawn figures, as ``gathered`` has them: a reader can choose the runs of one.
        most_points: Checkpoints that are kept of a run.
    """
    given = list(runs)
    kept = list(islice(given, MOST_RUNS))
    versions = data_versions(given)
    most = min(most_points, max(FEWEST_POINTS, ALL_POINTS // max(1, len(kept))))
    shown, unreadable, thinned = [], [], 0
    values: dict[Problem, list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
    for run in kept:
        try:
            curve = run.columns(READ)
        except UserError as error:
            unreadable.append((run, str(error)))
            continue
        problem, own = _problem(run, versions, False), curve["C"] == run.spec.C  # a path has other C before
        curve = {name: column[own] for name, column in curve.items()}
        values[problem].append(curves.finite_values(curve))
        thinned += len(curve["C"]) > most
        shown.append((run, problem, _columns(curve, most, run.clock)))
    bounds = {problem: curves.optimum_of(pairs).dual for problem, pairs in values.items()}
    words: dict[str, dict[object, int]] = {"problems": {}, "variants": {}, "hosts": {}}
    shown = [
        (run, _problem(run, versions), columns | _distance(columns, bounds[own])) for run, own, columns in shown
    ]
    names = sorted({run.spec.algorithm for run, *_ in shown})
    called = told_apart(names)
    entries = [_entry(words, called, *each) for each in shown]
    refuted = {id(one.run) for one in refutations(run for run, *_ in shown)}  # another host's may be sound
    for entry, (run, *_) in zip(entries, shown, strict=True):
        entry |= {"status": "refuted"} if id(run) in refuted else {}
    palette = {"own": {called[name]: colours.colour(name) for name in colours.in_order(names)}}
    palette |= {"hues": {called[name]: colours.hue(name) for name in names}, "all": colours.SPARE}
    palette |= {"user": colours.OWN}
    places = defaultdict(list)
    for place, (run, *_) in enumerate(shown):
        places[run.key].append(place)
    drawn = [
        {"id": one.id, "paper": title(one.paper), "title": one.title.removeprefix(one.paper).lstrip(",: ")}
        | {"runs": some}
        for one in figures
        if (some := [place for key in one.runs for place in places[key]])
    ]
    data: documents.Json = {which: list(found) for which, found in words.items()}
    data |= {"figures": drawn, "data": _data_sets(shown), "columns": list(DIGITS), "colours": palette}
    data |= {"defaults": _defaults(called), "paths": _paths([run.spec for run, *_ in shown])}
    data |= {"with": [*map(str, own)]} if (own := own_folders.folders()) else {}
    return data | {"runs": entries, "notes": [*_notes(len(given), most, thinned, len(unreadable))]}, unreadable


def _data_sets(shown: list[tuple[Run, Problem, Columns]]) -> list[tuple[str, str]]:
    """What problems call each data set, with a title for readers; those with most training examples first."""
    sizes = {problem[0]: (-run.summary["num_examples"], run.spec) for run, problem, _ in shown}
    ordered = sorted(sizes.items(), key=lambda each: (each[1][0], each[1][1].data, each[0]))
    titles = ((name, problems([spec])[0][0].title) for name, (_, spec) in ordered)
    return [(name, re.sub(r"fold \d+ of (\d+)", r"\1 folds", title)) for name, title in titles]


def _defaults(called: dict[str, str]) -> dict[str, dict[str, str]]:
    """The defaults of the algorithms that there are still, by what the page calls them."""
    given = {said: algorithm_module.parameters(name) for name, said in called.items() if name in by_family()}
    return {name: {key: shortest(value) for key, value in each.items()} for name, each in given.items()}


def _paths(specs: Collection[Spec]) -> dict[str, str]:
    """The user's files, by their short names, which names of runs have; none of data that are no more."""
    paths = {spec.test for spec in specs if spec.test}
    for data in {spec.data for spec in specs}:
        with suppress(UserError):
            paths |= {*data.paths}
    return {file_names.short(path): path for path in sorted(paths)}


def _notes(given: int, most: int, thinned: int, unreadable: int) -> Iterator[str]:
    """Sentences on what the page leaves out."""
    if given > MOST_RUNS:
        yield f"Of {given:,} runs the first {MOST_RUNS:,} by name are here."
    if thinned:
        runs = plural(thinned, "run")
        yield f"Of {runs} only {most} checkpoints are here, evenly spread: curve.parquet has all."
    if unreadable:
        yield f"{plural(unreadable, 'run')} cannot be read."


def _distance(columns: Columns, bound: float) -> Columns:
    """The column of distances to a bound; 0 where it is reached, NaN where a value or the bound is not finite."""
    primal = columns["primal"]
    with np.errstate(all="ignore"):
        above = (primal - bound) / np.abs(primal)
    return {"distance": np.where(np.isfinite(above), np.maximum(above, 0.0), np.nan)}


def _entry(
    words: dict[str, dict[object, int]], called: dict[str, str], run: Run, problem: Problem, columns: Columns
) -> documents.Json:
    """A run of the page, with its places in the lists of ``words`` that runs share."""
    (host, cpu, _), fold, alone = machine_of(run), FOLDS.search(run.key), run.summary["provenance"].get("alone")

    def place(which: str, value: object) -> int:
        return words[which].setdefault(value, len(words[which]))

    return ({"fold": f"fold {fold[1]} of {fold[2]}"} if fold else {}) | {
        "key": run.key,
        "problem": place("problems", problem),
        "variant": place("variants", (called[run.spec.algorithm], _setting(run))),
        "host": place("hosts", f"{host or 'unknown'} ({cpu or 'unknown'})"),
        "seed": run.spec.seed,
        "alone": alone and not run.disturbance,
        "status": run.summary["status"],
        "curve": [_rounded(columns[name], digits) for name, digits in DIGITS.items()],
    }


def data_versions(runs: Iterable[Run]) -> dict[Data, set[str]]:
    """The hashes of the data of each name: files of one name may differ, over time and between machines."""
    found = defaultdict(set)
    for run in runs:
        found[run.spec.data, run.spec.test].add(run.summary["provenance"]["data_sha256"])
    return found


def view(run: Run, versions: Versions) -> dict[str, str]:
    """The choices that show the run's problem, as the page writes them behind its address."""
    return dict(zip(("data", "loss", "C"), _problem(run, versions), strict=True))


def _problem(run: Run, versions: Versions, joined: bool = True) -> Problem:
    """What a run minimises; ``joined``: the folds of cross-validation are one."""
    spec = run.spec
    data = unquote(str(fields_of(run.key)[0]))  # with short names of the user's files
    if joined:
        data = FOLDS.sub(lambda fold: f"{fold[2]} folds" + (f" of seed {fold[3]}" if fold[3] else ""), data)
    if spec.test:
        data += f", test {file_names.short(spec.test)}"
    if len(versions[spec.data, spec.test]) > 1:
        data += f" (SHA-256 {run.summary['provenance']['data_sha256'][:8]})"
    if spec.loss == declaration.NO_LOSS:
        return data, NO_OBJECTIVE, NO_STRENGTH
    objective = spec.loss if spec.penalty == "l2" else f"{spec.loss}, {spec.penalty}"
    return data, objective, f"{spec.C:.15g}"


def _setting(run: Run) -> str:
    """The algorithm's parameters that are not at their defaults, and its threads if it has several."""
    _, _, given = str(fields_of(run.key)[3]).partition(":")
    said = given.split(",") if given else []
    said += [f"published in {run.paper}"] if isinstance(run, PublishedRun) else []
    return ", ".join([*said, *([f"{run.spec.threads} threads"] if run.spec.threads > 1 else [])])


def _columns(curve: Columns, most: int, clock: str) -> Columns:
    """The curve at no more than ``most`` of its checkpoints, evenly spread, with the first and the last."""
    length = len(curve["C"])
    kept = np.unique(np.linspace(0, length - 1, min(most, length)).round().astype(int))

    def column(name: str, scale: float = 1.0) -> np.ndarray:
        return scale * curve[name][kept] if name in curve else np.full(len(kept), np.nan)

    return {
        "passes": column("passes"),
        "seconds": column(clock),
        "gap": column("relative_gap"),
        "primal": column("primal"),
        "error": column("test_error", 100),
        "f1": column("test_f1", 100),
        "validation": column("validation_error", 100),
    }


def _rounded(values: np.ndarray, digits: int) -> list[float | int | None] | None:
    """Round values to significant digits: None for one that is not finite, None for all if none is finite."""
    if not np.isfinite(values).any():
        return None
    short = [float(f"{value:.{digits}g}") if math.isfinite(value) else None for value in values.tolist()]
    return [int(each) if each is not None and each.is_integer() and abs(each) < 1e15 else each for each in short]
