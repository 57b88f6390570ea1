"""Costs of labels and of chunks, against all outputs written out; and what minimises losses with them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.costs import SHARE
from structbench.algorithms.structures.segments.tags import add_chunk_costs
from structbench.bench.checks.operations import operations
from tests.algorithms.optima import optimum_of
from tests.algorithms.oracle import STRUCTURES, case
from tests.algorithms.segmentations import in_pieces
from tests.algorithms.solvers import first, solved

LABELLED = [name for name in STRUCTURES if name.startswith(("multiclass", "chain", "tree", "field"))]
SEGMENTS = [name for name in STRUCTURES if name.startswith("segments")]
MINIMISERS = ("eg", "eg-primal", "smo", "frank-wolfe", "cutting-plane", "one-slack", "cocoa", "subgradient")


def costly(name, share=False, **shape):
    """A case whose outputs have costs of their own, (n,) for all outputs of each example."""
    small = case(name, **shape)
    if share:
        split, of = small.split._replace(costs=SHARE), lambda e: e.losses / len(e.right)
    elif name in SEGMENTS:
        limit, outside = small.split.max_length, small.split.outside
        split, of = small.split._replace(chunk_costs=1), lambda e: chunk_costs(e, limit, outside)
    else:
        K = small.num_labels
        matrix = np.where(np.eye(K), 0.0, np.random.default_rng(K).uniform(1, 5, (K, K)))
        matrix.flags.writeable = False
        split, of = small.split._replace(costs=matrix), lambda e: label_costs(e, matrix)
    return small._replace(split=split, examples=[e._replace(losses=of(e)) for e in small.examples])


def label_costs(example, matrix):
    rows = np.vstack([matrix, np.ones(len(matrix))])[example.right]  # the last is that of a label never seen
    return rows[np.arange(len(example.right)), example.labels].sum(axis=1)


def chunk_costs(example, limit, outside):
    """Chunks of one of two segmentations, but not of both."""
    chunks = [
        {each for each in in_pieces(y, limit) if each[2] != outside} for y in (example.right, *example.labels)
    ]
    return np.array([float(len(chunks[0] ^ found)) for found in chunks[1:]])


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.integers(-1, 2), min_size=1, max_size=6), st.sampled_from([-1, 1]), st.integers(1, 4))
def test_a_candidate_costs_the_chunks_that_begin_in_it_and_itself_if_it_is_none(drawn, outside, longest):
    """``drawn``: -1 for an unknown tag, 0 and 1 for the begin of a segment of this label, 2 to go on."""
    tags, chunks, T = [], [], len(drawn)
    for t, what in enumerate(drawn):
        goes_on = what == 2 and t > 0 and tags[-1] >= 0 and tags[-1] // 2 != outside
        tags.append(2 * (tags[-1] // 2) + 1 if goes_on else (0, 2, 0, -1)[what])
        if goes_on:
            chunks[-1][1] += 1
        elif tags[-1] >= 0 and tags[-1] // 2 != outside:
            chunks.append([t, 1, tags[-1] // 2])
    places = [(t, n) for t in range(T) for n in range(1, 1 + min(longest, T - t))]
    out = np.ones((len(places), 2))
    add_chunk_costs.python(np.array(tags), longest, outside, 2.5, out)
    for row, (t, n) in zip(out, places, strict=True):
        for k in range(2):
            mine = k != outside and [t, n, k] in chunks
            cost = sum(t <= begin < t + n for begin, *_ in chunks) - mine + (k != outside and not mine)
            assert row[k] == (1 if k == outside and n > 1 else 1 + 2.5 * cost), (tags, t, n, k)


@pytest.mark.parametrize(
    ("name", "share"), [*((name, False) for name in (*LABELLED, *SEGMENTS)), *((name, True) for name in LABELLED)]
)
@pytest.mark.parametrize("unseen", [0.0, 0.3])
def test_costs_are_those_of_all_outputs(name, share, unseen):
    small = costly(name, share, unseen=unseen)
    rng = np.random.default_rng(1)
    for split in (small.split, parts.take(small.split, np.arange(len(small.examples)))):
        for i, example in enumerate(small.examples):
            m = example.outputs.shape[1]
            w, s, v = (rng.normal(size=size) for size in (parts.num_weights(split), m, m))
            found = operations(split, i, w, s, v)
            np.testing.assert_allclose(example.outputs @ (found.augmented - v) / 2, example.losses, atol=1e-12)
            assert found.worst_top == pytest.approx((example.totals(s) + example.losses).max())


COSTLY = [("multiclass-sparse", False), ("chain-sparse-edges", False), ("segments-binary", False)]


@pytest.mark.parametrize(("name", "share"), [*COSTLY, ("chain-dense", True)])
def test_all_reach_the_optimum_of_these_costs(name, share):
    small = costly(name, share)
    best = optimum_of(small, "hinge", 2.0, "l2")
    assert abs(best - optimum_of(case(name), "hinge", 2.0, "l2")) > 0.03 * best
    for algorithm in MINIMISERS:
        found = solved(algorithm, small.split, "hinge", 2.0, 2e-3).value
        assert found.primal == pytest.approx(best, rel=3e-3)
        assert found.dual <= best * (1 + 1e-9)
    smooth = optimum_of(small, "smoothed-hinge-0.5", 2.0, "l2")
    for algorithm in ("lbfgs", "sdca", "eg"):
        assert solved(algorithm, small.split, "smoothed-hinge-0.5", 2.0, 1e-7).value.primal == pytest.approx(
            smooth
        )


@pytest.mark.parametrize("algorithm", ["liblinear", "kernel-svm"])
@pytest.mark.parametrize("share", [False, True])
def test_what_knows_no_costs_refuses_them(algorithm, share):
    params = {"kernel": "linear"} if algorithm == "kernel-svm" else {}
    with pytest.raises(
        UserError, match=f"^{algorithm} counts every wrong label as 1: it takes no data with costs$"
    ):
        first(1, algorithm, costly("multiclass-dense", share).split, "hinge", 1.0, **params)


@pytest.mark.parametrize("algorithm", ["latent-perceptron", "latent-svm"])
def test_what_tells_gold_outputs_by_their_cost_takes_no_shares(algorithm):
    with pytest.raises(UserError, match=f"^{algorithm} needs costs of 1 or more for each wrong label"):
        first(1, algorithm, costly("chain-dense", True).split, "none", 1.0)
    first(1, algorithm, costly("chain-dense").split, "none", 1.0)
