"""Our figures of laso2005's experiments; the paper gives tables only."""

from collections.abc import Callable

import numpy as np

from structbench.bench.drawing import colours, method_looks, plotted, style
from structbench.bench.papers.laso2005 import runs as made
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import BEAMS, CHUNKING, JOINT, Task, Way, laso, matrix
from structbench.bench.papers.measured import ends
from structbench.bench.papers.panels import fit_y, later, log, names_at_ends, widen
from structbench.bench.papers.terms import Axes, Drawn, Registry, Runs

draws = Registry()
TITLES = {CHUNKING: "chunking", JOINT: "joint tagging and chunking"}
UPDATES = {"perceptron": "perceptron updates", "alma": "large margin updates"}
COLOURS = {"perceptron": style.CYCLE[0], "alma": colours.colour("laso")}
POINTS = 2.0  # of F, the least that an axis shows: Table 1's range is 2
F = "F of chunks (percent)"


def _four_panels(
    height: float, width: float, labels: tuple[str, str], draw: Callable[[Axes, str, str], None],
    finish: Callable[[Axes], None],
) -> Drawn:  # fmt: skip
    """Draw a panel for each task and update, with names at the lines' ends; ``finish`` gets those with lines."""
    figure, panels = style.panels(2, 2, height=height, width=width)
    for row, kind in zip(panels, TITLES, strict=True):
        for axes, (update, name) in zip(row, UPDATES.items(), strict=True):
            draw(axes, kind, update)
            axes.set(title=f"{TITLES[kind]}, {name}", xlabel=labels[0], ylabel=labels[1])
            if axes.lines:
                finish(axes)
                names_at_ends(axes)
    return figure


@draws("f-against-seconds")
def f_against_seconds(task: Task, runs: Runs) -> Drawn:
    def line(axes: Axes, way: Way, kind: str, **look: object) -> None:
        found = runs.present(task.specs(way, kind, way.Cs[len(way.Cs) // 2]))
        style.line(axes, found, later(lambda curve: 100 * curve["test_f1"]), "cpu_seconds", **look)

    def draw(axes: Axes, kind: str, update: str) -> None:
        for rank, beam in enumerate(BEAMS[kind]):
            line(axes, laso(update, beam), kind, color=_shade(rank, kind), label=_beam(beam))
        for other in (made.SEMI_CRF, made.PERCEPTRON) if kind == CHUNKING else (made.STANDARD,):
            line(axes, other, kind, **_look(other))

    def finish(axes: Axes) -> None:
        log(axes, "x")
        axes.margins(x=0.03)
        fit_y(axes, skip=0.3)

    return _four_panels(3.2, 5.4, ("CPU seconds of training", F), draw, finish)


@draws("f-against-beam")
def f_against_beam(task: Task, runs: Runs) -> Drawn:
    figure, panels = style.panels(2, 2, height=3.0, width=4.4)
    for (upper, lower), kind in zip(panels.T, TITLES, strict=True):
        beams = BEAMS[kind]
        for update, name in UPDATES.items():
            found = {k: scores.Trained(task, runs, laso(update, beam), kind) for k, beam in enumerate(beams)}
            there = {k: one.choice.passes for k, one in found.items() if one.choice}
            seconds = [found[k].mean("cpu_seconds") / passes for k, passes in there.items()]
            look = {"marker": "s", "markersize": 4.5, "color": COLOURS[update], "label": name}
            if there:
                plotted.line(upper, [*there], [100 * found[k].mean("test_f1") for k in there], **look)
                _, low, high = np.transpose([scores.percentiles(100 * found[k].f1_samples()) for k in there])
                if np.isfinite(high - low).all():
                    plotted.band(upper, [*there], low, high, name, color=COLOURS[update], alpha=style.BAND)
            if np.isfinite(seconds).any():
                plotted.line(lower, [*there], seconds, **look)
        for other in (made.SEMI_CRF, made.PERCEPTRON) if kind == CHUNKING else ():
            if (one := scores.Trained(task, runs, other, kind)).choice:
                plotted.level(upper, 100 * one.mean("test_f1"), **_look(other))
        upper.set(title=TITLES[kind], ylabel=F)
        lower.set(ylabel="CPU seconds a pass", xlabel="beam of training and of decoding")
        for axes in (upper, lower):
            plotted.ticks(axes.xaxis, range(len(beams)), [_beam(beam).removeprefix("beam ") for beam in beams])
            axes.margins(x=0.05)
        widen(upper, POINTS)
        log(lower, "y")
    return style.legend_above(figure)


@draws("decoding")
def decoding(task: Task, runs: Runs) -> Drawn:
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=4.6)
    beams = task.matrix
    values = np.full((len(beams), len(beams)), np.nan)
    for (train, test), specs in matrix(task).items():
        values[beams.index(train), beams.index(test)] = 100 * scores.f1_after(runs, specs, task.matrix_passes)
    shown = plotted.cells(axes, values, cmap="viridis")
    middle = (np.nanmin(values) + np.nanmax(values)) / 2 if np.isfinite(values).any() else 0.0
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = "white" if value < middle else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=8.5)
    for axis in (axes.xaxis, axes.yaxis):
        plotted.ticks(axis, range(len(beams)), [str(beam) for beam in beams])
    title = f"{F}, large margin updates"
    axes.set(xlabel="beam of decoding", ylabel="beam of training", title=title)
    axes.grid(visible=False)
    figure.colorbar(shown.artist, ax=axes, shrink=0.9)
    return figure


@draws("updates")
def updates(task: Task, runs: Runs) -> Drawn:
    def draw(axes: Axes, kind: str, update: str) -> None:
        for rank, beam in enumerate(BEAMS[kind]):
            found = [ends(run)["updates"] for run in runs.present(task.specs(laso(update, beam), kind))]
            counts = [np.diff(each.to_numpy(), prepend=0.0) for each in found]
            if counts:
                look = {"color": _shade(rank, kind), "label": _beam(beam), "marker": "o", "markersize": 3}
                mean = np.mean([each[: min(map(len, counts))] for each in counts], axis=0)
                plotted.line(axes, range(1, len(mean) + 1), mean, **look)

    def finish(axes: Axes) -> None:
        axes.set_ylim(bottom=0)
        axes.margins(x=0.04)
        axes.locator_params(axis="x", integer=True)
        style.thousands(axes)

    return _four_panels(3.0, 5.2, ("pass", "updates in the pass"), draw, finish)


def _beam(beam: made.Beam) -> str:
    return "beam ∞" if beam == "inf" else f"beam {beam}"


def _shade(rank: int, kind: str) -> tuple[float, ...]:
    """Return a shade of LaSO's hue, from light to dark by the beam's rank."""
    return style.shade("laso", rank, len(BEAMS[kind]))


def _look(other: Way) -> dict:
    """Return the look of what LaSO is compared with."""
    return method_looks.look(other.algorithm) | {"label": other.name, "linestyle": style.REFERENCE}
