"""Orders in which the nodes of a graph are eliminated, and the cliques that this makes.

A node is eliminated together with its neighbours of that time, its *separator*, which then become neighbours of
each other. The largest separator is the width of the order; the least width of all orders is the graph's
tree-width.
"""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError

GONE = -1  # the fill of a node that is eliminated
STARTS = 8  # ends of a graph from which to go
NARROW = 3  # a width up to which no other order is tried


class Elimination(NamedTuple):
    """``order``: the nodes, the first eliminated first; ``separators``: of each of these, in that order, its
    separator, those that are eliminated earlier first.
    """

    order: list[int]
    separators: list[list[int]]

    @property
    def width(self) -> int:
        """The size of the largest separator."""
        return max(map(len, self.separators), default=0)


def min_fill(nodes: int, pairs: np.ndarray) -> Elimination:
    """Eliminate the node next that joins the fewest pairs of nodes; of equals the first.

    Args:
        pairs: nodes that are neighbours, int (pairs, 2).
    """
    around = _neighbours(nodes, pairs)
    fill = [_fill(around, v) for v in range(nodes)]
    waiting = [(fill[v], v) for v in range(nodes)]  # a node whose fill changes joins once more
    heapify(waiting)
    order, separators = [], []
    while waiting:
        joined, v = heappop(waiting)
        if joined != fill[v]:
            continue
        near = around[v]
        changed = set(near)
        for u in near:
            around[u].discard(v)
            around[u] |= near - {u}
            changed |= around[u]
        fill[v] = GONE
        order.append(v)
        separators.append(sorted(near))
        for u in changed:
            if fill[u] != (new := _fill(around, u)):
                fill[u] = new
                heappush(waiting, (new, u))
    return _ordered(order, separators)


def by_layers(nodes: int, pairs: np.ndarray) -> Elimination:
    """Eliminate the nodes next that are nearest to one end of the graph. A grid goes along its longer side.

    Args:
        pairs: nodes that are neighbours, int (pairs, 2).
    """
    around = _neighbours(nodes, pairs)
    left, found = {*range(nodes)}, Elimination([], [])
    while left:
        connected = _walk(around, min(left))
        left -= {*connected}
        ends = sorted(connected, key=lambda v: (len(around[v]), v))[:STARTS]
        tried = [_along(_walk(around, v), around) for v in dict.fromkeys([*ends, connected[-1]])]
        best = min(tried, key=lambda each: each.width)
        found = Elimination(found.order + best.order, found.separators + best.separators)
    return found


def _along(order: list[int], around: list[set[int]]) -> Elimination:
    """The elimination of nodes in this order; ``around``: the neighbours of each node."""
    joined = {v: set(around[v]) for v in order}
    separators = []
    for v in order:
        near = joined.pop(v)
        for u in near:
            joined[u] = (joined[u] | near) - {u, v}
        separators.append(near)
    return _ordered(order, separators)


def _walk(around: list[set[int]], start: int) -> list[int]:
    """The nodes that can be reached, by their distance; of equals, those first whose neighbours came first."""
    found, known = [start], {start}
    for v in found:  # which grows
        new = sorted(around[v] - known, key=lambda u: (len(around[u]), u))
        found += new
        known.update(new)
    return found


def _neighbours(nodes: int, pairs: np.ndarray) -> list[set[int]]:
    around: list[set[int]] = [set() for _ in range(nodes)]
    for u, v in pairs.tolist():
        around[u].add(v)
        around[v].add(u)
    return around


def _ordered(order: list[int], separators: list[set[int]]) -> Elimination:
    """An elimination whose separators are sorted."""
    rank = {v: p for p, v in enumerate(order)}
    return Elimination(order, [sorted(near, key=rank.__getitem__) for near in separators])


def _fill(around: list[set[int]], v: int) -> int:
    """How many pairs of a node's neighbours are not neighbours."""
    near = around[v]
    return sum(len(near - around[u]) - 1 for u in near) // 2


def narrow(nodes: int, pairs: np.ndarray) -> Elimination:
    """The elimination of ``min_fill``; of graphs where that is wide, as of grids, maybe that of ``by_layers``."""
    found = min_fill(nodes, pairs)
    if found.width <= NARROW:
        return found
    return min(found, by_layers(nodes, pairs), key=lambda each: each.width)


def eliminated(
    starts: np.ndarray, edge_starts: np.ndarray, ends: np.ndarray, max_width: int
) -> tuple[list[Elimination], np.ndarray, np.ndarray]:
    """The elimination of each graph; the edges in the order of their ends eliminated first; how many a node has.

    Args:
        starts, edge_starts: where each graph's nodes and edges begin.
        ends: of each edge, numbered within its graph, (edges, 2).

    Raises:
        UserError: a graph's width is over ``max_width``.
    """
    known: dict[tuple[int, bytes], Elimination] = {}  # most graphs are of few shapes
    found, ranks = [], np.empty(len(ends), np.int64)
    for i in range(len(starts) - 1):
        nodes, own = int(starts[i + 1] - starts[i]), slice(edge_starts[i], edge_starts[i + 1])
        shape = nodes, ends[own].tobytes()
        if shape not in known:
            known[shape] = narrow(nodes, ends[own])
        found.append(known[shape])
        if found[-1].width > max_width:
            raise UserError(
                f"graph {i}, of {nodes} nodes, has width {found[-1].width}: expected at most {max_width}, as "
                "inference takes the number of labels to the power of the width plus 1; loopy marginals would "
                "take less, but certify nothing and are not built"
            )
        rank = np.empty(nodes, np.int64)
        rank[found[-1].order] = starts[i] + np.arange(nodes)
        ranks[own] = rank[ends[own]].min(axis=1) if len(ends[own]) else 0
    by_bucket = np.argsort(ranks, kind="stable")
    return found, by_bucket, np.bincount(ranks, minlength=starts[-1])
