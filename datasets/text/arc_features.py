"""Features of arcs between the words of a sentence, after McDonald, Crammer and Pereira 2005, Table 1.

A template is a list of fields of the head (the parent p) and the modifier (the child c). There are words pw, cw,
tags pt, ct, the first five characters pp, cp, lemmas pl, cl, morphology pm, cm, and coarse tags pc, cc. The
neighbouring words' tags are pt-1, pt+1, ct-1, ct+1. b is the tag of each word between the two, once. Every
template also comes together with the arc's direction and distance. A template of prefixes counts if one of its
words is longer than that. Weights belong to the features that some gold arc of the training data has.
"""

import weakref
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.dependency.arcs import head_of
from structbench.datasets.problems.problem import Names, Vocabulary
from structbench.datasets.text.arc_tokens import KINDS, TAG_BITS, UNKNOWN, WORD_BITS, Codes, Tokens, numbered
from structbench.datasets.text.dependencies import Sentence

MCDONALD = """
pw pt, pw, pt, cw ct, cw, ct
pw pt cw ct, pt cw ct, pw cw ct, pw pt ct, pw pt cw, pw cw, pt ct
pp pt, pp, cp ct, cp, pp pt cp ct, pt cp ct, pp cp ct, pp pt ct, pp pt cp, pp cp
b pt ct
pt pt+1 ct-1 ct, pt-1 pt ct-1 ct, pt pt+1 ct ct+1, pt-1 pt ct ct+1
"""
RICH = (
    MCDONALD
    + """
pl pt, pl, cl ct, cl, pl pt cl ct, pt cl ct, pl cl ct, pl pt ct, pl pt cl, pl cl
pm, cm, pm cm, pm pt cm ct
pc cc, pc pt cc ct, pl cc, pc cl, pw cc, pc cw
pt pt+1 ct, pt-1 pt ct, pt ct-1 ct, pt ct ct+1
pt-1 pt pt+1 ct, pt ct-1 ct ct+1, pl pt pt+1 ct, pt ct-1 cl ct, pt cl ct ct+1
pm ct, pt cm, pm cm pt ct, pl ct, pt cl
b pc cc, b pl ct, b pt cl
"""
)
TEMPLATES = {"mcdonald": MCDONALD, "rich": RICH}
FIELDS = (
    *("pw", "cw", "pp", "cp", "pl", "cl", "pm", "cm", "pt", "ct", "pc", "cc"),
    *("pt-1", "pt+1", "ct-1", "ct+1", "b"),
)
PARENT_PREFIX, CHILD_PREFIX, FIRST_TAG, BETWEEN = 2, 3, 8, len(FIELDS) - 1
MOST_FIELDS = 4
WHERE_BITS = 4  # two words and two tags fill 50 bits
TEMPLATE_SHIFT = 54
ARCS_AT_ONCE = 2**16
FARTHEST = (5, 10)  # distances 1 to 5, up to 10, above


def extract(
    train: Sequence[Sentence], heads: Sequence[np.ndarray], test: Sequence[Sentence], templates: str
) -> tuple[ft.Features, ft.Features, Vocabulary]:
    """Binary features of all arcs of the training and the test sentences, in the order of ``dependency.arcs``.

    Also the vocabulary by which ``rows_of`` gives new sentences the same features.

    Args:
        heads: For each training sentence, the heads of its tokens. Features are taken from their arcs.
        templates: A key of ``TEMPLATES``.

    Raises:
        UserError: There are more words or tags than keys have room for.
    """
    fields = parsed(TEMPLATES[templates])
    code = Codes()
    learn = numbered(train, code)
    code.fix()
    right = np.concatenate([[-1, *given] for given in heads]).astype(np.int64)
    keys = np.unique(np.concatenate(_in_sentences(learn, fields, right)))
    table = _table(keys)
    learned, evaluated = (_features(tokens, fields, keys, table) for tokens in (learn, numbered(test, code)))
    return learned, evaluated, {kind: Names(numbers) for kind, numbers in code.known.items()} | {"keys": keys}


def rows_of(sentences: Sequence[Sentence], vocabulary: Vocabulary, templates: str) -> ft.Features:
    """Binary features of all arcs of new sentences, whose trees are not known; arguments as for ``extract``."""
    code, keys = Codes({kind: vocabulary[kind].table for kind in KINDS}), vocabulary["keys"]
    return _features(numbered(sentences, code), parsed(TEMPLATES[templates]), keys, _kept_table(keys))


