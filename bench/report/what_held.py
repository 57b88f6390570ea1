"""``docs/results/what-held.md``: which of the papers' sentences held on their own data, over all papers.

Sentences are counted by kind, and numbers are compared with the papers' own, as large replications report them.
"""

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.drawing import style
from structbench.bench.papers.claim_rows import PAPER
from structbench.bench.papers.evidence import ABOVE, FACTORS, NUMBER, SAME, Evidence
from structbench.bench.papers.verdicts import VERDICTS
from structbench.bench.report import markdown, origin, published
from structbench.bench.report.published import Published
from structbench.bench.workflow.names import title

PAGE, PLOT = "what-held.md", "what-held.svg"
BY_HAND = "<!-- what follows is written by hand -->"
TIME, RATE, ACCURACY, A_NUMBER, ORDER = "time", "rate", "accuracy", "number", "order"
ABOUT = {
    TIME: "seconds",
    RATE: "passes, or the speed of convergence",
    ACCURACY: "errors, or F, that differ or agree",
    A_NUMBER: "a number of the paper's",
    ORDER: "which of two is larger, other than these",
}


def write_what_held(results: Path) -> Path:
    """Write the page and its plot into a folder of publications. What follows ``BY_HAND`` there stays."""
    claims, file = published_sentences(results), results / PAGE
    if _given(claims):
        draw_what_held(claims, results / PLOT)
    kept = file.read_text(encoding="utf-8").partition(BY_HAND)[2] if file.exists() else "\n"
    write_atomically(file, f"{page(claims).rstrip()}\n\n{BY_HAND}{kept}")
    return file


def published_sentences(results: Path) -> list[Published]:
    """The sentences of all papers there, judged on the paper's own data, or on ours if it has none.

    A claim without evidence does not count.
    """
    return [
        claim
        for paper in published.papers_of(results)
        for claim in published.claims(results, paper)
        if claim.conditions and claim.origin in (origin.OWN, origin.OURS) and claim.by == PAPER
    ]


def page(claims: Sequence[Published]) -> str:
    """The page's text, of claims as ``published_sentences`` has them."""
    kind = {claim.id: kind_of(claim.conditions) for claim in claims}
    kinds = [(f"{name}: {about}", [c for c in claims if kind[c.id] == name]) for name, about in ABOUT.items()]
    papers = [(title(name), [*some]) for name, some in groupby(claims, key=lambda claim: claim.paper)]
    blocks = [markdown.prose("what-held")]
    for heading, what, parts in (
        ("By paper", "paper", [*papers, ("all", claims)]),
        ("By what the sentence is about", "about", kinds),
    ):
        rows = [(name, *_cells(some)) for name, some in parts if some or name == "all"]
        blocks += [f"## {heading}", markdown.table((what, "sentences", *VERDICTS), rows)]
    if rows := [(name, *compared(given).cells) for name, some in papers if (given := _given(some))]:
        heads = ("paper", "numbers", "on the same side", "theirs in our interval", "ours over theirs")
        blocks += [markdown.prose("what-held-numbers"), markdown.table(heads, rows)]
        blocks.append(f"![Our factors and counts against the papers': on the line both are equal]({PLOT})")
    return markdown.document(*blocks)


def _cells(claims: Sequence[Published]) -> list[int | str]:
    """How many there are, and how many have each verdict."""
    counts = Counter(claim.verdict for claim in claims)
    return [len(claims), *(counts[verdict] or "-" for verdict in VERDICTS)]


def kind_of(conditions: Sequence[Evidence]) -> str:
    """What a sentence is about, by the first number that its verdict reads."""
    first = next((each for each in conditions if each.counted), conditions[0])
    if "second" in first.says:
        return TIME
    if "pass" in first.says:
        return RATE
    if first.unit.startswith("points"):
        return ACCURACY
    return A_NUMBER if first.claimed in (NUMBER, SAME) else ORDER


class Compared(NamedTuple):
    """Our numbers against the papers': how many there are, and which meet each criterion of a replication."""

    count: int
    sided: list[bool]
    inside: list[bool]
    ratios: list[float]

    @property
    def cells(self) -> tuple[int | str, ...]:
        """The row of a table."""
        met = [f"{sum(found)} of {len(found)}" for found in (self.sided, self.inside)]
        middle = f"{statistics.median(self.ratios):.2g}, of {len(self.ratios)}" if self.ratios else "-"
        return self.count, *met, middle


def compared(conditions: Sequence[Evidence]) -> Compared:
    """Compare our numbers with the papers' own."""
    sided = [each.value > each.none for each in conditions if each.claimed == ABOVE]
    inside = [each.low <= each.theirs <= each.high for each in conditions if math.isfinite(each.high - each.low)]
    ratios = [each.value / each.theirs for each in conditions if _is_ratio(each)]
    return Compared(len(conditions), sided, inside, ratios)


def _given(claims: Iterable[Published]) -> list[Evidence]:
    """The conditions for which a paper has a number."""
    found = (each for claim in claims for each in claim.conditions)
    return [each for each in found if each.counted and math.isfinite(each.theirs + each.value)]


def draw_what_held(claims: Iterable[Published], file: Path) -> None:
    """Draw our factors and counts against the papers', one colour a paper."""
    from matplotlib.figure import Figure

    points: dict[str, list[Evidence]] = {}
    for claim in claims:
        points.setdefault(claim.paper, []).extend(filter(_is_ratio, _given([claim])))
    with style.context():
        figure = Figure(figsize=(5.2, 4.6), layout="constrained")
        axes = figure.subplots()
        for (paper, some), colour in zip(points.items(), style.CYCLE, strict=False):
            if some:
                places = [each.theirs for each in some], [each.value for each in some]
                axes.plot(*places, "o", color=colour, ms=5, alpha=0.8, label=title(paper))
        axes.loglog()
        axes.set(xlabel="the paper's number", ylabel="ours")
        limits = [*axes.get_xlim(), *axes.get_ylim()]
        ends = min(limits) / 1.2, 1.2 * max(limits)
        axes.plot(ends, ends, color=style.INK, lw=0.8, zorder=0)
        axes.set(xlim=ends, ylim=ends)
        if any(points.values()):
            axes.legend(fontsize=8, frameon=False)
        figure.savefig(file, metadata={"Date": None})


def _is_ratio(condition: Evidence) -> bool:
    return condition.kind in FACTORS and condition.theirs > 0 and condition.value > 0
