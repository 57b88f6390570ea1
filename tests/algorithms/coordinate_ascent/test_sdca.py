"""Stochastic dual coordinate ascent: its dual, its line search and its draws."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.coordinate_ascent import sdca
from structbench.algorithms.learning import sampling
from structbench.algorithms.losses.family import named
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from tests.algorithms.oracle import case, with_cliques
from tests.algorithms.solvers import first, start


@with_cliques
@pytest.mark.parametrize("C", [0.05, 5.0])
def test_the_dual_never_decreases_where_most_first_probabilities_are_0(name, C):
    run = first(80, "sdca", case(name).split, "log", C, start=800.0)[1:]
    duals = np.array([point.value.dual for point in run])
    assert (np.diff(duals) >= -1e-11 * (1 + abs(duals[1:]))).all()
    assert duals[-1] > duals[0]


def watched(monkeypatch, name: str, steps: int, **params) -> tuple:
    """The solver's state, and arguments of its visits, after so many yields."""
    kept, visits = [], []
    made, visit = sdca._State, sdca._visit_examples

    def keep(*arguments):
        kept.append(made(*arguments))
        return kept[-1]

    def note(split, loss, C, alike, shares, *rest):
        visits.append((alike.copy(), shares.copy()))
        return visit(split, loss, C, alike, shares, *rest)

    monkeypatch.setattr(sdca, "_State", keep)
    monkeypatch.setattr(sdca, "_visit_examples", note)
    small = case(name, seed=1)
    _, solver = start("sdca", small.split, "log", 0.7, **params)
    last = list(islice(solver, steps))[-1]
    return small, kept[0], last, visits


@kernel
def searched(split, i, s, v, C, gammas, gains):
    """What a grid of steps from p(v) to p(s) gains, what the line search does, and its step."""
    m, c = parts.num_parts(split, i), parts.num_cliques(split, i)
    b, target, mu, delta = np.empty(c), np.empty(c), np.empty(m), np.empty(m)
    parts.clique_marginals(split, i, v, b)
    log_z = parts.clique_marginals(split, i, s, target)
    parts.parts_of_cliques(split, i, b, mu)
    parts.parts_of_cliques(split, i, target - b, delta)
    before = parts.entropy(split, i, b)
    linear, quadratic = np.dot(s, delta), parts.squared_norm(split, i, delta) / C
    gap = log_z - np.dot(s, mu) - before
    gammas[-1] = sdca._line_search(split, i, b, target - b, linear, quadratic, gap, np.empty(c))
    for k in range(gammas.shape[0]):
        g = gammas[k]
        gains[k] = parts.entropy(split, i, b + g * (target - b)) - before + g * linear - g * g * quadratic / 2


@with_cliques
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("spread", [0.1, 30.0])
def test_the_line_search_gains_what_a_fine_grid_does(name, C, spread):
    small, rng = case(name), np.random.default_rng(0)
    for i, e in enumerate(small.examples):
        gammas, gains = np.append(np.linspace(0, 1, 501), np.nan), np.empty(502)
        s, v = spread * rng.normal(size=(2, len(e.gold)))
        searched(parts.compiled(small.split), i, s, v, C, gammas, gains)
        assert 0 <= gammas[-1] <= 1
        assert gains[-1] >= (1 - sdca.LINE_SEARCH_TOLERANCE) * gains.max() - 1e-25  # where nothing is to be gained


@with_cliques
def test_the_gap_that_a_visit_keeps_is_the_example_s_own(monkeypatch, name):
    """log Z(s) - s . mu - H at s = w(u) . f(x_i, .) / C, before the step."""
    small, state, _, _ = watched(monkeypatch, name, 2 + 6)
    for i, e in enumerate(small.examples):
        s = e.features @ state.w / 0.7
        mu = state.mu[state.part_offsets[i] : state.part_offsets[i + 1]]
        want = e.log_z(s) - s @ mu - state.entropies[i]
        sdca._visit_examples(
            parts.compiled(small.split), named("log"), 0.7, np.array([i]), np.array([-1.0]), state.longest,
            state.offsets, state.b.copy(), state.part_offsets, state.mu.copy(), state.w.copy(),
            state.entropies.copy(), state.costs.copy(), state.gaps,
        )  # fmt: skip
        assert state.gaps[len(state.gaps) // 2 + i] == pytest.approx(want, rel=1e-9, abs=1e-12)


def test_draws_follow_the_gaps_last_found_after_a_pass_over_all(monkeypatch):
    small, state, _, visits = watched(monkeypatch, "chain-dense", 2 + 6)  # six examples, one a yield
    assert sorted(int(alike[0]) for alike, _ in visits) == list(range(6))
    assert all(shares < 0 for _, shares in visits)
    gaps = state.gaps[8 : 8 + 6]
    assert (gaps > 0).all()
    n, total = 6, gaps.sum()
    before, drawn = gaps.copy(), []
    for share in np.linspace(0, 1, 200, endpoint=False) + 0.0025:
        state.gaps[:] = sampling.sum_tree(before)
        b = state.b.copy()
        sdca._visit_examples(
            parts.compiled(small.split), named("log"), 0.7, np.zeros(1, np.int64), np.array([share]),
            state.longest, state.offsets, state.b, state.part_offsets, state.mu.copy(),
            state.w.copy(), state.entropies.copy(),
            state.costs.copy(), state.gaps,
        )  # fmt: skip
        moved = [i for i in range(n) if (state.b != b)[state.offsets[i] : state.offsets[i + 1]].any()]
        drawn += moved
        state.b[:] = b
    assert np.bincount(drawn, minlength=n) / 200 == pytest.approx(before / total, abs=0.01)


@pytest.mark.parametrize(("scheme", "alike"), [("gap", 0.2), ("random", 1.0), ("permuted", 1.0)])
def test_a_fifth_of_the_draws_is_alike_for_all(monkeypatch, scheme, alike):
    _, _, _, visits = watched(monkeypatch, "multiclass-dense", 2 + 6 + 3000, sampling=scheme)
    shares = np.concatenate([share for _, share in visits[6:]])
    assert np.mean(shares < 0) == pytest.approx(alike, abs=0.03)
    assert shares.max() < 1
    orders = np.concatenate([order for order, _ in visits]).reshape(-1, 6)
    permuted = (np.sort(orders, axis=1) == np.arange(6)).all(axis=1)
    assert permuted.all() == (scheme == "permuted")
    assert permuted[0] == (scheme != "random")
