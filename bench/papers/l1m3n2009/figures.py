"""Draw the paper's figures of l1m3n2009: titles, captions, panels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import (
    CUTTING_WARM,
    METHODS,
    MODELS,
    OCR,
    PROXIMAL,
    SEQUENCES,
    SYNTHETIC,
)
from structbench.bench.runs.finished import Runs
from structbench.datasets import synthetic

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "CRF": "#7F7F7F",
    "L2-CRF": "#56B4E9",
    "L1-CRF": "#009E73",
    "M3N": "#D55E00",
    "LapM3N": "#CC79A7",
    "L1-M3N": "#0072B2",
    "EM": "#0072B2",
    "cutting plane": "#CC79A7",
    "projected subgradient": "#D55E00",
    "cutting plane (ours)": "#661144",
    "EM, features return (ours)": "#56B4E9",
    "proximal (ours)": "#999933",
    "online subgradient (ours)": "#E69F00",
}
MARKERS = {
    "CRF": "x",
    "L2-CRF": "s",
    "L1-CRF": "^",
    "M3N": "D",
    "LapM3N": "v",
    "L1-M3N": "o",
    "EM": "o",
    "cutting plane": "s",
    "projected subgradient": "D",
    "cutting plane (ours)": "P",
    "EM, features return (ours)": "X",
    "proximal (ours)": "^",
    "online subgradient (ours)": "v",
}
DASHES = {"CRF": (0, (1, 1.2)), "L2-CRF": (0, (5, 1.6)), "M3N": (0, (6, 1.5, 1.2, 1.5)), "LapM3N": (0, (3, 1.4))}
AXES = {"l1": "C, from the strongest", "l1-ball": "radius 1 / C", "l1-squared": "C, from the strongest"}


def look(name: str) -> dict[str, Any]:
    """Return the colour, marker and dash of a model or a method."""
    return {
        "color": COLOURS[name],
        "marker": MARKERS[name],
        "markersize": 4,
        "linestyle": DASHES.get(name, "-"),
        "label": name,
    }


def fig02(task: Task, runs: Runs, variant: str = "correlated") -> "Figure":
    """Draw error against the size of the training set, one line a model."""
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=5.6)
    for rank, way in enumerate(MODELS):
        points = []
        for K in task.used:
            crosses = task.crosses(K, variant)
            found = scores.score(task, runs, way, crosses)
            if found is not None:
                points.append((crosses[0].size, found.mean, found.spread))
        if points:
            size, mean, spread = np.array(sorted(points)).T
            shift = (rank - (len(MODELS) - 1) / 2) * 1.6  # so that bars of spread do not cover each other
            axes.errorbar(size + shift, mean, yerr=spread, capsize=2, elinewidth=0.8, **look(way.model))
    axes.margins(x=0.04)
    axes.set(xlabel="training sequences", ylabel="error rate", xticks=[SEQUENCES // K for K in task.used])
    style.legend_above(figure)
    return figure


def fig03(task: Task, runs: Runs) -> "Figure":
    """Draw average weights of the 200 state features, the generating CRF's above those of the models."""
    figure, panels = style.panels(len(MODELS) + 1, 1, height=1.05, width=7.2)
    columns = panels[:, 0]
    true = synthetic.true_weights(0)[: scores.STATES]
    _stems(columns[0], true, "#000000")
    columns[0].set_title("the CRF that draws the labels")
    shown = []
    for axes, way in zip(columns[1:], (MODELS[4], MODELS[3], MODELS[5], *MODELS[:3]), strict=True):
        found = scores.score(task, runs, way, [task.first])
        if found is not None:
            average = scores.average_weights(runs.present(found.chosen))
            _stems(axes, average[: scores.STATES], COLOURS[way.model])
            if way.model != "CRF":
                shown.append((axes, average))
            total, irrelevant = scores.selected(average)
            constant = "" if way.penalty == "none" else f", C = {found.C:g}"
            axes.set_title(f"{way.model}{constant}: {total} not zero, {irrelevant} of them irrelevant")
        else:
            axes.set_title(way.model)
    most = max((np.abs(w[: scores.STATES]).max() for _, w in shown), default=0.0)
    for axes, _ in shown:  # one scale, except for the unregularised CRF
        axes.set_ylim(-1.08 * most or -1, 1.08 * most or 1)
    for axes in columns:
        axes.set_xlim(-0.5, scores.STATES - 0.5)
        axes.axvline(scores.RELEVANT - 0.5, color="#777777", linewidth=0.8, linestyle=(0, (2, 2)))
        axes.tick_params(labelbottom=axes is columns[-1])
    columns[-1].set_xlabel("state feature; to the left of the dashed line those of relevant inputs")
    return figure


def _stems(axes: "Axes", values: np.ndarray, colour: str) -> None:
    at = np.flatnonzero(values)
    axes.vlines(at, 0, values[at], color=colour, linewidth=1.3)
    axes.axhline(0, color="#777777", linewidth=0.5)


