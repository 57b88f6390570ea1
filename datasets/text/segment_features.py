"""Features of candidate chunks after laso2005, section 4.1: base features of words, in chunks.

Base features of a token: its word, its part of speech, the first character of that, and the ones of
``word_features``. A candidate is n tokens from token s on. From each base feature f it has the meta features

- f at each position in the chunk, counted from its first token, with the position;
- f of the token before it, and of the one after it; the sentence's ends have a value of their own;
- the whole sequence of f in the chunk, and, not from any f, the chunk's length;
- all 2-grams and 3-grams of f in the chunk, wherever they are, as often as they occur;
- f of its last token: ours, where the paper counts positions from the first token only.

If a token has no value of f (None), features that reach it have none. The columns are the attributes of the gold
chunks of the training sentences. There a token O is a chunk of length 1, and chunks longer than ``max_length`` are
cut as for learning. Candidates are sums of pieces, see ``algorithms.structures.segments.pieces``.
"""

from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from structbench.algorithms.structures import features
from structbench.algorithms.structures.segments import rows as segment_rows
from structbench.datasets.problems.problem import Vocabulary
from structbench.datasets.text import word_features
from structbench.datasets.text.columns import Sentences

BOUNDARY = 0  # the value of what is out of the sentence
NONE = -1
Values = tuple[np.ndarray, int]  # of tokens, int64 (tokens,), and a number that is larger than all of them


class Pieces(NamedTuple):
    """For ``segments.build``: x (pieces, columns), grown (candidates, 3), own (candidates, 2), piece_starts."""

    x: features.Features
    grown: np.ndarray
    own: np.ndarray
    piece_starts: np.ndarray


class _Layout(NamedTuple):
    """Tokens and candidates of all sentences, and the numbers of all pieces there may be.

    length, position: Of a token's sentence, and its place in it. first, last, size: Tokens of a candidate.
    in_chunk: Place of a token in its gold chunk. chunk_row, chunk_end: Candidate and last token of the gold
    chunks. These three are empty if gold chunks are not looked at. by_position, whole: Pieces of candidates. two,
    three, ends: Pieces of tokens. bounds: Pieces before each sentence.
    """

    length: np.ndarray
    position: np.ndarray
    first: np.ndarray
    last: np.ndarray
    size: np.ndarray
    in_chunk: np.ndarray
    chunk_row: np.ndarray
    chunk_end: np.ndarray
    by_position: np.ndarray
    whole: np.ndarray
    two: np.ndarray
    three: np.ndarray
    ends: np.ndarray
    bounds: np.ndarray


class _Known:
    """The codes that gold chunks have, of one kind of features after another: as training finds them, or given."""

    def __init__(self, given: list[np.ndarray] | None = None) -> None:
        self.codes: list[np.ndarray] = []
        self._given = None if given is None else iter(given)

    def next(self, gold: np.ndarray) -> np.ndarray:
        """The next kind's codes, int64, sorted; ``gold``: all values that the gold chunks have."""
        if self._given is not None:
            return next(self._given)
        found = np.unique(gold)
        self.codes.append(found[found != NONE].astype(np.int64))
        return self.codes[-1]


def learn_pieces(sentences: Sentences, max_length: int) -> tuple[Pieces, Vocabulary]:
    """The pieces of training sentences, from the columns w, pos and chunk, and what ``encode_pieces`` needs.

    The columns that most pieces store come first. Pieces without features are not stored.
    """
    lists = word_features.learn_lists(sentences)
    cells = _cells(sentences, lists)
    names = {name: [*dict.fromkeys(each)] for name, each in cells.items()}
    names = {name: [value for value in each if value is not None] for name, each in names.items()}
    layout, known = _layout(sentences, max_length, gold=True), _Known()
    stored, columns = _stored(_values(cells, names), layout, max_length, known)
    counts = np.zeros(columns, np.int64)
    for _, found in stored:
        counts += np.bincount(found, minlength=columns)
    column = np.empty(columns, np.int32)
    column[np.argsort(-counts, kind="stable")] = np.arange(columns)
    vocabulary: Vocabulary = {
        "lists": {name: sorted(members) for name, members in lists.items()},
        "values": names,
        "codes": np.concatenate(known.codes),
        "sizes": np.array([len(each) for each in known.codes]),
        "column": column,
    }
    return _assembled(stored, column, layout), vocabulary


