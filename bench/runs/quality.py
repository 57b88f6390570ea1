"""What a model predicts, judged: wrong decisions, the problem's scores, and the seconds that predicting takes."""

import importlib
import time
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Model
from structbench.algorithms.structures import interface as parts
from structbench.datasets.problems.problem import Judged, Problem

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
    problem: Problem,
    model: Model,
    split: Any,
    weights: np.ndarray,
    name: str,
    counts: list[np.ndarray] | None = None,
) -> Row:
    """``QUALITY`` of the predictions for a split, as ``name``_error and so on; NaN where there is no such thing.

    All are NaN of weights whose norm is not finite, too: they predict nothing, and no beam may find a way with
    them. And before a model predicts.

    Args:
        split: None if there is none.
        name: train, validation or test.
        counts: gets what the problem's scores count in each example, if they do (``Judged``).
    """
    scores = [importlib.import_module(f"structbench.datasets.scores.{each}") for each in problem.scores]
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
    judged = Judged(plain, name, predicted, right, starts, counts)
    for each in scores:
        row |= {f"{name}_{what}": value for what, value in each.scores(judged)._asdict().items()}
    return row
