"""The third-party solvers: the optimum that ours find, points of growing budgets, and plain refusals."""

import importlib.util
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.peers import crfsuite, harness
from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.algorithms.structures.chain import model as chain
from structbench.algorithms.structures.prediction import error_rate
from structbench.bench.runs import algorithm_module, catalogue, execute
from structbench.bench.runs.spec import installed, make
from structbench.datasets.problems.problem import Problem
from tests.algorithms import quadratic
from tests.algorithms.oracle import case
from tests.algorithms.solvers import solved

LENGTHS = (3, 1, 4, 2, 2, 3) * 4
SKLEARN = ("lbfgs", "newton-cg", "saga")
CRFSUITE = ("lbfgs", "l2sgd", "ap", "pa", "arow")
LOG = [("sklearn", method, "multiclass-sparse") for method in SKLEARN]
LOG += [("crfsuite", method, "chain-binary") for method in CRFSUITE]
HINGE = [("crfsuite", method, "chain-binary") for method in CRFSUITE[2:]] + [
    ("liblinear", None, "multiclass-dense")
]
ALL = [(*peer, "log") for peer in LOG] + [(*peer, "hinge") for peer in HINGE]


def iterates(name, method, split, loss, C=0.8, seed=0, most=10**9) -> list[tuple[Iterate, float, float]]:
    """What a peer yields, with primal and dual value, until it has made ``most`` visits."""
    objective = Objective(split, loss, C)
    params = {"method": method} if method else {}
    solver = algorithm_module.solver(name)(
        Problem(split, None, ("a", "b", "c")), objective, np.random.default_rng(seed), **params
    )
    found = []
    for it in solver:
        weights = it.vector * it.scale
        found.append((it._replace(vector=weights), *objective.evaluate(weights, it.conjugate, it.dual_weights)))
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


@pytest.mark.parametrize("method", SKLEARN)
@pytest.mark.parametrize("name", ["multiclass-dense", "multiclass-sparse"])
@pytest.mark.parametrize("labels", [2, 3])
def test_scikit_learn_meets_our_optimum(name, method, labels):
    split = case(name, lengths=LENGTHS, num_labels=labels).split
    ours = solved("lbfgs", split, "log", 0.8, gap=1e-9).value
    *_, (_, primal, dual) = iterates("sklearn", method, split, "log")
    assert primal == pytest.approx(ours.primal, rel=1e-7)
    assert dual == pytest.approx(ours.dual, rel=1e-6)


@pytest.mark.parametrize("C", [3.0, 0.1])
@pytest.mark.parametrize("name", ["chain-dense", "chain-binary"])
def test_crfsuite_meets_our_optimum(name, C):
    split = case(name, lengths=LENGTHS).split
    ours = solved("lbfgs", split, "log", C, gap=1e-9).value
    *_, (_, primal, dual) = iterates("crfsuite", "lbfgs", split, "log", C)
    assert primal == pytest.approx(ours.primal, rel=1e-7)
    assert dual == pytest.approx(ours.dual, rel=1e-6)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize("name", ["multiclass-dense", "multiclass-sparse"])
def test_liblinear_meets_our_optimum_of_the_hinge(name, labels):
    split = case(name, lengths=LENGTHS, num_labels=labels).split
    ours = solved("eg:mode=batch", split, "hinge", 0.8, gap=1e-6).value
    *_, (_, primal, dual) = iterates("liblinear", None, split, "hinge", most=5000 * len(LENGTHS))
    assert primal == pytest.approx(ours.primal, rel=2e-6)
    assert dual == pytest.approx(ours.primal, rel=1e-4)


def test_l2sgd_minimises_the_same_objective():
    split = learnable()
    ours = solved("lbfgs", split, "log", 2.0, gap=1e-9).value
    run = iterates("crfsuite", "l2sgd", split, "log", 2.0, most=500 * 60)
    assert run[-1][1] == pytest.approx(ours.primal, rel=1e-3)


