"""Factors on the losses of single examples, as users weigh them: P(w) = sum_i q_i loss_i(w) + C ||w||^2 / 2.

The dual has q_i in both of its sums,

    conj(u) = sum_i q_i (tau H(u_i) + lambda E_{u_i}[e_i]),   w(u) = sum_i q_i (f(x_i, y_i) - E_{u_i} f(x_i, .)).

Let a visit change mu_i by d. The change of the dual, divided by q_i, is that without factors, except for its
quadratic term, q_i ||f d||^2. So the visit counts the change of w(u) q_i times, and is otherwise as it was.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

EQUAL = np.ones(1)  # one factor for all examples, however many


@kernel(inline=True)
def factor_of(factors, i):
    """The factor of example i; ``factors`` has one number, or one an example."""
    return factors[i] if factors.shape[0] > 1 else factors[0]


def apply_factors(factors: np.ndarray, begin: int, offsets: np.ndarray, mu: np.ndarray) -> None:
    """Multiply the part vectors of the examples from ``begin`` on, which begin at ``offsets`` in mu."""
    if len(factors) > 1 or factors[0] != 1.0:
        own = factors[begin : begin + len(offsets) - 1] if len(factors) > 1 else factors
        mu[: offsets[-1]] *= np.repeat(np.broadcast_to(own, len(offsets) - 1), np.diff(offsets))
