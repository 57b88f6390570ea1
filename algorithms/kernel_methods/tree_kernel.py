"""The tree kernel: how many fragments two trees have in common (Collins and Duffy, NIPS 2001).

A fragment is a connected piece of a tree. It has all or none of the children of each of its nodes, and all of at
least one. The common fragments that begin at nodes n1 and n2 are (klein2011, "Tree Kernels")

    C(n1, n2) = 0 if the productions there differ or n1 is a word, else lambda prod_j (1 + C(ch_j(n1), ch_j(n2))).

A fragment of m productions counts lambda^m, with lambda = ``decay``. K(T, T') is the sum over all pairs of nodes.
It is normalised as K(T, T') / sqrt(K(T, T) K(T', T')), since trees resemble themselves most by far. K(T, T) grows
exponentially with the nodes of T: with lambda = 1 and some 2,000 nodes it overflows.
"""

import numpy as np

from structbench.algorithms.kernel_methods.normalised import Normalised, largest, normalised
from structbench.algorithms.runtime.arrays import frozen, ranges, starts_of
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


def points(trees: parts.Trees, decay: float) -> Normalised:
    """The trees as this kernel compares them; raises as ``normalised``."""
    return normalised(_frozen(*trees), _chosen, _compare, "a tree of {} nodes", decay=decay)


def _frozen(*arrays: np.ndarray) -> parts.Trees:
    return parts.Trees(*map(frozen, arrays, (np.int32, np.int64, np.int32, np.int64)))


def _chosen(trees: parts.Trees, chosen: np.ndarray) -> parts.Trees:
    productions, first, children, starts = trees
    nodes = ranges(starts, chosen)
    firsts, begins = starts_of(np.diff(first)[nodes]), starts_of(np.diff(starts)[chosen])
    return _frozen(productions[nodes], firsts, children[ranges(first, nodes)], begins)


@kernel
def _compare(first, last, mine, others, own, decay, out):
    """See ``normalised``."""
    memory = np.empty((largest(mine.starts), largest(others.starts)))
    for i in range(first, last):
        for j in range(out.shape[1]):
            out[i, j] = common_fragments(mine, i, others, i if own else j, decay, memory)


@kernel
def common_fragments(trees, i, others, j, decay, C):
    """The sum of C(n1, n2) over all nodes of two trees, not normalised; ``C``: (nodes, nodes) at least."""
    mine, theirs, total = trees.starts[i], others.starts[j], 0.0
    for v in range(mine, trees.starts[i + 1]):
        for u in range(theirs, others.starts[j + 1]):
            p, q, count = trees.first[v], others.first[u], trees.first[v + 1] - trees.first[v]
            if trees.productions[v] != others.productions[u] or count != others.first[u + 1] - q:
                C[v - mine, u - theirs] = 0.0
                continue
            found = decay
            for c in range(count):
                found *= 1.0 + C[trees.children[p + c], others.children[q + c]]
            C[v - mine, u - theirs] = found
            total += found
    return total
