"""What the pages of a report say, built once of its runs, papers and grids; templates read its attributes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlencode

from structbench import datasets
from structbench.bench.drawing.best import Best
from structbench.bench.papers.verdicts import IN_PART, NOT_REPRODUCED, REPRODUCED, VERDICTS
from structbench.bench.report import explorer, origin
from structbench.bench.report.gathered import Figure, Named, Paper, named
from structbench.bench.runs.store import Run

MISSING = "missing"
MEANING = {  # of a run's status
    "converged": "reached the relative gap asked for",
    "passes": "made all passes without reaching the gap",
    "timeout": "used up its seconds without reaching the gap",
    "finished": "ended by itself",
    "stalled": "found no further step before reaching the gap",
    "diverged": "met a value that is not finite",
    MISSING: "is asked for by a figure or claim, but not finished",
}
ENVIRONMENT = (
    "host", "cpu", "os", "cores", "affinity", "cpu_limit", "threads", "alone", "python", "numba", "numpy", "scipy",
    "lock_sha256", "git_commit", "code_sha256",
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """A run that is finished or asked for."""

    key: str
    name: Named
    status: str = MISSING
    message: str = ""
    passes: float | None = None
    wall_seconds: float | None = None
    primal: float | None = None
    relative_gap: float | None = None
    test_error: float | None = None
    test_f1: float | None = None
    view: str = ""  # the address in the explorer


class DataSet(NamedTuple):
    """A data set, with the size and hash of what runs were trained on, and how many these are."""

    name: str
    about: str
    licence: str
    sha256: str
    examples: int
    features: int
    runs: int


class Answer(NamedTuple):
    """How many claims on data of an origin have which verdict, in all and in each paper."""

    origin: str
    all: Counter[str]
    papers: list[tuple[Paper, Counter[str]]]


@dataclass(frozen=True)
class Contents:
    """What is shown: finished runs, papers and grids, rows of runs, and which methods are best in each grid."""

    name: str
    runs: list[Run]
    papers: list[Paper]
    rows: list[Row]
    grids: Mapping[str, Best]
    left_out: list[str]

    meaning, origins = MEANING, origin.ORIGINS

    @cached_property
    def written(self) -> float:
        """When the report was written, in seconds."""
        return datetime.now(UTC).timestamp()

    @cached_property
    def started(self) -> list[float]:
        """When the runs began."""
        return sorted(run.started for run in self.runs)

    @cached_property
    def finished(self) -> set[str]:
        """The keys of finished runs."""
        return {row.key for row in self.rows if row.status != MISSING}

    @property
    def solver_seconds(self) -> float:
        """The wall seconds of all runs."""
        return sum(row.wall_seconds or 0 for row in self.rows)

    @property
    def missing(self) -> list[tuple[str, list[str]]]:
        """The reasons why runs are missing, each with the runs' keys."""
        found = defaultdict(list)
        for row in self.rows:
            if row.status == MISSING:
                found[row.message].append(row.key)
        return list(found.items())

    @cached_property
    def counts(self) -> Counter[str]:
        """How many runs have which status."""
        return Counter(row.status for row in self.rows)

    @property
    def statuses(self) -> list[str]:
        """How runs ended, in a fixed order."""
        return _ordered(MEANING, self.counts)

    @cached_property
    def verdicts(self) -> list[str]:
        """The verdicts that there are, in a fixed order."""
        return _ordered(VERDICTS, self.claims)

    @cached_property
    def claims(self) -> Counter[str]:
        """How many claims have which verdict."""
        return sum((paper.counts for paper in self.papers), Counter())

    @property
    def decided(self) -> int:
        """How many claims have a verdict on their sentence."""
        return sum(self.claims[verdict] for verdict in (REPRODUCED, IN_PART, NOT_REPRODUCED))

    @property
    def scales(self) -> list[str]:
        """The scales of the papers' figures."""
        return sorted({paper.scale for paper in self.papers} - {""})

    @property
    def only_grids(self) -> bool:
        """Whether there is no paper."""
        return bool(self.grids) and all(paper.id in self.grids for paper in self.papers)

    @property
    def users(self) -> dict[str, list[int]]:
        """Figure or claim -> the places of its runs among the rows."""
        places = {row.key: place for place, row in enumerate(self.rows)}
        return {each.id: [places[key] for key in each.uses] for paper in self.papers for each in paper.users}

    @cached_property
    def drawn(self) -> set[str]:
        """The figures that are there."""
        return {figure.id for paper in self.papers for figure in paper.figures}

    @property
    def answers(self) -> list[Answer]:
        """For each origin that claims are judged on, their verdicts."""
        answers = []
        for kind in origin.ORIGINS:
            found = [
                (paper, Counter(claim.verdict for claim in paper.claims if claim.origin == kind))
                for paper in self.papers
            ]
            found = [(paper, counts) for paper, counts in found if counts]
            if found:
                answers.append(Answer(kind, sum((counts for _, counts in found), Counter()), found))
        return answers

    def caption(self, figure: Figure) -> str:
        """A figure's caption; it says first if runs of the figure are no longer current."""
        old = sum(key not in self.finished for key in figure.runs)
        return f"Out of date: {old} of its runs are no longer current. " * bool(old) + figure.caption

    @property
    def data_sets(self) -> list[DataSet]:
        """The data sets of the runs, with the options and files of each."""
        by_data = defaultdict(list)
        for run in self.runs:
            by_data[run.spec["data"], run.spec["test"], run.summary["provenance"]["data_sha256"]].append(run)
        described = []
        for (data, test, sha), users in sorted(by_data.items(), key=lambda pair: [str(part) for part in pair[0]]):
            name, first = data.partition(":")[0], users[0].summary
            licence = getattr(datasets.module(name), "LICENCE", "your own file")
            sizes = first["num_examples"], first["num_weights"], len(users)
            shown = f"{data}, test {test}" if test else data
            described.append(DataSet(shown, datasets.describe(name), licence, sha, *sizes))
        return described

    @cached_property
    def environment(self) -> dict[str, list[tuple[str, int]]]:
        """Of each part of the environment its values, each with the number of its runs, most common first."""
        found = {}
        for name in ENVIRONMENT:
            values = Counter(str(run.summary["provenance"].get(name, "unknown")) for run in self.runs)
            found[name] = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
        return found


def rows(
    runs: Iterable[Run], papers: Iterable[Paper], missing: Mapping[str, str], versions: explorer.Versions
) -> list[Row]:
    """A row for each run that is finished, then for each that is missing, with the reason."""
    found = [_row(run, versions) for run in runs if run.key not in missing]
    done = {row.key for row in found}
    asked = {key for paper in papers for user in paper.users for key in user.uses}
    absent = sorted((asked | missing.keys()) - done)
    return found + [Row(key, named(key), message=missing.get(key) or MEANING[MISSING]) for key in absent]


def _row(run: Run, versions: explorer.Versions) -> Row:
    said: dict[str, Any] = {name: run.summary.get(name) for name in Row.__dataclass_fields__}
    return Row(**said | {"key": run.key, "name": named(run.key), "view": urlencode(explorer.view(run, versions))})


def _ordered(known: Iterable[str], found: Iterable[str]) -> list[str]:
    """The known words, then others that were found, each once."""
    return list(dict.fromkeys([*known, *sorted(set(found))]))