@pytest.mark.parametrize("name", ["multiclass-dense", "chain-binary"])
def test_the_dual_points_beside_peers_are_dual_points(name):
    """Below the optimum all the way, with more visits no lower, and there in the end, where they stop."""
    small = case(name, lengths=(2, 1, 2, 3), num_labels=2, columns=2)
    best, n = quadratic.hinge_optimum(small, 0.6), len(small.examples)
    problem, objective = Problem(small.split, None, ("a", "b")), Objective(small.split, "hinge", 0.6)
    bound, duals = harness.HingeBound(problem, objective, seed=0), []
    for visits in (*range(0, 60 * n, 2), 10**9):
        conjugate, w = (bound.after(visits)[name] for name in ("conjugate", "dual_weights"))
        duals.append(-np.inf if conjugate is None else conjugate - w @ w / (2 * 0.6))
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


@pytest.mark.parametrize(("name", "loss"), [("sklearn", "log"), ("liblinear", "hinge")])
def test_a_class_without_examples_has_weights_too(name, loss):
    split = case("multiclass-sparse", lengths=LENGTHS, num_labels=4).split
    fewer = multiclass.build(split.x, np.where(split.y == 1, 2, split.y), 4)
    ours = solved("eg:mode=batch", fewer, loss, 0.8, gap=1e-6).value
    *_, (_, primal, _) = iterates(name, None, fewer, loss, most=5000 * len(LENGTHS))
    assert primal == pytest.approx(ours.primal, rel=2e-6)


def test_a_label_without_tokens_has_weights_too():
    split = case("chain-dense", lengths=LENGTHS).split
    fewer = split._replace(y=frozen(np.where(split.y == 1, 2, split.y), np.int32))
    ours = solved("lbfgs", fewer, "log", 0.8, gap=1e-9).value
    *_, (_, primal, _) = iterates("crfsuite", "lbfgs", fewer, "log")
    assert primal == pytest.approx(ours.primal, rel=1e-7)


def test_weights_are_those_that_crfsuite_s_own_reader_finds(tmp_path):
    import pycrfsuite

    split = learnable()
    trainer = crfsuite._trainer(split, "lbfgs", 0.5)
    trainer.train(str(tmp_path / "model"))
    found = crfsuite._weights(Path(tmp_path, "model").read_bytes(), split)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "model"))
    learnt, expected = tagger.info(), np.zeros_like(found)
    for (a, k), value in learnt.state_features.items():
        expected[int(a) * 3 + int(k)] = value
    for (j, k), value in learnt.transitions.items():
        expected[6 * 3 + int(j) * 3 + int(k)] = value
    assert np.count_nonzero(expected) == len(expected)
    assert found == pytest.approx(expected, abs=1e-6)  # the reader has six decimals


@pytest.mark.parametrize(("name", "method", "data", "loss"), ALL)
def test_points_are_of_growing_budgets_and_time_themselves(name, method, data, loss):
    run = iterates(name, method, case(data, lengths=LENGTHS).split, loss, most=50 * len(LENGTHS))
    (start, *_), *rest = run
    assert not start.vector.any()
    assert (start.visits, start.conjugate, start.seconds) == (0, None, (0.0, 0.0))
    assert len(rest) >= 3
    assert all(before.visits < after.visits for (before, *_), (after, *_) in pairwise(run))
    for it, primal, dual in rest:
        wall, cpu = it.seconds
        assert min(wall, cpu) > 0
        assert dual <= primal * (1 + 1e-12)


@pytest.mark.parametrize(("name", "method", "data", "loss"), ALL)
def test_a_seed_decides_every_bit(name, method, data, loss):
    def bits(seed):
        run = iterates(name, method, case(data, lengths=LENGTHS).split, loss, seed=seed, most=8 * len(LENGTHS))
        return [(it.vector.tobytes(), it.visits, dual) for it, _, dual in run[1:]]

    one = bits(3)
    assert bits(3) == one
    draws = method in ("saga", "l2sgd", "ap", "pa", "arow") or name == "liblinear"
    assert (bits(4) != one) == draws


