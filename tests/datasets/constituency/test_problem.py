"""Problems of trees: what is right, what costs, what each edge's features are; attachments of phrases."""

from itertools import pairwise

import numpy as np
import pytest

from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import part_rows
from structbench.bench.checks.operations import operations
from structbench.datasets.constituency import edge_features
from structbench.datasets.constituency.attachments import attachments_problem, nodes_of
from structbench.datasets.constituency.binarised import Options
from structbench.datasets.constituency.problem import parsing_problem
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.text import brackets
from structbench.datasets.text.trees import Leaf, leaves
from tests.datasets.matrices import array_of

TRAIN = """(S (NP (DT the) (NN cat)) (VP (VBD saw) (NP (DT the) (JJ old) (NN dog))))
(S (NP (DT the) (NN dog)) (VP (VBD slept)))
(S (VP (VB go)))
(S (NP (DT the) (JJ big) (NN dog)) (VP (VBD saw) (NP (NN cat)) (PP (IN in) (NP (NN town)))))
(S (NP (NP (DT the) (NN cat)) (PP (IN in) (NP (NN town)))) (VP (VBD slept)))
"""
TEST = """(S (NP (DT a) (NN cat)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN in) (NP (NN town)))))
(S (NP (UNK a)) (VP (VBD slept)))
(X (VBD slept) (VBD slept))
"""


@pytest.fixture(scope="module", params=[0, 1])
def problem(request):
    options = Options(horizontal=request.param, prune=1e-3)
    return parsing_problem(brackets.read_brackets(TRAIN, "x"), brackets.read_brackets(TEST, "x"), options)


def test_the_same_bits_for_any_number_of_threads():
    made = []
    for threads in (1, 2, 5):
        with parallel.using(threads):
            made.append(
                parsing_problem(brackets.read_brackets(TRAIN, "x"), brackets.read_brackets(TEST, "x"), Options())
            )
    assert len(set(map(fingerprint, made))) == 1


def answers(split, i):
    s = np.zeros(parts.num_parts(split, i))
    return operations(split, i, np.zeros(parts.num_weights(split)), s, s)


def test_right_trees_cost_nothing_and_are_right(problem):
    split = problem.train
    for i in range(parts.num_examples(split)):
        y = split.gold[split.part_starts[i] : split.part_starts[i + 1]].astype(float)
        score = 100.0 * y
        got = operations(split, i, np.zeros(parts.num_weights(split)), score, score)
        np.testing.assert_array_equal(got.best, y)
        np.testing.assert_array_equal(got.best_labels, got.right)
        np.testing.assert_array_equal(got.gold, y)
        assert y @ split.losses[split.part_starts[i] : split.part_starts[i + 1]] == 0


def test_labels_and_sentences_that_training_lacks(problem):
    assert problem.train.y.min() >= 0, "every training tree is in its forest"
    known = [problem.test.y[a:b].min() >= 0 for a, b in pairwise(problem.test.output_starts)]
    assert known[1:] == [False, False]
    assert problem.labels[-1] == "X", "a label that only test trees have is never right"
    assert "X" in [problem.labels[k] for k in problem.test.right]
    assert not (problem.train.given == len(problem.labels) - 1).any()
    for i in (1, 2):
        got = answers(problem.test, i)
        assert got.log_z == got.top == -np.inf
        assert not got.best_labels.any()
        assert got.right.any()


def test_wrong_spans_cost(problem):
    """The loss of a tree is the number of nodes of its binarised form that the right one has not."""
    split = problem.train
    i = 4
    edges = range(split.part_starts[i], split.part_starts[i + 1])
    right = {split.decisions[e]: split.given[e] for e in edges if split.gold[e]}
    for e in edges:
        if split.decisions[e] >= 0:
            assert split.losses[e] == (right.get(split.decisions[e]) != split.given[e])


def test_features_are_those_of_right_trees_and_each_rule_has_one(problem):
    counts = np.zeros(parts.num_weights(problem.train))
    offsets = parts.offsets(problem.train)
    parts.add_expected_features(problem.train, 0, offsets, problem.train.gold.astype(float), counts)
    assert counts.min() > 0, "every feature is that of a right tree"
    rows = ft.as_matrix(part_rows.all_columns(problem.train))
    assert rows.max() == 1
    assert (rows.sum(axis=1) >= 1).all()
    assert parts.num_weights(problem.test) == parts.num_weights(problem.train)


