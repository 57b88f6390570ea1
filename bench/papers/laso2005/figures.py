"""Our figures of laso2005's experiments; the paper gives tables only."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import colours, style
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import Task, matrix
from structbench.bench.papers.laso2005.setting import (
    BEAMS,
    CHUNKING,
    JOINT,
    PERCEPTRON,
    SEMI_CRF,
    STANDARD,
    Way,
    laso,
)
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

TITLES = {CHUNKING: "chunking", JOINT: "joint tagging and chunking"}
UPDATES = {
    "perceptron": ("perceptron updates", "#0072B2", "-"),
    "alma": ("large margin updates", "#D55E00", (0, (5, 1.6))),
}
OTHERS = {SEMI_CRF.name: "#009E73", PERCEPTRON.name: "#CC79A7", STANDARD.name: "#CC79A7"}


def against_seconds(task: Task, runs: Runs) -> "Drawn":
    """Draw F against training seconds, one panel an update and task."""
    figure, panels = style.panels(2, 2, height=3.2, width=5.4)
    for row, kind in zip(panels, (CHUNKING, JOINT), strict=True):
        for axes, (update, (name, *_)) in zip(row, UPDATES.items(), strict=True):
            beams = BEAMS[kind]
            for rank, beam in enumerate(beams):
                shown = {"color": _shade(UPDATES[update][1], rank, len(beams)), "label": _beam(beam)}
                _line(axes, task, runs, laso(update, beam), kind, **shown)
            for other in (SEMI_CRF, PERCEPTRON) if kind == CHUNKING else (STANDARD,):
                _line(
                    axes,
                    task,
                    runs,
                    other,
                    kind,
                    color=OTHERS[other.name],
                    linestyle=(0, (1, 1.2)),
                    label=other.name,
                )
            axes.set(title=f"{TITLES[kind]}, {name}", xlabel="training seconds", ylabel="F of chunks (percent)")
            if axes.lines:
                style.log_ticks(axes.xaxis)
                _lift(axes)
                _legend_beside(axes)
    return figure


def _line(axes: "Axes", task: Task, runs: Runs, way: Way, kind: str, **look: object) -> None:
    found = runs.present(task.specs(way, kind, way.Cs[len(way.Cs) // 2]))
    style.line(axes, found, lambda c: np.where(c["passes"] > 0, 100 * c["test_f1"], np.nan), "cpu_seconds", **look)


def _lift(axes: "Axes") -> None:
    """Fit the y axis to all values that lines reach, without the first fractions of a pass."""
    each = [line.get_ydata() for line in axes.lines if len(line.get_ydata())]
    if each:
        values = np.concatenate(each)
        low, high = min(np.percentile(values, 30), *map(np.max, each)), values.max()
        axes.set_ylim(low - 0.4 * (high - low) - 0.1, high + 0.1 * (high - low) + 0.1)


def _legend_beside(axes: "Axes") -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.03), borderaxespad=0)


def against_beam(task: Task, runs: Runs) -> "Drawn":
    """Draw F and its cost against the beam."""
    figure, panels = style.panels(2, 2, height=3.0, width=4.4)
    for column, kind in enumerate((CHUNKING, JOINT)):
        beams = BEAMS[kind]
        for update, (name, colour, dash) in UPDATES.items():
            found = [scores.score(task, runs, laso(update, beam), kind) for beam in beams]
            there = [k for k, one in enumerate(found) if one]
            if not there:
                continue
            look = {"color": colour, "linestyle": dash, "marker": "o", "markersize": 3.6, "label": name}
            panels[0, column].plot(there, [100 * found[k].f1 for k in there], **look)
            seconds = [found[k].train / found[k].passes for k in there]
            if np.isfinite(seconds).any():
                panels[1, column].plot(there, seconds, **look)
        if kind == CHUNKING:
            for other in (SEMI_CRF, PERCEPTRON):
                one = scores.score(task, runs, other, kind)
                if one:
                    look = {"color": OTHERS[other.name], "linestyle": (0, (1, 1.2)), "label": other.name}
                    panels[0, column].axhline(100 * one.f1, **look)
        panels[0, column].set(title=TITLES[kind], ylabel="F of chunks (percent)")
        panels[1, column].set(ylabel="seconds a pass", xlabel="beam of training and of decoding")
        for axes in panels[:, column]:
            axes.set_xticks(range(len(beams)), [_beam(beam).removeprefix("beam ") for beam in beams])
            axes.margins(x=0.05)
        if panels[1, column].lines:
            style.log_ticks(panels[1, column].yaxis)
    style.legend_above(figure)
    return figure


def decoding(task: Task, runs: Runs) -> "Drawn":
    """Draw Table 3 as a heat map."""
    figure, panels = style.panels(1, 1, height=3.6, width=4.6)
    axes, beams = panels[0, 0], task.matrix
    values = np.full((len(beams), len(beams)), np.nan)
    for (train, test), specs in matrix(task).items():
        values[beams.index(train), beams.index(test)] = 100 * scores.f1_after(runs, specs, task.matrix_passes)
    shown = axes.imshow(values, cmap="viridis")
    middle = (np.nanmin(values) + np.nanmax(values)) / 2 if np.isfinite(values).any() else 0.0
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = "white" if value < middle else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=8.5)
    axes.set_xticks(range(len(beams)), [str(beam) for beam in beams])
    axes.set_yticks(range(len(beams)), [str(beam) for beam in beams])
    axes.set(
        xlabel="beam of decoding", ylabel="beam of training", title="F of chunks (percent), large margin updates"
    )
    axes.grid(visible=False)
    figure.colorbar(shown, ax=axes, shrink=0.9)
    return figure


def updates_by_pass(task: Task, runs: Runs) -> "Drawn":
    """Draw the number of updates in every pass over the training sentences."""
    figure, panels = style.panels(2, 2, height=3.0, width=5.2)
    for row, kind in zip(panels, (CHUNKING, JOINT), strict=True):
        for axes, (update, (name, colour, _)) in zip(row, UPDATES.items(), strict=True):
            for rank, beam in enumerate(BEAMS[kind]):
                made = [_updates(run) for run in runs.present(task.specs(laso(update, beam), kind))]
                if made:
                    shade = _shade(colour, rank, len(BEAMS[kind]))
                    mean = np.mean([counts[: min(map(len, made))] for counts in made], axis=0)
                    axes.plot(
                        range(1, len(mean) + 1), mean, color=shade, label=_beam(beam), marker="o", markersize=3
                    )
            axes.set(title=f"{TITLES[kind]}, {name}", xlabel="pass", ylabel="updates in the pass")
            if axes.lines:
                axes.set_ylim(bottom=0)
                axes.margins(x=0.04)
                axes.xaxis.get_major_locator().set_params(integer=True)
                style.thousands(axes)
                _legend_beside(axes)
    return figure


def _updates(run) -> np.ndarray:
    return np.diff(scores.ends(run)["updates"].to_numpy(), prepend=0.0)


def _beam(beam: int | str) -> str:
    return "beam ∞" if beam == "inf" else f"beam {beam}"


def _shade(colour: str, rank: int, of: int) -> tuple[float, ...]:
    """Return a tint of the colour, from light to dark by rank."""
    place, full = rank / max(1, of - 1), np.array(colours.rgb(colour))
    mixed = full + (1 - full) * 0.55 * (1 - 2 * place) if place < 0.5 else full * (1 - 0.6 * (2 * place - 1))
    return tuple(float(part) for part in mixed)


# stem: title, caption, whether it shows what held-out sentences chose, draw
DRAWN = {
    "f-against-seconds": (
        "F against training seconds",
        "F of chunks on the test sentences after every checkpoint, against the CPU seconds of learning; the "
        "SemiCRF is that of a middle C, learned by exponentiated gradient.",
        False,
        against_seconds,
    ),
    "f-against-beam": (
        "F and cost against the beam",
        "Above, F of chunks on the test sentences at the number of passes chosen; below, CPU seconds of a pass.",
        True,
        against_beam,
    ),
    "decoding": (
        "Table 3 as a map",
        "F of chunks in the joint task with every beam of training and of decoding; large margin updates, "
        "three passes.",
        False,
        decoding,
    ),
    "updates": (
        "updates in every pass",
        "How often the weights changed in each pass over the training sentences.",
        False,
        updates_by_pass,
    ),
}
