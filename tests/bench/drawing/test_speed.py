"""Sentences on how fast methods are, made from made-up runs."""

import re

import numpy as np
import pytest

from structbench.bench.drawing import speed
from structbench.bench.drawing.method_looks import labels
from structbench.bench.runs.spec import make
from structbench.bench.runs.store import Run
from tests.bench import synthetic_curves

DATA = "mnist:train=100"


def spec(algorithm: str, seed: int = 0, seconds: float | None = None, **params):
    return make(DATA, "log", 10, algorithm, params, passes=20.0, seed=seed, seconds=seconds)


def said(*made, level: float = 1e-3) -> str:
    """What is said of runs, each a spec and how it is made up."""
    runs, made = synthetic_curves.of(), dict(made)
    for one, how in made.items():
        synthetic_curves.write(runs, one, **how)
    (answer,) = speed.answers(labels([*made]), runs, level)
    assert answer.problem.objective == "log loss, C = 10"
    return answer.text


EG, SGD, LBFGS = spec("eg"), spec("sgd"), spec("lbfgs")
LATE, NONE = {"rate": 0.01, "dual": 0.0}, {"floor": 1.0}
DIVERGED, CUT = LATE | {"status": "diverged"}, LATE | {"status": "timeout"}
SEEDS = (
    *((spec("eg", seed), {"second_per_pass": pace}) for seed, pace in enumerate((0.1, 0.2, 5.0))),
    *((spec("sgd", seed), how) for seed, how in enumerate(({"second_per_pass": 0.4}, LATE, LATE))),
    (LBFGS, {"second_per_pass": 0.2}),
)
ETAS = [spec("eg", eta=eta) for eta in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)]
PACES = [(one, {"second_per_pass": dict(one.params)["eta"]}) for one in ETAS]


def pace(seconds: float, **how) -> dict:
    return {"second_per_pass": seconds} | how


@pytest.mark.parametrize(
    ("made", "end"),
    [
        # equal within five per cent
        ([(EG, pace(0.104)), (SGD, pace(0.1))], " s: SGD and EG."),
        # what does not come so near is said with its limit
        ([(EG, {}), (SGD, LATE), (LBFGS, LATE)], ": EG. SGD and L-BFGS do not reach this in 20 passes."),
        ([(EG, {}), (SGD, DIVERGED), (LBFGS, LATE)], "EG. SGD diverges. L-BFGS does not reach this in 20 passes."),
        ([(EG, {}), (spec("lbfgs", seconds=60), CUT)], "L-BFGS does not reach this in 60 CPU s."),
        # the median of seeds counts
        (SEEDS, " CPU s, the median of seeds: EG and L-BFGS. SGD reaches this with 1 of 3 seeds."),
        # of many some are named
        (PACES, "EG (eta 0.5) 5 times, 2 others up to 8 times."),
        ([PACES[0], *((one, {"rate": 0.01}) for one in ETAS[1:])], "and 2 others do not reach this in 20 passes."),
        # farther distances, or none
        ([(EG, NONE), (SGD, NONE | {"dual": 0.0})], "No method is certified to be within 10 % of the optimum."),
        # seconds of another machine are left out
        ([(EG, pace(0.1, host="a")), (LBFGS, pace(0.3, host="a")), (SGD, pace(1e-4, host="b"))], ": EG. L-BFGS "
         "takes 3 times as long."),
    ],
)  # fmt: skip
def test_what_is_said_of_methods(made, end):
    assert said(*made).endswith(end)


def test_the_fastest_is_named_first_and_the_others_by_their_ratio():
    orders = [(spec("eg", order="random"), pace(0.2)), (spec("eg", order="gap"), pace(0.1))]
    # half of the gap 10 exp(-passes) is 1e-3 after log(5e3) = 8.5 passes of 0.1 s
    assert said((LBFGS, pace(0.26)), *orders, (spec("sklearn"), pace(1.3))) == (
        "Within 0.1 % of the optimum after 0.85 CPU s: EG (order gap). "
        "EG (order random) takes 2 times as long, L-BFGS 2.6 times, scikit-learn 13 times."
    )


def test_short_runs_are_compared_by_passes_if_all_methods_count_them():
    # the level is reached after 8.5 passes
    assert (
        said((EG, pace(1e-3)), (LBFGS, pace(2e-3)))
        == "Within 0.1 % of the optimum after 8.5 passes (too short to time): EG and L-BFGS."
    )
    assert "s: EG. scikit-learn takes 2 times as long" in said((EG, pace(1e-3)), (spec("sklearn"), pace(2e-3)))


def test_all_strengths_are_compared_by_passes_if_the_runs_of_one_are_short():
    runs, other = synthetic_curves.of(), make(DATA, "log", 100, "eg", passes=20.0)
    synthetic_curves.write(runs, EG, **pace(0.001))
    synthetic_curves.write(runs, other, **pace(0.1))
    texts = [each.text for each in speed.answers(labels([EG, other]), runs, 1e-3)]
    assert len(texts) == 2 and all(text.endswith(" passes (too short to time): EG.") for text in texts)


def test_a_sentence_says_that_a_run_was_disturbed(monkeypatch):
    monkeypatch.setattr(Run, "disturbance", "others ran")
    note = " (disturbed: these seconds mean little)."
    assert said((EG, pace(0.1)), (LBFGS, pace(0.2))).endswith(f"L-BFGS takes 2 times as long{note}")
    assert said((EG, pace(0.1))).endswith(f": EG{note}")
    assert "disturbed" not in said((EG, pace(1e-3)))


def test_where_no_method_comes_so_near_a_farther_distance_counts():
    assert said((EG, {"floor": 5e-3})).startswith("Within 1 % of the optimum after ")
    assert said((EG, {"floor": 5e-3}), level=0.1).startswith("Within 10 % of the optimum after ")


def test_without_a_dual_or_a_penalty_nothing_is_said():
    runs = synthetic_curves.of()
    synthetic_curves.write(runs, EG).curve["dual"] = np.nan
    free = make(DATA, "log", 1, "lbfgs", penalty="none", passes=20.0)
    synthetic_curves.write(runs, free)
    assert speed.answers(labels([EG, free]), runs, 1e-3) == []


@pytest.mark.parametrize(("value", "text"), [(0.9123, "0.91"), (2.64, "2.6"), (13.2, "13"), (128.0, "130")])
def test_two_digits_are_enough(value, text):
    assert speed._rounded(value) == text


def test_passes_before_the_first_divide_nothing():
    """A method that begins within the level takes no passes."""
    text = said((EG, pace(1e-3, gap0=1e-4)), (LBFGS, pace(1e-3)))
    assert text.startswith("Within 0.1 % of the optimum after 0 passes") and "e+" not in text
    assert re.search(r"EG\. The next after [\d.]+ passes: L-BFGS\.$", text)
