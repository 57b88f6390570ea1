"""The tables of docs/reference/performance.md: the outcomes of all contests, and where their runs were made."""

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
        runs = {run.key: run for outcome in outcomes for run in outcome.runs}
        if runs:
            hosts = sorted({str(run.host) for run in runs.values()})
            commits = sorted({_short(str(run.git_commit)) for run in runs.values()})
            load = max(run.load or 0.0 for run in runs.values())
            made = f"{len(runs)} runs on {', '.join(hosts)}, of {', '.join(commits)}, at loads of up to {load:.1f}"
            lines += ["", f"{made} (`python -m bench measure {part} --json` has each)."]
    return "\n".join(lines)


def _short(commit: str) -> str:
    """A commit in 12 digits; the + of a changed checkout stays."""
    return commit[:12] + "+" * commit.endswith("+")