def encode_pieces(sentences: Sentences, vocabulary: Vocabulary, max_length: int) -> Pieces:
    """The pieces of other sentences, from the columns w and pos."""
    cells = _cells(sentences, {name: set(members) for name, members in vocabulary["lists"].items()})
    known = _Known(np.split(vocabulary["codes"], np.cumsum(vocabulary["sizes"])[:-1]))
    layout = _layout(sentences, max_length, gold=False)
    stored, _ = _stored(_values(cells, vocabulary["values"]), layout, max_length, known)
    return _assembled(stored, vocabulary["column"], layout)


def _cells(sentences: Sentences, lists: word_features.Lists) -> dict[str, list[str | None]]:
    """The base features of all tokens, by name."""
    made: dict[str, list] = dict(word_features.add_columns(sentences, lists).columns)
    made.pop("chunk", None)
    return made | {"pos1": [tag[:1] for tag in made["pos"]]}


def _values(cells: dict[str, list[str | None]], names: dict[str, list[str]]) -> Iterator[Values]:
    """Each base feature: 1 .. for the values that training knows, one more for all others, or NONE."""
    for name, known in names.items():
        number: dict[str | None, int] = {value: k for k, value in enumerate(known, BOUNDARY + 1)} | {None: NONE}
        other = BOUNDARY + 1 + len(known)
        yield np.array([number.get(cell, other) for cell in cells[name]], np.int64), other + 1


def _stored(
    values: Iterator[Values], layout: _Layout, max_length: int, known: _Known
) -> tuple[list[tuple[np.ndarray, np.ndarray]], int]:
    """Of each kind the pieces and their columns, one column a piece, and how many columns there are."""
    stored, columns = [], 0
    every = (_meta_features(*each, layout, max_length, known) for each in values)
    length = layout.whole, layout.size, layout.size[layout.chunk_row]
    for pieces, codes, gold in chain([length], *every):
        kind = known.next(gold)
        kept, found = _supported(codes, kind)
        stored.append((pieces[kept].astype(np.int32), found + columns))
        columns += len(kind)
    return stored, columns


def _layout(sentences: Sentences, max_length: int, gold: bool) -> _Layout:
    lengths = sentences.lengths
    tokens = int(lengths.sum())
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    token_starts = np.cumsum(lengths) - lengths
    position = np.arange(tokens) - token_starts[sentence]
    first, size = segment_rows.candidates(lengths, max_length)
    last = first + size - 1
    rows = np.bincount(sentence[first], minlength=len(lengths))
    row_starts = np.cumsum(rows) - rows

    tags = sentences.columns["chunk"] if gold else []
    begins = np.array([not tag.startswith("I-") for tag in tags], bool)
    in_chunk = np.arange(len(tags)) - np.maximum.accumulate(np.where(begins, np.arange(len(tags)), 0))
    in_chunk %= max_length
    chunk_first = np.flatnonzero(in_chunk == 0)
    chunk_size = np.diff(np.append(chunk_first, len(tags)))
    chunk_row = np.flatnonzero(size == 1)[chunk_first] + chunk_size - 1

    bounds = np.concatenate([[0], np.cumsum(2 * rows + 3 * lengths)])
    of_row = bounds[sentence[first]] + np.arange(len(first)) - row_starts[sentence[first]]
    of_token = bounds[sentence] + 2 * rows[sentence] + position
    length = lengths[sentence]
    return _Layout(
        length=length,
        position=position,
        first=first,
        last=last,
        size=size,
        in_chunk=in_chunk,
        chunk_row=chunk_row,
        chunk_end=chunk_first + chunk_size - 1,
        by_position=of_row,
        whole=of_row + rows[sentence[first]],
        two=of_token,
        three=of_token + length,
        ends=of_token + 2 * length,
        bounds=bounds,
    )


Kind = tuple[np.ndarray, np.ndarray, np.ndarray]  # pieces, their values (NONE: none), values of gold chunks


