"""``docs/reference/performance.md``: our time, memory and quality beside peers, from the published comparisons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from structbench.bench.measure.compared import Outcome
from structbench.bench.measure.quantities import QUANTITIES
from structbench.bench.report import sealed
from structbench.bench.report.markdown import bullets, cell, document, prose, table
from structbench.bench.runs import records

PAGE, RECORD = Path("docs", "reference", "performance.md"), "contests.json"  # of the project, and of its results
HEADING = ("problem", "ours", "compared with", "ratio", "target")
AGAIN = "`python -m bench measure --page` makes it again"
WAITING = "Not measured yet: {} comparisons of the config."


@dataclass(frozen=True)
class Kept:
    """The published comparisons that have runs, and how many wait for theirs."""

    contests: tuple[Outcome, ...] = ()
    waiting: int = 0


def kept(results: Path) -> Kept:
    """The comparisons of a folder of publications."""
    if not (results / RECORD).exists():
        return Kept()
    return records.read_record(Kept, results / RECORD, AGAIN)


def keep(results: Path, found: Sequence[Outcome], parts: Sequence[str]) -> None:
    """Publish comparisons.

    Args:
        found: They replace the earlier comparisons of their parts. A part without runs keeps its earlier ones.
        parts: That of each of the config's comparisons, in its order.
    """
    new = {each.part for each in found if each.is_there}
    others = [each for each in kept(results).contests if each.part not in new and each.part in parts]
    there = [replace(each, runs={}) for each in (*found, *others) if each.is_there]
    record = Kept(tuple(sorted(there, key=lambda each: parts.index(each.part))), len(parts) - len(there))
    sealed.write_record(results / RECORD, record)


def page(results: Path) -> str:
    """The page's text."""
    said = kept(results)
    blocks = [prose("performance", waiting=WAITING.format(said.waiting) * bool(said.waiting))]
    measured: dict[str, list[Outcome]] = {}
    for outcome in sorted(said.contests, key=lambda each: [*QUANTITIES].index(each.quantity)):
        measured.setdefault(outcome.what.partition(", ")[0], []).append(outcome)
    for what, outcomes in measured.items():
        machines = dict.fromkeys(cell(each.made.machine) for each in outcomes if each.made)
        blocks += [f"## {what[0].upper()}{what[1:]}", table(HEADING, _rows(outcomes))]
        blocks += [f"Machine: {' and '.join(machines)}."] * bool(machines)
    return document(*blocks, "## Machines and versions", bullets(_made(said.contests)))


def _rows(outcomes: list[Outcome]) -> Iterator[tuple[str, ...]]:
    """A row for each comparison. Those of ours alone on a problem share a row."""
    rows: dict[tuple[str, str, int], list[Outcome]] = {}
    for number, outcome in enumerate(outcomes, 1):
        problem = outcome.what.partition(", ")[2]
        rows.setdefault((problem, outcome.target, number * bool(outcome.theirs)), []).append(outcome)
    for (problem, target, _), members in rows.items():
        first, unit = members[0], QUANTITIES[members[0].quantity]
        ours = "; ".join(each.ours.written(unit, spread=False) for each in members)
        theirs = first.theirs.written(unit, spread=False) if first.theirs else ""
        missed = ", **missed**" * any(each.is_met is False for each in members)
        mark = "\\*" * any(each.notes for each in members)
        yield *map(cell, (problem, ours, theirs, first.row["ratio"])), f"{target}{missed}{mark}"


def _made(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """A line for each machine: how many runs, with which commits and versions."""
    made = [each.made for each in outcomes if each.made]
    for machine in dict.fromkeys(each.machine for each in made):
        those = [each for each in made if each.machine == machine]
        versions = {name: version for each in those for name, version in each.versions.items()}
        commits = ", ".join(sorted({f"`{commit}`" for each in those for commit in each.commits}))
        yield (
            f"{cell(machine)}: {len(those)} comparisons, commits {commits}, loads of up to "
            f"{max(each.load for each in those):.1f}; {', '.join(f'{n} {v}' for n, v in versions.items())}."
        )
