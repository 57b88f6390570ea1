"""Draw klein2011's curves: losses and the margins they lead to, perceptrons by pass, constraints."""

import numpy as np

from structbench.bench.drawing import colours, method_looks, plotted, style
from structbench.bench.papers.klein2011 import readings, rules
from structbench.bench.papers.klein2011 import runs as ways
from structbench.bench.papers.klein2011.runs import OVERLAPPING, Scale, Task
from structbench.bench.papers.panels import OPTIMUM, fit_y, later, legend_beside, log
from structbench.bench.papers.terms import Drawn, Registry, Runs
from structbench.bench.runs.problem_store import obtain

draws = Registry()
NO_MARKER = {"marker": ""}
LEARNERS = {"perceptron": "perceptron", "hinge": "cutting-plane", "log (bits)": "lbfgs"}  # of each loss


def loss_of_margin(m: np.ndarray) -> dict[str, np.ndarray]:
    """Return the losses of "Loss Functions: Comparison" at margins m of two classes; log loss in bits."""
    return {
        "0-1": np.where(m > 0, 0.0, 1.0),
        "perceptron": np.maximum(0.0, -m),
        "hinge": np.maximum(0.0, 1.0 - m),
        "log (bits)": np.logaddexp(0.0, -m) / np.log(2.0),
    }


@draws("losses")
def losses(scale: Scale, runs: Runs) -> Drawn:
    figure, ((left,), (right,)) = style.panels(2, 1, height=3.0, width=6.4)
    m = np.linspace(-3, 4, 701)
    for (name, values), dash in zip(loss_of_margin(m).items(), style.DASHES, strict=False):
        colour = colours.colour(LEARNERS[name]) if name in LEARNERS else style.INK
        plotted.line(left, m, values, color=colour, linestyle=dash, label=name)
    left.set(xlabel="margin w . f(y*) - max w . f(y)", ylabel="loss", ylim=(-0.05, 4), title="losses")
    legend_beside(left)
    for way in ways.GROUPS["plane"]:
        if (run := runs[scale.on_points(way, OVERLAPPING)[0]]) is not None:
            each = np.sort(readings.margins(run, unit=False).each)
            if way.loss is None:  # the perceptron's weights have no scale of their own
                each = each / np.abs(each).mean()
            share = np.arange(1, len(each) + 1) / len(each)
            look = method_looks.look(way.algorithm, **way.params)
            plotted.line(right, each, share, drawstyle="steps-post", label=way.name, **look)
    title = "margins of overlapping points"
    right.set(xlabel="margin", ylabel="share of examples below", xlim=(-3, 4), title=title)
    legend_beside(right)
    return figure


@draws("perceptron")
def perceptron(scale: Scale, runs: Runs) -> Drawn:
    figure, panels = style.panels(1, len(scale.tasks), height=3.2, width=4.0)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        for way, name in ((ways.PERCEPTRON, "last weights"), (ways.AVERAGED, "averaged")):
            look = method_looks.look(way.algorithm, **way.params) | NO_MARKER
            style.line(axes, runs.present(task.specs(way, passes=task.long)), _percent, label=name, **look)
        axes.set(title=task.name, xlabel="passes", ylabel="test error (%)", xlim=(0, task.long))
        fit_y(axes)
    return style.legend_above(figure)


def _percent(curve) -> np.ndarray:
    return np.where(curve["passes"] >= 1, 100 * curve["test_error"], np.nan)


@draws("mira")
def mira(scale: Scale, runs: Runs) -> Drawn:
    columns = {
        "MIRA, averaged": (ways.MIRA, "cap", scale.caps),
        "MIRA, last weights": (ways.MIRA_LAST, "cap", scale.caps),
        "cutting planes": (ways.CUTTING, "C", scale.Cs),
    }
    figure, panels = style.panels(len(scale.tasks), len(columns), height=2.7, width=3.5)
    for row, task in zip(panels, scale.tasks, strict=True):
        named = []
        for axes, (name, (way, by, values)) in zip(row, columns.items(), strict=True):
            for rank, value in enumerate(values):
                look = method_looks.look(way.algorithm, **way.params) | NO_MARKER
                look["color"] = style.shade(way.algorithm, rank, len(values))
                found = runs.present(task.specs(way, by, value))
                named.append((axes, style.line(axes, found, _percent, "cpu_seconds", **look), f"{by} = {value:g}"))
            axes.set(title=f"{task.name}, {name}", xlabel="CPU seconds")
        row[0].set_ylabel("test error (%)")
        drawn = [axes for axes in row if axes.lines]
        for axes in drawn:
            axes.sharey(drawn[0]) if axes is not drawn[0] else None
            log(axes, "x")
            axes.margins(x=0.03)
        fit_y(*drawn)
        for axes in drawn:
            style.label_ends(axes, [(line, name) for its, line, name in named if its is axes])
    return figure


@draws("optimisers")
def optimisers(scale: Scale, runs: Runs) -> Drawn:
    C = scale.Cs[0]
    figure, panels = style.panels(1, len(scale.tasks), height=3.2, width=4.0)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        for way in ways.GROUPS["optimisers"]:
            found = runs.present(task.specs(way, "C", C, passes=task.slow)[:1])
            style.line(axes, found, later("relative_gap"), label=way.name, **method_looks.look(way.algorithm))
        there = bool(axes.lines)
        plotted.level(axes, ways.LEVEL, "level", **OPTIMUM)
        axes.set(title=f"{task.name}, C = {C:g}", xlabel="passes", ylabel="certified relative gap")
        if there:
            log(axes, "xy")
    return style.legend_above(figure)


@draws("constraints")
def constraints(scale: Scale, runs: Runs) -> Drawn:
    figure, panels = style.panels(1, len(scale.tasks), height=3.3, width=4.2)
    for axes, task in zip(panels[0], scale.tasks, strict=True):
        made = {C: runs.present(task.specs(ways.CUTTING, "C", C)) for C in scale.Cs}
        means = {
            C: np.mean([rules.outputs_an_example(run) for run in found]) for C, found in made.items() if found
        }
        heights = {f"made,\nC = {C:g}": float(mean) for C, mean in means.items()}
        if heights:
            heights |= all_outputs(task)
            shades = [colours.colour(ways.CUTTING.algorithm)] * len(means)
            shades += ["#999999"] * (len(heights) - len(means))
            places = range(len(heights))
            look = {"color": shades, "width": 0.65, "label": "outputs an example"}
            bars = plotted.bars(axes, places, [*heights.values()], **look)
            short = [f"{each:.3g}" if each < 1e5 else f"{each:.1e}" for each in heights.values()]
            axes.bar_label(bars.artist, short, fontsize=8, padding=2)
            axes.set_yscale("log")
            axes.set_ylim(min([0.9, *filter(None, heights.values())]) / 1.1, 5 * max(heights.values()))
            plotted.ticks(axes.xaxis, places, [*heights])
            axes.margins(x=0.04)
        axes.set(title=task.name, ylabel="outputs an example")
    return figure


def all_outputs(task: Task) -> dict[str, float]:
    """Return how many outputs an example has, or a typical word and "brace", by what a bar of it is called."""
    from structbench.algorithms.structures import interface as parts

    problem, _ = obtain(task.repeats[0][0])
    if parts.LABEL_SEQUENCES not in parts.capabilities(parts.kind_of(problem.train)):
        return {"all": float(len(problem.labels))}
    length = float(np.median(np.diff(parts.label_sequences(problem.train).starts)))
    return {"all, of a\ntypical\nword": 26**length, 'all, of\n"brace"': 26.0**5}
