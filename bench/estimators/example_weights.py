"""Weights of examples and of classes, which multiply the losses of examples."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.labels import plain

BALANCED = "balanced"
SPAN = 1e10  # of weights: beyond it rounding of the largest losses exceeds the smallest, and bounds fail


def checked_weights(sample_weight: Any, count: int) -> np.ndarray:
    """The weight of each example, float64 (count,).

    Raises:
        UserError: There are more or fewer, or some are no finite numbers of 0 or more, or all are 0.
    """
    try:
        found = np.array(sample_weight)
        if found.dtype.kind in "cmMSU":
            raise TypeError("no real numbers")
        found = found.astype(np.float64)
    except (TypeError, ValueError):
        raise UserError(f"sample_weight must be numbers, one an example, not {sample_weight!r:.60}") from None
    if found.shape != (count,):
        raise UserError(f"X has {count} examples: expected as many in sample_weight, found shape {found.shape}")
    if not (np.isfinite(found) & (found >= 0)).all():
        first = int(np.argmin(np.isfinite(found) & (found >= 0)))
        raise UserError(f"sample_weight must be finite and 0 or more, found {found[first]} for example {first}")
    if not found.any():
        raise UserError("sample_weight has only zeros: give an example a weight above 0")
    return found


def check_span(factors: np.ndarray) -> None:
    """See that double precision can add the losses of examples with these weights, all above 0.

    Raises:
        UserError: The largest is more than ``SPAN`` times the smallest.
    """
    least, most = factors.min(), factors.max()
    if most > SPAN * least:
        raise UserError(
            f"sample_weight or class_weight: the weights of examples go from {least:g} to {most:g}; "
            f"the largest must be at most {SPAN:g} times the smallest above 0"
        )


def class_weights(class_weight: Any, labels: Sequence[Any], codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The weight of each label: of a dict, where others have 1; or balanced, so that all labels weigh the same.

    Args:
        codes: The number of each example's label.
        weights: Of the examples.

    Raises:
        UserError: It is neither, or has a label that y lacks and lacks one that y has, or a weight is no finite
            number of 0 or more.
    """
    if isinstance(class_weight, str) and class_weight == BALANCED:
        masses = np.bincount(codes, weights, len(labels))
        return np.divide(masses.sum(), np.count_nonzero(masses) * masses, where=masses > 0, out=masses)
    if not isinstance(class_weight, Mapping):
        raise UserError(f"class_weight must be None, {BALANCED!r} or a dict by label, not {class_weight!r:.60}")
    odd = [label for label in class_weight if label not in labels]
    left = [label for label in labels if label not in class_weight]
    if odd and left:  # a mistyped label; if all labels of y are there, y is a part of the data, such as a fold
        raise UserError(
            f"class_weight has the label {odd[0]!r}, which y does not have, and lacks y's {plain(left[0])!r}"
        )
    found = [class_weight.get(label, 1.0) for label in labels]
    try:
        return checked_weights(found, len(labels))
    except UserError:
        raise UserError(f"class_weight must be numbers of 0 or more, not all 0, found {class_weight!r}") from None
