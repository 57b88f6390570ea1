"""The kernel SVM against the solvers in the space of features, its certificate, and kernels that are none."""

from itertools import islice

import numpy as np
import pytest

from structbench.algorithms.kernel_methods import similarity
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from tests.algorithms import oracle
from tests.algorithms.solvers import recomputed_dual, solved, start
from tests.narrowing import not_none

SHAPE = {"lengths": (1,) * 30, "density": 0.8}
C = 0.7


def value(objective, point):
    return not_none(point.hints.model).evaluate(objective, point.vector * point.scale, *point.dual_point)


def run(split, C=C, **params):
    """The objective, the number of points of a whole run, and the last."""
    objective, solver = start("kernel-svm", split, "hinge", C, **params)
    for count, point in enumerate(islice(solver, 20_000), 1):  # noqa: B007
        pass
    return objective, count, point


@pytest.mark.parametrize("name", ["multiclass-dense", "multiclass-sparse"])
@pytest.mark.parametrize("working", [4, 256])
def test_with_the_linear_kernel_it_meets_smo_in_the_space_of_features(name, working):
    split = oracle.case(name, 1, **SHAPE).split
    objective, count, last = run(split, kernel="linear", working=working)
    found = value(objective, last)
    assert found.primal - found.dual < 1e-9 * found.primal
    best = solved("smo", split, "hinge", C, 1e-8)
    assert found.primal == pytest.approx(best.value.primal, rel=1e-6)
    assert count > 3
    w = ft.as_matrix(split.x).T @ (last.vector * last.scale).reshape(len(split.y), -1)
    assert objective.evaluate(w.ravel(), not_none(last.dual).conjugate).primal == pytest.approx(
        found.primal, rel=1e-10
    )


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_its_value_is_that_of_its_definition_and_its_dual_never_falls(kernel, monkeypatch):
    monkeypatch.setattr("structbench.algorithms.kernel_methods.gram.LEAST", 3)  # most rows are made anew
    split = oracle.case("multiclass-sparse", 3, **SHAPE).split
    objective, solver = start("kernel-svm", split, "hinge", C, kernel=kernel, gamma=0.4, working=3, cache=1e-9)
    rows = similarity.named_kernel(kernel, 0.4, 3, 0.5).points(split)
    gram, y, duals = rows.against(rows), split.y, []
    for point in islice(solver, 1, 80):
        alpha = (point.vector * point.scale).reshape(len(y), -1)
        u = np.eye(alpha.shape[1])[y] - C * alpha
        assert u.min() >= 0
        np.testing.assert_allclose(u.sum(axis=1), 1, atol=1e-12)
        scores, right = gram @ alpha, np.arange(len(y))
        augmented = scores + 1
        augmented[right, y] -= 1
        square = (alpha * scores).sum()
        primal = (augmented.max(axis=1) - scores[right, y]).sum() + C * square / 2
        dual = (1 - u[right, y]).sum() - C * square / 2
        found, model = value(objective, point), not_none(point.hints.model)
        assert model.norm(alpha.ravel()) ** 2 == pytest.approx(square)
        assert found.primal == pytest.approx(primal, rel=1e-10)
        assert found.dual == pytest.approx(dual, rel=1e-10)
        assert model.dual_value(objective, *recomputed_dual(point)) == pytest.approx(dual, rel=1e-10)
        assert found.dual <= found.primal
        duals.append(dual)
    assert (np.diff(duals) >= -1e-12).all()
    assert len(duals) > 10


@pytest.mark.parametrize("room", [1000, 3])
def test_predictions_are_those_of_the_definition_and_make_each_kernel_once_where_there_is_room(room, monkeypatch):
    monkeypatch.setattr("structbench.algorithms.kernel_methods.gram.LEAST", room)
    split, new, other = (oracle.case("multiclass-sparse", seed, **SHAPE).split for seed in (3, 4, 5))
    _, solver = start("kernel-svm", split, "hinge", C, gamma=0.4, working=3, cache=1e-9)
    points = [similarity.named_kernel("rbf", 0.4, 3, 0.5).points(each) for each in (split, new, other)]
    asked, made = [points[0].against(each) for each in points[1:]], []
    against = similarity.Rows.against
    monkeypatch.setattr(similarity.Rows, "against", lambda self, to: made.append(len(self)) or against(self, to))
    total = 0
    for point in islice(solver, 2, 40):
        alpha = (point.vector * point.scale).reshape(len(split.y), -1)
        made.clear()
        found = not_none(not_none(point.hints.model).predictions(new, alpha.ravel()))[0]
        np.testing.assert_array_equal(found, (asked[0].T @ alpha).argmax(axis=1))
        total += sum(made)
    assert (total <= len(split.y)) == (room == 1000) and total > 3
    found = not_none(not_none(point.hints.model).predictions(other, alpha.ravel()))[0]
    np.testing.assert_array_equal(found, (asked[1].T @ alpha).argmax(axis=1))


def test_blocks_that_are_alike_in_nothing_and_empty_rows_have_their_optimum():
    """An rbf so narrow that K is the identity: u_i halves between labels as C and the loss say; and K = 0."""
    x, y = ft.dense(np.arange(4.0)[:, None] * 100), np.array([0, 1, 1, 0])
    _, _, last = run(multiclass.build(x, y, 2), gamma=10.0, C=1.0)
    np.testing.assert_allclose(np.abs(last.vector), 0.5)  # max t - t^2 for each, w(u) = (t, -t)
    objective, _, last = run(multiclass.build(ft.dense(np.zeros((3, 1))), np.array([0, 1, 1]), 2), kernel="linear")
    found = value(objective, last)
    assert (found.primal, found.dual) == (3.0, 3.0)


def test_a_kernel_that_is_indefinite_is_refused(monkeypatch):
    """Minus the squared distance: negative square norms; its exponential's inverse: negative distances."""
    split = oracle.case("multiclass-dense", 1, **SHAPE).split
    for function in (np.negative, np.reciprocal):

        def indefinite(gamma, function=function, rbf=similarity._rbf):
            def apply(products, mine, theirs):
                rbf(gamma)(products, mine, theirs)
                function(products, out=products)

            return apply

        monkeypatch.setattr(similarity, "_rbf", indefinite)
        with pytest.raises(UserError, match=r"^the kernel rbf is not positive semi-definite: a vector in"):
            run(split)


def test_an_unknown_label_is_refused():
    with pytest.raises(UserError, match="kernel-svm needs a known label everywhere in the training data"):
        run(oracle.case("multiclass-dense", unseen=0.5).split)
