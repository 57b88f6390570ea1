"""Heads of the toy language: by hand on small trees, and projective trees with one root on drawn ones."""

from itertools import islice

import numpy as np
import pytest

from structbench.datasets.text.projectivity import crossing
from structbench.datasets.text.trees import Leaf, Node, leaves
from structbench.datasets.toy import english
from structbench.datasets.toy.heads import HEADS, heads


def node(label, *children):
    """Children are nodes or tokens, word/TAG."""
    return Node(label, tuple(Leaf(*c.rsplit("/", 1)) if isinstance(c, str) else c for c in children))


def noun(word):
    return node("NP-SG", node("BASE-SG", "the/DT", node("NBAR-SG", f"{word}/NN")))


def named(tree):
    """Each token with the word of its head, or - under the root."""
    words = [leaf.word for leaf in leaves(tree)]
    return [f"{word}<{words[head - 1] if head else '-'}" for word, head in zip(words, heads(tree), strict=True)]


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (
            node(
                "TEXT",
                "But/CC",
                node("CLAUSE", noun("cat"), node("VP-SG", node("VERB-in-SG", "may/MD", "not/RB", "sleep/VB"))),
                "./.",
            ),
            "But<sleep the<cat cat<sleep may<sleep not<sleep sleep<- .<sleep",
        ),
        (
            node(
                "VP-SG", node("VERB-be-SG", node("BE-SG", "is/VBZ"), "not/RB"), node("PRED", "very/RB", "big/JJ")
            ),
            "is<- not<is very<big big<is",
        ),
        (
            node(
                "NP-SG",
                node("BASE", node("BASE-SG", "its/PRP$", "dog/NN")),
                node("GENITIVE-SG", "'s/POS", "ear/NN"),
            ),
            "its<dog dog<ear 's<ear ear<-",
        ),
        (
            node("NP-PL", node("BASE", "cats/NNS"), "and/CC", node("BASE", "old/JJ", "dogs/NNS")),
            "cats<- and<cats old<dogs dogs<cats",
        ),
        (
            node(
                "VP-SG",
                node("VERB-tr-SG", "told/VBD"),
                noun("man"),
                node("VERB-inf", "to/TO", "buy/VB"),
                node("NP", noun("car")),
            ),
            "told<- the<man man<told to<buy buy<told the<car car<buy",
        ),
        (
            node(
                "VP-SG",
                node("VERB-cl-SG", "said/VBD"),
                node("COMP-that", "that/IN"),
                node(
                    "CLAUSE",
                    node("NP-SG", node("BASE-SG", "it/PRP")),
                    node("VP-SG", node("VERB-in-SG", "ran/VBD")),
                ),
            ),
            "said<- that<said it<ran ran<that",
        ),
        (
            node("ADJUNCT", node("PREP-means", "by/IN"), node("VERB-ing", "buying/VBG"), node("NP", noun("car"))),
            "by<- buying<by the<car car<buying",
        ),
        (
            node("PP", node("PREP", "because/IN", "of/IN"), node("NP", noun("car"))),
            "because<of of<- the<car car<of",
        ),
        (node("ADVP", "even/RB", "quickly/RB"), "even<quickly quickly<-"),
        (Leaf("no", "UH"), "no<-"),
    ],
)
def test_by_hand(tree, expected):
    assert named(tree) == expected.split(" ")


def test_drawn_trees_are_projective_and_have_one_root():
    for tree in islice(english.trees(0, "train"), 500):
        found = np.array(heads(tree))
        assert len(found) == len(list(leaves(tree)))
        assert (found == 0).sum() == 1
        assert not crossing(found).any()


def test_rules_are_of_symbols_of_the_grammar():
    drawn = {}

    def collect(tree):
        if isinstance(tree, Node):
            kinds = drawn.setdefault(tree.label.partition("-")[0], set())
            kinds |= {c.tag if isinstance(c, Leaf) else c.label.partition("-")[0] for c in tree.children}
            for child in tree.children:
                collect(child)

    for tree in islice(english.trees(0, "train"), 500):
        collect(tree)
    for symbol, kinds in HEADS.items():
        assert drawn[symbol] >= set(kinds), symbol
