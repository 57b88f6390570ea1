"""The latent SVM against all hidden choices written out; where nothing is hidden, the SVM."""

from itertools import islice, product

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import subclasses
from tests.algorithms.linear import hinge_optimum
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import Case, Example, case
from tests.algorithms.solvers import start
from tests.narrowing import not_none, number

K, H, C = 2, 2, 0.3


def small(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(6, 2)), np.array([0, 1, 0, 1, 1, 0])
    return x, y, subclasses.build(ft.dense(x), y, K, H)


def last(split, seed=0, **params):
    """The last weights, and the notes at the end of each round."""
    w, rounds = None, []
    _, run = start("latent-svm", split, "none", 0.0, seed, penalty="none", **params)
    for iterate in run:
        w = iterate.vector * iterate.scale
        if iterate.hints.evaluate_now:
            rounds.append(dict(iterate.notes))
    return not_none(w), rounds


def latent_value(x, y, w):
    """L(w) by its definition."""
    s = np.einsum("ia,akh->ikh", x, w.reshape(2, K, H)).max(axis=2)
    worst = (s + (np.arange(K) != y[:, None])).max(axis=1)
    return (worst - s[np.arange(len(y)), y]).sum() + C * w @ w / 2


def convex_optimum(x, y, h):
    """min_w P_h(w), h the hidden choices of the right outputs."""
    every, labels = np.eye(K * H), np.repeat(np.arange(K), H)
    examples = [
        Example(np.kron(row, every), every, every, labels[:, None], (labels != k) * 1.0, every[k * H + g], labels)
        for row, k, g in zip(x[:, None, :], y, h, strict=True)
    ]
    return hinge_optimum(Case(small(0)[2], examples, K), C)


def test_the_best_of_some_starts_is_the_best_of_all_hidden_choices():
    """min_w L(w) = min_h min_w P_h(w), as -max_h is min_h -; the first example's subclass may be the first."""
    x, y, split = small(0)
    best = min(convex_optimum(x, y, h) for h in product(*[range(1), *[range(H)] * 5]))
    found = []
    for seed in range(8):
        w, rounds = last(split, seed, strength=C, epsilon=1e-7)
        assert rounds[-1]["latent"] == pytest.approx(latent_value(x, y, w), rel=1e-12)
        assert rounds[-1]["latent"] >= best - 1e-6
        found.append(rounds[-1]["latent"])
    assert min(found) == pytest.approx(best, rel=1e-5)
    assert max(found) > 1.01 * best  # nothing is certified globally


@pytest.mark.parametrize("seed", range(2))
def test_each_round_solves_its_convex_program_and_the_value_never_rises(seed):
    x, y, split = small(seed)
    w, rounds = last(split, seed, strength=C, epsilon=1e-7)
    values = [r["latent"] for r in rounds]
    assert (np.diff(values) <= 1e-7 * values[0]).all()
    assert [r["rounds"] for r in rounds] == list(range(1, len(rounds) + 1)) and len(rounds) >= 2
    assert max(r["certified"] for r in rounds) <= 1e-7
    h = np.einsum("ia,akh->ikh", x, w.reshape(2, K, H))[np.arange(len(y)), y].argmax(axis=1)
    assert values[-1] == pytest.approx(convex_optimum(x, y, h), rel=1e-5)


@pytest.mark.parametrize("name", ["multiclass-sparse", "chain-dense"])
def test_where_nothing_is_hidden_it_is_the_svm(name):
    _, rounds = last(case(name).split, strength=0.5, epsilon=1e-7)
    assert rounds[0]["latent"] == pytest.approx(optimum(name, "hinge", 0.5), rel=1e-6)
    assert len(rounds) <= 2


@pytest.mark.parametrize("epsilon", [1e-13, 1e-300])
def test_it_ends_where_rounding_ends_its_program(epsilon):
    """Each visit to all examples ends in a new plane, or in the end of a round."""
    for split in (small(0)[2], case("chain-dense").split):
        _, run = start("latent-svm", split, "none", 0.0, penalty="none", strength=0.3, epsilon=epsilon)
        run = list(islice(run, 200))
        assert len(run) < 200
        assert 0 < number(run[-1].notes, "certified") < 1e-10


def test_an_unknown_label_is_refused():
    split = subclasses.build(ft.dense(np.ones((2, 2))), np.array([0, -1]), K, H)
    with pytest.raises(UserError, match=r"latent-svm needs a known label everywhere.*decision 1 has none"):
        last(split)
