"""Our figures on l1m3n2009: which features are selected along the path, and certified gaps against seconds."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.figures import look
from structbench.bench.papers.l1m3n2009.runs import Cross, Task
from structbench.bench.papers.l1m3n2009.setting import L1_CRF, METHODS, OURS
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import weights_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

FLOOR = 1e-9  # smaller relative gaps are rounding


def fig_selection(task: Task, runs: Runs) -> "Figure":
    """Draw precision and recall against the number of features selected, one line a method."""
    figure, ((left, right),) = style.panels(1, 2, height=3.2, width=4.2)
    cross = task.first
    for way in (*METHODS, *OURS, L1_CRF):
        Cs = task.grid_of(way, cross.kind) if way is L1_CRF else task.path_of(way, cross.kind)
        rows = []
        for C in Cs:
            found = [weights_of(run) for run in runs.present(task.specs(way, cross, C))]
            if found:
                precision, recall = np.array([scores.precision_and_recall(w) for w in found]).T
                total = np.mean([scores.selected(w).total for w in found])
                rows.append((total, np.nan if np.isnan(precision).all() else np.nanmean(precision), recall.mean()))
        if rows:
            total, precision, recall = np.array(sorted(rows)).T
            drawn = look(way.name)
            left.plot(total, precision, **drawn)
            right.plot(total, recall, **drawn)
    for axes, named in ((left, "precision"), (right, "recall")):
        axes.set(xlabel="state features selected, mean over folds", ylabel=named, ylim=(0, 1.04))
        axes.set_xlim(0, scores.STATES + 4)
    chance = scores.RELEVANT / scores.STATES
    left.axhline(chance, color="#999999", linewidth=0.8, linestyle=(0, (2, 2)))
    ideal = np.array([0, scores.RELEVANT, scores.STATES])
    right.plot(
        ideal, np.minimum(ideal / scores.RELEVANT, 1), color="#999999", linewidth=0.8, linestyle=(0, (2, 2))
    )
    style.legend_above(figure)
    return figure


def fig_gap(task: Task, runs: Runs) -> "Figure":
    """Draw the certified relative gap against CPU seconds, at three places of the path, on both kinds of data."""
    crosses = (("synthetic", task.first), (f"OCR{task.smallest.size}", task.smallest))
    figure, panels = style.panels(len(crosses), 3, height=2.7, width=3.2)
    for row, (name, cross) in zip(panels, crosses, strict=True):
        places = _places(task, cross)
        for axes in row[len(places) :]:
            axes.remove()
        for axes, place in zip(row, places, strict=False):
            for way in (*METHODS, *OURS):
                (found, *_) = [
                    *runs.present([task.specs(way, cross, task.path_of(way, cross.kind)[place])[0]]),
                    None,
                ]
                if found is not None:
                    drawn = look(way.name) | {"markersize": 2.5}
                    style.line(axes, [found], _gap, "cpu_seconds", **drawn)
            C = task.path_of(METHODS[1], cross.kind)[place]
            axes.set(title=f"{name}, l1 with C = {C:g}", xlabel="CPU seconds")
            if axes.lines:
                style.log_ticks(axes.xaxis)
                style.log_ticks(axes.yaxis)
        row[0].set_ylabel("certified gap / primal")
    style.legend_above(figure)
    return figure


def _gap(curve: "pd.DataFrame") -> np.ndarray:
    gap = curve["relative_gap"].to_numpy()
    return np.where((gap > FLOOR) & (curve["passes"].to_numpy() > 0), gap, np.nan)


def _places(task: Task, cross: Cross) -> list[int]:
    """Return a strong, a middle and a weak constant of those used, if there are three."""
    used = len(task.ranks[cross.kind])
    return sorted({0, used // 2, used - 1})


DRAWN = {
    "fig-selection": (
        "which features are selected along the path (ours)",
        "Precision and recall of the state features with weights other than zero, those of the relevant "
        "inputs being right, against how many there are; means over folds, a point each constant. Dashed: "
        "precision of all features, and the best recall possible. Three inputs of a group are near copies, of "
        "which one does, and of an input's two weights only the difference matters: a linear program's corner "
        "has few of them.",
        "first",
        fig_selection,
    ),
    "fig-gap": (
        "certified gap of the methods for the l1-M3N (ours)",
        "Primal minus dual over primal against CPU seconds on the first fold, each method in its own form of the "
        "problem (l1 norm, l1 ball, squared l1 norm), at constants of its own path, from strong to weak, which "
        "are not of one optimum; evaluation is not counted. A step of the cutting planes is a round; ours starts "
        "with steps of the proximal method on OCR.",
        "first",
        fig_gap,
    ),
}
