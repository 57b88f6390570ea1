"""Time, memory and gap against the number of examples, for methods that store each example's state or do not."""

from pathlib import Path

import numpy as np

from structbench.bench.drawing import curves, style
from structbench.bench.drawing.method_looks import labels, looks
from structbench.bench.papers import figure_rows
from structbench.bench.papers.grid_runs import grids
from structbench.bench.papers.panels import log, names_at_ends, with_range
from structbench.bench.papers.terms import Claim, Drawn, Figure, Runs, Spec
from structbench.bench.runs import catalogue

NAME = "scaling"
FIGURES, RUNS = (Path(__file__).with_name(name) for name in ("figures.toml", "runs.yaml"))
STORING = ("eg", "sdca", "sag", "frank-wolfe", "smo")  # each example's state


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


def draw_scaling(made: dict[str, list[Spec]], runs: Runs) -> Drawn:
    figure, panels = style.panels(len(made), 3, height=3.1, width=4.0)
    for (loss, members), (left, middle, right) in zip(made.items(), panels, strict=True):
        look_of = looks(labels(members))
        for algorithm in dict.fromkeys(spec.algorithm for spec in members):
            found = [run for spec in members if spec.algorithm == algorithm and (run := runs[spec]) is not None]
            if not found:
                continue
            n = np.array([run.summary["num_examples"] for run in found])
            seconds = np.array([curves.seconds_per_pass(run.curve, "wall_seconds") for run in found])
            memory = np.array([run.summary["peak_memory"] for run in found], float) / 2**30
            gap = np.array([run.summary.get("relative_gap") or np.nan for run in found], float)
            name = catalogue.label(algorithm)
            look = {"color": look_of[name]["color"], "marker": "o", "markersize": 4}
            look |= {} if algorithm in STORING else {"markerfacecolor": "white"}
            for axes, values in ((left, seconds), (middle, memory), (right, gap)):
                with_range(axes, {size: values[n == size] for size in np.unique(n)}, name, **look)
        labels_of = (
            "wall seconds a pass",
            "peak memory (GiB)",
            f"certified gap after {members[0].passes:g} passes",
        )
        for axes, label in zip((left, middle, right), labels_of, strict=True):
            axes.set(title=f"{loss} loss", xlabel="sentences", ylabel=label)
            log(axes, "xy")
            axes.margins(x=0.04)
            if not axes.lines:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color="#777777")
            names_at_ends(axes)
    return figure
