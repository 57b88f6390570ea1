"""The tree kernel: how many fragments two trees have in common (Collins and Duffy, NIPS 2001).

A fragment is a connected piece of a tree. It has all or none of the children of each of its nodes, and all of at
least one. The common fragments that begin at nodes n1 and n2 are (klein2011, "Tree Kernels")

    C(n1, n2) = 0 if the productions there differ or n1 is a word, else lambda prod_j (1 + C(ch_j(n1), ch_j(n2))).

A fragment of m productions counts lambda^m, with lambda = ``decay``. K(T, T') is the sum over all pairs of nodes.
It is normalised as K(T, T') / sqrt(K(T, T) K(T', T')), since trees resemble themselves most by far. K(T, T) grows
exponentially with the nodes of T: with lambda = 1 and some 2,000 nodes it overflows.
"""

import numpy as np

from structbench.algorithms.kernel_methods.norms import require_finite
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import frozen, ranges
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


class Trees:
    """Trees, with the kernel's parameter; ``norms``: sqrt(K(T, T)) of each."""

    def __init__(self, trees: parts.Trees, decay: float, norms: np.ndarray) -> None:
        types = (np.int32, np.int64, np.int32, np.int64)
        self._trees = parts.Trees(*map(frozen, trees, types))
        self._decay, self._norms = decay, frozen(norms, np.float64)

    @classmethod
    def of(cls, trees: parts.Trees, decay: float) -> "Trees":
        """The trees with their norms.

        Raises:
            UserError: a norm is too large for a number.
        """
        norms = np.empty(len(trees.starts) - 1)
        made = cls(trees, decay, norms)
        parallel.for_each(_norms, len(norms), made._trees, decay, norms)
        require_finite(norms, np.diff(trees.starts), "a tree of {} nodes", f"decay={decay:g}", "decay")
        return made

    def __len__(self) -> int:
        return len(self._norms)

    def take(self, chosen: np.ndarray) -> "Trees":
        productions, first, children, starts = self._trees
        nodes = ranges(starts, chosen)
        some = parts.Trees(
            productions[nodes],
            np.concatenate([[0], np.cumsum(np.diff(first)[nodes])]),
            children[ranges(first, nodes)],
            np.concatenate([[0], np.cumsum(np.diff(starts)[chosen])]),
        )
        return Trees(some, self._decay, self._norms[chosen])

    def against(self, others: "Trees") -> np.ndarray:
        found = np.empty((len(self), len(others)))
        given = self._trees, self._norms, others._trees, others._norms
        parallel.for_each(_compare, len(self), *given, self._decay, found)
        return found


@kernel
def _norms(first, last, trees, decay, norms):
    """The square roots of K of each of these trees with itself."""
    memory = np.empty((_largest(trees), _largest(trees)))
    for i in range(first, last):
        norms[i] = np.sqrt(common_fragments(trees, i, trees, i, decay, memory))


@kernel
def _compare(first, last, trees, norms, others, their_norms, decay, out):
    """out[i, j] = K of the normalised trees, for these i and all j."""
    memory = np.empty((_largest(trees), _largest(others)))
    for i in range(first, last):
        for j in range(others.starts.shape[0] - 1):
            norm = norms[i] * their_norms[j]
            out[i, j] = common_fragments(trees, i, others, j, decay, memory) / norm if norm > 0.0 else 0.0


@kernel
def _largest(trees):
    most = 0
    for i in range(trees.starts.shape[0] - 1):
        most = max(most, trees.starts[i + 1] - trees.starts[i])
    return most


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
