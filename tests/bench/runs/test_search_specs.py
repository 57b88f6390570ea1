"""Specs of algorithms that minimise nothing: no loss, no C; beams that are numbers or inf; what data allow."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.search import decoding
from structbench.bench.report import gathered
from structbench.bench.runs import catalogue, driver
from structbench.bench.runs.spec import Spec, fields_of, make, parse
from structbench.bench.runs.store import Run
from structbench.bench.tracking import mlflow_view
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case
from tests.algorithms.searching import joint_case

JOINT = "toy-english:task=joint"
CHAIN = "toy-english:sentences=20"  # on which every way to search works
beams = st.integers(1, 10000)
laso_params = st.fixed_dictionaries(
    {},
    optional={
        "update": st.sampled_from(["perceptron", "alma"]),
        "beam": beams | st.just("inf"),
        "decode": beams | st.sampled_from(["same", "inf", "a-star"]),
        "alpha": st.floats(0, 1, exclude_min=True),
        "B": st.floats(0, 1e6),
        "C": st.floats(1e-6, 1e6),
        "compare_at": st.sampled_from(["decisions", "steps"]),
        "average": st.sampled_from(["growing", "uniform", "none"]),
    },
)
rests = st.fixed_dictionaries({}, optional={"passes": st.floats(0.1, 1e6), "seed": st.integers(0, 9)})


@settings(max_examples=200, deadline=None, derandomize=True)
@given(laso_params, rests)
def test_a_name_leads_back_to_its_spec(params, rest):
    spec = make(CHAIN, None, None, "laso", params, **rest)
    assert parse(spec.key) == spec
    assert spec.key.startswith(f"{CHAIN}__none__laso")


def test_a_name_has_neither_C_nor_penalty():
    assert make(JOINT, None, None, "laso").key == f"{JOINT}__none__laso"
    assert make(JOINT, "none", None, "laso", {"beam": "10", "update": "alma"}).key == (
        f"{JOINT}__none__laso:beam=10,update=alma"
    )
    spec = make(CHAIN, None, None, "perceptron", {"beam": "inf"})
    assert spec.key == f"{CHAIN}__none__perceptron"
    assert (spec.loss, spec.penalty) == ("none", "none")


def test_beams_are_numbers_or_words():
    params = dict(make(CHAIN, None, None, "laso", {"beam": "7", "decode": "a-star"}).params)
    assert (params["beam"], params["decode"]) == (7, "a-star")
    assert dict(make(CHAIN, None, None, "laso", {"beam": "inf", "decode": 3}).params)["beam"] == "inf"


@pytest.mark.parametrize("params", [{}, {"beam": 3}, {"beam": "inf", "update": "alma", "alpha": 0.95}])
def test_the_command_makes_the_same_run(params):
    from structbench.bench.verbs.command_line import parser

    spec = make("toy-english", None, None, "laso", params, passes=7, seed=2)
    words = spec.command().removeprefix("python -m bench ").removesuffix(" --out DIR").split()
    given = parser().parse_args(words)
    again = make(
        given.data, given.loss, given.C, given.algorithm, dict(each.split("=") for each in given.set),
        penalty=given.penalty, passes=given.passes, gap=given.gap, seed=given.seed, threads=given.threads,
    )  # fmt: skip
    assert again == spec
    assert "--loss" not in words and "--C" not in words and "--penalty" not in words


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"params": {"beam": 0}}, "algorithm laso: beam (or inf) must be at least 1, not '0'"),
        ({"params": {"beam": -3}}, "beam (or inf) must be at least 1, not '-3'"),
        ({"params": {"beam": 2.5}}, "algorithm laso: beam (or inf) must be a whole number, not '2.5'"),
        ({"params": {"beam": "x"}}, "beam (or inf) must be a whole number, not 'x'"),
        ({"params": {"beam": ""}}, "beam (or inf) must be a whole number, not ''"),
        ({"params": {"beam": "nan"}}, "beam (or inf) must be a whole number, not 'nan'"),
        ({"params": {"beam": "same"}}, "beam (or inf) must be a whole number, not 'same'"),
        ({"params": {"beam": 10**9}}, "beam (or inf) must be at most 10000, not '1000000000'"),
        ({"params": {"decode": "b"}}, "decode (or same, inf, a-star) must be a whole number, not 'b'"),
        ({"params": {"decode": 0}}, "decode (or same, inf, a-star) must be at least 1, not '0'"),
        ({"algorithm": "early-update", "params": {"beam": "inf"}}, "beam must be a whole number, not 'inf'"),
        ({"algorithm": "max-violation", "params": {"average": "growing"}}, "must be one of uniform, none"),
        ({"params": {"compare_at": "words"}}, "compare_at must be one of decisions, steps, not 'words'"),
        ({"params": {"update": "mira"}}, "update must be one of perceptron, alma, not 'mira'"),
        ({"params": {"alpha": 0}}, "alpha must be above 0, not '0'"),
        ({"params": {"alpha": 1.5}}, "alpha must be at most 1, not '1.5'"),
        ({"params": {"C": 0}}, "C must be above 0, not '0'"),
        ({"params": {"B": -1}}, "B must be at least 0, not '-1'"),
        ({"loss": "log"}, "laso minimises no loss: leave out 'log'"),
        ({"loss": "x"}, "unknown loss 'x': choose log or hinge or smoothed-hinge-TAU or softmax-margin or none"),
        ({"C": 2.0}, "laso has no penalty: leave out C = 2"),
        ({"C": float("nan")}, "laso has no penalty: leave out C = nan"),
        ({"penalty": "l2"}, "laso takes the penalty none, not 'l2'"),
        ({"algorithm": "eg", "C": 1.0}, "eg needs a loss"),
        ({"algorithm": "eg", "loss": "log"}, "eg needs a C, the strength of the penalty"),
        (
            {"algorithm": "eg", "loss": "none", "C": 1.0},
            "eg minimises the log or hinge or smoothed-hinge-TAU or softmax-margin loss, not 'none'",
        ),
        ({"algorithm": "eg", "loss": "log", "C": 1.0, "penalty": "none"}, "eg takes the penalty l2, not 'none'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(changed, sentence):
    base = {"data": JOINT, "loss": None, "C": None, "algorithm": "laso"}
    with pytest.raises(UserError) as error:
        make(**(base | changed))
    assert sentence in str(error.value)


@pytest.mark.parametrize("key", [f"{JOINT}__none", f"{JOINT}__none__C=1__laso", f"{JOINT}__none__laso:beam=0"])
def test_what_is_no_name_of_a_run_is_refused(key):
    with pytest.raises(UserError):
        parse(key)


# ---- what the data allow ---------------------------------------------------------------------------

SPLITS = {
    "joint": joint_case,
    "chain": lambda: case("chain-dense").split,
    "segments": lambda: case("segments-dense").split,
}
SPLITS["multiclass"] = lambda: case("multiclass-dense").split
EXACT = "needs parts and argmax and marginals, which joint problems do not have: choose from early-update, laso"
REFUSED = [
    ("joint", "eg", {}, f"eg {EXACT}"),
    ("joint", "lbfgs", {}, "lbfgs needs parts and marginals, which joint problems do not have"),
    ("joint", "laso", {"beam": "inf"}, f"laso, beam=inf {EXACT}"),
    ("joint", "perceptron", {"beam": "inf"}, "perceptron, beam=inf needs parts and argmax, which joint"),
    (
        "joint",
        "laso",
        {"beam": 5, "decode": "inf"},
        "laso, beam=5, decode=inf needs parts and argmax, which joint",
    ),
    (
        "joint",
        "early-update",
        {"beam": 5, "decode": "a-star"},
        "early-update, beam=5, decode=a-star needs completion bounds, which joint problems do not have",
    ),
    (
        "multiclass",
        "laso",
        {"beam": 5},
        "laso, beam=5 needs search, which multiclass problems do not have",
    ),
    (
        "multiclass",
        "perceptron",
        {"beam": "inf", "decode": 4},
        "decode=4 needs search, which multiclass",
    ),
    (
        "multiclass",
        "perceptron",
        {"beam": "inf", "decode": "a-star"},
        "decode=a-star needs search and completion bounds",
    ),
]
TAKEN = [
    ("joint", "laso", {"beam": 5, "decode": "same", "compare_at": "steps"}),
    ("joint", "laso", {"beam": 5, "decode": 9}),
    ("chain", "laso", {"beam": "inf", "decode": "a-star"}),
    ("segments", "max-violation", {"beam": 2, "decode": "inf"}),
    ("multiclass", "perceptron", {"beam": "inf", "decode": "same"}),
    ("multiclass", "eg", {}),
    ("segments", "lbfgs", {}),
]


@pytest.mark.parametrize(("structure", "algorithm", "params", "sentence"), REFUSED)
def test_what_the_data_do_not_allow_is_said_before_the_run(structure, algorithm, params, sentence):
    spec = Spec(
        "x", None, "log" if algorithm in ("eg", "lbfgs") else "none", 1.0, algorithm, tuple(params.items())
    )
    with pytest.raises(UserError) as error:
        driver.run(spec, Problem(SPLITS[structure](), None, ("B-x", "I-x", "O")))
    assert sentence in str(error.value)


@pytest.mark.parametrize(("structure", "algorithm", "params"), TAKEN)
def test_what_they_allow_is_not_refused(structure, algorithm, params):
    catalogue.check_fit(algorithm, params, SPLITS[structure]())


# ---- runs ------------------------------------------------------------------------------------------


def run(algorithm: str, split=None, labels=("B-x", "I-x", "O"), passes=50.0, **params):
    penalty = {"penalty": "none"}
    full = dict(make(CHAIN, None, None, algorithm, params).params)
    spec = Spec("x", None, "none", 1.0, algorithm, tuple(full.items()), passes=passes, **penalty)
    return driver.run(
        spec, Problem(split or case("chain-dense").split, case("chain-dense", 1).split, labels, scores=("chunks",))
    )


def test_a_run_without_an_objective_has_no_values_but_updates():
    result = run("laso", passes=3.0)
    assert result.summary["status"] == "passes"
    for name in ("primal", "dual", "gap", "relative_gap"):
        assert all(np.isnan(row[name]) for row in result.rows)
    updates = [row["updates"] for row in result.rows]
    assert updates[0] == 0 < updates[-1]
    assert updates == sorted(updates)
    assert {1.0, 2.0, 3.0} <= {row["passes"] for row in result.rows}, "every pass is evaluated"
    assert 0 <= result.summary["test_error"] <= 1
    assert 0 <= result.summary["test_precision"] <= 1
    assert result.summary["num_nonzero"] > 0


def test_a_run_ends_when_a_pass_changes_nothing():
    split = case("chain-dense", columns=20, density=1.0).split
    spec = make(JOINT, None, None, "laso", {"beam": 2}, passes=1000)
    result = driver.run(spec, Problem(split, None, ("B-x", "I-x", "O")))
    assert result.summary["status"] == "stalled"
    assert result.rows[-1]["updates"] == result.rows[-2]["updates"] > 0
    assert result.summary["train_error"] == 0


@pytest.mark.parametrize("decode", ["same", 6, "inf", "a-star"])
def test_predictions_are_those_of_the_way_to_decode(decode):
    split = case("chain-dense").split
    result = run("laso", split, passes=1.0, beam=1, decode=decode)
    predicted, right, _ = decoding.predictions(
        split, result.weights, beam=1, decode=decode, compare_at="decisions"
    )
    assert result.summary["train_error"] == np.mean(predicted != right)


def test_a_run_without_an_objective_has_no_strength_in_its_name():
    spec = make("toy-english:task=segments", None, None, "laso", {"beam": 1})
    assert fields_of(spec.key)[2] is None
    run = Run(spec.key, Path("memory"), spec.as_dict(), {})
    assert mlflow_view._name(run) == "laso beam=1"
    named = gathered.named(spec.key)
    assert (named["loss"], named["C"], named["algorithm"], named["options"]) == ("none", None, "laso", ["beam=1"])


def test_threads_that_an_algorithm_does_not_use_are_refused():
    for algorithm, loss in (("laso", None), ("sgd", "log"), ("crfsuite", "log"), ("perceptron", None)):
        with pytest.raises(UserError, match=f"{algorithm} uses one thread: leave out threads = 4"):
            make(CHAIN, loss, None if loss is None else 1.0, algorithm, threads=4)
    assert make(CHAIN, "log", 1.0, "lbfgs", threads=4).threads == 4
