"""Read what was published in ``docs/results``, and find what was edited since or is of older code."""

import csv
import gzip
import hashlib
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.drawing import plotted
from structbench.bench.papers import claim_rows, shown
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.judged import WithEvidence
from structbench.bench.papers.sentences import answer
from structbench.bench.papers.verdicts import verdict
from structbench.bench.report import frozen, sealed
from structbench.bench.runs import programs, records
from structbench.bench.runs.spec import parse
from structbench.bench.runs.store import Run

INDEX, RECORD, RUNS, EVIDENCE, BAR = "README.md", "published.json", "runs.csv.gz", "evidence.csv", "verdicts.svg"
RESULTS = ROOT / "docs" / "results"
OF_A_CLONE = "published results lie in a clone of structbench, not in an installed copy"
CURVES = "explorer"  # the folder of the curves of all papers
DIGITS = 12  # of hashes in the table of runs
AGAIN = "publish it again (`python -m bench publish`)"
COLUMNS = (
    "status", "primal", "dual", "relative_gap", "passes", "cpu_seconds", "wall_seconds", "test_error", "test_f1",
    "num_weights",
)  # fmt: skip
MADE = ("host", "cpu", "load", "others", "git_commit", "code_sha256", "data_sha256", "started")
COARSE = {"relative_gap": 4, "cpu_seconds": 4, "wall_seconds": 4}  # digits of these columns; others have eight
OF_TIMED = ("wall_seconds", "load", "others")  # columns that are empty for a run that was not timed alone
SOURCE = "dual_of"  # what the dual value is computed from; earlier tables do not say
AGE = "Code: "  # begins the line of a page that says how old its code is

Counts = list[tuple[str | int, ...]]  # pairs of a name and a number


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is published of a claim."""

    verdict: str
    answer: str
    claim: str
    where: str
    theirs: str
    by: str
    holds: int
    of: int
    origin: str


@dataclass(frozen=True, kw_only=True)
class Published(WithEvidence, Claim):
    """A published claim with its evidence."""

    id: str
    row: str  # the paper and the id of its row of today; the claim's own id if there is none
    conditions: list[Evidence]
    quantifier: str = "all"

    @property
    def paper(self) -> str:
        """The claim's paper."""
        return self.id.partition("/")[0]


@dataclass(frozen=True, kw_only=True)
class Record:
    """What is published of a paper, ``published.json``."""

    scale: str
    counts: dict[str, dict[str, int]]  # origin of the data -> how many claims have which verdict
    machines: Counts
    commits: Counts
    days: list[str]  # the first and the last
    seconds: float
    findings: list[str]
    claims: dict[str, Claim]
    missing: list[str]
    files: dict[str, str]  # file -> SHA-256
    lost: list[str] = field(default_factory=list)  # commits of runs that are in no history: make these runs again
    rules: str = ""  # the hash of its rules; empty if it has no claims, or an earlier version published it
    late: list[str] = field(default_factory=list)  # claims whose rules changed after their runs were made


def papers_of(folder: Path) -> list[str]:
    """The papers that are published there."""
    return sorted(file.parent.name for file in folder.glob(f"*/{RECORD}"))


def not_run(published: Collection[str]) -> list[str]:
    """The papers with claims that are not among those published."""
    papers = {file.parent.name for file in (ROOT / "bench" / "papers").glob("*/claims.toml")}
    return sorted(papers.difference(published))


def record(folder: Path) -> Record:
    """What ``published.json`` of a paper's folder says.

    Raises:
        UserError: It is not there, or broken.
    """
    return records.read_record(Record, folder / RECORD, AGAIN)


def claims(folder: Path, paper: str) -> list[Published]:
    """The claims of a paper as a folder of publications has them; empty if the paper has none.

    Verdict and answer are those that today's rules read off the published evidence.

    Raises:
        UserError: The paper is not published there.
    """
    said = record(folder / paper)
    files = own_folders.files(f"bench/papers/{paper}", "*claims.toml").values()
    rows = [f"{paper}/{row.id}" for file in files for row in claim_rows.rows(file)]
    file = folder / paper / EVIDENCE
    try:
        shows = shown.read_conditions(file.read_text(encoding="utf-8")) if file.exists() else []
    except (OSError, ValueError) as error:
        raise UserError(f"{file} is broken ({error}): {AGAIN}") from error
    known = {each.id: each for each in shows}
    found = []
    for key, claim in said.claims.items():  # named as its row, and perhaps the data set
        row = max((name for name in rows if f"{key}-".startswith(f"{name}-")), key=len, default=key)
        told = known.get(key, shown.Tabled(key, "all", claim.verdict, []))
        if told.conditions:
            today = verdict(told.conditions, told.quantifier)
            claim = replace(claim, verdict=today, answer=answer(told.conditions, today, told.quantifier))
        more = {"conditions": told.conditions, "quantifier": told.quantifier}
        found.append(Published(**vars(claim) | more, id=key, row=row))
    return found


