"""Numbers read off runs with weights and curves that are given."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass
from structbench.bench.papers.klein2011 import readings
from structbench.bench.papers.measured import ends
from structbench.bench.runs import problem_store
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves


def run(weights=(), **curve):
    spec = make("mnist", None, None, "perceptron", {}, passes=4)
    return synthetic_curves.keep(synthetic_curves.of(), spec, pd.DataFrame(curve), {}, np.array(weights, float))


@pytest.mark.parametrize(
    ("a", "b", "degrees"),
    [
        ([1, 0], [0, 3], 90),
        ([1, 0], [2, 2], 45),
        ([2, 0], [-3, 0], 180),
        ([0.1, 0.7], [0.3, 2.1], 0),
        ([0, 0], [1, 2], 0),
    ],
)
def test_angles(a, b, degrees):
    assert readings.angle(run(a), run(b)) == readings.angle(run(b), run(a)) == pytest.approx(degrees, abs=2e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("sparse", [False, True])
def test_margins_and_mistake_bound_against_all_pairs_of_labels(seed, sparse, monkeypatch):
    rng = np.random.default_rng(seed)
    x, W, y = rng.normal(size=(7, 3)), rng.normal(size=(3, 4)), rng.integers(4, size=7)
    if seed < 2:
        y = (x @ W).argmax(axis=1)  # separable
    split = multiclass.build(ft.sparse(csr_matrix(x)) if sparse else ft.dense(x), y, 4)
    monkeypatch.setattr(problem_store, "obtain", lambda data: (type("", (), {"train": split}), None))
    found, unscaled = readings.margins(run(W)), readings.margins(run(W), unit=False)
    each = [min(x[i] @ (W[:, y[i]] - W[:, k]) for k in range(4) if k != y[i]) for i in range(7)]
    norm = np.sqrt((W * W).sum())
    np.testing.assert_allclose(unscaled.each, each, atol=1e-12)
    np.testing.assert_allclose(found.each, np.array(each) / norm, atol=1e-12)
    assert found.least == min(found.each) and found.radius == unscaled.radius
    assert found.radius == pytest.approx(max(np.sqrt(2 * v @ v) for v in x))
    bound = (found.radius * norm / min(each)) ** 2 if min(each) > 0 else np.inf
    assert readings.mistake_bound(run(W)) == pytest.approx(bound)
    assert (min(each) > 0) == (seed < 2)


def test_margins_of_no_weights_are_0(monkeypatch):
    split = multiclass.build(ft.dense(np.ones((2, 1))), np.array([0, 1]), 2)
    monkeypatch.setattr(problem_store, "obtain", lambda data: (type("", (), {"train": split}), None))
    assert readings.margins(run([0, 0])).each.tolist() == [0, 0]
    assert readings.mistake_bound(run([0, 0])) == np.inf


def test_errors_after_whole_passes_and_their_swing():
    errors = [0.9, 0.8, 0.5, 0.6, 0.4, 0.7, 0.2]
    made = run(passes=[0, 0.5, 1, 2, 2, 3.5, 4], test_error=errors, cpu_seconds=np.arange(7) * 3.0)
    assert ends(made)["test_error"].tolist() == [0.5, 0.4, 0.2]
    later = made.curve[made.curve["passes"] >= readings.LATER * 4]
    assert len(later) == 4
    off = later["test_error"] - np.polyval(np.polyfit(later["passes"], later["test_error"], 1), later["passes"])
    assert readings.swing(made) == pytest.approx(np.sqrt((off**2).sum() / 2))
    fallen = made.curve.assign(test_error=made.curve["test_error"] - made.curve["passes"] / 9)
    assert readings.swing(run(**fallen)) == pytest.approx(readings.swing(made)), "a trend is no swing"
    assert np.isnan(readings.swing(run(passes=[0, 2, 4], test_error=[0.9, 0.6, 0.5])))
    assert (readings.seconds_until(made, 0.7), readings.seconds_until(made, 0.1)) == (pytest.approx(4), np.inf)
