"""The latent perceptron: in plain Python, the perceptron where nothing is hidden, and what hiding buys."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import subclasses
from structbench.algorithms.structures.prediction import predictions
from structbench.bench.runs import catalogue, driver
from structbench.bench.runs.spec import make
from tests.algorithms.learners import learned
from tests.algorithms.oracle import case

K, H = 3, 2


def small(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(9, 2)), rng.integers(K, size=9)
    return x, y, subclasses.build(ft.dense(x), y, K, H)


@pytest.mark.parametrize("seed", range(3))
def test_updates_add_the_best_right_subclass_and_take_away_the_best_of_all(seed):
    x, y, split = small(seed)
    rng, w, updates = np.random.default_rng(0), np.zeros((2, K, H)), 0
    for got, count in learned("latent-perceptron", split, 5, average="none"):
        for i in rng.permutation(len(y)):
            s = np.einsum("a,akh->kh", x[i], w)
            k, h = np.unravel_index(s.argmax(), s.shape)
            if k != y[i]:
                w[:, y[i], s[y[i]].argmax()] += x[i]
                w[:, k, h] -= x[i]
                updates += 1
        np.testing.assert_allclose(got, w.ravel(), atol=1e-12)
        assert count == updates
    assert updates > 5 and (w[:, :, 1] != 0).any()


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-sparse-edges", "dependency-sparse"])
def test_it_is_the_perceptron_where_nothing_is_hidden(name):
    split = case(name, 1).split
    for one, other in zip(learned("latent-perceptron", split, 4), learned("perceptron", split, 4), strict=True):
        np.testing.assert_allclose(one[0], other[0], atol=1e-10)
        assert one[1] == other[1]


def test_hidden_subclasses_learn_what_no_straight_line_separates():
    errors = {}
    for hidden in (1, 6):
        spec = make(f"toy-clusters:points=300,hidden={hidden}", None, None, "latent-perceptron", passes=30)
        errors[hidden] = driver.run(spec, datasets.build(spec.data)).rows[-1]["test_error"]
    assert errors[1] > 0.4 and errors[6] < 0.03


def test_learners_that_need_right_parts_are_refused_with_the_reason():
    with pytest.raises(UserError, match=r"perceptron.* needs parts, which subclasses .*hidden.*latent-perceptron"):
        catalogue.check_fit("perceptron", {}, small(0)[2])


def test_the_score_of_a_class_is_that_of_its_best_subclass():
    x, y, split = small(5)
    w = np.random.default_rng(1).normal(size=(2, K, H))
    predicted, right, _ = predictions(split, w.ravel())
    np.testing.assert_array_equal(predicted, np.einsum("ia,akh->ikh", x, w).max(axis=2).argmax(axis=1))
    np.testing.assert_array_equal(right, y)
    taken = parts.take(split, np.array([3, 1]))
    np.testing.assert_array_equal(predictions(taken, w.ravel())[0], predicted[[3, 1]])


@pytest.mark.parametrize(
    ("y", "hidden", "message"),
    [
        ([0], 1, "2 feature rows but 1 labels"),
        ([0, 3], 1, r"label of example 1 must lie in -1 \.\. 2, not 3"),
        ([0, 1], 0, "num_hidden must be a whole number, 1 or more, not 0"),
    ],
)
def test_build_refuses_what_does_not_fit(y, hidden, message):
    with pytest.raises(UserError, match=message):
        subclasses.build(ft.dense(np.ones((2, 2))), np.array(y), 3, hidden)
