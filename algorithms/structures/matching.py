"""Matchings of the words of two sentences: word alignment (klein2011, "Bilingual word alignment").

Each word has at most one partner. A pair of J and K words has J (K + 1) parts, row by row. For source word j: it
has no partner, then its partner is word 0, ..., K - 1. An alignment's features are the sum of its edges' features.
No partner has none, so that edges of negative score are left out. Weights: one a column.

The labels of decisions, one a source word, are its partner's number from 1 on, or 0 without one. The cost is the
number of source words whose label is wrong. The best alignment is a maximum-weight matching, ``assignment``. The
sum over all alignments, a permanent, is #P-hard (Valiant, The complexity of computing the permanent, 1979): no
marginals.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Flags, Ints, Labels, frozen, ranges, starts_of
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks, part_rows
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.assignment import best_matching
from structbench.algorithms.structures.compiled import implements
from structbench.algorithms.structures.counting import Tokens
from structbench.algorithms.structures.taking import implement_take


class Matching(NamedTuple):
    """A split of n pairs; source word j of pair i is entry starts[i] + j of the arrays per source word.

    ``x``, ``part_starts``, ``columns``, ``column_starts``: a row a part, see ``part_rows``; empty for no partner.
    ``starts``: int64 (n + 1,). ``targets``: words of the second sentence, int64 (n,). ``links``: int8 (edges,), 1
    if gold. ``y``: int32 (source words,), to train on.
    """

    id = "matching"
    layouts = (part_rows.PartRows, Tokens)
    lacks = "the sum over all matchings is #P-hard, so that only what needs the best one alone can learn them"

    x: ft.Features
    starts: Ints
    part_starts: Ints
    targets: Ints
    links: Flags
    y: Labels
    columns: Labels
    column_starts: Ints
    num_features: int


def build(x: ft.Features, sources: np.ndarray, targets: np.ndarray, links: np.ndarray) -> Matching:
    """A split from features, one row an edge, lengths of both sentences, (n,), and gold links.

    Args:
        links: int (links, 3): pair, source and target word, from 0 on. If a word has several, training uses a
            largest matching of them.

    Raises:
        UserError: a sentence is empty, the numbers of rows and edges differ, or a link is out of range.
    """
    words = checks.places(sources, "source word", "pair")
    sources, targets = words.lengths, checks.places(targets, "target word", "pair").lengths
    if len(sources) != len(targets):
        raise UserError(f"there are {len(sources)} source sentences, but {len(targets)} target sentences")
    edge_starts, rows = starts_of(sources * targets), ft.shape(x)[0]
    if rows != edge_starts[-1]:
        raise UserError(f"sentences of these lengths have {edge_starts[-1]} edges, but there are {rows} rows")
    i, j, k = checks.matrix("links", links, 3).T
    i = checks.integers("pair", i, 0, len(sources) - 1, "link {}".format)
    j, k = (
        checks.integers(f"{side} word", each, 0, lengths[i] - 1, lambda at: f"link {at}, of pair {i[at]},")
        for side, each, lengths in (("source", j, sources), ("target", k, targets))
    )
    flags = np.zeros(rows, np.int8)
    flags[edge_starts[i] + j * targets[i] + k] = 1
    y = np.zeros(words.starts[-1], np.int32)
    _learned(flags, words.starts, edge_starts, targets, y)
    nulls = np.arange(words.starts[-1]) + 1  # one before the edges of each source word
    edges = np.arange(rows) + np.repeat(nulls, np.repeat(targets, sources))
    return Matching(
        **part_rows.fields(ft.spread_rows(x, edges, rows + len(nulls)), starts_of(sources * (targets + 1))),
        starts=frozen(words.starts, np.int64),
        targets=frozen(targets, np.int64),
        links=frozen(flags, np.int8),
        y=frozen(y, np.int32),
    )


implement_take(
    Matching,
    part_starts=("x",),
    column_starts=("columns",),
    starts=("y",),
    each=("targets",),
    others=lambda m, examples: {"links": m.links[ranges(starts_of(np.diff(m.starts) * m.targets), examples)]},
)


@kernel
def _learned(flags, starts, edge_starts, targets, y):
    for i in range(targets.shape[0]):
        own = flags[edge_starts[i] : edge_starts[i + 1]].reshape((-1, targets[i]))
        partners = np.empty(own.shape[0], np.int64)
        best_matching(own.astype(np.float64), np.zeros(own.shape[0], np.bool_), partners)
        for j in range(own.shape[0]):
            y[starts[i] + j] = partners[j] + 1


@kernel
def _rows(m, i, v):
    """A part vector by source words, (J, K + 1)."""
    return v.reshape((m.starts[i + 1] - m.starts[i], m.targets[i] + 1))


@implements(Matching)
def add_costs(m, i, c, out):
    by_word = _rows(m, i, out)
    for j in range(by_word.shape[0]):
        for k in range(by_word.shape[1]):
            if k != m.y[m.starts[i] + j]:
                by_word[j, k] += c


@implements(Matching)
def argmax(m, i, s, y):
    """Ties: fewer edges; of matchings with equally many, always the same one.

    A word that must have a partner gains what its edges score, whatever that is.
    """
    by_word, chosen = _rows(m, i, s), _rows(m, i, y)
    gains = np.empty((by_word.shape[0], by_word.shape[1] - 1))
    must = by_word[:, 0] == -np.inf
    for j in range(gains.shape[0]):
        for k in range(gains.shape[1]):
            gains[j, k] = by_word[j, k + 1] - (0.0 if must[j] else by_word[j, 0])
    partners = np.empty(gains.shape[0], np.int64)
    best_matching(gains, must, partners)
    y[:] = 0.0
    value = 0.0
    for j in range(gains.shape[0]):
        value += by_word[j, partners[j] + 1]
    for j in range(gains.shape[0] if value != -np.inf else 0):
        chosen[j, partners[j] + 1] = 1.0
    return value


@implements(Matching)
def gold(m, i, y):
    y[:] = 0.0
    chosen = _rows(m, i, y)
    for j in range(chosen.shape[0]):
        chosen[j, m.y[m.starts[i] + j]] = 1.0


@implements(Matching)
def labels(m, i, y, out):
    out[:] = 0
    chosen = _rows(m, i, y)
    for j in range(chosen.shape[0]):
        for k in range(chosen.shape[1]):
            if chosen[j, k] > 0.5:
                out[j] = k
