"""Time, memory, gap and errors against the number of sentences, for methods that store examples' states or not."""

import numpy as np

from structbench.bench.drawing import curves, style
from structbench.bench.drawing.method_looks import labels, looks
from structbench.bench.papers import figure_rows
from structbench.bench.papers.grid_runs import grids
from structbench.bench.papers.panels import log, names_at_ends, with_range
from structbench.bench.papers.terms import Claim, Drawn, Figure, Run, Runs, Spec
from structbench.bench.runs import catalogue

NAME = "scaling"
REFERENCES = ()
CORPORA = ("peoples-daily",)
STORING = ("eg", "sdca", "sag", "sequential-dual")  # each example's state
ROWS = {"log loss": ("log", "peers"), "hinge loss, and no loss": ("hinge", "perceptron")}  # -> grids
PANELS = ("CPU seconds a pass", "peak memory (GiB)", "certified gap after {:g} passes", "wrong test tags (%)")


def runs_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, list[Spec]]:
    return {
        f"scaling/{name}": [spec for spec in specs if spec.data.name not in without]
        for name, specs in grids(__file__, scale).items()
    }


def timed_of(scale: str, without: frozenset[str] = frozenset()) -> list[Spec]:
    """Return all runs, as the figure shows seconds."""
    return [spec for specs in runs_of(scale, without).values() for spec in specs]


memory_of = timed_of  # the figure shows peak memory, too


def figures_of(scale: str, without: frozenset[str] = frozenset()) -> dict[str, Figure]:
    made = runs_of(scale, without)
    rows = {
        title: [spec for name in own for spec in made.get(f"scaling/{name}", [])] for title, own in ROWS.items()
    }
    return figure_rows.figures(__file__, {"scaling": draw_scaling}, rows) if any(rows.values()) else {}


def claims_of(scale: str, without: frozenset[str] = frozenset()) -> list[Claim]:
    """Return no claims: the figure is ours."""
    return []


def draw_scaling(rows: dict[str, list[Spec]], runs: Runs) -> Drawn:
    figure, panels = style.panels(len(rows), len(PANELS), height=3.1, width=3.9)
    for (title, members), row in zip(rows.items(), panels, strict=True):
        look_of = looks(labels(members))
        for algorithm in dict.fromkeys(spec.algorithm for spec in members):
            found = [run for spec in members if spec.algorithm == algorithm and (run := runs[spec]) is not None]
            if not found:
                continue
            n = np.array([run.summary["num_examples"] for run in found])
            name = catalogue.label(algorithm)
            look = {"color": look_of[name]["color"], "marker": "o", "markersize": 4}
            look |= {} if algorithm in STORING else {"markerfacecolor": "white"}
            for axes, values in zip(row, zip(*map(_measured, found), strict=True), strict=True):
                of_size = {size: np.array(values, float)[n == size] for size in np.unique(n)}
                with_range(axes, of_size, name, **look)
        sizes = sorted({run.summary["num_examples"] for spec in members if (run := runs[spec]) is not None})
        for axes, label in zip(row, PANELS, strict=True):
            axes.set(title=title, xlabel="training sentences", ylabel=label.format(members[0].passes))
            log(axes, "xy")
            axes.margins(x=0.04)
            if axes.lines:
                axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
            else:
                axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color="#777777")
            names_at_ends(axes)
    return figure


def _measured(run: Run) -> tuple[float, float, float, float]:
    """What the panels show of a run."""
    gap, memory = run.summary.get("relative_gap"), run.summary.get("peak_memory")
    return (
        curves.seconds_per_pass(run.curve),
        np.nan if memory is None else memory / 2**30,
        np.nan if gap is None else gap,
        100 * run.curve["test_error"].iloc[-1],
    )
