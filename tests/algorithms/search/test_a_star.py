"""A* search: the best output, and no state expanded twice."""

import numpy as np
import pytest

from structbench.algorithms.search import a_star
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts
from tests.algorithms import oracle
from tests.algorithms.searching import EXACT, Searcher, weights


@pytest.mark.parametrize("name", EXACT)
def test_it_finds_the_best_output_and_expands_a_state_once_at_most_and_not_all_of_them(name):
    expanded, unfinished = [], []
    for seed in range(4):
        case = oracle.case(name, seed, lengths=(5, 1, 4))
        split, w = case.split, weights(case.split, seed)
        for i, example in enumerate(case.examples):
            s, labels = example.features @ w, np.full(parts.num_decisions(split, i), -9, np.int32)
            score, count = a_star.find(parts.compiled(split), i, w, labels)
            assert score == pytest.approx(example.totals(s).max())
            np.testing.assert_array_equal(labels, example.labels[example.best(s)])
            searcher = Searcher(split, i)
            states = {path.states[-1] for path in searcher.every_path() if not searcher.finished(path)}
            expanded.append(count)
            unfinished.append(len(states))
            assert 1 <= count <= len(states)
    assert sum(expanded) < 0.8 * sum(unfinished)


def test_scores_that_tie_do_not_keep_it_from_ending():
    split = oracle.case("chain-binary").split
    labels = np.empty(parts.num_decisions(split, 0), np.int32)
    score, expanded = a_star.find(parts.compiled(split), 0, np.zeros(parts.num_weights(split)), labels)
    assert score == 0
    assert 0 <= labels.min() <= labels.max() < 3
    assert expanded <= (parts.num_decisions(split, 0) + 1) * search.sizes(split, 0).lasts
