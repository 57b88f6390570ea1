"""Klein's lecture of 2011, from naive Bayes to structured SVMs: its ideas in pictures, its learners compared.

A lecture has no experiments of its own. Every learner here runs on the same handwriting (OCR) and digits (MNIST),
and on points in the plane. ``docs/reference/klein2011.md`` walks through the slides.
"""

from structbench.bench.papers import figure_rows
from structbench.bench.papers.grid_runs import once
from structbench.bench.papers.klein2011 import figures, rules, slides
from structbench.bench.papers.klein2011.runs import scale_of
from structbench.bench.papers.terms import Claim, Figure, Spec

NAME = "Klein 2011 (overview)"
OWN_DATA = ()  # a lecture has none


def figures_of(scale: str) -> dict[str, Figure]:
    drawn = figures.draws | slides.draws
    return figure_rows.figures(__file__, drawn, scale_of(scale))


def claims_of(scale: str) -> list[Claim]:
    return [*rules.klein2011_claims(scale_of(scale))]


def timed_of(scale: str) -> list[Spec]:
    """Return the runs whose seconds the overview, the figure of kernels and the claims on speed read."""
    chosen = scale_of(scale)
    shown = [spec for task in chosen.tasks for spec in figures.specs(task)]
    judged = [spec for claim in rules.klein2011_claims(chosen) if "timed" in claim.row.runs for spec in claim.runs]
    return list(dict.fromkeys([*shown, *judged, *slides.on_digits(chosen)]))


def runs_of(scale: str) -> dict[str, list[Spec]]:
    chosen = scale_of(scale)
    found = {f"klein2011/families-{task.stem}": figures.specs(task) for task in chosen.tasks}
    found["klein2011/plane"] = slides.needed(chosen)
    found["klein2011/kernels"] = slides.on_digits(chosen)
    found["klein2011/claims"] = [spec for claim in rules.klein2011_claims(chosen) for spec in claim.runs]
    return once(found)
