"""Compiled functions of a loss: scores with costs added, marginals of the best distribution, and dual terms."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import dot, total_score
from structbench.algorithms.structures import interface as parts

HUGE = 1e9  # of a score, of which rounding takes some 1e-7


@kernel
def expected_cost(split, i, mu):
    """E[e_i] = sum_r e_{i,r} mu_r."""
    e = np.zeros(mu.shape[0])
    parts.add_costs(split, i, 1.0, e)
    return dot(e, mu)


@kernel(inline=True)
def augment(loss, split, i, s):
    """s += lambda e_i."""
    if loss.cost != 0.0:
        parts.add_costs(split, i, loss.cost, s)


@kernel(inline=True)
def costs_and_scores(split, i, w, C, e, s):
    """e = the costs e_i, s = e_i + w . f(x_i, .) / C: what the hinge maximises."""
    e[:] = 0.0
    parts.add_costs(split, i, 1.0, e)
    parts.scores(split, i, w, s)
    for r in range(s.shape[0]):
        s[r] = e[r] + s[r] / C


@kernel(inline=True)
def soft_max(loss, split, i, s, mu):
    """mu = marginals of the u that maximises tau H(u) + s . mu(u), for tau > 0; returns the maximum.

    If tau is not 1, s is scaled and scaled back, which may change it by rounding.
    """
    if loss.temperature == 1.0:
        return parts.marginals(split, i, s, mu)
    for r in range(s.shape[0]):
        s[r] /= loss.temperature
    top = loss.temperature * parts.marginals(split, i, s, mu)
    for r in range(s.shape[0]):
        s[r] *= loss.temperature
    return top


@kernel
def attained_entropy(top, s, mu):
    """The entropy in a maximum ``top``, top - s . mu; 0, its least, where rounding of huge scores hides it."""
    if not dot(s, s) < HUGE * HUGE:
        for r in range(s.shape[0]):
            if mu[r] > 0.0 and abs(s[r]) > HUGE:
                return 0.0
    return top - total_score(s, mu)


@kernel
def dual_term(loss, split, i, entropy, mu):
    """tau H(u_i) + lambda E_{u_i}[e_i]. ``entropy`` is tau H(u_i), ignored where tau is 0."""
    total = entropy if loss.temperature != 0.0 else 0.0
    if loss.cost != 0.0:
        total += loss.cost * expected_cost(split, i, mu)
    return total
