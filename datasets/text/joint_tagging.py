"""Parts of speech and chunks at once, from the words alone (laso2005, section 4.2), as a ``joint`` problem.

The features of a token are the base features of laso2005, section 4.1 (``word_features``), of the word and some of
its neighbours. The regular expressions of Sutton, Rohanimanesh and McCallum (2004) come at offsets -3 .. 3.
Further features are pairs and triples of words, endings, entries of a lexicon from the training sentences, and
WordNet's classes. Parts of speech are predicted, so no feature uses those of test sentences. Features that occur
once are left out. Accuracy on the last tenth of the training sentences decided all this.
"""

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features, joint
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Names, Problem, Unlabelled, Vocabulary
from structbench.datasets.text import chunking, columns, templates, word_features, wordnet
from structbench.datasets.text.columns import Sentences
from structbench.datasets.text.lines import decode

MIN_COUNT = 2

AFFIXES = tuple(f"{end}{n}[0]" for end in ("first", "last") for n in (1, 2, 3))
TEMPLATES = (
    *(f"w[{offset}]" for offset in range(-3, 4)),
    *("w[-2]|w[-1]", "w[-1]|w[0]", "w[0]|w[1]", "w[1]|w[2]", "w[-1]|w[1]"),
    *(f"{name}[{offset}]" for name in ("lower", "case", "lists") for offset in (-1, 0, 1)),
    *("stem[0]", "ending[0]", *AFFIXES),
    *(f"patterns[{offset}]" for offset in range(-3, 4)),
    *("w[0]|last3[1]", "w[0]|last2[1]", "last3[-1]|w[0]", "w[-1]|last3[0]", "last3[0]|w[1]"),
    *("last2[-1]|last2[0]", "last2[0]|last2[1]"),
    *("lexicon[0]", "lexicon[1]", "lexicon[2]", "lexicon[-1]|w[0]", "w[0]|lexicon[1]"),
    *("lexicon[-1]|lexicon[0]", "lexicon[0]|lexicon[1]", "lexicon[1]|lexicon[2]"),
    *("lexicon[-1]|lexicon[0]|lexicon[1]", "lexicon[0]|lexicon[1]|lexicon[2]"),
    *("wordnet[-1]", "wordnet[0]", "wordnet[1]", "wordnet[0]|case[0]", "wordnet[-1]|wordnet[0]"),
    *("wordnet[0]|wordnet[1]", "w[-1]|wordnet[0]", "wordnet[0]|w[1]", "wordnet[-1]|wordnet[0]|wordnet[1]"),
)


def joint_problem(learn: Sentences, evaluate: Sentences) -> Problem:
    """The problem of training and test sentences with columns w, pos, chunk, and, where there is one, wordnet.

    With wordnet, new sentences need the ``lemmas`` in the vocabulary, too.

    Raises:
        UserError: A chunk tag continues nothing, or the training sentences have no chunk.
    """
    x, x_test, vocabulary = token_features(learn, evaluate)
    tags, labels = (tuple(sorted(set(learn.columns[name]))) for name in ("pos", "chunk"))
    sizes = len(tags), len(labels), continues(labels)
    train = joint.build(x, learn.lengths, codes(learn, tags, labels), *sizes)
    given = codes(evaluate, tags, labels)
    test = joint.build(x_test, evaluate.lengths, given, *sizes)
    written = zip(evaluate.columns["pos"], evaluate.columns["chunk"], given.tolist(), strict=True)
    unseen = tuple(f"{tag} {label}" for tag, label, code in written if code < 0)
    return Problem(train, test, labels, tags=tags, vocabulary=vocabulary | {"tags": [*tags]}, unseen=unseen)


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary) -> Unlabelled:
    """New sentences for a model of ``joint_problem``: words, maybe with parts of speech and chunk tags.

    Raises:
        UserError: A line is malformed.
    """
    x, sentences = encoded(content, source, vocabulary)
    tags, tokens = vocabulary["tags"], len(sentences.lines)
    split = joint.build(x, sentences.lengths, np.full(tokens, -1), len(tags), len(labels), continues(labels))

    def labelled(_: int, found: np.ndarray) -> list[str]:
        return [f"{tags[k // len(labels)]} {labels[k % len(labels)]}" for k in found.tolist()]

    before, mark = sentences.written, sentences.mark
    return Unlabelled(split, before, [""] * tokens, lambda both: both.replace(" ", mark), labelled)


def encoded(content: bytes, source: str, vocabulary: Vocabulary) -> tuple[features.Features, Sentences]:
    """Features of the tokens of new sentences, and the words, the one column that is read.

    Raises:
        UserError: A line is malformed.
    """
    sentences = columns.read_unlabelled(decode(content, source), chunking.COLUMNS, 1, source)
    words = sentences._replace(columns={"w": sentences.columns["w"]})
    described = _with_columns(words, vocabulary)
    return templates.rows_of(described, TEMPLATES, vocabulary["nodes"]), words


def token_features(
    learn: Sentences, evaluate: Sentences
) -> tuple[features.Features, features.Features, Vocabulary]:
    """Features of the tokens of training and test sentences, from their words alone, and their vocabulary.

    Raises:
        UserError: As ``joint_problem``.
    """
    if not any(tag.startswith("B-") for tag in learn.columns["chunk"]):
        raise UserError(f"{learn.source}: expected chunk tags O, B-type and I-type with at least one B-type")
    for sentences in (learn, evaluate):
        chunking.refuse_broken(sentences)
    vocabulary: Vocabulary = {
        "lists": {name: sorted(members) for name, members in word_features.learn_lists(learn).items()},
        "lexicon": word_features.learn_lexicon(learn),
    }
    described = [_with_columns(sentences, vocabulary) for sentences in (learn, evaluate)]
    x, x_test, names = templates.extract(described[0], described[1], TEMPLATES)
    frequent = np.flatnonzero(x.counts >= MIN_COUNT)
    vocabulary["nodes"] = Names(names[k] for k in frequent.tolist())
    return features.take_columns(x, frequent), features.take_columns(x_test, frequent), vocabulary


def _with_columns(sentences: Sentences, vocabulary: Vocabulary) -> Sentences:
    lists = {name: set(members) for name, members in vocabulary["lists"].items()}
    described = word_features.add_patterns(word_features.add_columns(sentences, lists))
    if "wordnet" not in described.columns:
        lemmas = vocabulary.get("lemmas")
        classes = {"wordnet": lambda word: None if lemmas is None else wordnet.classes(word, lemmas)}
        described = described.with_word_features(**classes)
    return word_features.add_lexicon(described, vocabulary["lexicon"])


def codes(sentences: Sentences, tags: tuple[str, ...], labels: tuple[str, ...]) -> np.ndarray:
    """tag * len(labels) + chunk tag of each token, -1 where either is not among the names."""
    p, c = coded(sentences.columns["pos"], tags)[0], coded(sentences.columns["chunk"], labels)[0]
    return np.where((p >= 0) & (c >= 0), p * len(labels) + c, -1)


def continues(labels: tuple[str, ...]) -> np.ndarray:
    """Which chunk tag may follow which, bool (labels + 1, labels); the last row is a sentence's beginning."""
    before = (*labels, "O")
    return np.array([[chunking.may_follow(left, right) for right in labels] for left in before])
