"""Accelerate a dual method by proximal terms: it converges as fast as with a stronger penalty.

Lin, Mairal and Harchaoui, Catalyst acceleration for first-order convex optimization: from theory to practice,
JMLR 2018. A pass is on the objective plus kappa ||w - z||^2 / 2. So its weights are
(w(u) + kappa z) / (C + kappa). w(u) belongs to the objective alone. After the pass z = w + beta (w - w before).
In the paper each such problem is solved more and more exactly, and kappa stays. Here each gets one pass, which
leaves an error. The gap of u has that error kappa / C times. So kappa falls, at last to 0.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

MOST, LEAST = 100.0, 0.1  # kappa, in units of C: at the start, and below which it is 0
DECAY = 0.95  # of kappa, a pass


class Catalyst:
    """``sum``: w(u) + kappa z, which passes change with u. ``w``: w(u). ``point``: the weights after a pass."""

    def __init__(self, w: np.ndarray, C: float, kappa: float) -> None:
        self.w, self.C, self.momentum = w, C, 1.0
        self.kappa = self._or_zero(min(kappa, MOST * C))
        self.point, self.z = w / C, w / C
        self.sum = w + self.kappa * self.z  # w(u) + kappa z

    @property
    def strength(self) -> float:
        """The strength of the penalty in a pass."""
        return self.C + self.kappa

    def advance(self) -> None:
        """End a pass: set ``w``, ``point`` and a new z and kappa."""
        q, a = self.C / self.strength, self.momentum
        self.momentum = (q - a * a + np.sqrt((q - a * a) ** 2 + 4 * a * a)) / 2
        beta = a * (1 - a) / (a * a + self.momentum)
        before, self.kappa = self.kappa, self._or_zero(DECAY * self.kappa)
        _advance(self.C, before, self.kappa, beta, self.sum, self.w, self.z, self.point)

    def _or_zero(self, kappa: float) -> float:
        return kappa if kappa >= LEAST * self.C else 0.0


@kernel
def _advance(C, before, kappa, beta, total, w, z, point):
    for k in range(w.shape[0]):
        w[k] = total[k] - before * z[k]
        new = total[k] / (C + before)
        z[k] = new + beta * (new - point[k])
        point[k] = new
        total[k] = w[k] + kappa * z[k]
