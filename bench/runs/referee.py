"""Check the iterates that an algorithm yields, and whether the duality gap that it reports is really proven.

An algorithm's word proves nothing. Its counts must be possible. A value that it hands over must be that of its
weights. A dual point counts as a certificate if it can be computed again, from stored dual variables or from the
weights alone. Against an algorithm of the user's own, weights are looked for that contradict it.
"""

import math
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from typing import Any

import numpy as np

from structbench.algorithms.learning.objective import Iterate, Model, Objective
from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.runtime.own_folders import owner
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import algorithm_module, refusals
from structbench.bench.runs.algorithm_files import file_of, shown
from structbench.bench.runs.spec import Spec

MAX_UNCHANGED = 1000  # iterates after another with the same visits
IMPOSSIBLE = 1e-6  # of the primal: rounding may make the gap this much negative
ALIKE = 1e-9  # of a value: what an algorithm hands over and what is computed again may differ by this
ROUNDING = 1e-15  # of a loss of about 1
PROBES, STEPS = 60, 200  # most values that are computed to contradict a dual value, of any loss, without gradient


def watched(solve: Callable, name: str) -> Callable:
    """The ``solve`` of the algorithm of this name, whose iterates are looked at."""

    def fault(text: str) -> Fault:
        return Fault(f"{shown(name)}: {text}")

    declared = algorithm_module.declaration(name)
    is_of_features = declared.predict is None  # others have weights of their own

    @wraps(solve)
    def checked(*given: Any, **params: Any) -> Iterator[Any]:
        made = solve(*given, **params)
        if not isinstance(made, Iterator):
            raise fault(f"solve must yield Iterate, not return {type(made).__name__}")
        before, unchanged = None, 0
        for iterate in made:
            if not isinstance(iterate, Iterate):
                raise fault(f"solve must yield Iterate, not {type(iterate).__name__}")
            refusals.odd_iterate(name, iterate, is_of_features, given)
            visits = iterate.visits
            if wrong := _wrong_numbers(iterate) or _wrong_weights(iterate, before is None):
                raise fault(wrong)
            if iterate.hints.seconds is not None and not declared.black_box:
                raise fault("the driver measures its seconds: leave out Hints(seconds=...), it is for black boxes")
            own = not is_of_features or iterate.hints.model is not None
            if not own and (wrong := _wrong_length(iterate, given[1].split)):
                raise fault(wrong)
            if before is None and visits > float(iterate.notes.get("calibration_visits", 0)):
                raise fault(f"solve must yield before its first update, with 0 visits, not {visits}")
            if before is not None and visits < before:
                raise fault(f"visits must not fall: {before}, then {visits}")
            unchanged = unchanged + 1 if visits == before else 0
            if unchanged == MAX_UNCHANGED:
                raise fault(f"visits must grow: {MAX_UNCHANGED} iterates after another have {visits}")
            before = visits
            yield iterate
        if before is None:
            raise fault("solve ended without an Iterate: it must yield before its first update")

    return checked


def _wrong_numbers(iterate: Iterate) -> str:
    """What is wrong with visits, seconds and notes, in a sentence; empty if nothing is."""
    visits, seconds = iterate.visits, iterate.hints.seconds
    if not _is_number(visits) or not 0 <= visits < math.inf or visits != int(visits):
        return f"visits must be a whole number of 0 or more, not {visits}"
    if seconds is not None and not all(_is_number(each) and 0 <= each < math.inf for each in seconds):
        return f"seconds must be two numbers of 0 or more, not {seconds}"
    for what, note in iterate.notes.items():
        if not isinstance(what, str) or not (isinstance(note, str) or _is_number(note)):
            return f"a note has a name and is a number or a text, not {what!r}: {type(note).__name__}"
    return ""


def _wrong_weights(iterate: Iterate, is_first: bool) -> str:
    """What is wrong with weights, in a sentence. A function that returns them is called at the first iterate."""
    kept = iterate.kept
    if callable(kept) and not is_first:
        return ""
    vector = kept() if callable(kept) else kept
    if not isinstance(vector, np.ndarray) or vector.dtype != np.float64 or vector.ndim != 1:
        is_array = isinstance(vector, np.ndarray)
        found = f"{vector.dtype} of shape {vector.shape}" if is_array else type(vector).__name__
        return f"weights must be a vector of float64, not {found}"
    return ""


