"""CoCoA+ on blocks of examples: against the round written out, and EG where there is one block."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.coordinate_ascent import cocoa
from structbench.algorithms.exponentiated_gradient.dual_variables import State
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from tests.algorithms.oracle import case
from tests.algorithms.solvers import first

both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])
C = 0.5


def digits(n: int = 60, same: bool = False) -> multiclass.Multiclass:
    """Points of three classes; if they are all the ``same`` one, all blocks move w(u) alike."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 5))
    y = (x @ rng.normal(size=(5, 3)) + rng.normal(size=(n, 3))).argmax(axis=1)
    return multiclass.build(ft.dense(x[:1].repeat(n, 0) if same else x), y[:1].repeat(n) if same else y, 3)


@both_losses
@pytest.mark.parametrize("order", ["gap", "permuted"])
def test_one_block_is_eg(loss, order):
    ours = first(40, "cocoa", digits(), loss, C, blocks=1, order=order)
    theirs = first(40, "eg", digits(), loss, C, order=order)
    for mine, its in zip(ours, theirs, strict=True):
        assert (mine.visits, mine.conjugate) == (its.visits, its.conjugate)
        assert mine.weights.tobytes() == its.weights.tobytes()


@pytest.mark.parametrize("sigma", [1.0, 2.0, 6.0])
@both_losses
def test_a_round_written_out(loss, sigma):
    """Each of six examples in a block of its own: all start at the same w(u), own steps seen sigma-fold."""
    small, hinge, eta, after = case("chain-dense"), loss == "hinge", 2.0, 1.5
    n = len(small.examples)
    team, state = blocks_of(Objective(small.split, loss, C), n, eta=eta, start=after)
    team.sigma = sigma
    before = state.w.copy()
    visits = team._visit(np.arange(n), np.arange(n + 1))[0]

    w, trials, halved = before.copy(), 0, 0
    for e in small.examples:
        g = e.features @ before / C
        s = -after * e.losses  # scores of outputs
        u = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
        step = eta
        while True:
            trials += 1
            moved = s + step * (e.outputs @ g + e.losses) if hinge else (1 - step) * s + step * (e.outputs @ g)
            new = np.exp(moved - moved.max()) / np.exp(moved - moved.max()).sum()
            t = (u - new) @ e.outputs @ e.features
            rise = (new - u) @ e.losses if hinge else u @ np.log(u) - new @ np.log(new)
            if rise - before @ t / C - sigma * (t @ t) / (2 * C) >= -1e-12:
                break
            step, halved = step / 2, halved + 1
        w += t
    assert visits == trials
    assert halved > 0 or sigma == 1.0
    assert team.new == pytest.approx(w, rel=1e-10, abs=1e-12)


def blocks_of(objective, blocks, eta=0.5, start=10.0):
    state = State(objective, start, eta)
    return cocoa._Blocks(objective, state, blocks, grow=1.05, by_gap=False), state


def dual(objective, state):
    conjugate, w = state.recompute_dual(objective)
    return conjugate - w @ w / (2 * objective.C)


@both_losses
def test_a_round_that_lowers_the_dual_is_taken_back(loss):
    """Blocks of one and the same example, which all go the whole way: with sigma = 1 they overshoot K-fold."""
    objective, drawn = Objective(digits(same=True), loss, C), np.tile(np.arange(60), 30)
    team, state = blocks_of(objective, 30, start=6.0)
    before = dual(objective, state)
    team.sigma = 1.0
    _, own, together, square = team._visit(*cocoa.cut(drawn, 30, team.lengths)[:2])
    assert state.recompute_dual(objective)[0] - square / (2 * C) < before
    assert together / own == pytest.approx(30, rel=0.05)

    team, state = blocks_of(objective, 30, start=6.0)
    team.round(np.arange(2))  # a safe one, whose w(u) the rows of blocks have from then on
    before, team.sigma = dual(objective, state), 1.0
    visits = team.round(drawn)
    assert team.taken_back > 0
    assert visits >= len(drawn) * (1 + team.taken_back)
    assert dual(objective, state) > before
    conjugate, w = state.recompute_dual(objective)
    assert state.w == pytest.approx(w, rel=1e-9, abs=1e-10)
    assert state.conjugate(objective) == pytest.approx(conjugate, rel=1e-10)
    assert team.sigma > 20


@given(st.data())
@settings(derandomize=True, max_examples=60, deadline=None)
def test_blocks_share_a_round(data):
    n = data.draw(st.integers(1, 12))
    drawn = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=40)))
    lengths = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)))
    K = data.draw(st.integers(1, 6))
    examples, starts, each = cocoa.cut(drawn, K, lengths)
    blocks = [examples[a:b] for a, b in pairwise(starts)]
    assert sorted(examples) == sorted(drawn)
    assert list(each) == list(dict.fromkeys(drawn))
    assert sum(len(set(block)) for block in blocks) == len(each)  # no example in two
    assert len(blocks) == K
    order = {tuple(sorted(np.flatnonzero(np.isin(drawn, block)))): block for block in blocks if len(block)}
    assert all((drawn[list(places)] == block).all() for places, block in order.items())
    work = lengths[drawn].sum()
    largest = max(lengths[i] * (drawn == i).sum() for i in each)
    assert all(lengths[block].sum() <= work / K + largest for block in blocks)


def test_more_blocks_than_examples_are_refused():
    with pytest.raises(UserError, match=r"blocks=61 are more than the 60 .* give at most 60$"):
        cocoa.check(digits(), blocks=61)
    cocoa.check(digits(), blocks=60)
