"""LaSO with exact search: when it updates, and by what, against expectations over all outputs."""

import numpy as np
import pytest

from tests.algorithms import oracle
from tests.algorithms.learners import Weights, alma, learned, passes

NAMES = ("multiclass-dense", "chain-dense", "chain-sparse-edges", "segments-dense", "segments-pieces")
RULES = {"perceptron": {}, "alma": {"alpha": 0.9}, "alma-wide": {"alpha": 0.5, "B": 1.5, "C": 0.7}}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("average", ["none", "growing", "uniform"])
def test_updates_are_differences_to_expectations_and_follow_mistakes_only(name, rule, average):
    case, update = oracle.case(name, 2, density=1.0), rule.split("-")[0]
    plain, closest = alma(**RULES[rule]) if update == "alma" else None, []

    def visit(i: int, weights: Weights) -> None:
        e, margin = case.examples[i], weights.margin
        s = e.features @ weights.w - margin / max(e.gold.sum(), 1) * e.gold
        scores = e.outputs @ s
        right = int(np.flatnonzero((e.outputs == e.gold).all(axis=1))[0])
        if weights.w.any():
            closest.append(abs(np.delete(scores, right).max() - scores[right]))
        if e.best(s) != right:
            expected = e.distribution(s / margin if margin else s) @ e.outputs
            weights.update((e.gold - expected) @ e.features)
        weights.visited()

    params = {"update": update, "beam": "inf", "average": average} | RULES[rule]
    run = learned("laso", case.split, 4, **params)
    quiet = 0
    for (w, updates), weights in zip(run, passes(case.split, visit, plain, 0), strict=False):
        assert updates == len(weights.differences) > 0
        quiet += len(weights.after_examples) - updates
        expected = weights.average(average)
        np.testing.assert_allclose(w, expected, atol=1e-8 * max(1.0, np.abs(expected).max()))
    assert quiet > 0, "examples without an update"
    assert min(closest) > 1e-9, "no tie decides"


def test_an_update_is_the_gradient_of_the_likelihood():
    """By finite differences of log p(y | x; w), at every w that one example alone leads to."""
    steps = 0
    for seed in range(6):
        case = oracle.case("segments-dense", seed, lengths=(4,))
        w = np.zeros(case.examples[0].features.shape[1])
        for after, updates in learned("laso", case.split, 5, beam="inf", average="none"):
            if (after != w).any():
                np.testing.assert_allclose(after - w, _gradient(case, w), atol=1e-6)
                steps += updates > 1
            w = after.copy()
    assert steps >= 2


def _gradient(case: oracle.Case, w: np.ndarray, h: float = 1e-6) -> list[float]:
    def likelihood(v: np.ndarray) -> float:
        return -sum(case.losses(v, "log"))

    return [(likelihood(w + h * u) - likelihood(w - h * u)) / (2 * h) for u in np.eye(len(w))]


def test_a_margin_makes_updates_where_the_right_output_is_best():
    """Two classes; the right one leads by less than the margin."""
    case = oracle.case("multiclass-dense", 2, lengths=(1,))
    plain = list(learned("laso", case.split, 50, beam="inf", update="perceptron"))[-1][1]
    wide = list(learned("laso", case.split, 50, beam="inf", update="alma", alpha=0.01, B=30.0))[-1][1]
    assert wide > plain > 0
