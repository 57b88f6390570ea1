"""Table 1 of l1m3n2009 with the paper's numbers, and a table of ours: every way to train at its best C."""

from functools import partial
from typing import NamedTuple

import numpy as np

from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.tables import Rows, table
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.runs import Cross, Task, about
from structbench.bench.papers.l1m3n2009.setting import (
    CUTTING_PLANE,
    CUTTING_WARM,
    EM,
    METHODS,
    MODELS,
    OTHER_M3NS,
    OURS,
    PROXIMAL,
    SUBGRADIENT,
    SYNTHETIC,
    Way,
)
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import weights_of


class Theirs(NamedTuple):
    """A column of the paper's Table 1: the constant as printed, non-zero weights."""

    constant: float
    total: int
    irrelevant: int


# from the strongest; constants: root of lambda, root of C', lambda / 14000 (the label of Figure 5)
THEIRS: dict[str, tuple[str, tuple[Theirs, ...]]] = {
    SUBGRADIENT.name: (
        "sqrt(lambda)",
        tuple(
            Theirs(*row)
            for row in (
                (0.5, 198, 138), (0.7, 196, 136), (0.87, 200, 140), (1, 200, 140), (1.41, 200, 140),
                (1.73, 200, 140), (2, 200, 140), (3, 200, 140), (4, 200, 140),
            )
        ),
    ),
    CUTTING_PLANE.name: (
        "sqrt(C)",
        tuple(
            Theirs(*row)
            for row in (
                (0.5, 13, 0), (0.7, 21, 0), (0.87, 26, 2), (1, 44, 16), (1.41, 145, 103),
                (1.73, 169, 122), (2, 184, 134), (3, 186, 139), (4, 189, 140),
            )
        ),
    ),
    EM.name: (
        "lambda / 14000",
        tuple(
            Theirs(*row)
            for row in (
                (0.93, 28, 0), (0.78, 32, 0), (0.64, 34, 2), (0.5, 54, 18), (0.35, 90, 48),
                (0.21, 158, 108), (0.14, 182, 128), (0.069, 198, 140), (0.036, 200, 140),
            )
        ),
    ),
}  # fmt: skip

VALUES = ("C", "error", "deviation", "non-zero", "gap", "above the LP", "CPU seconds")


def tables(task: Task) -> dict[str, Figure]:
    """Return the tables by file stem."""
    return {
        "table1": table(
            "l1m3n2009, Table 1: non-zero average weights",
            "Weights of the 200 state features that are not zero on the average over the folds, and those "
            "among them of the 140 features of irrelevant inputs. Theirs: the paper's columns. Ours are at the "
            "same constants, translated: losses weigh C' / N in cutting planes, radii are as they are, and C', "
            "which EM keeps fixed and the paper does not say, is 1, below also half and twice that. Constants do "
            "not compare between methods. Per fold: the mean number in a single fold's model. Above 1e-4: of the "
            "average. " + about(task, "first"),
            partial(table_1, task),
        ),
        "table-models": table(
            "l1m3n2009: every model, and every way to learn it, at its best constant",
            "Test error, with the constant for each fold that of least mean error on the others (C: the most "
            "frequent); its standard deviation; weights other than zero of one model; certified gap relative to "
            "the primal (the worst fold's); how far the losses are above the least that the l1 norm of the "
            "weights allows, certified by the linear programs (mean); CPU seconds of a fold. "
            f"{about(task, 'first')} OCR: {task.smallest.size} words from each fold.",
            partial(every_way, task),
        ),
    }


def table_1(task: Task, runs: Runs) -> Rows:
    cross, rows = task.first, []
    for way in (*METHODS, *task.ems[1:], *OURS):
        named, theirs = THEIRS.get(way.name, ("", ()))
        for rank, C in zip(task.ranks[SYNTHETIC], task.path_of(way, SYNTHETIC), strict=True):
            found = runs.present(task.specs(way, cross, C))
            average = scores.average_weights(found) if found else None
            ours = scores.selected(average) if found else None
            row = theirs[rank] if theirs else None
            rows.append(
                {
                    "method": way.name,
                    "constant, theirs": f"{named} = {row.constant:g}" if row else "-",
                    "total, theirs": str(row.total) if row else "-",
                    "irrelevant, theirs": str(row.irrelevant) if row else "-",
                    "constant, ours": constant(way, C),
                    "total, ours": str(ours.total) if ours else "-",
                    "irrelevant, ours": str(ours.irrelevant) if ours else "-",
                    "total, per fold": _mean([scores.selected(weights_of(run)).total for run in found]),
                    "total, above 1e-4": str(scores.selected(average, scores.TINY).total) if found else "-",
                }
            )
    return rows


def constant(way: Way, C: float) -> str:
    """Format our constant and, for a ball, its radius."""
    return f"C = {C:g}, radius {1 / C:.3g}" if way.penalty == "l1-ball" else f"C = {C:g}"


def every_way(task: Task, runs: Runs) -> Rows:
    rows = []
    for name, cross in (("synthetic", task.first), (f"OCR{task.smallest.size}", task.smallest)):
        for way in (*MODELS, *METHODS[:2], *OURS, *OTHER_M3NS):
            rows.append(_way(task, runs, name, cross, way))
    return rows


def _way(task: Task, runs: Runs, data: str, cross: Cross, way: Way) -> dict[str, str]:
    grid = task.grid_of(way, cross.kind) if way in (*MODELS, *OTHER_M3NS) else task.path_of(way, cross.kind)
    found = scores.score(task, runs, way, [cross], grid)
    learned = way.name if way.model == EM.model else way.algorithm + (" batch" if "mode" in way.params else "")
    row = {"data": data, "model": way.model, "learned by": learned}
    if found is None:
        return row | dict.fromkeys(VALUES, "-")
    made = runs.present(found.chosen)
    gaps = [run.summary["relative_gap"] for run in made]
    above = [
        scores.excess(runs, run, _programs(task, cross, fold))
        for fold, run in enumerate(made)
        if way.model == EM.model
    ]
    return row | {
        "C": "-" if way.penalty == "none" else f"{found.C:g}",
        "error": f"{found.mean:.4f}",
        "deviation": f"{found.spread:.4f}",
        "non-zero": _mean([np.count_nonzero(weights_of(run)) for run in made]),
        "gap": "-" if None in gaps else f"{max(gaps):.1e}",
        "above the LP": f"{np.mean(above):.1e}" if above and np.isfinite(above).all() else "-",
        "CPU seconds": f"{scores.cpu_seconds(made).mean():.3g}",
    }


def _programs(task: Task, cross: Cross, fold: int) -> list[Spec]:
    """Return the runs on a fold whose dual values bound every method for the l1-M3N."""
    return [
        task.specs(way, cross, C)[fold]
        for way in (CUTTING_PLANE, CUTTING_WARM, PROXIMAL)
        for C in task.path_of(way, cross.kind)
    ]


def _mean(values: list[int]) -> str:
    return f"{np.mean(values):.4g}" if values else "-"
