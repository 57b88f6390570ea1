"""Primal, dual and gradient against the oracle, in blocks and on threads."""

import numpy as np
import pytest

from structbench.algorithms.learning import objective as module
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.long_vectors import num_blocks
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from tests.algorithms.linear import conjugate_and_weights
from tests.algorithms.oracle import STRUCTURES, case

every_structure = pytest.mark.parametrize("name", STRUCTURES)
both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])
C = 0.7


def value_and_gradient(objective: Objective, w: np.ndarray) -> tuple[float, np.ndarray]:
    gradient = np.full_like(w, np.nan)
    return objective.value_and_gradient(w, gradient), gradient


@every_structure
@pytest.mark.parametrize("loss", ["hinge", "log", "softmax-margin", "smoothed-hinge-0.1"])
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e3])
def test_values_and_gradients_are_those_of_all_outputs(name, loss, scale):
    """D(u) = conj(u) - ||w(u)||^2 / (2 C) and the gradient C w - w(u), at the u_i of the maxima."""
    small = case(name, unseen=0.2)
    w = scale * np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    u = [e.loss(e.features @ w, loss)[1] for e in small.examples]
    conjugate, dual_weights = conjugate_and_weights(small, u, loss)
    objective = Objective(small.split, loss, C)
    value, gradient = value_and_gradient(objective, w)
    found = objective.evaluate(w, None)
    assert found.primal == pytest.approx(small.primal(w, loss, C), rel=1e-12)
    assert value == pytest.approx(found.primal, rel=1e-12)
    if loss != "hinge" or scale:  # else maxima tie
        np.testing.assert_allclose(gradient, C * w - dual_weights, rtol=1e-9, atol=1e-9)
    if loss == "hinge":
        assert np.isnan(found.dual)
    else:
        assert found.dual == pytest.approx(conjugate - dual_weights @ dual_weights / (2 * C), rel=1e-11, abs=1e-9)
        assert found.dual <= found.primal


@both_losses
def test_values_and_gradients_are_the_same_in_blocks_of_a_few_examples(loss, monkeypatch):
    small = case("chain-binary-edges")
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    whole = value_and_gradient(Objective(small.split, loss, C), w)
    monkeypatch.setattr(module, "MAX_PARTS_IN_MEMORY", 60)
    objective = Objective(small.split, loss, C)
    assert 1 < len(objective._blocks) < len(small.examples)
    value, gradient = value_and_gradient(objective, w)
    assert value == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(gradient, whole[1], atol=1e-12)


def test_the_penalty_counts_every_weight_once_where_there_are_several_blocks_of_them():
    """Two whole ones, and a part of a third."""
    rng = np.random.default_rng(0)
    split = multiclass.build(ft.dense(rng.normal(size=(3, 8200))), np.array([0, 1, 3]), 4)
    w = 0.01 * rng.normal(size=parts.num_weights(split))
    objective, losses = Objective(split, "log", C), np.empty_like(w)
    assert num_blocks(len(w)) == 3
    value, gradient = value_and_gradient(objective, w)
    loss = objective.loss_and_gradient(w, losses)
    assert value == pytest.approx(loss + C * w @ w / 2, rel=1e-12)
    np.testing.assert_allclose(gradient, losses + C * w, atol=1e-12)


@every_structure
@both_losses
def test_value_and_gradient_have_the_same_bits_for_any_number_of_threads(name, loss):
    split = case(name, lengths=(3, 1, 4, 2, 2, 3) * 5).split
    objective = Objective(split, loss, C)
    w = np.random.default_rng(1).normal(size=parts.num_weights(split))
    found = []
    for threads in (1, 2, 3):
        with parallel.using(threads):
            value, gradient = value_and_gradient(objective, w)
            found.append((value, gradient.tobytes(), objective.evaluate(w, None)))
    assert repr(found[1]) == repr(found[0])
    assert repr(found[2]) == repr(found[0])


def test_an_algorithm_s_own_dual_value_needs_the_dual_point_where_weights_do_not_tell_it():
    split = case("multiclass-dense").split
    w = np.random.default_rng(1).normal(size=parts.num_weights(split))
    for loss in ("log", "hinge"):
        assert Objective(split, loss, C).evaluate(w, 3.0).dual == pytest.approx(3.0 - C * (w @ w) / 2)
    with pytest.raises(ValueError, match="penalty l1 the weights do not tell"):
        Objective(split, "hinge", C, "l1").evaluate(w, 1.0)
