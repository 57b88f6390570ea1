"""Searches that find no way on end in a sentence, whatever they search for and whoever learns from them."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.search import a_star, decoding
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case

NOTHING = "search for example {} finds no complete output"


@pytest.fixture
def said(plain):
    """In a process without compilation, where an index beyond an array is an error."""
    return plain["dead end"]


@pytest.mark.parametrize("rows", ["decisions", "steps"])
def test_searches_that_have_a_way_find_it_and_others_say_so(said, rows):
    for name in ("greedy, past it", "beam"):
        assert said[f"{name}, {rows}"] == "found"
    for name in ("greedy, into the trap", "NaN", "-inf", "overshooting"):
        assert said[f"{name}, {rows}"].startswith(NOTHING.format(0)), name


@pytest.mark.parametrize("rows", ["decisions", "steps"])
@pytest.mark.parametrize("algorithm", ["laso", "early-update", "max-violation", "dagger"])
def test_learners_say_which_right_output_cannot_be_found(said, algorithm, rows):
    assert said[f"{algorithm}, fine, {rows}"] == "found"
    assert said[f"{algorithm}, trap, {rows}"].startswith(NOTHING.format(1))
    assert said[f"{algorithm}, overshooting, {rows}"].startswith(NOTHING.format(0))


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("bad", [np.nan, -np.inf])
def test_weights_that_are_no_numbers_find_nothing(beam, bad):
    split = case("chain-dense").split
    w = np.full(parts.num_weights(split), bad)
    for how in (beam, "a-star"):
        with pytest.raises(UserError, match="finds no complete output"):
            decoding.predictions(split, w, beam=how, decode="same", compare_at="decisions")
    assert (
        a_star.find(parts.compiled(split), 0, w, np.empty(parts.num_decisions(split, 0), np.int32))[0] == -np.inf
    )


@pytest.mark.parametrize(
    ("algorithm", "params"),
    [
        ("laso", {"beam": "2"}),
        ("early-update", {}),
        ("max-violation", {}),
        ("dagger", {}),
        ("perceptron", {"beam": "2"}),
    ],
)
def test_a_run_whose_weights_grow_beyond_bounds_has_diverged_and_keeps_its_curve(algorithm, params):
    """With features of 1e200, scores overflow after the first updates, and so does the norm of weights."""
    small = case("chain-dense").split
    split = small._replace(x=ft.dense(1e200 * small.x.dense))
    spec = make("synthetic", None, None, algorithm, params, passes=5.0)
    result = driver.run(spec, Problem(split, small, ("a", "b", "c")))
    assert result.summary["status"] == "diverged"
    assert algorithm in result.summary["message"]
    assert np.isfinite(result.rows[0]["test_error"])
    assert np.isnan(result.rows[-1]["test_error"])
    assert np.isnan(result.summary["train_error"])
