"""Chains and labelled trees at lengths that no oracle can write out, beside each other."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.tree import model as tree
from structbench.bench.checks.operations import cliques, k_best, operations
from tests.algorithms.oracle import case

LONG, K = 1_000, 3


def drawn(observed: bool, rng: np.random.Generator) -> tuple[ft.Features, np.ndarray, ft.Features | None]:
    """Features of nodes, labels and, maybe, features of edges of one chain."""
    x = sp.csr_array((rng.random((LONG, 4)) < 0.5).astype(float))
    edges = sp.csr_array(np.concatenate([[[0.0]], np.ones((LONG - 1, 1))]))
    return ft.sparse(x), rng.integers(0, K, LONG), ft.sparse(edges) if observed else None


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_a_tree_that_is_a_chain(observed, scale):
    rng = np.random.default_rng(0)
    x, y, edges = drawn(observed, rng)
    one = tree.build(x, np.array([LONG]), np.arange(LONG) - 1, y, K, edges)
    other = chain.build(x, np.array([LONG]), y, K, edges)
    m = int(parts.offsets(one)[-1])
    s, v = scale * rng.uniform(-1, 1, size=m), rng.uniform(-1, 1, size=m)
    w = rng.normal(size=parts.num_weights(one))
    got, want = (operations(each, 0, w, s, v) for each in (one, other))
    for name in got._fields:
        atol = 1e-7 if name == "mu" else 1e-9
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), err_msg=name, rtol=1e-11, atol=atol)
    nodes, tied = want.mu[: LONG * K].reshape(LONG, K), want.mu[LONG * K : LONG * K + K * K].reshape(K, K)
    np.testing.assert_allclose(nodes.sum(axis=1), 1, atol=1e-7)
    np.testing.assert_allclose(tied.sum(axis=0), nodes[1:].sum(axis=0), rtol=1e-7)
    for found, wanted in zip(*(k_best(each, 0, s, 50) for each in (one, other)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-11)
    if scale == 1.0:
        got, want = (cliques(each, 0, s, v, 0.4, 0.01) for each in (one, other))
        for name in got._fields:
            found, wanted = np.array(getattr(got, name)), np.array(getattr(want, name))
            if wanted.shape == want.b.shape:  # pairs from the last node on, and the root, in place of all nodes
                nodes, pairs = wanted[: LONG * K], wanted[LONG * K :].reshape(LONG - 1, K * K)
                wanted = np.concatenate([pairs[::-1].ravel(), nodes[:K]])
            close = 1e-5 if name == "stored" else 1e-9  # chains round what they store
            np.testing.assert_allclose(found, wanted, rtol=close, atol=close, err_msg=name)


@pytest.mark.parametrize("scale", [1.0, 140.0, 1e4])
def test_a_root_with_a_thousand_children(scale):
    """Given the root's label they are independent."""
    rng = np.random.default_rng(1)
    x, y, _ = drawn(False, rng)
    split = tree.build(x, np.array([LONG]), np.maximum(np.minimum(np.arange(LONG), 1) - 1, -1), y, K)
    s = scale * rng.uniform(-1, 1, size=int(parts.offsets(split)[-1]))
    nodes, tied = s[: LONG * K].reshape(LONG, K), s[LONG * K :].reshape(K, K)
    scores = tied[None] + nodes[1:, None, :]  # of child, root's label, its own label
    messages = np.asarray(logsumexp(scores, axis=2))
    root = nodes[0] + messages.sum(axis=0)
    log_z = logsumexp(root)
    of_root = np.exp(root - log_z)
    of_child = np.einsum("j,tjk->tk", of_root, np.exp(scores - messages[:, :, None]))
    got = operations(split, 0, np.zeros(parts.num_weights(split)), s, s)
    assert got.log_z == pytest.approx(log_z, rel=1e-12)
    np.testing.assert_allclose(got.mu[: LONG * K].reshape(LONG, K), np.vstack([of_root, of_child]), atol=1e-7)
    assert got.top == pytest.approx((nodes[0] + scores.max(axis=2).sum(axis=0)).max(), rel=1e-12)


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
