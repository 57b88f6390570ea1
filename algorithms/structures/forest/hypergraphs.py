"""Check hypergraphs for inference on forests: acyclic, and no derivation comes to a node twice.

Derivations of the two tails of an edge are chosen independently. If both could come to one node, an output would
be no 0/1 vector. Then the best score of inference would be that of no output (``structures.hypergraph``).
"""

import numpy as np

from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks, hypergraph

SOUND, FIRST, TAIL, TWICE = range(4)
WORD = 64  # nodes whose reachability one number holds


def checked(
    edges: checks.Places, bounds: checks.Places, first: np.ndarray, tails: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """``first`` (node bounds,) and ``tails`` (edges, 2) of the hypergraphs of all examples, int64 and int32.

    Raises:
        UserError: ``first`` of an example does not rise from 0 to its edges, a tail does not come before its head,
            or a derivation comes to a node twice.
    """
    first = frozen(bounds.integers("value", first, 0), np.int64)
    tails = frozen(np.column_stack([edges.integers("tail", each, -1) for each in tails.T]), np.int32)
    fault, at, one, other = _first_fault(*_starts(edges, bounds), first, tails)
    if fault == FIRST:
        raise UserError(f"example {at}: first must rise from 0 to the number of edges, {one}")
    if fault == TAIL:
        raise UserError(f"tail of {edges.name(at)} must come before its head, node {other}, not be {one}")
    if fault == TWICE:
        raise UserError(f"{edges.name(at)} leads to a node twice, from both of its tails, {one} and {other}")
    return first, tails


def derivable(
    edges: checks.Places, bounds: checks.Places, first: np.ndarray, tails: np.ndarray, gold: np.ndarray
) -> np.ndarray:
    """Whether the gold edges of each example, of flags (edges,), are a derivation; bool (n,)."""
    nodes = bounds.starts - np.arange(len(bounds.starts))  # where those of each example begin
    missing = np.zeros(nodes[-1], np.int64)  # edges into each node; one must go into the goal, and into each tail
    missing[nodes[1:] - 1] = 1
    counts = np.delete(np.diff(first), bounds.starts[1:-1] - 1)  # of the edges into each node
    chosen = np.flatnonzero(gold)
    missing -= np.bincount(np.repeat(np.arange(nodes[-1]), counts)[chosen], minlength=nodes[-1])
    below = tails[chosen] + np.repeat(nodes[:-1], edges.lengths)[chosen, None]
    missing += np.bincount(below[tails[chosen] >= 0], minlength=nodes[-1])
    return np.logical_and.reduceat(missing == 0, nodes[:-1]) if len(nodes) > 1 else np.empty(0, np.bool_)


def _starts(*units: checks.Places) -> list[np.ndarray]:
    return [frozen(each.starts, np.int64) for each in units]


@kernel
def _first_fault(edge_starts, node_starts, first, tails):
    """The first fault, its example or edge, and two numbers for the message."""
    for i in range(edge_starts.shape[0] - 1):
        a, b = edge_starts[i], edge_starts[i + 1]
        own = first[node_starts[i] : node_starts[i + 1]]
        rises = own[0] == 0 and own[-1] == b - a
        for v in range(own.shape[0] - 1):
            rises &= own[v] <= own[v + 1]
        if not rises:
            return FIRST, i, b - a, 0
        for v in range(own.shape[0] - 1):
            for e in range(a + own[v], a + own[v + 1]):
                if max(tails[e, 0], tails[e, 1]) >= v:
                    return TAIL, e, max(tails[e, 0], tails[e, 1]), v
        e = _reached_twice(own, tails[a:b])
        if e >= 0:
            return TWICE, a + e, tails[a + e, 0], tails[a + e, 1]
    return SOUND, 0, 0, 0


@kernel
def _reached_twice(first, tails):
    """The first edge of a derivation of the goal both of whose tails can lead to one node; -1 without one."""
    nodes, used = first.shape[0] - 1, np.empty(tails.shape[0], np.bool_)
    hypergraph.in_derivations(first, tails, used)
    for begin in range(0, nodes, WORD):  # which of 64 nodes each node leads to, as the bits of a number
        leads = np.zeros(nodes + 1, np.uint64)
        for v in range(begin, nodes):
            if v < begin + WORD:
                leads[v] = np.uint64(1) << np.uint64(v - begin)
            for e in range(first[v], first[v + 1]):
                if used[e]:
                    left, right = leads[tails[e, 0]], leads[tails[e, 1]]
                    if left & right:
                        return e
                    leads[v] |= left | right
    return -1
