"""Sentences on how fast methods are, made from made-up runs."""

import numpy as np
import pytest

from structbench.bench.drawing import speed
from structbench.bench.drawing.problems import labels
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

DATA = "mnist:train=100"


def spec(algorithm: str, seed: int = 0, **params):
    return make(DATA, "log", 10, algorithm, params, passes=20.0, seed=seed)


def said(*made, level: float = 1e-3) -> str:
    """What is said of runs, each a spec and how it is made up."""
    runs = synthetic_curves.of()
    for one, how in made:
        synthetic_curves.write(runs, one, **how)
    specs = [one for one, _ in made]
    (answer,) = speed.answers(labels(specs), runs, level)
    assert answer.objective == "log loss, C = 10"
    return answer.text


def test_the_fastest_is_named_first_and_the_others_by_their_ratio():
    text = said(
        (spec("lbfgs"), {"second_per_pass": 0.26}),
        (spec("eg", order="random"), {"second_per_pass": 0.2}),
        (spec("eg", order="gap"), {"second_per_pass": 0.1}),
        (spec("sklearn"), {"second_per_pass": 1.3}),
    )
    # half of the gap 10 exp(-passes) is 1e-3 after log(5e3) = 8.5 passes of 0.1 s
    assert text == (
        "Within 0.1 % of the optimum after 0.85 s: EG (order gap). "
        "EG (order random) takes 2 times as long, L-BFGS 2.6 times, scikit-learn 13 times."
    )


def test_methods_within_five_per_cent_are_equal():
    text = said((spec("eg"), {"second_per_pass": 0.104}), (spec("sgd"), {"second_per_pass": 0.1}))
    assert text.endswith(" s: SGD and EG.")


def test_what_does_not_come_so_near_is_said_with_its_limit():
    late = {"rate": 0.01, "dual": 0.0}
    text = said((spec("eg"), {}), (spec("sgd"), late), (spec("lbfgs"), late))
    assert text.endswith(": EG. SGD and L-BFGS do not reach this in 20 passes.")
    text = said((spec("eg"), {}), (spec("sgd"), late | {"status": "diverged"}), (spec("lbfgs"), late))
    assert text.endswith(": EG. SGD diverges. L-BFGS does not reach this in 20 passes.")
    timed = make(DATA, "log", 10, "lbfgs", passes=20.0, seconds=60)
    assert said((spec("eg"), {}), (timed, late | {"status": "timeout"})).endswith(
        "L-BFGS does not reach this in 60 s."
    )


def test_the_median_of_seeds_counts_and_a_seed_that_is_late_is_said():
    eg = [(spec("eg", seed), {"second_per_pass": pace}) for seed, pace in enumerate((0.1, 0.2, 5.0))]
    late = {"rate": 0.01, "dual": 0.0}
    sgd = [(spec("sgd", seed), how) for seed, how in enumerate(({"second_per_pass": 0.4}, late, late))]
    text = said(*eg, *sgd, (spec("lbfgs"), {"second_per_pass": 0.2}))
    assert text.startswith("Within 0.1 % of the optimum after 1.")
    assert text.endswith(": EG and L-BFGS. SGD reaches this with 1 of 3 seeds.")


def test_where_no_method_comes_so_near_a_farther_distance_counts():
    assert said((spec("eg"), {"floor": 5e-3})).startswith("Within 1 % of the optimum after ")
    assert said((spec("eg"), {"floor": 5e-3}), level=0.1).startswith("Within 10 % of the optimum after ")
    none = said((spec("eg"), {"floor": 1.0}), (spec("sgd"), {"floor": 1.0, "dual": 0.0}))
    assert none == "No method is certified to be within 10 % of the optimum."


def test_of_many_methods_some_are_named():
    paces = [(spec("eg", eta=eta), {"second_per_pass": eta}) for eta in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)]
    text = said(*paces)
    assert text.endswith("EG (eta 0.5) 5 times, 2 others up to 8 times.")
    late = [(one, {"rate": 0.01}) for one, _ in paces[1:]]
    assert "EG (eta 0.5) and 2 others do not reach this" in said(paces[0], *late)


def test_without_a_dual_or_a_penalty_nothing_is_said():
    runs = synthetic_curves.of()
    run = synthetic_curves.write(runs, spec("eg"))
    run.curve["dual"] = np.nan
    free = make(DATA, "log", 1, "lbfgs", penalty="none", passes=20.0)
    synthetic_curves.write(runs, free)
    assert speed.answers(labels([spec("eg"), free]), runs, 1e-3) == []


def test_seconds_of_another_machine_are_left_out():
    made = [(spec("eg"), {"host": "a"}), (spec("lbfgs"), {"host": "a", "second_per_pass": 0.3})]
    text = said(*made, (spec("sgd"), {"host": "b", "second_per_pass": 1e-4}))
    assert text.endswith(": EG. L-BFGS takes 3 times as long.")


@pytest.mark.parametrize(("value", "text"), [(0.9123, "0.91"), (2.64, "2.6"), (13.2, "13"), (128.0, "130")])
def test_two_digits_are_enough(value, text):
    assert speed._rounded(value) == text