def fig04(task: Task, runs: Runs) -> "Figure":
    """Draw bars of error on OCR, a panel for each number of words."""
    figure, panels = style.panels(1, len(task.words), height=3.2, width=2.5)
    top = 0.0
    for axes, words in zip(panels[0], task.words, strict=True):
        for rank, way in enumerate(MODELS):
            found = scores.score(task, runs, way, [task.ocr(words)])
            if found is not None:
                axes.bar(rank, found.mean, color=COLOURS[way.model], width=0.75)
                axes.errorbar(rank, found.mean, yerr=found.spread, color=style.INK, capsize=3, linewidth=1)
                axes.text(rank, 0.005, f"{found.mean:.3f}", ha="center", color="white", fontsize=7, rotation=90)
                top = max(top, found.mean + found.spread)
        axes.set_xticks(range(len(MODELS)), [way.model for way in MODELS], rotation=60, ha="right")
        axes.set_title(f"OCR{words}")
        axes.margins(x=0.03)
        axes.grid(axis="x", visible=False)
    for axes in panels[0]:
        axes.set_ylim(0, 1.05 * top or 1)
    panels[0, 0].set_ylabel("error rate")
    return figure


def fig05(task: Task, runs: Runs) -> "Figure":
    return _against_constants(task, runs, task.first)


def fig06(task: Task, runs: Runs) -> "Figure":
    return _against_constants(task, runs, task.smallest)


def _against_constants(task: Task, runs: Runs, cross: Cross) -> "Figure":
    """Draw error above and CPU seconds below, against each method's constant, one column a method."""
    ways = (*METHODS, CUTTING_WARM, PROXIMAL)
    figure, panels = style.panels(2, len(ways), height=2.3, width=2.4)
    for (above, below), way in zip(panels.T, ways, strict=True):
        Cs = task.path_of(way, cross.kind)
        rows = []
        for C in Cs:
            specs = task.specs(way, cross, C)
            made = runs.present(specs)
            if len(made) == len(specs):
                values, seconds = scores.errors(runs, specs), scores.cpu_seconds(made)
                rows.append(
                    (
                        1 / C if way.penalty == "l1-ball" else C,
                        values.mean(),
                        values.std(ddof=min(1, len(values) - 1)),
                        *_range(seconds),
                    )
                )
        if rows:
            x, mean, std, seconds, low, high = np.array(rows).T
            drawn = look(way.name) | {"label": None}
            above.errorbar(x, mean, yerr=std, capsize=2, elinewidth=0.8, **drawn)
            below.errorbar(x, seconds, yerr=[seconds - low, high - seconds], capsize=2, elinewidth=0.8, **drawn)
        above.set_title(way.name)
        for axes in (above, below):
            axes.margins(x=0.06)
            style.log_ticks(axes.xaxis)
            if way.penalty != "l1-ball":
                axes.invert_xaxis()
        below.set(xlabel=AXES[way.penalty])
    _same_y(panels[0])
    for axes in panels[1]:
        axes.set_ylim(bottom=0)
    panels[0, 0].set_ylabel("error rate")
    panels[1, 0].set_ylabel("CPU seconds a fold")
    return figure


def _range(values: np.ndarray) -> tuple[float, float, float]:
    return float(values.mean()), float(values.min()), float(values.max())


def _same_y(row: "np.ndarray") -> None:
    limits = np.array([axes.get_ylim() for axes in row if axes.lines])
    if len(limits):
        for axes in row:
            axes.set_ylim(limits[:, 0].min(), limits[:, 1].max())


CHOSEN = "Constants: for each data set, or fold of a single one, that of least mean error on the others."
DRAWN = {
    "fig02": (
        "Figure 2: error against the size of the training set",
        "Test error of the six models; bars: the root of the variance over folds, averaged over the data sets. "
        f"Training on one part of K, testing on all others. The paper's axis is from 0.18 to 0.30. {CHOSEN}",
        SYNTHETIC,
        fig02,
    ),
    "fig03": (
        "Figure 3: average weights",
        "Weights of the 200 state features, averaged over the folds, below those of the CRF that draws the labels "
        f"(first panel). {CHOSEN} The panels of regularised models share one scale.",
        "first",
        fig03,
    ),
    "fig04": (
        "Figure 4: error on OCR",
        "Test error of the six models on words from each of ten folds; bars: standard deviation over folds. "
        f"The paper's axes end at 0.25 and 0.40. {CHOSEN}",
        OCR,
        fig04,
    ),
    "fig05": (
        "Figure 5: the methods for the l1-M3N against their constants",
        "Test error (bars: standard deviation over folds) and CPU seconds (bars: range) of the three methods, and "
        "of two of ours, against the constant of each, which do not compare; regularisation falls to the right.",
        "first",
        fig05,
    ),
    "fig06": (
        "Figure 6: the methods for the l1-M3N on OCR",
        "Test error (bars: standard deviation over folds) and CPU seconds (bars: range) against the constant of "
        "each method; regularisation falls to the right. The paper has the subgradient and EM; its cutting planes "
        "took too long.",
        OCR,
        fig06,
    ),
}
