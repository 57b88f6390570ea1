"""Which side of a contest is better: if the greatest number is the best, if one is 0, if runs diverged."""

import json
import math

import pytest

from structbench.bench.runs import documents, store
from tests.bench.measure.invented import fill, outcome
from tests.narrowing import not_none


def judged(folder, quantity, ours, theirs, statuses=(), **limits):
    """The outcome of these values of EG's and saga's seeds; ``statuses``: how EG's runs ended, by seed."""
    values, ended = {"eg": ours, "sklearn": theirs}, dict(statuses)
    for spec, run in fill(folder).items():
        said = {quantity.replace("-", "_"): values[spec.algorithm][spec.seed]}
        said |= {"status": ended[spec.seed]} if spec.algorithm == "eg" and spec.seed in ended else {}
        store.amend(run, said)
    return outcome(quantity=quantity, **limits)


@pytest.mark.parametrize("limits", [{}, {"at_least": 1}, {"at_least": 1, "at_most": 2}])
def test_the_greatest_f1_is_the_best_whatever_the_limits(folder, limits):
    found = judged(folder, "test-f1", (0.9,) * 3, (0.8,) * 3, **limits)
    assert (found.winner, found.sentence) == (
        "ours",
        "EG (order gap) has 1.1 times as much as scikit-learn",
    )
    best = outcome(ours=["eg", "sklearn"], theirs=["eg", "sklearn"], quantity="test-f1", **limits)
    assert (best.ours.method, not_none(best.theirs).method, best.winner) == ("EG, order gap",) * 2 + (
        "it depends",
    )
    least = outcome(ours=["eg", "sklearn"], quantity="gap-passes", level=0.5, **limits)
    assert not_none(least.ours).values == (min(least.ours.values),) * 3


@pytest.mark.parametrize(
    ("ours", "theirs", "ratio", "winner", "met"),
    [
        ((0.1, 0.1, 0.1), (0.0, 0.0, 0.0), (math.inf,) * 3, "theirs", False),
        ((0.1, 0.1, 0.1), (0.0, 0.2, 0.4), (0.5, 0.25, math.inf), "it depends", True),
        ((0.0, 0.0, 0.0), (0.1, 0.2, 0.4), (0.0, 0.0, 0.0), "ours", True),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (1.0, 1.0, 1.0), "it depends", True),
    ],
)
def test_an_error_of_nought_ends_no_comparison(folder, ours, theirs, ratio, winner, met):
    found = judged(folder, "test-error", ours, theirs, at_most=1)
    assert found.ratio == ratio and (found.winner, found.is_met) == (winner, met)
    assert " x" in found.row["ratio"] and "inf times" not in found.sentence
    assert json.dumps(documents.to_jsonable(found.as_dict()), allow_nan=False)


def test_runs_that_diverged_count_as_the_worst_and_those_that_lack_the_number_are_named(folder):
    error = judged(folder, "test-error", (0.1, None, None), (0.2,) * 3, {1: "diverged", 2: "diverged"}, at_most=1)
    assert error.notes == ("2 diverged: it has no test error, and counts as the worst",)
    assert error.row["ours"] == "EG, order gap: diverged" and (error.winner, error.is_met) == ("theirs", False)
    f1 = judged(folder, "test-f1", (0.9, None, None), (0.8,) * 3, {1: "diverged", 2: "diverged"})
    assert (f1.ours.values, f1.winner) == ((0.9, 0.0, 0.0), "it depends")
    none = judged(folder, "test-f1", (None,) * 3, (None,) * 3)
    assert none.notes == ("6 left out: it has no test F1",)