def write_runs(folder: Path, runs: Iterable[Run]) -> None:
    """Write the table of a paper's runs."""
    text = plotted.csv_text(["run", *COLUMNS, SOURCE, "disturbed", *MADE], [published_row(run) for run in runs])
    write_atomically(folder / RUNS, gzip.compress(text.encode(), mtime=0))


def published_row(run: Run) -> dict[str, str]:
    """A run's row of the table: eight digits of a number, or as in ``COARSE``, and the beginning of each hash."""
    values = {name: run.summary.get(name) for name in (*COLUMNS, SOURCE)}
    short = {
        name: f"{value:.{COARSE.get(name, 8)}g}" if isinstance(value, float) else value
        for name, value in values.items()
    }
    made = {name: run.summary["provenance"].get(name, "") for name in MADE}
    made |= {name: made[name][:DIGITS] for name in MADE if name.endswith(("_sha256", "_commit"))}
    row = {"run": run.key, "disturbed": run.disturbance} | short | made
    if run.summary["provenance"].get("alone") is not True:
        row |= dict.fromkeys(OF_TIMED, "")
    return {name: "" if value is None else str(value) for name, value in row.items()}


def published_rows(folder: Path) -> list[dict[str, str]]:
    """The table of a paper's runs.

    Raises:
        UserError: It is not there, or broken.
    """
    file = folder / RUNS
    try:
        with gzip.open(file, "rt", encoding="utf-8", newline="") as table:
            reader = csv.DictReader(table)
            if lacking := {"run", *COLUMNS, "code_sha256"} - {*(reader.fieldnames or ())}:
                raise KeyError(min(lacking))
            return [*reader]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, csv.Error) as error:
        raise UserError(f"{file} cannot be read ({error}): {AGAIN}") from error


def code(folder: Path) -> dict[str, str]:
    """Run -> the first digits of its code's SHA-256; raises as ``published_rows``."""
    return {row["run"]: row["code_sha256"] for row in published_rows(folder)}


def curves_of(folder: Path) -> Path:
    """The file with a paper's curves, beside its folder."""
    return folder.parent / CURVES / f"{folder.name}.js"


def hashes(folder: Path) -> dict[str, str]:
    """File -> SHA-256 of a paper's files, except ``published.json``. The page is hashed without its age."""
    files = {file.relative_to(folder).as_posix(): file for file in sorted(folder.rglob("*")) if file.is_file()}
    files |= {f"../{CURVES}/{file.name}": file for file in [curves_of(folder)] if file.exists()}
    return {name: hashlib.sha256(_ageless(file)).hexdigest() for name, file in files.items() if name != RECORD}


def altered(folder: Path) -> list[str]:
    """The files of a paper's folder that are not as they were published."""
    said, found = record(folder).files, hashes(folder)
    edited = [RECORD] * sealed.was_edited(folder / RECORD, AGAIN)
    return sorted([*edited, *(name for name in said.keys() | found.keys() if said.get(name) != found.get(name))])


def of_older_code(folder: Path) -> list[str]:
    """The published runs that today's code would make again, or has no more."""
    return [key for key, sha in code(folder).items() if (_sha256_of_today(key) or "")[:DIGITS] != sha]


def has_other_rules(folder: Path) -> bool:
    """Whether a paper's rules of today are not those that its published verdicts are of, or these have no hash."""
    said = record(folder)
    return bool(said.claims) and said.rules != frozen.rules_sha256(folder.name)


def runs_of_lost_commits(folder: Path) -> int:
    """How many published runs are of a commit that is in no history."""
    said = record(folder)
    return sum(int(number) for commit, number in said.commits if commit in said.lost)


def write_code_age(folder: Path, older: int, total: int) -> None:
    """Say on a paper's page how many runs are of older code, or of lost commits, and whether its rules changed."""
    frozen = (
        f"**frozen** at the commits below. Today's programs differ for {older} of {total} runs; the page stays"
    )
    today = f"that of today: all {total} runs are of it."
    said = AGE + (f"{frozen} as it is until they are made again." if older else today)
    if lost := runs_of_lost_commits(folder):
        said += f" **Commit lost**: {lost} runs are of {', '.join(record(folder).lost)}, which is in no history."
    if has_other_rules(folder):
        said += " **Rules changed** since these verdicts."
    page = folder / INDEX
    lines = page.read_text(encoding="utf-8").split("\n")
    changed = [said if line.startswith(AGE) else line for line in lines]
    if changed != lines:
        write_atomically(page, "\n".join(changed))


def _ageless(file: Path) -> bytes:
    content = file.read_bytes()
    if file.name != INDEX:
        return content
    return b"\n".join(line for line in content.split(b"\n") if not line.startswith(AGE.encode()))


def _sha256_of_today(key: str) -> str | None:
    try:
        return programs.sha256_of_run(parse(key))
    except UserError:  # an algorithm, data set or parameter that there was
        return None
