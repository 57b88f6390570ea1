"""Inference on projective trees, over parts and over cliques."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.dependency import cliques, semirings
from structbench.algorithms.structures.dependency.arcs import head_of, part
from structbench.algorithms.structures.dependency.eisner import LAYERS, OVER, UNDER_T, inside, outside
from structbench.algorithms.structures.dependency.model import Projective


@kernel
def _length(c, i):
    return c.starts[i + 1] - c.starts[i]


@kernel
def _sums(length, s, single_root, W, memory, slopes):
    """Fills all but s. Returns log Z, C>(0, T), and whether C>(0, T) and all sums are logarithms.

    With logarithms, ``slopes`` are not derivatives but the probabilities that the tree has the summed items.
    """
    top = semirings.plain_weights(length, s, W)
    total = inside(W, single_root, memory, 1.0, semirings.times, semirings.dot)
    if semirings.enough(total, length) and np.isfinite(top):
        outside(W, single_root, memory, slopes, 0.0, 1.0, semirings.times, semirings.plus, semirings.spread)
        return top + np.log(total), total, False
    semirings.log_weights(length, s, W)
    log_z = inside(W, single_root, memory, 0.0, semirings.plus, semirings.log_dot)
    if log_z == -np.inf:  # there is no tree
        slopes[:] = 0.0
        return log_z, log_z, True
    outside(W, single_root, memory, slopes, 0.0, 1.0, semirings.same, semirings.plus, semirings.log_spread)
    return log_z, log_z, True


@implements(Projective)
def marginals(c, i, s, mu):
    W, memory, slopes = _room(_length(c, i))
    log_z, total, logs = _sums(_length(c, i), s, c.single_root, W, memory, slopes)
    _read_arcs(memory, slopes, total, logs, mu)
    return log_z


@kernel
def _read_arcs(memory, slopes, total, logs, mu):
    """The probabilities of arcs, from the sums and their derivatives."""
    over, under, to_over, to_under = memory[OVER], memory[UNDER_T], slopes[OVER], slopes[UNDER_T]
    length = over.shape[0] - 1
    for a in range(length + 1):
        for b in range(a + 1, length + 1):
            mu[part(length, a, b)] = semirings.share(over[a, b], to_over[a, b], total, logs)
            if a > 0:
                mu[part(length, b, a)] = semirings.share(under[b, a], to_under[b, a], total, logs)


@kernel
def _room(length):
    n = length + 1
    return np.empty((n, n)), np.empty((LAYERS, n, n)), np.empty((LAYERS, n, n))


@implements(Projective)
def argmax(c, i, s, y):
    """Eisner (1996): maxima in place of sums. If trees tie, it is the one of the leftmost splits."""
    W, memory, slopes = _room(_length(c, i))
    semirings.log_weights(_length(c, i), s, W)
    value = inside(W, c.single_root, memory, 0.0, semirings.plus, semirings.best_dot)
    if value == -np.inf:
        y[:] = 0.0
        return value
    outside(W, c.single_root, memory, slopes, 0.0, 1.0, semirings.same, semirings.plus, semirings.best_spread)
    _read_arcs(memory, slopes, value, True, y)
    return value


@implements(Projective)
def k_best(c, i, s, Y, values):
    length = _length(c, i)
    first, tails = cliques.hypergraph_of(length, c.single_root)
    arcs = cliques.arcs_of(length, c.single_root)
    found, origin = hypergraph.k_best_origins(first, tails, cliques.scores(arcs, s), Y.shape[0], values)
    chosen = np.empty(arcs.shape[0])
    for r in range(found):
        chosen[:] = 0.0
        hypergraph.add_derivation(tails, origin, r, chosen)
        cliques.sum_over_arcs(arcs, chosen, Y[r])
    Y[found:] = 0.0
    return found


# ---- cliques: the ways to make a sum of ``eisner``, see ``cliques`` ---------------------------------


@implements(Projective)
def num_cliques(c, i):
    return cliques.count(c.starts[i + 1] - c.starts[i], c.single_root)


@implements(Projective)
def clique_marginals(c, i, s, b):
    length = _length(c, i)
    W, memory, slopes = _room(length)
    log_z, total, logs = _sums(length, s, c.single_root, W, memory, slopes)
    cliques.fill(length, c.single_root, memory, slopes, total, logs, b)
    return log_z


@implements(Projective)
def cliques_of_output(c, i, y, b):
    length = _length(c, i)
    heads, found = np.zeros(length + 1, np.int32), 0
    for r in range(length * length):
        if y[r] > 0.5:
            heads[r // length + 1] = head_of(r, length)
            found += 1
    if found == length:
        cliques.of_tree(length, c.single_root, heads, b)
    else:  # all trees are forbidden
        b[:] = 0.0


@implements(Projective)
def parts_of_cliques(c, i, b, mu):
    cliques.sum_over_arcs(cliques.arcs_of(_length(c, i), c.single_root), b, mu)


@implements(Projective)
def separators(c, i, b, out):
    return 0, hypergraph.sums_of_nodes(cliques.first_edges(_length(c, i), c.single_root), b, out)


@implements(Projective)
def argmin_in_support(c, i, s, b, floor, y):
    length = _length(c, i)
    first, tails = cliques.hypergraph_of(length, c.single_root)
    arcs, chosen = cliques.arcs_of(length, c.single_root), np.empty(b.shape[0])
    value = hypergraph.argmin_in_support(first, tails, cliques.scores(arcs, s), b, floor, chosen)
    cliques.sum_over_arcs(arcs, chosen, y)
    return value


@implements(Projective)
def log_conditionals(c, i, b, s):
    """Arcs are tied over the edges that carry them. The scores are the log probabilities of heads."""
    cliques.sum_over_arcs(cliques.arcs_of(_length(c, i), c.single_root), b, s)
    for r in range(s.shape[0]):
        s[r] = np.log(s[r])
