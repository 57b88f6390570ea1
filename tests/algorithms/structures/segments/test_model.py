"""Semi-Markov chains: as chains, at lengths that no oracle can write out, and with segments that are too long."""

from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp

from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime import parallel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.segments import model as segments
from structbench.algorithms.structures.segments.rows import candidates, rows_before
from structbench.algorithms.structures.segments.tags import num_too_long, tag_names
from structbench.algorithms.structures.shared_columns import renumber
from structbench.bench.checks.operations import operations
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import chunks
from tests.algorithms.drawn_features import rows_of, sparse
from tests.algorithms.oracle import case
from tests.algorithms.segment_cases import drawn_pieces, segments_case, summed

LONG, K, MOST = 1_000, 3, 4


# ---- long sequences and scores of any size ---------------------------------------------------------


def before(starts: np.ndarray, lengths: np.ndarray, scores: np.ndarray, tied: np.ndarray, total: Callable):
    """The total of what goes before a segment that begins at each token, by its label, and that of all."""
    found = np.zeros((LONG, K))
    for t in range(1, LONG + 1):
        r = np.flatnonzero(starts + lengths == t)
        ended = total(scores[r] + found[starts[r]], axis=0)
        if t < LONG:
            found[t] = total(ended[:, None] + tied, axis=0)
    return found, total(ended, axis=0)


@pytest.mark.parametrize("outside", [-1, 1])
@pytest.mark.parametrize("scale", [1.0, 30.0, 1e4])
def test_a_thousand_tokens(outside, scale):
    rng, T = np.random.default_rng(0), np.array([LONG])
    starts, lengths = candidates(T, MOST)
    split = segments.build(sparse((len(starts), 4), 0.5, rng), T, 2 * rng.integers(0, K, LONG), K, MOST, outside)
    s = scale * rng.uniform(-1, 1, size=int(parts.offsets(split)[-1]))
    got = operations(split, 0, np.zeros(parts.num_weights(split)), s, s)
    scores, tied = s[: len(starts) * K].reshape(-1, K).copy(), s[len(starts) * K :].reshape(K, K)
    if outside >= 0:
        scores[lengths > 1, outside] = -np.inf
    into, log_z = before(starts, lengths, scores, tied, logsumexp)
    back = LONG - starts - lengths  # where segments begin in the sequence read backwards
    outof, _ = before(back, lengths, scores, tied.T, logsumexp)
    assert got.log_z == pytest.approx(log_z, rel=1e-12)
    assert got.top == pytest.approx(before(starts, lengths, scores, tied, np.max)[1], rel=1e-12)
    mu, transitions = got.mu[: scores.size].reshape(scores.shape), got.mu[scores.size :].reshape(K, K)
    np.testing.assert_allclose(mu, np.exp(into[starts] + scores + outof[back] - log_z), atol=1e-6)
    np.testing.assert_allclose(transitions.sum(axis=0), mu[starts > 0].sum(axis=0), rtol=1e-9)
    np.testing.assert_allclose(transitions.sum(axis=1), mu[back > 0].sum(axis=0), rtol=1e-9)
    covered = np.zeros(LONG)
    for n in range(MOST):
        np.add.at(covered, starts[lengths > n] + n, mu[lengths > n].sum(axis=1))
    np.testing.assert_allclose(covered, 1, atol=1e-12)  # every token is in one segment, whatever the scores


@pytest.mark.parametrize("steep", [149.0, 151.0, 400.0])
@pytest.mark.parametrize("name", ["segments-dense", "segments-sparse"])
def test_no_step_where_the_recursions_change(name, steep):
    """Transitions whose spread lies on either side of the limit of the recursion with exponentials."""
    one = case(name, seed=2, lengths=(4,))
    example = one.examples[0]
    s = np.random.default_rng(3).uniform(-1, 1, size=len(example.gold))
    s[-1], s[-2] = steep, 0.0
    s[: -K * K] *= 1000.0  # so that lengths, too, are far apart
    got = operations(one.split, 0, np.zeros(parts.num_weights(one.split)), s, s)
    assert got.log_z == pytest.approx(example.log_z(s), rel=1e-13)
    np.testing.assert_allclose(got.mu, example.distribution(s) @ example.outputs, atol=1e-11)


TOO_LONG = [0, 1, 1, 1, 1, 4, -1, -1, 2, 3, 3, 2, 3, 4, 5, 5]  # in sequences of 8, 3 and 5 tokens, at most 2 each


@pytest.fixture
def too_long():
    rng = np.random.default_rng(5)
    lengths, rows = (8, 3, 5), 2 * 16 - 3
    return segments_case(ft.dense(rng.normal(size=(rows, 3))), lengths, np.array(TOO_LONG), K, 2, -1)


