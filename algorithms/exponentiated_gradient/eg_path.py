"""Online exponentiated gradient over a falling sequence of strengths C, warm-started (eg2008, section 7.1.2).

C falls from ``first`` by ``ratio`` down to the objective's own. Each C is optimised to a relative gap of
``tolerance``. It starts from the dual variables and the step sizes at which the C before it ended.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.exponentiated_gradient.dual_variables import State, sweep
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.falling_strengths import along, strengths
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.sampling import TICKS, ticks
from structbench.algorithms.structures import interface as parts

GROW = 1.05


@algorithm(
    penalties=("l2", "elastic-A"),
    needs=("parts", "argmax", "marginals"),
    settings=Settings(
        figures=(),  # a path over C
        every_test={"first": 4.0},  # slow: it must undo the effect of a strong penalty
    ),
    references=("eg2008",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    first: Annotated[float, "> 0"] = 1000.0,
    ratio: Annotated[float, "> 0"] = 0.7,
    tolerance: Annotated[float, ">= 1e-14"] = 1e-3,
    start: Annotated[float, ">= 0"] = 10.0,
    eta: Annotated[float, "> 0"] = 0.5,
    order: Literal["random", "permuted", "gap"] = "random",
) -> Iterator[Iterate]:
    """Run the path; then go on at the last C, as ``eg`` does.

    On the path it yields after each pass, with the current C. It computes the gap there to decide whether C falls:
    on its own time, but not counted as visits, as in the paper. The last point of each C is the one within the
    tolerance.

    Args:
        first, ratio, tolerance: of the sequence. ``ratio`` is below 1.
        start, eta, order: as of ``eg``. Step sizes are adaptive.

    Raises:
        UserError: see ``strengths``.
    """
    path = strengths(first, ratio, objective.C)
    split, n = objective.split, parts.num_examples(objective.split)
    notes: dict[str, float | str] = {"eta": eta, "strengths": len(path)}
    yield Iterate(np.zeros(parts.num_weights(split)), 0, notes=notes)
    state, visits = State(objective, start, eta), n
    draws = ticks(rng, n, order, state.gaps)

    def tick(C: float) -> int:
        return sweep(objective, C, state, next(draws), adaptive=True, grow=GROW, measure=order == "gap")[0]

    def passes(stage: Objective) -> Iterator[Iterate]:
        nonlocal visits
        while True:
            visits += sum(tick(stage.C) for _ in range(min(TICKS, n)))
            yield state.iterate(stage, visits, notes, weights=state.w)

    yield from along(path, objective, tolerance, passes)
    while True:
        visits += tick(objective.C)
        yield state.iterate(objective, visits, notes)
