"""The toy language: chunks, entities and heads by hand."""

import pytest

from structbench.datasets.text.trees import Leaf, Node, leaves
from structbench.datasets.toy import english
from structbench.datasets.toy.heads import heads


def node(label, *children):
    """Children are nodes or tokens, word/TAG."""
    return Node(label, tuple(Leaf(*c.rsplit("/", 1)) if isinstance(c, str) else c for c in children))


def test_chunks_of_a_tree():
    tree = node(
        "CLAUSE",
        node("NP-SG", node("BASE-SG", "the/DT", node("NBAR-SG", "cat/NN"))),
        node("VP-SG", node("VERB-tr-SG", node("BE-SG", "is/VBZ"), "up/VBN")),
        node("BASE-object", "it/PRP"),
        node("BASE-time", "today/NN"),
        "./.",
    )
    assert english.chunks(tree) == ["B-NP", "I-NP", "B-VP", "I-VP", "B-NP", "B-NP", "O"]


def test_entities_of_a_tree():
    tree = node(
        "CLAUSE",
        node("BASE-SG", node("NAME", node("PERSON", "Bo/NNP", "Di/NNP"))),
        node("BASE-SG", node("NAME", node("FIRM", "Di/NNP", "and/CC", "Lu/NNP"))),
        node("BASE-SG", "the/DT", node("NBAR-SG", "Wek/NNP", "plan/NN")),
        node("BASE-SG", node("NAME", node("PLACE", "Wek/NNP"))),
        node("BASE-time", "March/NNP", "3/CD"),
    )
    assert " ".join(english.entities(tree)) == "B-PER I-PER B-ORG I-ORG I-ORG O B-MISC O B-LOC O O"


# ---- heads ---------------------------------------------------------------------------------------


def noun(word):
    return node("NP-SG", node("BASE-SG", "the/DT", node("NBAR-SG", f"{word}/NN")))


SLEEP = node("CLAUSE", noun("cat"), node("VP-SG", node("VERB-in-SG", "may/MD", "not/RB", "sleep/VB")))
DOG = node("BASE-SG", "its/PRP$", "dog/NN")
EAR, MAN = node("GENITIVE-SG", "'s/POS", "ear/NN"), noun("man")
CATS, DOGS = node("BASE", "cats/NNS"), node("BASE", "old/JJ", "dogs/NNS")
TOLD, BUY = node("VERB-tr-SG", "told/VBD"), node("VERB-inf", "to/TO", "buy/VB")
RAN = node("CLAUSE", node("NP-SG", node("BASE-SG", "it/PRP")), node("VP-SG", node("VERB-in-SG", "ran/VBD")))
SAID, THAT = node("VERB-cl-SG", "said/VBD"), node("COMP-that", "that/IN")
BY, BUYING, CAR = node("PREP-means", "by/IN"), node("VERB-ing", "buying/VBG"), node("NP", noun("car"))


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (node("TEXT", "But/CC", SLEEP, "./."), "But<sleep the<cat cat<sleep may<sleep not<sleep sleep<- .<sleep"),
        (node("NP-SG", node("BASE", DOG), EAR), "its<dog dog<ear 's<ear ear<-"),
        (node("NP-PL", CATS, "and/CC", DOGS), "cats<- and<cats old<dogs dogs<cats"),
        (node("VP-SG", TOLD, MAN, BUY, CAR), "told<- the<man man<told to<buy buy<told the<car car<buy"),
        (node("VP-SG", SAID, THAT, RAN), "said<- that<said it<ran ran<that"),
        (node("ADJUNCT", BY, BUYING, CAR), "by<- buying<by the<car car<buying"),
        (node("ADVP", "even/RB", "quickly/RB"), "even<quickly quickly<-"),
        (Leaf("no", "UH"), "no<-"),
    ],
)
def test_by_hand(tree, expected):
    """Each token with the word of its head, or - under the root."""
    words = [leaf.word for leaf in leaves(tree)]
    found = [f"{word}<{words[head - 1] if head else '-'}" for word, head in zip(words, heads(tree), strict=True)]
    assert found == expected.split(" ")
