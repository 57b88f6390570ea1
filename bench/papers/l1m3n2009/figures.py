"""The figures of l1m3n2009, its Table 1 beside the paper's numbers, and a table of each method at its best C."""

import numpy as np

from structbench.algorithms.learning.l1_ball import shrinkage
from structbench.bench.drawing import method_looks, plotted, style
from structbench.bench.drawing.intervals import FEWEST, interval
from structbench.bench.papers.l1m3n2009 import runs as ways
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.extraction import MEASURES, Source, measured_table
from structbench.bench.papers.l1m3n2009.path_rules import Along
from structbench.bench.papers.l1m3n2009.runs import METHODS, MODELS, Cross, Task, Way
from structbench.bench.papers.panels import cell, is_cut, open_dots
from structbench.bench.papers.terms import Axes, Drawn, Registry, Rows, Runs, Spec
from structbench.bench.runs.store import weights_of
from structbench.datasets import synthetic

draws, draws_source = Registry(), Registry()
NO_PENALTY = {"marker": "x", "color": "#606060"}  # of the CRF: L-BFGS trains the L2-CRF, too
HEADS = (
    "constant, theirs", "total, theirs", "irrelevant, theirs", "constant, ours", "total, ours", "irrelevant, ours",
    "total, per fold", "total, above 1e-4",
)  # fmt: skip
VALUES = ("C", "error", "deviation", "non-zero", "gap", "above the LP", "CPU seconds")
BARS = {"capsize": 2, "elinewidth": 0.8}
POINTS = {"p_1": np.array([1.5, 1.3]), "p_2": np.array([1.8, 0.4]), "p_3": np.array([0.3, 1.7])}  # of Figure 1
REFERENCE = {"color": "#999999", "linewidth": 0.8, "linestyle": (0, (2, 2))}


def look(way: Way, name: str = "") -> plotted.Look:
    """Return the look of a model, or of a way to train it, under its name or another."""
    usual = method_looks.look(way.algorithm, **way.params) | {"markevery": None, "markersize": 4}
    return usual | (NO_PENALTY if way.penalty == "none" else {}) | {"label": name or way.name}


@draws("fig01")
def fig01(task: Task, runs: Runs) -> Drawn:
    """Draw points of the plane with their projections onto the balls of radius 1. It needs no run."""
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=3.6)
    turn, ends = np.linspace(0, np.pi / 2), np.array([0.0, 1.0])
    l2, l1 = (
        {"color": color, "linestyle": dash} for color, dash in ((style.CYCLE[1], "-"), (style.CYCLE[2], "--"))
    )
    plotted.line(axes, np.cos(turn), np.sin(turn), label="$\\ell_2$ ball, projections onto it", **l2)
    plotted.line(axes, ends, 1 - ends, label="$\\ell_1$ ball, projections onto it", **l1)
    for border in (ends, 1 - ends):  # beyond these the projection onto the l1 ball lies on an axis
        plotted.line(axes, border[0] + ends, border[1] + ends, "no coordinate is 0 between these", **REFERENCE)
    for name, point in POINTS.items():
        near = np.maximum(point - shrinkage(point.copy(), 1.0), 0)
        for ball, look, there in (("l2", l2, point / np.linalg.norm(point)), ("l1", l1, near)):
            x, y = np.transpose([point, there])
            plotted.line(axes, x, y, f"{name} onto the {ball} ball", **look, marker="o", markersize=3)
        axes.annotate(f"${name}$", point, xytext=(5, 5), textcoords="offset points")
    axes.set(xlabel="u", ylabel="v", xlim=(0, 2.2), ylim=(0, 2.2), aspect="equal")
    return style.legend_above(figure)


