"""What estimators of sequences share: an empty sequence has no loss, and the prediction for it is empty."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import inputs
from structbench.bench.estimators.base import A, Estimator
from structbench.bench.runs.model import Model
from structbench.datasets.problems.labels import distinct, place_in
from structbench.datasets.problems.problem import Unlabelled


class SequenceEstimator(Estimator):
    """An estimator whose examples are sequences."""

    def _asked(self, X: Any, of: Callable[[Model, Unlabelled], list[A]], empty: A) -> list[A]:
        self._check_fitted()
        given, lengths = inputs.sequences_of(X)
        answers = iter(super()._asked(inputs.not_empty(given, lengths), of, empty) if lengths.any() else ())
        return [next(answers) if length else empty for length in lengths.tolist()]


def checked_labels(y: Any, lengths: np.ndarray) -> list[Any]:
    """All labels, sequence after sequence.

    Raises:
        UserError: y is no list of sequences of these lengths, or has something that is no label.
    """
    if isinstance(y, str) or not isinstance(y, Iterable):
        raise UserError(f"requires y to be passed, a list of sequences of labels, but the target y is {y!r:.60}")
    rows = [[*each] if isinstance(each, Iterable) and not isinstance(each, str) else each for each in y]
    if len(rows) != len(lengths):
        raise UserError(f"X has {len(lengths)} sequences, y has {len(rows)}")
    flat = []
    for number, (given, length) in enumerate(zip(rows, lengths.tolist(), strict=True)):
        if not isinstance(given, list) or len(given) != length:
            found = f"{len(given)} labels" if isinstance(given, list) else repr(given)
            raise UserError(f"example {number} has {length} tokens: expected as many labels in y, found {found}")
        flat += given
    distinct(flat, place_in(lengths))
    return flat
