"""Parts of speech and chunks at once, from the words alone (laso2005, section 4.2), as a ``joint`` problem.

The features of a token are the base features of the words around it (``word_features``), the pairs of neighbouring
words, and the regular expressions of Sutton, Rohanimanesh and McCallum (2004) at offsets -3 .. 3. Parts of speech
are predicted, so that no feature has them.
"""

import numpy as np

from algorithms.structures import joint
from datasets.base import templates, word_features
from datasets.base.columns import Sentences
from datasets.base.errors import UserError
from datasets.base.problem import Problem, is_bio

AFFIXES = tuple(f"{end}{n}" for end in ("first", "last") for n in (1, 2, 3))
BASE = ("stem", "ending", "case", *AFFIXES, "lists")
TEMPLATES = (
    *(f"w[{offset}]" for offset in range(-3, 4)),
    *(f"lower[{offset}]" for offset in range(-1, 2)),
    *(f"{name}[{offset}]" for name in BASE for offset in range(-1, 2)),
    *(f"patterns[{offset}]" for offset in range(-3, 4)),
    *(f"w[{offset}]|w[{offset + 1}]" for offset in range(-2, 2)),
    "w[-1]|w[1]",
)


def joint_problem(learn: Sentences, evaluate: Sentences) -> Problem:
    """The problem of training and test sentences with columns w, pos and chunk.

    Raises:
        UserError: a chunk tag continues nothing, or the training sentences have no chunk.
    """
    tags, labels = (tuple(sorted(set(learn.columns[name]))) for name in ("pos", "chunk"))
    if not is_bio(labels):
        raise UserError(f"{learn.source}: expected chunk tags O, B-type and I-type with at least one B-type")
    for sentences in (learn, evaluate):
        _check(sentences)
    lists = word_features.learn_lists(learn)
    with_columns = (
        word_features.add_patterns(word_features.add_columns(sentences, lists)) for sentences in (learn, evaluate)
    )
    x, x_test = templates.extract(*with_columns, TEMPLATES)
    sizes = len(tags), len(labels), continues(labels)
    splits = (
        joint.build(rows, sentences.lengths, codes(sentences, tags, labels), *sizes)
        for rows, sentences in ((x, learn), (x_test, evaluate))
    )
    return Problem(*splits, labels, bio=True, tags=tags)


def codes(sentences: Sentences, tags: tuple[str, ...], labels: tuple[str, ...]) -> np.ndarray:
    """tag * len(labels) + chunk tag of each token, -1 where either is not among the names."""
    of_tag, of_label = ({name: k for k, name in enumerate(names)} for names in (tags, labels))
    p = np.array([of_tag.get(tag, -1) for tag in sentences.columns["pos"]])
    c = np.array([of_label.get(tag, -1) for tag in sentences.columns["chunk"]])
    return np.where((p >= 0) & (c >= 0), p * len(labels) + c, -1)


def continues(labels: tuple[str, ...]) -> np.ndarray:
    """Which chunk tag may follow which, bool (labels + 1, labels); the last row is a sentence's beginning."""
    before = (*labels, "O")
    return np.array([[_may_follow(left, right) for right in labels] for left in before])


def _may_follow(before: str, tag: str) -> bool:
    """I-X continues B-X or I-X; all else may follow anything."""
    return not tag.startswith("I-") or before in (f"B-{tag[2:]}", tag)


def _check(sentences: Sentences) -> None:
    firsts = set((np.cumsum(sentences.lengths) - sentences.lengths).tolist())
    chunks = sentences.columns["chunk"]
    for t, tag in enumerate(chunks):
        before = "O" if t in firsts else chunks[t - 1]
        if not _may_follow(before, tag):
            where = "the sentence begins" if t in firsts else f"{before} is before it"
            raise UserError(
                f"{sentences.source}, line {sentences.lines[t]}: chunk tag {tag} continues nothing: expected "
                f"B-{tag[2:]} or {tag} before it, but {where}"
            )