def _meta_features(f: np.ndarray, values: int, a: _Layout, max_length: int, known: _Known) -> Iterator[Kind]:
    """Pieces and values of each kind of meta feature of one base feature (tokens,), which is below ``values``."""
    trained = len(a.in_chunk)
    chunk_first = a.first[a.chunk_row]

    where = np.where(f[a.last] == NONE, NONE, f[a.last] * max_length + a.size - 1)
    right = np.where(f[:trained] == NONE, NONE, f[:trained] * max_length + a.in_chunk)
    yield a.by_position, where, right

    single = np.flatnonzero(a.size == 1)
    before = np.where(a.position > 0, np.concatenate([[NONE], f[:-1]]), BOUNDARY)
    yield a.by_position[single], before, before[chunk_first]
    after = np.where(a.position < a.length - 1, np.append(f[1:], NONE), BOUNDARY)
    yield a.ends, after, after[a.chunk_end]
    yield a.ends, f, f[a.chunk_end]

    yield _whole(f, values, a, max_length, known)

    gram = f
    for n, pieces in ((2, a.two), (3, a.three)):
        gram = np.concatenate([[NONE], gram[:-1]])  # of the n - 1 tokens before
        gram = np.where((a.position >= n - 1) & (gram != NONE) & (f != NONE), gram * values + f, NONE)
        yield pieces, gram, gram[:trained][a.in_chunk >= n - 1]


def _whole(f: np.ndarray, values: int, a: _Layout, max_length: int, known: _Known) -> Kind:
    """The sequences of f as nodes of a tree of the gold chunks' sequences. Each token is a level deeper."""
    found = np.full(len(a.first), NONE)
    is_right = np.zeros(len(a.first), bool)
    is_right[a.chunk_row] = True
    longest = np.zeros(len(a.in_chunk), np.int64)  # of the gold chunk that begins at a token
    longest[a.first[a.chunk_row]] = a.size[a.chunk_row]
    single = np.flatnonzero(a.size == 1)
    node = np.zeros(len(single), np.int64)  # of the chunk so far, by its first token
    alive, nodes = np.arange(len(single)), 1
    for n in range(1, max_length + 1):
        alive = alive[a.position[alive] + n <= a.length[alive]]
        alive = alive[f[alive + n - 1] != NONE]
        key = node[alive] * values + f[alive + n - 1]
        prefixes = known.next(key[longest[alive] >= n] if len(longest) else key[:0])
        kept, place = _supported(key, prefixes)
        alive = alive[kept]
        node[alive] = nodes + place
        nodes += len(prefixes)
        found[single[alive] + n - 1] = node[alive]
    return a.whole, found, found[is_right]


def _supported(codes: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which codes are among the known ones, which are sorted, and their places among those."""
    if not len(known):
        return np.empty(0, np.int64), np.empty(0, np.int32)
    if known[-1] < 4 * len(codes):
        place = np.full(known[-1] + 2, NONE, np.int32)  # the last one serves NONE and all that are larger
        place[known] = np.arange(len(known))
        found = place[np.minimum(codes, len(place) - 1)]
    else:
        found = np.minimum(np.searchsorted(known, codes), len(known) - 1).astype(np.int32)
        found[known[found] != codes] = NONE
    kept = np.flatnonzero(found != NONE)
    return kept, found[kept]


def _assembled(stored: list[tuple[np.ndarray, np.ndarray]], column: np.ndarray, a: _Layout) -> Pieces:
    """The pieces, from what they store; ``column``: the place of each stored column."""
    import scipy.sparse as sp

    sizes = np.zeros(a.bounds[-1], np.int32)
    for pieces, _ in stored:
        sizes[pieces] += 1
    ends = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    indices, room = np.empty(ends[-1], np.int32), ends[:-1].copy()
    while stored:
        pieces, found = stored.pop()
        indices[room[pieces]] = column[found]
        room[pieces] += 1

    before = np.concatenate([[0], np.cumsum(sizes > 0)])  # stored pieces before a piece
    base = before[a.bounds]
    sentence = (np.cumsum(a.position == 0) - 1)[a.first]
    number = np.where(sizes > 0, before[:-1], NONE)

    def numbers(pieces: np.ndarray, given: np.ndarray | bool = True) -> np.ndarray:
        found = number[pieces]
        return np.where(given & (found != NONE), found - base[sentence], NONE).astype(np.int32)

    grown = np.stack(
        [numbers(a.by_position), numbers(a.two[a.last], a.size >= 2), numbers(a.three[a.last], a.size >= 3)],
        axis=1,
    )
    own = np.stack([numbers(a.ends[a.last]), numbers(a.whole)], axis=1)
    starts = ends[np.append(np.flatnonzero(sizes), len(sizes))]
    shape = len(starts) - 1, len(column)
    matrix = sp.csr_array((np.ones(len(indices), np.int8), indices, starts), shape=shape)
    return Pieces(features.sparse(matrix), grown, own, base)
