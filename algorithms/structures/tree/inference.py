"""Inference on labelled trees, over parts and over cliques."""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled.messages import blocked
from structbench.algorithms.structures.labelled.views import split, split_cliques
from structbench.algorithms.structures.tree import cliques as tree_cliques
from structbench.algorithms.structures.tree import up_down
from structbench.algorithms.structures.tree.model import Tree


@kernel
def _parents(c, i):
    return c.parents[c.starts[i] : c.starts[i + 1]]


@implements(Tree)
def marginals(c, i, s, mu):
    nodes, transitions, edges = split(c, i, s)
    mu_nodes, mu_transitions, mu_edges = split(c, i, mu)
    return up_down.marginals(_parents(c, i), nodes, transitions, edges, mu_nodes, mu_transitions, mu_edges)


@implements(Tree)
def argmax(c, i, s, y):
    nodes, transitions, edges = split(c, i, s)
    y_nodes, y_transitions, y_edges = split(c, i, y)
    return up_down.best(_parents(c, i), nodes, transitions, edges, y_nodes, y_transitions, y_edges)


# ---- cliques: the nodes, then the pairs of parent and node, node by node -----------------------------


@implements(Tree)
def clique_marginals(c, i, s, b):
    nodes, transitions, edges = split(c, i, s)
    b_nodes, b_pairs = split_cliques(c, i, b)
    tied = np.empty_like(transitions)
    return up_down.marginals(_parents(c, i), nodes, transitions, edges, b_nodes, tied, b_pairs)


@implements(Tree)
def cliques_of_output(c, i, y, b):
    b[:] = 0.0
    nodes, pairs = split_cliques(c, i, b)
    parents = _parents(c, i)
    labels = tree_cliques.labels_of(y[: nodes.size].reshape(nodes.shape))
    for t in range(nodes.shape[0]):
        nodes[t, labels[t]] = 1.0
        if t > 0:
            pairs[t - 1, labels[parents[t]], labels[t]] = 1.0


@implements(Tree)
def entropy(c, i, b):
    nodes, pairs = split_cliques(c, i, b)
    return tree_cliques.entropy(_parents(c, i), nodes, pairs)


@implements(Tree)
def entropy_slopes(c, i, b, d):
    nodes, pairs = split_cliques(c, i, b)
    d_nodes, d_pairs = split_cliques(c, i, d)
    return tree_cliques.entropy_slopes(_parents(c, i), nodes, pairs, d_nodes, d_pairs)


@implements(Tree)
def argmin_in_support(c, i, s, b, floor, y):
    s_nodes, s_transitions, s_edges = split(c, i, s)
    b_nodes, b_pairs = split_cliques(c, i, b)
    y_nodes, y_transitions, y_edges = split(c, i, y)
    blocked_nodes, blocked_pairs = blocked(s_nodes, s_transitions, s_edges, b_nodes, b_pairs, floor)
    none = np.zeros_like(s_transitions)
    spare = np.empty_like(blocked_pairs)
    value = -up_down.best(_parents(c, i), blocked_nodes, none, blocked_pairs, y_nodes, y_transitions, spare)
    if value == np.inf:
        y[:] = 0.0
    elif y_edges.shape[0] > 0:
        copy_to(spare, y_edges)
    return value


@implements(Tree)
def min_clique_mass(c, i, b, y, other):
    nodes, pairs = split_cliques(c, i, b)
    labels = tree_cliques.labels_of(y[: nodes.size].reshape(nodes.shape))
    others = tree_cliques.labels_of(other[: nodes.size].reshape(nodes.shape))
    return tree_cliques.smallest(_parents(c, i), nodes, pairs, labels, others)


@implements(Tree)
def log_conditionals(c, i, b, s):
    b_nodes, b_pairs = split_cliques(c, i, b)
    nodes, transitions, edges = split(c, i, s)
    tree_cliques.log_conditionals(_parents(c, i), b_nodes, b_pairs, nodes, transitions, edges)
