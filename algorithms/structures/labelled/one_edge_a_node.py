"""Builds the fields that chains and trees share: every node but the first has exactly one edge into it."""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import checks
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.labelled import operations


def node_fields(
    x: ft.Features, lengths: np.ndarray, y: np.ndarray | None, num_labels: int, edges: ft.Features | None
) -> dict[str, Any]:
    """The shared fields. ``x``: a row a node; ``lengths``: (n,); ``y``: (nodes,); ``edges``: as x, or None.

    Without ``y`` the examples are there to be labelled: nothing learns from them.

    Raises:
        UserError: lengths, rows and labels disagree, an example is empty, a label is out of range, or the first
            node of an example has features of an edge.
    """
    nodes, learned_from = checks.places(lengths, "node", "example"), y is not None
    starts = nodes.starts
    most = checks.number("num_labels", num_labels, 1) - 1
    nodes.agree(rows=ft.shape(x)[0], labels=starts[-1] if y is None else len(y))
    y = np.full(starts[-1], -1) if y is None else nodes.integers("label", y, -1, most)
    edges = ft.empty() if edges is None else edges
    edge_rows, edge_columns = ft.shape(edges)
    if edge_columns:
        nodes.agree(rows_of_edge_features=edge_rows)
        if filled := abs(ft.as_matrix(edges)[starts[:-1]]).sum(axis=1).nonzero()[0].tolist():
            raise UserError(f"node 0 of example {filled[0]} has no edge: its row of edge features must be empty")
    return operations.shared_fields(x, starts, y, num_labels, edges, starts, learned_from)
