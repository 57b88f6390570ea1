"""The tables of docs/performance.md, between two marks: the outcomes of all contests, and the runs behind them."""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from algorithms.runtime.errors import UserError
from algorithms.runtime.files import write_atomically
from bench.measure.outcomes import Outcome
from bench.measure.row import HEADING

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
        lines += ["", f"**{part}**", "", _line(HEADING[1:]), _line(["---"] * len(HEADING[1:]))]
        lines += [_line(outcome.row.cells[1:]) for outcome in outcomes]
        runs = {run["key"]: run for outcome in outcomes for run in outcome.runs}
        if runs:
            lines += ["", f"<details><summary>{len(runs)} runs</summary>", ""]
            lines += [_line(("run", "host", "commit", "load", "stale")), _line(["---"] * 5)]
            for key, run in sorted(runs.items()):
                made = (run["host"], str(run["git_commit"])[:12], run["load"], run["stale"])
                lines.append(_line([f"`{key}`", *("" if each is None else str(each) for each in made)]))
            lines += ["", "</details>"]
    return "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(re.sub('[|]', '&#124;', cell) for cell in cells)} |"
