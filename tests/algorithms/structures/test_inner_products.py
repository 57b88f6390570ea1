"""Inner products of the rows of long sequences, which keep no Gram matrix, beside products of whole matrices."""

from itertools import pairwise

import numpy as np
import pytest

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import inner_products
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.field import model as field
from structbench.bench.checks.operations import operations
from tests.algorithms.drawn_features import binary, dense, sparse, without_first

LENGTHS, K = (150, 3, 1, 140), 2
every_kind = pytest.mark.parametrize("draw", [dense, sparse, binary])


def drawn(draw) -> tuple[chain.Chain, field.Field]:
    """Chains, some of them long, with observed edges, and the same as fields."""
    rng, nodes = np.random.default_rng(0), sum(LENGTHS)
    x, y = draw((nodes, 5), 0.5, rng), rng.integers(0, K, nodes)
    edges = without_first(draw((nodes, 3), 0.5, rng), LENGTHS)
    first = np.cumsum(LENGTHS) - LENGTHS
    ends = np.concatenate([list(pairwise(range(T))) for T in LENGTHS if T > 1])
    joined = ft.take_rows(edges, np.setdiff1d(np.arange(nodes), first))
    lengths = np.array(LENGTHS)
    return chain.build(x, lengths, y, K, edges), field.build(x, lengths, y, K, ends, lengths - 1, joined)


@every_kind
def test_norms_and_products_of_long_sequences(draw):
    for split in drawn(draw):
        rng = np.random.default_rng(1)
        for i, T in enumerate(LENGTHS):
            numbers = np.diff(split.products.starts)[i]
            assert numbers < 20 * T if T > inner_products.SHORT else numbers == T * T
            m, size = int(np.diff(parts.offsets(split))[i]), parts.num_weights(split)
            v = rng.normal(size=m)
            f = operations(split, i, np.zeros(size), v, v).moved * 2
            got = operations(split, i, f, v, v)
            assert got.norm == pytest.approx(f @ f, rel=1e-12)
            np.testing.assert_allclose(got.gram, v + 2 * got.scores, rtol=1e-12, atol=1e-10)


@every_kind
def test_parts_of_a_split_keep_the_products_of_their_sequences(draw):
    for split in drawn(draw):
        taken, w = parts.take(split, np.array([3, 1, 0])), np.zeros(parts.num_weights(split))
        for new, i in enumerate((3, 1, 0)):
            v = np.random.default_rng(i).normal(size=int(np.diff(parts.offsets(split))[i]))
            for got, want in zip(operations(taken, new, w, v, v), operations(split, i, w, v, v), strict=True):
                np.testing.assert_array_equal(got, want)


def test_a_long_sequence_without_features():
    split = chain.build(ft.dense(np.zeros((200, 2))), np.array([200]), np.zeros(200, int), K)
    v = np.zeros(int(parts.offsets(split)[-1]))
    v[:10] = 1.0
    assert not len(split.products.numbers)
    assert operations(split, 0, np.zeros(parts.num_weights(split)), v, v).norm == 0.0
