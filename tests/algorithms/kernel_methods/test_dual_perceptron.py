"""Perceptrons in dual form against the primal one, and against their own definition."""

import numpy as np
import pytest
import scipy.sparse as sp

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.prediction import predictions
from tests.algorithms import oracle
from tests.algorithms.drawn_features import rows_of
from tests.algorithms.solvers import start

LENGTHS = (3, 1, 4, 2, 2, 3, 1, 5)
CASES = ("multiclass-dense", "multiclass-sparse", "chain-dense", "chain-binary-edges")


def run(algorithm, split, count=24, **params):
    """Copies of what a perceptron yields first."""
    _, solver = start(algorithm, split, "none", 1.0, seed=5, penalty="none", **params)
    found = []
    for _, point in zip(range(count), solver, strict=False):
        found.append(point._replace(kept=point.vector * point.scale, notes=dict(point.notes)))
    return found


def whole_numbers(name):
    """A case whose features are whole numbers, so that sums in any order are the same."""
    split = oracle.case(name, 3, lengths=LENGTHS, density=0.9).split
    rows = np.round(3 * rows_of(split.x))
    x = ft.dense(rows) if split.x.kind == ft.DENSE else ft.sparse(sp.csr_array(rows))
    if name.startswith("multiclass"):
        return multiclass.build(x, split.y, split.num_labels)
    edges = split.edges if split.num_edge_features else None
    return chain.build(x, np.diff(split.starts), split.y, split.num_labels, edges)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("average", ["uniform", "none"])
def test_the_dual_perceptron_is_the_perceptron(name, average):
    split = whole_numbers(name)
    dual = {point.visits: point for point in run("dual-perceptron", split, average=average)}
    primal = [point for point in run("perceptron", split, average=average) if point.visits in dual]
    assert len(primal) > 2 and primal[-1].notes["updates"] > 5
    for a, b in ((dual[b.visits], b) for b in primal):  # after whole passes
        assert a.notes["updates"] == b.notes["updates"]
        if average == "none":
            np.testing.assert_array_equal(a.vector, b.vector)
        np.testing.assert_allclose(a.vector, b.vector, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("room", [1, 1024])  # rows of the longest sequence alone, or all
def test_the_linear_kernel_predicts_as_the_dual_perceptron(name, room, monkeypatch):
    monkeypatch.setattr("structbench.algorithms.kernel_methods.gram.LEAST", room)
    split = whole_numbers(name)
    other = oracle.case(name, 8, lengths=LENGTHS, density=0.9).split
    dual, kernelised = (
        run(algorithm, split, average="none", **given)[-1]
        for algorithm, given in (
            ("dual-perceptron", {}),
            ("kernel-perceptron", {"kernel": "linear", "cache": 1e-9}),
        )
    )
    for each in (split, other):
        mine, theirs = kernelised.hints.model.predictions(each, kernelised.vector), predictions(each, dual.vector)
        for a, b in zip(mine, theirs, strict=True):
            np.testing.assert_array_equal(a, b)
    assert kernelised.hints.model.norm(kernelised.vector) == pytest.approx(np.linalg.norm(dual.vector), rel=1e-12)


@pytest.mark.parametrize("kernel", ["quadratic", "rbf"])
@pytest.mark.parametrize("room", [2, 1024])
def test_the_kernel_perceptron_is_the_slides(kernel, room, monkeypatch):
    """alpha_i(yhat) += 1 where yhat = argmax_y sum alpha_i'(y') (K(y_i'*, y) - K(y', y)), in the same order."""
    monkeypatch.setattr("structbench.algorithms.kernel_methods.gram.LEAST", room)
    small = oracle.case("multiclass-dense", 4, lengths=(1,) * 12)
    x, y, K = rows_of(small.split.x), small.split.y, small.num_labels
    k = {
        "quadratic": lambda a, b: (a @ b + 1) ** 2,
        "rbf": lambda a, b: np.exp(-0.7 * ((a - b) ** 2).sum()),
    }[kernel]
    rng, counts, seen = np.random.default_rng(5), np.zeros((12, K)), []
    for _ in range(5):
        for i in rng.permutation(12):
            scores = np.zeros(K)
            for j, wrong in zip(*np.nonzero(counts), strict=True):
                scores[y[j]] += counts[j, wrong] * k(x[j], x[i])
                scores[wrong] -= counts[j, wrong] * k(x[j], x[i])
            if np.argmax(scores) != y[i]:
                counts[i, np.argmax(scores)] += 1
        seen.append(np.eye(K)[y] * counts.sum(axis=1, keepdims=True) - counts)
    points = run("kernel-perceptron", small.split, 21, kernel=kernel, gamma=0.7, average="none", cache=1e-9)
    assert counts.sum() > 12
    for expected, point in zip(seen, points[4::4], strict=False):
        np.testing.assert_array_equal(point.vector.reshape(12, K), expected)
    assert points[0].hints.model.gram.store.shape[0] == min(room, 12)
