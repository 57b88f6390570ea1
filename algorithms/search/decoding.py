"""Prediction by the search that an algorithm learned for, or by another one."""

from typing import Annotated, Any

import numpy as np

from algorithms.learning import inference
from algorithms.runtime import parallel
from algorithms.runtime.kernel import kernel
from algorithms.search import a_star
from algorithms.search import beam as bm
from algorithms.search import problem as search
from algorithms.structures import interface as parts

Beam = Annotated[int, ">= 1", "<= 10000"]  # with more there may be no memory for the paths


def needs(*, beam: int | str, decode: int | str = "same", **_: Any) -> tuple[str, ...]:
    """What training with this beam, and decoding so, ask of a structure."""
    how = beam if decode == "same" else decode
    learning = (parts.PARTS, parts.ARGMAX, parts.MARGINALS) if beam == "inf" else (search.SEARCH,)
    prediction = {"inf": (parts.PARTS, parts.ARGMAX), "a-star": (search.SEARCH, search.COMPLETION_BOUNDS)}
    return tuple(dict.fromkeys([*learning, *prediction.get(how, (search.SEARCH,))]))


def predictions(
    split: Any, w: np.ndarray, *, beam: int | str, decode: int | str, rows: str, **_: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As ``inference.predictions``, by beam search, or exactly for ``inf`` and ``a-star``.

    Args:
        beam, decode, rows: of the algorithm's parameters; ``same`` decodes with the beam of training.
    """
    how = beam if decode == "same" else decode
    if how == "inf":
        return inference.predictions(split, w)
    split = parts.compiled(split)
    predicted, right, starts = inference.room(split)
    if how == "a-star":
        parallel.for_each(_predict_by_a_star, len(starts) - 1, split, w, starts, predicted, right)
    else:
        parallel.for_each(_predict, len(starts) - 1, split, w, how, rows == "outputs", starts, predicted, right)
    return predicted, right, starts


@kernel
def _predict(first, last, split, w, beam, by_outputs, starts, predicted, right):
    for i in range(first, last):
        bm.find(split, i, w, beam, by_outputs, predicted[starts[i] : starts[i + 1]])
        parts.gold_labels(split, i, right[starts[i] : starts[i + 1]])


@kernel
def _predict_by_a_star(first, last, split, w, starts, predicted, right):
    for i in range(first, last):
        a_star.find(split, i, w, predicted[starts[i] : starts[i + 1]])
        parts.gold_labels(split, i, right[starts[i] : starts[i + 1]])
