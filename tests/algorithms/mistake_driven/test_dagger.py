"""DAgger against the same written plainly, and the expert's operators against all completions."""

from typing import Any

import numpy as np
import pytest

from structbench.algorithms.mistake_driven import dagger
from structbench.algorithms.structures import interface as parts
from tests.algorithms import learners, searching
from tests.algorithms.learners import learned
from tests.algorithms.searching import LEARNABLE, PROBLEMS, Path, Searcher, learnable

PASSES, MOST = 3, 60


def search_once(problem: Any, i: int, by_expert: np.ndarray, weights: learners.Weights) -> int:
    """One round: follow the policy, then change w by all mistakes at once; returns the number of steps."""
    searcher = Searcher(problem, i)
    path, difference = searcher.start(), np.zeros_like(weights.w)
    while not searcher.finished(path):
        scores = searcher.scores(path.state, weights.w)
        own, good = int(np.argmax(scores)), searcher.good_moves(path.state)
        expert = own if own in good else max(good, key=lambda move: scores[move])
        difference += searcher.step(path.state, expert) - searcher.step(path.state, own)
        path = searcher.extend(path, expert if by_expert[len(path.moves)] else own)
    if difference.any():
        weights.update(difference)
    weights.visited()
    return len(path.moves)


@pytest.mark.parametrize("name", LEARNABLE)
@pytest.mark.parametrize(("beta", "average"), [(0.0, "uniform"), (0.5, "none"), (1.0, "uniform")])
def test_it_is_the_plain_one(name, beta, average):
    problem = learnable(name)
    rng, weights = np.random.default_rng(0), learners.Weights(parts.num_weights(problem), None)
    run = learned("dagger", problem, PASSES, beta=beta, average=average)
    for k, (w, updates) in enumerate(run):
        order = rng.permutation(parts.num_examples(problem))
        for tick in np.array_split(order, min(4, len(order))):
            by_expert = rng.random(sum(parts.num_decisions(problem, int(i)) for i in tick)) < beta**k
            for i in tick.tolist():
                by_expert = by_expert[search_once(problem, i, by_expert, weights) :]
        assert updates == len(weights.differences) > 0
        np.testing.assert_allclose(w, weights.average(average), atol=1e-9)


@pytest.mark.parametrize("name", PROBLEMS)
def test_the_experts_operators_begin_the_completions_with_the_fewest_mistakes(name):
    """From every state of every path, y-good or not."""
    problem, lost = PROBLEMS[name](), 0
    starts, gold = parts.starts(parts.num_decisions, problem), parts.gold_labels(problem)

    def fewest(searcher: Searcher, path: Path, right: np.ndarray) -> int:
        nonlocal lost
        if searcher.finished(path):
            return int((searcher.labels(path) != right).sum())
        by_move = {move: fewest(searcher, searcher.extend(path, move), right) for move in searcher.allowed(path)}
        least, good = min(by_move.values()), searcher.good_moves(path.state)
        assert good and all(by_move[move] == least for move in good), path
        lost += not path.good
        return least

    for i in range(parts.num_examples(problem)):
        searcher = Searcher(problem, i)
        assert fewest(searcher, searcher.start(), gold[starts[i] : starts[i + 1]]) == 0
    assert lost > 0


@pytest.mark.parametrize("name", ["chain-dense", "joint"])
def test_it_ends_when_the_greedy_search_makes_no_mistake(name):
    problem = PROBLEMS[name](**({"columns": 60} if name == "joint" else {"density": 1.0, "columns": 60}))
    found = list(learned("dagger", problem, MOST, average="none"))
    assert len(found) < MOST
    predicted, right, _ = dagger.greedy(problem, found[-1][0])
    assert (predicted == right).all()
    for i, a in enumerate(parts.starts(parts.num_decisions, problem)[:-1].tolist()):
        labels = Searcher(problem, i).labels(searching.beam_search(problem, i, found[-1][0], 1, "steps"))
        np.testing.assert_array_equal(labels, predicted[a : a + len(labels)])
