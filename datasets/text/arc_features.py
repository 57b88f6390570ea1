"""Features of arcs between the words of a sentence, after McDonald, Crammer and Pereira 2005, Table 1.

A template is a list of fields of the head (the parent p) and the modifier (the child c): pw, cw the words; pt, ct
their tags; pp, cp the first five characters of words; pl, cl lemmas; pm, cm morphology; pc, cc coarse tags; pt-1,
pt+1, ct-1, ct+1 the tags of the words beside them; and b the tag of each word between the two, once. Every
template also comes together with the direction and the distance of the arc. A template of prefixes counts if one
of its words is longer than that. Weights belong to the features that some right arc of the training data has.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.runtime import parallel
from algorithms.runtime.errors import UserError
from algorithms.runtime.kernel import kernel
from algorithms.structures import features as ft
from algorithms.structures.dependency.arcs import head_of
from datasets.text.dependencies import Sentence

MCDONALD = """
pw pt, pw, pt, cw ct, cw, ct
pw pt cw ct, pt cw ct, pw cw ct, pw pt ct, pw pt cw, pw cw, pt ct
pp pt, pp, cp ct, cp, pp pt cp ct, pt cp ct, pp cp ct, pp pt ct, pp pt cp, pp cp
pt b ct
pt pt+1 ct-1 ct, pt-1 pt ct-1 ct, pt pt+1 ct ct+1, pt-1 pt ct ct+1
"""
RICH = (
    MCDONALD
    + """
pl pt, pl, cl ct, cl, pl pt cl ct, pt cl ct, pl cl ct, pl pt ct, pl pt cl, pl cl
pm, cm, pm cm, pm pt cm ct
pc cc, pc pt cc ct, pl cc, pc cl, pw cc, pc cw
pt pt+1 ct, pt-1 pt ct, pt ct-1 ct, pt ct ct+1
"""
)
TEMPLATES = {"mcdonald": MCDONALD, "rich": RICH}
PREFIX = 5
FIELDS = (
    "pw",
    "cw",
    "pp",
    "cp",
    "pl",
    "cl",
    "pm",
    "cm",
    "pt",
    "ct",
    "pc",
    "cc",
    "pt-1",
    "pt+1",
    "ct-1",
    "ct+1",
    "b",
)
PARENT_PREFIX, CHILD_PREFIX, FIRST_TAG, BETWEEN = 2, 3, 8, len(FIELDS) - 1
MOST_FIELDS = 4
WORD_BITS, TAG_BITS, WHERE_BITS = 17, 8, 4  # with 6 bits for the template, two words and two tags fill 60
UNKNOWN = 0  # of words and tags that training does not have: no weight is theirs
FARTHEST = (5, 10)  # distances 1 to 5, up to 10, above


class Tokens(NamedTuple):
    """Codes of the words of all sentences, (tokens + one root a sentence,); 0 is unknown.

    words, prefixes, lemmas, morphology, tags, coarse: int64; position 0 of sentence i is starts[i]. longer:
    whether the prefix is not the whole word. before, after: codes of the tags around a sentence.
    """

    words: np.ndarray
    prefixes: np.ndarray
    longer: np.ndarray
    lemmas: np.ndarray
    morphology: np.ndarray
    tags: np.ndarray
    coarse: np.ndarray
    starts: np.ndarray
    before: int
    after: int


def extract(
    train: Sequence[Sentence], heads: Sequence[np.ndarray], test: Sequence[Sentence], templates: str
) -> tuple[ft.Features, ft.Features]:
    """Binary features of all arcs of the training and the test sentences, in the order of ``dependency.arcs``.

    Args:
        heads: of the training trees, for each sentence those of its tokens, from whose arcs features are taken.
        templates: a key of ``TEMPLATES``.

    Raises:
        UserError: there are more words or tags than keys have room for.
    """
    fields = parsed(TEMPLATES[templates])
    code = _Codes()
    learn = _tokens(train, code)
    code.fixed = True
    code.check()
    right = np.concatenate([[-1, *given] for given in heads]).astype(np.int64)
    keys = np.unique(np.concatenate(_in_sentences(_right_keys, learn, fields, right)))
    table = _table(keys)
    return tuple(_features(tokens, fields, keys, table) for tokens in (learn, _tokens(test, code)))


def parsed(text: str) -> np.ndarray:
    """The templates of a text as fields' places in ``FIELDS``, int64 (templates, MOST_FIELDS), padded with -1."""
    named = [each.split() for line in text.strip().splitlines() for each in line.split(",")]
    found = np.full((len(named), MOST_FIELDS), -1)
    for row, names in zip(found, named, strict=True):
        row[: len(names)] = [FIELDS.index(name) for name in names]
    return found


