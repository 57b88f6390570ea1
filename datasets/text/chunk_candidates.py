"""N-best lists of chunk tags as candidates, with features of whole taggings that a chain cannot have.

A tagging is a row of units, chunks and single tokens outside of any, each with a type. Features count two and
three types in a row, and a type's length, parts of speech, first and last words, and the tags around it. They
count the last words of two units in a row with their types. They say whether the same word has the same type
throughout the sentence. ``datasets.text.candidate_rows`` turns features into columns.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import candidates
from structbench.datasets.problems.problem import Vocabulary
from structbench.datasets.text.candidate_rows import BUCKETS, PRIME, numbers_of, rows
from structbench.datasets.text.columns import Sentences
from structbench.datasets.text.first_stage import Lists

EDGE = -2  # the type of what lies before and after a sentence, and its part of speech
OUTSIDE = -1


def encode_candidates(
    sentences: Sentences, lists: Lists, gold: np.ndarray, labels: tuple[str, ...], vocabulary: Vocabulary
) -> candidates.Candidates:
    """The candidates of sentences, from their lists and gold tags (tokens,), -1 where training lacks one.

    If the vocabulary is empty, they are training sentences, and it gets what others need. The cost of a candidate
    is the number of chunks that it has wrongly or misses.
    """
    for name in ("w", "pos"):
        vocabulary.setdefault(name, [*dict.fromkeys(sentences.columns[name])])
    kinds = sorted({label[2:] for label in labels if label != "O"})
    type_of = np.array([OUTSIDE if label == "O" else kinds.index(label[2:]) for label in labels])
    begins = np.array([label.startswith("B-") for label in labels])
    words, tags = (numbers_of(sentences.columns[name], vocabulary[name]) for name in ("w", "pos"))
    starts = np.concatenate([[0], np.cumsum(sentences.lengths)])
    given = lists.counts, lists.labels.astype(np.int64), gold.astype(np.int64)
    indptr, buckets, values, losses = _features(words, tags, starts, *given, type_of, begins)
    x = rows(lists, indptr, buckets, values, vocabulary)
    return candidates.build(x, lists.counts, losses, lists.labels, gold, lists.lengths)


def _features(words, tags, starts, counts, listed, right, type_of, begins):
    """Compressed rows of buckets and counts of all candidates, and the candidates' losses."""
    size, memory = 2**20, np.zeros(BUCKETS, np.int32)
    while True:
        buckets, values = np.empty(size, np.int32), np.empty(size)
        indptr, losses = np.zeros(counts.sum() + 1, np.int64), np.empty(counts.sum())
        text, lists = (words, tags, starts), (counts, listed, right)
        stored = _fill(text, lists, type_of, begins, memory, indptr, losses, buckets, values)
        if stored <= size:
            return indptr, buckets[:stored], values[:stored], losses
        size = stored


@kernel
def _fill(text, lists, type_of, begins, memory, indptr, losses, buckets, values):
    """Returns how many values there are; only as many are stored as there is room for."""
    words, tags, starts = text
    counts, listed, right = lists
    at = row = stored = 0
    for i in range(counts.shape[0]):
        first, length = starts[i], starts[i + 1] - starts[i]
        w, p = words[first : first + length], tags[first : first + length]
        wanted, _ = _units(right[first : first + length], type_of, begins)
        base = _codes(w, p, *_units(listed[at : at + length], type_of, begins))
        for _r in range(counts[i]):
            units, count = _units(listed[at : at + length], type_of, begins)
            losses[row] = _differing(units, wanted)
            found = _codes(w, p, units, count)
            for c in found:
                memory[c] += 1
            for c in base:
                memory[c] -= 1
            for codes in (found, base):
                for c in codes:
                    if memory[c] != 0:
                        if stored < buckets.shape[0]:
                            buckets[stored], values[stored] = c, memory[c]
                        stored += 1
                        memory[c] = 0
            at += length
            row += 1
            indptr[row] = stored
    return stored


@kernel
def _units(labels, type_of, begins):
    """The units of a tagging, (tokens, 3): type, first and last token. Also how many; unused rows are -3.

    The tag -1, which training never saw, is a unit of a type of its own.
    """
    units = np.full((labels.shape[0], 3), -3)
    count = 0
    before = EDGE
    for t in range(labels.shape[0]):
        kind = type_of.shape[0] if labels[t] < 0 else type_of[labels[t]]
        begin = labels[t] < 0 or begins[labels[t]]
        if kind == OUTSIDE or begin or kind != before:
            units[count, 0], units[count, 1], units[count, 2] = kind, t, t
            count += 1
        else:
            units[count - 1, 2] = t
        before = kind
    return units, count


@kernel
def _differing(units, wanted):
    """How many chunks only one of two taggings has."""
    differing = 0
    for a, b in ((units, wanted), (wanted, units)):
        j = 0
        for u in range(a.shape[0]):
            if a[u, 0] < 0:
                continue
            while j < b.shape[0] and b[j, 0] > -3 and b[j, 1] < a[u, 1]:
                j += 1
            same = j < b.shape[0] and b[j, 0] == a[u, 0] and b[j, 1] == a[u, 1] and b[j, 2] == a[u, 2]
            differing += 0 if same else 1
    return differing


@kernel
def _hashed(template, a, b, c, d):
    """The bucket of a template's values, which are at least -3; below 2^53 throughout."""
    h = template
    for value in (a, b, c, d):
        h = (h * 1000003 + value + 4) % PRIME
    return h % BUCKETS


@kernel
def _codes(words, tags, units, count):
    """The buckets of all features of a tagging, some several times."""
    length = words.shape[0]
    codes, n = np.empty(9 * count + 1 + length * (length - 1) // 2, np.int64), 0
    kinds = np.empty(length, np.int64)
    for u in range(count):
        kind, first, last = units[u, 0], units[u, 1], units[u, 2]
        kinds[first : last + 1] = kind
        after = units[u + 1, 0] if u + 1 < count else EDGE
        behind = units[u + 2, 0] if u + 2 < count else EDGE
        before = tags[first - 1] if first > 0 else EDGE
        later = tags[last + 1] if last + 1 < length else EDGE
        shape = 0
        for t in range(first, last + 1):
            shape = (shape * 1000003 + tags[t] + 4) % PRIME
        codes[n] = _hashed(1, kind, after, 0, 0)
        codes[n + 1] = _hashed(2, kind, after, behind, 0)
        codes[n + 2] = _hashed(3, kind, min(last - first, 9), 0, 0)
        codes[n + 3] = _hashed(4, kind, shape, 0, 0)
        codes[n + 4] = _hashed(5, kind, words[first], words[last], 0)
        codes[n + 5] = _hashed(6, kind, before, later, min(last - first, 9))
        codes[n + 6] = _hashed(7, kind, before, shape, later)
        n += 7
        if u + 1 < count:
            codes[n] = _hashed(8, kind, words[last], after, words[units[u + 1, 2]])
            codes[n + 1] = _hashed(9, kind, tags[last], after, tags[units[u + 1, 2]])
            n += 2
    codes[n] = _hashed(10, units[0, 0], 0, 0, 0)
    n += 1
    for t in range(length):
        for v in range(t):
            if words[t] == words[v] and tags[t] == tags[v]:
                codes[n] = _hashed(11, 1 if kinds[t] == kinds[v] else 0, tags[t], 0, 0)
                n += 1
    return codes[:n]
