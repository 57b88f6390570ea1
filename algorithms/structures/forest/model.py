"""Forests: explicit hypergraphs, with a row of features and a cost for each edge.

An example's outputs are the derivations of its hypergraph (``structures.hypergraph``). They are parse trees of a
sentence under a weighted context-free grammar (eg2004, Example 2), or other outputs built from pieces. Parts and
cliques are the edges, weights one a feature column.

A reader of an output sees single decisions, such as the spans of a sentence. An edge may decide one and give it a
label. Undecided ones have label 0. The cost, too, is a number an edge, and need not count decisions.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Flags, Floats, Ints, LabelRows, Labels, frozen, ranges
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.structures import checks
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as _  # noqa: F401 - the operations that are implemented here
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.forest import hypergraphs
from structbench.algorithms.structures.shared_columns import append, entries_reached, gather_one, renumber, square


class Derivations(NamedTuple):
    """One example: a hypergraph of m edges, and its gold derivation.

    ``first``: (nodes + 1,), ``tails``: (m, 2), see ``structures.hypergraph``. ``losses``: (m,). ``gold``: (m,),
    whether the gold derivation has the edge. ``decisions``: (m,), the one that the edge decides, or -1;
    ``labels``: (m,), the label there. ``right``: (decisions,), the gold labels, 0 where a gold derivation decides
    nothing.
    """

    first: np.ndarray
    tails: np.ndarray
    losses: np.ndarray
    gold: np.ndarray
    decisions: np.ndarray
    labels: np.ndarray
    right: np.ndarray


class Forest(NamedTuple):
    """A split of n examples; edges, nodes and decisions of all of them lie one after another.

    ``x``: features, one row an edge. ``edge_starts``, ``node_starts``, ``output_starts``: int64 (n + 1,), where
    edges, entries of ``first`` (one more than nodes) and decisions of example i begin. Its edges and nodes count
    from 0. ``tails``: int32 (edges, 2). ``losses``: float64, ``gold``: int8, ``decisions``, ``given``: int32
    (edges,), see ``Derivations``. ``right``: int32 (outputs,), the gold labels. ``y``: the same, but -1 throughout
    an example whose gold derivation is not in its hypergraph. ``local``, ``columns``, ``column_starts``: see
    ``structures.shared_columns``. ``left``: int64, left sides of rules: the first columns are indicators of rules.
    """

    id = "forest"

    x: ft.Features
    edge_starts: Ints
    node_starts: Ints
    output_starts: Ints
    first: Ints
    tails: LabelRows
    losses: Floats
    gold: Flags
    decisions: Labels
    given: Labels
    right: Labels
    y: Labels
    local: Labels
    columns: Labels
    column_starts: Ints
    left: Ints
    num_features: int


def build(x: ft.Features, examples: Sequence[Derivations], left: Sequence[int] | np.ndarray = ()) -> Forest:
    """A split from features, one row an edge, the hypergraphs of its examples, and left sides of rules, if any.

    Raises:
        UserError: the numbers of rows and edges differ, arrays of an example disagree, a number is out of range,
            or ``hypergraphs.checked`` refuses a hypergraph. Or the gold edges of an example without decisions are
            no derivation.
    """
    edges, bounds, outputs = (
        checks.places([len(each[k]) for each in examples], unit, "example", least)
        for k, unit, least in ((1, "edge", 0), (0, "node bound", 2), (6, "decision", 0))
    )
    rows, columns = ft.shape(x)
    edges.agree(rows_of_features=rows)
    for i, each in enumerate(examples):
        m = len(each.tails)
        if any(np.shape(of_edges) != (m,) for of_edges in each[2:6]):
            raise UserError(f"example {i}: losses, gold, decisions and labels must have shape ({m},)")
        if np.ndim(each.first) != 1 or np.ndim(each.right) != 1:
            raise UserError(f"example {i}: first and right must have one dimension")
    tails = [checks.table(f"example {i}: tails", each.tails, 2) for i, each in enumerate(examples)]
    joined = [np.concatenate([np.empty(0, np.int64), *(each[k] for each in examples)]) for k in (0, *range(2, 7))]
    first, losses, gold, decisions, given, right = joined
    first, tails = hypergraphs.checked(edges, bounds, first, np.concatenate([np.empty((0, 2), np.int64), *tails]))
    losses, gold = checks.finite("loss", losses, edges.name), edges.integers("gold flag", gold, 0, 1)
    decisions = edges.integers("decision", decisions, -1, np.repeat(outputs.lengths, edges.lengths) - 1)
    given = edges.integers("label", given, np.where(decisions < 0, -checks.MOST, 0))
    right = outputs.integers("right label", right, -1)
    left = checks.integers("left side", left, 0, name="rule {}".format)
    whole = hypergraphs.derivable(edges, bounds, first, tails, gold)
    if (silent := np.flatnonzero(~whole & (outputs.lengths == 0))).size:
        raise UserError(f"gold edges of example {silent[0]}, which has no decisions, must be a derivation")
    if len(left) > columns:
        raise UserError(f"there are {len(left)} left sides of rules, but {columns} columns of features")
    return Forest(
        x,
        frozen(edges.starts, np.int64),
        frozen(bounds.starts, np.int64),
        frozen(outputs.starts, np.int64),
        first,
        tails,
        frozen(losses, np.float64),
        frozen(gold, np.int8),
        frozen(decisions, np.int32),
        frozen(given, np.int32),
        frozen(right, np.int32),
        frozen(np.where(np.repeat(whole, outputs.lengths), right, -1), np.int32),
        *renumber(x, edges.starts),
        frozen(left, np.int64),
        columns,
    )


@kernel
def hypergraph_of(f, i):
    """``first`` and ``tails`` of example i."""
    return (
        f.first[f.node_starts[i] : f.node_starts[i + 1]],
        f.tails[f.edge_starts[i] : f.edge_starts[i + 1]],
    )


@kernel
def _columns(f, i):
    return f.columns[f.column_starts[i] : f.column_starts[i + 1]]


@kernel
def _add_scores(f, i, weight, v, out):
    """out += weight x_r . v, with weights v of the shared columns, (columns,)."""
    x = ft.with_indices(f.x, f.local)
    for r in range(out.shape[0]):
        out[r] += weight * ft.row_times(x, f.edge_starts[i] + r, v)


@kernel
def _combined(f, i, mu):
    """sum_r mu_r f(x_i, r), of the shared columns, (columns,)."""
    x = ft.with_indices(f.x, f.local)
    v = np.zeros(f.column_starts[i + 1] - f.column_starts[i])
    for r in range(mu.shape[0]):
        if mu[r] != 0.0:
            ft.add_row(x, f.edge_starts[i] + r, mu[r], v)
    return v


@implements(Forest)
def num_examples(f):
    return f.edge_starts.shape[0] - 1


@implements(Forest)
def num_decisions(f, i):
    return f.output_starts[i + 1] - f.output_starts[i]


@implements(Forest)
def num_parts(f, i):
    return f.edge_starts[i + 1] - f.edge_starts[i]


@implements(Forest)
def scores(f, i, w, out):
    out[:] = 0.0
    _add_scores(f, i, 1.0, gather_one(_columns(f, i), w), out)


@implements(Forest)
def add_costs(f, i, c, out):
    add_scaled(c, f.losses[f.edge_starts[i] : f.edge_starts[i + 1]], out)


@implements(Forest)
def add_features(f, i, c, mu, w):
    columns, v = _columns(f, i), _combined(f, i, mu)
    for a in range(columns.shape[0]):
        w[columns[a]] += c * v[a]


@implements(Forest)
def feature_support(f, i, mu, out):
    columns = _columns(f, i)
    rows = mu.reshape((-1, 1))
    reached = entries_reached(ft.with_indices(f.x, f.local), f.edge_starts[i], rows, columns.shape[0])
    return append(reached, columns, out, 0)


@implements(Forest)
def squared_norm(f, i, mu):
    return square(_combined(f, i, mu))


@implements(Forest)
def add_gram(f, i, c, mu, out):
    _add_scores(f, i, c, _combined(f, i, mu), out)


@implements(Forest)
def gold(f, i, y):
    copy_to(f.gold[f.edge_starts[i] : f.edge_starts[i + 1]], y)


@implements(Forest)
def labels(f, i, y, out):
    out[:] = 0
    for r in range(y.shape[0]):
        e = f.edge_starts[i] + r
        if y[r] > 0.5 and f.decisions[e] >= 0:
            out[f.decisions[e]] = f.given[e]


@implements(Forest)
def gold_labels(f, i, out):
    copy_to(f.right[f.output_starts[i] : f.output_starts[i + 1]], out)


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Forest)
def with_used_features(f: Forest, w: np.ndarray) -> tuple[Forest, np.ndarray]:
    x, W = ft.used_columns(f.x, w.reshape(-1, 1))
    if x is f.x:
        return f, w
    local, columns, column_starts = renumber(x, f.edge_starts)
    shared = {"local": local, "columns": columns, "column_starts": column_starts}
    shared["left"] = frozen(f.left[w[: len(f.left)] != 0.0], np.int64)
    return f._replace(x=x, num_features=len(W), **shared), W.ravel()


@implements(Forest)
def choices(f: Forest) -> np.ndarray:
    return f.left


@implements(Forest)
def num_weights(f: Forest) -> int:
    return f.num_features


@implements(Forest)
def offsets(f: Forest) -> np.ndarray:
    return f.edge_starts.copy()


@implements(Forest)
def add_expected_features(f: Forest, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    rows = offsets[0] + np.arange(f.edge_starts[-1])
    ft.add_transpose_times(f.x, rows, mu, out.reshape(-1, 1))


@implements(Forest)
def take(f: Forest, examples: np.ndarray) -> Forest:
    examples = checks.chosen(examples, len(f.edge_starts) - 1)
    rows = ranges(f.edge_starts, examples)
    return build(ft.take_rows(f.x, rows), [derivations(f, i) for i in examples], f.left)


def derivations(f: Forest, i: int) -> Derivations:
    """Example i by itself."""
    edges = slice(f.edge_starts[i], f.edge_starts[i + 1])
    first = f.first[f.node_starts[i] : f.node_starts[i + 1]]
    right = f.right[f.output_starts[i] : f.output_starts[i + 1]]
    return Derivations(first, *(each[edges] for each in (f.tails, f.losses, f.gold, f.decisions, f.given)), right)


@implements(Forest)
def block(f: Forest, first: int, last: int) -> Forest:
    edges, nodes, outputs = (each[first : last + 1] for each in (f.edge_starts, f.node_starts, f.output_starts))
    own = slice(edges[0], edges[-1])
    decided = slice(outputs[0], outputs[-1])
    return f._replace(
        x=ft.block_rows(f.x, edges[0], edges[-1]),
        edge_starts=frozen(edges - edges[0], np.int64),
        node_starts=frozen(nodes - nodes[0], np.int64),
        output_starts=frozen(outputs - outputs[0], np.int64),
        first=f.first[nodes[0] : nodes[-1]],
        tails=f.tails[own],
        losses=f.losses[own],
        gold=f.gold[own],
        decisions=f.decisions[own],
        given=f.given[own],
        right=f.right[decided],
        y=f.y[decided],
        column_starts=f.column_starts[first : last + 1],
    )
