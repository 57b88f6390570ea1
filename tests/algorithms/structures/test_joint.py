"""Joint tagging and chunking: scores against features of steps, states, forbidden moves, malformed splits."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import ROUNDING, combine, empty_sum
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import features, joint
from structbench.algorithms.structures import interface as parts

TAGS, CHUNKS = 3, 3  # chunk tags: B, I, O
CONTINUES = np.array([[1, 1, 1], [1, 1, 1], [1, 0, 1], [1, 0, 1]], bool)
LENGTHS = (3, 1, 2)
Y = [0, 4, 8, 3, 2, 6]  # B I O, B, O B
KINDS = ("dense", "sparse", "binary")


def rows(kind, count=6, columns=4, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "dense":
        return features.dense(rng.normal(size=(count, columns)))
    values = np.where(rng.random((count, columns)) < 0.5, rng.normal(size=(count, columns)), 0)
    return features.sparse(sp.csr_array(values if kind == "sparse" else (values != 0).astype(float)))


def built(kind="sparse", **changed):
    given = {"x": rows(kind), "lengths": LENGTHS, "y": Y, "num_tags": TAGS, "num_chunk_tags": CHUNKS}
    return joint.build(**(given | {"continues": CONTINUES} | changed))


def made(kind="sparse", **changed):
    return parts.compiled(built(kind, **changed))


@pytest.fixture(params=KINDS)
def problem(request):
    return made(request.param)


@pytest.fixture
def w(problem):
    return np.random.default_rng(1).normal(size=parts.num_weights(problem))


# ---- the operations as compiled code runs them -----------------------------------------------------


@kernel
def states_after(problem, i, moves):
    """The states on a path, one row each."""
    states = np.empty((moves.shape[0] + 1, search.state_width(problem)), np.int64)
    search.start(problem, i, states[0])
    for t in range(moves.shape[0]):
        search.after(problem, i, states[t], moves[t], states[t + 1])
    return states


@kernel
def scores(problem, i, state, w, known, flags):
    out = np.empty(search.num_moves(problem))
    search.move_scores(problem, i, state, w, known, flags, out)
    return out


@kernel
def memory(problem, i):
    floats, bits = search.memory_sizes(problem, i)
    return np.empty(floats), np.zeros(bits, np.int8)


@kernel
def add_step(problem, i, state, move, c, total):
    search.add_step(problem, i, state, move, c, total)


@kernel
def is_goal(problem, i, state):
    return search.is_goal(problem, i, state)


@kernel
def good_moves(problem, i, state, out):
    return search.good_moves(problem, i, state, out)


@kernel
def written(problem, i, state, move, out):
    search.write_labels(problem, i, state, move, out)


def step(problem, i, state, move, c=1.0):
    """The features of a step, dense."""
    total = empty_sum(parts.num_weights(problem))
    add_step(problem, i, state, move, c, total)
    combine(total, ROUNDING)
    count = total.terms[0]
    assert len(set(total.keys[:count].tolist())) == count
    found = np.zeros(parts.num_weights(problem))
    found[total.keys[:count]] = total.values[:count]
    return found


def paths(problem, i):
    """All sequences of allowed moves, of every length that leaves a move to make."""
    length = int(np.diff(parts.unwrap(problem).starts)[i])
    for count in range(length):
        for moves in itertools.product(range(TAGS * CHUNKS), repeat=count):
            tags = [CHUNKS] + [move % CHUNKS for move in moves]
            if all(CONTINUES[a, b] for a, b in itertools.pairwise(tags)):
                yield np.array(moves, np.int64)


# ---- scores ----------------------------------------------------------------------------------------


def test_scores_are_those_of_the_features_of_a_step(problem, w):
    rng = np.random.default_rng(2)
    for i in range(len(LENGTHS)):
        known, flags = memory(problem, i)
        every = list(paths(problem, i))
        for pick in rng.permutation(len(every))[:12]:
            state = states_after(problem, i, every[pick])[-1]
            found = scores(problem, i, state, w, known, flags)
            for move in range(TAGS * CHUNKS):
                if CONTINUES[state[3], move % CHUNKS]:
                    assert found[move] == pytest.approx(w @ step(problem, i, state, move)), (every[pick], move)
                else:
                    assert found[move] == -np.inf


def test_a_step_has_the_tokens_features_twice_and_one_place_a_table(problem):
    x = features.as_matrix(parts.unwrap(problem).x)
    x = x if isinstance(x, np.ndarray) else x.toarray()
    state = states_after(problem, 0, np.array([0, 4]))[-1]
    total = step(problem, 0, state, 8, c=-2.0)
    unary = total[: 4 * 6].reshape(4, 6)
    np.testing.assert_allclose(unary[:, [2, 5]], -2 * np.stack([x[2], x[2]], axis=1))
    assert not unary[:, [0, 1, 3, 4]].any()
    assert np.count_nonzero(total[4 * 6 :]) == 7
    assert total[4 * 6 :].sum() == -14


def test_no_two_steps_have_the_same_tables():
    """Each table's place depends on just the labels that it is named after."""
    problem = made()
    table_of = {}
    for moves in paths(problem, 0):
        state = states_after(problem, 0, moves)[-1]
        for move in range(TAGS * CHUNKS):
            _, p1, p2, c1 = state.tolist()
            p, c = divmod(move, CHUNKS)
            places = np.flatnonzero(step(problem, 0, state, move)[4 * 6 :])
            named = [("a", p1, p), ("b", p2, p1, p), ("c", c1, c), ("d", p, c), ("e", p1, p, c), ("f", c1, p, c)]
            named.append(("g", p2, p1, p, c))
            for place, name in zip(places.tolist(), named, strict=True):
                assert table_of.setdefault(place, name) == name
    assert len(set(table_of.values())) == len(table_of)


