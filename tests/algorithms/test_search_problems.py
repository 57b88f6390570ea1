"""The operations of chains, segments and joint problems as search problems, against all paths written out."""

import numpy as np
import pytest

from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from tests.algorithms import drawn_features, oracle
from tests.algorithms.searching import EXACT, PROBLEMS, Searcher, weights
from tests.algorithms.segment_cases import segments_case

exact = pytest.mark.parametrize("name", EXACT)
every = pytest.mark.parametrize("name", PROBLEMS)


def paths(problem, i):
    """All paths, and the finished ones among them."""
    searcher = Searcher(problem, i)
    found = list(searcher.every_path())
    return searcher, found, [path for path in found if searcher.finished(path)]


@exact
def test_finished_paths_are_the_outputs_and_have_their_features(name):
    case = oracle.case(name)
    for i, example in enumerate(case.examples):
        searcher, _, finished = paths(case.split, i)
        outputs = {tuple(labels): y for labels, y in zip(example.labels, example.outputs, strict=True)}
        assert sorted(tuple(searcher.labels(path)) for path in finished) == sorted(outputs)
        for path in finished:
            y = outputs[tuple(searcher.labels(path))]
            np.testing.assert_allclose(path.features, y @ example.features, atol=1e-12)
            added = np.zeros(parts.num_weights(case.split))
            parts.add_features(case.split, i, 1.0, y, added)
            np.testing.assert_allclose(path.features, added, atol=1e-12)


@every
def test_good_paths_are_those_that_lead_to_the_right_output(name):
    problem = PROBLEMS[name]()
    _, every_right, starts = prediction.label_room(problem)
    for i in range(parts.num_examples(problem)):
        searcher, found, finished = paths(problem, i)
        right = every_right[starts[i] : starts[i + 1]]
        leads = {
            p.moves[:n] for p in finished if (searcher.labels(p) == right).all() for n in range(len(p.moves) + 1)
        }
        assert {path.moves for path in found if path.good} == leads
        assert len(leads) >= 2


@every
def test_scores_of_moves_remembered_or_not_are_those_of_the_features_of_their_steps(name):
    problem = PROBLEMS[name]()
    w = weights(problem, 1)
    for i in range(parts.num_examples(problem)):
        searcher, found, _ = paths(problem, i)
        sizes = search.sizes(problem, i)
        known, flags = np.full(sizes.floats, np.nan), np.zeros(sizes.flags, np.int8)
        states = sorted({path.states[-1] for path in found if not searcher.finished(path)})
        for pick in np.random.default_rng(3).permutation(2 * len(states)):
            state, out = np.array(states[pick // 2]), np.empty(sizes.moves)
            search.move_scores(problem, i, state, w, known, flags, out)
            np.testing.assert_allclose(out, searcher.scores(state, w), atol=1e-12)
            for move in np.flatnonzero(out > -np.inf):
                assert out[move] == pytest.approx(w @ searcher.step(state, int(move)), abs=1e-12)


@exact
def test_bounds_are_admissible_and_consistent(name):
    problem = PROBLEMS[name](seed=1)
    w = weights(problem, 1)
    for i in range(parts.num_examples(problem)):
        searcher, found, finished = paths(problem, i)
        sizes = search.sizes(problem, i)
        bounds = np.full(parts.num_decisions(problem, i) + 1, np.nan)
        search.bounds(problem, i, w, np.empty(sizes.floats), np.zeros(sizes.flags, np.int8), bounds)
        assert bounds[-1] == 0
        for path in found:
            start = path.states[-1][0]
            completions = [p for p in finished if p.moves[: len(path.moves)] == path.moves]
            top = max((p.features - path.features) @ w for p in completions)
            assert bounds[start] >= top - 1e-12
            for move in [] if searcher.finished(path) else searcher.allowed(path):
                after = searcher.extend(path, move)
                step = (after.features - path.features) @ w
                assert step + bounds[after.states[-1][0]] <= bounds[start] + 1e-12


def test_right_segments_that_are_too_long_are_learned_in_pieces():
    rng, lengths, L = np.random.default_rng(0), (5, 2), 2
    y = np.array([2, 3, 3, 3, 3, 0, 2])  # one segment of label 1, five tokens long; then labels 0 and 1
    rows = sum(min(L, T - t) for T in lengths for t in range(T))
    case = segments_case(drawn_features.dense((rows, 3), 1.0, rng), lengths, y, 2, L, 0)
    searcher, _, finished = paths(case.split, 0)
    (good,) = (path for path in finished if path.good)
    assert searcher.labels(good).tolist() == [2, 3, 2, 3, 2]
    np.testing.assert_allclose(good.features, case.examples[0].gold @ case.examples[0].features, atol=1e-12)


@pytest.mark.parametrize("name", ["chain-dense", "segments-dense"])
def test_labels_never_seen_are_good_nowhere(name):
    case = oracle.case(name, unseen=0.5)
    assert any((example.right < 0).any() for example in case.examples)
    for i, example in enumerate(case.examples):
        if (example.right < 0).any():
            assert not any(path.good for path in paths(case.split, i)[2])
