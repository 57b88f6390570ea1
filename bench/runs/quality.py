"""What a model predicts, judged: wrong decisions, the problem's scores, and the seconds that predicting takes."""

import importlib
import time
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Model
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs.documents import Json
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores.labels.table import of_decisions

QUALITY = (  # columns of every run; scores that have others add them for their own problems
    *("error", "f1", "precision", "recall", "tag_error", "chunk_error", "seconds"),
    *("attachment", "word_attachment", "right_roots", "right_trees"),
    *("average_f1", "instance_accuracy"),
    *("complete", "alignment_error"),
    *("first_error", "first_f1", "oracle_error", "oracle_f1"),
)

Row = dict[str, float]


def is_finite(model: Model, weights: np.ndarray) -> bool:
    """Whether the norm of the weights is finite."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(model.norm(weights)))


def quality(
    problem: Problem, model: Model, split: Any, weights: np.ndarray, name: str, kept: list[Judged] | None = None
) -> Row:
    """``QUALITY`` of the predictions for a split, as ``name``_error and so on; NaN where there is no such thing.

    All are NaN of weights whose norm is not finite, too: they predict nothing, and no beam may find a way with
    them. And before a model predicts.

    Args:
        split: None if there is none.
        name: train, validation or test.
        kept: gets the predictions, with what the problem's scores count in each example, if they do.
    """
    scores = _modules(problem)
    names = (*QUALITY, *(what for each in scores for what in each.Scores._fields))
    row = dict.fromkeys((f"{name}_{what}" for what in names), np.nan)
    if split is None or not is_finite(model, weights):
        return row
    started = time.perf_counter()
    found = model.predictions(split, weights)
    if found is None:
        return row
    row[f"{name}_seconds"] = time.perf_counter() - started
    predicted, right, starts = found
    row[f"{name}_error"] = float(np.mean(predicted != right))
    plain = problem._replace(**{name: parts.unwrap(split)})
    judged = Judged(plain, name, predicted, right, starts, [])
    if kept is not None:
        kept.append(judged)
    for each in scores:
        row |= {f"{name}_{what}": value for what, value in each.scores(judged)._asdict().items()}
    return row


def to_keep(judged: list[Judged]) -> dict[str, np.ndarray]:
    """What a run keeps of its last predictions for each split, such as test: int arrays.

    ``predicted_test``: the decisions. ``counts_test``: a row an example: how many decisions are right, how many
    there are, and what ``Judged.counts`` has.
    """
    kept = {}
    for each in judged:
        right = np.append(0, np.cumsum(each.predicted == each.right))[each.starts]
        counts = [np.diff(right), np.diff(each.starts), *(np.transpose(more) for more in each.counts or ())]
        kept |= {f"predicted_{each.which}": each.predicted, f"counts_{each.which}": np.vstack(counts).T}
    return kept


def quality_of_labels(judged: list[Judged]) -> Json:
    """The scheme of tags and the scores of each label, of the first of a run's last predictions."""
    if not judged:
        return {"scheme": "", "by_label": {}}
    last = judged[0]
    tables = [each.by_label for each in _modules(last.problem) if hasattr(each, "by_label")]
    found = (tables or [of_decisions])[0](last)
    return {"scheme": found.scheme, "by_label": {str(label): row._asdict() for label, row in found.rows.items()}}


def _modules(problem: Problem) -> list[Any]:
    return [importlib.import_module(f"structbench.datasets.scores.{each}") for each in problem.scores]