def test_budgets_grow_by_three_fifths():
    found = [budget for budget, _ in zip(harness.iterations(), range(12), strict=False)]
    assert found[:6] == [1, 2, 3, 5, 8, 13]
    assert all(1.4 < after / before < 1.8 for before, after in pairwise(found[3:]))


def refused(name, split, loss="log", method=None) -> str:
    with pytest.raises(UserError) as error:
        iterates(name, method, split, loss)
    return str(error.value)


@pytest.mark.parametrize("name", ["sklearn", "liblinear"])
def test_chains_are_not_for_classifiers(name):
    with pytest.raises(
        UserError, match=f"{name} needs classes, which chain problems do not have: choose from .*eg,"
    ):
        catalogue.check_fit(name, {}, case("chain-dense").split)


def test_crfsuite_wants_chains_without_observed_edges():
    with pytest.raises(UserError, match="crfsuite needs label sequences, which multiclass problems do not have"):
        catalogue.check_fit("crfsuite", {}, case("multiclass-dense").split)
    assert "no observed edge features, but these data have 2" in refused(
        "crfsuite", case("chain-binary-edges").split
    )


@pytest.mark.parametrize("method", CRFSUITE[:2])
def test_crfsuite_s_methods_for_the_log_loss_refuse_the_hinge(method):
    said = refused("crfsuite", case("chain-dense").split, "hinge", method)
    assert said.startswith(f"crfsuite's {method} minimises the log loss, not 'hinge': choose")


@pytest.mark.parametrize(("name", "data"), [("sklearn", "multiclass-dense"), ("crfsuite", "chain-dense")])
def test_labels_must_be_known(name, data):
    split = case(data, lengths=LENGTHS, unseen=0.2).split
    assert f"decision {np.argmin(split.y)} has none" in refused(name, split)


def test_one_class_is_none():
    split = multiclass.build(ft.dense(np.ones((3, 2))), np.zeros(3), 1)
    assert "at least 2 classes, but these data have 1" in refused("sklearn", split)


@pytest.fixture
def without_crfsuite(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pycrfsuite" else find(name))


def test_a_peer_that_is_not_installed_is_left_out_by_name(without_crfsuite):
    specs = [make("toy-english", "log", 1.0, name) for name in ("eg", "crfsuite")]
    specs.append(make("mnist", "log", 1.0, "sklearn"))
    specs.append(make("toy-english", "log", 2.0, "crfsuite"))
    kept, left_out = installed(specs)
    assert [spec.algorithm for spec in kept] == ["eg", "sklearn"]
    assert left_out == [
        "crfsuite is left out: it needs the package python-crfsuite, which is not installed "
        "(pip install python-crfsuite)"
    ]


def test_a_run_of_a_peer_that_is_not_installed_says_what_to_install(without_crfsuite, tmp_path, monkeypatch):
    monkeypatch.setattr(execute.problems, "obtain", lambda *given: pytest.fail("the data were asked for first"))
    with pytest.raises(UserError, match=r"crfsuite needs the package python-crfsuite, which is not installed: "):
        execute.run_one(make("toy-english", "log", 1.0, "crfsuite"), tmp_path / "run", print)


def test_peers_are_the_programs_of_others():
    assert {name for name in catalogue.algorithms() if algorithm_module.is_peer(name)} == {
        "crfsuite",
        "liblinear",
        "sklearn",
    }
    assert [catalogue.missing(name) for name in ("eg", "crfsuite", "liblinear", "sklearn")] == [None] * 4


def test_a_peer_has_one_thread_whatever_was_allowed_before():
    with threadpool_limits(2):
        used, _ = harness.clocked(threadpool_info)
    assert used
    assert {library["num_threads"] for library in used} == {1}
