"""Time, memory and gap against the number of examples, for methods that store each example's state or do not."""

from pathlib import Path

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers import figure_rows
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.scaling.figures import draw_scaling
from structbench.bench.papers.scaling.runs import SEEDS, memory_of, runs_of, timed_of

__all__ = ["claims_of", "figures_of", "memory_of", "runs_of", "timed_of"]

NAME = "scaling"
FIGURES = Path(__file__).with_name("figures.toml")


def figures_of(scale: str) -> dict[str, Figure]:
    """Return the one figure by file stem."""
    return figure_rows.figures(FIGURES, {"scaling": draw_scaling}, scale, repeated=figure_rows.repeated(SEEDS))


def claims_of(scale: str) -> list[Claim]:
    """Return no claims: the figure is ours."""
    return []
