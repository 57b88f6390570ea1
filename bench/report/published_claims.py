"""Published claims of papers: verdict and answer, the sentence of today's row, and the evidence."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers import claim_rows, shown
from structbench.bench.report import origin, published

NONE = "Published by earlier rules, before answers were written."
FORMER = {"inconclusive": "open"}  # verdicts that were called otherwise


def of(folder: Path, paper: str) -> list[dict[str, Any]]:
    """The claims of a paper as a folder of publications has them; empty if the paper has none.

    Each has ``id``, ``row`` (the paper and the id of its row of today; the claim's own id if there is none),
    ``verdict``, ``answer``, ``claim`` (the sentence), ``where``, ``theirs`` and ``conditions``.

    Raises:
        UserError: The paper is not published there.
    """
    said = published.record(folder / paper)
    files = own_folders.files(f"bench/papers/{paper}", "*claims.toml").values()
    rows = {f"{paper}/{row.id}": row for file in files for row in claim_rows.rows(file)}
    file = folder / paper / published.EVIDENCE
    try:
        shows = shown.read(file.read_text(encoding="utf-8")) if file.exists() else []
    except (OSError, ValueError) as error:
        raise UserError(f"{file} is broken ({error}): {published.AGAIN}") from error
    evidence = {each["id"]: each["conditions"] for each in shows}
    return [
        {"answer": NONE, "theirs": ""}
        | _sentence(key, rows)
        | {"id": key, "conditions": evidence.get(key, [])}
        | claim
        | {"verdict": FORMER.get(claim["verdict"], claim["verdict"])}
        for key, claim in said["claims"].items()
    ]


def origins(folder: Path, paper: str) -> dict[str, str]:
    """Claim -> where its data come from, one of ``origin.ORIGINS``; in older records, its runs' data."""
    said = published.record(folder / paper)
    runs = [*published.code(folder / paper)]
    return {
        key: claim.get("origin") or origin.origin(paper, _data(claim["runs"], runs))
        for key, claim in said["claims"].items()
    }


def _data(uses: Iterable[int | str], runs: list[str]) -> set[str]:
    """The data sets of a claim's runs, which a record names by their place, and missing ones by their key."""
    return {(runs[use] if isinstance(use, int) else use).partition("__")[0] for use in uses}


def _sentence(key: str, rows: Mapping[str, claim_rows.Row]) -> dict[str, str]:
    """The row of a claim, whose name is the row's and perhaps the data set's, and the paper's words."""
    name = max((name for name in rows if f"{key}-".startswith(f"{name}-")), key=len, default="")
    row = rows.get(name)
    return {"row": name, "claim": row.text, "where": row.where} if row else {"row": key, "claim": "", "where": ""}
