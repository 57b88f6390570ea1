"""EG-QP: the steps of batch ``eg`` on an explicit program, and the constants of eg2004's Theorem 2."""

from itertools import product

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackNoConvergence

from structbench.algorithms.exponentiated_gradient import eg_qp
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.runs import catalogue
from tests.algorithms.oracle import case
from tests.algorithms.solvers import first, solved
from tests.narrowing import number

C = 0.8
names = pytest.mark.parametrize("name", ["multiclass-dense", "multiclass-sparse"])


@names
@pytest.mark.parametrize(("params", "unseen"), [({}, 0.0), ({"eta": 0.2, "start": 0.0}, 0.0), ({}, 0.5)])
def test_it_makes_the_steps_of_batch_eg(name, params, unseen):
    split = case(name, unseen=unseen).split
    ours = first(25, "eg-qp", split, "hinge", C, **params)
    given = params | {"eta": ours[0].notes["eta"], "adaptive": False, "divergence": True}
    theirs = first(25, "eg:mode=batch", split, "hinge", C, **given)
    for one, other in zip(ours[1:], theirs[1:], strict=True):
        assert one.visits == other.visits
        np.testing.assert_allclose(one.weights, other.weights, rtol=1e-9, atol=1e-9)
        assert one.conjugate == pytest.approx(other.conjugate, rel=1e-9)
    assert ours[-1].notes["divergence"] == pytest.approx(theirs[-1].notes["divergence"], rel=1e-9)
    assert -number(ours[1].notes, "first_Q") == pytest.approx(theirs[1].value.dual, rel=1e-9)


@names
def test_constants_of_theorem_2(name):
    small = case(name, lengths=(1,) * 4)
    A, b = eg_qp.program(small.split, C)
    B, largest = eg_qp.constants(A, b, 3)
    assert largest == pytest.approx(np.linalg.eigvalsh(A)[-1])
    at_corners = [b + A @ np.eye(3)[list(corner)].ravel() for corner in product(range(3), repeat=4)]
    assert pytest.approx(np.ptp(at_corners)) == B <= 2 * (4 * abs(A).max() + abs(b).max())
    assert first(1, "eg-qp", small.split, "hinge", C)[0].notes["eta"] == pytest.approx(0.4 / (B + largest))


def test_no_features_and_a_single_label_are_no_problem():
    """One label: B = lambda = 0, and every step size does."""
    split = case("multiclass-dense", density=0.0).split
    assert solved("eg-qp", split, "hinge", C, 1e-6).value.primal == pytest.approx(6.0)
    run = first(4, "eg-qp", case("multiclass-dense", num_labels=1).split, "hinge", C)
    assert run[0].notes["B"] == run[0].notes["lambda"] == 0
    assert all(not p.weights.any() and p.value.primal == 0 and p.conjugate in (None, 0) for p in run)


@names
def test_large_programs_find_lambda_by_iteration(name, monkeypatch):
    A, b = eg_qp.program(case(name).split, C)
    directly = eg_qp.constants(A, b, 3)
    monkeypatch.setattr(eg_qp, "MOST_EXACT", len(b) - 1)
    assert eg_qp.constants(A, b, 3) == pytest.approx(directly, rel=1e-12)

    def endless(*_, **__):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr("scipy.sparse.linalg.eigsh", endless)
    with pytest.raises(UserError, match=r"n K = 18 variables does not converge: take fewer examples"):
        first(1, "eg-qp", case(name).split, "hinge", C)


def test_what_it_cannot_take():
    with pytest.raises(UserError, match="eg-qp needs single decisions, which chain problems do not have"):
        catalogue.check_fit("eg-qp", {}, case("chain-dense").split)
    many = multiclass.build(ft.dense(np.ones((2000, 1))), np.zeros(2000), 3)
    with pytest.raises(UserError, match=r"n K = 6,000 variables, at most 5,000"):
        first(1, "eg-qp", many, "hinge", C)
