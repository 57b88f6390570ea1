"""Trees in Chomsky normal form and back, and heads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.datasets.constituency.binarised import FROM_THE_RIGHT, Options, Pair, Symbol, Word, binarised
from structbench.datasets.constituency.heads import head_child
from structbench.datasets.constituency.treebank_grammar import positions
from structbench.datasets.text import brackets
from structbench.datasets.text.trees import Leaf, Node

labels = st.sampled_from(["S", "NP", "VP", "X"])
drawn = st.recursive(
    st.builds(Leaf, st.sampled_from(["a", "b"]), st.sampled_from(["NN", "DT", "VB"])),
    lambda inner: st.builds(Node, labels, st.lists(inner, min_size=1, max_size=5).map(tuple)),
    max_leaves=12,
)


def tree(text: str) -> Node:
    return brackets.read_brackets(text, "x")[0]


def written(item: Pair | Word) -> str:
    symbol = item.symbol
    name = ("@" if symbol.partial else "") + ("+".join(symbol.chain) or symbol.tag)
    name += f"[{' '.join(symbol.context)}]" if symbol.context else ""
    if isinstance(item, Word):
        return f"{name}:{item.leaf.word}"
    return f"({name} {written(item.left)} {written(item.right)})"


def debinarised(item: Pair | Word) -> Node | Leaf:
    """The tree of which this is the binarised one."""

    def pieces(item: Pair | Word) -> tuple[Node | Leaf, ...]:
        below = (item.leaf,) if isinstance(item, Word) else (*pieces(item.left), *pieces(item.right))
        for label in () if item.symbol.partial else reversed(item.symbol.chain):
            below = (Node(label, below),)
        return below

    (found,) = pieces(item)
    return found


@settings(max_examples=100, deadline=None, derandomize=True)
@given(drawn, st.sampled_from(["right", "left", "head"]), st.integers(0, 3), st.integers(1, 3), st.booleans())
def test_a_binarised_tree_is_the_same_tree(tree, factor, horizontal, vertical, head_tags):
    found = binarised(tree, Options(factor, horizontal, vertical, head_tags=head_tags))
    assert debinarised(found) == tree
    spans = [(begin, end) for _, begin, _, end in positions(found).nodes]
    assert len(spans) == len(set(spans)), "every span has one symbol"


FLAT = "(VP (MD a) (RB b) (VB c) (NP d) (PP e))"


@pytest.mark.parametrize(
    ("factor", "horizontal", "result"),
    [
        ("right", 0, "(VP MD:a (@VP RB:b (@VP VB:c (@VP NP:d PP:e))))"),
        ("right", 1, "(VP MD:a (@VP[MD] RB:b (@VP[RB] VB:c (@VP[VB] NP:d PP:e))))"),
        ("right", 2, "(VP MD:a (@VP[MD] RB:b (@VP[MD RB] VB:c (@VP[RB VB] NP:d PP:e))))"),
        ("left", 1, "(VP (@VP[> PP] (@VP[> NP] (@VP[> VB] MD:a RB:b) VB:c) NP:d) PP:e)"),
        ("head", 0, "(VP (@VP[>] (@VP[>] (@VP[>] MD:a RB:b) VB:c) NP:d) PP:e)"),
    ],
)
def test_constituents_are_cut_into_pairs(factor, horizontal, result):
    assert written(binarised(tree(FLAT), Options(factor, horizontal))) == result


def test_head_outward():
    """From the left up to the head, then from the right: each tree has one such form."""
    found = binarised(tree("(NP (DT a) (JJ b) (NN c) (PP d))"), Options("head", 1))
    assert written(found) == "(NP DT:a (@NP[DT] JJ:b (@NP[JJ] NN:c PP:d)))"
    found = binarised(tree("(S (ADVP a) (VP b) (PP c) (. .))"), Options("head", 1))
    assert written(found) == f"(S ADVP:a (@S[ADVP] (@S[{FROM_THE_RIGHT} .] VP:b PP:c) .:.))"


def test_chains_are_one_symbol():
    found = binarised(tree("(S (NP (NP (NN a))) (S (VP (VB b) (ADVP (RB c)))))"))
    assert written(found) == "(S NP+NP:a (S+VP VB:b ADVP:c))"
    assert isinstance(found, Pair) and isinstance(found.right, Pair)
    assert found.left.symbol == Symbol(("NP", "NP"))
    assert found.right.left.symbol == Symbol((), "VB")


def test_labels_above():
    text = "(S (NP (NN a)) (S (VP (VB b) (NP (DT c) (NN d) (NN e)))))"
    assert (
        written(binarised(tree(text), Options(vertical=2)))
        == "(S NP[S]:a (S+VP[S] VB:b (NP[VP] DT:c (@NP[VP] NN:d NN:e))))"
    )
    assert written(binarised(tree(text), Options(vertical=3))).count("NP[VP S]") == 2


def test_symbols_know_the_part_of_speech_of_their_head():
    found = binarised(tree("(S (NP (DT a) (NN b)) (S (VP (MD c) (RB d) (NP (NN e)))))"), Options(head_tags=True))
    assert written(found) == "(S[^MD] (NP[^NN] DT:a NN:b) (S+VP[^MD] MD:c (@VP[^MD] RB:d NP[^NN]:e)))"
    found = binarised(tree("(S (NP (NN a)) (VP (VB b) (NP (NN c))))"), Options(vertical=2, head_tags=True))
    assert written(found) == "(S[^VB] NP[S ^NN]:a (VP[S ^VB] VB:b NP[VP ^NN]:c))"


HEADS = """NP: DT JJ *NN | NP: NP PP *NN | NP: *NP PP | NP: DT *CD | NP: DT *JJ | NP: *PRP | VP: *MD RB VP
VP: ADVP *VBD NP | PP: *IN NP | PP: RB *IN NP | S: NP *VP . | SBAR: *WHNP S | QP: IN *$ CD | UCP: NP CC *ADJP
unknown: *A B | NX: DT *NN | NP: *NP $ PRP | PP: IN *IN | VP: *VB VB"""


@pytest.mark.parametrize("given", HEADS.replace("\n", " | ").split(" | "))
def test_heads(given):
    """A star marks the head."""
    label, _, children = given.partition(": ")
    marked = children.split()
    assert marked[head_child(label, children.replace("*", "").split())].startswith("*")
