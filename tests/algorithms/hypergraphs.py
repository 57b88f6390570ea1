"""Hypergraphs with all their derivations written out: random ones, those of chains, labelled trees, segments."""

from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures.segments.rows import rows_before


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


# ---- sequences -------------------------------------------------------------------------------------


class Listed(NamedTuple):
    """An example's hypergraph, and what its edges carry: parts (edges, parts) and cliques (edges, cliques)."""

    graph: Hypergraph
    parts: np.ndarray
    cliques: np.ndarray


class _Listing:
    """Edges one after another, each with the parts and the cliques that it carries."""

    def __init__(self) -> None:
        self.edges: list[list[tuple[int, int]]] = []
        self.parts: list[list[int]] = []
        self.cliques: list[list[int]] = []

    def node(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def edge(self, tail: int, parts: tuple[int, ...] = (), cliques: tuple[int, ...] = (), other: int = -1) -> None:
        """Into the newest node, from one tail or two."""
        self.edges[-1].append((tail, other))
        self.parts.append(list(parts))
        self.cliques.append(list(cliques))

    def done(self, num_parts: int, num_cliques: int) -> Listed:
        graph, carried = Hypergraph(self.edges), []
        for numbers, size in ((self.parts, num_parts), (self.cliques, num_cliques)):
            rows = np.zeros((graph.size, size))
            for row, those in zip(rows, numbers, strict=True):
                row[those] = 1
            carried.append(rows)
        return Listed(graph, *carried)


def chain(T: int, K: int, observed: bool) -> Listed:
    """Node (t, k): token t has label k, and all that follows; so ties are broken as the chain breaks them."""
    listing, later = _Listing(), [-1] * K
    tied, pairs = T * K, T * K + K * K
    for t in range(T - 1, -1, -1):
        here = []
        for j in range(K):
            here.append(listing.node())
            if t == T - 1:
                listing.edge(-1, (t * K + j,), (t * K + j,))
                continue
            for k in range(K):
                of_edge = (pairs + t * K * K + j * K + k,) if observed else ()
                carried = (t * K + j, tied + j * K + k, *of_edge)
                listing.edge(later[k], carried, (t * K + j, T * K + t * K * K + j * K + k))
        later = here
    listing.node()
    for k in range(K):
        listing.edge(later[k])
    return listing.done(pairs + (T - 1) * K * K * observed, T * K + (T - 1) * K * K)


def labelled_tree(parents: np.ndarray, K: int, observed: bool) -> Listed:
    """Two kinds of nodes: t has label k, with some of its children; all below t, where its parent has label j."""
    listing, T = _Listing(), len(parents)
    tied, pairs = T * K, T * K + K * K
    below: dict[tuple[int, int], int] = {}
    whole: list[int] = []
    for t in range(T - 1, -1, -1):
        whole = []
        for k in range(K):
            whole.append(listing.node())
            listing.edge(-1, (t * K + k,), (t * K + k,))
            for child in np.flatnonzero(parents == t):
                before = whole[k]
                whole[k] = listing.node()
                listing.edge(before, other=below[int(child), k])
        for j in range(K if t > 0 else 0):
            below[t, j] = listing.node()
            for k in range(K):
                of_edge = (pairs + (t - 1) * K * K + j * K + k,) if observed else ()
                listing.edge(whole[k], (tied + j * K + k, *of_edge), (T * K + (t - 1) * K * K + j * K + k,))
    listing.node()
    for k in range(K):
        listing.edge(whole[k])
    return listing.done(pairs + (T - 1) * K * K * observed, T * K + (T - 1) * K * K)


def segments(T: int, K: int, most: int, outside: int) -> Listed:
    """Two nodes for token t and label k: what follows if such a segment begins there, or if one ended before."""
    listing = _Listing()
    N = rows_before(T, T, most)
    ended = {(T, k): -1 for k in range(K)}
    begun: list[int] = []
    for t in range(T - 1, -1, -1):
        begun = []
        for k in range(K):
            begun.append(listing.node())
            for n in range(1, min(1 if k == outside else most, T - t) + 1):
                segment = (rows_before(t, T, most) + n - 1) * K + k
                listing.edge(ended[t + n, k], (segment,), (segment,))
        for j in range(K if t > 0 else 0):
            ended[t, j] = listing.node()
            for k in range(K):
                listing.edge(begun[k], (N * K + j * K + k,), (N * K + (t - 1) * K * K + j * K + k,))
    listing.node()
    for k in range(K):
        listing.edge(begun[k])
    return listing.done((N + K) * K, (N + (T - 1) * K) * K)


def of_example(split: Any, i: int) -> Listed:
    """The hypergraph of example i of a split of chains, labelled trees or segments."""
    T = int(split.starts[i + 1] - split.starts[i])
    if split.id == "tree":
        parents = split.parents[split.starts[i] : split.starts[i + 1]]
        return labelled_tree(parents, split.num_labels, split.num_edge_features > 0)
    if split.id == "chain":
        return chain(T, split.num_labels, split.num_edge_features > 0)
    return segments(T, split.num_labels, split.max_length, split.outside)


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


def entropy(graph: Hypergraph, b: np.ndarray) -> float:
    return hypergraph.entropy(graph.first, graph.tails, b)


def entropy_slopes(graph: Hypergraph, b: np.ndarray, d: np.ndarray) -> tuple[float, float]:
    return hypergraph.entropy_slopes(graph.first, graph.tails, b, d)


def results() -> list[float]:
    """What all kernels say of a few hypergraphs."""
    numbers: list[Any] = []
    for seed, (scale, k) in product(range(6), ((1.0, 1), (500.0, 4), (0.0, 9))):
        rng = np.random.default_rng(seed)
        graph = drawn(7, rng)
        theta, other = scale * rng.normal(size=(2, graph.size))
        theta[rng.random(graph.size) < 0.1] = -np.inf
        alpha = np.empty(len(graph.first) - 1)
        numbers += [hypergraph.inside(graph.first, graph.tails, theta, alpha), alpha]
        (_, b), (_, c) = of_both = marginals(graph, theta), marginals(graph, other)
        (_, y), (_, z) = both_best = best(graph, theta), best(graph, other)
        numbers += [number for pair in of_both + both_best for number in pair]
        numbers += [*k_best(graph, other, k), *argmin_in_support(graph, other, b, 0.1)]
        numbers += [entropy(graph, b), *entropy_slopes(graph, 0.5 * (b + c), c - b)]
        numbers += [hypergraph.smallest(b, y, z), log_conditionals(graph, b)]
    return np.concatenate([np.ravel(each) for each in numbers]).tolist()
