"""A regularisation path: problems with falling C, each warm-started and solved to a relative duality gap.

The distributions u_i and w(u) do not depend on C. So the last u of one C is a dual point of the next.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from structbench.algorithms.learning.objective import Hints, Iterate, Objective
from structbench.algorithms.runtime.errors import UserError


def strengths(first: float, ratio: float, last: float) -> list[float]:
    """first, first * ratio, ... as long as they are above ``last``, then ``last``.

    Raises:
        UserError: the sequence does not fall.
    """
    if first < last:
        raise UserError(f"a path goes down to C={last:g}: first={first:g} must not be below it")
    if not 0 < ratio < 1:
        raise UserError(f"ratio={ratio:g} must lie between 0 and 1, so that C falls from first={first:g}")
    found = []
    while first > last:
        found.append(first)
        first *= ratio
    return [*found, last]


def along(
    path: list[float], objective: Objective, tolerance: float, passes: Callable[[Objective], Iterator[Iterate]]
) -> Iterator[Iterate]:
    """Go through the strengths of a path. Each ends at the first point with a relative gap of ``tolerance``.

    ``passes`` goes on at the strength of the objective that it is given, and yields after each pass. A strength
    also ends where that does.
    """
    for C in path:
        stage = replace(objective, C=C)
        for point in passes(stage):
            value = stage.evaluate(point.weights, *point.dual_point)
            yield point._replace(hints=Hints(C=C))
            if (value.primal - value.dual) / (abs(value.primal) or 1.0) <= tolerance:  # 0: a single label
                break
