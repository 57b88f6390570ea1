"""Inner problems that SMO solves, each to a share of the duality gap of the whole problem."""

from collections.abc import Callable, Iterator

import numpy as np

from structbench.algorithms.coordinate_ascent.linked_smo import Linked
from structbench.algorithms.learning.certificate import Certificate
from structbench.algorithms.learning.objective import Iterate, Objective, Value
from structbench.algorithms.structures import interface as parts

SWEEPS = 3  # between two looks at the gaps


class Inner:
    """SMO and the certificate of the whole problem, which go on from one inner problem to the next.

    A look at the gaps is an inference call on each example; so is each of the two searches of SMO's visits.
    """

    def __init__(self, objective: Objective, rng: np.random.Generator, relaxation: float, share: float) -> None:
        self.smo, self.certificate = Linked(objective), Certificate(objective)
        self._objective, self._rng = objective, rng
        self._relaxation, self._share = relaxation, share

    def solve(self, gap: Callable[[Value], float], notes: dict[str, float]) -> Iterator[Iterate]:
        """Sweep until the inner problem's own ``gap``, from P(w), is small enough. Yields after each sweep."""
        done = False
        while not done:
            for _ in range(SWEEPS):
                moved = self.smo.sweep(self._rng, self._relaxation)
                yield self.point(notes)
                if not moved:
                    break
            value = self._objective.evaluate(self.smo.w, self.smo.conjugate, self.smo.dual_weights)
            self.certificate.add(
                *self.smo.recompute_dual()
            )  # not SMO's own sums: their errors would stay in the average
            done = not (moved and gap(value) > self._share * (value.primal - self.certificate.dual_value))

    def point(self, notes: dict[str, float]) -> Iterate:
        """Where SMO stands, with the best dual point so far."""
        visits = self.smo.visits + parts.num_examples(self._objective.split) * self.certificate.count
        return Iterate(self.smo.w, visits, self.certificate.dual, notes)
