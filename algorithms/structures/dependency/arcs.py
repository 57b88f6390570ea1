"""The parts of dependency trees: arcs from a head to a modifier (eg2008, section 7.2; McDonald et al. 2005).

The T tokens of a sentence are numbered from 1. Each has T arcs into it, from the root 0 and from the other tokens.
These are T^2 parts: those into token 1 first, each in the order of their heads. Part (h, m) is number
(m - 1) T + h, less 1 if h > m. A tree gives each token one head. The cost counts the tokens with a wrong head.

All structures of such trees share their parts, features and costs. The operations on them are here;
``implement_shared`` gives them to each structure. Structures differ in the possible trees, and so in inference.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import frozen, ranges
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.dependency import trees
from structbench.algorithms.structures.interface import implements
from structbench.algorithms.structures.shared_columns import gather_one, renumber

NO_HEAD = -1


def fields(
    x: ft.Features,
    lengths: np.ndarray,
    heads: np.ndarray,
    training_heads: np.ndarray | None,
    single_root: bool,
    projective: bool,
) -> dict[str, Any]:
    """The fields of a structure of trees from features of arcs, one row a part, sentence after sentence.

    Args:
        lengths: tokens of each sentence, (n,).
        heads: of each token, (tokens,), 0 for the root.
        training_heads: heads of the trees to train on, if others. Costs count against them, and they must be trees
            of the structure. If they are given, ``heads`` may be any trees, as in a test split.
        single_root: only trees with one token below the root.
        projective: only trees whose arcs do not cross.

    Raises:
        UserError: these do not fit together, a head is not in its sentence, or heads are no such tree.
    """
    tokens = checks.places(lengths, "token", "sentence", origin=1)
    given = {"heads": heads} if training_heads is None else {"heads": heads, "training_heads": training_heads}
    tokens.agree(**{name: len(each) for name, each in given.items()})
    starts, lengths = tokens.starts, tokens.lengths
    arc_starts = np.concatenate([[0], np.cumsum(lengths**2)])
    rows, columns = ft.shape(x)
    if rows != arc_starts[-1]:
        raise UserError(f"sentences of these lengths have {arc_starts[-1]} arcs, but there are {rows} rows")
    heads = trees.checked(
        "heads", heads, tokens, single_root and training_heads is None, projective and training_heads is None
    )
    training_heads = (
        heads
        if training_heads is None
        else trees.checked("training_heads", training_heads, tokens, single_root, projective)
    )
    indices, shared, column_starts = renumber(x, arc_starts)
    if x.kind != ft.DENSE:  # nothing reads the other numbers, and this halves the memory
        x = ft.with_indices.python(x, indices)
    return {
        "x": x,
        "columns": shared,
        "column_starts": column_starts,
        "starts": frozen(starts, np.int64),
        "arc_starts": frozen(arc_starts, np.int64),
        "y": heads,
        "training_heads": training_heads,
        "num_features": columns,
        "single_root": int(single_root),
    }


def implement_shared(kind: type) -> None:
    """Give a structure with the fields of ``fields`` the operations that all trees share."""
    for implementation in (
        num_examples, num_decisions, num_parts, scores, add_costs, add_features, feature_support, squared_norm,
        add_gram, add_features_if_short, gold, labels, gold_labels, num_weights, offsets, add_expected_features,
        take, block,
    ):  # fmt: skip
        implements(kind)(implementation)


@kernel
def part(length, head, modifier):
    """The number of the arc."""
    return (modifier - 1) * length + head - (1 if head > modifier else 0)


@kernel
def head_of(part, length):
    """The head of an arc."""
    modifier, place = part // length + 1, part % length
    return place + (1 if place >= modifier else 0)


@kernel
def _columns(c, i):
    return c.columns[c.column_starts[i] : c.column_starts[i + 1]]


@kernel
def combined(c, i, mu, G):
    """G = sum_r mu_r f(x_i, r) in the sentence's own columns."""
    G[:] = 0.0
    first = c.arc_starts[i]
    for r in range(mu.shape[0]):
        if mu[r] != 0.0:
            ft.add_row(c.x, first + r, mu[r], G)


@kernel
def _square(G):
    total = 0.0
    for a in range(G.shape[0]):
        total += G[a] * G[a]
    return total


# ---- one sentence ----------------------------------------------------------------------------------


def num_examples(c):
    return c.starts.shape[0] - 1


def num_decisions(c, i):
    return c.starts[i + 1] - c.starts[i]


def num_parts(c, i):
    return c.arc_starts[i + 1] - c.arc_starts[i]


def scores(c, i, w, out):
    v = gather_one(_columns(c, i), w)
    first = c.arc_starts[i]
    for r in range(out.shape[0]):
        out[r] = ft.row_times(c.x, first + r, v)


def add_costs(c, i, weight, out):
    length = c.starts[i + 1] - c.starts[i]
    for r in range(out.shape[0]):
        out[r] += weight
    for m in range(1, length + 1):
        out[part(length, c.training_heads[c.starts[i] + m - 1], m)] -= weight


def add_features(c, i, weight, mu, w):
    columns = _columns(c, i)
    G = np.empty(columns.shape[0])
    combined(c, i, mu, G)
    for a in range(columns.shape[0]):
        w[columns[a]] += weight * G[a]


