"""The synthetic chain CRF: its weights, its inputs, and its Gibbs sampler against exact marginals."""

import itertools

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.datasets import synthetic
from tests.datasets.packed import rounded_sum


def test_weights():
    """Section 5.1: 200 of state features, each of one input and one label, and 4 of transitions."""
    weights = synthetic.true_weights(0)
    relevant = np.append(weights[:60], weights[200:])
    assert np.all((relevant > 0) & (relevant < 1)) and not weights[60:200].any()
    assert parts.num_weights(synthetic.load(None, sequences=20).train) == 200 + 4 == len(weights)


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


def test_every_sequence_trains_once_and_all_are_the_same_everywhere():
    """The paper trains on one of K folds and tests on all others, K = 20, 10, 7, 5, 4."""
    for folds, size in ((20, 50), (7, 143), (4, 250)):
        problem = synthetic.load(None, folds=folds)
        assert (len(problem.train.y), len(problem.test.y)) == (8 * size, 8 * (1000 - size))
    problems = [synthetic.load(None, sequences=23, folds=4, fold=fold, variant="iid") for fold in range(4)]
    rows = np.concatenate([problem.train.x.dense for problem in problems])
    assert len(np.unique(rows, axis=0)) == 23 * 8
    first = problems[0]
    assert first.train.starts.tolist() == list(range(0, 8 * 6 + 1, 8))
    assert first.labels == ("0", "1")
    assert np.bincount(first.test.y).min() > 0.2 * len(first.test.y)
    sums = [rounded_sum(synthetic.load(None, sequences=23, folds=4, crf=crf)) for crf in (0, 3)]
    assert [rounded_sum(first), *sums] == ["add58f3315a798b5", "666162a526fe23d8", "2e75aacc5f7401b4"]


@pytest.mark.parametrize("variant", ["correlated", "iid"])
def test_the_generating_weights_predict_best(variant):
    """Bayes-optimal for their own labels: better than with the sign turned, or with a part of them."""
    problem = synthetic.load(None, variant=variant)
    weights = synthetic.true_weights(0)
    part = np.where(np.arange(204) < 40, 0, weights)

    def error(w):
        predicted, right, _ = predictions(problem.test, w)
        return np.mean(predicted != right)

    assert error(weights) < 0.25
    assert error(weights) < error(part) < error(-weights)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("crf=10", "crf must be at most 9, not '10'"),
        ("fold=10", "fold=10: expected 0 to 9"),
        ("folds=1", "folds=1: expected 2 to 1000"),
        ("sequences=5", "folds=10: expected 2 to 5"),
        ("variant=other", "variant must be one of correlated, iid, not 'other'"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"synthetic:{options}")
