"""No algorithm's word is believed: impossible counts are its fault, and no made-up certificate is a proof."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Model, Value
from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.bench.runs import algorithm_module, catalogue, driver, referee, refusals
from tests.bench.runs.driven import problem, spec

LOSSES = ("log", "hinge")
WHEN = ("after its last point", "when it is closed", "while its dual value is recomputed")


@pytest.fixture
def play(monkeypatch):
    """``play(points)`` runs an algorithm of the user's own that yields ``points(objective, n, w)`` after w = 0."""

    def run(points, loss="log"):
        @algorithm(needs=("parts",))
        def solve(problem, objective, rng):
            n, w = parts.num_examples(objective.split), np.zeros(parts.num_weights(objective.split))
            yield Iterate(w, 0)
            yield from points(objective, n, w)

        monkeypatch.setattr(algorithm_module, "algorithm", lambda name: SimpleNamespace(solve=solve))
        for module in (algorithm_module, catalogue):
            monkeypatch.setattr(module, "declaration", lambda name: solve.declaration)
        for module in (referee, refusals):
            monkeypatch.setattr(module, "file_of", lambda name: Path("algorithms/fake.py"))
            monkeypatch.setattr(module, "shown", lambda name: "mine/algorithms/fake.py")
            monkeypatch.setattr(module, "owner", lambda file: Path("mine"))
        return driver.run(spec(passes=5.0, gap=1e-3, loss=loss), problem("chain-binary"))

    return run


def primal(objective, w):
    return objective.evaluate(w, None).primal


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"visits": np.inf}, "visits must be a whole number of 0 or more, not inf"),
        ({"visits": np.nan}, "visits must be a whole number of 0 or more, not nan"),
        ({"visits": -30}, "visits must be a whole number of 0 or more, not -30"),
        ({"visits": 2.5}, "visits must be a whole number of 0 or more, not 2.5"),
        ({"visits": "8"}, "visits must be a whole number of 0 or more, not 8"),
        ({"hints": Hints(seconds=(-1.0, 0.0))}, "seconds must be two numbers of 0 or more, not (-1.0, 0.0)"),
        ({"hints": Hints(seconds=(1.0, np.inf))}, "seconds must be two numbers of 0 or more"),
        ({"notes": {"o": object()}}, "a note has a name and is a number or a text, not 'o': object"),
        ({"notes": {3: 1.0}}, "a note has a name and is a number or a text, not 3: float"),
        ({"kept": [0.0, 0.0]}, "weights must be a vector of float64, not list"),
        ({"kept": np.zeros(3, np.float32)}, "weights must be a vector of float64, not float32"),
        ({"kept": np.zeros(3, complex)}, "weights must be a vector of float64, not complex128"),
        ({"kept": np.zeros((3, 1))}, "weights must be a vector of float64, not float64 of shape (3, 1)"),
        ({"kept": np.zeros(3)}, "weights must be "),
    ],
)
def test_what_cannot_be_is_the_algorithms_fault(given, said, play):
    with pytest.raises(Fault) as error:
        play(lambda objective, n, w: iter([Iterate(**{"kept": w, "visits": n} | given)]))
    assert str(error.value).startswith(f"mine/algorithms/fake.py: {said}")


@pytest.mark.parametrize("is_recomputed", [True, False])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_made_up_dual_point_is_contradicted(loss, is_recomputed, play):
    def points(objective, n, w):
        claim = primal(objective, w)
        again = (lambda: (claim, np.zeros_like(w))) if is_recomputed else None
        yield Iterate(w, n, Dual(claim + objective.penalty_value(w), recompute=again))

    with pytest.raises(Fault, match=r"fake says that no value is below .*, and other weights have .*"):
        play(points, loss)


def test_only_black_boxes_state_their_seconds(play):
    with pytest.raises(Fault, match=r"the driver measures its seconds: leave out Hints\(seconds=...\)"):
        play(lambda objective, n, w: iter([Iterate(w, n, hints=Hints(seconds=(1e-9, 1e-9)))]))


