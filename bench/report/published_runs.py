"""Find the published runs of the same problems as one's own runs, and load them as if they were made here.

One stands beside own runs of the same problem: the same arrays, loss, penalty and C. The programs may be others.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.report import published
from structbench.bench.report.published import RESULTS
from structbench.bench.runs import problem_store
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.merged import cpu_of
from structbench.bench.runs.spec import Spec, parse
from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    import pandas as pd

ALL = "all"  # in place of a paper
NAMES = {
    "gap": "relative_gap",
    "error": "test_error",
    "f1": "test_f1",
    "validation": "validation_error",
}  # of columns of the explorer -> of a run
PERCENT = ("error", "f1", "validation")
NEAR = 1e-5  # relative: six digits of an objective are published, and four of its distance to the bound


@dataclass(frozen=True)
class PublishedRun(Run):
    """A published run. It has a single checkpoint, its last, if no figure draws its curve."""

    paper: str
    points: dict[str, np.ndarray]

    @cached_property
    def curve(self) -> "pd.DataFrame":
        """One row per checkpoint that is published."""
        import pandas as pd

        return pd.DataFrame(self.points)

    def columns(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """As of any run."""
        return {name: self.points[name] for name in names if name in self.points}

    @property
    def has_curve(self) -> bool:
        """Whether it has more than its last checkpoint."""
        return len(self.points["passes"]) > 1


class Beside(NamedTuple):
    """Published runs of the problems of own runs. ``gone``: how many today's programs cannot name."""

    runs: list[PublishedRun]
    gone: int
    of_other_cpus: int  # runs without seconds: their types of CPU are not that of the own runs

    @property
    def said(self) -> list[str]:
        """Sentences on what is left out."""
        found = [f"{self.gone} published runs have parameters that there are no more: left out"] * bool(self.gone)
        if self.of_other_cpus:
            found.append(
                f"{self.of_other_cpus} published runs are of other types of CPU: passes compare, seconds do not"
            )
        return found


def published_beside(own: Iterable[Run], paper: str, with_seconds: bool = False) -> Beside:
    """The published runs of the problems of these own runs.

    Args:
        paper: Just this one's, or ``ALL``.
        with_seconds: Keep seconds of all machines, for a reader who tells them apart.

    Raises:
        UserError: The paper is not published, or no published run has such a problem.
    """
    papers = published.papers_of(RESULTS)
    if paper not in (ALL, *papers):
        raise UserError(
            f"--published {paper!r}: {meant(paper, papers)}published are {', '.join(papers) or 'none'}"
        )
    own = [*own]
    problems = {problem_of(run.spec, sha256): run for run in own for sha256 in _hashes(run)}
    begins = tuple({f"{run.key.partition('__')[0]}__{run.spec.loss}__" for run in own})
    found, gone, others = [], 0, 0
    for name in [paper] if paper != ALL else papers:
        rows = [row for row in published.published_rows(RESULTS / name) if row["run"].startswith(begins)]
        curves = dict(curves_in(RESULTS / name)) if rows else {}
        for row in rows:
            try:
                spec = parse(row["run"])
            except (UserError, TypeError):  # an algorithm or a parameter that there was
                gone += 1
                continue
            if (mine := problems.get(problem_of(spec, row["data_sha256"]))) is not None:
                run = _run(row, spec, name, curves.get(row["run"], {}), mine)
                differs = row.get("cpu") != cpu_of(mine)
                others += differs
                found.append(run if with_seconds else _comparable(run, mine, differs))
    if not found:
        raise UserError(
            f"no run that {paper if paper != ALL else 'a paper'} published has the problem of these runs"
        )
    return Beside(_with_distances(found), gone, 0 if with_seconds else others)


def _hashes(run: Run) -> tuple[str, ...]:
    return problem_store.known_hashes(run.spec.data, run.spec.test, run.summary["provenance"]["data_sha256"])