def test_segments_that_are_too_long_are_learned_in_pieces(too_long):
    split, fitting = too_long.split, case("segments-dense", lengths=(5, 3, 6)).split
    assert num_too_long(split) == 3
    assert num_too_long(fitting) == 0 and (fitting.target == fitting.y).all()
    assert list(split.target) == [0, 1, 0, 1, 0, 4, -1, -1, 2, 3, 2, 2, 3, 4, 5, 4]
    assert list(split.y) == TOO_LONG
    for i, example in enumerate(too_long.examples):
        s = np.random.default_rng(i).normal(size=len(example.gold))
        got = operations(split, i, np.zeros(parts.num_weights(split)), s, np.zeros(len(s)))
        np.testing.assert_array_equal(got.gold, example.gold)
        np.testing.assert_array_equal(got.right, example.right)
        np.testing.assert_array_equal(got.worst, example.outputs[example.best(s, cost=1.0)])
        unknown = np.count_nonzero(example.right < 0)
        assert example.gold @ got.augmented / 2 == 0  # what is learned costs nothing
        assert (example.outputs @ got.augmented / 2).min() == unknown
    objective = Objective(split, "hinge", 1.0)
    w = np.random.default_rng(9).normal(size=parts.num_weights(split))
    assert objective.evaluate(w, None).primal == pytest.approx(too_long.primal(w, "hinge", 1.0))


def test_pieces_of_a_segment_that_is_too_long_are_wrong_chunks(too_long):
    """Evaluation counts chunks as the data have them, not as they are learned."""
    labels = tag_names(("NP", "VP", "PP"), outside=-1)
    assert labels == ("B-NP", "I-NP", "B-VP", "I-VP", "B-PP", "I-PP")
    assert tag_names(("NP", "O"), outside=1) == ("B-NP", "I-NP", "O", "O")
    right = np.concatenate([e.right for e in too_long.examples])
    starts = np.array([0, 8, 11, 16])
    found = chunks.scores(Judged(Problem(None, None, labels), "test", too_long.split.target, right, starts)).f1
    assert found == pytest.approx(2 * 4 / (11 + 7))  # of those that fit, two have no tag


# ---- numbering -------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [1, 2, 3, 5, 9])
def test_candidates_come_by_first_token_then_by_length(most):
    lengths = (1, 4, 2, 5)
    starts, widths = candidates(np.array(lengths), most)
    want, token = [], 0
    for T in lengths:
        before = [(t, n) for t in range(T) for n in range(1, most + 1) if t + n <= T]
        assert [rows_before(t, T, most) for t in range(T + 1)] == [
            sum(u < t for u, _ in before) for t in range(T + 1)
        ]
        want += [(token + t, n) for t, n in before]
        token += T
    assert list(zip(starts, widths, strict=True)) == want


def test_columns_are_numbered_by_sequence():
    matrix = np.array([[0, 3, 0, 4], [5, 0, 0, 6], [0, 0, 0, 0], [0, 0, 7, 8], [0, 0, 0, 9]], float)
    x = ft.sparse(sp.csr_array(matrix))
    row_starts = np.array([0, 2, 3, 5])
    for threads in (1, 3):
        with parallel.using(threads):
            indices, columns, starts = renumber(x, row_starts)
            assert list(indices) == [0, 1, 2, 1, 0, 1, 1]
            assert list(columns) == [1, 3, 0, 2, 3]
            assert list(starts) == [0, 3, 3, 5]


# ---- pieces ----------------------------------------------------------------------------------------


def test_pieces_are_as_good_as_their_sums():
    rng, lengths = np.random.default_rng(7), (5, 1, 3, 7)
    pieces = drawn_pieces(lengths, MOST, rng)
    x = sparse((pieces["piece_starts"][-1], 6), 0.5, rng)
    given = np.array(lengths), np.zeros(sum(lengths), int), K, MOST
    ours = segments.build(x, *given, **pieces)
    theirs = segments.build(ft.dense(summed(rows_of(x), lengths, MOST, **pieces)), *given)
    w = rng.normal(size=parts.num_weights(ours))
    for i in range(len(lengths)):
        s, v = rng.normal(size=(2, np.diff(parts.offsets(ours))[i]))
        for got, want in zip(operations(ours, i, w, s, v), operations(theirs, i, w, s, v), strict=True):
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("at_once", [1, 9, 2**17])
def test_expected_features_do_not_depend_on_blocks_and_threads(monkeypatch, at_once):
    small = case("segments-pieces", seed=8, lengths=(4, 1, 3, 5, 2))
    mu = np.random.default_rng(0).normal(size=parts.offsets(small.split)[-1])
    want = np.concatenate([e.features for e in small.examples]).T @ mu
    found = []
    for at_once_now, threads in ((2**17, 1), (at_once, 1), (at_once, 3)):
        monkeypatch.setattr(segments, "PIECES_AT_ONCE", at_once_now)
        with parallel.using(threads):
            out = np.zeros(parts.num_weights(small.split))
            parts.add_expected_features(small.split, 0, parts.offsets(small.split), mu, out)
            found.append(out)
    np.testing.assert_allclose(found[0], want, atol=1e-12)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])
