"""Primal, dual and gradient against the oracle, finite differences and weak duality."""

import numpy as np
import pytest

from structbench.algorithms.learning import objective as module
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime import parallel
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import multiclass
from tests.algorithms.linear import conjugate_and_weights
from tests.algorithms.oracle import STRUCTURES, case

every_structure = pytest.mark.parametrize("name", STRUCTURES)
SMOOTH = ["log", "softmax-margin", "smoothed-hinge-0.1"]
both_losses = pytest.mark.parametrize("loss", ["log", "hinge"])
every_loss = pytest.mark.parametrize("loss", ["hinge", *SMOOTH])
every_smooth_loss = pytest.mark.parametrize("loss", SMOOTH)


def value_and_gradient(objective: Objective, w: np.ndarray) -> tuple[float, np.ndarray]:
    gradient = np.full_like(w, np.nan)
    return objective.value_and_gradient(w, gradient), gradient


@every_structure
@every_loss
@pytest.mark.parametrize("scale", [0.0, 1.0, 1e3])
def test_the_primal_is_the_oracle_s(name, loss, scale):
    small = case(name, unseen=0.2)
    w = scale * np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    objective = Objective(small.split, loss, 1.5)
    want = small.primal(w, loss, 1.5)
    assert objective.evaluate(w, None).primal == pytest.approx(want, rel=1e-12)
    assert value_and_gradient(objective, w)[0] == pytest.approx(want, rel=1e-12)


@both_losses
def test_values_and_gradients_are_the_same_in_blocks_of_a_few_examples(loss, monkeypatch):
    small = case("chain-binary-edges")
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    whole = value_and_gradient(Objective(small.split, loss, 1.5), w)
    monkeypatch.setattr(module, "MAX_PARTS_IN_MEMORY", 60)
    objective = Objective(small.split, loss, 1.5)
    assert 1 < len(objective._blocks) < len(small.examples)
    value, gradient = value_and_gradient(objective, w)
    assert value == pytest.approx(whole[0], rel=1e-12)
    np.testing.assert_allclose(gradient, whole[1], atol=1e-12)


def test_the_penalty_counts_every_weight_once_where_there_are_several_blocks_of_them():
    """Two whole ones, and a part of a third."""
    rng, C = np.random.default_rng(0), 1.5
    split = multiclass.build(ft.dense(rng.normal(size=(3, 8200))), np.array([0, 1, 3]), 4)
    w = 0.01 * rng.normal(size=parts.num_weights(split))
    objective, losses = Objective(split, "log", C), np.empty_like(w)
    assert module.num_blocks(len(w)) == 3
    value, gradient = value_and_gradient(objective, w)
    loss = objective.loss_and_gradient(w, losses)
    assert value == pytest.approx(loss + C * w @ w / 2, rel=1e-12)
    np.testing.assert_allclose(gradient, losses + C * w, atol=1e-12)


@every_structure
@every_smooth_loss
def test_the_gradient_of_a_smooth_loss_is_that_of_finite_differences(name, loss):
    split = case(name).split
    objective = Objective(split, loss, 0.7)
    w = np.random.default_rng(1).normal(size=parts.num_weights(split))
    gradient = value_and_gradient(objective, w)[1]
    step = 1e-5
    for j, direction in enumerate(step * np.eye(len(w))):
        rise = value_and_gradient(objective, w + direction)[0] - value_and_gradient(objective, w - direction)[0]
        assert gradient[j] == pytest.approx(rise / (2 * step), rel=1e-6, abs=1e-7)


@every_structure
def test_the_hinge_has_a_subgradient(name):
    """P(v) >= P(w) + g . (v - w) + C ||v - w||^2 / 2 for all v."""
    split = case(name).split
    objective, rng = Objective(split, "hinge", 0.7), np.random.default_rng(1)
    size = parts.num_weights(split)
    for _ in range(20):
        w, v = rng.normal(size=(2, size))
        value, gradient = value_and_gradient(objective, w)
        bound = value + gradient @ (v - w) + 0.7 * (v - w) @ (v - w) / 2
        assert value_and_gradient(objective, v)[0] >= bound - 1e-9


@every_structure
@every_smooth_loss
def test_weights_have_the_dual_point_that_attains_a_smooth_loss(name, loss):
    """D(u) = conj(u) - ||w(u)||^2 / (2 C) at the u_i of the maxima, all outputs written out."""
    small = case(name)
    w = np.random.default_rng(1).normal(size=parts.num_weights(small.split))
    u = [e.loss(e.features @ w, loss)[1] for e in small.examples]
    conjugate, dual_weights = conjugate_and_weights(small, u, loss)
    value = Objective(small.split, loss, 0.7).evaluate(w, None)
    assert value.dual == pytest.approx(conjugate - dual_weights @ dual_weights / 1.4, rel=1e-11)
    assert value.dual <= value.primal


@every_structure
@both_losses
def test_an_algorithm_s_own_dual_value_is_taken(name, loss):
    split = case(name).split
    w = np.random.default_rng(1).normal(size=parts.num_weights(split))
    value = Objective(split, loss, 0.7).evaluate(w, 3.0)
    assert value.dual == pytest.approx(3.0 - 0.7 * (w @ w) / 2)


def test_hinge_weights_alone_have_no_dual_point():
    split = case("multiclass-dense").split
    assert np.isnan(Objective(split, "hinge", 1.0).evaluate(np.zeros(parts.num_weights(split)), None).dual)


@every_structure
@both_losses
def test_value_and_gradient_have_the_same_bits_for_any_number_of_threads(name, loss):
    split = case(name, lengths=(3, 1, 4, 2, 2, 3) * 5).split
    objective = Objective(split, loss, 0.7)
    w = np.random.default_rng(1).normal(size=parts.num_weights(split))
    found = []
    for threads in (1, 2, 3):
        parallel.set_threads(threads)
        value, gradient = value_and_gradient(objective, w)
        found.append((value, gradient.tobytes(), objective.evaluate(w, None)))
    assert repr(found[1]) == repr(found[0])
    assert repr(found[2]) == repr(found[0])


def test_a_dual_value_needs_the_dual_point_where_weights_do_not_tell_it():
    small = case("multiclass-dense")
    w = np.zeros(parts.num_weights(small.split))
    with pytest.raises(ValueError, match="penalty l1 the weights do not tell"):
        Objective(small.split, "hinge", 0.7, "l1").evaluate(w, 1.0)