@draws("fig02")
def fig02(task: Task, runs: Runs, variant: str = "correlated") -> Drawn:
    """Draw error against the size of the training set, one line a model."""
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=5.6)
    for rank, way in enumerate(MODELS):
        sizes = [task.crosses(K, variant) for K in task.used]
        found = [(crosses[0].size, scores.score(task, runs, way, crosses)) for crosses in sizes]
        points = [(size, score.mean, score.spread) for size, score in found if score is not None]
        if points:
            size, mean, spread = np.array(sorted(points)).T
            shift = (rank - (len(MODELS) - 1) / 2) * 1.6  # so that bars of spread do not cover each other
            plotted.error_bars(axes, size + shift, mean, yerr=spread, **BARS, **look(way, way.model))
    axes.margins(x=0.04)
    axes.set(xlabel="training sequences", ylabel="error rate", xticks=[ways.SEQUENCES // K for K in task.used])
    return style.legend_above(figure)


@draws("fig03")
def fig03(task: Task, runs: Runs) -> Drawn:
    figure, panels = style.panels(len(MODELS) + 1, 1, height=1.05, width=7.2)
    columns = panels[:, 0]
    _stems(columns[0], synthetic.true_weights(0)[: scores.STATES], "#000000", "true weights")
    columns[0].set_title("the CRF that draws the labels (a scale of its own)")
    shown = []
    for axes, way in zip(columns[1:], (MODELS[4], MODELS[3], MODELS[5], *MODELS[:3]), strict=True):
        axes.set_title(way.model)
        if (found := scores.score(task, runs, way, [task.first])) is not None:
            average = scores.average_weights(runs.present(found.chosen))
            _stems(axes, average[: scores.STATES], look(way)["color"], way.model)
            shown += [(axes, average)] if way.model != "CRF" else []
            total, irrelevant = scores.selected(average)
            constant = "" if way.penalty == "none" else f", C = {found.C:g}"
            said = f"{way.model}{constant}: {total} not zero, {irrelevant} of them irrelevant"
            axes.set_title(said + (" (a scale of its own)" if way.model == "CRF" else ""))
    most = max((np.abs(w[: scores.STATES]).max() for _, w in shown), default=0.0)
    for axes, _ in shown:  # one scale, except for the unregularised CRF
        axes.set_ylim(-1.08 * most or -1, 1.08 * most or 1)
    for axes in columns:
        axes.set_xlim(-0.5, scores.STATES - 0.5)
        axes.axvline(scores.RELEVANT - 0.5, **REFERENCE | {"color": "#777777"})
        axes.tick_params(labelbottom=axes is columns[-1])
    columns[-1].set_xlabel("state feature; to the left of the dashed line those of relevant inputs")
    return figure


def _stems(axes: Axes, values: np.ndarray, colour: str, name: str) -> None:
    at = np.flatnonzero(values)
    plotted.stems(axes, at, values[at], name, color=colour, linewidth=1.3)
    axes.axhline(0, color="#777777", linewidth=0.5)


@draws("fig04")
def fig04(task: Task, runs: Runs) -> Drawn:
    figure, panels = style.panels(1, len(task.words), height=3.2, width=2.5)
    top = 0.0
    for axes, words in zip(panels[0], task.words, strict=True):
        for rank, way in enumerate(MODELS):
            if (found := scores.score(task, runs, way, [task.ocr(words)])) is not None:
                plotted.bars(axes, rank, found.mean, way.model, color=look(way)["color"], width=0.75)
                drawn = {"color": style.INK, "capsize": 3, "linewidth": 1}
                plotted.error_bars(axes, rank, found.mean, way.model, yerr=found.spread, **drawn)
                inside = {"ha": "center", "va": "bottom", "color": "white", "fontsize": 7, "rotation": 90}
                axes.text(rank, 0.008, f"{found.mean:.3f}", **inside)
                top = max(top, found.mean + found.spread)
        plotted.ticks(axes.xaxis, range(len(MODELS)), [way.model for way in MODELS], rotation=60, ha="right")
        axes.set_title(f"OCR{words}")
        axes.margins(x=0.03)
        axes.grid(axis="x", visible=False)
    for axes in panels[0]:
        axes.set_ylim(0, 1.05 * top or 1)
    panels[0, 0].set_ylabel("error rate")
    return figure


def _theirs(penalty: str, cross: Cross, C: float) -> tuple[str, float]:
    """Return a constant as the paper's axis has it, and what that is called."""
    strength = C * ways.FEATURES[cross.kind] / 2  # EM's lambda, at C' = 1
    if penalty == "l1-squared" and cross.kind == ways.SYNTHETIC:
        return "lambda / 14000", strength / 14000
    named = {"l1": ("C", cross.size / C), "l1-ball": ("lambda", 1 / C), "l1-squared": ("lambda", strength)}
    return f"square root of {named[penalty][0]}", named[penalty][1] ** 0.5


def _against_constants(task: Task, runs: Runs, cross: Cross) -> Drawn:
    """Draw error above and CPU seconds below, against each method's constant, one column a method."""
    shown = (*METHODS, ways.CUTTING_WARM, ways.PROXIMAL)
    figure, panels = style.panels(2, len(shown), height=2.3, width=2.4)
    along = Along(task, runs, cross)
    for (above, below), way in zip(panels.T, shown, strict=True):
        made = zip(task.path_of(way, cross.kind), along.made(way), along.errors(way), strict=True)
        rows = [
            (_theirs(str(way.penalty), cross, C)[1], any(map(is_cut, each)), errors, scores.cpu_seconds(each))
            for C, each, errors in made
            if len(each) == len(errors)
        ]
        if rows:
            x, cut, errors, seconds = (np.array(each) for each in zip(*rows, strict=True))
            drawn = BARS | look(way)
            std = errors.std(axis=1, ddof=min(1, errors.shape[1] - 1))
            plotted.error_bars(above, x, errors.mean(axis=1), yerr=std, **drawn)
            mean = seconds.mean(axis=1)
            reach = [mean - seconds.min(axis=1), seconds.max(axis=1) - mean]
            plotted.error_bars(below, x, mean, yerr=reach, **drawn)
            dot = {"color": drawn["color"], "marker": drawn["marker"] or "o", "markersize": 4}
            for axes, y in ((above, errors.mean(axis=1)), (below, mean)):
                open_dots(axes, x, y, cut, way.name, **dot)
        above.set_title(way.name)
        for axes in (above, below):
            axes.margins(x=0.06)
        below.set(xlabel=_theirs(str(way.penalty), cross, 1.0)[0], ylim=(0, None))
    limits = np.array([axes.get_ylim() for axes in panels[0] if axes.lines])
    for upper in panels[0]:
        if len(limits):
            upper.set_ylim(limits[:, 0].min(), limits[:, 1].max())
    panels[0, 0].set_ylabel("error rate")
    panels[1, 0].set_ylabel("CPU seconds a fold")
    return figure


draws["fig05"] = lambda task, runs: _against_constants(task, runs, task.first)
draws["fig06"] = lambda task, runs: _against_constants(task, runs, task.smallest)


@draws_source("fig07")
def fig07(source: Source, runs: Runs) -> Drawn:
    figure, panels = style.panels(1, 3, height=3.0, width=3.3)
    shown = MEASURES | {"num_nonzero": "weights other than zero"}
    for axes, (measure, name) in zip(panels[0], shown.items(), strict=True):
        values = measured_table(source, runs, measure)
        for rank, way in enumerate(MODELS):
            m = np.array(source.shares) * (1 + 0.012 * (rank - len(MODELS) / 2))  # bars side by side
            ends = [interval(row, FEWEST) if len(row) > 2 else (row.mean(),) * 3 for row in values[way.model]]
            there = np.isfinite(np.array(ends)[:, 0])
            if there.any():
                mean, low, high = np.array(ends)[there].T
                reach = [mean - low, high - mean]
                plotted.error_bars(axes, m[there], mean, yerr=reach, **BARS, **look(way, way.model))
        axes.set(xlabel="% of the training examples", ylabel=name)
        axes.margins(x=0.06)
    style.log_ticks(panels[0, 2].yaxis)
    return style.legend_above(figure)


@draws("table1")
def table1(task: Task, runs: Runs) -> Rows:
    cross = task.first
    for way in (*ways.METHODS, *task.ems[1:], *ways.OURS):
        theirs = ways.SAID["table1"].get(way.name)
        for rank, C in zip(task.ranks[ways.SYNTHETIC], task.path_of(way, ways.SYNTHETIC), strict=True):
            found = runs.present(task.specs(way, cross, C))
            radius = f", radius {1 / C:.3g}" if way.penalty == "l1-ball" else ""
            row = {"method": way.name} | dict.fromkeys(HEADS, "-") | {"constant, ours": f"C = {C:g}{radius}"}
            if theirs:
                constant, total, irrelevant = theirs["rows"][rank]
                row |= {"constant, theirs": f"{theirs['constant']} = {constant:g}"}
                row |= {"total, theirs": str(total), "irrelevant, theirs": str(irrelevant)}
            if found:
                average = scores.average_weights(found)
                ours = scores.selected(average)
                row |= {"total, ours": str(ours.total), "irrelevant, ours": str(ours.irrelevant)}
                row["total, per fold"] = cell([scores.selected(weights_of(run)).total for run in found], ".4g")
                row["total, above 1e-4"] = str(scores.selected(average, scores.TINY).total)
            yield row


@draws("table-models")
def table_models(task: Task, runs: Runs) -> Rows:
    crosses = {"synthetic": task.first, f"OCR{task.smallest.size}": task.smallest}
    listed = (*ways.MODELS, *ways.METHODS[:2], *ways.OURS, *ways.OTHER_M3NS)
    return [_way(task, runs, name, cross, way) for name, cross in crosses.items() for way in listed]


def _way(task: Task, runs: Runs, data: str, cross: Cross, way: Way) -> dict[str, str]:
    constants = task.grid_of if way in (*ways.MODELS, *ways.OTHER_M3NS) else task.path_of
    found = scores.score(task, runs, way, [cross], constants(way, cross.kind))
    l1m3n = way.model == ways.EM.model
    learned = way.name if l1m3n else way.algorithm + (" batch" if "mode" in way.params else "")
    row = {"data": data, "model": way.model, "learned by": learned}
    if found is None:
        return row | dict.fromkeys(VALUES, "-")
    made = runs.present(found.chosen)
    gaps = [run.summary["relative_gap"] for run in made]
    folds = enumerate(made if l1m3n else [])
    above = [scores.excess(runs, run, _programs(task, cross, fold)) for fold, run in folds]
    return row | {
        "C": "-" if way.penalty == "none" else f"{found.C:g}",
        "error": f"{found.mean:.4f}",
        "deviation": f"{found.spread:.4f}",
        "non-zero": cell([np.count_nonzero(weights_of(run)) for run in made], ".4g"),
        "gap": "-" if None in gaps else f"{max(gaps):.1e}",
        "above the LP": cell(above, ".1e"),
        "CPU seconds": f"{scores.cpu_seconds(made).mean():.3g}",
    }


def _programs(task: Task, cross: Cross, fold: int) -> list[Spec]:
    """Return the runs on a fold whose dual values bound every method for the l1-M3N."""
    return [
        task.specs(way, cross, C)[fold]
        for way in (ways.CUTTING_PLANE, ways.CUTTING_WARM, ways.PROXIMAL)
        for C in task.path_of(way, cross.kind)
    ]
