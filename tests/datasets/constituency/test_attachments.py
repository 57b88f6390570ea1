"""Prepositional phrases and what they belong to."""

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.constituency.attachments import attachments_problem, nodes_of
from structbench.datasets.text import brackets

SAW = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man) (PP (IN of) (NP (NN art)))) (PP (IN in) (NP (NN may)))))"


def test_every_phrase_is_an_example_of_its_parents_label():
    trees = brackets.read(SAW, "x")
    problem = attachments_problem(trees, trees)
    assert problem.labels == ("NP", "VP")
    assert problem.train.y.tolist() == [1, 0]  # outer ones first
    assert problem.train.starts.tolist() == [0, 4, 8]
    of, may = problem.train.productions[4:], problem.train.productions[:4]
    assert of[3] == may[3], "PP -> IN NP"
    assert of[2] == may[2], "NP -> NN"
    assert of[0] != may[0] and of[1] != may[1], "words"
    assert problem.train.children.tolist() == [1, 0, 2] * 2


def test_productions_tell_words_from_labels():
    productions = {}
    (tree,) = brackets.read("(A (B B) (C (B c)))", "x")
    nodes = nodes_of(tree, productions)
    assert nodes.productions == [0, 1, 2, 3]
    assert nodes.children == [(), (), (1,), (0, 2)]
    assert set(productions) == {("B", "B"), ("B", "c"), ("C", "B", ""), ("A", "B", "C", "")}


def test_trees_without_such_phrases_are_refused():
    trees = brackets.read("(S (NP (NN grass)) (VP (VBZ grows)))", "x")
    with pytest.raises(UserError, match="the training trees have no constituents PP, whose parents are to be"):
        attachments_problem(trees, trees)


def test_toy_phrases():
    problem = datasets.build("toy-english:sentences=60,task=attachments,test_sentences=30")
    assert {"NP", "VP"} <= set(problem.labels)
    assert len(problem.train.y) > 30
    assert datasets.structure("treebank:task=attachments") == "parse-trees"
    assert datasets.structure("treebank") == "forest"
