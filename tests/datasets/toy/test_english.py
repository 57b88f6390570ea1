"""The toy language: its words fit their classes, its trees have the right chunks and entities."""

import re
from itertools import islice, pairwise

from structbench.datasets.text.trees import Leaf, Node
from structbench.datasets.toy import english


def test_function_words_are_no_stems():
    literal = {word for word, _ in (pair.rsplit("/", 1) for pair in re.findall(r"\S+/\S+", english.RULES))}
    open_classes = ("@noun", "@adj", "@manner", "@tr", "@in")
    made = {
        word
        for name, words in english.lexicon(literal).items()
        if name.endswith(open_classes) and not name.startswith("NNP")
        for word in words
    }
    assert len(made) > 5000
    assert not made & literal


def test_words_of_several_tags():
    tags = english.grammar().tags()
    assert sum(len(found) > 1 for found in tags.values()) > 1000
    assert tags["that"] == ["DT", "IN", "WDT"]
    assert {"IN", "RP"} <= set(tags["in"])


def test_numbers_agree():
    bad = {("NP-SG", "VP-PL"), ("NP-PL", "VP-SG")}

    def check(node):
        if isinstance(node, Node):
            labels = [child.label for child in node.children if isinstance(child, Node)]
            assert not bad & set(pairwise(labels))
            for child in node.children:
                check(child)

    for tree in islice(english.trees(0, "train"), 300):
        check(tree)


def test_chunks_of_a_tree():
    def node(label, *children):
        return Node(label, children)

    tree = node(
        "CLAUSE",
        node("NP-SG", node("BASE-SG", Leaf("the", "DT"), node("NBAR-SG", Leaf("cat", "NN")))),
        node("VP-SG", node("VERB-tr-SG", node("BE-SG", Leaf("is", "VBZ")), Leaf("up", "VBN"))),
        node("BASE-object", Leaf("it", "PRP")),
        node("BASE-time", Leaf("today", "NN")),
        Leaf(".", "."),
    )
    assert english.chunks(tree) == ["B-NP", "I-NP", "B-VP", "I-VP", "B-NP", "B-NP", "O"]


def test_entities_of_a_tree():
    def node(label, *children):
        return Node(label, children)

    person = node("NAME", node("PERSON", Leaf("Bo", "NNP"), Leaf("Di", "NNP")))
    firm = node("NAME", node("FIRM", Leaf("Di", "NNP"), Leaf("and", "CC"), Leaf("Lu", "NNP")))
    place = node("NBAR-SG", Leaf("Wek", "NNP"), Leaf("plan", "NN"))
    tree = node(
        "CLAUSE",
        node("BASE-SG", person),
        node("BASE-SG", firm),
        node("BASE-SG", Leaf("the", "DT"), place),
        node("BASE-SG", node("NAME", node("PLACE", Leaf("Wek", "NNP")))),
        node("BASE-time", Leaf("March", "NNP"), Leaf("3", "CD")),
    )
    assert english.entities(tree) == [
        *("B-PER", "I-PER", "B-ORG", "I-ORG", "I-ORG", "O", "B-MISC", "O", "B-LOC", "O", "O")
    ]


def test_other_proper_nouns_are_days_and_months():
    """What ``entities`` relies on."""
    classes = set(re.findall(r"NNP@(\w+)", english.RULES))
    assert classes == {"first", "last", "firm", "place", "weekday", "month"}
    assert {"Monday", "March"} <= english.CALENDAR
    assert not english.CALENDAR & set(english.lexicon([])["NNP@place"])
