"""Draw klein2011's curves: losses and the margins they lead to, perceptrons by pass, constraints."""

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.papers.klein2011 import readings, rules
from structbench.bench.papers.klein2011 import runs as ways
from structbench.bench.papers.klein2011.runs import OVERLAPPING, Scale, Task
from structbench.bench.papers.panels import OPTIMUM, Axes, Drawn, later, legend_beside, log
from structbench.bench.runs import problems
from structbench.bench.runs.finished import Runs

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


def losses(scale: Scale, runs: Runs) -> Drawn:
    """Draw the losses, and the margins that learners of them end with."""
    figure, ((left,), (right,)) = style.panels(2, 1, height=3.0, width=6.4)
    m = np.linspace(-3, 4, 701)
    for name, values in loss_of_margin(m).items():
        left.plot(m, values, color=COLOURS[name], label=name)
    left.set(xlabel="margin w . f(y*) - max w . f(y)", ylabel="loss", ylim=(-0.05, 4), title="losses")
    legend_beside(left)
    for way in ways.GROUPS["plane"]:
        if (run := runs[scale.on_points(way, OVERLAPPING)[0]]) is not None:
            each = np.sort(readings.margins(run, unit=False).each)
            if way.loss is None:  # the perceptron's weights have no scale of their own
                each = each / np.abs(each).mean()
            share = np.arange(1, len(each) + 1) / len(each)
            right.plot(each, share, drawstyle="steps-post", color=LEARNERS[way.name], label=way.name)
    title = "margins of overlapping points"
    right.set(xlabel="margin", ylabel="share of examples below", xlim=(-3, 4), title=title)
    legend_beside(right)
    return figure


def perceptron(scale: Scale, runs: Runs) -> Drawn:
    """Draw test error against passes: the last weights and averaged ones."""
    figure, panels = style.panels(1, len(scale.tasks), height=3.2, width=4.0)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        for way, colour, name in (
            (ways.PERCEPTRON, "#D55E00", "last weights"),
            (ways.AVERAGED, "#0072B2", "averaged"),
        ):
            style.line(axes, runs.present(task.specs(way, passes=task.long)), _percent, color=colour, label=name)
        axes.set(title=task.name, xlabel="passes", ylabel="test error (%)", xlim=(0, task.long))
        _near_the_end(axes)
    style.legend_above(figure)
    return figure


def _percent(curve) -> np.ndarray:
    return np.where(curve["passes"] >= 1, 100 * curve["test_error"], np.nan)


def _near_the_end(axes: Axes) -> None:
    """Fit the y axis to the values from the first pass on."""
    values = [line.get_ydata() for line in axes.lines if len(line.get_ydata())]
    if values:
        low, high = min(map(np.min, values)), max(map(np.max, values))
        margin = 0.1 * (high - low) or 0.5
        axes.set_ylim(low - margin, high + margin)


def mira(scale: Scale, runs: Runs) -> Drawn:
    """Draw test error against seconds: MIRA's averaged and last weights by cap, cutting planes by C."""
    figure, panels = style.panels(1, len(scale.tasks), height=3.6, width=4.2)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        lines = [
            (f"MIRA, {end}, cap {cap:g}", colour, dash, task.by(way, "cap", cap))
            for way, colour, end in ((ways.MIRA, "#D55E00", "averaged"), (ways.MIRA_LAST, "#E69F00", "last"))
            for cap, dash in zip(scale.caps, DASHES, strict=False)
        ]
        for C, dash in zip(scale.Cs, DASHES, strict=False):
            lines.append((f"cutting planes, C = {C:g}", "#0072B2", dash, task.specs(ways.CUTTING, C=C)))
        for name, colour, dash, specs in lines:
            look = {"color": colour, "linestyle": dash, "label": name}
            style.line(axes, runs.present(specs), _percent, "cpu_seconds", **look)
        axes.set(title=task.name, xlabel="CPU seconds", ylabel="test error (%)")
        log(axes, "x")
        if axes.lines:
            axes.margins(x=0.03)
        _near_the_end(axes)
    style.legend_above(figure)
    return figure


def optimisers(scale: Scale, runs: Runs) -> Drawn:
    """Draw the certified gap of the log loss against passes, for every general and special optimiser."""
    C = scale.Cs[0]
    figure, panels = style.panels(1, len(scale.tasks), height=3.2, width=4.0)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        for way, colour in zip(
            ways.GROUPS["optimisers"], ("#D55E00", "#E69F00", "#0072B2", "#009E73"), strict=True
        ):
            found = runs.present(task.specs(way, C=C, passes=task.slow)[:1])
            style.line(axes, found, later("relative_gap"), color=colour, label=way.name)
        there = bool(axes.lines)
        axes.axhline(ways.LEVEL, **OPTIMUM)
        axes.set(title=f"{task.name}, C = {C:g}", xlabel="passes", ylabel="certified relative gap")
        if there:
            log(axes, "xy")
    style.legend_above(figure)
    return figure


def constraints(scale: Scale, runs: Runs) -> Drawn:
    """Draw the outputs an example in the working sets of cutting planes, and all possible outputs."""
    figure, panels = style.panels(1, len(scale.tasks), height=3.3, width=4.2)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        made = {C: runs.present(task.specs(ways.CUTTING, C=C)) for C in scale.Cs}
        means = {
            C: np.mean([rules.outputs_an_example(run) for run in found]) for C, found in made.items() if found
        }
        heights = {f"made,\nC = {C:g}": float(mean) for C, mean in means.items()}
        if heights:
            heights |= all_outputs(task)
            colours = ["#0072B2"] * len(means) + ["#999999"] * (len(heights) - len(means))
            places, label = range(len(heights)), "outputs an example"
            bars = axes.bar(places, heights.values(), color=colours, width=0.65, label=label)
            short = [f"{each:.3g}" if each < 1e5 else f"{each:.1e}" for each in heights.values()]
            axes.bar_label(bars, short, fontsize=8, padding=2)
            axes.set_yscale("log")
            axes.set_ylim(0.9, 5 * max(heights.values()))
            axes.set_xticks(places, [*heights])
            axes.margins(x=0.04)
        axes.set(title=task.name, ylabel="outputs an example")
    return figure


def all_outputs(task: Task) -> dict[str, float]:
    """Return how many outputs an example has, or a typical word and "brace", by what a bar of it is called."""
    from structbench.algorithms.structures import interface as parts

    problem, _ = problems.obtain(task.repeats[0][0])
    if parts.LABEL_SEQUENCES not in parts.capabilities(parts.kind_of(problem.train)):
        return {"all": float(len(problem.labels))}
    length = float(np.median(np.diff(parts.label_sequences(problem.train).starts)))
    brace = float(ways.LETTERS ** len(ways.BRACE))
    return {"all, of a\ntypical\nword": ways.LETTERS**length, f'all, of\n"{ways.BRACE}"': brace}


DRAWN = {
    "losses": losses, "perceptron": perceptron, "optimisers": optimisers, "constraints": constraints, "mira": mira,
}  # fmt: skip
