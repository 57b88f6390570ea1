"""What klein2011's slides state and prove: numbers and mathematics, by the project's own algorithms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench import datasets
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.mistake_driven import best_output
from structbench.algorithms.mistake_driven.averaging import zero
from structbench.algorithms.structures import features, multiclass
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.bench.papers.klein2011.figures import loss_of_margin
from structbench.bench.papers.klein2011.slides import BOTH_RED
from structbench.bench.runs import algorithm_module
from tests.algorithms.oracle import case

SLIDE = np.array([[1, 1, -1, -2], [1, -1, 1, -2], [-2, -1, -1, 1]], float)  # by class, words in the slide's order


def learned(data: str, algorithm: str, steps: int = 10_000, **params) -> tuple[np.ndarray, dict]:
    """The last weights, and notes, of an algorithm that minimises no objective."""
    problem = datasets.build(data)
    problem = problem._replace(train=parts.compiled(problem.train))
    solver = algorithm_module.solver(algorithm)
    objective = Objective(problem.train, "none", 1.0, "none")
    for step, iterate in enumerate(solver(problem, objective, np.random.default_rng(0), **params)):
        found = iterate.vector * iterate.scale, iterate.notes
        if step == steps:
            break
    return found


def test_the_documents_are_classified_as_on_the_slide():
    """ "Linear Models: Decision Rule": scores 0, 2 and -3, so that the prediction is POLITICS."""
    problem = datasets.build("toy-documents")
    split = parts.compiled(problem.train)
    scores = np.empty(3)
    parts.scores(split, 0, SLIDE.T.ravel().copy(), scores)
    assert dict(zip(problem.labels, scores, strict=True)) == {"SPORTS": 0, "POLITICS": 2, "OTHER": -3}
    predicted, right, _ = predictions(split, SLIDE.T.ravel().copy())
    np.testing.assert_array_equal(predicted, right)


def losses_of(split, w: np.ndarray, loss: str) -> np.ndarray:
    return Objective(split, loss, 1.0).losses_and_conjugates(w, None)[0]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(seed=st.integers(0, 10**6), scale=st.floats(0.01, 30.0), K=st.integers(2, 5))
def test_log_loss_in_bits_and_the_hinge_bound_the_zero_one_loss(seed, scale, K):
    """ "Log-Loss": an upper bound on zero-one loss. Of one example each, with any weights."""
    rng = np.random.default_rng(seed)
    split = multiclass.build(features.dense(rng.normal(size=(6, 3))), rng.integers(0, K, 6), K)
    split = parts.compiled(split)
    w = scale * rng.normal(size=3 * K)
    predicted, right, _ = predictions(split, w)
    wrong = (predicted != right).astype(float)
    assert (losses_of(split, w, "log") / np.log(2) >= wrong - 1e-12).all()
    assert (losses_of(split, w, "hinge") >= wrong - 1e-12).all()


@pytest.mark.parametrize("name", ["chain-dense", "multiclass-dense"])
def test_only_the_hinge_reaches_0(name):
    """ "Max vs Soft-Max Margin": you can make this zero, but not this one. Weights that separate grow and grow."""
    split = parts.compiled(parts.take(case(name).split, np.array([0])))
    w = np.zeros(parts.num_weights(split))
    gradient = np.zeros_like(w)
    Objective(split, "log", 1.0).loss_and_gradient(w, gradient)  # E f - f(y*): against it the right output wins
    scales = 2.0 ** np.arange(-6, 12)
    hinges = [losses_of(split, -k * gradient, "hinge")[0] for k in scales]
    first = next(k for k, loss in enumerate(hinges) if abs(loss) < 1e-9)
    assert first > 0 and all(abs(loss) < 1e-9 for loss in hinges[first:])
    logs = [losses_of(split, -k * gradient, "log")[0] for k in scales[: first + 1]]
    assert min(logs) > 1e-9 and logs == sorted(logs, reverse=True)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(m=st.floats(-20, 20))
def test_the_losses_drawn_are_the_projects_own(m):
    """Two classes and one feature of 1, so that the margin is the difference of the weights."""
    split = parts.compiled(multiclass.build(features.dense(np.ones((1, 1))), np.zeros(1), 2))
    w = np.array([m, 0.0])
    drawn = {name: float(values[0]) for name, values in loss_of_margin(np.array([m])).items()}
    assert drawn["hinge"] == pytest.approx(losses_of(split, w, "hinge")[0], abs=1e-12)
    assert drawn["log (bits)"] == pytest.approx(losses_of(split, w, "log")[0] / np.log(2), rel=1e-9)
    assert drawn["0-1"] == (0.0 if m > 0 else 1.0)
    assert drawn["perceptron"] == max(0.0, -m)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("margin", [0.1, 0.3])
def test_a_perceptron_makes_no_more_mistakes_than_its_bound(seed, margin):
    """ "Perceptrons and Separability": (R / gamma)^2, with the margin of any weights that separate."""
    data = f"toy-points:margin={margin},seed={seed}"
    w, notes = learned(data, "perceptron", average="none")
    split = datasets.build(data).train
    x, y = split.x.dense, split.y
    normal = np.array([x[y == 0, :2].mean(axis=0) - x[y == 1, :2].mean(axis=0)]).ravel()
    turn = 2 * np.pi * np.random.default_rng([seed, 2]).random()
    best = np.array([np.cos(turn), np.sin(turn), 0.0])  # what the points were drawn from
    assert normal @ best[:2] > 0
    W = np.stack([best, -best], axis=1) / np.sqrt(2)
    gamma = min((x @ W)[i, k] - (x @ W)[i, 1 - k] for i, k in enumerate(y))
    radius = np.sqrt(2 * (x * x).sum(axis=1).max())
    assert 0 < notes["updates"] <= (radius / gamma) ** 2
    separated = (x @ w.reshape(3, 2)).argmax(axis=1)
    np.testing.assert_array_equal(separated, y)  # "if training data separable, perceptron will separate"


def test_one_update_of_the_perceptron_ranks_the_pages_as_on_the_slide():
    """ "Example: 'Best' Web Page": 10.3 against 8.8 with w = [1 2 0 0], which becomes [1.5 1 2 1]."""
    split = parts.compiled(datasets.build("toy-pages").train)
    w = zero(4, uniform=True)
    w.v[:] = 1.0, 2.0, 0.0, 0.0
    scores = np.empty(2)
    parts.scores(split, 0, w.v, scores)
    np.testing.assert_allclose(scores, [10.3, 8.8])
    best_output.visit(split, np.array([0]), False, True, 1.0, w)
    np.testing.assert_allclose(w.v, [1.5, 1.0, 2.0, 1.0])


@pytest.mark.parametrize(("prior", "shares"), [("counted", (4 / 28, 6 / 28)), ("uniform", (4 / 8, 1 / 8))])
def test_naive_bayes_at_the_stoplights(prior, shares):
    """ "Example: Stoplights": P(b, r, r) and P(w, r, r), so that P(w | r, r) is 6/10, and 1/5 with P(b) = 1/2."""
    w, _ = learned("toy-stoplights", "naive-bayes", added=0.0, prior=prior)
    joint = np.exp(np.array(BOTH_RED) @ w.reshape(3, 2))[::-1]  # broken first, as the slide has it
    np.testing.assert_allclose(joint / joint.sum(), np.array(shares) / sum(shares))
    if prior == "counted":
        np.testing.assert_allclose(joint, shares)
        assert joint[1] / joint.sum() == pytest.approx(6 / 10)
    else:  # all classes alike: P(y) is left out
        np.testing.assert_allclose(joint / 2, shares)
        assert joint[1] / joint.sum() == pytest.approx(1 / 5)
