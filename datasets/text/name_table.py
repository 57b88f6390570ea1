"""The names of columns as a table for kernels: a name is looked up by its pieces, without making a text of it."""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

BASE, PRIME = 1_000_003, 2**31 - 1  # of the hash: the bytes as digits to the base, modulo the prime
BAR = ord("|")
ABSENT, UNKNOWN = -1, -2
MEMORY = 4  # combinations of cells a token: of so many a template's columns are remembered


class Texts(NamedTuple):
    """Texts in UTF-8, each followed by a byte. ``ends``: where each ends, int64 (texts,).

    ``hashes``: of each, and ``powers``: BASE to the power of its length, modulo PRIME; int64 (texts,).
    """

    data: np.ndarray
    ends: np.ndarray
    hashes: np.ndarray
    powers: np.ndarray


class NameTable(NamedTuple):
    """``slots``: column numbers by hash, ABSENT where a slot is free; int32 (a power of two,)."""

    names: Texts
    slots: np.ndarray


def texts(given: list[str]) -> Texts:
    """These texts, none of which has a line end."""
    data = np.frombuffer("\n".join([*given, ""]).encode(), np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    hashes, powers = np.empty((2, len(ends)), np.int64)
    _hash(data, ends, hashes, powers)
    return Texts(data, ends, hashes, powers)


def table(names: list[str]) -> NameTable:
    """The table of these names."""
    slots = np.full(4 << len(names).bit_length(), ABSENT, np.int32)
    made = NameTable(texts(names), slots)
    _fill(made)
    return made


@kernel
def _hash(data, ends, hashes, powers):
    begin = 0
    for k in range(ends.shape[0]):
        found, power = 0, 1
        for p in range(begin, ends[k]):
            found, power = (found * BASE + int(data[p]) + 1) % PRIME, power * BASE % PRIME
        hashes[k], powers[k], begin = found, power, ends[k] + 1


@kernel
def _fill(table):
    for k in range(table.names.hashes.shape[0]):
        slot = _slot(table.names.hashes[k], table.slots)
        while table.slots[slot] != ABSENT:
            slot = (slot + 1) & (table.slots.shape[0] - 1)
        table.slots[slot] = k


@kernel(inline=True)
def _slot(found, slots):
    return (found ^ (found >> 15)) & (slots.shape[0] - 1)


@kernel(inline=True)
def find(table, prefix, k, cells, row):
    """The column of the name of text k of ``prefix``, then the texts ``row`` of ``cells``, with bars between them.

    ``row``: numbers of texts, int64. ABSENT if there is no such name.
    """
    found, size = prefix.hashes[k], _size(prefix, k)
    for j in range(row.shape[0]):
        if j > 0:
            found = (found * BASE + BAR + 1) % PRIME
        found = (found * cells.powers[row[j]] + cells.hashes[row[j]]) % PRIME
        size += _size(cells, row[j]) + (j > 0)
    slot = _slot(found, table.slots)
    while table.slots[slot] != ABSENT:
        name = table.slots[slot]
        if _size(table.names, name) == size and _equal(table.names, name, prefix, k, cells, row):
            return name
        slot = (slot + 1) & (table.slots.shape[0] - 1)
    return ABSENT


class Tokens(NamedTuple):
    """What templates see of tokens.

    ``values``: int64 (columns, tokens), the cell of each, or ABSENT. Cell v of column c is text firsts[c] + v of
    ``cells``; each has sizes[c]. ``position``, ``length``: of each token in its sentence, and of that.
    ``outside``: the first of the texts for places before a sentence, ``reach`` many, and after it; or ABSENT.
    """

    cells: Texts
    values: np.ndarray
    firsts: np.ndarray
    sizes: np.ndarray
    position: np.ndarray
    length: np.ndarray
    outside: int
    reach: int


@kernel
def columns_of(table, prefix, k, factors, least, tokens, out):
    """out[t] = the column of what template k gives token t, or ABSENT; also for positions below ``least``.

    ``factors``: int64 (factors, 2), the template's columns and offsets.
    """
    row, combinations = np.empty(factors.shape[0], np.int64), 1
    for j in range(factors.shape[0]):
        combinations = min(combinations * (tokens.sizes[factors[j, 0]] + 2 * tokens.reach), 2**31)
    remembers = combinations <= MEMORY * out.shape[0]
    memory = np.full(combinations if remembers else 0, UNKNOWN)
    for t in range(out.shape[0]):
        out[t], key = ABSENT, 0 if tokens.position[t] >= least else -1
        for j in range(factors.shape[0]):
            if key >= 0:
                v = _cell(tokens, t, factors[j, 0], factors[j, 1])
                size = tokens.sizes[factors[j, 0]]
                row[j] = tokens.firsts[factors[j, 0]] + v if v < size else tokens.outside + v - size
                key = min(key, 2**31) * (size + 2 * tokens.reach) + v if v >= 0 else -1
        if key < 0:
            continue
        if not remembers:
            out[t] = find(table, prefix, k, tokens.cells, row)
        else:
            if memory[key] == UNKNOWN:
                memory[key] = find(table, prefix, k, tokens.cells, row)
            out[t] = memory[key]


@kernel(inline=True)
def _cell(tokens, t, column, offset):
    """The number of a cell in its column; after all of these, places outside. ABSENT if there is none."""
    place = tokens.position[t] + offset
    if 0 <= place < tokens.length[t]:
        return tokens.values[column, t + offset]
    if tokens.outside < 0:
        return ABSENT
    return tokens.sizes[column] + (-place if place < 0 else tokens.reach + place - tokens.length[t] + 1) - 1


@kernel(inline=True)
def _begin(texts, k):
    return texts.ends[k - 1] + 1 if k > 0 else 0


@kernel(inline=True)
def _size(texts, k):
    return texts.ends[k] - _begin(texts, k)


@kernel(inline=True)
def _equal(names, name, prefix, k, cells, row):
    """Whether a name is the one that ``find`` looks for; its length is."""
    p = _begin(names, name)
    for q in range(_begin(prefix, k), prefix.ends[k]):
        if names.data[p] != prefix.data[q]:
            return False
        p += 1
    for j in range(row.shape[0]):
        if j > 0:
            if names.data[p] != BAR:
                return False
            p += 1
        for q in range(_begin(cells, row[j]), cells.ends[row[j]]):
            if names.data[p] != cells.data[q]:
                return False
            p += 1
    return True
