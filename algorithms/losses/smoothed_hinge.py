"""The hinge smoothed by entropy: tau log sum_y exp((e_i(y) + w . f(x_i, y)) / tau) - w . f(x_i, y_i).

It is the hinge for tau = 0 and the softmax-margin for tau = 1. It exceeds the hinge by at most tau log(number of
outputs). P. Pletscher, C. S. Ong and J. Buhmann, Entropy and margin maximization for structured output learning,
ECML 2010.
"""

from structbench.algorithms.losses.family import Loss


def loss(temperature: float) -> Loss:
    """The hinge at this temperature tau."""
    return Loss(temperature, cost=1.0)
