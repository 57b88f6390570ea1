"""Where the tables of a clique tree lie: one for each node, over its labels and those of its separator.

Nodes are numbered in the order of elimination. The *separator* of node p are the nodes that remain next to p as p
is eliminated; they come later. The table of p has a row for each labelling of the separator, in which the label of
the first node of the separator changes fastest, and a column for each label of p. The *message* of p has a number
for each row. It goes to the table of the separator's first node: that table has all nodes of the separator.

If the separator is one node, the message is *narrow*: it has a number for each label of that node. Wider messages
are factors of the table that they go to, as the edges of the graph are. The rows of a factor, in a block of
numbers, begin at ``places``.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import IntRows, Ints, frozen, ranges, starts_of
from structbench.algorithms.runtime.kernel import kernel

NONE = -1
ORDER, COUNT, SEPARATOR, ROW, CELL, EDGE, CHILD, SIBLING = range(8)  # columns of ``nodes``
END, KIND, BLOCK = range(3)  # columns of ``edges``


class CliqueTree(NamedTuple):
    """Graphs of N nodes and E edges in all.

    nodes: (N + 1, 8), of each node: the number that it has before elimination; its number of labels; where its
    separator, its message and its table begin; the first edge between it and its separator; the last node with a
    wide message to it; and the node before with a message to the same node as its own. Where something begins is
    counted from the first graph, and the last row says where all ends. separators: (all,). edges: (E, 3), of each
    edge: its node in the separator; its kind, plus the number of kinds if its second node is in the separator; and
    its number in its graph. Other numbers of nodes are those of elimination in their graph.
    """

    nodes: IntRows
    separators: Ints
    edges: IntRows


def build(
    starts: np.ndarray,
    counts: np.ndarray,
    order: np.ndarray,
    separator_sizes: np.ndarray,
    separators: np.ndarray,
    edge_counts: np.ndarray,
    ends: np.ndarray,
    kinds: np.ndarray,
    blocks: np.ndarray,
    num_kinds: int = 1,
) -> CliqueTree:
    """The clique trees of graphs, from their orders of elimination.

    Args:
        starts: where the nodes of each graph begin. counts: of labels, node by node.
        order: the nodes of each graph, the first eliminated first; separator_sizes, separators: of each of these.
        edge_counts: the edges between each of these and its separator; ends, kinds, blocks: of these edges.
    """
    first = np.repeat(starts[:-1], np.diff(starts))
    ranks = np.empty(len(order), np.int64)
    ranks[first + order] = own = np.arange(len(order)) - first
    owner = np.repeat(np.arange(len(order)), separator_sizes)
    separators, counts = ranks[first[owner] + separators], counts[first + order]
    rows = np.ones(len(order), np.int64)
    np.multiply.at(rows, owner, counts[first[owner] + separators])
    wide = np.flatnonzero(separator_sizes > 1)
    above = first[wide] + separators[starts_of(separator_sizes)[wide]]
    by_above = np.argsort(above, kind="stable")
    wide, above = wide[by_above], above[by_above]
    child, sibling = np.full(len(order), NONE), np.full(len(order), NONE)
    child[above] = own[wide]  # of several the last
    again = np.flatnonzero(above[1:] == above[:-1])
    sibling[wide[again + 1]] = own[wide[again]]
    pairs = ranks[np.repeat(first, edge_counts)[:, None] + ends]
    begins = [starts_of(each) for each in (separator_sizes, rows, rows * counts, edge_counts)]
    order, counts, child, sibling = (np.append(each, NONE) for each in (order, counts, child, sibling))
    columns = order, counts, *begins, child, sibling
    kinds = kinds + num_kinds * (pairs[:, 1] > pairs[:, 0])
    return CliqueTree(
        nodes=frozen(np.column_stack(columns), np.int64),
        separators=frozen(separators, np.int64),
        edges=frozen(np.column_stack([pairs.max(axis=1, initial=0), kinds, blocks]), np.int64),
    )


def taken(t: CliqueTree, places: np.ndarray) -> CliqueTree:
    """The clique trees of some graphs, given by the numbers of their nodes among all."""
    nodes = t.nodes[np.append(places, -1)]
    for column in (SEPARATOR, ROW, CELL, EDGE):
        nodes[:, column] = starts_of(np.diff(t.nodes[:, column])[places])
    separators, edges = (ranges(t.nodes[:, column], places) for column in (SEPARATOR, EDGE))
    return CliqueTree(
        frozen(nodes, np.int64), frozen(t.separators[separators], np.int64), frozen(t.edges[edges], np.int64)
    )


@kernel
def part(t, a, b):
    """The graphs of the nodes a .. b - 1 of all, on the same memory."""
    return CliqueTree(t.nodes[a : b + 1], t.separators, t.edges)


@kernel(inline=True)
def size(t):
    """T, the nodes of one graph."""
    return t.nodes.shape[0] - 1


@kernel(inline=True)
def num_cells(t):
    """The numbers in all tables of one graph."""
    return t.nodes[size(t), CELL] - t.nodes[0, CELL]


@kernel(inline=True)
def num_rows(t):
    """The numbers in all messages of one graph."""
    return t.nodes[size(t), ROW] - t.nodes[0, ROW]


@kernel(inline=True)
def max_rows(t):
    """The numbers in the longest message of one graph."""
    most = 0
    for p in range(size(t)):
        most = max(most, t.nodes[p + 1, ROW] - t.nodes[p, ROW])
    return most


@kernel(inline=True)
def width(t, p):
    """How many nodes the separator of p has."""
    return t.nodes[p + 1, SEPARATOR] - t.nodes[p, SEPARATOR]


@kernel(inline=True)
def has_one_factor(t, p):
    """Whether the separator of p is one node, and its table depends on that by one edge only."""
    return width(t, p) == 1 and t.nodes[p + 1, EDGE] == t.nodes[p, EDGE] + 1 and t.nodes[p, CHILD] == NONE


@kernel(inline=True)
def above(t, p):
    """The node that the message of p goes to; p must have a separator."""
    return t.separators[t.nodes[p, SEPARATOR]]


@kernel(inline=True)
def first_row(t, p):
    """Where the message of p begins; unsigned, as numba then has no negative index in mind."""
    return np.uint64(t.nodes[p, ROW] - t.nodes[0, ROW])


@kernel(inline=True)
def first_cell(t, p):
    """Where the table of p begins; unsigned, too: sums with it run in vector registers."""
    return np.uint64(t.nodes[p, CELL] - t.nodes[0, CELL])


@kernel
def table(t, p, cells):
    """The table of p, (rows, labels of p)."""
    rows = t.nodes[p + 1, ROW] - t.nodes[p, ROW]
    return cells[t.nodes[p, CELL] - t.nodes[0, CELL] :][: rows * t.nodes[p, COUNT]].reshape(
        (rows, t.nodes[p, COUNT])
    )


@kernel
def message(t, p, rows):
    """The message of p."""
    return rows[t.nodes[p, ROW] - t.nodes[0, ROW] : t.nodes[p + 1, ROW] - t.nodes[0, ROW]]


@kernel(inline=True)
def row_of(t, p, labels):
    """The row of the table of p that belongs to a labelling, (T,)."""
    row, stride = 0, 1
    for at in range(t.nodes[p, SEPARATOR], t.nodes[p + 1, SEPARATOR]):
        u = t.separators[at]
        row += labels[u] * stride
        stride *= t.nodes[u, COUNT]
    return row


@kernel(inline=True)
def cell_of(t, p, labels):
    """The cell of the table of p that belongs to a labelling, counted from the first cell of all tables."""
    return t.nodes[p, CELL] - t.nodes[0, CELL] + row_of(t, p, labels) * t.nodes[p, COUNT] + labels[p]


@kernel
def _places(t, p, strides, places):
    """places[row] = sum over the separator of p of the label of a node times its stride."""
    begin, size = t.nodes[p, SEPARATOR], 1
    places[0] = 0
    for d in range(strides.shape[0]):
        for label in range(1, t.nodes[t.separators[begin + d], COUNT]):
            for row in range(size):
                places[label * size + row] = places[row] + label * strides[d]
        size *= t.nodes[t.separators[begin + d], COUNT]


@kernel
def places_in_edge(t, p, e, stride, places):
    """Where the rows of the block of edge e begin, which lie ``stride`` numbers apart."""
    begin = t.nodes[p, SEPARATOR]
    strides = np.zeros(width(t, p), np.int64)
    for d in range(strides.shape[0]):
        strides[d] = stride if t.separators[begin + d] == t.edges[e, END] else 0
    _places(t, p, strides, places)


@kernel
def places_in_message(t, p, q, places):
    """Where the rows of the message of q to p begin."""
    begin = t.nodes[p, SEPARATOR]
    strides = np.zeros(width(t, p), np.int64)
    stride = t.nodes[p, COUNT]
    for at in range(t.nodes[q, SEPARATOR] + 1, t.nodes[q + 1, SEPARATOR]):
        for d in range(strides.shape[0]):
            if t.separators[begin + d] == t.separators[at]:
                strides[d] = stride
        stride *= t.nodes[t.separators[at], COUNT]
    _places(t, p, strides, places)


@kernel
def multiply(block, places, cells):
    """Multiply each row of a table by a row of a factor."""
    for row in range(cells.shape[0]):
        at = np.uint64(places[row])
        for k in range(np.uint64(cells.shape[1])):
            cells[row, k] *= block[at + k]


@kernel
def add(block, places, cells):
    """Add to each row of a table a row of a factor."""
    for row in range(cells.shape[0]):
        at = np.uint64(places[row])
        for k in range(np.uint64(cells.shape[1])):
            cells[row, k] += block[at + k]


@kernel
def add_up(cells, places, block):
    """Add each row of a table to a row of a factor."""
    for row in range(cells.shape[0]):
        at = np.uint64(places[row])
        for k in range(np.uint64(cells.shape[1])):
            block[at + k] += cells[row, k]
