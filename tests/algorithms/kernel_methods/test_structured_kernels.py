"""Kernels of strings and trees against all subsequences and fragments, and learners on them against weights."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.kernel_methods import similarity
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass, parse_trees, strings
from structbench.bench.runs import catalogue
from tests.algorithms.kernel_methods.compared import (
    drawn_strings,
    drawn_trees,
    fragments,
    normalised,
    subsequences,
)
from tests.algorithms.solvers import solved, start
from tests.narrowing import not_none

TEXTS = st.lists(st.text("abc", max_size=7), min_size=2, max_size=5)
LENGTH, DECAY = 3, 0.6


def points(name, split, length=LENGTH, decay=DECAY):
    return similarity.named_kernel(name, 1.0, length, decay).points(split)


def check(kernel, split, rows, length=LENGTH, decay=DECAY):
    """The kernel is the product of the rows; of part of the points or of the split, that of part of them."""
    mine, expected = points(kernel, split, length, decay), rows @ rows.T
    np.testing.assert_allclose(mine.against(mine), expected, rtol=1e-9, atol=1e-12)
    some = np.arange(len(rows))[::-2]
    for part in (mine.take(some), points(kernel, parts.take(split, some), length, decay)):
        np.testing.assert_allclose(part.against(mine), expected[some], rtol=1e-9, atol=1e-12)


@given(TEXTS, st.integers(1, 4), st.floats(0.05, 1.0))
@settings(max_examples=40, deadline=None, derandomize=True)
def test_the_string_kernel_is_the_product_of_subsequences(texts, length, decay):
    split = strings.build(texts, np.zeros(len(texts), int), 1)
    rows = normalised([subsequences(text, length, decay) for text in texts])
    check("string", split, rows, length, decay)


@pytest.mark.parametrize("decay", [0.3, 1.0])
def test_the_tree_kernel_is_the_product_of_fragments(decay):
    trees, split = drawn_trees(0, 30)
    assert len({len(fragments(tree, 1.0)) for tree in trees}) > 3
    check("tree", split, normalised([fragments(tree, decay) for tree in trees]), decay=decay)


DRAWN = {
    "string": (drawn_strings, lambda text: subsequences(text, LENGTH, DECAY)),
    "tree": (drawn_trees, lambda tree: fragments(tree, DECAY)),
}


@pytest.mark.parametrize("kernel", DRAWN)
def test_the_kernel_svm_meets_the_optimum_on_features_written_out(kernel):
    draw, features = DRAWN[kernel]
    examples, split = draw(1)
    objective, solver = start("kernel-svm", split, "hinge", 0.5, kernel=kernel, length=LENGTH, decay=DECAY)
    *_, last = solver
    found = not_none(last.hints.model).evaluate(
        objective, last.vector * last.scale, not_none(last.dual).conjugate, None
    )
    assert found.primal - found.dual < 1e-9 * found.primal
    rows = ft.dense(normalised([features(example) for example in examples]))
    best = solved("smo", multiclass.build(rows, split.y, split.num_labels), "hinge", 0.5, 1e-8)
    assert found.primal == pytest.approx(best.value.primal, rel=1e-6)


def test_what_cannot_learn_them_is_refused_with_what_can():
    for kernel, kind in (("string", "strings"), ("tree", "parse-trees")):
        split = DRAWN[kernel][0](1)[1]
        with pytest.raises(UserError) as refused:
            catalogue.check_fit("smo", {}, split)
        assert f"which {kind} problems do not have (there are no features" in str(refused.value)
        own = f"kernel-svm (kernel={kernel}), kernel-perceptron (kernel={kernel})"
        assert str(refused.value).endswith(f"choose from {own}")
        with pytest.raises(UserError, match=f"kernel-svm, kernel=rbf needs feature rows, which {kind} problems"):
            catalogue.check_fit("kernel-svm", {"kernel": "rbf"}, split)


def complete(depth: int) -> parse_trees.Nodes:
    """A binary tree of 2^depth - 1 nodes, children first."""
    size, inner = 2**depth - 1, 2 ** (depth - 1) - 1
    heap = [(2 * p + 1, 2 * p + 2) if p < inner else () for p in range(size)]
    turned: list[Sequence[int]] = [tuple(size - 1 - child for child in each) for each in reversed(heap)]
    return parse_trees.Nodes([int(not each) for each in turned], turned)


def test_kernels_too_large_for_a_number_are_refused():
    """A complete tree with 11 levels has 2^1203 fragments at its root; 600 letters a have C(600, 220) pieces."""
    trees = parse_trees.build([complete(2), complete(11)], np.zeros(2, int), 1)
    with pytest.raises(UserError, match=r"a tree of 2047 nodes .* at decay=1: choose a smaller decay"):
        points("tree", trees, decay=1.0)
    words = strings.build(["ab", "a" * 600], np.zeros(2, int), 1)
    with pytest.raises(UserError, match=r"a string of 600 characters .* at length=220, decay=1: choose a smaller"):
        points("string", words, 220, 1.0)
    for mine in (points("tree", trees, decay=0.75), points("string", words, 3, 1.0)):
        found = mine.against(mine)
        assert (found >= 0).all() and (found <= 1 + 1e-9).all()
