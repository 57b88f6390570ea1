"""``docs/results/what-held.md``: which of the papers' sentences held, and on which data, over all papers.

Sentences are counted by paper, data and kind, and numbers are compared with the papers' own, as large replications
report them.
"""

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.drawing import style
from structbench.bench.papers.claim_rows import PAPER, Unjudged, rows, unjudged
from structbench.bench.papers.evidence import ABOVE, FACTORS, NUMBER, SAME, Evidence
from structbench.bench.papers.verdicts import REPRODUCED, VERDICTS, verdict
from structbench.bench.report import markdown, origin, published, their_tables
from structbench.bench.report.published import Published
from structbench.bench.report.their_tables import Columns
from structbench.bench.workflow.paper_modules import title

PAGE, PLOT = "what-held.md", "what-held.svg"
OFF = 2.0  # a factor between our number and the paper's that the plot tells
BY_HAND = "<!-- what follows is written by hand -->"
UNIFORM = "from uniform u"  # a choice that eg2008 shows beside our start of EG
Numbers = Mapping[str, Sequence[Sequence[Evidence]]]  # paper -> for each of its numbers, ours


def write_what_held(results: Path) -> Path:
    """Write the page and its plot into a folder of publications. What follows ``BY_HAND`` there stays."""
    claims, file, papers = published_sentences(results), results / PAGE, published.papers_of(results)
    others = published.not_run(papers)
    files = {
        each: [*own_folders.files(f"bench/papers/{each}", "*claims.toml").values()] for each in (*papers, *others)
    }
    left = [(paper, each) for paper, some in files.items() for toml in some for each in unjudged(toml)]
    left += [(paper, each) for paper in papers for each in _of_newer_rules(paper, files[paper], claims)]
    waiting = {each: sum(row.by == PAPER for toml in files[each] for row in rows(toml)) for each in others}
    columns = dict(chain(*(their_tables.columns(results / paper).items() for paper in papers)))
    if numbers := numbers_of(claims, columns):
        draw_what_held(numbers, columns, results / PLOT)
    kept = file.read_text(encoding="utf-8").partition(BY_HAND)[2] if file.exists() else "\n"
    write_atomically(file, f"{page(claims, left, columns, waiting).rstrip()}\n\n{BY_HAND}{kept}")
    return file


def published_sentences(results: Path) -> list[Published]:
    """The sentences of all papers there, without readings of ours and claims without evidence."""
    found = chain(*(published.claims(results, paper) for paper in published.papers_of(results)))
    return [claim for claim in found if claim.conditions and claim.by == PAPER]


def _of_newer_rules(paper: str, files: Iterable[Path], claims: Sequence[Published]) -> list[Unjudged]:
    """The sentences of a published paper whose rule was written since."""
    judged = {claim.row for claim in claims}
    waiting = (row for file in files for row in rows(file) if row.by == PAPER)
    return [
        Unjudged(row.text, row.where, "its rule is newer than the published runs")
        for row in waiting
        if f"{paper}/{row.id}" not in judged
    ]


def page(
    claims: Sequence[Published],
    left: Sequence[tuple[str, Unjudged]],
    columns: Columns,
    waiting: Mapping[str, int] = MappingProxyType({}),
) -> str:
    """The page's text, of sentences that are judged, that no rule judges, and that wait for runs.

    Args:
        claims: The judged ones.
        left: Those without a rule, with their paper.
        columns: Our numbers and the papers' in their tables.
        waiting: Number of sentences with a rule, by papers without published runs.
    """
    nearest = [claim for claim in claims if claim.origin in origin.NEAREST]
    verdicts, unread, kinds = [], Counter(paper for paper, _ in left), [*origin.ORIGINS]
    by_paper = {paper: [] for paper in sorted(unread) if paper not in waiting} | dict(
        _grouped(nearest, lambda claim: claim.paper)
    )
    for paper, some in by_paper.items():
        verdicts.append((title(paper), *_cells(some, unread[paper])))
        if any(each.choice == UNIFORM for claim in some for each in claim.conditions):
            other = [replace(claim, verdict=_verdict_under(UNIFORM, claim)) for claim in some]
            both = sum(a.verdict == b.verdict == REPRODUCED for a, b in zip(some, other, strict=True))
            verdicts.append((f"{title(paper)}, {UNIFORM} ({both} from both)", *_cells(other, unread[paper])))
    verdicts.append(("all that were run", *_cells(nearest, sum(paper not in waiting for paper, _ in left))))
    for paper, n in waiting.items():
        verdicts.append((title(paper), n + unread[paper], *"-" * (len(VERDICTS) - 1), n, unread[paper] or "-"))
    by_data = _grouped(claims, lambda claim: (kinds.index(claim.origin), claim.paper))
    data = [(origin.ORIGINS[kinds[k]], title(paper), *_cells(some)[:-2]) for (k, paper), some in by_data]
    about = [(said, *_cells(some)[:-2]) for said, some in _grouped(nearest, lambda c: kind_of(c.conditions))]
    why = [(title(paper), f"{markdown.cell(one.text)} ({one.where})", one.reason) for paper, one in left]
    numbers = [(title(paper), *compared(some)) for paper, some in numbers_of(claims, columns).items()]
    tables = [(title(of[0]), of[1], len(some), _spread(a - b for a, b in some)) for of, some in columns.items()]
    heads, blocks = ("sentences", *VERDICTS[:-1]), [markdown.prose("what-held")]
    compare = ("numbers", "on the same side", "theirs in our interval", "ours over theirs")
    for before, columned, some in (
        ("## By paper", ("paper", *heads, VERDICTS[-1], "not judged"), verdicts),
        ("## By data", ("data", "paper", *heads), data),
        ("## By what the sentence is about", ("about", *heads), about),
        (markdown.prose("what-held-numbers", plot=PLOT), ("paper", *compare), numbers),
        (markdown.prose("what-held-tables"), ("paper", "table", "numbers", "ours less theirs"), tables),
        ("## Not judged", ("paper", "sentence", "why"), why),
    ):
        blocks += [before, markdown.table(columned, some)] if some else []
    return markdown.document(*blocks)


