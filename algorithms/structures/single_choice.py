"""Structures whose parts are their outputs, one of which is chosen: classes, or candidates of a list.

Part vectors of outputs have a single 1, and the cliques are the parts. The operations on scores and distributions
depend on nothing else.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.vector_math import copy_to, finite_top
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.layouts import layout


@layout
class OwnCliques(NamedTuple):
    """Structures whose cliques are their parts."""


@layout
class Choice(NamedTuple):
    """Structures whose parts are their outputs. These operations read no field."""

    layouts = (OwnCliques,)


@implements(Choice, "clique_marginals")
def marginals(m, i, s, mu):
    top = finite_top(s)  # with ``normalise`` a visit of EG to a digit took 1.1 times as long
    z = 0.0
    for k in range(s.shape[0]):
        mu[k] = np.exp(s[k] - top)
        z += mu[k]
    if z == 0.0:
        return -np.inf
    for k in range(s.shape[0]):
        mu[k] /= z
    return top + np.log(z)


@implements(Choice)
def argmax(m, i, s, y):
    best = 0
    for k in range(1, s.shape[0]):
        if s[k] > s[best]:
            best = k
    y[:] = 0.0
    y[best] = 0.0 if s[best] == -np.inf else 1.0
    return s[best]


@implements(Choice)
def k_best(m, i, s, Y, values):
    Y[:] = 0.0
    values[:] = -np.inf
    order = np.argsort(-s, kind="mergesort")
    found = 0
    while found < min(Y.shape[0], s.shape[0]) and s[order[found]] > -np.inf:
        Y[found, order[found]] = 1.0
        values[found] = s[order[found]]
        found += 1
    return found


@implements(OwnCliques)
def num_cliques(m, i):
    return parts.num_parts(m, i)


@implements(OwnCliques, "parts_of_cliques")
def cliques_of_output(m, i, y, b):
    copy_to(y, b)


@implements(Choice)
def separators(m, i, b, out):
    return 0, 0


@implements(Choice)
def argmin_in_support(m, i, s, b, floor, y):
    y[:] = 0.0
    best = -1
    for k in range(s.shape[0]):
        if b[k] > floor and (best < 0 or s[k] < s[best]):
            best = k
    if best < 0:
        return np.inf
    y[best] = 1.0
    return s[best]


@implements(Choice)
def log_conditionals(m, i, b, s):
    for k in range(s.shape[0]):
        s[k] = np.log(b[k])
