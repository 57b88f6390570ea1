"""Inference on forests: inference on hypergraphs, whose edges are the parts and the cliques."""

from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.forest.model import Forest, hypergraph_of


@implements(Forest, "clique_marginals")
def marginals(f, i, s, mu):
    first, tails = hypergraph_of(f, i)
    return hypergraph.marginals(first, tails, s, mu)


@implements(Forest)
def argmax(f, i, s, y):
    first, tails = hypergraph_of(f, i)
    return hypergraph.best(first, tails, s, y)


@implements(Forest)
def k_best(f, i, s, Y, values):
    first, tails = hypergraph_of(f, i)
    return hypergraph.k_best(first, tails, s, Y.shape[0], Y, values)


@implements(Forest)
def separators(f, i, b, out):
    first, _ = hypergraph_of(f, i)
    return 0, hypergraph.sums_of_nodes(first, b, out)


@implements(Forest)
def argmin_in_support(f, i, s, b, floor, y):
    first, tails = hypergraph_of(f, i)
    return hypergraph.argmin_in_support(first, tails, s, b, floor, y)


@implements(Forest)
def log_conditionals(f, i, b, s):
    first, tails = hypergraph_of(f, i)
    hypergraph.log_conditionals(first, tails, b, s)
