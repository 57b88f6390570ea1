"""Prediction by the search that an algorithm learned for, or by another one."""

from typing import Annotated, Any

import numpy as np
from numba import njit

from algorithms.learning import inference
from algorithms.runtime import parallel
from algorithms.runtime.errors import UserError
from algorithms.search import a_star
from algorithms.search import beam as bm
from algorithms.search import problem as search
from algorithms.structures import interface as parts

Beam = Annotated[int, ">= 1", "<= 10000"]  # with more there may be no memory for the paths


def check(split: Any, name: str, params: dict[str, Any]) -> None:
    """See that a structure has the searches that an algorithm with these parameters asks for.

    Raises:
        UserError: it has not; says which one.
    """
    structure = type(split).__module__.rpartition(".")[2]
    exact, searched = parts.has(split, parts.num_parts), parts.has(split, search.start)
    if "beam" not in params and not exact:
        raise UserError(
            f"{name} needs exact inference, which these data, {structure}, do not allow: take an algorithm with a "
            "beam, such as laso"
        )
    for option in ("beam", "decode"):
        value = params.get(option, "same")
        asked = f"{name}: {option}={value} needs"
        if value == "inf" and not exact:
            raise UserError(f"{asked} exact inference, which these data, {structure}, do not allow: give a number")
        if value == "a-star" and not parts.has(split, search.bounds):
            raise UserError(
                f"{asked} a bound on what completes a path, which these data, {structure}, do not have: "
                "give a number, or same"
            )
        if value not in ("same", "inf", "a-star") and not searched:
            raise UserError(f"{asked} a search problem, which these data, {structure}, are not")


def predictions(
    split: Any, w: np.ndarray, *, beam: int | str, decode: int | str, rows: str, **_: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As ``inference.predictions``, by beam search, or exactly for ``inf`` and ``a-star``.

    Args:
        beam, decode, rows: of the algorithm's parameters; ``same`` decodes with the beam of training.

    Raises:
        UserError: see ``require_way``.
    """
    how = beam if decode == "same" else decode
    if how == "inf":
        return inference.predictions(split, w)
    predicted, right, starts = inference.room(split)
    scores = np.empty(len(starts) - 1)
    if how == "a-star":
        parallel.for_each(_predict_best_first, len(scores), split, w, starts, predicted, right, scores)
    else:
        by_outputs = rows == "outputs"
        parallel.for_each(_predict, len(scores), split, w, how, by_outputs, starts, predicted, right, scores)
    require_way(int(np.argmin(scores)) if len(scores) and scores.min() == -np.inf else -1)
    return predicted, right, starts


def require_way(lost: int) -> None:
    """See that no search was lost.

    Args:
        lost: the number of an example whose search came to no complete output, or -1.

    Raises:
        UserError: one was.
    """
    if lost >= 0:
        raise UserError(
            f"search for example {lost} finds no complete output: from none of the states that it reaches does an "
            "operator lead on with a score that is a number; see the problem's operators, or try a wider beam"
        )


@njit(cache=True, nogil=True, error_model="numpy")
def _predict(first, last, split, w, beam, by_outputs, starts, predicted, right, scores):
    for i in range(first, last):
        scores[i] = bm.find(split, i, w, beam, by_outputs, predicted[starts[i] : starts[i + 1]])
        parts.gold_labels(split, i, right[starts[i] : starts[i + 1]])


@njit(cache=True, nogil=True, error_model="numpy")
def _predict_best_first(first, last, split, w, starts, predicted, right, scores):
    for i in range(first, last):
        scores[i], _ = a_star.find(split, i, w, predicted[starts[i] : starts[i + 1]])
        parts.gold_labels(split, i, right[starts[i] : starts[i + 1]])
