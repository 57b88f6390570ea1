"""Penn Treebank brackets: reading, writing, and what is taken off."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.text import brackets
from structbench.datasets.text.trees import Leaf, Node, leaves

VINKEN = """
( (S
    (NP-SBJ-1 (NNP Mr.) (NNP Vinken) )
    (VP (VBZ is)
      (NP-PRD=2
        (NP (NN chairman) )
        (SBAR (WHNP-3 (-NONE- 0) )
          (S (NP-SBJ (-NONE- *T*-3) ) (VP (VBD met) )))))
    (. .) ))
( (NP (-LRB- -LRB-) (NN x) (-RRB- -RRB-)) )
"""
words = st.text("abcxyz.,$'%-=+&;/", min_size=1, max_size=4)
labels = st.text("ABCNPS-=|$.", min_size=1, max_size=4)
drawn = st.recursive(
    st.builds(Leaf, words, labels),
    lambda inner: st.builds(Node, labels, st.lists(inner, min_size=1, max_size=4).map(tuple)),
)
drawn_trees = st.builds(Node, labels, st.lists(drawn, min_size=1, max_size=4).map(tuple))


def test_a_treebank_s_sentences():
    """Traces, functional tags and empty roots are taken off."""
    first, second = brackets.read_brackets(VINKEN, "x")
    assert first.label == second.label == "TOP"
    assert [leaf.word for leaf in leaves(first)] == ["Mr.", "Vinken", "is", "chairman", "0", "*T*-3", "met", "."]
    sentence = first.children[0]
    assert isinstance(sentence, Node)
    subject = sentence.children[0]
    assert isinstance(subject, Node) and subject.label == "NP-SBJ-1"
    assert [brackets.written(tree) for tree in brackets.read_cleaned(VINKEN, "x")] == [
        "(S (NP (NNP Mr.) (NNP Vinken)) (VP (VBZ is) (NP (NP (NN chairman)) (SBAR (S (VP (VBD met)))))) (. .))",
        "(NP (-LRB- -LRB-) (NN x) (-RRB- -RRB-))",
    ]


def test_plain_labels():
    plain = {"NP-SBJ-1": "NP", "NP=2": "NP", "ADVP|PRT": "ADVP", "S": "S", "-LRB-": "-LRB-", "WHNP-3": "WHNP"}
    assert {label: brackets.plain_label(label) for label in plain} == plain


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("((S (NN a)) (. .))", "(TOP (S (NN a)) (. .))"),
        ("(TOP (NN a))", "(TOP (NN a))"),
        ("(ROOT (S (NN a)))", "(S (NN a))"),
        ("(NN a)", "(TOP (NN a))"),
        ("( (S (NN a)))", "(S (NN a))"),
        ("(S (NP (-NONE- *)) (NN a))", "(S (NN a))"),
    ],
)
def test_roots(text, cleaned):
    (tree,) = brackets.read_cleaned(text, "x")
    assert brackets.written(tree) == cleaned


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.lists(drawn_trees, min_size=1, max_size=3))
def test_what_is_written_reads_back(trees):
    text = "\n".join(map(brackets.written, trees))
    for other in (text, text.replace("\n", "\r\n"), " ".join(text.split()), text.replace(" ", "\n \n")):
        assert brackets.read_brackets(other, "x") == trees


def test_trees_of_traces_alone():
    with pytest.raises(UserError, match="f has no trees with words"):
        brackets.read_cleaned("(S (NP (-NONE- *)))", "f")


@pytest.mark.parametrize(
    ("token", "sentence"),
    [
        ("is", "^'is' is no token: expected a pair of a word and its part of speech$"),
        ({"word": "is", "tag": "VBZ"}, "is no token"),
        ({"is", "VBZ"}, "is no token"),
        (("is",), "is no token"),
        (("is", "VBZ", "V"), "is no token"),
        (("is", 3), "^3 is no cell of a token"),
    ],
)
def test_new_tokens_are_pairs(token, sentence):
    assert brackets.written_tokens([[["is", "VBZ"]]]) == "(TOP (VBZ is))"
    with pytest.raises(UserError, match=sentence):
        brackets.written_tokens([[("it", "PRP"), token]])


@pytest.mark.parametrize("sentence", [[], [("*T*-1", "-NONE-")]])
def test_new_sentences_have_words(sentence):
    """One of traces alone has no tree, and answers would not line up with the sentences."""
    traces = brackets.written_tokens([[("*T*-1", "-NONE-"), ("is", "VBZ")]])
    assert [brackets.written(tree) for tree in brackets.read_cleaned(traces, "x")] == ["(TOP (VBZ is))"]
    with pytest.raises(UserError, match=r"has no words: expected one or more, which are no traces$"):
        brackets.written_tokens([[("it", "PRP")], sentence])


@pytest.mark.parametrize("label", ["none", "none-SBJ", "none=2"])
def test_no_constituent_has_the_label_of_other_spans(label):
    """Else it is lost from the trees that are predicted."""
    with pytest.raises(UserError, match=f"^x, line 2: expected a label other than none, .* found '{label}'$"):
        brackets.read_brackets(f"(S (NN a))\n(S ({label} (NN b)))", "x")
    assert brackets.read_brackets("(None (none a))", "x")


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2028", "\u0085", "\x1c"])
def test_spaces_of_other_kinds_are_parts_of_words(space):
    word = f"10{space}000"
    (tree,) = brackets.read_cleaned(f"(S (CD {word}) (NN x))", "x")
    assert word in brackets.written(tree)
    assert word in brackets.written_tokens([[(word, "CD")]])