def feature_support(c, i, mu, out):
    columns = _columns(c, i)
    reached = np.zeros(columns.shape[0], np.bool_)
    stored = np.empty(columns.shape[0], np.int64)
    for r in range(mu.shape[0]):
        if mu[r] != 0.0:
            for p in range(ft.row_columns(c.x, c.arc_starts[i] + r, 0, 1, stored, 0)):
                reached[stored[p]] = True
    count = 0
    for a in range(columns.shape[0]):
        if reached[a]:
            if count < out.shape[0]:
                out[count] = columns[a]
            count += 1
    return count


def squared_norm(c, i, mu):
    G = np.empty(c.column_starts[i + 1] - c.column_starts[i])
    combined(c, i, mu, G)
    return _square(G)


def add_features_if_short(c, i, weight, mu, limit, w):
    columns = _columns(c, i)
    G = np.empty(columns.shape[0])
    combined(c, i, mu, G)
    square = _square(G)
    if not square > limit:
        for a in range(columns.shape[0]):
            w[columns[a]] += weight * G[a]
    return square


def add_gram(c, i, weight, mu, out):
    G = np.empty(c.column_starts[i + 1] - c.column_starts[i])
    combined(c, i, mu, G)
    first = c.arc_starts[i]
    for r in range(out.shape[0]):
        out[r] += weight * ft.row_times(c.x, first + r, G)


def gold(c, i, y):
    length = c.starts[i + 1] - c.starts[i]
    y[:] = 0.0
    for m in range(1, length + 1):
        y[part(length, c.training_heads[c.starts[i] + m - 1], m)] = 1.0


def labels(c, i, y, out):
    length = c.starts[i + 1] - c.starts[i]
    out[:] = 0
    for r in range(length * length):
        if y[r] > 0.5:
            out[r // length] = head_of(r, length)


def gold_labels(c, i, out):
    for t in range(c.starts[i + 1] - c.starts[i]):
        out[t] = c.y[c.starts[i] + t]


# ---- a whole split ---------------------------------------------------------------------------------


def num_weights(c: Any) -> int:
    return c.num_features


def offsets(c: Any) -> np.ndarray:
    return c.arc_starts


def add_expected_features(c: Any, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    """Sum up each sentence in its own columns. Then each thread adds these sums in a share of all columns."""
    first = int(c.column_starts[0])
    sums = np.empty(int(c.column_starts[-1]) - first)
    parallel.for_each(_sums, len(c.starts) - 1, c, offsets, mu, first, sums)
    bounds = np.linspace(0, c.num_features, parallel.threads() + 1).astype(np.int64)
    parallel.for_each(_spread, len(bounds) - 1, bounds, c.columns[first : int(c.column_starts[-1])], sums, out)


@kernel
def _sums(first, last, c, offsets, mu, before, sums):
    for i in range(first, last):
        own = sums[c.column_starts[i] - before : c.column_starts[i + 1] - before]
        combined(c, i, mu[offsets[i] : offsets[i + 1]], own)


@kernel
def _spread(first, last, bounds, columns, sums, out):
    begin, end = bounds[first], bounds[last]
    for p in range(columns.shape[0]):
        if begin <= columns[p] < end:
            out[columns[p]] += sums[p]


def take(c: Any, examples: np.ndarray) -> Any:
    examples = checks.chosen(examples, len(c.starts) - 1)
    arcs, tokens, columns = (ranges(each, examples) for each in (c.arc_starts, c.starts, c.column_starts))
    lengths = np.diff(c.starts)[examples]
    width = np.diff(c.column_starts)[examples]
    x = c.x
    if x.kind == ft.DENSE:
        x = ft.dense(x.dense[arcs])
    else:
        stored = np.diff(x.indptr)[arcs]
        at = np.repeat(x.indptr[:-1][arcs] - np.cumsum(stored) + stored, stored) + np.arange(stored.sum())
        x = x._replace(  # the columns keep their order: ``columns`` names them by their place
            indptr=frozen(np.concatenate([[0], np.cumsum(stored)]), np.int64),
            indices=frozen(x.indices[at], np.int32),
            values=frozen(x.values[at] if x.kind == ft.SPARSE else x.values, np.float64),
        )
    return c._replace(
        x=x,
        columns=frozen(c.columns[columns], np.int32),
        column_starts=frozen(np.concatenate([[0], np.cumsum(width)]), np.int64),
        starts=frozen(np.concatenate([[0], np.cumsum(lengths)]), np.int64),
        arc_starts=frozen(np.concatenate([[0], np.cumsum(lengths**2)]), np.int64),
        y=frozen(c.y[tokens], np.int32),
        training_heads=frozen(c.training_heads[tokens], np.int32),
    )


def block(c: Any, first: int, last: int) -> Any:
    arcs, tokens = c.arc_starts[first : last + 1], c.starts[first : last + 1]
    return c._replace(
        x=ft.block_rows(c.x, arcs[0], arcs[-1]),
        column_starts=c.column_starts[first : last + 1],
        starts=frozen(tokens - tokens[0], np.int64),
        arc_starts=frozen(arcs - arcs[0], np.int64),
        y=c.y[tokens[0] : tokens[-1]],
        training_heads=c.training_heads[tokens[0] : tokens[-1]],
    )
