"""The table of certified optima: what a row of a run proves, what is withdrawn; and it is that of today."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.report import optima, publish_optima, published
from structbench.bench.runs import results
from structbench.bench.runs.spec import parse
from structbench.datasets import data_ref
from tests.bench import fake_runs
from tests.narrowing import not_none

PUBLISHED = Path(__file__).parents[3] / "docs" / "results"
ROW = {
    "run": "ocr__log__C=10__eg", "status": "converged", "primal": "100.00002", "dual": "99.999900",
    "num_weights": "4004",
    "git_commit": "0123456789ab", "code_sha256": "abc", "data_sha256": "0f8bc60f0c37",
}  # fmt: skip


def result(**given: str) -> optima.Result:
    return not_none(optima.result_of(ROW | given, "mine"))


def test_a_bound_is_moved_down_and_an_objective_up_by_half_a_unit_of_the_eighth_digit():
    found = result(primal="27072.785", dual="99.999900")
    assert found.objective == 27072.7855 and found.lower_bound == 99.9998995
    assert found.problem == ("ocr", "0f8bc60f0c37", "log", "l2", 10.0) and found.num_weights == 4004
    assert result(primal="-2.5", dual="0").objective == -2.49999995 and result(dual="0").lower_bound == 0


@pytest.mark.parametrize(
    "given",
    [
        {"status": "diverged"},
        {"status": "unverified"},
        {"status": "passes"},  # an earlier table does not say what its dual value is of
        {"status": "passes", "dual_of": ""},  # a path that ended early, or weights of no features
        {"run": "ocr__none__perceptron", "primal": ""},
        {"run": "mnist__hinge__C=0.1__kernel-svm:gamma=0.03"},
    ],
)
def test_a_row_that_proves_nothing_does_not_count(given):
    assert optima.result_of(ROW | given, "mine") is None


def test_sums_prove_no_bound_and_recomputed_values_do_before_a_run_converged():
    assert result(status="passes", dual_of="sums").lower_bound == -math.inf
    assert result(status="passes", dual_of="sums").objective == result().objective
    assert result(run="ocr__hinge__C=10__lapm3n__penalty=laplace-1000").lower_bound == -math.inf
    assert result(status="timeout", dual_of="dual variables").lower_bound == result().lower_bound
    assert (
        result(run="ocr__log__C=10__eg__penalty=elastic-0.5", dual_of="weights").problem.penalty == "elastic-0.5"
    )


def test_the_best_bound_and_the_best_objective_may_be_of_two_runs():
    other = result(run="ocr__log__C=10__lbfgs", primal="100.00001", dual="99.9")
    (found,), withdrawn = optima.optima_of([result(), other])
    assert (found.lower_bound, found.objective) == (result().lower_bound, other.objective)
    assert (found.bound_by.run, found.objective_by.run) == (ROW["run"], "ocr__log__C=10__lbfgs") and not withdrawn
    assert found.structure == "chain" and found.A == 0 and found.relative_gap == pytest.approx(1.155e-6, rel=0.01)


def test_a_bound_above_another_objective_is_withdrawn_with_its_run():
    wrong = result(run="ocr__log__C=10__sdca", dual="100.0001", primal="100.0002")
    (found,), withdrawn = optima.optima_of([result(), wrong])
    assert withdrawn == [wrong] and found.lower_bound == result().lower_bound
    assert "sdca (mine): 100.000" in publish_optima.optima_page(optima.Table([found], withdrawn))


def test_other_arrays_are_another_problem_and_so_are_other_weights():
    others = [result(data_sha256="ffff"), result(num_weights="4056"), result(run="ocr__log__C=1__eg")]
    assert len(optima.optima_of([result(), *others]).optima) == 4


def test_sections_of_the_same_data_say_which_programs_made_their_arrays():
    others = [result(), result(data_sha256="ffff", git_commit="fedcba"), result(run="mnist__log__C=1__eg")]
    text = publish_optima.optima_page(optima.optima_of(others))
    assert "## ocr (0f8bc60f0c37)" in text and "## ocr (ffff)" in text and "## mnist\n" in text
    assert "data `ffff`. Arrays of commit `fedcba`; other commits made other arrays of the same data" in text
    assert text.count("Arrays of commit") == 2


def test_data_of_one_draw_and_generated_data_are_not_standard():
    known = {
        name: publish_optima.is_standard(name)
        for name in ("ocr", "ocr:train=one", "ocr:fold=1", "synthetic", "columns:a")
    }
    assert known == {
        "ocr": True,
        "ocr:train=one": True,
        "ocr:fold=1": False,
        "synthetic": False,
        "columns:a": False,
    }


def test_own_runs_stay_in_the_table_until_a_better_value_comes(tmp_path):
    run = fake_runs.write(tmp_path / "runs", data="ocr", passes=200.0)
    run.summary.update(dual_of="dual variables", dual=run.summary["primal"] * (1 - 1e-6))
    publish_optima.write_optima(tmp_path, [run])
    (first,) = optima.read_optima(tmp_path)
    assert first.bound_by == first.objective_by and first.bound_by.paper == "own" and first.bound_by.run == run.key
    publish_optima.write_optima(tmp_path)
    assert optima.read_optima(tmp_path) == [first]
    run.summary.update(dual=run.summary["primal"] * (1 - 1e-7))
    publish_optima.write_optima(tmp_path, [run])
    assert optima.read_optima(tmp_path)[0].lower_bound > first.lower_bound
    for text in ("data,loss\nocr,log\n", (tmp_path / optima.TABLE).read_text()[:-80]):
        (tmp_path / optima.TABLE).write_text(text)
        with pytest.raises(UserError, match=r"optima.csv cannot be read .*: publish it again"):
            optima.read_optima(tmp_path)


@pytest.mark.parametrize(
    ("proof", "is_own", "counts"),
    [("weights", True, True), ("dual variables", True, False), ("dual variables", False, True)],
)
def test_a_bound_that_only_an_own_algorithm_recomputes_proves_nothing(
    proof, is_own, counts, tmp_path, monkeypatch
):
    run = fake_runs.write(tmp_path / "runs", data="ocr", passes=200.0)
    run.summary.update(dual_of=proof, dual=run.summary["primal"] * (1 - 1e-6))
    if is_own:
        monkeypatch.setattr(optima.own_folders, "owner", lambda file: tmp_path)
    (found,) = optima.own_results([run])
    assert math.isfinite(found.lower_bound) == counts and found.objective >= run.summary["primal"]
    gone = replace(run, spec=replace(run.spec, algorithm="late-steps"))
    (found,) = optima.own_results([gone])
    assert math.isfinite(found.lower_bound) == (proof == "weights")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [{"dual": "100.0001"}, {"dual": ""}],
            "the bound of ocr__log__C=10__eg is above another run's objective$",
        ),
        ([{"dual": ""}], "no run proves a bound$"),
    ],
)
def test_an_optimum_without_a_bound_is_not_certain(rows, sentence, tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    monkeypatch.setattr(optima, "proven", lambda table: [result(**row) for row in rows])
    with pytest.raises(
        optima.UnknownOptimum, match=f"no optimum of ocr, log loss, l2, C = 10 is certain: {sentence}"
    ):
        optima.known_optimum(data_ref("ocr"), "log", 10.0, "l2", None)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"penalty": "foo"}, "unknown penalty 'foo'"),
        ({"penalty": None}, "penalty must be a text, not None"),
        ({"loss": None}, "loss must be a text, not None"),
        ({"C": math.nan}, "C must be a number above 0, not nan"),
        ({"C": "x"}, "C must be a number, not 'x'"),
    ],
)
def test_a_wrong_objective_has_no_optimum(given, sentence):
    with pytest.raises(UserError, match=sentence):
        structbench.optimum(**{"data": "ocr", "loss": "log", "C": 10.0} | given)


def test_the_published_table_is_that_of_the_published_runs(tmp_path):
    for paper in published.papers_of(PUBLISHED):
        (tmp_path / paper).symlink_to(PUBLISHED / paper)
    (tmp_path / optima.TABLE).write_bytes((PUBLISHED / optima.TABLE).read_bytes())
    publish_optima.write_optima(tmp_path)
    for name in (optima.TABLE, publish_optima.PAGE):
        assert (tmp_path / name).read_text() == (PUBLISHED / name).read_text(), (
            "`python -m bench publish --optima`"
        )
    found = optima.read_optima()
    assert len(found) > 100 and all(0 <= each.relative_gap <= publish_optima.LARGEST_GAP for each in found)
    for each in found:
        assert parse(each.bound_by.run).data.key == data_ref(each.problem.data).key


def test_numbers_of_losses_and_penalties_may_be_written_in_any_way(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    asked = ("smoothed-hinge-0.50", 1.0, "elastic-1.0")
    with pytest.raises(UserError, match=r"of toy-points, smoothed-hinge-0\.5 loss, elastic-1, C = 1 is known"):
        optima.known_optimum(data_ref("toy-points"), *asked, None)