def _grouped(claims: Iterable[Published], key: Callable[[Published], Any]) -> list[tuple[Any, list[Published]]]:
    return [(of, [*some]) for of, some in groupby(sorted(claims, key=key), key)]


def _cells(claims: Sequence[Published], left: int = 0) -> list[int | str]:
    """How many there are in all, how many have each verdict, and how many are left without one."""
    counts = Counter(claim.verdict for claim in claims)
    return [len(claims) + left, *(counts[verdict] or "-" for verdict in VERDICTS), left or "-"]


def _verdict_under(choice: str, claim: Published) -> str:
    """The verdict if conditions under a choice of ours counted, in place of those that count."""
    others = {(e.part, str(e.where)): e._replace(counted=True) for e in claim.conditions if e.choice == choice}
    found = [others.get((e.part, str(e.where)), e) if e.counted else e for e in claim.conditions]
    return verdict(found, claim.quantifier)


def kind_of(conditions: Sequence[Evidence]) -> str:
    """What a sentence is about, by the first number that its verdict reads."""
    first = next((each for each in conditions if each.counted), conditions[0])
    if "second" in first.says:
        return "time: seconds"
    if "pass" in first.says:
        return "rate: passes, or the speed of convergence"
    if first.unit.startswith("points"):
        return "accuracy: errors, or F, that differ or agree"
    asks_number = first.claimed in (NUMBER, SAME)
    return "number: a number of the paper's" if asks_number else "order: which of two is larger, other than these"


def numbers_of(claims: Iterable[Published], columns: Columns) -> Numbers:
    """Each paper's numbers that stand in none of its tables, once for a sentence, each with all of ours."""
    tabled = {(paper, theirs) for (paper, _), pairs in columns.items() for _, theirs in pairs}
    found: dict[str, dict[tuple[str, float], list[Evidence]]] = defaultdict(lambda: defaultdict(list))
    for claim in (claim for claim in claims if claim.origin in origin.NEAREST):
        for each in claim.conditions:
            compares = each.counted and math.isfinite(each.theirs + each.value)
            if compares and (claim.paper, each.theirs) not in tabled:
                found[claim.paper][claim.row, each.theirs].append(each)
    return {paper: [*some.values()] for paper, some in found.items()}


def compared(numbers: Sequence[Sequence[Evidence]]) -> tuple[int | str, ...]:
    """A row of the table of numbers. All of ours have to be on the side of one of theirs, or around it."""
    spread = [[e for e in some if math.isfinite(e.high - e.low) and e.low < e.high] for some in numbers]
    sided = [all(each.value > each.none for each in some) for some in numbers if some[0].claimed == ABOVE]
    inside = [all(each.low <= each.theirs <= each.high for each in some) for some in spread if some]
    met = [f"{sum(found)} of {len(found)}" if found else "-" for found in (sided, inside)]
    return len(numbers), *met, _spread(ours / theirs for ours, theirs in map(_middle, numbers) if ours and theirs)


def _middle(some: Sequence[Evidence]) -> tuple[float, float]:
    """The median of ours, and theirs, of a factor or count; else zeros."""
    if some[0].kind not in FACTORS:
        return 0.0, 0.0
    return statistics.median(each.value for each in some), some[0].theirs


def _spread(values: Iterable[float]) -> str:
    """The median, the least and the greatest."""
    found = [*values]
    return f"{statistics.median(found):.3g} ({min(found):.3g} to {max(found):.3g})" if found else "-"


def draw_what_held(numbers: Numbers, columns: Columns, file: Path) -> None:
    """Draw our factors and counts against the papers', one colour a paper; those in tables as small dots."""
    from matplotlib.figure import Figure

    papers = sorted({*numbers, *(paper for paper, _ in columns)})
    with style.context():
        figure = Figure(figsize=(6.6, 5.4), layout="constrained")
        axes = figure.subplots()
        for paper, colour in zip(papers, style.CYCLE, strict=False):
            large = [*map(_middle, numbers.get(paper, ()))]
            small = [pair for (of, _), pairs in columns.items() if of == paper for pair in pairs]
            for points, size, label in ((large, 5, title(paper)), (small, 2.5, None)):
                shown = [pair for pair in points if min(pair) > 0] or [(math.nan, math.nan)]
                ours, theirs = zip(*shown, strict=True)
                axes.plot(theirs, ours, "o", color=colour, ms=size, alpha=0.7, label=label)
            for ours, theirs in large:
                if min(ours, theirs) > 0 and max(ours / theirs, theirs / ours) > OFF:
                    look = {"xytext": (5, 0), "textcoords": "offset points", "va": "center", "fontsize": 7.5}
                    axes.annotate(f"{ours:.3g} for {theirs:.3g}", (theirs, ours), color=style.INK, **look)
        axes.loglog()
        axes.margins(0.05)
        axes.set(xlabel="the paper's number", ylabel="ours")
        ends, up = np.array(axes.get_xlim()), axes.get_ylim()
        axes.fill_between(
            ends, ends / OFF, ends * OFF, color="#EEEEEE", lw=0, zorder=0, label=f"a factor of {OFF:g}"
        )
        axes.axline((1, 1), (10, 10), color=style.INK, lw=0.8, zorder=1)
        axes.set(xlim=ends, ylim=up)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.legend(fontsize=8, frameon=False)
        figure.savefig(file, metadata={"Date": None})
