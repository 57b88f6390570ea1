"""Small random graphs, and the parts and cliques of their labellings, written out."""

from math import prod
from typing import NamedTuple

import numpy as np

from structbench.algorithms.structures.field.elimination import min_fill


class Graph(NamedTuple):
    """ends: (edges, 2), those whose end eliminated first is eliminated earlier first. kinds: (edges,).

    counts: labels of each node, (nodes,).
    """

    ends: np.ndarray
    kinds: np.ndarray
    counts: np.ndarray
    num_kinds: int = 2

    def parts(self, labels: np.ndarray, K: int, observed: bool) -> np.ndarray:
        """The part vector of a labelling, in which -1 is none."""
        nodes = np.zeros((len(self.counts), K))
        tied, edges = np.zeros((self.num_kinds, K, K)), np.zeros((len(self.ends), K, K))
        for t, k in enumerate(labels):
            nodes[t, k] = k >= 0
        for e, (u, v) in enumerate(self.ends):
            j, k = labels[u], labels[v]
            if j >= 0 and k >= 0:
                tied[self.kinds[e], j, k] += 1
                edges[e, j, k] = 1
        return np.concatenate([nodes.ravel(), tied.ravel(), edges.ravel() if observed else []])

    def cliques(self, labels: np.ndarray) -> np.ndarray:
        """Of each node, in the order of elimination, which labels it and its separator have."""
        order, separators = min_fill(len(self.counts), self.ends)
        found = []
        for v, near in zip(order, separators, strict=True):
            clique = [*near[::-1], v]
            one = np.zeros(prod(int(self.counts[u]) for u in clique))
            one[np.ravel_multi_index(tuple(labels[clique]), tuple(self.counts[clique]))] = 1
            found.append(one)
        return np.concatenate(found)


def drawn_graph(nodes: int, most: int, rng: np.random.Generator) -> Graph:
    """Any edges between so many nodes, but that of two; a star now and then. Nodes have up to ``most`` labels."""
    pairs = [(u, v) for u in range(nodes) for v in range(nodes) if u < v]
    if rng.random() < 0.3:
        pairs = [(0, v) for v in range(1, nodes)]
    chosen = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs if rng.random() < 0.7 or nodes == 2]
    ends = np.array(chosen, int).reshape(-1, 2)
    rank = np.argsort(min_fill(nodes, ends).order)
    ends = ends[np.argsort(rank[ends].min(axis=1), kind="stable")] if len(ends) else ends
    return Graph(ends, rng.integers(2, size=len(ends)), rng.integers(max(1, most - 1), most + 1, size=nodes))