def taken(specs: Iterable[Spec], runs: Runs, paper: str) -> tuple[dict[Spec, str], list[str]]:
    """Have published runs of the problems of these specs count where there are no own ones.

    Returns the paper of each that counts, and sentences on what is left out. Raises as ``published_beside``.
    """
    beside = published_beside(runs.present([*specs]), paper)
    papers = {run.spec: run.paper for run in beside.runs}
    return {spec: papers[spec] for spec in runs.take(beside.runs)}, beside.said


def problem_of(spec: Spec, data_sha256: str) -> tuple[str, str, str, str, float]:
    """What runs share that minimise the same on the same data, whatever programs made them."""
    return data_sha256[: published.DIGITS], spec.test or "", spec.loss, spec.penalty, spec.C


def _run(row: dict[str, str], spec: Spec, paper: str, curve: dict[str, np.ndarray], mine: Run) -> PublishedRun:
    numbers = (*published.COLUMNS[1:],)
    summary: dict[str, Any] = {name: float(row[name]) if row[name] else None for name in numbers}
    made = {name: row.get(name, "") for name in published.MADE}
    made |= {"data_sha256": mine.summary["provenance"]["data_sha256"], "alone": not row["disturbed"]}
    summary |= {"status": row["status"], "provenance": made, "num_examples": mine.summary["num_examples"]}
    last = {name: np.nan if summary[name] is None else summary[name] for name in numbers}
    points = curve or {name: np.array([value]) for name, value in last.items()}
    if curve:
        for name in ("primal", "relative_gap", "test_error", "test_f1"):  # with more digits
            points[name][-1] = last[name]
    points["C"] = np.full(len(points["passes"]), spec.C)
    return PublishedRun(row["run"], Path(), spec, summary, paper, points)


def curves_in(folder: Path) -> Iterator[tuple[str, dict[str, np.ndarray]]]:
    """The key of each run of a paper whose curve is kept, and its columns."""
    file = published.curves_of(folder)
    if not file.exists():
        return
    text = file.read_text(encoding="utf-8")
    data = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    for run in data["runs"]:
        count = len(run["curve"][0])
        points = {}
        for name, values in zip(data["columns"], run["curve"], strict=True):
            scale = 0.01 if name in PERCENT else 1.0
            points[NAMES.get(name, name)] = scale * np.array(values or [None] * count, float)
        points["cpu_seconds"] = points["wall_seconds"] = points.pop("seconds")
        yield run["key"], points


def _comparable(run: PublishedRun, mine: Run, differs: bool) -> PublishedRun:
    """The run as one of the machine of an own one, if the types of CPU are the same; else without seconds."""
    seconds = ("cpu_seconds", "wall_seconds")
    own = mine.summary["provenance"]
    made = own | {name: run.summary["provenance"][name] for name in ("data_sha256", "git_commit", "code_sha256")}
    summary = run.summary | {"provenance": made}
    if not differs:
        return replace(run, summary=summary)
    nothing = np.full(len(run.points["passes"]), np.nan)
    points = run.points | dict.fromkeys(seconds, nothing)
    return replace(run, summary=summary | dict.fromkeys(seconds), points=points)


def _with_distances(runs: list[PublishedRun]) -> list[PublishedRun]:
    """The runs with dual values, and with objectives that are as exact as their distances to the bound."""
    bounds: dict[tuple, float] = {}
    places = [(run.paper, problem_of(run.spec, run.summary["provenance"]["data_sha256"])) for run in runs]
    for place, run in zip(places, runs, strict=True):
        if run.has_curve and run.summary["dual"] is not None and run.summary["status"] != "diverged":
            bounds[place] = max(run.summary["dual"], bounds.get(place, -np.inf))
    for place, run in zip(places, runs, strict=True):
        points, bound = run.points, bounds.get(place, np.nan)
        if "distance" in points:
            with np.errstate(divide="ignore", invalid="ignore"):  # it may be 1 in four digits
                exact = bound / (1 - points.pop("distance"))
            is_near = np.abs(exact - points["primal"]) <= NEAR * np.abs(points["primal"])
            is_near[-1] = False  # it has eight digits
            points["primal"] = np.where(is_near, exact, points["primal"])
        points["gap"] = points["relative_gap"] * np.abs(points["primal"])
        points["dual"] = points["primal"] - points["gap"]
    return runs
