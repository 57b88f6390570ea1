"""The tables of docs/performance.md, between two marks: the outcomes of all contests, and the runs behind them."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.measure.outcomes import Outcome
from structbench.bench.measure.row import HEADING

BEGIN, END = "<!-- bench measure: begin -->", "<!-- bench measure: end -->"


def write(file: Path, found: Sequence[Outcome]) -> None:
    """Put the tables in place of what stands between the marks of a page.

    Raises:
        UserError: the page cannot be read, or has not both marks, once each.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"cannot read {file} ({error.strerror}): call this in the project's folder") from error
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in after:
        raise UserError(f"{file} must have the lines {BEGIN} and {END}, once each, in this order")
    write_atomically(file, f"{before}{BEGIN}\n{_tables(found)}\n{END}{after}")


def _tables(found: Sequence[Outcome]) -> str:
    whole = sum(not outcome.notes for outcome in found)
    about = f"{whole} of {len(found)} rows have all their runs, of the programs of that day."
    lines = [f"`python -m bench measure --page` wrote these tables. {about}"]
    for part, members in groupby(found, key=lambda outcome: outcome.contest.part):
        outcomes = [*members]
        lines += ["", f"**{part}**", "", *_table(HEADING[1:], [outcome.row.cells[1:] for outcome in outcomes])]
        runs = {run["key"]: run for outcome in outcomes for run in outcome.runs}
        made = [(f"`{key}`", run["host"], str(run["git_commit"])[:12], run["load"], run["stale"])
                for key, run in sorted(runs.items())]  # fmt: skip
        if made:
            table = _table(("run", "host", "commit", "load", "stale"), made)
            lines += ["", f"<details><summary>{len(runs)} runs</summary>", "", *table, "", "</details>"]
    return "\n".join(lines)


def _table(heading: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    texts = [["" if cell is None else str(cell).replace("|", "&#124;") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (heading, ["---"] * len(heading), *texts)]