def parsed(text: str) -> np.ndarray:
    """The templates of a text as fields' places in ``FIELDS``, int64 (templates, MOST_FIELDS), padded with -1."""
    named = [each.split() for line in text.strip().splitlines() for each in line.split(",")]
    found = np.full((len(named), MOST_FIELDS), -1)
    for row, names in zip(found, named, strict=True):
        row[: len(names)] = [FIELDS.index(name) for name in names]
    return found


# ---- keys ------------------------------------------------------------------------------------------


@kernel
def _where(h, m):
    """Direction and distance of an arc, from 1 on."""
    distance = abs(h - m)
    far = distance if distance <= FARTHEST[0] else FARTHEST[0] + (1 if distance <= FARTHEST[1] else 2)
    return far + (FARTHEST[0] + 2 if h > m else 0)


@kernel
def _tag_at(tokens, first, last, position):
    if position < first:
        return tokens.before
    return tokens.tags[position] if position < last else tokens.after


@kernel
def _describe(tokens, first, last, p, c, values):
    """The fields of an arc between positions p and c of all tokens, except for the tags between."""
    values[0], values[1] = tokens.words[p], tokens.words[c]
    values[2], values[3] = tokens.prefixes[p], tokens.prefixes[c]
    values[4], values[5] = tokens.lemmas[p], tokens.lemmas[c]
    values[6], values[7] = tokens.morphology[p], tokens.morphology[c]
    values[8], values[9] = tokens.tags[p], tokens.tags[c]
    values[10], values[11] = tokens.coarse[p], tokens.coarse[c]
    values[12], values[13] = _tag_at(tokens, first, last, p - 1), _tag_at(tokens, first, last, p + 1)
    values[14], values[15] = _tag_at(tokens, first, last, c - 1), _tag_at(tokens, first, last, c + 1)


@kernel
def _keys(tokens, templates, i, h, m, memory, out):
    """The keys of an arc's features, without direction and distance, in ``out``; returns how many.

    memory: int64 (fields and twice the codes of tags,), the last of them 0.
    """
    first, last = tokens.starts[i], tokens.starts[i + 1]
    p, c = first + h, first + m
    tags = 2**TAG_BITS
    values, between, met = memory[:BETWEEN], memory[BETWEEN : BETWEEN + tags], memory[BETWEEN + tags :]
    _describe(tokens, first, last, p, c, values)
    head_longer, modifier_longer = tokens.longer[p], tokens.longer[c]
    distinct = 0
    for t in range(min(p, c) + 1, max(p, c)):
        tag = tokens.tags[t]
        if met[tag] == 0:
            met[tag] = 1
            between[distinct] = tag
            distinct += 1
    for d in range(distinct):
        met[between[d]] = 0
    count = 0
    for k in range(templates.shape[0]):
        for repeat in range(distinct if templates[k, 0] == BETWEEN else 1):
            key, known, prefixed, proper = np.int64(0), True, False, False
            for place in range(MOST_FIELDS):
                f = templates[k, place]
                if f < 0:
                    break
                value = between[repeat] if f == BETWEEN else values[f]
                known = known and value != UNKNOWN
                key = (key << (WORD_BITS if f < FIRST_TAG else TAG_BITS)) | value
                prefixed = prefixed or f in (PARENT_PREFIX, CHILD_PREFIX)
                proper = proper or (f == PARENT_PREFIX and head_longer) or (f == CHILD_PREFIX and modifier_longer)
            if known and (proper or not prefixed):
                out[count] = (np.int64(k + 1) << TEMPLATE_SHIFT) | (key << WHERE_BITS)
                count += 1
    return count


@kernel
def _most(templates, length):
    """The most keys that an arc can have, in a sentence of ``length`` positions."""
    repeated = 0
    for k in range(templates.shape[0]):
        repeated += 1 if templates[k, 0] == BETWEEN else 0
    return templates.shape[0] + repeated * min(length, 2**TAG_BITS)


@kernel
def _room(tokens, templates, i):
    """Memory for ``_keys``, and for the keys of one arc."""
    tags = 2**TAG_BITS
    length = tokens.starts[i + 1] - tokens.starts[i]
    return np.zeros(BETWEEN + 2 * tags, np.int64), np.empty(_most(templates, length), np.int64)


