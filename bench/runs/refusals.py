"""Refuse what an algorithm's iterates must not be: each call here ends the run, or does nothing.

As ``algorithms/learning/refusals.py``, for what the driver and the referee see.
"""

import math
from dataclasses import replace
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Model, Objective
from structbench.algorithms.learning.refusals import wrong_vector
from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.runtime.own_folders import owner
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs.algorithm_files import file_of, shown

ALIKE = 1e-9  # of a value: what an algorithm hands over and what is computed again may differ by this


def odd_iterate(name: str, found: Iterate, is_of_features: bool, given: tuple[Any, ...]) -> None:
    """Raise a Fault if a field of an iterate is of a wrong kind, or a vector of a wrong length.

    Args:
        is_of_features: Whether the algorithm's weights are those of features.
        given: What ``solve`` was given, of which the objective is the second.
    """
    wrong = ""
    if not isinstance(found.hints, Hints):
        wrong = f"hints must be Hints(...), not {type(found.hints).__name__}"
    elif not (found.dual is None or isinstance(found.dual, Dual)):
        wrong = (
            f"the third field of an Iterate is None or Dual(conjugate, weights), not {type(found.dual).__name__}"
        )
    elif not _is_number(found.scale):
        wrong = f"scale must be a number, not {type(found.scale).__name__}"
    elif found.dual is not None and not _is_number(found.dual.conjugate):
        wrong = f"the conjugate of a Dual must be a number, not {type(found.dual.conjugate).__name__}"
    elif is_of_features and found.hints.model is None:
        expected = parts.num_weights(given[1].split)
        if isinstance(found.kept, np.ndarray) and found.kept.shape == (expected,):
            wrong = (said := wrong_vector(found.kept, expected)) and f"weights must be {said}"
        if found.dual is not None and found.dual.weights is not None:
            wrong = wrong or (
                (said := wrong_vector(found.dual.weights, expected)) and f"the weights of a Dual must be {said}"
            )
    if wrong:
        raise Fault(f"{shown(name)}: {wrong}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


def other_value(
    name: str, objective: Objective, model: Model, weights: np.ndarray, found: Iterate, row: dict[str, float]
) -> None:
    """Raise a Fault if a value that an algorithm of the user's hands over is not that of its weights.

    A model of its own judges itself.

    Args:
        weights: The iterate's.
        row: The checkpoint's.
    """
    if found.hints.value is None or found.hints.model is not None or owner(file_of(name)) is None:
        return
    objective = objective if found.hints.C is None else replace(objective, C=found.hints.C)
    with np.errstate(all="ignore"):
        primal = model.evaluate(objective, weights, *found.dual_point).primal
    require_alike(name, row["primal"], primal)


def require_alike(name: str, said: float, primal: float) -> None:
    """Raise a Fault if a value that was handed over is not the value that was computed."""
    if not math.isfinite(primal) and not math.isfinite(said):
        return  # it diverged
    if not (math.isfinite(primal) and abs(primal - said) <= ALIKE * max(1.0, abs(primal))):
        raise Fault(f"{name} says that its value is {said:.12g}, and it is {primal:.12g}")
