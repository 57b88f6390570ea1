"""Candidates: outputs listed one by one, any number for each example, with features of their own.

The reranking of n-best lists (klein2011, "Option 0: Reranking"): p(y | x) is proportional to exp(w . f(x, y)) over
the list. Parts are the candidates, weights one a feature column. The gold candidate is the first of least cost:
the gold output if it is listed, else the nearest to it. Costs count from this candidate's.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Floats, Ints, Labels, frozen, ranges
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.structures import checks, single_choice
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.shared_columns import (
    append,
    combination,
    entries_reached,
    gather_one,
    renumber,
    scatter,
    square,
)


class Candidates(NamedTuple):
    """A split of n examples; candidate r of example i is row starts[i] + r of the arrays per candidate.

    ``x``: features, one row a candidate. ``starts``, ``output_starts``, ``listed_starts``, ``column_starts``:
    int64 (n + 1,). ``losses``: float64, costs above that of the gold candidate. ``listed``: int32, the labels at
    all decisions of candidate 0 of example i from listed_starts[i] on, then of candidate 1, ... ``right``: int32
    (outputs,), the gold labels. ``y``: int32 (n,), the gold candidate. ``local``, ``columns``: see
    ``structures.shared_columns``.
    """

    id = "candidates"

    x: ft.Features
    starts: Ints
    output_starts: Ints
    listed_starts: Ints
    losses: Floats
    listed: Labels
    right: Labels
    y: Labels
    local: Labels
    columns: Labels
    column_starts: Ints
    num_features: int


def build(
    x: ft.Features,
    counts: np.ndarray,
    losses: np.ndarray,
    listed: np.ndarray | None = None,
    right: np.ndarray | None = None,
    lengths: np.ndarray | None = None,
) -> Candidates:
    """A split from features, one row a candidate, and the number of candidates of each example, (n,).

    Args:
        losses: costs of the candidates, (candidates,), any finite numbers.
        listed, right, lengths: ``lengths`` (n,) single decisions of an output, their gold labels, (decisions,), -1
            if unseen, and listed labels, (decisions of each candidate,), candidate after candidate. Without these,
            the one decision is which candidate it is; the gold candidate is right.

    Raises:
        UserError: an example has no candidates, a cost is not finite, a label is negative, or the numbers do not
            fit together.
    """
    own = checks.places(counts, "candidate", "example")
    starts, counts = own.starts, own.lengths
    rows, columns = ft.shape(x)
    own.agree(rows=rows, losses=len(losses))
    losses = checks.finite("loss", losses, own.name)
    least = np.minimum.reduceat(losses, starts[:-1]) if len(counts) else losses
    above = losses - np.repeat(least, counts)
    zeros = np.flatnonzero(above == 0)
    y = zeros[np.searchsorted(zeros, starts[:-1])] - starts[:-1]
    if (listed is None) != (right is None) or (right is None) != (lengths is None):
        raise UserError("of listed, right and lengths, give all or none")
    if listed is None:
        listed, right, lengths = (
            np.arange(rows) - np.repeat(starts[:-1], counts),
            y,
            np.ones(len(counts), np.int64),
        )
    decisions = checks.places(lengths, "decision", "example", least=0)
    lengths = decisions.lengths
    if len(lengths) != len(counts) or len(right) != lengths.sum() or len(listed) != (lengths * counts).sum():
        raise UserError(
            f"{len(lengths)} lengths, {len(right)} right labels and {len(listed)} listed ones do not fit "
            f"{len(counts)} examples with {rows} candidates"
        )
    right = decisions.integers("right label", right, -1)
    listed_starts = np.concatenate([[0], np.cumsum(lengths * counts)])
    listed = checks.Places(listed_starts, "listed label", "example").integers("value", listed, 0)
    return Candidates(
        x,
        frozen(starts, np.int64),
        frozen(decisions.starts, np.int64),
        frozen(listed_starts, np.int64),
        frozen(above, np.float64),
        frozen(listed, np.int32),
        frozen(right, np.int32),
        frozen(y, np.int32),
        *renumber(x, starts),
        columns,
    )


single_choice.implement_shared(Candidates)


@kernel
def _columns(c, i):
    return c.columns[c.column_starts[i] : c.column_starts[i + 1]]


@kernel
def _add_scores(c, i, weight, v, out):
    """out += weight x_r . v, with weights v of the shared columns, (columns,)."""
    x = ft.with_indices(c.x, c.local)
    for r in range(out.shape[0]):
        out[r] += weight * ft.row_times(x, c.starts[i] + r, v)


@kernel
def _combined(c, i, mu):
    """sum_r mu_r f(x_i, r), of the shared columns, (columns, 1)."""
    width = c.column_starts[i + 1] - c.column_starts[i]
    return combination(ft.with_indices(c.x, c.local), c.starts[i], mu.reshape((-1, 1)), width)


@implements(Candidates)
def num_examples(c):
    return c.y.shape[0]


@implements(Candidates)
def num_parts(c, i):
    return c.starts[i + 1] - c.starts[i]


@implements(Candidates)
def num_decisions(c, i):
    return c.output_starts[i + 1] - c.output_starts[i]


@implements(Candidates)
def scores(c, i, w, out):
    out[:] = 0.0
    _add_scores(c, i, 1.0, gather_one(_columns(c, i), w), out)


@implements(Candidates)
def add_costs(c, i, weight, out):
    add_scaled(weight, c.losses[c.starts[i] : c.starts[i + 1]], out)


@implements(Candidates)
def add_features(c, i, weight, mu, w):
    scatter(weight, _combined(c, i, mu), _columns(c, i), w.reshape((-1, 1)))


@implements(Candidates)
def feature_support(c, i, mu, out):
    columns = _columns(c, i)
    rows = mu.reshape((-1, 1))
    reached = entries_reached(ft.with_indices(c.x, c.local), c.starts[i], rows, columns.shape[0])
    return append(reached, columns, out, 0)


@implements(Candidates)
def squared_norm(c, i, mu):
    return square(_combined(c, i, mu))


@implements(Candidates)
def add_gram(c, i, weight, mu, out):
    _add_scores(c, i, weight, _combined(c, i, mu).reshape(-1), out)


@implements(Candidates)
def gold(c, i, y):
    y[:] = 0.0
    y[c.y[i]] = 1.0


@implements(Candidates)
def labels(c, i, y, out):
    out[:] = 0
    for r in range(y.shape[0]):
        if y[r] > 0.5:
            first = c.listed_starts[i] + r * out.shape[0]
            copy_to(c.listed[first : first + out.shape[0]], out)


@implements(Candidates)
def gold_labels(c, i, out):
    copy_to(c.right[c.output_starts[i] : c.output_starts[i + 1]], out)


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Candidates)
def with_used_features(c: Candidates, w: np.ndarray) -> tuple[Candidates, np.ndarray]:
    x, W = ft.used_columns(c.x, w.reshape(-1, 1))
    if x is c.x:
        return c, w
    local, columns, column_starts = renumber(x, c.starts)
    shared = {"local": local, "columns": columns, "column_starts": column_starts}
    return c._replace(x=x, num_features=len(W), **shared), W.ravel()


@implements(Candidates)
def num_weights(c: Candidates) -> int:
    return c.num_features


@implements(Candidates)
def offsets(c: Candidates) -> np.ndarray:
    return c.starts.copy()


@implements(Candidates)
def add_expected_features(c: Candidates, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    ft.add_transpose_times(c.x, offsets[0] + np.arange(c.starts[-1]), mu, out.reshape(-1, 1))


@implements(Candidates)
def take(c: Candidates, examples: np.ndarray) -> Candidates:
    examples = checks.chosen(examples, len(c.y))
    rows = ranges(c.starts, examples)
    return build(
        ft.take_rows(c.x, rows),
        np.diff(c.starts)[examples],
        c.losses[rows],
        c.listed[ranges(c.listed_starts, examples)],
        c.right[ranges(c.output_starts, examples)],
        np.diff(c.output_starts)[examples],
    )


@implements(Candidates)
def block(c: Candidates, first: int, last: int) -> Candidates:
    starts, outputs, listed = (each[first : last + 1] for each in (c.starts, c.output_starts, c.listed_starts))
    return c._replace(
        x=ft.block_rows(c.x, starts[0], starts[-1]),
        starts=frozen(starts - starts[0], np.int64),
        output_starts=frozen(outputs - outputs[0], np.int64),
        listed_starts=frozen(listed - listed[0], np.int64),
        losses=c.losses[starts[0] : starts[-1]],
        listed=c.listed[listed[0] : listed[-1]],
        right=c.right[outputs[0] : outputs[-1]],
        y=c.y[first:last],
        column_starts=c.column_starts[first : last + 1],
    )
