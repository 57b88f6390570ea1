"""``docs/results/judged-twice.md``: published verdicts beside those of the same rules on fresh seeds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.report import fresh_verdicts, markdown, published, sealed
from structbench.bench.report.fresh_verdicts import SAME, FreshVerdict
from structbench.bench.runs import records
from structbench.bench.workflow.paper_modules import title

PAGE, RECORD = "judged-twice.md", "judged-twice.json"
AGAIN = "`python -m bench claims PAPER --fresh --page` makes it again"
HEADING = ("sentence", "verdict", "on fresh seeds", "answer on fresh seeds")


@dataclass(frozen=True)
class Twice:
    """What fresh seeds say of a paper."""

    rules: str  # the hash of its rules
    runs: int
    commits: list[str]
    verdicts: list[FreshVerdict]


@dataclass(frozen=True)
class Record:
    """Paper -> what fresh seeds say of it."""

    papers: dict[str, Twice] = field(default_factory=dict)


def kept(results: Path) -> Record:
    """What a folder of publications has."""
    return records.read_record(Record, results / RECORD, AGAIN) if (results / RECORD).exists() else Record()


def keep(results: Path, paper: str, twice: Twice) -> Path:
    """Publish what fresh seeds say of a paper, and write the page. Returns the page."""
    sealed.write_record(results / RECORD, Record(dict(sorted({**kept(results).papers, paper: twice}.items()))))
    return write_page(results)


def write_page(results: Path) -> Path:
    """Write the page of what is kept."""
    write_atomically(results / PAGE, twice_page(kept(results)))
    return results / PAGE


def outdated(results: Path) -> list[str]:
    """The papers whose published rules or verdicts are others than those that stand beside fresh seeds."""
    found = []
    for paper, twice in kept(results).papers.items():
        said = published.record(results / paper)
        verdicts = {claim: each.verdict for claim, each in said.claims.items()}
        if twice.rules != said.rules or any(verdicts.get(each.claim) != each.verdict for each in twice.verdicts):
            found.append(paper)
    return found


def twice_page(said: Record) -> str:
    """The page's text: which verdicts changed, then all of each paper."""
    every = [each for twice in said.papers.values() for each in twice.verdicts]
    known = [each for each in every if each.compares]
    changed = [each for each in known if each.verdict != each.fresh]
    share = f"**{fresh_verdicts.share(every)}.**"
    blocks = [markdown.prose("judged-twice", share=share, example=min(said.papers, default="bcfw2013"))]
    blocks += ["## What changed", markdown.table(HEADING, _rows(changed))] if changed else []
    for paper, twice in said.papers.items():
        commits = ", ".join(f"`{commit}`" for commit in twice.commits)
        blocks += [
            f"## {markdown.cell(title(paper))}",
            f"{fresh_verdicts.share(twice.verdicts)}. {twice.runs} runs, of the commits {commits}. "
            f"Hash of the rules: `{twice.rules}`.",
            markdown.table(HEADING, _rows(twice.verdicts)),
        ]
    return markdown.document(*blocks)


def _rows(verdicts: Iterable[FreshVerdict]) -> Iterator[tuple[str, ...]]:
    for each in verdicts:
        paper, _, name = each.claim.partition("/")
        fresh = each.fresh if each.fresh in (SAME, each.verdict) else f"**{each.fresh}**"
        yield f"[{name}]({paper}/evidence.md#{name})", each.verdict, fresh, markdown.sentence(each.answer)
