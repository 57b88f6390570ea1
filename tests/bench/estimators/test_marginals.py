"""Marginals of segments and trees, against sums over all outputs."""

from itertools import product

import numpy as np
import pytest

from structbench.algorithms.structures import interface as parts
from structbench.bench.estimators import DependencyParser, SemiMarkovCRF
from structbench.datasets.text.dependencies import check_tree
from tests.bench.estimators.test_estimators import HEADS, TREES
from tests.bench.estimators.test_weights import CHUNKS

CROSSING = [[3, 1, 0], [3, 4, 0, 3], [0, 1], [2, 0, 2]]
ALL = 10_000


@pytest.mark.parametrize("loss", ["log", "smoothed-hinge-0.5"])
def test_tags_of_segments(loss):
    model = SemiMarkovCRF(C=0.1, loss=loss, max_length=3, tol=0.01).fit(TREES, CHUNKS)
    assert model.classes_.tolist() == ["B-NP", "B-VP", "I-NP", "I-VP", "O"]
    for found, outputs in zip(model.predict_marginals(TREES), model.predict_k_best(TREES, ALL), strict=True):
        wanted = sum(
            each.probability * (np.array(each.labels)[:, None] == model.classes_).astype(float) for each in outputs
        )
        assert sum(each.probability for each in outputs) == pytest.approx(1)
        np.testing.assert_allclose(found, wanted, atol=1e-10)


def trees_of(length):
    """All assignments of heads that are trees, projective or not."""
    for heads in product(range(length + 1), repeat=length):
        try:
            check_tree(list(heads), str)
        except ValueError:
            continue
        yield heads


@pytest.mark.parametrize("single_root", [True, False])
def test_heads_of_trees_that_may_cross(single_root):
    gold = CROSSING if single_root else [*CROSSING[:3], [0, 0, 2]]
    parser = DependencyParser(C=0.1, structure="nonprojective", algorithm="lbfgs").fit(TREES, gold)
    split = parts.compiled(parser._encode(TREES))
    for i, found in enumerate(parser.predict_marginals(TREES)):
        length = len(TREES[i])
        s = np.empty(length * length)
        parts.scores(split, i, parser._weights, s)
        arcs = np.full((length, length + 1), -np.inf)
        arcs[np.arange(length + 1) != np.arange(1, length + 1)[:, None]] = s
        wanted, total = np.zeros_like(arcs), 0.0
        for heads in trees_of(length):
            if not single_root or heads.count(0) == 1:
                weight = np.exp(sum(arcs[m, h] for m, h in enumerate(heads)))
                wanted[np.arange(length), heads] += weight
                total += weight
        np.testing.assert_allclose(found, wanted / total, atol=1e-10)
        np.testing.assert_allclose(found.sum(axis=1), 1)


def test_heads_of_projective_trees():
    parser = DependencyParser(C=0.1, tol=0.01).fit(TREES, HEADS)
    for found, outputs in zip(parser.predict_marginals(TREES), parser.predict_k_best(TREES, ALL), strict=True):
        wanted = np.zeros_like(found)
        for each in outputs:
            wanted[np.arange(len(found)), each.labels] += each.probability
        np.testing.assert_allclose(found, wanted, atol=1e-10)


def test_only_probabilities_have_marginals():
    assert not hasattr(SemiMarkovCRF(loss="hinge"), "predict_marginals")
    assert not hasattr(DependencyParser(loss="hinge"), "predict_marginals")
    parser = DependencyParser(C=0.1, tol=0.01).fit(TREES, HEADS)
    assert [each.shape for each in parser.predict_marginals([[], TREES[2]])] == [(0, 1), (2, 3)]
    model = SemiMarkovCRF(C=0.1, max_length=3, tol=0.01).fit(TREES, CHUNKS)
    assert [each.shape for each in model.predict_marginals(iter([TREES[2], []]))] == [(2, 5), (0, 5)]
