"""The third-party solvers: the optimum that ours find, points of growing budgets, and plain refusals."""

import importlib.util
import sys
from itertools import pairwise

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from structbench.algorithms.black_boxes import classes, harness
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.prediction import error_rate
from structbench.bench.runs import algorithm_module, execute
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Problem
from tests.algorithms.linear import hinge_optimum
from tests.algorithms.oracle import case
from tests.algorithms.solvers import solved
from tests.narrowing import not_none

LENGTHS = (3, 1, 4, 2, 2, 3) * 4
SKLEARN = ("lbfgs", "newton-cg", "saga")
CRFSUITE = ("lbfgs", "l2sgd", "ap", "pa", "arow")
LOG = [("sklearn", method, "multiclass-sparse") for method in SKLEARN]
LOG += [("crfsuite", method, "chain-binary") for method in CRFSUITE]
HINGE = [("crfsuite", method, "chain-binary") for method in CRFSUITE[2:]] + [
    ("liblinear", None, "multiclass-dense")
]
ALL = [(*peer, "log") for peer in LOG] + [(*peer, "hinge") for peer in HINGE]


def iterates(
    name, method, split, loss, C=0.8, seed=0, most=10**9, penalty="l2"
) -> list[tuple[Iterate, float, float]]:
    """What a peer yields, with primal and dual value, until it has made ``most`` visits."""
    objective = Objective(split, loss, C, penalty)
    params = {"method": method} if method else {}
    solver = algorithm_module.solver(name)(
        Problem(split, None, ("a", "b", "c")), objective, np.random.default_rng(seed), **params
    )
    found = []
    for it in solver:
        weights = it.vector * it.scale
        found.append((it._replace(kept=weights), *objective.evaluate(weights, *it.dual_point)))
        if it.visits >= most:
            break
    solver.close()
    return found


