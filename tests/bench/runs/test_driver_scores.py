"""The driver on our own algorithms: the weights, errors and scores of a run are those of its predictions."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.search import decoding
from structbench.algorithms.structures import prediction
from structbench.algorithms.structures.prediction import error_rate
from structbench.bench.runs import driver, summaries
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import attachments, brackets, chunks
from tests.algorithms.oracle import case
from tests.bench.runs.driven import LABELS, problem, spec
from tests.narrowing import not_none


@pytest.mark.parametrize(
    ("structure", "algorithm", "loss"),
    [("multiclass-dense", "eg", "hinge"), ("chain-binary", "eg", "log"), ("chain-binary", "lbfgs", "log")],
)
def test_real_algorithms_converge(structure, algorithm, loss):
    data = problem(structure)
    result = driver.run(spec(algorithm, loss=loss, passes=5000.0, gap=1e-4), data)
    summary, weights = result.summary, result.weights
    assert summary["status"] == "converged"
    assert summary["primal"] == pytest.approx(Objective(data.train, loss, 1.0).evaluate(weights, None).primal)
    assert summary["test_error"] == pytest.approx(error_rate(data.test, weights))
    assert summary["train_error"] == pytest.approx(error_rate(data.train, weights))
    assert (summary["num_examples"], summary["num_weights"]) == (6, len(weights))
    assert result.rows[-1]["weight_norm"] == pytest.approx(np.linalg.norm(weights))
    assert summary["num_nonzero"] == (weights != 0).sum() > 0
    assert summary["weights_memory"] == summaries.num_bytes(weights)
    assert (summaries.num_bytes(np.eye(10).ravel()), summaries.num_bytes(np.ones(100))) == (10 * 12, 800)


def test_a_run_is_repeated_bit_for_bit():
    runs = [driver.run(spec("eg", passes=5.0, threads=threads), problem("chain-binary")) for threads in (1, 1, 2)]
    timed = dict.fromkeys(("wall_seconds", "cpu_seconds", "test_seconds"), 0)
    curves = [[row | timed for row in run.rows] for run in runs]
    assert repr(curves[0]) == repr(curves[1]) == repr(curves[2])
    assert runs[0].weights.tobytes() == runs[1].weights.tobytes() == runs[2].weights.tobytes()


BRACKETS = "toy-english:sentences=20,task=brackets,test_sentences=10"


@pytest.mark.parametrize("score", [chunks, brackets])
def test_scores_are_those_of_the_predictions_where_the_problem_has_them(score):
    data = datasets.build(BRACKETS) if score is brackets else problem("chain-binary", scores=("chunks",))
    result = driver.run(spec("eg", passes=5.0), data)
    found = score.scores(Judged(data, "test", *prediction.predictions(data.test, result.weights)))._asdict()
    assert {name: result.summary[f"test_{name}"] for name in found} == pytest.approx(found, nan_ok=True)
    assert 0 <= found["f1"] <= 1 and 0 <= result.summary["train_f1"] <= 1
    if score is chunks:
        both, found, wanted = not_none(result.chunks).sum(axis=1).T  # of each checkpoint
        assert (2 * both / (found + wanted)).tolist() == pytest.approx([row["test_f1"] for row in result.rows])
    other = driver.run(spec("eg", passes=1.0), problem("chain-binary"))
    assert np.isnan([other.summary[f"test_{name}"] for name in ("f1", "complete", "attachment")]).all()
    assert other.chunks is None


@pytest.mark.parametrize("with_test", [True, False])
def test_attachment_scores_are_reported_where_punctuation_is_known(with_test):
    """Labels of tokens serve as heads: the scores count what is equal and where 0 is."""
    data = problem("chain-binary")
    tokens = [len(split.y) for split in (data.train, data.test)]
    punctuation = np.random.default_rng(0).random(sum(tokens) if with_test else tokens[0]) < 0.3
    data = data._replace(punctuation=punctuation, scores=("attachments",), **({} if with_test else {"test": None}))
    result = driver.run(spec("eg", passes=2.0), data)
    for name, split in {"train": data.train, "test": data.test}.items():
        found = {what: result.summary[f"{name}_{what}"] for what in attachments.Scores._fields}
        if split is None:
            assert np.isnan([*found.values(), result.summary["test_error"]]).all()
        else:
            predicted, right, _ = prediction.predictions(split, result.weights)
            words = ~(punctuation[: tokens[0]] if name == "train" else punctuation[tokens[0] :])
            assert found["word_attachment"] == pytest.approx(np.mean((predicted == right)[words]))
            assert found["attachment"] == pytest.approx(1 - result.summary[f"{name}_error"])
    assert len({row["test_word_attachment"] for row in result.rows}) > 1 or not with_test


def laso(split, passes=50.0, **params):
    full = make("toy-english:sentences=20", None, None, "laso", params).params
    made = spec("laso", loss=NO_LOSS, params=full, passes=passes, penalty="none")
    return driver.run(made, Problem(split, case("chain-dense", 1).split, LABELS, scores=("chunks",)))


def test_a_run_without_an_objective_has_no_values_but_updates():
    result = laso(case("chain-dense").split, passes=3.0)
    assert result.summary["status"] == "passes" and result.summary["num_nonzero"] > 0
    for name in ("primal", "dual", "gap", "relative_gap"):
        assert all(np.isnan(row[name]) for row in result.rows)
    updates = [row["updates"] for row in result.rows]
    assert updates[0] == 0 < updates[-1] and updates == sorted(updates)
    assert {1.0, 2.0, 3.0} <= {row["passes"] for row in result.rows}, "every pass is evaluated"
    assert 0 <= result.summary["test_error"] <= 1 and 0 <= result.summary["test_precision"] <= 1


def test_it_ends_when_a_pass_changes_nothing():
    result = laso(case("chain-dense", columns=20, density=1.0).split, 1000.0, beam=2)
    assert result.summary["status"] == "finished" and result.summary["train_error"] == 0
    assert result.rows[-1]["updates"] == result.rows[-2]["updates"] > 0


@pytest.mark.parametrize("decode", ["same", 6, "inf", "a-star"])
def test_predictions_are_those_of_the_way_to_decode(decode):
    split = case("chain-dense").split
    result = laso(split, 1.0, beam=1, decode=decode)
    predicted, right, _ = decoding.predictions(
        split, result.weights, beam=1, decode=decode, compare_at="decisions"
    )
    assert result.summary["train_error"] == np.mean(predicted != right)


def test_what_the_data_do_not_allow_is_said_before_the_run():
    with pytest.raises(UserError, match="laso, beam=5 needs search, which multiclass problems do not have"):
        driver.run(spec("laso", loss=NO_LOSS, params=(("beam", 5),)), problem())
