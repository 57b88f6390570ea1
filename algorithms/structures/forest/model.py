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

from structbench.algorithms.runtime.arrays import Flags, Floats, Ints, LabelRows, Labels, frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import copy_to
from structbench.algorithms.structures import checks, part_rows
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.forest import hypergraphs
from structbench.algorithms.structures.single_choice import OwnCliques
from structbench.algorithms.structures.taking import implement_take


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

    ``x``, ``part_starts``, ``columns``, ``column_starts``: a row an edge, see ``part_rows``. ``node_starts``,
    ``output_starts``: int64 (n + 1,), where entries of ``first`` (one more than nodes) and decisions of example i
    begin. Its edges and nodes count from 0. ``tails``: int32 (edges, 2). ``losses``: float64, ``gold``: int8,
    ``decisions``, ``given``: int32 (edges,), see ``Derivations``. ``right``: int32 (outputs,), the gold labels.
    ``y``: the same, but -1 throughout an example whose gold derivation is not in its hypergraph. ``left``: int64,
    left sides of rules: the first columns are indicators of rules.
    """

    id = "forest"
    layouts = (part_rows.CostedParts, OwnCliques)

    x: ft.Features
    part_starts: Ints
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
    tails = [checks.matrix(f"example {i}: tails", each.tails, 2) for i, each in enumerate(examples)]
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
        **part_rows.fields(x, edges.starts),
        node_starts=frozen(bounds.starts, np.int64),
        output_starts=frozen(outputs.starts, np.int64),
        first=first,
        tails=tails,
        losses=frozen(losses, np.float64),
        gold=frozen(gold, np.int8),
        decisions=frozen(decisions, np.int32),
        given=frozen(given, np.int32),
        right=frozen(right, np.int32),
        y=frozen(np.where(np.repeat(whole, outputs.lengths), right, -1), np.int32),
        left=frozen(left, np.int64),
    )


implement_take(
    Forest,
    part_starts=("x", "tails", "losses", "gold", "decisions", "given"),
    column_starts=("columns",),
    node_starts=("first",),
    output_starts=("right", "y"),
)


@kernel
def hypergraph_of(f, i):
    """``first`` and ``tails`` of example i."""
    return (
        f.first[f.node_starts[i] : f.node_starts[i + 1]],
        f.tails[f.part_starts[i] : f.part_starts[i + 1]],
    )


@implements(Forest)
def gold(f, i, y):
    copy_to(f.gold[f.part_starts[i] : f.part_starts[i + 1]], y)


@implements(Forest)
def labels(f, i, y, out):
    out[:] = 0
    for r in range(y.shape[0]):
        e = f.part_starts[i] + r
        if y[r] > 0.5 and f.decisions[e] >= 0:
            out[f.decisions[e]] = f.given[e]


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Forest)
def choices(f: Forest) -> np.ndarray:
    return f.left


@implements(Forest)
def with_used_features(f: Forest, w: np.ndarray) -> tuple[Forest, np.ndarray]:
    used, W = part_rows.with_used_features(f, w)
    return used if used is f else used._replace(left=frozen(f.left[w[: len(f.left)] != 0.0], np.int64)), W
