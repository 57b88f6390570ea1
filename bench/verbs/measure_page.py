"""The tables of docs/reference/performance.md: the outcomes of all contests, and the runs behind them."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from structbench.bench.measure.outcomes import Outcome
from structbench.bench.measure.row import HEADING
from structbench.bench.verbs import marks


def write(file: Path, found: Sequence[Outcome]) -> None:
    """Put the tables into a page; raises as ``marks.write``."""
    marks.write(file, "measure", _tables(found))


def _tables(found: Sequence[Outcome]) -> str:
    there = [outcome for outcome in found if outcome.is_there]
    whole = sum(not outcome.notes for outcome in there)
    about = f"{whole} of {len(found)} comparisons have all their runs, of the programs of that day."
    if len(there) < len(found):
        about += f" {len(found) - len(there)} wait for runs and are left out: `make bench` makes them."
    lines = [f"`python -m bench measure --page` wrote these tables. {about}"]
    for part, members in groupby(there, key=lambda outcome: outcome.contest.part):
        outcomes = [*members]
        rows = [outcome.row.cells[1:] for outcome in outcomes]
        lines += ["", f"**{part}**", "", *marks.table(HEADING[1:], rows)]
        runs = {run["key"]: run for outcome in outcomes for run in outcome.runs}
        made = [(f"`{key}`", run["host"], str(run["git_commit"])[:12], run["load"], run["stale"])
                for key, run in sorted(runs.items())]  # fmt: skip
        if made:
            table = marks.table(("run", "host", "commit", "load", "stale"), made)
            lines += ["", f"<details><summary>{len(runs)} runs</summary>", "", *table, "", "</details>"]
    return "\n".join(lines)
