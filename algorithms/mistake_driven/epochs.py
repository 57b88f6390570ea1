"""Training loop of mistake-driven learners: shuffled passes, averaging, an end after a pass without updates."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.objective import Hints, Iterate, require_labels
from structbench.algorithms.mistake_driven.averaging import Averaged, mean, zero
from structbench.algorithms.search.decoding import require_way
from structbench.algorithms.structures import interface as parts

Average = Literal["growing", "uniform", "none"]

Visit = Callable[[np.ndarray, Averaged], int]
"""Learns from these examples; returns one whose search was lost, and with which it stopped, or -1."""

TICKS = 4  # yields per pass of a search that is slow: each costs a few passes over all weights


def learn(
    split: Any,
    rng: np.random.Generator,
    visit: Visit,
    name: str,
    average: Average,
    settled: Callable[[Averaged], dict[str, float]] = lambda w: {},
    size: int | None = None,
    ticks: int = 1,
) -> Iterator[Iterate]:
    """Let ``visit`` learn from examples, pass after pass, until a whole pass changes nothing.

    Notes: ``updates``, how many so far, and in the end the notes that ``settled`` makes of the last weights. Every
    pass is evaluated. ``size``: how many weights there are, if not as many as the split has. ``ticks``: yields a
    pass.

    It also ends if a search is lost because the weights' norm is not finite.

    Raises:
        UserError: a gold label is not known, or see ``decoding.require_way``.
    """
    require_labels(split, name)
    n, length = parts.num_examples(split), parts.num_weights(split) if size is None else size
    w, memory = zero(length, average == "uniform"), np.zeros(length)
    yield Iterate(memory, 0, notes={"updates": 0})
    while True:
        before = w.now[0]["updates"]
        pieces = np.array_split(rng.permutation(n), min(ticks, n))
        for k, tick in enumerate(pieces, 1):
            lost = visit(tick, w)
            if lost >= 0 and np.isfinite(w.now[0]["square"]):
                require_way(lost)
            last = average == "none" or lost >= 0
            vector, scale = (w.v, w.now[0]["scale"]) if last else (mean(w, memory), 1.0)
            notes = {"updates": int(w.now[0]["updates"])}
            hints = Hints(evaluate_now=lost >= 0 or k == len(pieces))
            yield Iterate(vector, int(w.now[0]["examples"]), notes=notes, scale=scale, hints=hints)
            if lost >= 0:
                return
        if w.now[0]["updates"] == before:
            notes = {"updates": int(before)} | settled(w)
            yield Iterate(vector, int(w.now[0]["examples"]), notes=notes, scale=scale)
            return
