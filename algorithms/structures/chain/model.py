"""Linear chains: sequences of labels with node features, tied transitions and, if given, edge features.

Parts and weights are those of ``labelled.operations``; the edge into a token comes from the token before.
"""

import numpy as np

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.labelled import one_edge_a_node, operations
from structbench.algorithms.structures.labelled.views import split
from structbench.algorithms.structures.taking import implement_take


class Chain(operations.Labelled):
    """A split of n sequences of tokens. The edge into a token comes from the token before; the first has none."""

    id = "chain"
    layouts = (operations.Labelled,)


implement_take(Chain, starts=("x", "edges", "y"), each=("products", "edge_products"))


def build(
    x: ft.Features,
    lengths: np.ndarray,
    y: np.ndarray | None,
    num_labels: int,
    edges: ft.Features | None = None,
) -> Chain:
    """A split from node features, sequence lengths (n,), labels (tokens,) and, maybe, edge features.

    Without labels the sequences are there to be labelled: nothing learns from them.

    Raises:
        UserError: lengths, rows and labels disagree, a sequence is empty, or a label is out of range.
    """
    return Chain(**one_edge_a_node.node_fields(x, lengths, y, num_labels, edges))


@implements(Chain)
def gold(c, i, y):
    nodes, transitions, edges = split(c, i, y)
    y[:] = 0.0
    before = -1
    for t in range(nodes.shape[0]):
        right = c.y[c.starts[i] + t]
        if right >= 0:
            nodes[t, right] = 1.0
        if before >= 0 and right >= 0:
            transitions[before, right] += 1.0
            if edges.shape[0] > 0:
                edges[t - 1, before, right] = 1.0
        before = right


@implements(Chain)
def label_sequences(c: Chain) -> parts.LabelSequences:
    return parts.LabelSequences(c.x, c.y, c.starts, c.num_labels, c.num_edge_features)


@implements(Chain)
def rows(c: Chain) -> ft.Features:
    return c.x


@implements(Chain)
def with_rows(c: Chain, x: ft.Features) -> Chain:
    edges = c.edges if c.num_edge_features else None
    return build(x, np.diff(c.starts), c.y, c.num_labels, edges)._replace(costs=c.costs)
