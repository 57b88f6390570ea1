"""What the pages of a report say, built once of its runs, papers and grids; templates read its attributes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from structbench.bench.drawing.best import Best
from structbench.bench.papers.verdicts import VERDICTS
from structbench.bench.report import explorer, origin
from structbench.bench.report.gathered import Figure, Named, Paper, named
from structbench.bench.runs import documents
from structbench.bench.runs.store import Run
from structbench.datasets import describe

MISSING = "missing"
MEANING = {  # of a run's status
    "converged": "reached the relative gap asked for",
    "passes": "made all passes without reaching the gap",
    "timeout": "used up its seconds without reaching the gap",
    "finished": "a program of others, or an algorithm without an objective, ended by itself",
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
    """What is shown of finished runs, papers and grids."""

    name: str
    grids: Mapping[str, Best]  # which methods are best in each grid
    left_out: list[str]
    papers: list[Paper]
    rows: list[Row]
    started: list[float]  # when the runs began
    finished: set[str]
    missing: dict[str, list[str]]  # why runs are missing -> their keys
    statuses: Counter[str]  # of the runs
    verdicts: Counter[str]  # of the claims
    users: dict[str, list[int]]  # figure or claim -> the places of its runs among the rows
    answers: list[Answer]
    data_sets: list[DataSet]
    environment: dict[str, list[tuple[str, int]]]

    def caption(self, figure: Figure) -> str:
        """A figure's caption; it says first if runs of the figure are no longer current."""
        old = sum(key not in self.finished for key in figure.runs)
        return f"Out of date: {old} of its runs are no longer current. " * bool(old) + figure.caption


def contents(
    name: str,
    runs: list[Run],
    papers: list[Paper],
    grids: Mapping[str, Best],
    left_out: Iterable[str],
    missing: Mapping[str, str],
    versions: explorer.Versions,
) -> Contents:
    """What the pages show. Runs that are missing have the reason why."""
    rows = [_row(run, versions) for run in runs if run.key not in missing]
    done = {row.key for row in rows}
    users = [user for paper in papers for user in paper.users]
    absent = sorted(({key for user in users for key in user.uses} | missing.keys()) - done)
    rows += [Row(key, named(key), message=missing.get(key) or MEANING[MISSING]) for key in absent]
    places = {row.key: place for place, row in enumerate(rows)}
    why: dict[str, list[str]] = defaultdict(list)
    for row in rows[len(done) :]:
        why[row.message].append(row.key)
    return Contents(
        name=name,
        grids=grids,
        left_out=[*left_out],
        papers=papers,
        rows=rows,
        started=sorted(run.started for run in runs),
        finished=done,
        missing=why,
        statuses=_counted(MEANING, (row.status for row in rows)),
        verdicts=_counted(VERDICTS, (claim.verdict for paper in papers for claim in paper.claims)),
        users={user.id: [places[key] for key in user.uses] for user in users},
        answers=[answer for kind in origin.ORIGINS if (answer := _answer(kind, papers)).papers],
        data_sets=_data_sets(runs),
        environment={name: _values(name, runs) for name in ENVIRONMENT},
    )


def _row(run: Run, versions: explorer.Versions) -> Row:
    said: documents.Json = {name: run.summary.get(name) for name in Row.__dataclass_fields__}
    return Row(**said | {"key": run.key, "name": named(run.key), "view": urlencode(explorer.view(run, versions))})


def _counted(known: Iterable[str], found: Iterable[str]) -> Counter[str]:
    """How many of each word there are: first the known ones, then others."""
    counts = Counter(found)
    return Counter({word: counts[word] for word in dict.fromkeys([*known, *sorted(counts)])})


def _answer(kind: str, papers: list[Paper]) -> Answer:
    """The verdicts of the claims that are judged on data of an origin."""
    found = [(paper, Counter(each.verdict for each in paper.claims if each.origin == kind)) for paper in papers]
    found = [(paper, counts) for paper, counts in found if counts]
    return Answer(kind, sum((counts for _, counts in found), Counter()), found)


def _values(name: str, runs: list[Run]) -> list[tuple[str, int]]:
    """The values of a part of the environment, each with the number of its runs, the most common first."""
    values = Counter(str(run.summary["provenance"].get(name, "unknown")) for run in runs)
    return sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))


def _data_sets(runs: list[Run]) -> list[DataSet]:
    by_data = defaultdict(list)
    for run in runs:
        by_data[run.spec.data, run.spec.test, run.summary["provenance"]["data_sha256"]].append(run)
    described = []
    for (data, test, sha), users in sorted(by_data.items(), key=lambda pair: [str(part) for part in pair[0]]):
        first = users[0].summary
        sizes = first["num_examples"], first["num_weights"], len(users)
        shown = f"{data}, test {test}" if test else data
        described.append(DataSet(shown, describe(data.name), data.module.LICENCE, sha, *sizes))
    return described
