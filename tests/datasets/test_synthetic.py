"""The synthetic chain CRF: its weights, its inputs, and its Gibbs sampler against exact marginals."""

import itertools

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.datasets import synthetic


def test_weights():
    weights = synthetic.true_weights(0)
    nodes, transitions = weights[:200].reshape(100, 2), weights[200:]
    assert np.all((nodes[:30] > 0) & (nodes[:30] < 1))
    assert not nodes[30:].any()
    assert np.all((transitions > 0) & (transitions < 1))
    assert not np.array_equal(weights, synthetic.true_weights(1))
    np.testing.assert_array_equal(weights, synthetic.true_weights(0))


@pytest.mark.parametrize(("variant", "within"), [("correlated", 0.9975), ("iid", 0.0)])
def test_correlation(variant, within):
    """Inputs of a group share N(0, 1) and add N(0, 0.05^2): their correlation is 1 / (1 + 0.0025)."""
    rng = np.random.default_rng(0)
    x = synthetic.draw_inputs(2000, variant, rng).reshape(-1, 100)
    correlation = np.corrcoef(x[:, :40].T)
    same = np.kron(np.eye(10), np.ones((3, 3)) - np.eye(3)).astype(bool)
    expected = np.eye(40)
    expected[:30, :30][same] = within
    np.testing.assert_allclose(correlation, expected, atol=0.04)
    np.testing.assert_allclose(x.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose(x.std(axis=0), 1, atol=0.05)


@pytest.mark.parametrize("length", [1, 2, 4])
def test_gibbs_sampler_against_the_exact_distribution(length):
    rng = np.random.default_rng(length)
    nodes, transitions = rng.normal(size=(length, 2)), rng.normal(size=(2, 2))
    outputs = np.array(list(itertools.product((0, 1), repeat=length)))
    scores = nodes[np.arange(length), outputs].sum(axis=1)
    scores += transitions[outputs[:, :-1], outputs[:, 1:]].sum(axis=1)
    exact = np.exp(scores) / np.exp(scores).sum()
    samples = 40_000
    y = synthetic.draw_labels(np.broadcast_to(nodes, (samples, length, 2)), transitions, rng, sweeps=40)
    found = np.bincount(y @ (2 ** np.arange(length)[::-1]), minlength=2**length) / samples
    np.testing.assert_allclose(found, exact, atol=5 * np.sqrt(0.25 / samples))


def test_folds_cover_all_sequences_once():
    problems = [datasets.build(f"synthetic:sequences=23,folds=4,fold={fold}") for fold in range(4)]
    sizes = [len(problem.train.starts) - 1 for problem in problems]
    assert sum(sizes) == 23
    assert all(len(p.test.starts) - 1 == 23 - size for p, size in zip(problems, sizes, strict=True))
    rows = np.concatenate([problem.train.x.dense for problem in problems])
    assert len(np.unique(rows, axis=0)) == 23 * 8
    assert problems[0].train.starts.tolist() == list(range(0, 8 * sizes[0] + 1, 8))


@pytest.mark.parametrize(("folds", "sizes"), [(20, {50}), (10, {100}), (7, {142, 143}), (5, {200}), (4, {250})])
def test_the_papers_sizes(folds, sizes):
    """Trained on one of K folds, tested on all others, K = 20, 10, 7, 5, 4: every sequence trains once."""
    found = [datasets.build(f"synthetic:folds={folds},fold={fold}") for fold in (0, folds - 1)]
    assert {len(problem.train.starts) - 1 for problem in found} <= sizes
    assert all(len(p.train.starts) + len(p.test.starts) - 2 == 1000 for p in found)


def test_two_hundred_state_and_four_transition_features():
    """Section 5.1: each state feature is of one input and one label; the weights are in this order."""
    problem = datasets.build("synthetic:sequences=20")
    split = problem.train
    assert parts.num_weights(split) == 200 + 4 == len(synthetic.true_weights(0))
    rng = np.random.default_rng(0)
    w = rng.normal(size=204)
    x = features.as_matrix(split.x)[:8]
    y = rng.integers(0, 2, 8)
    by_hand = sum(w[2 * k + y[t]] * x[t, k] for t in range(8) for k in range(100))
    by_hand += sum(w[200 + 2 * y[t] + y[t + 1]] for t in range(7))
    scores, output = np.empty(parts.num_parts(split, 0)), np.zeros(parts.num_parts(split, 0))
    parts.scores(split, 0, w, scores)
    output[np.arange(8) * 2 + y] = 1
    np.add.at(output, 16 + 2 * y[:-1] + y[1:], 1)
    assert scores @ output == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("variant", ["correlated", "iid"])
def test_the_generating_weights_predict_best(variant):
    """Bayes-optimal for their own labels: better than with the sign turned, or with a part of them."""
    problem = datasets.build(f"synthetic:variant={variant}")
    weights = synthetic.true_weights(0)
    part = np.where(np.arange(204) < 40, 0, weights)

    def error(w):
        predicted, right, _ = predictions(problem.test, w)
        return np.mean(predicted != right)

    assert error(weights) < 0.25
    assert error(weights) < error(part) < error(-weights)


def test_default_is_the_papers():
    problem = datasets.build("synthetic")
    assert len(problem.train.starts) - 1 == 100
    assert len(problem.test.starts) - 1 == 900
    assert problem.labels == ("0", "1")
    shares = np.bincount(problem.test.y) / len(problem.test.y)
    assert shares.min() > 0.2


def test_same_options_same_bits():
    first, again = (datasets.build("synthetic:crf=3,variant=iid,sequences=50") for _ in range(2))
    np.testing.assert_array_equal(first.train.x.dense, again.train.x.dense)
    np.testing.assert_array_equal(first.test.y, again.test.y)
    other = datasets.build("synthetic:crf=4,variant=iid,sequences=50")
    assert not np.array_equal(first.train.x.dense, other.train.x.dense)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("crf=10", "crf=10: expected one of the data sets 0 to 9"),
        ("fold=10", "fold=10: expected 0 to 9"),
        ("folds=1", "folds=1: expected 2 to 1000"),
        ("sequences=5", "folds=10: expected 2 to 5"),
        ("variant=other", "variant must be one of correlated, iid, not 'other'"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"synthetic:{options}")
