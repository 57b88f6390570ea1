"""Predictions and errors of a whole split."""

import numpy as np
import pytest
import scipy.sparse as sp

from structbench.algorithms.learning import gold_outputs, non_negative, sparse_features
from structbench.algorithms.learning.inference import expectations
from structbench.algorithms.learning.objective import Model
from structbench.algorithms.losses.family import named_loss
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from structbench.algorithms.structures.prediction import error_rate, predictions
from structbench.bench.runs.summaries import num_bytes
from tests.algorithms.oracle import STRUCTURES, able, case


@pytest.mark.parametrize("name", STRUCTURES)
@pytest.mark.parametrize("threads", [1, 3])
def test_predictions_are_the_oracle_s_best_outputs(name, threads):
    with parallel.using(threads):
        small = case(name, seed=4, unseen=0.3)
        w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
        predicted, right, starts = predictions(small.split, w)
        best = [e.labels[e.best(e.features @ w)] for e in small.examples]
        np.testing.assert_array_equal(predicted, np.concatenate(best))
        np.testing.assert_array_equal(right, np.concatenate([e.right for e in small.examples]))
        np.testing.assert_array_equal(np.diff(starts), [len(e.right) for e in small.examples])
        assert error_rate(small.split, w) == pytest.approx(np.mean(predicted != right))  # by decision


@pytest.mark.parametrize("name", [name for name in STRUCTURES if able(name, "used features")])
@pytest.mark.parametrize("kept", [0, 2])
def test_features_whose_weights_are_all_0_make_no_difference(name, kept):
    """All but some of those of nodes, and all of those of edges."""
    small = case(name, seed=4, columns=8)
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    K = getattr(small.split, "num_labels", 1)  # weights a feature
    w[kept * K : 8 * K] = 0.0
    edges = getattr(small.split, "num_edge_features", 0)
    w[len(w) - edges * K * K :] = 0.0
    narrower, v = parts.with_used_features(small.split, w)
    assert parts.num_weights(narrower) == len(v) <= len(w) - (8 - max(kept, 1)) * K
    assert not edges or narrower.num_edge_features < edges
    for i, e in enumerate(small.examples):
        s = np.empty(parts.num_parts(narrower, i))
        parts.scores(narrower, i, v, s)
        np.testing.assert_allclose(s, e.features @ w, atol=1e-12)


@pytest.mark.parametrize("loss", ["log", "hinge", "softmax-margin", "smoothed-hinge-0.3"])
def test_losses_where_a_transition_is_forbidden(loss):
    """Its part is in no right output, so that losses are finite."""
    small, rng = case("chain-binary", seed=4), np.random.default_rng(1)
    split, K = parts.compiled(small.split), small.num_labels
    w = rng.normal(size=parts.num_weights(split))
    unused = np.sum([e.gold[-K * K :] for e in small.examples], axis=0) == 0
    w[-K * K :][unused] = -np.inf
    offsets = parts.offsets(split)
    mu = np.empty(offsets[-1])
    losses, conjugates = expectations(split, 0, w, named_loss(loss), offsets, mu)
    assert unused.any()
    for i, e in enumerate(small.examples):
        s, own = np.empty(len(e.gold)), mu[offsets[i] : offsets[i + 1]] + e.gold
        parts.scores(split, i, w, s)
        value, u = e.loss(s, loss)
        np.testing.assert_allclose(own, u @ e.outputs, atol=1e-9)
        assert losses[i] == pytest.approx(value - e.gold @ np.where(e.gold > 0, s, 0.0))
        assert conjugates[i] == pytest.approx(e.dual_term(u, loss), abs=1e-9)


@pytest.mark.parametrize("name", ["candidates-dense", "chain-sparse-edges", "segments-binary", "forest-sparse"])
def test_gold_outputs_and_their_features(name):
    """Of several that cost nothing the one of the largest score, and each combination as a short list."""
    small, rng, seen = case(name, seed=2), np.random.default_rng(1), 0.0
    split = parts.compiled(small.split)
    total = sparse_features.room_for(split)
    most = [
        parts.feature_support(split, i, np.ones_like(e.gold), total.keys) for i, e in enumerate(small.examples)
    ]
    assert len(total.keys) == max(most)
    for i, e in enumerate(small.examples):
        s, y = 1e3 * rng.normal(size=len(e.gold)), np.empty(len(e.gold))
        gold = e.outputs[e.losses == 0]
        gold_outputs.best_gold(split, i, s.copy(), y)
        np.testing.assert_array_equal(y, gold[(gold @ s).argmax()])
        count = sparse_features.features_of(split, i, s, total)
        keys, values = total.keys[:count], total.values[:count]
        assert len(set(keys)) == count
        np.testing.assert_allclose(np.bincount(keys, values, len(total.dense)), s @ e.features, atol=1e-9)
        seen = seen + e.gold @ e.features
    np.testing.assert_allclose(gold_outputs.observed(split), seen, atol=1e-12)


@pytest.mark.parametrize("make", [ft.dense, lambda values: ft.sparse(sp.csr_array(values))])
def test_a_feature_below_0_is_refused_with_its_place(make):
    values = np.array([[0, 2.0, 1], [0, 0, 3], [1, 0, -0.5]])
    non_negative.require_non_negative(multiclass.build(make(values[:2]), np.array([0, 1]), 2), "x")
    with pytest.raises(UserError, match=r"x needs .* feature 2 .* is -0.5 in row 2 of"):
        non_negative.require_non_negative(multiclass.build(make(values), np.array([0, 1, 1]), 2), "x")


def test_memory_and_norm_of_weights():
    assert Model(lambda split, vector: None).norm(np.array([3.0, 4.0])) == 5.0
    assert num_bytes(np.array([0.0, 1.0, 0.0, 0.0])) == 12
    assert num_bytes(np.array([0.0, 1.0, 2.0, 3.0])) == 32
