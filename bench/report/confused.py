"""Tables for the best method on each data set of a grid: scores by label, and the confusion matrix."""

from collections.abc import Iterator, Mapping

import numpy as np

from structbench.bench.drawing.best import Best
from structbench.bench.drawing.method_looks import dealt
from structbench.bench.drawing.standings import Row
from structbench.bench.report.markdown import cell, document, table
from structbench.bench.runs import confusion_matrix
from structbench.bench.runs.store import Run
from structbench.datasets.scores.labels.table import OfLabel

SHARES = {"precision": "precision %", "recall": "recall %", "f1": "F1 %"}


def confusions(best: Best, known: Mapping[str, Run]) -> str:
    """Two tables for each table of a grid, of the run of its first method; ``known`` has runs by their keys."""
    return document(
        labels(best, known, "##"), *(block for _, run in _firsts(best, known) for block in _taken(run))
    )


def labels(best: Best, known: Mapping[str, Run], level: str, of_chunks: bool = False) -> str:
    """Precision, recall and F1 of each label, of the first methods, under headings of this level.

    of_chunks: Only where F1 is the score: of chunks and entities.
    """
    blocks = []
    for row, run in _firsts(best, known):
        has_f1 = any(np.isfinite(row.mean(measure)) for measure in ("test_f1", "validation_f1"))
        if (scores := run.summary.get("by_label")) and (has_f1 or not of_chunks):
            strength = "" if row.C is None else f", C = {row.C:g}"
            number, folds, _ = dealt(run.spec.data)
            fold = f", fold {number} of {folds}" if folds else ""
            seed = f", seed {run.spec.seed}" if row.seeds > 1 else ""
            blocks.append(f"{level} Labels, by the first method: {cell(row.method)}{strength}{fold}{seed}")
            listed = [[cell(label), *map(_written, each.values())] for label, each in scores.items()]
            blocks.append(table(["label", *(SHARES.get(name, name) for name in OfLabel._fields)], listed))
    return document(*blocks)


def _firsts(best: Best, known: Mapping[str, Run]) -> list[tuple[Row, Run]]:
    """The first row of each table, and its run, where it is known."""
    rows = [each.rows[0] for each in best.tables if each.rows]
    return [(row, run) for row in rows if (run := known.get(row.runs[0].key)) is not None]


def _taken(run: Run) -> Iterator[str]:
    """What is taken for what, in a table after a sentence."""
    found = confusion_matrix.judged(run, "test") or confusion_matrix.judged(run, "validation")
    if found is None:
        return
    names, counts = confusion_matrix.confusion(found)
    if names:
        heads, rows = confusion_matrix.confusion_rows(names, counts)
        many = f"The commonest mistakes on the {found.which} split:"
        few = f"Gold labels of the {found.which} split in rows, predicted ones in columns:"
        yield many if heads[0] else few
        yield table(map(cell, heads), [[*map(cell, row)] for row in rows])


def _written(score: float | int | None) -> str:
    return "-" if score is None else f"{100 * score:.1f}" if isinstance(score, float) else str(score)
