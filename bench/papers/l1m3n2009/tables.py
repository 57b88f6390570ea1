"""Table 1 of l1m3n2009 with the paper's numbers, and a table of ours: every way to train at its best C."""

import numpy as np

from structbench.bench.papers.l1m3n2009 import runs as ways
from structbench.bench.papers.l1m3n2009 import scores
from structbench.bench.papers.l1m3n2009.runs import Cross, Task, Way
from structbench.bench.papers.panels import cell
from structbench.bench.papers.terms import Registry, Rows, Runs, Spec
from structbench.bench.runs.store import weights_of

draws = Registry()
HEADS = (
    "constant, theirs", "total, theirs", "irrelevant, theirs", "constant, ours", "total, ours", "irrelevant, ours",
    "total, per fold", "total, above 1e-4",
)  # fmt: skip
VALUES = ("C", "error", "deviation", "non-zero", "gap", "above the LP", "CPU seconds")


@draws("table1")
def table1(task: Task, runs: Runs) -> Rows:
    cross, rows = task.first, []
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
            rows.append(row)
    return rows


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
