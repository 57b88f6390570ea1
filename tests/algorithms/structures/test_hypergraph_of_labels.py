"""Chains, labelled trees, segments are hypergraphs: the kernels for all hypergraphs say what their own do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from structbench.algorithms.structures import hypergraph
from structbench.algorithms.structures import interface as parts
from tests.algorithms.compiled import cliques, operations
from tests.algorithms.hypergraphs import (
    argmin_in_support,
    best,
    chain,
    entropy,
    entropy_slopes,
    k_best,
    marginals,
    of_example,
)
from tests.algorithms.oracle import STRUCTURES
from tests.algorithms.structures.test_interface import few, scales, seeds, shapes

LISTED = [name for name in STRUCTURES if name.startswith(("chain", "tree", "segments"))]
every_listed = pytest.mark.parametrize("name", LISTED)


@every_listed
@few
@given(shapes, seeds, scales)
def test_inference_is_that_of_the_structure(name, shape, rng, scale):
    case = STRUCTURES[name](shape, rng)
    w = np.zeros(parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        s = scale * rng.normal(size=len(example.gold))
        own, listed = operations(case.split, i, w, s, s), of_example(case.split, i)
        log_z, b = marginals(listed.graph, listed.parts @ s)
        assert log_z == pytest.approx(own.log_z, rel=1e-11, abs=1e-11)
        np.testing.assert_allclose(b @ listed.parts, own.mu, atol=1e-9)
        top, y = best(listed.graph, listed.parts @ s)
        assert top == pytest.approx(own.top, rel=1e-11, abs=1e-11)
        if scale > 0:
            np.testing.assert_array_equal(y @ listed.parts, own.best)


@pytest.mark.parametrize("name", [n for n in STRUCTURES if n.startswith("chain")])
@few
@given(shapes, seeds)
def test_ties_go_to_the_smallest_labels(name, shape, rng):
    case = STRUCTURES[name](shape, rng)
    w = np.zeros(parts.num_weights(case.split))
    for i, example in enumerate(case.examples):
        s = rng.integers(-1, 2, size=len(example.gold)).astype(float)
        listed = of_example(case.split, i)
        y = best(listed.graph, listed.parts @ s)[1]
        np.testing.assert_array_equal(y @ listed.parts, operations(case.split, i, w, s, s).best)


@every_listed
@few
@given(shapes, seeds, st.floats(0.1, 0.9))
def test_distributions_are_those_of_the_structure(name, shape, rng, share):
    case = STRUCTURES[name](shape, rng)
    for i, example in enumerate(case.examples):
        s, v = rng.normal(size=(2, len(example.gold)))
        graph, of_parts, of_cliques = of_example(case.split, i)
        (_, b), (_, c) = (marginals(graph, of_parts @ scores) for scores in (s, v))
        floor = float(np.quantile(b @ of_cliques, 0.4)) * (1 + 1e-5)
        own = cliques(case.split, i, s, v, share, floor)
        np.testing.assert_allclose(b @ of_cliques, own.b, atol=1e-11)
        assert entropy(graph, b) == pytest.approx(own.entropy, abs=1e-10)
        mixed = share * b + (1 - share) * c
        assert entropy(graph, mixed) == pytest.approx(own.mixed_entropy, abs=1e-10)
        assert entropy_slopes(graph, mixed, b - c) == pytest.approx(own.slopes, rel=1e-8, abs=1e-8)
        value, y = argmin_in_support(graph, of_parts @ v, b, floor)
        assert value == pytest.approx(own.least_value, abs=1e-11)
        np.testing.assert_array_equal(y @ of_parts, own.least)
        (_, y), (_, z) = (best(graph, of_parts @ scores) for scores in (s, v))
        assert hypergraph.smallest(b, y, z) == pytest.approx(own.smallest, rel=1e-9)


@every_listed
@few
@given(shapes, seeds, scales, st.sampled_from([1, 5, 1000]))
def test_the_k_best_outputs(name, shape, rng, scale, k):
    case = STRUCTURES[name](shape, rng)
    for i, example in enumerate(case.examples):
        s = scale * rng.normal(size=len(example.gold))
        listed = of_example(case.split, i)
        count, Y, values = k_best(listed.graph, listed.parts @ s, k)
        every = example.outputs @ s
        order = np.argsort(-every, kind="stable")[:k]
        assert count == len(order)
        np.testing.assert_allclose(values[:count], every[order], rtol=1e-11, atol=1e-11)
        if scale > 0:
            np.testing.assert_array_equal(Y[:count] @ listed.parts, example.outputs[order])
        else:
            assert len({tuple(y) for y in Y[:count]}) == count


@pytest.mark.parametrize("scale", [1.0, 1e4])
@pytest.mark.parametrize("k", [1, 10, 100])
def test_the_k_best_labellings_of_a_long_chain(k, scale):
    """Beside a list of the k best beginnings for each label, sorted anew at each token."""
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
    listed = chain(T, K, observed=True)
    s = np.concatenate([nodes.ravel(), np.zeros(K * K), pairs.ravel()])
    count, Y, values = k_best(listed.graph, listed.parts @ s, k)
    assert count == k
    np.testing.assert_allclose(values, [value for value, _ in want], rtol=1e-11)
    found = (Y @ listed.parts)[:, : T * K].reshape(k, T, K).argmax(axis=2)
    np.testing.assert_array_equal(found, [labels for _, labels in want])
