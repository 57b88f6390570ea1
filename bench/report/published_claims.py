"""Published claims of papers: what is published of each, its row of today, and its evidence."""

from dataclasses import dataclass
from pathlib import Path

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers import claim_rows, shown
from structbench.bench.papers.evidence import Evidence
from structbench.bench.report import published
from structbench.bench.runs import records


@dataclass(frozen=True, kw_only=True)
class Published(published.Claim):
    """A published claim."""

    id: str
    row: str  # the paper and the id of its row of today; the claim's own id if there is none
    conditions: list[Evidence]

    @property
    def paper(self) -> str:
        """The claim's paper."""
        return self.id.partition("/")[0]

    @property
    def name(self) -> str:
        """The claim without its paper."""
        return self.id.partition("/")[2]

    def record(self) -> dict[str, object]:
        """The claim for JSON."""
        return records.plain(self) | {"conditions": [each.record() for each in self.conditions]}


def of(folder: Path, paper: str) -> list[Published]:
    """The claims of a paper as a folder of publications has them; empty if the paper has none.

    Raises:
        UserError: The paper is not published there.
    """
    said = published.record(folder / paper)
    files = own_folders.files(f"bench/papers/{paper}", "*claims.toml").values()
    rows = [f"{paper}/{row.id}" for file in files for row in claim_rows.rows(file)]
    file = folder / paper / published.EVIDENCE
    try:
        shows = shown.read(file.read_text(encoding="utf-8")) if file.exists() else []
    except (OSError, ValueError) as error:
        raise UserError(f"{file} is broken ({error}): {published.AGAIN}") from error
    evidence = {each.id: each.conditions for each in shows}
    return [
        Published(**vars(claim), id=key, row=_row(key, rows), conditions=evidence.get(key, []))
        for key, claim in said.claims.items()
    ]


def _row(key: str, rows: list[str]) -> str:
    """The row of a claim, whose name is the row's and perhaps the data set's."""
    return max((name for name in rows if f"{key}-".startswith(f"{name}-")), key=len, default=key)
