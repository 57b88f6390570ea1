"""Naive Bayes: the slides' stoplights, joint probabilities written out, and a library's answers."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from structbench.algorithms.generative.frequencies import LEAST
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.algorithms.structures.chain import model as chain
from structbench.bench.runs import catalogue
from tests.algorithms.oracle import case
from tests.algorithms.solvers import counted

WORKING, BROKEN = 0, 1
# (north-south is red, east-west is red): six days working, each light red on half of them, and one broken
STOPLIGHTS = np.array([[1, 0], [0, 1], [1, 0], [0, 1], [1, 0], [0, 1], [1, 1]])
STATES = np.array([WORKING] * 6 + [BROKEN])


def with_one(x: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(x)), x]).astype(float)


@pytest.mark.parametrize("kind", [ft.dense, lambda x: ft.sparse(sp.csr_array(x))])
def test_stoplights(kind):
    """klein2011, "Example: Stoplights": both red is more likely with working lights, 6/28 against 4/28."""
    split = multiclass.build(kind(with_one(STOPLIGHTS)), STATES, 2)
    W = counted("naive-bayes", split, model="bernoulli", added=0.0, prior="counted").reshape(-1, 2)
    joint = np.exp(np.array([1.0, 1.0, 1.0]) @ W)
    np.testing.assert_allclose(joint, [6 / 28, 4 / 28])
    assert joint[WORKING] / joint.sum() == pytest.approx(6 / 10)
    W = counted("naive-bayes", split, model="bernoulli", added=0.0, prior="uniform").reshape(-1, 2)
    even = np.exp(np.array([1.0, 1.0, 1.0]) @ W) / 2  # P(b) boosted to 1/2
    np.testing.assert_allclose(even, [1 / 8, 4 / 8])
    assert even[WORKING] / even.sum() == pytest.approx(1 / 5)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_score_is_the_joint_probability(seed, added):
    """Multinomial: P(y) times the probability of each word of the example, one after another."""
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 4, size=(12, 5)), np.append([0, 1, 2], rng.integers(0, 3, size=9))
    split = multiclass.build(ft.dense(with_one(x)), y, 3)
    W = counted("naive-bayes", split, added=added, prior="counted").reshape(-1, 3)
    for row, k in product(x, range(3)):
        written = (y == k).mean()
        words = x[y == k].sum(axis=0)
        for v, count in enumerate(row):
            for _ in range(count):
                written *= (words[v] + added) / (words.sum() + 5 * added)
        score = np.append(1.0, row) @ W[:, k]
        if written > 0:
            assert score == pytest.approx(np.log(written))
        else:
            assert score < LEAST / 2


def test_bernoulli_probabilities_of_all_inputs_add_up_to_one():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 2, size=(20, 4)), rng.integers(0, 3, size=20)
    split = multiclass.build(ft.sparse(sp.csr_array(with_one(x))), y, 3)
    W = counted("naive-bayes", split, model="bernoulli", prior="counted").reshape(-1, 3)
    everything = with_one(np.array(list(product((0, 1), repeat=4)))) @ W
    assert logsumexp(everything) == pytest.approx(0.0, abs=1e-12)


def test_a_hidden_markov_model_counts_labels_after_labels():
    x = np.array([[1, 0], [0, 2], [1, 1], [0, 1], [3, 0]])
    y, lengths = np.array([0, 1, 1, 0, 1]), np.array([3, 2])
    split = chain.build(ft.dense(x.astype(float)), lengths, y, 2)
    w = counted("hidden-markov", split, added=0.0)
    emissions, transitions = np.exp(w[:4]).reshape(2, 2), np.exp(w[4:]).reshape(2, 2)
    np.testing.assert_allclose(emissions, [[1 / 2, 4 / 7], [1 / 2, 3 / 7]])
    np.testing.assert_allclose(transitions, [[0, 1], [0, 1]], atol=1e-300)
    assert w[4] == w[6] == LEAST and np.exp(LEAST) > 0, "never counted: unlikely and finite"
    smooth = counted("hidden-markov", split, added=1.0)
    np.testing.assert_allclose(np.exp(smooth[4:]).reshape(2, 2), [[1 / 4, 3 / 4], [1 / 3, 2 / 3]])


MISTAKES = [
    ({}, [[1.0, -2.0]], r"naive-bayes needs features of 0 or more.* feature 1 \(from 0\) is -2 in row 0"),
    ({"prior": "counted"}, [[0.5, 2.0]], "prior=counted needs a feature that is 1 in every example"),
    ({"model": "bernoulli"}, [[0.5, 2.0]], "model=bernoulli needs a feature that is 1 in every example"),
    ({"model": "bernoulli"}, [[1.0, 2.0]], "features that are 0 or 1, not 2"),
]


@pytest.mark.parametrize(("params", "x", "sentence"), MISTAKES)
@pytest.mark.parametrize("kind", [ft.dense, lambda x: ft.sparse(sp.csr_array(x))])
def test_mistakes_get_a_sentence(params, x, sentence, kind):
    split = multiclass.build(kind(np.array(x)), np.array([0]), 2)
    with pytest.raises(UserError, match=sentence):
        counted("naive-bayes", split, **params)


def test_what_it_does_not_learn_is_refused():
    with pytest.raises(UserError, match="naive-bayes needs single decisions"):
        catalogue.check_fit("naive-bayes", {}, case("chain-dense").split)
    with pytest.raises(UserError, match="hidden-markov needs label sequences"):
        catalogue.check_fit("hidden-markov", {}, case("multiclass-dense").split)
    with pytest.raises(UserError, match="hidden-markov needs features of 0 or more"):
        counted("hidden-markov", case("chain-dense").split)
