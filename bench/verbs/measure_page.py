"""The page of contests: the outcomes of all of them, and where their runs were made."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from structbench.bench.measure.outcomes import HEADING, Outcome
from structbench.bench.report import overview
from structbench.bench.report.markdown import document, table

INTRODUCTION = """# Ours and peers, by runs

A row has the medians of ours and theirs, their range over repeats, and the ratio. The best method of each side
counts. Seconds count only of undisturbed runs, timed alone, on one machine. More is said of
[performance](../reference/performance.md).

`python -m bench measure --page` wrote this page. {whole} of {all} comparisons have all their runs, of the programs
of that day. {missing} wait for runs and are left out: `make bench` makes them."""


def page_text(found: Sequence[Outcome]) -> str:
    """The page in Markdown."""
    there = [outcome for outcome in found if outcome.is_there]
    whole = sum(not outcome.notes for outcome in there)
    introduction = INTRODUCTION.format(whole=whole, all=len(found), missing=len(found) - len(there))
    parts = groupby(there, key=lambda outcome: outcome.contest.part)
    return document(introduction, *(block for part, members in parts for block in _blocks(part, [*members])))


def _blocks(part: str, outcomes: list[Outcome]) -> Iterator[str]:
    yield f"## {part}"
    rows = [[cell.replace("|", "\\|") for cell in [*outcome.row.values()][1:]] for outcome in outcomes]
    yield table(HEADING[1:], rows)
    if runs := {run.key: run for outcome in outcomes for run in outcome.runs}:
        hosts = sorted({str(run.host) for run in runs.values()})
        commits = sorted({overview.short(str(run.git_commit), 12) for run in runs.values()})
        load = max(run.load or 0.0 for run in runs.values())
        made = f"{len(runs)} runs on {', '.join(hosts)}, of {', '.join(commits)}, at loads of up to {load:.1f}"
        yield f"{made} (`python -m bench measure {part} --json` has each)."
