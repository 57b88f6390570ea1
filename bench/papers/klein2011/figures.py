"""Draw klein2011's losses, perceptrons, MIRA, optimisers and SVM constraints, and all learners side by side."""

from operator import attrgetter

import numpy as np

from structbench.bench.drawing import colours, curves, method_looks, plotted, style
from structbench.bench.drawing.intervals import interval
from structbench.bench.papers.klein2011 import readings, rules
from structbench.bench.papers.klein2011 import runs as ways
from structbench.bench.papers.klein2011.runs import GROUPS, OVERLAPPING, Scale, Task, Way
from structbench.bench.papers.measured import last
from structbench.bench.papers.panels import OPTIMUM, cell, fit_y, later, legend_beside, log
from structbench.bench.papers.terms import Drawn, Registry, Rows, Run, Runs, Spec
from structbench.bench.runs.problem_store import obtain

draws = Registry()
NO_MARKER = {"marker": ""}
LEARNERS = {"perceptron": "perceptron", "hinge": "cutting-plane", "log (bits)": "lbfgs"}  # of each loss
MARKS = {"likelihood": "D", "0-1": "v", "hinge": "s", "log": "o"}  # of the loss; hollow in the dual form
HOLLOW = {"primal": {}, "dual": {"markerfacecolor": "white"}}
PROBLEM = attrgetter("spec.data", "spec.loss", "spec.penalty", "spec.C")  # a certificate is for one
ROW, NAMES = 0.27, 2.6  # inches: the height of a row, the width of the names


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


def specs(task: Task) -> list[Spec]:
    """Return all runs of a task that are shown."""
    return [spec for way in task.ways() for spec in first_repetitions(task, way)]


def first_repetitions(task: Task, way: Way) -> list[Spec]:
    """Return the first repetitions of a learner."""
    return task.specs(way)[: task.shown]


@draws("table-families")
def table_families(scale: Scale, runs: Runs) -> Rows:
    return [
        _row(task, way, runs.present(first_repetitions(task, way)), every)
        for task in scale.tasks
        for every in [runs.present(specs(task))]
        for way in task.ways()
    ]


def _row(task: Task, way: Way, found: list[Run], every: list[Run]) -> dict[str, str]:
    def read(name: str) -> np.ndarray:
        return np.array([run.summary[name] for run in found] or [np.nan], float)

    errors = interval([last(run, "test_error") for run in found] or [np.nan])
    several = len({run.key for run in found}) > 1 and np.isfinite(errors.high)
    spread = f" +- {100 * (errors.high - errors.mean):.2f}" if several else ""
    return {
        "task": task.stem,
        "learner": way.name,
        "loss": way.judged_by,
        "regularisation": way.regularised,
        "form": way.form,
        "inference": way.inference,
        "C": f"{way.C:g}" if way.loss and way.penalty != "none" else "-",
        "test error, %": cell(errors.mean, ".2f", 100) + spread,
        "CPU s": cell(np.median(read("cpu_seconds")), ".3g"),
        "passes": cell(np.median(read("passes")), ".3g"),
        "gap, %": cell(read("relative_gap").max(), ".3g", 100),
        "above bound, %": cell(above_bound(found, every), ".3g", 100),
    }


def above_bound(found: list[Run], every: list[Run]) -> float:
    """Return the largest (primal - bound) / primal, by the greatest dual value of all runs of the same problem."""
    above = []
    for run in found:
        same = [each for each in every if PROBLEM(each) == PROBLEM(run)]
        primal = last(run, "primal")
        above.append((primal - curves.optimum(same).dual) / abs(primal) if primal else np.nan)
    return float(np.maximum(above or [np.nan], 0.0).max())


@draws("families")
def families(scale: Scale, runs: Runs) -> Drawn:
    learned = {way for task in scale.tasks for way in task.ways()}
    ways = [way for way in reversed(GROUPS["families"]) if way in learned]
    width = 1.8 + NAMES / (2 * len(scale.tasks))
    figure, panels = style.panels(1, 2 * len(scale.tasks), height=ROW * len(ways) + 1.2, width=width)
    for (left, right), task in zip(panels[0].reshape(-1, 2), scale.tasks, strict=True):
        for place, way in reversed([*enumerate(ways)]):
            if way not in task.ways():
                for axes in (left, right):
                    at = {"transform": axes.get_yaxis_transform(), "ha": "center", "va": "center"}
                    axes.text(0.5, place, "not for this data", fontsize=7.5, color="#777777", **at)
            elif found := runs.present(first_repetitions(task, way)):
                look = {"color": colours.colour(way.algorithm), "marker": MARKS[way.judged_by], "markersize": 5}
                look |= HOLLOW[way.form] | {"label": way.name, "linewidth": 1.2, "linestyle": "none"}
                errors = interval([100 * last(run, "test_error") for run in found])
                off = errors.high - errors.mean if np.isfinite(errors.high) else 0.0
                plotted.error_bars(left, [errors.mean], [place], xerr=[off], **look)
                seconds = np.array([run.summary["cpu_seconds"] for run in found], float)
                ends = [[np.median(seconds) - seconds.min()], [seconds.max() - np.median(seconds)]]
                plotted.error_bars(right, [np.median(seconds)], [place], xerr=ends, **look)
        left.set(title=task.name, xlabel="test error (%)")
        right.set(title=" ", xlabel="CPU seconds")
        if right.containers:
            style.log_ticks(right.xaxis)
    for k, axes in enumerate(panels[0]):
        axes.set_ylim(-0.6, len(ways) - 0.4)
        axes.margins(x=0.06)
        if k == 0:
            plotted.ticks(axes.yaxis, range(len(ways)), [_name(way) for way in ways])
        else:
            axes.set_yticks(range(len(ways)), [])
    _legend(figure)
    return figure


def _name(way: Way) -> str:
    """Name the learner and what its colour and mark do not say."""
    regularised = "" if way.regularised == "no" else f"{way.regularised}, "
    return f"{way.name} ({regularised}{way.inference})"


def _legend(figure: Drawn) -> None:
    from matplotlib.lines import Line2D

    look = {"color": style.INK, "linestyle": "none", "markersize": 5}
    names = {loss: loss if loss == "likelihood" else f"{loss} loss" for loss in MARKS}
    entries = {names[loss]: Line2D([], [], marker=mark, **look) for loss, mark in MARKS.items()}
    entries |= {form: Line2D([], [], marker="o", **look | hollow) for form, hollow in HOLLOW.items()}
    style.legend_above(figure, entries)
