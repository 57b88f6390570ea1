"""Relations in given dependency trees: the label of each token's arc, as a labelled tree over the tokens.

These are real substitute data for the web data of l1m3n2009, section 5.4. The nodes of a given tree have labels to
be found from sparse features of high dimension. Some are looked for among many others. The tree's root is the
token under the root of the sentence. Each other token's parent is its head.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.tree import model as tree
from structbench.datasets.problems.labels import coded
from structbench.datasets.problems.problem import Problem, Unlabelled, Vocabulary
from structbench.datasets.text import columns, dependencies, templates
from structbench.datasets.text.dependencies import Sentence
from structbench.datasets.text.lines import decode

NONE = "_"  # what Cast3LB's trees have for most modifiers within phrases
KEY = ("SUJ", "CD", "ATR")  # subject, direct object, attribute
FAR = (1, 2, 3, 5, 8, 16)  # tokens between a word and its head: where classes begin

# A token t; b and a: the tokens before and after it; h: its head; g: its head's head.
NODES = (
    *("w", "l", "c", "p", "m", "suffix", "bp", "ap", "bl", "al", "bp|p|ap"),
    *("hl", "hp", "hm", "gp", "side", "far", "side|far", "first|side", "last|side"),
    *("p|hp", "p|hp|side", "l|hp", "p|hl", "l|hl", "m|hm", "p|hp|gp", "l|hp|side", "p|hl|side", "hp|bp|p"),
)
EDGES = ("c|hc", "side", "hp")


def problem(train: list[Sentence], test: list[Sentence] | None, key: tuple[str, ...] = KEY) -> Problem:
    """The problem of sentences with one token under the root each.

    Labels are the relations of the training sentences. All but ``NONE`` are attributes, ``key`` has the key ones.

    Raises:
        UserError: A sentence has several tokens under the root.
    """
    evaluate = test or []
    learned, learned_parents = _in_tree_order(train)
    tested, tested_parents = _in_tree_order(evaluate)
    labels = tuple(sorted(set(learned.columns["relation"])))
    number = {label: k for k, label in enumerate(labels)}
    nodes = templates.extract(learned, tested, templates.at_each(NODES), marks=False)
    edges = templates.extract(learned, tested, templates.at_each(EDGES), edges=True)

    def split(which: int, sentences: columns.Sentences, parents: np.ndarray) -> tree.Tree:
        y, _ = coded(sentences.columns["relation"], labels)
        return tree.build(nodes.both[which], sentences.lengths, parents, y, len(labels), edges.both[which])

    return Problem(
        split(0, learned, learned_parents),
        split(1, tested, tested_parents) if test else None,
        labels,
        vocabulary={"nodes": nodes.names, "edges": edges.names},
        attributes=tuple(k for k, label in enumerate(labels) if label != NONE),
        key_attributes=tuple(number[label] for label in key if label in number),
        unseen=coded(tested.columns["relation"], labels)[1],
    )


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, **_: Any) -> Unlabelled:
    """New sentences with their trees, in the columns of CoNLL-X. Relations are not read.

    Raises:
        UserError: A line is malformed, heads are no tree, or several tokens are under the root.
    """
    text = decode(content, source)
    sentences = dependencies.read_trees(text, source, single_root=True)
    cells, parents = _in_tree_order(sentences)
    x = templates.rows_of(cells, templates.at_each(NODES), vocabulary["nodes"], marks=False)
    edges = templates.rows_of(cells, templates.at_each(EDGES), vocabulary["edges"], edges=True)
    split = tree.build(x, cells.lengths, parents, np.full(len(parents), -1), len(labels), edges)

    def labelled(i: int, found: np.ndarray) -> list[str]:
        of_token = dict(zip(top_down(sentences[i].heads), found.tolist(), strict=True))
        return [labels[of_token[token]] for token in range(len(found))]

    return Unlabelled(split, *dependencies.around(text, "conllx", dependencies.RELATION_COLUMN), labelled=labelled)


def _in_tree_order(sentences: list[Sentence]) -> tuple[columns.Sentences, np.ndarray]:
    """The cells of which features are made, heads before modifiers, and the place of each token's head."""
    cells: dict[str, list[Any]] = {name: [] for name in _cells(("",), ("",), ("",), ("",), ("",), 0, [0])}
    cells["relation"] = []
    parents: list[int] = []
    for sentence in sentences:
        order = top_down(sentence.heads)
        place = {token: at for at, token in enumerate(order)}
        for token in order:
            head = int(sentence.heads[token]) - 1
            parents.append(place[head] if head >= 0 else tree.ROOT)
            made = _cells(*sentence[:5], token, sentence.heads)
            for name, cell in made.items():
                cells[name].append(cell)
            cells["relation"].append(sentence.relations[token])
    lengths = np.array([len(sentence.words) for sentence in sentences], np.int64)
    return columns.Sentences(cells, lengths, [0] * len(parents), ""), np.array(parents, np.int32)


def top_down(heads: np.ndarray) -> list[int]:
    """The tokens, from 0 on, level by level from the one under the root; ``heads`` as ``Sentence`` has them.

    Raises:
        UserError: There are several under the root.
    """
    below: dict[int, list[int]] = {}
    for token, head in enumerate(heads.tolist()):
        below.setdefault(head - 1, []).append(token)
    order = list(below[-1])
    if len(order) > 1:
        raise UserError(
            f"relations are learned of sentences with one token under the root: found tokens "
            f"{' and '.join(str(token + 1) for token in order)} there"
        )
    for token in order:
        order += below.get(token, [])
    return order


def _cells(words, lemmas, coarse, tags, morphology, token: int, heads) -> dict[str, str | None]:
    """What is known of a token and its surroundings; None where there is nothing."""
    head = int(heads[token]) - 1
    above = int(heads[head]) - 1 if head >= 0 else -1

    def of(cells: tuple[str, ...], at: int) -> str | None:
        return cells[at] if 0 <= at < len(cells) else None

    siblings = [other for other, its in enumerate(heads) if its == heads[token]]
    distance = abs(token - head)
    return {
        "w": words[token].lower(),
        "l": lemmas[token],
        "c": coarse[token],
        "p": tags[token],
        "m": morphology[token],
        "suffix": words[token][-3:].lower() if len(words[token]) > 3 else None,
        "bp": of(tags, token - 1),
        "ap": of(tags, token + 1),
        "bl": of(lemmas, token - 1),
        "al": of(lemmas, token + 1),
        "hl": of(lemmas, head),
        "hp": of(tags, head),
        "hc": of(coarse, head),
        "hm": of(morphology, head),
        "gp": of(tags, above),
        "side": None if head < 0 else "left" if token < head else "right",
        "far": None if head < 0 else str(sum(distance > least for least in FAR)),
        "first": "first" if token == siblings[0] else None,
        "last": "last" if token == siblings[-1] else None,
    }
