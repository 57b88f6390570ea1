"""Prediction by the search that an algorithm was trained with, or by another search."""

from typing import Annotated, Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.search import a_star
from structbench.algorithms.search import beam as bm
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction

Beam = Annotated[int, ">= 1", "<= 10000"]  # larger beams may not fit in memory


def needs(*, beam: int | str, decode: int | str = "same", **_: Any) -> tuple[str, ...]:
    """The capabilities that training with this beam, and this decoding, ask of a structure."""
    how = beam if decode == "same" else decode
    learning = (parts.PARTS, parts.ARGMAX, parts.MARGINALS) if beam == "inf" else (search.SEARCH,)
    exact = {"inf": (parts.PARTS, parts.ARGMAX), "a-star": (search.SEARCH, search.COMPLETION_BOUNDS)}
    return tuple(dict.fromkeys([*learning, *exact.get(str(how), (search.SEARCH,))]))


def predictions(
    split: Any, w: np.ndarray, *, beam: int | str, decode: int | str, compare_at: str, **_: Any
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As ``prediction.predictions``, by beam search, or exactly for ``inf`` and ``a-star``.

    Args:
        beam, decode, compare_at: of the algorithm's parameters; ``same`` decodes with the beam of training.

    Raises:
        UserError: see ``require_way``.
    """
    how = beam if decode == "same" else decode
    if how == "inf":
        return prediction.predictions(split, w)
    split = parts.compiled(split)
    predicted, right, starts = prediction.label_room(split)
    scores = np.empty(len(starts) - 1)
    if how == "a-star":
        parallel.for_each(_predict_by_a_star, len(scores), split, w, starts, predicted, scores)
    else:
        by_outputs = compare_at == "decisions"
        parallel.for_each(_predict, len(scores), split, w, how, by_outputs, starts, predicted, scores)
    require_way(int(np.argmin(scores)) if len(scores) and scores.min() == -np.inf else -1)
    return predicted, right, starts


def require_way(lost: int) -> None:
    """Check that no search was lost.

    Args:
        lost: the number of an example whose search came to no complete output, or -1.

    Raises:
        UserError: there is such an example.
    """
    if lost >= 0:
        raise UserError(
            f"search for example {lost} finds no complete output: from none of the states that it reaches does an "
            "operator lead on with a score that is a number; see the problem's operators, or try a wider beam"
        )


@kernel
def _predict(first, last, split, w, beam, by_outputs, starts, predicted, scores):
    for i in range(first, last):
        scores[i] = bm.find(split, i, w, beam, by_outputs, predicted[starts[i] : starts[i + 1]])


@kernel
def _predict_by_a_star(first, last, split, w, starts, predicted, scores):
    for i in range(first, last):
        scores[i], _ = a_star.find(split, i, w, predicted[starts[i] : starts[i + 1]])
