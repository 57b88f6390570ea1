"""All methods for primal-sparse M3Ns: one optimum, that of a linear program over all constraints."""

from itertools import islice, pairwise, product

import numpy as np
import pytest

from structbench.algorithms.coordinate_ascent.linked_smo import Link, Linked, _line_search
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Problem
from tests.algorithms import linear
from tests.algorithms.optima import optimum
from tests.algorithms.oracle import CLIQUES, COVERING, case
from tests.algorithms.solvers import evaluated, finished, points, solved, start
from tests.narrowing import not_none, number

SMALL = {"lengths": (2, 1, 2, 3), "num_labels": 2, "columns": 3}
RUNS = {  # algorithm, penalty, certified relative gap that it reaches, options
    "cutting-plane": ("l1m3n-cutting-plane", "l1", 1e-9, {}),
    "cutting-plane-corner": ("l1m3n-cutting-plane", "l1", 1e-9, {"inward": 0.0, "pruning": 0}),
    "cutting-plane-warm": ("l1m3n-cutting-plane", "l1", 1e-9, {"warm": 10}),
    "proximal": ("l1m3n-proximal", "l1", 1e-6, {}),
    "em": ("l1m3n-em", "l1-squared", 1e-3, {}),
    "em-keeping-all": ("l1m3n-em", "l1-squared", 1e-3, {"drop": 0.0}),
    "em-of-the-paper": ("l1m3n-em", "l1-squared", 0.2, {"revive": False}),
    "subgradient": ("l1m3n-subgradient", "l1-ball", 2e-2, {}),
    "subgradient-uniform": ("l1m3n-subgradient", "l1-ball", 2e-2, {"average": "uniform"}),
    "subgradient-last": ("l1m3n-subgradient", "l1-ball", 5e-2, {"average": "none"}),
    "subgradient-batch": ("l1m3n-subgradient", "l1-ball", 2e-2, {"mode": "batch"}),
    "lapm3n": ("lapm3n", "laplace-30", 1e-4, {}),
    "lapm3n-majorise": ("lapm3n", "laplace-30", 1e-4, {"update": "majorise"}),
}
every_run = pytest.mark.parametrize("run", RUNS)
VARIED = ("multiclass-sparse", "chain-sparse-edges")


def test_sums_of_smo_that_drift_stay_out_of_the_certificate(monkeypatch):
    """Points join it as the dual variables give them; a sum too large by 10 would be far above the optimum.

    A look at the gaps counts as a visit to each example.
    """
    looks, evaluate = [], Objective.evaluate
    monkeypatch.setattr(Objective, "evaluate", lambda *given: looks.append(0) or evaluate(*given))
    small, C = case("multiclass-dense", **SMALL), 0.3
    want, size = optimum("multiclass-dense", "hinge", C, "l1-squared", **SMALL), parts.num_weights(small.split)
    inner = Linked(Objective(small.split, "hinge", C, "l1-squared"), np.random.default_rng(0), 1.5, 1e-9)
    inner.link(np.full(size, 1 / (size * C)), np.zeros(size), 0.0)
    inner.duals.losses[0] += 10.0
    run = inner.solve(lambda value: 1.0, {})
    for point in islice(run, 12):
        assert inner.conjugate > 10.0 - 1e-9
        assert not_none(point.dual).conjugate < 10.0
        assert point.visits == inner.visits + len(small.examples) * len(looks)
        assert inner.certificate.dual_value <= want * (1 + 1e-9)
    run.close()
    conjugate, w = inner.recompute_dual()
    assert conjugate == pytest.approx(inner.conjugate - 10.0)
    np.testing.assert_allclose(w, inner.dual_weights, atol=1e-12)
    assert inner.certificate.count > 2


COVERED = {*COVERING, "cutting-plane", "proximal", "em", "subgradient", "lapm3n"}  # on all structures


