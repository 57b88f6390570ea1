"""The base class of sequence estimators: scores by label, checks of labels, and care for empty sequences.

An empty sequence has no loss, and the prediction for it is empty.
"""

from collections.abc import Callable, Iterable
from copy import copy
from typing import Any

import numpy as np

from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import prediction
from structbench.bench.estimators import inputs
from structbench.bench.estimators.base import A, Estimator
from structbench.bench.runs.model import Model
from structbench.bench.runs.tables import refuse_table
from structbench.datasets.problems.labels import coded, distinct, place_in, plain
from structbench.datasets.problems.problem import Judged, Problem, Unlabelled
from structbench.datasets.scores import chunks
from structbench.datasets.scores.labels.table import OfLabel


class SequenceEstimator(Estimator):
    """An estimator whose examples are sequences."""

    def _asked(self, X: Any, of: Callable[[Model, Unlabelled], list[A]], empty: A) -> list[A]:
        self._check_fitted()
        given, lengths = inputs.sequences_of(X)
        answers = iter(super()._asked(given, of, empty) if lengths.any() else ())
        return [next(answers) if length else copy(empty) for length in lengths.tolist()]

    def _part_probabilities(self, X: Any) -> list[np.ndarray]:
        """How probable each part of each example is, such as a segment or an arc."""

        def of(model: Model, new: Unlabelled) -> list[np.ndarray]:
            temperature = family.named_loss(model.spec.loss).temperature
            return prediction.part_probabilities(new.split, model.weights, temperature)

        return self._asked(X, of, np.empty(0))

    def scores_by_label(self, X: Any, y: Any) -> dict[Any, OfLabel]:
        """Precision, recall and F1 of each label; of each type of chunk, if the labels are tags such as B-NP."""
        return chunks.by_label(self._judged(X, y)).rows

    def _judged(self, X: Any, y: Any) -> Judged:
        """The predictions for X, to be judged by y."""
        predicted, labels = self.predict(X), [*map(plain, self.classes_)]
        lengths = np.array([len(each) for each in predicted])
        right, unseen = coded(gold_labels(y, lengths), labels)
        found = coded([label for each in predicted for label in each], labels)[0]
        starts = np.append(0, np.cumsum(lengths[lengths > 0]))
        return Judged(Problem(None, None, tuple(labels), unseen=unseen), "test", found, right, starts)


def checked_labels(y: Any, lengths: np.ndarray) -> list[Any]:
    """All labels, sequence after sequence.

    Raises:
        UserError: y is no list of sequences of these lengths, or has something that is no label.
    """
    if isinstance(y, str) or not isinstance(y, Iterable):
        raise UserError(f"requires y to be passed, a list of sequences of labels, but the target y is {y!r:.60}")
    refuse_table(y, "y", "give a list of the labels of each example")
    rows = []
    for number, each in enumerate(y):
        refuse_table(each, f"example {number} of y", "give a list of its labels")
        rows.append([*each] if isinstance(each, Iterable) and not isinstance(each, str) else each)
    if len(rows) != len(lengths):
        raise UserError(f"X has {len(lengths)} sequences, y has {len(rows)}")
    flat = []
    for number, (given, length) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        if not isinstance(given, list) or len(given) != length:
            found = f"{len(given)} labels" if isinstance(given, list) else f"{plain(given)!r:.60}"
            raise UserError(f"example {number} has {length} tokens: expected as many labels in y, found {found}")
        flat += given
    distinct(flat, place_in(lengths))
    return flat


def gold_labels(y: Any, lengths: np.ndarray) -> list[Any]:
    """All labels by which predictions are judged.

    Raises:
        UserError: As ``checked_labels``; or there is none.
    """
    if found := checked_labels(y, lengths):
        return found
    raise UserError("expected labelled examples to judge by, found none in X and y")
