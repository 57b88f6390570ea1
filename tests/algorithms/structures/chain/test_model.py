"""Linear chains at lengths that no oracle can write out, and what ``build`` refuses."""

import numpy as np
import pytest
import scipy.sparse as sp

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.chain import model as chain
from tests.algorithms.compiled import k_best, operations
from tests.algorithms.oracle import case

LONG, K = 1_000, 3


def long_chain(observed: bool) -> chain.Chain:
    rng = np.random.default_rng(0)
    x = sp.csr_array((rng.random((LONG, 4)) < 0.5).astype(float))
    edges = sp.csr_array(np.concatenate([[[0.0]], np.ones((LONG - 1, 1))]))
    y = rng.integers(0, K, LONG)
    return chain.build(ft.sparse(x), np.array([LONG]), y, K, ft.sparse(edges) if observed else None)


def log_sum_exp(a: np.ndarray, axis: int) -> np.ndarray:
    top = a.max(axis=axis, keepdims=True)
    return np.squeeze(top, axis) + np.log(np.exp(a - top).sum(axis=axis))


def reference(s: np.ndarray, observed: bool) -> tuple[float, np.ndarray, float]:
    """log Z, node marginals and maximum of a chain of LONG tokens, in logarithms."""
    nodes, tied = s[: LONG * K].reshape(LONG, K), s[LONG * K : LONG * K + K * K].reshape(K, K)
    pairs = np.repeat(tied[None], LONG - 1, axis=0)
    if observed:
        pairs = pairs + s[LONG * K + K * K :].reshape(LONG - 1, K, K)
    alpha, beta, best = nodes.copy(), np.zeros((LONG, K)), nodes[0]
    for t in range(1, LONG):
        alpha[t] += log_sum_exp(alpha[t - 1][:, None] + pairs[t - 1], axis=0)
        best = nodes[t] + (best[:, None] + pairs[t - 1]).max(axis=0)
    for t in range(LONG - 2, -1, -1):
        beta[t] = log_sum_exp(pairs[t] + nodes[t + 1] + beta[t + 1], axis=1)
    log_z = float(log_sum_exp(alpha[-1], axis=0))
    return log_z, np.exp(alpha + beta - log_z), float(best.max())


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_a_thousand_tokens(observed, scale):
    split = long_chain(observed)
    rng = np.random.default_rng(1)
    m = int(parts.offsets(split)[-1])
    s = scale * rng.uniform(-1, 1, size=m)
    got = operations(split, 0, np.zeros(parts.num_weights(split)), s, s)
    log_z, mu, top = reference(s, observed)
    assert got.log_z == pytest.approx(log_z, rel=1e-12)
    assert got.top == pytest.approx(top, rel=1e-12)
    assert np.isfinite(got.mu).all()
    nodes = got.mu[: LONG * K].reshape(LONG, K)
    np.testing.assert_allclose(nodes, mu, atol=1e-7)
    np.testing.assert_allclose(nodes.sum(axis=1), 1, atol=1e-7)
    assert got.mu[LONG * K : LONG * K + K * K].sum() == pytest.approx(LONG - 1, rel=1e-7)
    if observed:
        pairs = got.mu[LONG * K + K * K :].reshape(LONG - 1, K, K)
        np.testing.assert_allclose(pairs.sum(axis=0).ravel(), got.mu[LONG * K : LONG * K + K * K], rtol=1e-9)
        np.testing.assert_allclose(pairs.sum(axis=1), nodes[1:], atol=1e-7)


@pytest.mark.parametrize("spread", [250.0, 299.0, 301.0, 350.0])
def test_no_step_where_the_recursions_change(spread):
    """Scores whose spread lies on either side of the limit of the recursions with exponentials."""
    one = case("chain-binary", seed=2, lengths=(4,))
    example = one.examples[0]
    s = np.random.default_rng(3).uniform(-1, 1, size=len(example.gold))
    s[0] += spread
    got = operations(one.split, 0, np.zeros(parts.num_weights(one.split)), s, s)
    assert got.log_z == pytest.approx(example.log_z(s), rel=1e-13)
    np.testing.assert_allclose(got.mu, example.distribution(s) @ example.outputs, atol=1e-12)


@pytest.mark.parametrize(("k", "scale"), [(1, 1.0), (10, 1e4), (100, 1.0)])
def test_the_k_best_labellings_of_a_long_chain(k, scale):
    """Beside a list of the k best beginnings for each label, sorted again at each token."""
    T, K = 40, 6
    rng = np.random.default_rng(k)
    nodes, pairs = scale * rng.normal(size=(T, K)), scale * rng.normal(size=(T - 1, K, K))
    beginnings = [[(nodes[0, label], (label,))] for label in range(K)]
    for t in range(1, T):
        beginnings = [
            sorted(
                (
                    (value + pairs[t - 1, before, label] + nodes[t, label], (*labels, label))
                    for before in range(K)
                    for value, labels in beginnings[before]
                ),
                reverse=True,
            )[:k]
            for label in range(K)
        ]
    want = sorted((each for some in beginnings for each in some), reverse=True)[:k]
    edges = ft.dense(np.concatenate([[[0.0]], np.ones((T - 1, 1))]))
    split = chain.build(rows(T), np.array([T]), np.zeros(T, int), K, edges)
    count, Y, values = k_best(split, 0, np.concatenate([nodes.ravel(), np.zeros(K * K), pairs.ravel()]), k)
    assert count == k
    np.testing.assert_allclose(values, [value for value, _ in want], rtol=1e-11)
    found = Y[:, : T * K].reshape(k, T, K).argmax(axis=2)
    np.testing.assert_array_equal(found, [labels for _, labels in want])


def rows(count: int) -> ft.Features:
    return ft.dense(np.ones((count, 2)))


@pytest.mark.parametrize(
    ("lengths", "count", "y", "message"),
    [
        ([2, 0], 2, [0, 1], "example 1 has no nodes"),
        ([2, 1], 2, [0, 1, 0], "the examples have 3 nodes, but there are 2 rows and 3 labels"),
        ([2], 2, [0, 2], r"label of node 1 of example 0 must lie in -1 \.\. 1, not 2"),
    ],
)
def test_build_refuses_what_does_not_fit(lengths, count, y, message):
    with pytest.raises(UserError, match=message):
        chain.build(rows(count), np.array(lengths), np.array(y), 2)


def test_build_refuses_an_edge_before_the_first_token():
    with pytest.raises(UserError, match="node 0 of example 0 has no edge"):
        chain.build(rows(2), np.array([2]), np.array([0, 1]), 2, rows(2))
    with pytest.raises(UserError, match="have 2 nodes, but there are 3 rows of edge features"):
        chain.build(rows(2), np.array([2]), np.array([0, 1]), 2, rows(3))
