"""Matchings against all alignments written out and against scipy's assignment; the learners that need no sums."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import matching
from structbench.algorithms.structures.assignment import best_matching
from structbench.bench.runs import catalogue
from tests.algorithms.matchings import DRAWS, case
from tests.algorithms.optima import optimum_of
from tests.algorithms.solvers import VARIANTS, others, recomputed, solved, start
from tests.algorithms.structures.test_interface import drawn, few, scores, seeds

kinds = pytest.mark.parametrize("kind", DRAWS)
ALL = {"parts", "argmax"}
LEARNERS = [
    (own, params, "l2")
    for own, params in VARIANTS.values()
    if "hinge" in catalogue.losses(own) and set(catalogue.needs(own, {})) <= ALL
] + [(own, params, penalty) for own, params, _, penalty in others() if set(catalogue.needs(own, params)) <= ALL]


@kernel
def _answers(split, i, w, s, v):
    m, outputs = parts.num_parts(split, i), parts.num_decisions(split, i)
    scores, best, gold, moved, gram = np.empty(m), np.empty(m), np.empty(m), w.copy(), s.copy()
    parts.scores(split, i, w, scores)
    top = parts.argmax(split, i, s, best)
    labels, right, costs = np.empty(outputs, np.int32), np.empty(outputs, np.int32), np.zeros(m)
    parts.labels(split, i, best, labels)
    parts.gold(split, i, gold)
    parts.gold_labels(split, i, right)
    parts.add_costs(split, i, 2.0, costs)
    parts.add_features(split, i, 0.5, v, moved)
    parts.add_gram(split, i, 2.0, v, gram)
    reached = np.full(w.shape[0], -1)
    count = parts.feature_support(split, i, v, reached)
    return (
        scores,
        best,
        top,
        labels,
        gold,
        right,
        costs,
        moved,
        gram,
        parts.squared_norm(split, i, v),
        reached[:count],
    )


@kinds
@few
@given(seeds, scores)
def test_the_operations_are_those_of_all_alignments(kind, rng, drawn_as):
    made = case(kind, rng)
    taken = parts.take(made.split, np.array([1, 0, 2, 1]))
    for split, i, example in (
        *((made.split, i, e) for i, e in enumerate(made.examples)),
        (taken, 1, made.examples[0]),
        (taken, 3, made.examples[1]),
        (parts.block(made.split, 1, 3), 1, made.examples[2]),
    ):
        size, w = len(example.gold), rng.normal(size=3)
        s = drawn(rng, size, *drawn_as)
        v = rng.normal(size=size) * (rng.random(size) < 0.5)
        scores, best, top, labels, gold, right, costs, moved, gram, norm, reached = _answers(
            parts.compiled(split), i, w, s, v
        )
        np.testing.assert_allclose(scores, example.features @ w, atol=1e-12)
        assert top == pytest.approx(example.totals(s).max())
        found = (example.outputs == best).all(axis=1)
        if top > -np.inf:
            assert found.sum() == 1 and top == pytest.approx(example.totals(s)[found][0])
            np.testing.assert_array_equal(labels, example.labels[found][0])
        else:
            assert not (best.any() or labels.any())
        np.testing.assert_array_equal(gold, example.gold)
        np.testing.assert_array_equal(right, example.right)
        np.testing.assert_allclose(example.outputs @ costs, 2 * example.losses)
        f = v @ example.features
        np.testing.assert_allclose(moved, w + 0.5 * f, atol=1e-12)
        np.testing.assert_allclose(gram, s + 2 * example.features @ f, atol=1e-10)
        assert norm == pytest.approx(f @ f, abs=1e-12)
        stored = np.flatnonzero((example.features[v != 0] != 0).any(axis=0))
        assert sorted({*reached.tolist()}) == stored.tolist()


@kinds
@few
@given(seeds)
def test_expected_features_of_a_split_and_of_a_block(kind, rng):
    drawn = case(kind, rng)
    for split, examples in ((drawn.split, drawn.examples), (parts.block(drawn.split, 1, 3), drawn.examples[1:])):
        starts = parts.offsets(split)
        starts = starts - starts[0]
        mu, out = rng.normal(size=starts[-1]), np.zeros(3)
        parts.add_expected_features(split, starts, mu, out)
        cut = np.split(mu, starts[1:-1])
        want = sum(v @ e.features for v, e in zip(cut, examples, strict=True))
        np.testing.assert_allclose(out, want, atol=1e-12)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(seeds, st.integers(1, 12), st.integers(1, 12), scores, st.sampled_from([0.0, 0.5]))
def test_the_matching_is_worth_as_much_as_scipy_s(rng, J, K, drawn_as, share):
    gains, must = drawn(rng, J * K, *drawn_as).reshape(J, K), rng.random(J) < share
    partners = np.empty(J, np.int64)
    best_matching(gains, must, partners)
    chosen = [(j, k) for j, k in enumerate(partners) if k >= 0]
    assert len({k for _, k in chosen}) == len(chosen)
    assert all(gains[j, k] > (-np.inf if must[j] else 0) for j, k in chosen)
    missed = 1e9  # what a row costs that must be matched and is not
    alone = np.where(must, -missed, 0.0)[:, None] * np.ones(J)
    worth = np.concatenate([np.maximum(gains, -2 * missed), alone], axis=1)
    best = worth[linear_sum_assignment(worth, maximize=True)].sum()
    found = sum(gains[j, k] for j, k in chosen) - missed * (must & (partners < 0)).sum()
    assert found == pytest.approx(best, rel=1e-12, abs=1e-5)


@pytest.mark.parametrize("wild", [np.nan, np.inf, -np.inf])
def test_gains_that_are_no_numbers_end_in_some_matching(wild):
    gains = np.array([[wild, 1.0, wild], [2.0, wild, wild], [1.0, wild, 3.0]])
    partners = np.empty(3, np.int64)
    best_matching(gains, np.zeros(3, bool), partners)
    assert len(set(partners[partners >= 0])) == (partners >= 0).sum()
    if not wild > 0:
        assert [*partners] == [1, 0, 2]


@kinds
def test_of_several_links_of_a_word_a_largest_matching_is_learned(kind):
    x = ft.dense(np.zeros((6, 1)))
    split = matching.build(x, np.array([2]), np.array([3]), np.array([[0, 0, 0], [0, 1, 0], [0, 0, 2]]))
    assert [*split.y] == [3, 1] and [*split.links] == [1, 0, 1, 1, 0, 0]


@pytest.mark.parametrize(
    ("sources", "targets", "link", "message"),
    [
        ([0, 2], [3, 3], [0, 0, 0], "pair 0 has no source words"),
        ([2], [0], [0, 0, 0], "pair 0 has no target words"),
        ([2], [2], [0, 0, 0], "have 4 edges, but there are 6 rows"),
        ([2], [3], [0, 1, 3], r"target word of link 0, of pair 0, must lie in 0 \.\. 2, not 3"),
        ([2], [3], [1, 0, 0], "pair of link 0 must be 0, not 1"),
        ([2], [3], [0, -1, 0], r"source word of link 0, of pair 0, must lie in 0 \.\. 1, not -1"),
    ],
)
def test_build_refuses_what_does_not_fit(sources, targets, link, message):
    with pytest.raises(UserError, match=message):
        matching.build(ft.dense(np.zeros((6, 1))), np.array(sources), np.array(targets), np.array([link]))


@pytest.mark.parametrize(("algorithm", "params", "penalty"), LEARNERS)
def test_learners_that_need_no_sums_bound_the_optimum_and_come_near_it(algorithm, params, penalty):
    drawn, C = case("dense", np.random.default_rng(5), ((3, 3), (2, 3), (3, 2), (2, 2))), 0.3
    best = optimum_of(drawn, "hinge", C, penalty)
    objective, solver = start(algorithm, drawn.split, "hinge", C, penalty=penalty, **params)
    for iterate in islice(solver, 40):
        value = recomputed(drawn, objective, iterate)
        assert value.primal >= best * (1 - 1e-6)
        assert not value.dual > best * (1 + 1e-6)  # there may be none at w = 0
    solver.close()
    point = solved(algorithm, drawn.split, "hinge", C, 1e-2, penalty=penalty, **params)
    assert best * (1 - 1e-6) <= point.value.primal <= best * 1.05


def test_a_learner_that_needs_sums_is_refused_with_the_reason():
    split = case("dense", np.random.default_rng(0)).split
    with pytest.raises(
        UserError, match=r"eg needs marginals, which matching problems do not have \(the sum over all"
    ):
        catalogue.check_fit("eg", {}, split)
