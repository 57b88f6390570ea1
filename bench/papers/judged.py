"""The types of judged claims, and a reader of the file of them that ``judging.write_claims`` writes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers.evidence import Evidence
from structbench.bench.runs import records

REMEDY = "judge again (`python -m bench claims`)"


class WithEvidence:
    """A claim of a paper, with its evidence."""

    if TYPE_CHECKING:
        id: str
        conditions: list[Evidence]

    @property
    def name(self) -> str:
        """The claim without its paper."""
        return self.id.partition("/")[2]

    def record(self) -> dict[str, object]:
        """The claim as files hold it."""
        return records.plain(self) | {"conditions": [each.record() for each in self.conditions]}


@dataclass(frozen=True, kw_only=True)
class Judged(WithEvidence):
    """A claim with its evidence, its verdict and its answer."""

    id: str  # the paper and the claim
    paper: str
    where: str  # in the paper
    setting: str
    claim: str  # the sentence
    by: str
    asks: str = ""
    theirs: str
    verdict: str
    answer: str
    holds: int  # in how many conditions that count
    of: int
    quantifier: str
    conditions: list[Evidence]
    missing: list[str]  # this and the next three: keys of runs
    diverged: list[str] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)
    runs: list[str]
    data: list[str] = field(default_factory=list)
    figures: list[str]  # stems


@dataclass(frozen=True, kw_only=True)
class Paper:
    """The judged claims of a paper at a scale."""

    scale: str
    claims: list[Judged]


def read_judged(file: Path) -> Paper:
    """Read the file of a paper's judged claims; a ``UserError`` if it is broken."""
    found = records.read_record(Paper, file, REMEDY)
    for claim in found.claims:
        try:
            all(each.outcome for each in claim.conditions)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise UserError(f"{file} is broken (a condition of {claim.id!r}: {error}): {REMEDY}") from error
    return found