def edges(*rows):
    """Binary and lexical ones, (rule, label, begin, split, end, kind)."""
    return edge_features.Edges(*np.array(rows).T)


def test_templates():
    """Each feature tells two edges apart that differ in what it is of."""
    tokens = [list(leaves(brackets.read_brackets(TRAIN, "x")[0]))]
    known = edge_features.vocabulary(tokens)
    numbers = edge_features.numbered(tokens, known)
    assert numbers.words[0] == numbers.words[-1] == edge_features.OUTSIDE
    assert numbers.starts.tolist() == [1]
    base = (0, 5, 1, 3, 7, edge_features.BINARY)
    given = edges(
        base, (0, 6, 1, 3, 7, 0), (0, 5, 2, 3, 7, 0), (0, 5, 1, 4, 7, 0), (0, 5, 1, 3, 6, 0), (3, 5, 1, 0, 2, 1)
    )
    gold = np.ones(6, bool)
    columns = edge_features.columns(given, gold, numbers, known, num_rules=4)
    x = array_of(edge_features.features(given, numbers, known, columns))
    assert x[:, :4].tolist() == [[1, 0, 0, 0]] * 5 + [[0, 0, 0, 1]]
    assert x.sum(axis=1).tolist() == [10] * 5 + [4]
    shared = (x[:, 4:] @ x[:, 4:].T).astype(int)
    assert shared[0, 1] == 0  # another label: no feature but the rule's
    assert shared[0, 2] == 4  # another beginning: last word, next word, last tags and split stay
    assert shared[0, 3] == 8  # another split alone
    assert shared[0, 4] == 4  # another end
    assert shared[0, 5] == 0
    given, gold = edges(base, (1, 6, 1, 3, 7, 0)), np.array([True, False])  # the second is of no right tree
    columns = edge_features.columns(given, gold, numbers, known, num_rules=2)
    x = ft.as_matrix(edge_features.features(given, numbers, known, columns))
    assert x.sum(axis=1).tolist() == [10, 1]


def test_rare_words_share_a_class():
    words = ["Running", "Jumping", "x-ray", "1990", "ing"]
    classes = [edge_features.word_class(word) for word in words]
    assert classes[0] == classes[1]
    assert len(set(classes)) == 4
    known = edge_features.vocabulary([[Leaf("dog", "NN"), Leaf("dog", "NN"), Leaf("Running", "VB")]])
    numbers = edge_features.numbered([[Leaf("dog", "NN"), Leaf("Jumping", "VB"), Leaf("Q", "ZZ")]], known)
    assert numbers.words.tolist() == [0, known.words["dog"], known.words[classes[0]], len(known.words) + 1, 0]
    assert numbers.tags.tolist() == [0, 1, 2, 3, 0]


# ---- attachments ------------------------------------------------------------------------------------


SAW = "(S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man) (PP (IN of) (NP (NN art)))) (PP (IN in) (NP (NN may)))))"


def test_every_phrase_is_an_example_of_its_parents_label():
    trees = brackets.read_brackets(SAW, "x")
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
    (tree,) = brackets.read_brackets("(A (B B) (C (B c)))", "x")
    nodes = nodes_of(tree, productions)
    assert nodes.productions == [0, 1, 2, 3]
    assert nodes.children == [(), (), (1,), (0, 2)]
    assert set(productions) == {("B", "B"), ("B", "c"), ("C", "B", ""), ("A", "B", "C", "")}


def test_rare_parents_are_left_out():
    """Of 123 phrases one belongs to X, two to Y."""
    others = "".join(f"(S ({label} (A a) (PP (IN of) (NP (NN art)))))" for label in "XYY")
    trees = brackets.read_brackets(SAW * 60 + others, "x")
    assert attachments_problem(trees, trees).labels == ("NP", "VP", "Y")


def test_trees_without_such_phrases_are_refused():
    trees = brackets.read_brackets("(S (NP (NN grass)) (VP (VBZ grows)))", "x")
    with pytest.raises(UserError, match="the training trees have no constituents PP, whose parents are to be"):
        attachments_problem(trees, trees)
