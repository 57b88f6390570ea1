"""Publish the certified optimal values that published runs and one's own runs prove, as a table and a page."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from structbench import datasets
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.drawing import plotted
from structbench.bench.report import markdown, published
from structbench.bench.report.optima import (
    OWN,
    TABLE,
    Optimum,
    Problem,
    Source,
    Table,
    optima_of,
    own_results,
    proven,
    read_optima,
    result_of,
)  # fmt: skip
from structbench.bench.runs import objective_names
from structbench.bench.runs.store import Run

PAGE = "optima.md"
LARGEST_GAP = 0.01  # relative: of a problem in the table
OTHER_ARRAYS = "Arrays of commit {}; other commits made other arrays of the same data, in another section."
DRAWN = ("draw", "fold", "seed")  # options of data that are one of several draws
HEADING = (
    *Problem._fields, "structure", "num_weights", "A", "lower_bound", "objective",
    *(f"{which}_{name}" for which in ("bound", "objective") for name in Source._fields),
)  # fmt: skip


@cache  # thousands of runs have few
def is_standard(data: str) -> bool:
    """Whether data are published ones as they are: not generated, not one of several draws."""
    name, _, options = data.partition(":")
    drawn = any(f"{each}=" in option for option in options.split(",") for each in DRAWN)
    return name in datasets.names() and bool(datasets.sources(name)) and not drawn


def write_optima(out: Path, runs: Iterable[Run] = ()) -> list[Path]:
    """Write the table and its page, of what is published in ``out`` and of own runs. Earlier own ones stay."""
    found = [*(each for each in proven(read_optima(out)) if each.by.paper == OWN), *own_results(runs)]
    for paper in published.papers_of(out):
        found += [each for row in published.published_rows(out / paper) if (each := result_of(row, paper))]
    table = optima_of(each for each in found if is_standard(each.problem.data))
    table = table._replace(optima=[each for each in table.optima if each.relative_gap <= LARGEST_GAP])
    write_atomically(out / TABLE, plotted.csv_text([*HEADING], [*map(_cells, table.optima)]))
    write_atomically(out / PAGE, optima_page(table))
    return [out / TABLE, out / PAGE]


def _cells(each: Optimum) -> dict[str, str]:
    values = [*each.problem, *each[1:6], *each.bound_by, *each.objective_by]
    texts = (objective_names.shortest(value) if isinstance(value, float) else str(value) for value in values)
    return dict(zip(HEADING, texts, strict=True))


def optima_page(table: Table) -> str:
    """The page of the table: a section a data set."""
    blocks = []
    by_data = defaultdict[tuple, list[Optimum]](list)
    for each in table.optima:
        by_data[each.problem.data, each.problem.data_sha256, each.structure, each.num_weights].append(each)
    named = Counter(data for data, *_ in by_data)
    for (data, sha256, structure, count), some in by_data.items():
        facts = f"{structure}, {count:,} weights, data {markdown.code(sha256)}"
        heading = data if named[data] == 1 else f"{data} ({sha256})"
        if named[data] > 1:
            facts += f". {OTHER_ARRAYS.format(_commits(some))}"
        rows = [_row(each) for each in some]
        heads = ("loss", "C", "lower bound", "objective", "gap", "bound by", "objective by")
        blocks += [f"## {heading}", facts, markdown.table(heads, rows)]
    lines = [f"{each.by}: {each.lower_bound:.9g}" for each in table.withdrawn]
    withdrawn = f"Withdrawn, with a bound above another objective: {', '.join(lines)}." if lines else ""
    return markdown.prose("optima", tables=markdown.document(*blocks), withdrawn=withdrawn)


def _commits(some: Iterable[Optimum]) -> str:
    """The commits of the runs of a section."""
    found = {by.commit for each in some for by in (each.bound_by, each.objective_by) if by.commit}
    return ", ".join(map(markdown.code, sorted(found)))


def _row(each: Optimum) -> list[str]:
    problem = each.problem
    loss = problem.loss if problem.penalty == "l2" else f"{problem.loss}, {problem.penalty}"
    by = [f"{one.algorithm} ({one.paper})" for one in (each.bound_by, each.objective_by)]
    numbers = [f"{problem.C:g}", f"{each.lower_bound:.9g}", f"{each.objective:.9g}", f"{each.relative_gap:.0e}"]
    return [loss, *numbers, *by]