@kernel
def _right_keys(tokens, templates, i, heads, out):
    """The keys of the gold arcs of a sentence, as far as ``out`` has room; returns how many."""
    memory, found = _room(tokens, templates, i)
    count = 0
    for m in range(1, tokens.starts[i + 1] - tokens.starts[i]):
        h = heads[tokens.starts[i] + m]
        here, where = _keys(tokens, templates, i, h, m, memory, found), _where(h, m)
        for k in range(here):
            if count + 1 < out.shape[0]:
                out[count], out[count + 1] = found[k], found[k] | where
            count += 2
    return count


def _in_sentences(tokens: Tokens, templates: np.ndarray, heads: np.ndarray) -> list[np.ndarray]:
    """The keys of the gold arcs of each sentence."""
    made, out = [], np.empty(2**16, np.int64)
    for i in range(len(tokens.starts) - 1):
        count = _right_keys(tokens, templates, i, heads, out)
        if count > len(out):
            out = np.empty(2 * count, np.int64)
            count = _right_keys(tokens, templates, i, heads, out)
        made.append(out[:count].copy())
    return made


# ---- keys -> columns -------------------------------------------------------------------------------


def _table(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A hash table by open addressing: keys, 0 where a place is empty, and which column each is."""
    size = 2 ** (2 * len(keys) + 1).bit_length()
    table, columns = np.zeros(size, np.int64), np.zeros(size, np.int32)
    _insert(keys, table, columns)
    return table, columns


_tables: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # by the ``id`` of keys, as long as these are there


def _kept_table(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The table of a vocabulary's keys, made once: that takes longer than to label a sentence."""
    if id(keys) not in _tables:
        _tables[id(keys)] = _table(keys)
        weakref.finalize(keys, _tables.pop, id(keys), None)
    return _tables[id(keys)]


@kernel
def _insert(keys, table, columns):
    for k in range(keys.shape[0]):
        at = _hash(keys[k], table.shape[0])
        while table[at] != 0:
            at = (at + 1) & (table.shape[0] - 1)
        table[at], columns[at] = keys[k], k


@kernel
def _hash(key, size):
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(size - 1))


@kernel
def _look_up(keys, count, where, table, columns, row):
    """Write to ``row`` the columns of the first ``count`` keys, alone and with ``where``; returns how many."""
    found = 0
    for k in range(count):
        for key in (keys[k], keys[k] | where):
            at = _hash(key, table.shape[0])
            while table[at] != 0 and table[at] != key:
                at = (at + 1) & (table.shape[0] - 1)
            if table[at] == 0:
                break  # no gold arc has it in any direction, so none in this one
            row[found] = columns[at]
            found += 1
    return found


def _features(
    tokens: Tokens, templates: np.ndarray, keys: np.ndarray, table: tuple[np.ndarray, np.ndarray]
) -> ft.Features:
    """Rows of all arcs, made for blocks of sentences at a time: room for all possible features is small."""
    lengths = np.diff(tokens.starts) - 1
    arc_starts = np.concatenate([[0], np.cumsum(lengths**2)])
    counts, made = np.zeros(arc_starts[-1], np.int64), []
    width = 2 * _most(templates, int(lengths.max(initial=0)))
    blocks = np.unique(np.searchsorted(arc_starts, np.arange(0, arc_starts[-1], ARCS_AT_ONCE)))
    for first, last in pairwise([*blocks.tolist(), len(lengths)]):
        begin, end = int(arc_starts[first]), int(arc_starts[last])
        found = np.empty((end - begin, width), np.int32)
        parallel.for_each(_rows, last - first, first, tokens, templates, *table, arc_starts, counts, found)
        made.append(found[np.arange(width) < counts[begin:end, None]])
    indices = np.concatenate(made) if made else np.empty(0, np.int32)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    return ft.compressed(indptr, indices, None, np.bincount(indices, minlength=len(keys)))


@kernel
def _rows(begin, end, before, tokens, templates, table, columns, arc_starts, counts, found):
    """The features of all arcs of sentences before + begin .. before + end - 1: a row of ``found`` each."""
    for i in range(before + begin, before + end):
        length = tokens.starts[i + 1] - tokens.starts[i] - 1
        memory, keys = _room(tokens, templates, i)
        for k in range(length * length):
            r = arc_starts[i] + k
            h, m = head_of(k, length), k // length + 1
            count = _keys(tokens, templates, i, h, m, memory, keys)
            counts[r] = _look_up(keys, count, _where(h, m), table, columns, found[r - arc_starts[before]])
