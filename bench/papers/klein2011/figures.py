"""Draw klein2011's curves: losses and the margins they lead to, perceptrons by pass, constraints."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.papers.klein2011 import geometry, rules
from structbench.bench.papers.klein2011.runs import OVERLAPPING, Scale, Task
from structbench.bench.papers.klein2011.setting import (
    AVERAGED,
    BRACE,
    CUTTING,
    LETTERS,
    MIRA,
    MIRA_LAST,
    OPTIMISERS,
    PERCEPTRON,
    PLANE,
)
from structbench.bench.runs import problems
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

DASHES = ("-", (0, (5, 1.6)), (0, (1, 1.2)))
COLOURS = {"0-1": "#333333", "perceptron": "#D55E00", "hinge": "#0072B2", "log (bits)": "#009E73"}
LEARNERS = {
    "perceptron": "#D55E00",
    "averaged perceptron": "#CC79A7",
    "MIRA": "#E69F00",
    "minimum error": "#7A4FA3",
    "SVM": "#0072B2",
    "log-linear": "#009E73",
}


def loss_of_margin(m: np.ndarray) -> dict[str, np.ndarray]:
    """Return the losses of "Loss Functions: Comparison" at margins m of two classes; log loss in bits."""
    return {
        "0-1": np.where(m > 0, 0.0, 1.0),
        "perceptron": np.maximum(0.0, -m),
        "hinge": np.maximum(0.0, 1.0 - m),
        "log (bits)": np.logaddexp(0.0, -m) / np.log(2.0),
    }


def losses(scale: Scale, runs: Runs) -> "Drawn":
    """Draw the losses, and the margins that learners of them end with."""
    figure, (left, right) = style.panels(2, 1, height=3.0, width=6.4)
    left, right = left[0], right[0]
    m = np.linspace(-3, 4, 701)
    for name, values in loss_of_margin(m).items():
        left.plot(m, values, color=COLOURS[name], label=name)
    left.set(xlabel="margin w . f(y*) - max w . f(y)", ylabel="loss", ylim=(-0.05, 4), title="losses")
    left.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    for way in PLANE:
        run = runs[scale.on_points(way, OVERLAPPING, 1000.0 if way.loss else None)[0]]
        if run is not None:
            each = np.sort(geometry.margins(run, unit=False).each)
            if way.loss is None:  # the perceptron's weights have no scale of their own
                each = each / np.abs(each).mean()
            share = np.arange(1, len(each) + 1) / len(each)
            right.plot(each, share, drawstyle="steps-post", color=LEARNERS[way.name], label=way.name)
    right.set(
        xlabel="margin", ylabel="share of examples below", xlim=(-3, 4), title="margins of overlapping points"
    )
    if right.lines:
        right.legend(loc="center left", bbox_to_anchor=(1.02, 0.5))
    return figure


def perceptron(scale: Scale, runs: Runs) -> "Drawn":
    """Draw test error against passes: the last weights and averaged ones."""
    figure, panels = style.panels(1, len(scale.tasks), height=3.2, width=4.0)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        for way, colour in ((PERCEPTRON, "#D55E00"), (AVERAGED, "#0072B2")):
            found = runs.present(task.specs(way, passes=task.long))
            name = "averaged" if way is AVERAGED else "last weights"
            style.line(axes, found, _percent, color=colour, label=name)
        axes.set(title=task.name, xlabel="passes", ylabel="test error (%)", xlim=(0, task.long))
        _near_the_end(axes)
    style.legend_above(figure)
    return figure


def _percent(curve) -> np.ndarray:
    return np.where(curve["passes"] >= 1, 100 * curve["test_error"], np.nan)


def _near_the_end(axes: "Axes") -> None:
    """Fit the y axis to the values from the first pass on."""
    values = [line.get_ydata() for line in axes.lines if len(line.get_ydata())]
    if values:
        low, high = min(map(np.min, values)), max(map(np.max, values))
        margin = 0.1 * (high - low) or 0.5
        axes.set_ylim(low - margin, high + margin)


def mira(scale: Scale, runs: Runs) -> "Drawn":
    """Draw test error against seconds: MIRA's averaged and last weights by cap, cutting planes by C."""
    figure, panels = style.panels(1, len(scale.tasks), height=3.6, width=4.2)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        for way, colour, end in ((MIRA, "#D55E00", "averaged"), (MIRA_LAST, "#E69F00", "last")):
            for cap, dash in zip(scale.caps, DASHES, strict=False):
                found = runs.present(task.specs(way, params=way.params | {"cap": cap}))
                name = f"MIRA, {end}, cap {cap:g}"
                style.line(axes, found, _percent, "cpu_seconds", color=colour, linestyle=dash, label=name)
        for C, dash in zip(scale.Cs, DASHES, strict=False):
            found = runs.present(task.specs(CUTTING, C=C))
            name = f"cutting planes, C = {C:g}"
            style.line(axes, found, _percent, "cpu_seconds", color="#0072B2", linestyle=dash, label=name)
        axes.set(title=task.name, xlabel="CPU seconds", ylabel="test error (%)")
        if axes.lines:
            style.log_ticks(axes.xaxis)
            axes.margins(x=0.03)
            _near_the_end(axes)
    style.legend_above(figure)
    return figure