class _Codes:
    """Numbers for strings, from 1 on, of each kind apart; once ``fixed``, those of new strings are ``UNKNOWN``."""

    def __init__(self) -> None:
        self.known: dict[str, dict[str, int]] = {
            "word": {},
            "prefix": {},
            "lemma": {},
            "morphology": {},
            "tag": {},
        }
        self.fixed = False

    def __call__(self, kind: str, text: str) -> int:
        numbers = self.known[kind]
        if self.fixed:
            return numbers.get(text, UNKNOWN)
        return numbers.setdefault(text, len(numbers) + 1)

    def check(self) -> None:
        for kind, numbers in self.known.items():
            most = 2 ** (TAG_BITS if kind == "tag" else WORD_BITS) - 1
            if len(numbers) > most:
                raise UserError(f"there are {len(numbers)} different values of {kind}, and room for {most}")


ROOT, BEFORE, AFTER = "\0root", "\0before", "\0after"  # no token of a file holds a zero byte


def _tokens(sentences: Sequence[Sentence], code: _Codes) -> Tokens:
    rows: list[tuple[int, ...]] = []
    starts = [0]
    for each in sentences:
        rows.append(tuple(code(kind, ROOT) for kind in ("word", "prefix", "lemma", "morphology", "tag", "tag")))
        columns = each.words, each.lemmas, each.morphology, each.tags, each.coarse
        for word, lemma, morphology, tag, coarse in zip(*columns, strict=True):
            rows.append(
                (
                    code("word", word),
                    code("prefix", word[:PREFIX]),
                    code("lemma", lemma),
                    code("morphology", morphology),
                    code("tag", tag),
                    code("tag", f"coarse {coarse}"),
                )
            )
        starts.append(len(rows))
    columns = np.array(rows, np.int64).reshape(-1, 6).T.copy()
    longer = np.array([n > PREFIX for each in sentences for n in (0, *map(len, each.words))], bool)
    words, prefixes, lemmas, morphology, tags, coarse = columns
    ends = code("tag", BEFORE), code("tag", AFTER)
    return Tokens(words, prefixes, longer, lemmas, morphology, tags, coarse, np.array(starts), *ends)


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
def _keys(tokens, templates, i, h, m, between, out):
    """The keys of an arc's features, in ``out``; returns how many. between: memory for all codes of tags, 0."""
    first, last = tokens.starts[i], tokens.starts[i + 1]
    p, c = first + h, first + m
    values = np.empty(len(FIELDS), np.int64)
    values[0], values[1] = tokens.words[p], tokens.words[c]
    values[2], values[3] = tokens.prefixes[p], tokens.prefixes[c]
    values[4], values[5] = tokens.lemmas[p], tokens.lemmas[c]
    values[6], values[7] = tokens.morphology[p], tokens.morphology[c]
    values[8], values[9] = tokens.tags[p], tokens.tags[c]
    values[10], values[11] = tokens.coarse[p], tokens.coarse[c]
    values[12], values[13] = _tag_at(tokens, first, last, p - 1), _tag_at(tokens, first, last, p + 1)
    values[14], values[15] = _tag_at(tokens, first, last, c - 1), _tag_at(tokens, first, last, c + 1)
    where, count = _where(h, m), 0
    low, high = min(p, c), max(p, c)
    for k in range(templates.shape[0]):
        repeated = False
        for f in templates[k]:
            repeated = repeated or f == BETWEEN
        if not repeated:
            count = _append(tokens, templates, k, p, c, values, where, out, count)
            continue
        for t in range(low + 1, high):
            tag = tokens.tags[t]
            if between[tag] == 0:
                between[tag] = 1
                values[BETWEEN] = tag
                count = _append(tokens, templates, k, p, c, values, where, out, count)
        for t in range(low + 1, high):
            between[tokens.tags[t]] = 0
    return count


