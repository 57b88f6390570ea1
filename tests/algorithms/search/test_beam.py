"""Beam search against lists of paths that are sorted, against exact search, and where scores tie."""

import numpy as np
import pytest

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.search import beam as bm
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.segments import model as segments
from tests.algorithms import oracle
from tests.algorithms.searching import EXACT, PROBLEMS, Searcher, beam_search, weights

every = pytest.mark.parametrize("name", PROBLEMS)
exact = pytest.mark.parametrize("name", EXACT)
seeds = pytest.mark.parametrize("seed", range(3))
both = pytest.mark.parametrize("rows", ["decisions", "steps"])


def found(problem, i, w, beam, rows):
    """Labels and score, as compiled code finds them."""
    out = np.full(parts.num_decisions(problem, i), -9, np.int32)
    score = bm.find(parts.compiled(problem), i, w, beam, rows == "decisions", out)
    return out, score


@every
@seeds
@both
@pytest.mark.parametrize("beam", [1, 2, 3, 5])
def test_a_beam_is_what_sorted_lists_of_paths_give(name, seed, beam, rows):
    problem = PROBLEMS[name](seed=seed)
    w = weights(problem, seed)
    for i in range(parts.num_examples(problem)):
        labels, score = found(problem, i, w, beam, rows)
        path = beam_search(problem, i, w, beam, rows)
        np.testing.assert_array_equal(labels, Searcher(problem, i).labels(path))
        assert score == pytest.approx(path.features @ w)


@every
@both
@pytest.mark.parametrize("beam", [1, 2, 3, 5])
def test_of_equal_paths_the_first_stays(name, beam, rows):
    """Whole numbers: scores tie exactly, and often."""
    problem = PROBLEMS[name]()
    whole = {name: _whole(getattr(problem, name)) for name in ("x", "edges") if hasattr(problem, name)}
    problem = problem._replace(**whole)
    w = np.random.default_rng(0).integers(-1, 2, size=parts.num_weights(problem)).astype(float)
    for v in (w, np.zeros_like(w)):
        for i in range(parts.num_examples(problem)):
            labels, score = found(problem, i, v, beam, rows)
            path = beam_search(problem, i, v, beam, rows)
            np.testing.assert_array_equal(labels, Searcher(problem, i).labels(path))
            assert score == path.features @ v


def _whole(x: ft.Features) -> ft.Features:
    return x._replace(dense=np.round(x.dense), values=np.round(x.values))


@exact
@seeds
@both
def test_a_beam_with_room_for_all_paths_is_exact(name, seed, rows):
    case = oracle.case(name, seed)
    w = weights(case.split, seed + 10)
    for i, example in enumerate(case.examples):
        labels, score = found(case.split, i, w, len(example.outputs) * 4, rows)
        s, y = example.features @ w, np.empty(len(example.gold))
        top = parts.argmax(case.split, i, s, y)
        assert score == pytest.approx(top)
        assert score == pytest.approx((example.outputs @ s).max())
        np.testing.assert_array_equal(labels, example.labels[example.best(s)])


@every
@seeds
def test_a_beam_of_one_is_greedy(name, seed):
    problem = PROBLEMS[name](seed=seed)
    w = weights(problem, seed + 20)
    for i in range(parts.num_examples(problem)):
        searcher = Searcher(problem, i)
        path = searcher.start()
        while not searcher.finished(path):
            path = searcher.extend(path, int(np.argmax(searcher.scores(path.state, w))))
        np.testing.assert_array_equal(found(problem, i, w, 1, "steps")[0], searcher.labels(path))


def two_tokens(whole: float, first: float, second: float):
    """Two tokens, one label: one segment of both, or two; and the weights that give these scores."""
    rows = ft.dense(np.eye(3))  # (0, 1), (0, 2), (1, 1)
    problem = segments.build(rows, np.array([2]), np.array([0, 1]), 1, 2)
    return problem, np.array([first, whole, second, 0.0])


@pytest.mark.parametrize(
    ("rows", "beam", "scores", "labels"),
    [
        ("decisions", 1, (3.0, 1.0, 9.0), [0, 0]),  # outputs of both tokens compete
        ("decisions", 1, (3.0, 1.0, 1.0), [0, 1]),
        ("decisions", 1, (1.0, 3.0, -9.0), [0, 1]),
        ("steps", 1, (3.0, 1.0, 9.0), [0, 1]),  # finished, and alone in the queue: the better path was cut
        ("steps", 2, (3.0, 1.0, 9.0), [0, 0]),
        ("steps", 2, (3.0, 1.0, 1.0), [0, 1]),  # carried on beside the one that still grows
        ("steps", 1, (1.0, 3.0, -9.0), [0, 0]),  # cut, though it would have been better in the end
        ("steps", 2, (1.0, 3.0, -9.0), [0, 1]),
    ],
)
def test_finished_paths_are_carried_on_and_may_be_cut(rows, beam, scores, labels):
    problem, w = two_tokens(*scores)
    assert found(problem, 0, w, beam, rows)[0].tolist() == labels


@kernel
def ranked(ranks, room):
    """Which of the paths stay, best first."""
    q = bm.queue(1, room, 1)
    for k in range(len(ranks)):
        bm.insert(q, 0, 0.0, ranks[k], k, k, False)
    return q.parents[0, : q.sizes[0]].copy()


@pytest.mark.parametrize("room", [1, 2, 3, 7, 20])
def test_insert_keeps_the_best_in_order(room):
    rng = np.random.default_rng(room)
    for _ in range(50):
        ranks = rng.integers(0, 5, size=12).astype(float)
        np.testing.assert_array_equal(ranked(ranks, room), np.argsort(-ranks, kind="stable")[:room])
