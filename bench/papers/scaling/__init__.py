"""Time, memory and gap against the number of examples, for methods that store each example's state or do not."""

from pathlib import Path

from structbench.bench.drawing.draw import Figure
from structbench.bench.papers import figure_rows
from structbench.bench.papers.grid_runs import grids
from structbench.bench.papers.judging import Claim
from structbench.bench.papers.scaling.figures import draw_scaling
from structbench.bench.runs.spec import Spec

NAME = "scaling"
FIGURES, RUNS = (Path(__file__).with_name(name) for name in ("figures.toml", "runs.yaml"))


def runs_of(scale: str) -> dict[str, list[Spec]]:
    return {f"scaling/toy-english-{loss}": specs for loss, specs in grids(RUNS, scale).items()}


def timed_of(scale: str) -> list[Spec]:
    """Return all runs, as the figure shows seconds."""
    return [spec for specs in grids(RUNS, scale).values() for spec in specs]


memory_of = timed_of  # the figure shows peak memory, too


def figures_of(scale: str) -> dict[str, Figure]:
    return figure_rows.figures(FIGURES, {"scaling": draw_scaling}, grids(RUNS, scale))


def claims_of(scale: str) -> list[Claim]:
    """Return no claims: the figure is ours."""
    return []
