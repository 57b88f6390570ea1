"""N-best lists of dependency trees as candidates, with features of whole trees that are not arc-factored.

A token has the sibling before it, on its side of the head, its head's head, and both. It has its depth, and
whether it follows its head (right-branching). A head has its number of modifiers on either side, and their tags in
a row. Siblings and grandparents are the second-order parts of McDonald and Pereira 2006 and Carreras 2007. Chains
and branching follow Charniak and Johnson, Coarse-to-fine n-best parsing and MaxEnt discriminative reranking, 2005.
``datasets.text.candidate_rows`` turns features into columns.
"""

import numpy as np

from structbench.algorithms.runtime.arrays import ranges
from structbench.algorithms.structures import candidates
from structbench.datasets.problems.problem import Vocabulary
from structbench.datasets.text.candidate_rows import BUCKETS, PRIME, numbers_of, rows
from structbench.datasets.text.dependencies import Sentence
from structbench.datasets.text.first_stage import Lists

ROOT, NONE = -1, -2
MOST = 6  # modifiers on a side, tokens of a chain to the root
BASE, OTHER_BASE = 1000003, 16777619  # two bases: a row of tags is one of several values of a feature
BLOCK = 2**18  # tokens of candidates that are looked at together


def encode_trees(sentences: list[Sentence], lists: Lists, vocabulary: Vocabulary) -> candidates.Candidates:
    """The candidates of sentences, from their lists. The cost of a candidate is the number of wrong heads.

    If the vocabulary is empty, they are training sentences, and it gets what others need.
    """
    starts = np.concatenate([[0], np.cumsum(lists.lengths)])
    bounds = np.stack([starts[:-1], starts[1:]], axis=1).ravel()
    tokens = ranges(bounds, 2 * np.repeat(np.arange(len(sentences)), lists.counts))  # of the sentences
    for name in ("words", "tags"):
        vocabulary.setdefault(name, [*dict.fromkeys(_cells(sentences, name))])
    words, tags = (numbers_of(_cells(sentences, name), vocabulary[name])[tokens] for name in ("words", "tags"))
    x = rows(lists, *_features(lists, words, tags), vocabulary)
    gold = np.concatenate([each.heads for each in sentences]).astype(np.int32)
    wrong = (lists.labels != gold[tokens]).astype(np.int64)
    lengths = np.repeat(lists.lengths, lists.counts)
    losses = np.add.reduceat(wrong, np.cumsum(lengths) - lengths).astype(float)
    return candidates.build(x, lists.counts, losses, lists.labels, gold, lists.lengths)


def _cells(sentences: list[Sentence], name: str) -> list[str]:
    return [cell for each in sentences for cell in getattr(each, name)]


def _features(lists: Lists, words: np.ndarray, tags: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compressed rows of buckets and counts of all candidates, given the words and tags of their tokens."""
    import scipy.sparse as sp

    lengths = np.repeat(lists.lengths, lists.counts)
    ends = np.concatenate([[0], np.cumsum(lengths)])
    last_of = np.cumsum(lists.counts)
    found, at = [], 0
    while at < len(lists.counts):  # some examples at a time
        begin = last_of[at] - lists.counts[at]
        to = max(at + 1, int(np.searchsorted(ends[last_of], ends[begin] + BLOCK)))
        end = last_of[to - 1]
        own = slice(ends[begin], ends[end])
        trees, buckets = tree_features(lengths[begin:end], lists.labels[own], words[own], tags[own])
        counts = sp.coo_array((np.ones(len(trees)), (trees, buckets)), shape=(end - begin, BUCKETS)).tocsr()
        of_first = np.repeat(last_of[at:to] - lists.counts[at:to] - begin, lists.counts[at:to])
        relative = counts - counts[of_first]
        relative.eliminate_zeros()
        relative.sort_indices()
        found.append(relative)
        at = to
    every = sp.csr_array(sp.vstack(found))
    return every.indptr.astype(np.int64), every.indices, every.data


def tree_features(
    lengths: np.ndarray, heads: np.ndarray, words: np.ndarray, tags: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which tree has which bucket, int64 (features,) both, some several times.

    Args:
        lengths: Of the trees, (trees,).
        heads, words, tags: Of their tokens, one tree after the other. Heads count from 1, 0 is the root.
    """
    tree = np.repeat(np.arange(len(lengths)), lengths)
    root = np.cumsum(lengths + 1) - lengths - 1  # nodes: each tree's root, then its tokens
    node = np.arange(len(tree)) + tree + 1
    head, tag, word = np.zeros((3, len(tree) + len(lengths)), np.int64)
    head[root], head[node] = root, root[tree] + heads
    tag[root], tag[node] = ROOT, tags
    word[root], word[node] = ROOT, words
    above = head[node]
    follows = (node > above).astype(np.int64)

    order = np.lexsort((np.abs(node - above), follows, above))  # siblings side by side, from the head outwards
    alike = (above[order][1:] == above[order][:-1]) & (follows[order][1:] == follows[order][:-1])
    sibling = np.full(len(node), NONE)
    sibling[order[1:]] = np.where(alike, tags[order[:-1]], NONE)
    grand = np.where(above == root[tree], NONE, tag[head[above]])

    depth, at = np.zeros(len(node), np.int64), above
    while (at != root[tree]).any():
        depth += at != root[tree]
        at = head[at]
    modifiers = np.zeros((2, len(head)), np.int64)
    np.add.at(modifiers, (follows, above), 1)
    shape = np.zeros(len(head), np.int64)  # the tags of its modifiers, by their place from the left
    left_to_right = np.lexsort((node, above))
    first = np.searchsorted(above[left_to_right], above[left_to_right])
    place = np.arange(len(node)) - first
    powers = np.ones(place.max() + 1, np.int64)
    for p in range(1, len(powers)):
        powers[p] = powers[p - 1] * OTHER_BASE % PRIME
    np.add.at(shape, above[left_to_right], (tags[left_to_right] + 3) * powers[place] % PRIME)
    shape %= PRIME
    has = np.flatnonzero(modifiers.sum(axis=0))
    few, tree_of = np.minimum(modifiers[:, has], MOST), np.searchsorted(root, has, side="right") - 1

    of_tokens = (
        (tag[above], sibling, tags, follows),
        (sibling, tags, follows),
        (word[above], sibling, tags, follows),
        (grand, tag[above], tags, follows),
        (grand, word[above], tags),
        (grand, tag[above], sibling, tags, follows),
        (tags, np.minimum(depth, MOST)),
        (follows,),
        (np.minimum(depth, MOST),),
    )
    of_heads = ((tag[has], *few), (tag[has], shape[has]), (word[has], *few))
    found = [(tree, _hashed(1 + k, *values)) for k, values in enumerate(of_tokens)]
    found += [(tree_of, _hashed(101 + k, *values)) for k, values in enumerate(of_heads)]
    return np.concatenate([each for each, _ in found]), np.concatenate([each for _, each in found])


def _hashed(template: int, *values: np.ndarray) -> np.ndarray:
    """The buckets of a template's values, which are at least -2; below 2^53 throughout."""
    h = np.full(len(values[0]), template + 3, np.int64)
    for value in values:
        h = (h * BASE + value + 3) % PRIME
    return h % BUCKETS