@pytest.mark.parametrize(
    ("name", "run"),
    [each for each in product(CLIQUES, RUNS) if each[0] in VARIED or {*each} <= COVERED],
)
@pytest.mark.parametrize("C", [0.3, 2.0])
def test_a_linear_program_over_all_constraints_has_the_same_optimum(name, run, C):
    """Of which every point has its dual value below, and its primal value above."""
    algorithm, penalty, gap, options = RUNS[run]
    small = case(name, **SMALL)
    want = optimum(name, "hinge", C, penalty, **SMALL)
    objective, solver = start(algorithm, small.split, "hinge", C, penalty=penalty, **options)
    found = [evaluated(objective, iterate) for iterate in islice(solver, 60)]
    assert found[0].visits == 0
    assert all(before.visits < after.visits for before, after in pairwise(found))
    assert options.get("mode") != "batch" or found[1].visits == len(small.examples)
    for point in found:
        assert want - 1e-6 <= point.value.primal < np.inf  # outside of a ball it is infinite
        assert not point.value.dual > want + 1e-6  # there may be none at w = 0
    if want < 1e-9:  # in a large ball there may be no loss at all, and so no relative gap
        last = [point, *(evaluated(objective, iterate) for iterate in islice(solver, 2000))][-1]
        assert not last.value.dual > 1e-9
        assert last.value.primal <= 0.02 * found[0].value.primal
        return
    if point.relative_gap > gap:
        point = finished(objective, solver, gap)
    assert point.relative_gap <= gap
    assert want * (1 - 1e-6) - 1e-9 <= point.value.primal <= want / (1 - gap) + 1e-6
    if gap <= 1e-6:
        assert point.value.primal == pytest.approx(want, rel=1e-6)


@pytest.mark.parametrize("name", ["multiclass-sparse", "chain-binary-edges"])
@every_run
def test_a_seed_decides_every_bit_and_threads_none(name, run):
    algorithm, penalty, _, options = RUNS[run]
    split = case(name, lengths=(3, 1, 4, 2, 2, 3) * 2).split
    found = []
    for threads in (1, 1, 2):
        with parallel.using(threads):
            made = islice(points(algorithm, split, "hinge", 0.8, penalty=penalty, seed=3, **options), 12)
            found.append([(point.weights.tobytes(), point.visits, repr(point.value)) for point in made])
    assert found[0] == found[1] == found[2]