@pytest.mark.parametrize("dual", [1.0, 0.5])
def test_a_made_up_value_is_found_out_though_no_gap_is_reached(dual, play):
    hints = Hints(value=lambda: Value(1.0, dual), evaluate_now=True)
    with pytest.raises(Fault, match="fake says that its value is 1, and it is "):
        play(lambda objective, n, w: iter([Iterate(w, n, hints=hints)]))


def test_a_model_that_judges_itself_proves_nothing(play):
    class Liar(Model):
        def evaluate(self, objective, vector, conjugate, dual_weights):
            return Value(1.0, 1.0)

    def points(objective, n, w):
        yield Iterate(w, n, hints=Hints(model=Liar(predictions), evaluate_now=True))

    assert play(points).summary["status"] == "unverified"


def test_an_objective_that_the_algorithm_spoils_judges_nothing(play):
    def points(objective, n, w):
        objective.C, objective.evaluate = 1e-9, lambda *given: Value(1.0, 1.0)
        yield Iterate(w, n, hints=Hints(evaluate_now=True))

    result = play(points)
    assert result.summary["status"] == "stalled" and result.rows[-1]["primal"] > 1.0


def optimum(objective, w):
    from scipy.optimize import minimize

    def value(w):
        gradient = np.empty_like(w)
        return objective.value_and_gradient(w, gradient), gradient

    return minimize(value, w, jac=True, method="L-BFGS-B", options={"ftol": 1e-14, "gtol": 1e-9}).x


@pytest.mark.parametrize(("share", "status"), [(0.5, "converged"), (1.2, "unverified")])
def test_sums_are_believed_where_the_weights_prove_the_gap_that_was_asked_for(share, status, play):
    def points(objective, n, w):
        best, low, high = optimum(objective, w), 0.0, 1.0
        for _ in range(50):  # of the optimum's weights this share less has that gap
            less = (low + high) / 2
            found = objective.evaluate((1 - less) * best, None)
            if found.primal - found.dual > share * 1e-3 * found.primal:
                high = less
            else:
                low = less
        assert found.primal > 2
        w = (1 - low) * best
        true = found.dual if share < 1 else primal(objective, best) - 1e-9
        yield Iterate(w, n, Dual(true + objective.penalty_value(w)))

    ended = play(points).summary
    assert ended["status"] == status
    assert ended["message"].endswith("is of sums that nothing recomputes") == (status == "unverified")


def test_an_honest_dual_point_is_believed(play):
    def points(objective, n, w):
        best = optimum(objective, w)
        gradient = np.empty_like(best)
        objective.value_and_gradient(best, gradient)
        pair = objective.conjugate, gradient - objective.C * best
        yield Iterate(best, n, Dual(*pair, recompute=lambda: pair))

    assert play(points).summary["status"] == "converged"


@pytest.mark.parametrize(
    "when", ["after its last point", "when it is closed", "while its dual value is recomputed"]
)
def test_the_weights_that_are_kept_are_those_that_were_evaluated(when, play):
    def points(objective, n, w):
        def spoil():
            w[:] += 1000.0 * (when == "while its dual value is recomputed")
            return 0.0, np.zeros_like(w)

        try:
            yield Iterate(w, n, Dual(0.0, recompute=spoil), hints=Hints(evaluate_now=True))
            if when == "when it is closed":
                yield Iterate(w, 9 * n)
        finally:
            if when != "while its dual value is recomputed":
                w += 1000.0

    if when == "while its dual value is recomputed":
        with pytest.raises(Fault, match="fake changes its weights while they are evaluated"):
            play(points)
        return
    result = play(points)
    assert result.rows[-1]["weight_norm"] == np.linalg.norm(result.weights)
    assert (result.rows[-1]["weight_norm"] > 999) == (when == "after its last point")
