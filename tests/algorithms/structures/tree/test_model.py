"""Labelled trees of sizes that no oracle can write out, and what ``build`` refuses."""

import numpy as np
import pytest
import scipy.sparse as sp

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.tree import model as tree
from tests.algorithms.compiled import cliques, k_best, operations

LONG, K = 1_000, 3


def drawn(observed: bool, rng: np.random.Generator) -> tuple[ft.Features, np.ndarray, ft.Features | None]:
    """Features of nodes, labels and, maybe, features of edges of one tree."""
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
        close = {"rtol": 1e-11, "atol": 1e-7 if name == "mu" else 1e-9}
        np.testing.assert_allclose(getattr(got, name), getattr(want, name), err_msg=name, **close)
    if scale == 1.0:
        got, want = (cliques(each, 0, s, v, 0.4, 0.01) for each in (one, other))
        for name in got._fields:
            found, wanted = np.array(getattr(got, name)), np.array(getattr(want, name))
            if (
                wanted.shape == want.b.shape
            ):  # the pairs from the last node on, and the root, in place of all nodes
                nodes, pairs = wanted[: LONG * K], wanted[LONG * K :].reshape(LONG - 1, K * K)
                wanted = np.concatenate([pairs[::-1].ravel(), nodes[:K]])
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=name)
        for found, wanted in zip(*(k_best(each, 0, s, 5) for each in (one, other)), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-11)


@pytest.mark.parametrize("scale", [1.0, 140.0, 1e4])
def test_a_root_with_a_thousand_children(scale):
    """Given the root's label they are independent."""
    rng = np.random.default_rng(1)
    x, y, _ = drawn(False, rng)
    split = tree.build(x, np.array([LONG]), np.maximum(np.minimum(np.arange(LONG), 1) - 1, -1), y, K)
    s = scale * rng.uniform(-1, 1, size=int(parts.offsets(split)[-1]))
    nodes, tied = s[: LONG * K].reshape(LONG, K), s[LONG * K :].reshape(K, K)
    scores = tied[None] + nodes[1:, None, :]  # of child, root's label, its own label
    tops = scores.max(axis=2)
    messages = tops + np.log(np.exp(scores - tops[:, :, None]).sum(axis=2))
    root = nodes[0] + messages.sum(axis=0)
    log_z = root.max() + np.log(np.exp(root - root.max()).sum())
    of_root = np.exp(root - log_z)
    of_child = np.einsum("j,tjk->tk", of_root, np.exp(scores - messages[:, :, None]))
    got = operations(split, 0, np.zeros(parts.num_weights(split)), s, s)
    assert got.log_z == pytest.approx(log_z, rel=1e-12)
    found = got.mu[: LONG * K].reshape(LONG, K)
    np.testing.assert_allclose(found[0], of_root, atol=1e-7)
    np.testing.assert_allclose(found[1:], of_child, atol=1e-7)
    assert got.top == pytest.approx((nodes[0] + tops.sum(axis=0)).max(), rel=1e-12)


def rows(count: int) -> ft.Features:
    return ft.dense(np.ones((count, 2)))


@pytest.mark.parametrize(
    ("lengths", "parents", "message"),
    [
        ([3], [-1, 0], "the trees have 3 nodes, but there are 2 parents"),
        ([3], [-1, 0, -1], r"parent of node 2 of tree 0 must lie in 0 \.\. 1, not -1"),  # a forest
        ([1, 2], [-1, -1, 1], "parent of node 1 of tree 1 must be 0, not 1"),  # its own parent
        ([3], [-1, 2, 1], "parent of node 1 of tree 0 must be 0, not 2"),  # a cycle
        ([1, 2], [-1, 0, 0], "parent of node 0 of tree 1 must be -1, not 0"),
    ],
)
def test_build_refuses_what_is_no_tree(lengths, parents, message):
    nodes = sum(lengths)
    with pytest.raises(UserError, match=message):
        tree.build(rows(nodes), np.array(lengths), np.array(parents), np.zeros(nodes), 2)