def test_features_of_steps_add_up(problem):
    total = empty_sum(parts.num_weights(problem))
    states = states_after(problem, 0, np.array([0, 4, 8]))
    for state, move in zip(states, (0, 4, 8), strict=False):
        add_step(problem, 0, state, move, 1.0, total)
    combine(total, ROUNDING)
    found = np.zeros(parts.num_weights(problem))
    found[total.keys[: total.terms[0]]] = total.values[: total.terms[0]]
    np.testing.assert_allclose(found, sum(step(problem, 0, s, m) for s, m in zip(states, (0, 4, 8), strict=False)))


def test_memory_is_used_and_forgotten_with_the_flags(problem, w):
    state = states_after(problem, 0, np.array([0]))[-1]
    known, flags = memory(problem, 0)
    first = scores(problem, 0, state, w, known, flags)
    assert flags.tolist() == [0, 1, 0]
    np.testing.assert_array_equal(scores(problem, 0, state, w, known, flags), first)
    unary = w.copy()
    unary[: 4 * 6] += 1
    stale = scores(problem, 0, state, unary, known, flags)
    np.testing.assert_array_equal(stale, first)
    flags[:] = 0
    fresh = scores(problem, 0, state, unary, known, flags)
    shift = 2 * features.as_matrix(parts.unwrap(problem).x)[[1]].sum()
    np.testing.assert_allclose(fresh, first + shift)


def test_memory_is_per_token(problem, w):
    known, flags = memory(problem, 0)
    states = states_after(problem, 0, np.array([0, 4]))
    interleaved = [scores(problem, 0, state, w, known, flags) for state in (*states, *states)]
    for state, found in zip((*states, *states), interleaved, strict=True):
        np.testing.assert_array_equal(found, scores(problem, 0, state, w, *memory(problem, 0)))


# ---- states ----------------------------------------------------------------------------------------


def test_states_remember_what_came_before():
    states = states_after(made(), 0, np.array([5, 3, 7]))
    assert states.tolist() == [[0, 3, 3, 3], [1, 1, 3, 2], [2, 1, 1, 0], [3, 2, 1, 1]]
    assert [is_goal(made(), 0, state) for state in states] == [False, False, False, True]


