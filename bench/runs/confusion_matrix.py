"""Compare the predictions that a run keeps with the gold labels: which label is taken for which, and how often."""

import numpy as np

from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.bench.runs import predicted, problem_store
from structbench.bench.runs.store import Run
from structbench.datasets.problems.problem import Judged

WIDEST, MOST = 12, 20  # labels of a matrix; of more labels, pairs that are listed


def judged(run: Run, split: str) -> Judged | None:
    """What a run predicted last for a split: validation or test.

    None if it keeps no predictions, or if the problem that it learned from is no longer stored.
    """
    data, test = run.spec.data, run.spec.test
    decisions = predicted.last(run, f"predicted_{split}")
    if decisions is None or problem_store.fingerprint(data, test) != run.summary["provenance"]["data_sha256"]:
        return None
    problem, _ = problem_store.obtain(data, test)
    _, gold, starts = prediction.label_room(parts.compiled(getattr(problem, split)))
    return Judged(problem, split, decisions, gold, starts) if len(gold) == len(decisions) else None


def confusion(found: Judged) -> tuple[list[str], np.ndarray]:
    """The labels, and how often each gold label, in rows, is predicted as each, in columns.

    Without labels where decisions are no numbers of labels.
    """
    names, gold = found.as_written()
    if found.problem.tags or max(found.predicted.max(initial=0), gold.max(initial=0)) >= len(names):
        return [], np.zeros((0, 0), np.int64)
    table = np.bincount(gold * len(names) + found.predicted, minlength=len(names) ** 2).reshape(len(names), -1)
    there = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    return [names[k] for k in there], table[np.ix_(there, there)]


def confusion_rows(names: list[str], table: np.ndarray) -> tuple[list[str], list[list[str]]]:
    """The heading and the rows of a matrix of few labels, or of many the pairs that are confused most often."""
    if len(names) <= WIDEST:
        return ["", *names], [[name, *map(str, row)] for name, row in zip(names, table.tolist(), strict=True)]
    wrong = table * (1 - np.eye(len(names), dtype=np.int64))
    pairs = np.argsort(-wrong, axis=None, kind="stable")[:MOST]
    places = [divmod(int(each), len(names)) for each in pairs]
    rows = [[names[gold], names[found], str(wrong[gold, found])] for gold, found in places if wrong[gold, found]]
    return ["gold", "predicted", "times"], rows
