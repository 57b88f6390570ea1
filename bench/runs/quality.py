"""What a model predicts, judged: wrong decisions, and the scores of a problem's kind.

Those of chunks and brackets (precision, recall, F1), of dependency trees, attributes, alignments and lists of
candidates; and the seconds that predicting takes.
"""

import time
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Model
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import kind_of
from structbench.datasets.problems.problem import Problem

QUALITY = (
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
    them. A joint problem's decision is wrong if the part of speech is or the chunk tag, which have a share each.

    Args:
        split: None if there is none.
        name: train or test.
        counts: gets the counts of chunks, sentence by sentence (``chunk_counts``), if there are chunks.
    """
    row = dict.fromkeys((f"{name}_{what}" for what in QUALITY), np.nan)
    if split is None or not is_finite(model, weights):
        return row
    started = time.perf_counter()
    predicted, right, starts = model.predictions(split, weights)
    row[f"{name}_seconds"] = time.perf_counter() - started
    structure = kind_of(split).id
    if problem.tags and structure == "field":
        predicted, right, starts = _codes(problem, predicted), _codes(problem, right), starts // 2
    row[f"{name}_error"] = float(np.mean(predicted != right))
    if problem.tags:
        chunks = len(problem.labels)
        row[f"{name}_tag_error"] = float(np.mean(predicted // chunks != right // chunks))
        predicted, right = predicted % chunks, np.where(right < 0, -1, right % chunks)
        row[f"{name}_chunk_error"] = float(np.mean(predicted != right))
    found = _scores(problem, parts.unwrap(split), structure, (predicted, right, starts), name, counts)
    return row | {f"{name}_{what}": value for what, value in found.items()}


def _scores(
    problem: Problem,
    split: Any,
    structure: str,
    decisions: tuple[np.ndarray, np.ndarray, np.ndarray],
    name: str,
    counts: list[np.ndarray] | None,
) -> Row:
    """The scores of a problem's kind; imports the modules of its structure alone (``programs.SCORES``)."""
    predicted, right, starts = decisions
    found: Row = {}
    if problem.bio:
        from structbench.bench.runs.chunk_scores import chunk_counts, scores_of

        chunks = chunk_counts(predicted, right, starts, problem.labels)
        found |= zip(("precision", "recall", "f1"), scores_of(chunks), strict=True)
        if counts is not None:
            counts.append(chunks)
    if problem.attributes:
        from structbench.bench.runs.attribute_scores import attribute_scores

        key = problem.key_attributes
        found |= attribute_scores(predicted, right, starts, problem.attributes, key)._asdict()
    if problem.punctuation is not None:
        from structbench.bench.runs.attachment_scores import attachment_scores

        punctuation = _share(problem.punctuation, len(right), name)
        found |= attachment_scores(predicted, right, starts, punctuation)._asdict()
    if problem.brackets is not None:
        from structbench.bench.runs.bracket_scores import bracket_scores

        spans = _share(problem.brackets, len(right), name)
        found |= bracket_scores(predicted, right, starts, spans, problem.labels)._asdict()
    if structure == "matching":
        from structbench.bench.runs.alignment_scores import alignment_scores

        found |= alignment_scores(split, predicted)._asdict()
    if structure == "candidates":
        from structbench.bench.runs.list_scores import list_scores

        found |= list_scores(split, problem.labels, problem.bio)._asdict()
    return found


def _codes(problem: Problem, labels: np.ndarray) -> np.ndarray:
    """Codes as of joint problems from the decisions of factorial chains: part of speech and chunk tag in turn."""
    tag, chunk = labels[::2], labels[1::2]
    return np.where((tag < 0) | (chunk < 0), -1, tag * len(problem.labels) + chunk)


def _share(both: np.ndarray, size: int, name: str) -> np.ndarray:
    """Of an array of both splits' decisions, those of the training split first, the part of the one named."""
    return both[:size] if name == "train" else both[len(both) - size :]
