"""A* search: the best output, and no state expanded twice."""

import numpy as np
import pytest

from structbench.algorithms.search import a_star
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts
from tests.algorithms import oracle
from tests.algorithms.searching import EXACT, Searcher, weights


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("seed", range(4))
def test_it_finds_the_best_output(name, seed):
    case = oracle.case(name, seed, lengths=(5, 1, 4))
    w = weights(case.split, seed)
    for i, example in enumerate(case.examples):
        s, y = example.features @ w, np.empty(len(example.gold))
        labels = np.full(parts.num_decisions(case.split, i), -9, np.int32)
        score, _ = a_star.find(parts.compiled(case.split), i, w, labels)
        assert score == pytest.approx(parts.argmax(case.split, i, s, y))
        np.testing.assert_array_equal(labels, example.labels[example.best(s)])


@pytest.mark.parametrize("name", EXACT)
def test_it_expands_a_state_once_at_most_and_not_all_of_them(name):
    expanded, unfinished = [], []
    for seed in range(6):
        split = oracle.case(name, seed, lengths=(5, 1, 4)).split
        w = weights(split, seed)
        for i in range(3):
            searcher = Searcher(split, i)
            states = {path.states[-1] for path in searcher.every_path() if not searcher.finished(path)}
            labels = np.empty(parts.num_decisions(split, i), np.int32)
            expanded.append(a_star.find(parts.compiled(split), i, w, labels)[1])
            unfinished.append(len(states))
            assert 1 <= expanded[-1] <= unfinished[-1] < search.num_states(split, i)
    assert sum(expanded) < 0.8 * sum(unfinished)


def test_scores_that_tie_do_not_keep_it_from_ending():
    split = oracle.case("chain-binary").split
    labels = np.empty(parts.num_decisions(split, 0), np.int32)
    score, expanded = a_star.find(parts.compiled(split), 0, np.zeros(parts.num_weights(split)), labels)
    assert score == 0
    assert 0 <= labels.min() <= labels.max() < 3
    assert expanded <= search.num_states(split, 0)
