"""Joint tagging and chunking: features of steps, states, forbidden moves."""

from typing import Any

import numpy as np
import pytest

from structbench.algorithms.search import a_star
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import joint
from tests.algorithms.drawn_features import binary, dense, rows_of, sparse
from tests.algorithms.searching import EXACT, PROBLEMS, Searcher

TAGS, CHUNKS = 3, 3  # chunk tags: B, I, O
CONTINUES = np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1], [1, 0, 1]], bool)
LENGTHS = (3, 1, 2)
Y = [0, 4, 8, 3, 2, 6]  # B I O, B, O B


def built(kind=sparse, **changed):
    given: dict[str, Any] = {
        "x": kind((6, 4), 0.5, np.random.default_rng(0)),
        "lengths": LENGTHS,
        "y": Y,
        "num_tags": TAGS,
        "num_chunk_tags": CHUNKS,
        "continues": CONTINUES,
    }
    return joint.build(**(given | changed))


def reached(problem, i, *moves):
    """The operations on an example, and the path of these moves."""
    searcher = Searcher(problem, i)
    path = searcher.start()
    for move in moves:
        path = searcher.extend(path, move)
    return searcher, path


@pytest.mark.parametrize("kind", [dense, sparse, binary])
def test_a_step_has_the_tokens_features_twice_and_one_place_a_table(kind):
    problem = built(kind)
    x = rows_of(problem.x)
    searcher, path = reached(problem, 0, 0, 4)
    total = searcher.step(path.state, 8)
    unary = total[: 4 * 6].reshape(4, 6)
    np.testing.assert_allclose(unary[:, [2, 5]], np.stack([x[2], x[2]], axis=1))
    assert not unary[:, [0, 1, 3, 4]].any()
    assert np.count_nonzero(total[4 * 6 :]) == total[4 * 6 :].sum() == 7


def test_no_two_steps_have_the_same_tables_and_forbidden_ones_score_minus_infinity():
    """Each table's place depends on just the labels that it is named after."""
    searcher, table_of = Searcher(built(), 0), {}
    w = np.random.default_rng(1).normal(size=parts.num_weights(searcher.problem))
    for path in searcher.every_path():
        if searcher.finished(path):
            continue
        _, p1, p2, c1 = path.states[-1]
        allowed = CONTINUES[c1, np.arange(TAGS * CHUNKS) % CHUNKS]
        np.testing.assert_array_equal(searcher.scores(path.state, w) > -np.inf, allowed)
        for move in range(TAGS * CHUNKS):
            p, c = divmod(move, CHUNKS)
            places = np.flatnonzero(searcher.step(path.state, move)[4 * 6 :])
            named = [("a", p1, p), ("b", p2, p1, p), ("c", c1, c), ("d", p, c), ("e", p1, p, c), ("f", c1, p, c)]
            named.append(("g", p2, p1, p, c))
            for place, name in zip(places.tolist(), named, strict=True):
                assert table_of.setdefault(place, name) == name
    assert len(set(table_of.values())) == len(table_of)


def test_states_remember_what_came_before_and_may_be_overwritten():
    searcher, path = reached(built(), 0, 5, 3, 7)
    assert path.states == ((0, -1, -1, -1), (1, 1, -1, 2), (2, 1, 1, 0), (3, 2, 1, 1))
    state = np.array(path.states[1])
    search.after(searcher.problem, 0, state, 3, state)
    assert tuple(state) == path.states[2]


def test_good_moves_are_the_right_codes():
    problem = built(y=[0, -1, 8, 3, 2, 6])
    for i, right in enumerate(([0, -1, 8], [3], [2, 6])):
        searcher, path = reached(problem, i, *np.maximum(right, 0))
        for state, code in zip(path.states, right, strict=False):
            assert searcher.good_moves(np.array(state)) == [code] * (code >= 0)


def test_a_split_and_what_is_taken_of_it():
    problem = built()
    assert parts.num_examples(problem) == 3
    assert [parts.num_decisions(problem, i) for i in range(3)] == list(LENGTHS)
    assert parts.num_weights(problem) == 4 * 6 + 4 * 3 + 4 * 4 * 3 + 4 * 3 + 9 + 4 * 9 + 4 * 9 + 4 * 4 * 9
    taken = parts.take(problem, np.array([2, 0]))
    assert np.diff(taken.starts).tolist() == [2, 3]
    assert taken.y.tolist() == [2, 6, 0, 4, 8]
    assert parts.num_weights(taken) == parts.num_weights(problem)
    (new, path), (old, _) = reached(taken, 0, 2), reached(problem, 2, 2)
    np.testing.assert_array_equal(new.step(path.state, 3), old.step(path.state, 3))


@pytest.mark.parametrize("name", EXACT)
def test_states_of_other_search_problems_have_numbers_of_their_own(name):
    problem = PROBLEMS[name]()
    for i in range(parts.num_examples(problem)):
        states = {path.states[-1] for path in Searcher(problem, i).every_path()}
        sizes = search.sizes(problem, i)
        numbers = {a_star.number(sizes, np.array(state)) for state in states}
        count = sizes.lasts * (parts.num_decisions(problem, i) + 1)
        assert len(numbers) == len(states) and numbers <= set(range(count))
