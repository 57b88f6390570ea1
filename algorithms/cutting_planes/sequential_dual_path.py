"""The sequential dual method over a falling sequence of strengths C, warm-started: a path for the hinge.

C falls from ``first`` by ``ratio`` down to the objective's own. Each C is optimised to a relative gap of
``tolerance``. It starts from the kept outputs and probabilities with which the C before it ended.

Osokin et al. 2016 have paths for the hinge with Frank-Wolfe. They keep w as C falls, and so move probability to
the gold outputs. Here u stays, and w = w(u) / C grows.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np

from structbench.algorithms.cutting_planes import sequential_dual
from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.falling_strengths import along, strengths
from structbench.algorithms.learning.objective import Iterate, Objective, require_labels
from structbench.algorithms.runtime.options import defaults
from structbench.algorithms.structures import interface as parts


@algorithm(
    label="Sequential dual, path",
    loss="polyhedral",
    needs=("parts", "argmax"),
    threads=False,
    settings=Settings(
        figures=(),  # a path over C
        every_test={"first": 4.0},
    ),
    references=("balamurugan2011", "osokin2016"),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    first: Annotated[float, "> 0"] = 1000.0,
    ratio: Annotated[float, "> 0"] = 0.7,
    tolerance: Annotated[float, ">= 1e-14"] = 1e-3,
) -> Iterator[Iterate]:
    """Run the path; then go on at the last C, as ``sequential-dual`` does with ``proximal=0``.

    On the path it yields after each n visits, with the current C. It computes the gap there to decide whether C
    falls: on its own time, but not counted as visits. The last point of each C is the one within the tolerance.

    Args:
        first, ratio, tolerance: of the sequence. ``ratio`` is below 1.

    Raises:
        UserError: see ``strengths``.
    """
    require_labels(objective.split, "sequential-dual-path")
    path = strengths(first, ratio, objective.C)
    yield Iterate(np.zeros(parts.num_weights(objective.split)), 0, notes={"strengths": len(path)})
    state = sequential_dual.State(objective.split)

    def points(stage: Objective) -> Iterator[Iterate]:
        state.resting[:] = 0  # a gap at another C says nothing
        options: dict[str, Any] = defaults(sequential_dual.solve) | {"proximal": 0.0}
        return sequential_dual.iterates(state, stage, rng, **options)

    def passes(stage: Objective) -> Iterator[Iterate]:
        shown = state.visits
        for point in points(stage):
            if point.visits >= shown + len(state.losses) or state.resting[1].min() > 0:  # it may end soon
                shown = point.visits
                yield point

    yield from along(path, objective, tolerance, passes)
    yield from points(objective)