def _wrong_length(iterate: Iterate, split: Any) -> str:
    expected = parts.num_weights(split)
    found = expected if callable(iterate.kept) else len(iterate.kept)
    return f"weights must be {expected:,} numbers, not {found:,}" if found != expected else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating)


def check_dual(name: str, dual: float, primal: float, n: int) -> None:
    """Raise an ArithmeticError if a dual value is above a primal value by more than rounding of n terms."""
    if dual - primal > IMPOSSIBLE * abs(primal) + ROUNDING * n:
        raise ArithmeticError(
            f"{name} gives a dual value of {dual:.12g}, above the primal value of {primal:.12g}: its dual point "
            "is wrong. If w(u) is not C times the weights, yield Dual(conjugate, w(u))"
        )


def verdict(spec: Spec, objective: Objective, model: Model, iterate: Iterate, row: dict[str, float]) -> str:
    """``converged`` if the gap of a row is proven; ``unverified`` if nothing but the algorithm says so.

    Args:
        objective: At the strength of the iterate.
        model: What the iterate's numbers are weights of.
        row: The last checkpoint's. Its dual value is of ``recompute``, if the algorithm gives that.

    Raises:
        Fault: A value of the algorithm's is wrong.
    """
    weights, is_own, status = iterate.weights, owner(file_of(spec.algorithm)) is not None, "converged"
    if is_own and iterate.hints.model is not None:
        return "unverified"  # it judges itself
    if iterate.hints.value is not None:
        primal = model.evaluate(objective, weights, *iterate.dual_point).primal
        if not abs(primal - row["primal"]) <= ALIKE * max(1.0, abs(primal)):
            raise Fault(f"{spec.algorithm} says that its value is {row['primal']:.12g}, and it is {primal:.12g}")
    if iterate.dual is not None and iterate.dual.recompute is None:
        dual = model.evaluate(objective, weights, None, None).dual
        is_trivial = row["dual"] <= 0 and objective.all_known  # the gold outputs have 0: no loss is less
        if not is_trivial and not row["primal"] - dual <= spec.gap * abs(row["primal"]):
            status = "unverified"
    if is_own:
        contradict(spec.algorithm, objective, weights, row["dual"], IMPOSSIBLE * abs(row["primal"]))
    return status


class _Agreed(Exception):
    """A dual value is proven."""


def contradict(name: str, objective: Objective, weights: np.ndarray, dual: float, slack: float) -> None:
    """Look for weights whose primal value is below a dual value: it is none then, and a Fault is raised.

    Minimises from these weights on, until such weights are met, or until the dual point of a smooth loss proves
    the value. Without a gradient, it steps towards a value that is just too low, as Polyak's rule does.
    """
    from scipy.optimize import minimize

    def value_and_gradient(w: np.ndarray) -> tuple[float, np.ndarray]:
        gradient = np.empty_like(w)
        primal = objective.value_and_gradient(w, gradient)
        if primal < dual - slack:
            raise Fault(
                f"{name} says that no value is below {dual:.12g}, and other weights have {primal:.12g}: its dual "
                "point is wrong"
            )
        if objective.smooth and objective.evaluate(w, None).dual >= dual - slack:
            raise _Agreed
        return primal, gradient

    with suppress(_Agreed):
        options = {"maxfun": PROBES, "maxiter": PROBES, "ftol": 0.0, "gtol": 0.0}
        found = minimize(value_and_gradient, weights, jac=True, method="L-BFGS-B", options=options).x
        for _ in range(0 if objective.smooth else STEPS):
            primal, gradient = value_and_gradient(found)
            if square := float(gradient @ gradient):
                found = found - (primal - dual + 2 * slack) / square * gradient


def digest(weights: np.ndarray) -> int:
    """What changes with the weights."""
    return zlib.crc32(np.ascontiguousarray(weights).data)