def learnable(n: int = 60, K: int = 3) -> chain.Chain:
    """Sequences whose labels can be told from their attributes, with some noise."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 6, size=n)
    y = rng.integers(0, K, size=lengths.sum())
    x = (rng.random((len(y), 6)) < 0.2) | np.eye(6, dtype=bool)[y]
    y[rng.random(len(y)) < 0.1] = 0
    return chain.build(ft.dense(x.astype(float)), lengths, y, K)


MEETING = [("sklearn", method, "log", *data) for method in SKLEARN for data in (("dense", 2), ("sparse", 3))]
MEETING += [
    ("cyanure", None, "log", "sparse", 2),
    ("cyanure", None, "log", "dense", 3),
    ("cyanure", None, "log", "sparse", 4),
]
MEETING += [("liblinear", None, "hinge", "sparse", 2), ("liblinear", None, "hinge", "dense", 3)]
MEETING += [(*peer, "sparse", 4) for peer in (("sklearn", None, "log"), ("liblinear", None, "hinge"))]


@pytest.mark.parametrize(
    ("name", "method", "loss", "data", "labels", "C"),
    [(*peer[:3], f"multiclass-{peer[3]}", peer[4], 0.8) for peer in MEETING]
    + [("crfsuite", "lbfgs", "log", *data) for data in (("chain-dense", 3, 3.0), ("chain-binary", 4, 0.1))],
)
def test_they_meet_our_optimum(name, method, loss, data, labels, C):
    """Of four labels one has no examples, and weights nevertheless."""
    if name == "cyanure":
        pytest.importorskip("cyanure", reason="it has no wheel for this Python, or its group is not installed")
    split = case(data, lengths=LENGTHS, num_labels=labels).split
    if labels == 4:
        split = split._replace(y=frozen(np.where(split.y == 1, 2, split.y), np.int32))
    if loss == "log":
        ours = solved("lbfgs", split, "log", C, gap=1e-9).value
        most = 500 * len(LENGTHS) if name == "cyanure" else 10**9  # it never stops by itself
        *_, (_, primal, dual) = iterates(name, method, split, loss, C, most=most)
        assert primal == pytest.approx(ours.primal, rel=1e-7)
        assert dual == pytest.approx(ours.dual, rel=1e-6)
    else:
        ours = solved("eg:mode=batch", split, "hinge", C, gap=1e-6).value
        *_, (_, primal, dual) = iterates(name, method, split, loss, C, most=5000 * len(LENGTHS))
        assert primal == pytest.approx(ours.primal, rel=2e-6)
        assert dual == pytest.approx(ours.primal, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "method", "other", "split", "said"),
    [
        (
            "crfsuite",
            "lbfgs",
            "l2sgd",
            learnable(),
            "crfsuite's l2sgd has no l1 norm, and A is 0.7: take method=lbfgs",
        ),
        (
            "sklearn",
            "saga",
            "lbfgs",
            case("multiclass-sparse", lengths=LENGTHS).split,
            "Solver lbfgs supports only",
        ),
    ],
)
def test_peers_meet_our_optimum_of_an_elastic_net(name, method, other, split, said):
    ours = solved("owl-qn", split, "log", 0.5, gap=1e-8, penalty="elastic-0.7")
    *_, (last, primal, _) = iterates(name, method, split, "log", 0.5, penalty="elastic-0.7")
    assert primal == pytest.approx(ours.value.primal, rel=1e-6)
    assert np.count_nonzero(last.weights) == np.count_nonzero(ours.weights) < len(ours.weights)
    with pytest.raises((UserError, Fault), match=said):
        iterates(name, other, split, "log", 0.5, penalty="elastic-0.7")


def test_l2sgd_minimises_the_same_objective():
    split = learnable()
    ours = solved("lbfgs", split, "log", 2.0, gap=1e-9).value
    run = iterates("crfsuite", "l2sgd", split, "log", 2.0, most=500 * 60)
    assert run[-1][1] == pytest.approx(ours.primal, rel=1e-3)


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-binary"])
def test_the_dual_points_beside_peers_are_dual_points(name):
    """Below the optimum all the way, with more visits no lower, and there in the end, where they stop."""
    small = case(name, lengths=(2, 1, 2, 3), num_labels=2, columns=2)
    best, n = hinge_optimum(small, 0.6), len(small.examples)
    problem, objective = Problem(small.split, None, ("a", "b")), Objective(small.split, "hinge", 0.6)
    bound, duals = harness.HingeBound(problem, objective, seed=0), []
    assert bound.after(0) is None
    for visits in (*range(0, 60 * n, 2), 10**9):
        dual = bound.after(visits)
        w = not_none(dual.weights) if dual else np.zeros(1)
        duals.append(dual.conjugate - w @ w / (2 * 0.6) if dual else -np.inf)
    assert max(duals) <= best * (1 + 1e-9)
    assert all(after >= before - 1e-12 for before, after in pairwise(duals))
    assert duals[-1] == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("method", CRFSUITE[2:])
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_online_methods_of_crfsuite_learn(method, loss):
    split = learnable()
    *_, (last, primal, dual) = iterates("crfsuite", method, split, loss, 1e-3, most=50 * 60)
    assert error_rate(split, last.vector) < 0.3  # the optimum of the log loss: 0.21; no weights: 0.64
    assert dual <= primal


@pytest.mark.parametrize(("name", "method", "data", "loss"), ALL)
def test_points_are_of_growing_budgets_time_themselves_and_a_seed_decides_every_bit(name, method, data, loss):
    def bits(run):
        return [(it.vector.tobytes(), it.visits, dual) for it, _, dual in run[1:]]

    split, n = case(data, lengths=LENGTHS).split, len(LENGTHS)
    run, again, other = (
        iterates(name, method, split, loss, seed=seed, most=most)
        for seed, most in [(3, 50 * n), (3, 8 * n), (4, 8 * n)]
    )
    draws = method in ("saga", "l2sgd", "ap", "pa", "arow") or name == "liblinear"
    assert bits(again) == bits(run[: len(again)])
    assert (bits(other) != bits(again)) == draws
    (start, *_), *rest = run
    assert not start.vector.any()
    assert (start.visits, start.dual, start.hints.seconds) == (0, None, (0.0, 0.0))
    assert len(rest) >= 3
    assert all(before.visits < after.visits for (before, *_), (after, *_) in pairwise(run))
    for it, primal, dual in rest:
        wall, cpu = not_none(it.hints.seconds)
        assert min(wall, cpu) > 0
        assert dual <= primal * (1 + 1e-12)


@pytest.mark.parametrize(
    ("name", "method", "loss", "small", "sentence"),
    [
        ("crfsuite", None, "log", case("chain-binary-edges"), "no observed edge features, but these data have 2"),
        ("crfsuite", None, "log", case("chain-dense", lengths=LENGTHS, unseen=0.2), "decision {} has none"),
        ("sklearn", None, "log", case("multiclass-dense", lengths=LENGTHS, unseen=0.2), "decision {} has none"),
        ("sklearn", None, "log", case("multiclass-dense", num_labels=1), "at least 2 classes, .* have 1"),
    ],
)
def test_data_and_losses_are_refused(name, method, loss, small, sentence):
    with pytest.raises(UserError, match=sentence.format(np.argmin(small.split.y))):
        iterates(name, method, small.split, loss)


def test_a_run_of_a_peer_that_is_not_installed_says_what_to_install(tmp_path, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.delitem(sys.modules, "pycrfsuite", raising=False)  # imported by a test before this one
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pycrfsuite" else find(name))
    monkeypatch.setattr(
        execute.problem_store, "obtain", lambda *given: pytest.fail("the data were asked for first")
    )
    with pytest.raises(UserError, match=r"crfsuite needs the package python-crfsuite, which is not installed: "):
        execute.run_one(make("toy-english", "log", 1.0, "crfsuite"), tmp_path / "run", print)


def test_a_peer_has_one_thread_whatever_was_allowed_before():
    with threadpool_limits(2):
        used, _ = classes.clocked(threadpool_info)
    assert used
    assert {library["num_threads"] for library in used} == {1}