def noisy(n: int = 80, columns: int = 30) -> tuple[multiclass.Multiclass, np.ndarray]:
    """Three classes that depend on the first 3 of the columns."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, columns))
    y = (2 * x[:, :3] + 0.3 * rng.normal(size=(n, 3))).argmax(axis=1)
    return multiclass.build(ft.dense(x), y, 3), x


@pytest.mark.parametrize("threshold", [0.0, 0.4])
def test_a_line_search_across_kinks_ends_where_the_slope_is_next_to_0(threshold):
    """Or at the longest step; the slope there is that of the start less the change of the weights along values."""
    rng, flat = np.random.default_rng(0), 0
    for _ in range(300):
        where, most = rng.permutation(9)[:6], rng.uniform(0.1, 2)
        (values, (x, center)), scale = (rng.normal(size=6), rng.normal(size=(2, 9))), rng.uniform(0, 2, size=9)

        def weights(x, shift=center, scale=scale):
            return scale * np.sign(shift + x) * np.maximum(np.abs(shift + x) - threshold, 0)

        first = 10 ** rng.uniform(-3, 0.5)
        link = Link(scale, center, threshold)
        t = _line_search.python(first, most, 1.0 if threshold else 1.5, where, values, x, weights(x), link)
        moved = x.copy()
        moved[where] -= t * values
        slope = first + values @ (weights(moved) - weights(x))[where]
        if threshold == 0:  # overrelaxed
            assert t == pytest.approx(min(most, 1.5 * first / (scale[where] @ values**2)))
        else:
            assert 0 < t <= most and slope >= -1e-3 * first
            flat += t == most or slope <= 1e-3 * first
    assert threshold == 0 or flat > 275


def test_a_feature_that_was_dropped_wrongly_returns():
    """One that the first M3N can do without has tau = 0 for good in the paper: a fixed point, not the optimum."""
    small = case("chain-sparse-edges", **SMALL)
    want = linear.hinge(small, "l1-squared", 0.3).value
    *_, stuck = islice(points("l1m3n-em", small.split, "hinge", 0.3, penalty="l1-squared", revive=False), 1000)
    assert stuck.value.primal > 1.03 * want
    assert stuck.value.dual <= want
    point = solved("l1m3n-em", small.split, "hinge", 0.3, 1e-6, penalty="l1-squared")
    assert point.value.primal == pytest.approx(want, rel=1e-5)


def test_em_leaves_an_m3n_by_its_own_gap(monkeypatch):
    """Of min_w sum_i loss_i(w) + sum_k w_k^2 / (2 scale_k), features with scale 0 left out."""
    small, found, scales = case("multiclass-dense", **SMALL), [], []
    solve, link = Linked.solve, Linked.link

    def checked(smo, gap, notes):
        def own_gap(value):
            scale = scales[-1]
            kept = scale > 0
            primal = sum(small.losses(smo.w, "hinge")) + (smo.w[kept] ** 2 / scale[kept]).sum() / 2
            found.append((gap(value), primal - smo.conjugate + (scale * smo.dual_weights**2).sum() / 2))
            return found[-1][0]

        return solve(smo, own_gap, notes)

    monkeypatch.setattr(Linked, "solve", checked)
    monkeypatch.setattr(Linked, "link", lambda smo, scale, *rest: scales.append(scale) or link(smo, scale, *rest))
    run = list(islice(points("l1m3n-em", small.split, "hinge", 0.3, penalty="l1-squared"), 60))
    ours, theirs = np.array(found).T
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    assert len(found) > 5 and number(run[-1].notes, "iterations") > 2 and ours.min() > -1e-9


def test_proximal_steps_grow():
    small = case("chain-sparse-edges", **SMALL)
    run = points("l1m3n-proximal", small.split, "hinge", 0.5, penalty="l1", sigma=0.2, grow=1.5)
    notes = [point.notes for point in islice(run, 1, 200)]
    assert number(notes[-1], "steps") > 3
    for each in notes:
        assert each["sigma"] == pytest.approx(0.2 / 0.5 * 1.5 ** number(each, "steps"))


def test_dropped_features_stay_out_and_are_counted():
    split, _ = noisy()
    run = list(islice(points("l1m3n-em", split, "hinge", 1.0, penalty="l1-squared", drop=0.09, revive=False), 60))
    kept = [number(point.notes, "kept") for point in run[1:]]
    assert all(after <= before for before, after in pairwise(kept))
    assert kept[-1] < 20
    assert np.count_nonzero(run[-1].weights) <= kept[-1]


def test_a_penalty_that_drops_all_features_leaves_w_at_0():
    """Features that are all 0: no weight ever moves, every tau is 0, and EM ends with w = 0."""
    split = multiclass.build(ft.dense(np.zeros((4, 2))), np.array([0, 1, 2, 0]), 3)
    run = list(islice(points("l1m3n-em", split, "hinge", 1.0, penalty="l1-squared"), 50))
    assert len(run) < 50
    assert not run[-1].weights.any()
    assert run[-1].value.primal == 4.0
    assert run[-1].value.dual == pytest.approx(4.0)


@every_run
def test_an_unknown_right_label_is_refused(run):
    algorithm, penalty, _, options = RUNS[run]
    split = case("chain-binary-edges", unseen=0.5).split
    with pytest.raises(UserError, match=f"{algorithm} needs a known label"):
        next(points(algorithm, split, "hinge", 1.0, penalty=penalty, **options))


def test_the_papers_cutting_planes_give_out_the_programs_optimum():
    """Not the best weights so far: their primal values go up and down."""
    split = case("chain-sparse-edges").split
    run = points("l1m3n-cutting-plane", split, "hinge", 0.1, penalty="l1", inward=0.0, pruning=0)
    primals = [point.value.primal for point in run]
    assert any(after > before for before, after in pairwise(primals))


@pytest.mark.parametrize("options", [{}, {"average": "none"}, {"average": "none", "mode": "batch"}])
@pytest.mark.parametrize(("seed", "radius"), [(0, 1000.0), (2, 10.0), (3, 100.0)])
def test_in_a_large_ball_the_subgradient_method_ends_without_any_loss(seed, radius, options):
    split = case("chain-sparse-edges", seed=seed).split
    made = make("synthetic", "hinge", 1 / radius, "l1m3n-subgradient", options, penalty="l1-ball", passes=500)
    result = driver.run(made, Problem(split, None, ("B-x", "I-x", "O")))
    last = result.rows[-1]
    assert (result.summary["status"], last["primal"], last["dual"]) == ("converged", 0.0, 0.0)
    assert last["passes"] < 500
    losses, _ = Objective(split, "hinge", 1.0).losses_and_conjugates(result.weights, np.empty(len(result.weights)))
    assert np.abs(losses).max() < 1e-11  # of either sign