@kernel
def _append(tokens, templates, k, p, c, values, where, out, count):
    key, prefixed, proper = np.int64(k), False, False
    for f in templates[k]:
        if f < 0:
            break
        if values[f] == UNKNOWN:
            return count
        key = (key << (WORD_BITS if f < FIRST_TAG else TAG_BITS)) | values[f]
        prefixed = prefixed or f in (PARENT_PREFIX, CHILD_PREFIX)
        proper = proper or (f == PARENT_PREFIX and tokens.longer[p]) or (f == CHILD_PREFIX and tokens.longer[c])
    if prefixed and not proper:
        return count
    out[count], out[count + 1] = key << WHERE_BITS, (key << WHERE_BITS) | where
    return count + 2


@kernel
def _room(tokens, templates, i):
    """Memory for the keys of one arc, and for the tags between."""
    tags = 2**TAG_BITS
    length = tokens.starts[i + 1] - tokens.starts[i]
    return np.empty(2 * (templates.shape[0] + min(length, tags)), np.int64), np.zeros(tags, np.int8)


@kernel
def _right_keys(tokens, templates, i, heads, out):
    """The keys of the right arcs of a sentence, as far as ``out`` has room; returns how many."""
    found, between = _room(tokens, templates, i)
    count = 0
    for m in range(1, tokens.starts[i + 1] - tokens.starts[i]):
        here = _keys(tokens, templates, i, heads[tokens.starts[i] + m], m, between, found)
        for k in range(here):
            if count < out.shape[0]:
                out[count] = found[k]
            count += 1
    return count


def _in_sentences(listed: Callable, tokens: Tokens, templates: np.ndarray, heads: np.ndarray) -> list[np.ndarray]:
    """What a kernel lists of each sentence."""
    made, out = [], np.empty(2**16, np.int64)
    for i in range(len(tokens.starts) - 1):
        count = listed(tokens, templates, i, heads, out)
        if count > len(out):
            out = np.empty(2 * count, np.int64)
            count = listed(tokens, templates, i, heads, out)
        made.append(out[:count].copy())
    return made


# ---- keys -> columns -------------------------------------------------------------------------------


def _table(keys: np.ndarray) -> np.ndarray:
    """Where each key's number is, by open addressing; -1 is an empty place."""
    places = np.full(2 ** (2 * len(keys) + 1).bit_length(), -1, np.int64)
    _insert(keys, places)
    return places


@kernel
def _insert(keys, places):
    for k in range(keys.shape[0]):
        at = _hash(keys[k], places.shape[0])
        while places[at] >= 0:
            at = (at + 1) & (places.shape[0] - 1)
        places[at] = k


@kernel
def _hash(key, size):
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(20)) & np.uint64(size - 1))


@kernel
def _find(key, keys, places):
    at = _hash(key, places.shape[0])
    while places[at] >= 0:
        if keys[places[at]] == key:
            return places[at]
        at = (at + 1) & (places.shape[0] - 1)
    return -1


def _features(tokens: Tokens, templates: np.ndarray, keys: np.ndarray, places: np.ndarray) -> ft.Features:
    lengths = np.diff(tokens.starts) - 1
    arc_starts = np.concatenate([[0], np.cumsum(lengths**2)])
    indptr, none = np.zeros(arc_starts[-1] + 1, np.int64), np.empty(0, np.int32)
    parallel.for_each(_rows, len(lengths), tokens, templates, keys, places, arc_starts, indptr, none)
    np.cumsum(indptr, out=indptr)
    indices = np.empty(indptr[-1], np.int32)
    parallel.for_each(_rows, len(lengths), tokens, templates, keys, places, arc_starts, indptr, indices)
    return ft.compressed(indptr, indices, None, np.bincount(indices, minlength=len(keys)))


@kernel
def _rows(first, last, tokens, templates, keys, places, arc_starts, indptr, indices):
    """The features of all arcs of sentences, in ``indices``; where that is empty, how many, in indptr[r + 1]."""
    for i in range(first, last):
        length = tokens.starts[i + 1] - tokens.starts[i] - 1
        found, between = _room(tokens, templates, i)
        for k in range(length * length):
            r = arc_starts[i] + k
            count = _keys(tokens, templates, i, head_of(k, length), k // length + 1, between, found)
            stored = 0
            for q in range(count):
                column = _find(found[q], keys, places)
                if column >= 0:
                    if indices.shape[0] > 0:
                        indices[indptr[r] + stored] = column
                    stored += 1
            if indices.shape[0] == 0:
                indptr[r + 1] = stored
