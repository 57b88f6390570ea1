"""Semi-Markov chains: sequences cut into labelled segments, with features of whole segments and tied transitions.

Sarawagi and Cohen, Semi-Markov conditional random fields for information extraction, 2004; the chunking model of
laso2005, section 4.1. A segment has at most ``max_length`` tokens, one with the label ``outside`` (O) has one.

Let an example have N candidate segments (``segment_rows``) and K labels. Parts, in this order: N x K segments, and
one K x K block of transitions between adjacent segments, tied. Weights: (columns, K), (K, K). Cliques: N x K
segments, and the labels on both sides of each of the T - 1 inner boundaries, K x K each. Longer segments with the
label ``outside`` have parts and cliques, too, but no output has them.

Costs count tokens with a wrong tag. If ``chunk_costs`` is 1, they count wrong and missed chunks
(``segment_tags``). Each segment's share depends on its own tokens alone.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import Ints, LabelRows, Labels, frozen, ranges
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import add_scaled, copy_to
from structbench.algorithms.structures import checks, shared_columns, transposed
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.counting import Tokens
from structbench.algorithms.structures.segments import pieces as segment_pieces
from structbench.algorithms.structures.segments import rows as segment_rows
from structbench.algorithms.structures.segments import tags as segment_tags
from structbench.algorithms.structures.segments.views import split, split_weights
from structbench.algorithms.structures.taking import implement_take

PIECES_AT_ONCE = 2**17  # whose part of the marginals is held in memory


class Segments(NamedTuple):
    """A split of n sequences; token t of sequence i is row starts[i] + t of the arrays per token.

    ``x``: features, one row a piece, those of sequence i from piece_starts[i] on. ``starts``, ``row_starts``,
    ``piece_starts``: int64 (n + 1,). grown and own: int32 (candidates, G) and (candidates, H), the pieces whose
    sum a candidate's features are, see ``segment_pieces``. Candidates of sequence i are their rows from
    row_starts[i] on. ``y``: int32, the gold tags, -1 for one never seen in training. ``target``: the tags to train
    on, against which costs count. They are y with segments that are too long cut into such of ``max_length``
    tokens and a rest. ``local``, ``columns``, ``column_starts``: see ``shared_columns``. ``outside``: a label, or
    -1 for none.
    """

    id = "segments"
    layouts = (Tokens,)

    x: ft.Features
    starts: Ints
    row_starts: Ints
    piece_starts: Ints
    grown: LabelRows
    own: LabelRows
    y: Labels
    target: Labels
    local: Labels
    columns: Labels
    column_starts: Ints
    num_labels: int
    num_features: int
    max_length: int
    outside: int
    chunk_costs: int = 0

    @property
    def num_cut(self) -> int:
        """How many gold segments are longer than ``max_length``, and cut."""
        return segment_tags.num_too_long(self)


def build(
    x: ft.Features,
    lengths: np.ndarray,
    y: np.ndarray,
    num_labels: int,
    max_length: int,
    outside: int = -1,
    *,
    grown: np.ndarray | None = None,
    own: np.ndarray | None = None,
    piece_starts: np.ndarray | None = None,
) -> Segments:
    """A split from features of candidates (``segment_rows.candidates``), sequence lengths (n,) and tags (tokens,).

    With ``grown`` (candidates, G), ``own`` (candidates, H) and ``piece_starts`` (n + 1,), rows of x are the pieces
    that candidates are sums of (``segment_pieces``). The split's ``num_cut`` says how many gold segments were cut.

    Raises:
        UserError: lengths, rows and tags disagree, a sequence is empty, or a tag is out of range or continues no
            segment. Or some of the arrays of pieces are missing or do not fit, or the other numbers make no sense.
    """
    tokens = checks.places(lengths, "token", "sequence")
    y = segment_tags.checked_tags(y, tokens, num_labels, outside)
    max_length = checks.number("max_length", max_length, 1)
    rows, columns = ft.shape(x)
    if (grown is None) != (own is None) or (own is None) != (piece_starts is None):
        raise UserError("of grown, own and piece_starts, give all or none")
    row_starts = segment_rows.row_starts(tokens.lengths, rows if grown is None else len(grown), max_length)
    starts, row_starts = frozen(tokens.starts, np.int64), frozen(row_starts, np.int64)
    pieces = segment_pieces.whole(row_starts)
    if grown is not None and own is not None and piece_starts is not None:
        pieces = grown, own, piece_starts
    grown, own, piece_starts = segment_pieces.checked_pieces(*pieces, row_starts, rows)
    target = frozen(segment_tags.cut(y, max_length), np.int32)
    shared = shared_columns.renumber(x, piece_starts)
    sizes = int(num_labels), columns, max_length, int(outside)
    return Segments(x, starts, row_starts, piece_starts, grown, own, y, target, *shared, *sizes)


@kernel
def _columns(c, i):
    return c.columns[c.column_starts[i] : c.column_starts[i + 1]]


@kernel
def _pieces(c, i):
    """The pieces of each candidate: grown (N, G), own (N, H)."""
    first, last = c.row_starts[i], c.row_starts[i + 1]
    return c.grown[first:last], c.own[first:last]


@kernel
def _assembled(c, i, W, out):
    """out = the scores of the candidates (N, K) with weights W of the shared columns."""
    x, (grown, own) = ft.with_indices(c.x, c.local), _pieces(c, i)
    z = np.zeros((c.piece_starts[i + 1] - c.piece_starts[i], c.num_labels))
    for p in range(z.shape[0]):
        ft.add_row_times(x, c.piece_starts[i] + p, W, z[p])
    segment_pieces.assemble(z, grown, own, c.starts[i + 1] - c.starts[i], c.max_length, out)


@kernel
def _mass(c, i, segments):
    """The mass mu_r of the segments, added up for each of their pieces, (pieces, K)."""
    grown, own = _pieces(c, i)
    mass = np.empty((c.piece_starts[i + 1] - c.piece_starts[i], c.num_labels))
    segment_pieces.spread(segments, grown, own, c.starts[i + 1] - c.starts[i], c.max_length, mass)
    return mass


@kernel
def _combined(c, i, segments):
    """sum_r f_r^T mu_r over the segments, shape (shared columns, K)."""
    x = ft.with_indices(c.x, c.local)
    width = c.column_starts[i + 1] - c.column_starts[i]
    return shared_columns.combination(x, c.piece_starts[i], _mass(c, i, segments), width)


@implements(Segments)
def num_parts(c, i):
    return (c.row_starts[i + 1] - c.row_starts[i] + c.num_labels) * c.num_labels


@implements(Segments)
def scores(c, i, w, out):
    segments, transitions = split(c, i, out)
    wx, wt = split_weights(c, w)
    _assembled(c, i, shared_columns.gather(_columns(c, i), wx), segments)
    copy_to(wt, transitions)


@implements(Segments)
def add_costs(c, i, weight, out):
    segments, _ = split(c, i, out)
    target = c.target[c.starts[i] : c.starts[i + 1]]
    if c.chunk_costs:
        segment_tags.add_chunk_costs(target, c.max_length, c.outside, weight, segments)
    else:
        segment_tags.add_costs(target, c.max_length, c.outside, weight, segments)


@implements(Segments)
def add_features(c, i, weight, mu, w):
    segments, transitions = split(c, i, mu)
    wx, wt = split_weights(c, w)
    shared_columns.scatter(weight, _combined(c, i, segments), _columns(c, i), wx)
    add_scaled(weight, transitions, wt)


@implements(Segments)
def feature_support(c, i, mu, out):
    segments, transitions = split(c, i, mu)
    columns = _columns(c, i)
    marked = np.empty_like(segments)  # 1 and 0: nothing may cancel
    for r in range(segments.shape[0]):
        for k in range(segments.shape[1]):
            marked[r, k] = 1.0 if segments[r, k] != 0.0 else 0.0
    reached = shared_columns.entries_reached(
        ft.with_indices(c.x, c.local), c.piece_starts[i], _mass(c, i, marked), columns.shape[0]
    )
    count = shared_columns.append(reached, columns, out, 0)
    rows_after = np.arange(c.num_features, c.num_features + c.num_labels, dtype=np.int32)
    return shared_columns.append(transitions != 0.0, rows_after, out, count)


@implements(Segments)
def squared_norm(c, i, mu):
    segments, transitions = split(c, i, mu)
    return shared_columns.square(_combined(c, i, segments)) + shared_columns.square(transitions)


@implements(Segments)
def add_gram(c, i, weight, mu, out):
    segments, transitions = split(c, i, mu)
    out_segments, out_transitions = split(c, i, out)
    G = _combined(c, i, segments)
    moved = np.empty_like(segments)
    _assembled(c, i, G, moved)
    add_scaled(weight, moved, out_segments)
    add_scaled(weight, transitions, out_transitions)


@implements(Segments)
def gold(c, i, y):
    segments, transitions = split(c, i, y)
    segment_tags.gold(c.target[c.starts[i] : c.starts[i + 1]], c.max_length, segments, transitions)


@implements(Segments)
def labels(c, i, y, out):
    segments, _ = split(c, i, y)
    segment_tags.fill(segments, c.max_length, out)


# ---- a whole split ---------------------------------------------------------------------------------


@implements(Segments)
def with_used_features(c: Segments, w: np.ndarray) -> tuple[Segments, np.ndarray]:
    first = c.num_features * c.num_labels
    x, W = ft.used_columns(c.x, w[:first].reshape(-1, c.num_labels))
    if x is c.x:
        return c, w
    local, columns, column_starts = shared_columns.renumber(x, c.piece_starts)
    shared = {"local": local, "columns": columns, "column_starts": column_starts}
    return c._replace(x=x, num_features=len(W), **shared), np.concatenate([W.ravel(), w[first:]])


@implements(Segments)
def num_weights(c: Segments) -> int:
    return (c.num_features + c.num_labels) * c.num_labels


@implements(Segments)
def add_expected_features(c: Segments, first: int, offsets: np.ndarray, mu: np.ndarray, out: np.ndarray) -> None:
    K, count = c.num_labels, len(offsets) - 1
    wx, wt = split_weights.python(c, out)
    pieces = c.piece_starts[first : first + count + 1]
    blocks = np.arange(pieces[0], pieces[-1], PIECES_AT_ONCE)
    bounds = np.append(np.unique(np.searchsorted(pieces[:-1], blocks)), count)
    for some, last in pairwise(bounds.tolist()):
        begin, end = int(pieces[some]), int(pieces[last])
        mass = np.empty((end - begin, K))
        parallel.for_each(segment_pieces.spread_all, last - some, c, first + some, offsets[some:], mu, mass)
        x = ft.block_rows(c.x, begin, end)
        transposed.add_transpose_times(x, np.arange(end - begin) * K, mass.reshape(-1), wx)
    tied = offsets[:-1] + np.diff(c.row_starts[first : first + count + 1]) * K
    transposed.add_blocks(tied, mu, wt.reshape(K * K))


def _local_taken(c: Segments, examples: np.ndarray) -> dict[str, np.ndarray]:
    rows = ranges(c.piece_starts, examples)
    return {"local": ft.take_rows(ft.with_indices.python(c.x, c.local), rows).indices}


implement_take(
    Segments,
    starts=("y", "target"),
    row_starts=("grown", "own"),
    piece_starts=("x",),
    column_starts=("columns",),
    others=_local_taken,
)
