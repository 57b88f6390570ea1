"""Random hypergraphs with all their derivations written out."""

from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from structbench.algorithms.structures import cliques, hypergraph


class Hypergraph:
    """``first`` and ``tails`` as the kernels take them, from a list of edges for each node: pairs of tails."""

    def __init__(self, edges: list[list[tuple[int, int]]]) -> None:
        self.first = np.cumsum([0, *map(len, edges)])
        self.tails = np.array([pair for into in edges for pair in into], np.int32).reshape(-1, 2)
        self.heads = np.repeat(np.arange(len(edges)), [len(into) for into in edges])

    @property
    def size(self) -> int:
        """How many edges."""
        return len(self.tails)

    def derivations(self, v: int) -> list[list[int]]:
        """Those of node v as lists of edges, in the order of edges from v down."""
        return [
            [e, *left, *right]
            for e in range(self.first[v], self.first[v + 1])
            for left in self._below(self.tails[e, 0])
            for right in self._below(self.tails[e, 1])
        ]

    def _below(self, tail: int) -> list[list[int]]:
        return self.derivations(tail) if tail >= 0 else [[]]

    def vectors(self, v: int) -> np.ndarray:
        """The derivations of node v, (derivations, edges)."""
        found = self.derivations(v)
        y = np.zeros((len(found), self.size))
        for row, edges in zip(y, found, strict=True):
            row[edges] = 1
        return y

    @cached_property
    def outputs(self) -> np.ndarray:
        return self.vectors(len(self.first) - 2)

    def of_head(self, b: np.ndarray) -> np.ndarray:
        """b_head(e) of each edge, in any one dimension."""
        return np.bincount(self.heads, b, len(self.first) - 1)[self.heads]


def totals(outputs: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """The scores of derivations, of which edges may have minus infinity."""
    return np.where(outputs > 0, theta, 0.0).sum(axis=1)


def log_z(scores: np.ndarray) -> float:
    top = scores.max(initial=-np.inf)
    return float(top + np.log(np.exp(scores - top).sum())) if np.isfinite(top) else -np.inf


def drawn(nodes: int, rng: np.random.Generator, leaves: float = 0.3) -> Hypergraph:
    """Up to three edges into each node, with no, one and two tails, that come to no node twice.

    There may be nodes without edges or without use, edges that occur twice, and no derivation at all.
    """
    edges: list[list[tuple[int, int]]] = []
    below: list[set[int]] = []  # all that a derivation of a node may come to
    for v in range(nodes):
        into = []
        for _ in range(rng.choice(4, p=[0.1, 0.3, 0.3, 0.3])):
            if v == 0 or rng.random() < leaves:
                into.append((-1, -1))
                continue
            left = int(rng.integers(v))
            apart = [-1] + [u for u in range(v) if not below[u] & below[left]] * 2
            into.append((left, int(rng.choice(apart))))
        edges.append(into)
        below.append({v}.union(*(below[u] for pair in into for u in pair if u >= 0)))
    return Hypergraph(edges)


# ---- the kernels -----------------------------------------------------------------------------------


def marginals(graph: Hypergraph, theta: np.ndarray) -> tuple[float, np.ndarray]:
    b = np.full(graph.size, np.nan)
    return hypergraph.marginals(graph.first, graph.tails, theta, b), b


def best(graph: Hypergraph, theta: np.ndarray) -> tuple[float, np.ndarray]:
    y = np.full(graph.size, np.nan)
    return hypergraph.best(graph.first, graph.tails, theta, y), y


def k_best(graph: Hypergraph, theta: np.ndarray, k: int) -> tuple[int, np.ndarray, np.ndarray]:
    Y, values = np.full((k, graph.size), np.nan), np.full(k, np.nan)
    return hypergraph.k_best(graph.first, graph.tails, theta, k, Y, values), Y, values


def argmin_in_support(
    graph: Hypergraph, theta: np.ndarray, b: np.ndarray, floor: float
) -> tuple[float, np.ndarray]:
    y = np.full(graph.size, np.nan)
    return hypergraph.argmin_in_support(graph.first, graph.tails, theta, b, floor, y), y


def log_conditionals(graph: Hypergraph, b: np.ndarray) -> np.ndarray:
    theta = np.full(graph.size, np.nan)
    hypergraph.log_conditionals(graph.first, graph.tails, b, theta)
    return theta


def sums_of_nodes(graph: Hypergraph, b: np.ndarray) -> np.ndarray:
    sums = np.full(len(graph.first) - 1, np.nan)
    assert hypergraph.sums_of_nodes(graph.first, b, sums) == len(sums)
    return sums


def entropy(graph: Hypergraph, b: np.ndarray) -> float:
    return cliques.entropy_of(b) - cliques.entropy_of(sums_of_nodes(graph, b))


def entropy_slopes(graph: Hypergraph, b: np.ndarray, d: np.ndarray) -> tuple[float, float]:
    return cliques.slopes_of_difference(b, d, sums_of_nodes(graph, b), sums_of_nodes(graph, d))


def results() -> list[float]:
    """What all kernels say of a few hypergraphs."""
    numbers: list[Any] = []
    for seed, (scale, k) in product(range(6), ((1.0, 1), (500.0, 4), (0.0, 9))):
        rng = np.random.default_rng(seed)
        graph = drawn(7, rng)
        theta, other = scale * rng.normal(size=(2, graph.size))
        theta[rng.random(graph.size) < 0.1] = -np.inf
        alpha = np.empty(len(graph.first) - 1)
        room = np.empty(len(alpha)), np.empty(graph.size)
        numbers += [hypergraph.inside(graph.first, graph.tails, theta, alpha, *room), alpha]
        (_, b), (_, c) = of_both = marginals(graph, theta), marginals(graph, other)
        both_best = best(graph, theta), best(graph, other)
        numbers += [number for pair in of_both + both_best for number in pair]
        numbers += [*k_best(graph, other, k), *argmin_in_support(graph, other, b, 0.1)]
        numbers += [entropy(graph, b), *entropy_slopes(graph, 0.5 * (b + c), c - b)]
        numbers += [log_conditionals(graph, b)]
    return np.concatenate([np.ravel(each) for each in numbers]).tolist()