def test_a_state_may_be_overwritten_by_the_next():
    @kernel
    def in_place(problem, state):
        search.after(problem, 0, state, 7, state)

    state = states_after(made(), 0, np.array([5]))[-1]
    in_place(made(), state)
    assert state.tolist() == [2, 2, 1, 1]


def test_good_moves_are_the_right_codes():
    problem = made(y=[0, -1, 8, 3, 2, 6])
    for i, right in enumerate(([0, -1, 8], [3], [2, 6])):
        states = states_after(problem, i, np.maximum(right, 0))
        for t, code in enumerate(right):
            out = np.empty(TAGS * CHUNKS, np.int64)
            assert out[: good_moves(problem, i, states[t], out)].tolist() == [code] * (code >= 0)


def test_labels_are_written_where_the_step_is():
    out = np.full(3, -5, np.int32)
    written(made(), 0, states_after(made(), 0, np.array([5]))[-1], 7, out)
    assert out.tolist() == [-5, 7, -5]


# ---- a split ---------------------------------------------------------------------------------------


def test_counts(problem):
    assert parts.num_examples(problem) == 3
    assert [parts.num_decisions(problem, i) for i in range(3)] == list(LENGTHS)
    assert parts.num_weights(problem) == 4 * 6 + 4 * 3 + 4 * 4 * 3 + 4 * 3 + 9 + 4 * 9 + 4 * 9 + 4 * 4 * 9
    out = np.empty(3, np.int32)
    parts.gold_labels(problem, 0, out)
    assert out.tolist() == Y[:3]


def test_take(problem, w):
    taken = parts.take(problem, np.array([2, 0]))
    assert np.diff(parts.unwrap(taken).starts).tolist() == [2, 3]
    assert parts.unwrap(taken).y.tolist() == [2, 6, 0, 4, 8]
    assert parts.unwrap(taken).x.kind == parts.unwrap(problem).x.kind
    assert parts.num_weights(taken) == parts.num_weights(problem)
    state = states_after(problem, 2, np.array([2]))[-1]
    np.testing.assert_array_equal(
        scores(taken, 0, state, w, *memory(taken, 0)), scores(problem, 2, state, w, *memory(problem, 2))
    )


def test_an_unknown_code_breaks_nothing():
    """Neither it nor what follows it can be checked; what begins a sentence still can."""
    assert built(y=[-1, 1, 1, 3, 2, 6]).y.tolist() == [-1, 1, 1, 3, 2, 6]
    with pytest.raises(UserError, match="token 0 of sentence 1: chunk tag 1 may not follow 3"):
        made(y=[0, 1, -1, 1, 2, 6])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"lengths": (3, 0, 3)}, "sentence 1 has no tokens"),
        ({"lengths": (3, 1, 1)}, "the sentences have 5 tokens, but there are 6 rows and 6 codes"),
        ({"y": Y[:5]}, "the sentences have 6 tokens, but there are 6 rows and 5 codes"),
        ({"y": [*Y[:5], 9]}, r"code of token 1 of sentence 2 must lie in -1 \.\. 8, not 9"),
        ({"y": [*Y[:5], -2]}, r"code of token 1 of sentence 2 must lie in -1 \.\. 8, not -2"),
        ({"num_tags": 0}, "num_tags must be a whole number, 1 or more, not 0"),
        ({"continues": CONTINUES[:3]}, r"continues must have shape \(4, 3\), not \(3, 3\)"),
        ({"y": [0, 4, 8, 3, 2, 7]}, "token 1 of sentence 2: chunk tag 1 may not follow 2"),
        ({"y": [0, 4, 8, 1, 2, 6]}, "token 0 of sentence 1: chunk tag 1 may not follow 3"),
    ],
)
def test_malformed(changed, message):
    with pytest.raises(UserError, match=message):
        built(**changed)
