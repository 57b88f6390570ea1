"""The latent perceptron: in plain Python, and the perceptron where nothing is hidden."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import subclasses
from structbench.bench.runs import catalogue
from tests.algorithms.learners import learned
from tests.algorithms.oracle import case

K, H = 3, 2


def small(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(9, 2)), rng.integers(K, size=9)
    return x, y, subclasses.build(ft.dense(x), y, K, H)


def test_updates_add_the_best_right_subclass_and_take_away_the_best_of_all():
    x, y, split = small(0)
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


@pytest.mark.parametrize("name", ["multiclass-dense", "dependency-sparse"])
def test_it_is_the_perceptron_where_nothing_is_hidden(name):
    split = case(name, 1).split
    for one, other in zip(learned("latent-perceptron", split, 4), learned("perceptron", split, 4), strict=True):
        np.testing.assert_allclose(one[0], other[0], atol=1e-10)
        assert one[1] == other[1]


def test_what_does_not_fit_is_refused_with_the_reason():
    with pytest.raises(UserError, match=r"perceptron.* needs parts, which subclasses .*hidden.*latent-perceptron"):
        catalogue.check_fit("perceptron", {}, small(0)[2])
