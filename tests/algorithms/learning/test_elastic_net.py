"""The penalty C ||w||^2 / 2 + A ||w||_1: every algorithm that declares it, on every structure, against scipy."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.learning import declaration, penalties
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.learning.start import Start
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import algorithm_module, catalogue
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Problem
from tests.algorithms import linear
from tests.algorithms.linear import smooth
from tests.algorithms.optima import elastic
from tests.algorithms.oracle import COVERING, able, case
from tests.algorithms.solvers import recomputed, settings, solved, start
from tests.narrowing import not_none

C, A = 0.5, 0.3
PENALTY = f"elastic-{A}"
CASES = tuple(dict.fromkeys(("multiclass-dense", "chain-dense", *COVERING)))
ALL = [name for name in catalogue.algorithms() if "elastic-A" in catalogue.penalties(name)]
GAPS = {
    "sag": 1e-7,
    "eg-proximal": 1e-7,
    "owl-qn": 1e-3,
}  # with l1, relative; OWL-QN's own dual point tells little
ODD = {"calibrate", "divergence", "anneal"}  # parameters with which EG's dual may fall, or nothing is new
RUNS = [
    pytest.param(
        name, params, loss.replace("TAU", "0.5"), penalty, kind, id=f"{name}-{params}-{loss}-{penalty}-{kind}"
    )
    for name in catalogue.algorithms()
    for penalty in ((PENALTY, "l1") if "l1" in catalogue.penalties(name) else (PENALTY,))
    if declaration.numberless(penalty) in catalogue.penalties(name) and catalogue.losses(name) != ("hinge",)
    if not algorithm_module.declaration(name).black_box and name != "sgd" and not name.startswith("l1m3n")
    for params in settings(name)
    for loss in catalogue.losses(name)
    for kind in CASES
    if able(kind, *catalogue.needs_of(name, params))
    and (params == settings(name)[0] or (loss == "log" and kind in CASES[:2]))
]


def test_methods_of_several_families_have_it():
    assert {"eg", "eg-path", "sdca", "cocoa", "owl-qn", "sag", "sgd"} <= {*ALL}


@pytest.mark.parametrize(("name", "params", "loss", "penalty", "kind"), RUNS)
def test_they_find_the_optimum_of_scipy_with_its_nonzeros(name, params, loss, penalty, kind):
    small = case(kind)
    strength = 4.0 if loss == "hinge" else 2.0 if penalty == "l1" else C  # EG is slow on these where C is small
    best = elastic(small, loss, strength, penalty)
    objective, solver = start(name, small.split, loss, strength, penalty=penalty, **params)
    gap = GAPS[name] if penalty == "l1" else 1e-6 if loss == "hinge" or "precision" in params else 1e-9
    duals, near = [], max(gap, 1e-6)
    for k, iterate in enumerate(islice(solver, 1, 20_000)):
        if k % 20 == 0 or name in ("owl-qn", "eg-path"):
            value = objective.evaluate(iterate.weights.copy(), *iterate.dual_point)
            duals.append(value.dual)
            if value.primal - value.dual <= gap * value.primal:
                break
    value, w = recomputed(small, objective, iterate), iterate.weights
    assert best.value * (1 - 1e-8) <= value.primal <= best.value * (1 + (1e-6 if gap < 1e-3 else gap))
    assert best.value * (1 - near) <= value.dual <= best.value * (1 + 1e-8)
    if gap < 1e-6:
        assert np.count_nonzero(w) == (np.abs(best.w) > 1e-6).sum()
    if name in ("eg", "sdca", "cocoa") and ODD.isdisjoint(params):
        assert (np.diff(duals) >= -1e-9 * value.primal).all()


@pytest.mark.parametrize("penalty", [PENALTY, "l1"])
def test_sgd_comes_near_the_optimum_of_scipy(penalty):
    """``test_sgd`` has its steps; they are too many for more digits."""
    small, strong = case("chain-sparse-edges"), 4.0
    point = solved("sgd", small.split, "log", strong, gap=1e-3, penalty=penalty, eta0=0.5)
    assert point.relative_gap <= 1e-3
    assert 0 <= point.value.primal / smooth(small, strong, penalty=penalty).value - 1 <= 1e-3
    assert 0 < np.count_nonzero(point.weights) < len(point.weights)


def test_strengths_are_two_numbers():
    assert penalties.strengths("elastic-0.25", 2.0) == (2.0, 0.25)
    assert penalties.strengths("l2", 2.0) == (2.0, 0.0)
    assert penalties.strengths("l1", 2.0) == (0.0, 1.0)
    assert penalties.strengths("none", 2.0) == penalties.strengths("l1-ball", 2.0) == (0.0, 0.0)


def test_soft_is_the_gradient_of_half_its_square():
    """And the conjugate of the penalty is ||soft(v, A)||^2 / (2 C)."""
    v, step = np.array([-2.0, -0.3, -0.1, 0.0, 0.2, 0.31, 4.0]), 1e-6
    assert penalties.soft(v, A) == pytest.approx([-1.7, 0, 0, 0, 0, 0.01, 3.7])
    assert penalties.soft(v, 0.0) is v
    w = penalties.soft(v, A) / C
    square = (penalties.soft(v, A) ** 2).sum()
    assert square / (2 * C) == pytest.approx(v @ w - C * (w @ w) / 2 - A * np.abs(w).sum())
    for k in range(len(v)):
        moved = (penalties.soft(v + step * np.eye(len(v))[k], A) ** 2).sum()
        assert (moved - square) / (2 * step) == pytest.approx(penalties.soft(v, A)[k], abs=1e-5)


@kernel
def scored(split, i, w, out):
    parts.scores(split, i, w, out)


@kernel
def added(split, i, c, mu, along, limit, w):
    return parts.add_features_if_short(split, i, c, mu, along, limit, w)


@pytest.mark.parametrize(
    ("kind", "short"),
    [*((kind, False) for kind in CASES), ("multiclass-sparse", True), ("chain-sparse-edges", True)],
)
def test_visits_read_shrunk_weights_and_bound_how_their_square_grows(kind, short):
    split, rng, c, near = case(kind).split, np.random.default_rng(0), 0.7, 1e-4 if short else 1e-9
    short_split = parts.in_float32(split) if short else None
    soft, plain = parts.compiled(parts.with_threshold(short_split or split, A)), parts.compiled(split)
    v = rng.normal(size=parts.num_weights(split))
    memory = short_split.packed(v) if short_split else v.copy()

    def stored() -> np.ndarray:
        return short_split.unpacked(memory) if short_split else memory.copy()

    for i in range(parts.num_examples(split)):
        found, want = np.empty((2, parts.num_parts(split, i)))
        mu, before = rng.normal(size=len(found)), stored()
        scored(soft, i, memory, found)
        scored(plain, i, penalties.soft(before, A), want)
        np.testing.assert_allclose(found, want, rtol=near, atol=near)
        square = added(soft, i, c, mu, float(found @ mu), np.inf, memory)
        after = stored()
        shrunk, moved = penalties.soft(before, A), penalties.soft(after, A)
        exact = moved @ moved - shrunk @ shrunk - 2 * shrunk @ (after - before)
        assert exact * (1 - near) - near <= c**2 * square <= ((after - before) ** 2).sum() * (1 + near) + near
        scored(soft, i, memory, found)
        assert added(soft, i, c, mu, float(found @ mu), 0.0, memory) > 0
        np.testing.assert_allclose(stored(), after, atol=near)


def test_the_best_mixture_with_gold_outputs_bounds_the_optimum_best():
    small, rng = case("multiclass-dense"), np.random.default_rng(0)
    u = [rng.dirichlet(np.ones(len(e.outputs))) for e in small.examples]
    for loss in ("log", "hinge"):
        conjugate, v = linear.conjugate_and_weights(small, u, loss)
        for strength in (0.01, 0.5, 50.0):
            found = Objective(small.split, loss, strength, PENALTY).evaluate(0 * v, conjugate, v).dual
            shares = np.linspace(0, 1, 20_001)
            squares = (penalties.soft(shares[:, None] * v, A) ** 2).sum(axis=1)
            assert found == pytest.approx((shares * conjugate - squares / (2 * strength)).max(), rel=1e-4)


@pytest.mark.parametrize("strength", [1e-8, 0.01, 5.0])
def test_weights_alone_tell_the_bound_of_the_best_mixture(strength):
    """As EG and SDCA yield them: at small C their own u has a bound far below 0."""
    objective, rng = Objective(case("chain-dense").split, "log", strength, PENALTY), np.random.default_rng(0)
    for _ in range(10):
        v, conjugate = rng.normal(size=parts.num_weights(objective.split)), rng.uniform(0.1, 9)
        w = penalties.soft(v, A) / strength
        found = objective.evaluate(w, conjugate).dual
        assert found == pytest.approx(objective.evaluate(w, conjugate, v).dual, rel=1e-9) and found >= 0


@pytest.mark.parametrize("name", ["conjugate-gradient", "lbfgs", "smo", "eg-primal"])
def test_other_algorithms_refuse_it(name):
    loss = "hinge" if name == "smo" else "log"
    with pytest.raises(UserError, match=f"{name} takes the penalty l2.*, not 'elastic-0.3'"):
        make("ocr", loss, 1.0, name, penalty=PENALTY)


@pytest.mark.parametrize("kind", ["multiclass-dense", "dependency-sparse"])
@pytest.mark.parametrize("name", ["eg", "eg-proximal", "sdca", "owl-qn"])
def test_it_has_factors_on_losses_and_goes_on_from_an_earlier_fit(kind, name):
    """A factor of 2 is an example twice."""
    penalty, strength = ("l1", 2.0) if name == "eg-proximal" else (PENALTY, C)
    split, n = case(kind).split, parts.num_examples(case(kind).split)
    twice = parts.take(split, np.append(np.arange(n), [0, 1]))
    factors = np.where(np.arange(n) < 2, 2.0, 1.0)
    objectives = Objective(split, "log", strength, penalty, factors), Objective(twice, "log", strength, penalty)
    ends = [_ended(name, objective) for objective in objectives]
    assert ends[0][1] == pytest.approx(ends[1][1], rel=1e-7)
    np.testing.assert_allclose(ends[0][0].weights, ends[1][0].weights, atol=1e-3)
    first = ends[0][0]
    again = Start(first.weights.copy(), not_none(first.dual.stored).copy() if first.dual else None)
    _, primal, passes = _ended(name, Objective(split, "log", strength, penalty, factors, again))
    assert primal == pytest.approx(ends[0][1], rel=1e-7)
    assert passes < ends[0][2] / 2


def _ended(name: str, objective: Objective) -> tuple[Iterate, float, float]:
    """The iterate with a gap of 1e-8, its value, and the passes that it took."""
    problem = Problem(objective.split, None, ("a", "b", "c"))
    solver = algorithm_module.solver(name)(problem, objective, np.random.default_rng(0))
    for iterate in islice(solver, 20_000):
        value = objective.evaluate(iterate.weights.copy(), *iterate.dual_point)
        if value.primal - value.dual <= 1e-8 * value.primal:
            break
    return iterate, value.primal, iterate.visits / parts.num_examples(objective.split)
