"""``algorithm="auto"``: data as people have them, unscaled, at any C."""

import warnings

import numpy as np
import pytest

from structbench.bench.estimators import ChainCRF, MulticlassCRF
from tests.campaigns import unscaled


@pytest.mark.parametrize(
    ("name", "loss", "C"),
    [("wine", "log", 1.0), ("wine", "hinge", 1e-4), ("breast_cancer", "log", 1e-4), ("iris", "hinge", 1.0)],
)
def test_data_as_they_are_are_certified_and_not_worse_than_by_scikit_learn(name, loss, C):
    found = unscaled.fit(name, loss, C)
    assert not found.warned and found.model.certificate_.relative_gap <= found.model.tol
    assert found.accuracy >= found.theirs[1] - 0.01


def test_auto_looks_at_size_and_scale():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 900)), np.arange(20) % 5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = [MulticlassCRF(max_passes=1).fit(X * scale, y).algorithm_ for scale in (1.0, 1e3)]
    assert chosen == ["eg:order=gap", "lbfgs:preconditioner=diagonal"]


def test_a_slow_fit_warns_and_names_the_scale_of_features():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 900)), np.arange(20) % 5
    X[0, 0] = 1680.0
    for loss in ("log", "hinge"):
        with pytest.warns(UserWarning, match="scale the features, whose values reach 1.68e.03, raise max_passes"):
            MulticlassCRF(1e-9, loss=loss, max_passes=2).fit(X, y)


@pytest.mark.parametrize("scale", [1.0, 1e3])
def test_chains_with_a_number_beside_words_are_certified_on_any_scale(scale):
    rng = np.random.default_rng(0)
    X = [[{"w": str(w), "size": scale * rng.random()} for w in rng.integers(20, size=6)] for _ in range(30)]
    y = [["ABC"[int(token["w"]) % 3] for token in sentence] for sentence in X]
    model = ChainCRF(0.1).fit(X, y)
    assert model.algorithm_ == ("eg:order=gap" if scale == 1 else "lbfgs:preconditioner=diagonal")
    assert model.certificate_.relative_gap <= model.tol and model.predict(X) == y


@pytest.mark.parametrize(("C", "algorithm"), [(1.0, "sequential-dual"), (1e-3, "cutting-plane")])
def test_the_hinge_is_certified_at_small_and_large_C(C, algorithm):
    """At small C the sequential dual method needs more passes than estimators allow."""
    rng = np.random.default_rng(0)
    X = [[f"w{w}" for w in rng.integers(30, size=6)] for _ in range(60)]
    y = [["A" if int(word[1:]) % 3 else "B" for word in sentence] for sentence in X]
    model = ChainCRF(C, loss="hinge").fit(X, y)
    assert model.algorithm_ == algorithm
    assert model.certificate_.relative_gap <= model.tol and model.predict(X) == y