def optimisers(scale: Scale, runs: Runs) -> "Drawn":
    """Draw the certified gap of the log loss against passes, for every general and special optimiser."""
    C = scale.Cs[0]
    figure, panels = style.panels(1, len(scale.tasks), height=3.2, width=4.0)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        for way, colour in zip(OPTIMISERS, ("#D55E00", "#E69F00", "#0072B2", "#009E73"), strict=True):
            found = runs.present([task.first(way, C=C, passes=task.slow)])
            style.line(axes, found, _gap, color=colour, label=way.name)
        axes.axhline(rules.LEVEL, color="#999999", linewidth=0.7, zorder=1)
        axes.set(title=f"{task.name}, C = {C:g}", xlabel="passes", ylabel="certified relative gap")
        if any(len(line.get_xdata()) > 2 for line in axes.lines):
            style.log_ticks(axes.xaxis)
            style.log_ticks(axes.yaxis)
    style.legend_above(figure)
    return figure


def _gap(curve) -> np.ndarray:
    return np.where(curve["passes"] > 0, curve["relative_gap"], np.nan)


def constraints(scale: Scale, runs: Runs) -> "Drawn":
    """Draw the outputs an example in the working sets of cutting planes, and all possible outputs."""
    figure, panels = style.panels(1, len(scale.tasks), height=3.3, width=4.2)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        made = [runs.present(task.specs(CUTTING, C=C)) for C in scale.Cs]
        there = [
            (C, [rules.outputs_an_example(run) for run in found]) for C, found in zip(scale.Cs, made, strict=True)
        ]
        there = [(C, values) for C, values in there if values]
        names = [f"made,\nC = {C:g}" for C, _ in there]
        heights = [float(np.mean(values)) for _, values in there]
        if there:
            typical, brace = all_outputs(task)
            names.append("all, of a\ntypical\nword" if brace else "all")
            heights.append(typical)
            if brace:
                names.append(f'all, of\n"{BRACE}"')
                heights.append(brace)
            colours = ["#0072B2"] * len(there) + ["#999999"] * (len(names) - len(there))
            bars = axes.bar(range(len(names)), heights, color=colours, width=0.65, label="outputs an example")
            axes.bar_label(bars, [_short(height) for height in heights], fontsize=8, padding=2)
            axes.set_yscale("log")
            axes.set_ylim(0.9, 5 * max(heights))
            axes.set_xticks(range(len(names)), names)
            axes.margins(x=0.04)
        axes.set(title=task.name, ylabel="outputs an example")
    return figure


def all_outputs(task: Task) -> tuple[float, float]:
    """Return how many outputs a typical example has and, for words, how many "brace" has."""
    from structbench.algorithms.structures import interface as parts

    problem, _ = problems.obtain(task.repeats[0][0])
    if parts.LABEL_SEQUENCES not in parts.capabilities(parts.kind_of(problem.train)):
        return float(len(problem.labels)), 0.0
    length = float(np.median(np.diff(parts.label_sequences(problem.train).starts)))
    return LETTERS**length, float(LETTERS ** len(BRACE))


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1e5 else f"{value:.1e}"
