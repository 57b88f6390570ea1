"""The methods of made-up runs, ranked."""

import json

import numpy as np
import pytest

from structbench.bench.drawing import best, ranking
from structbench.bench.report import overview
from structbench.bench.runs import catalogue, documents
from structbench.bench.runs.spec import make
from tests.bench.drawing.made_up import DATA, cells, eg, lbfgs, ranked, runs_of


def test_each_method_is_at_its_best_C_and_the_best_comes_first():
    made = [(eg(C, order), error) for order, errors in (("random", (0.08, 0.07)), ("gap", (0.06, 0.09)))
            for C, error in zip((1, 10), errors, strict=True)]  # fmt: skip
    made += [(lbfgs(C), error, {"second_per_pass": 0.2}) for C, error in ((1, 0.1), (10, 0.05))]
    found = ranked(*made)
    assert [table.title(table.data) for table in found.tables] == [f"{DATA}, by test error"]
    assert cells(found, "method", "C", "test error %") == [
        ("L-BFGS", "10", "5.00"),
        ("EG, order gap", "1", "6.00"),
        ("EG, order random", "10", "7.00"),
    ]
    assert ranking.texts(found.tables[0])[0] == {
        "method": "L-BFGS", "C": "10", "test error %": "5.00", "gap": "2.1e-08", "distance": "2.1e-08",
        "CPU s": "4", "passes": "20", "seeds": "1",
    }  # fmt: skip
    assert found.tables[0].warning.startswith("CHOSEN ON TEST DATA: each method has the C of its best")
    found = ranked((eg(10), 0.07), (lbfgs(10), 0.08))  # of one C nothing is chosen
    assert not found.tables[0].warning and found.record()["C_chosen_on"] is None


def test_two_algorithms_of_one_label_are_no_seeds_of_one_method(monkeypatch):
    monkeypatch.setattr(catalogue, "label", lambda name: "heavy ball")
    found = ranked((eg(10), 0.07), (lbfgs(10), 0.08))
    assert cells(found, "method", "seeds") == [("eg", "1"), ("lbfgs", "1")]


@pytest.mark.parametrize(
    ("errors", "cell"),
    [
        ((0.07,), "7.00"),
        ((0.06, 0.08), "7.00 (6.00 to 8.00)"),
        ((0.06, 0.06, 0.07, 0.08, 0.08), "7.00 [5.76, 8.24]"),  # by Student's t: 2.776 sd / sqrt(5)
        ((0.07, 0.07), "7.00"),
        ((0.0, 0.0, 0.03), "1.00 [0.00, 5.30]"),
        ((1.0, 1.0, 0.97), "99.00 [94.70, 100.00]"),
        ((np.nan,), "-"),
    ],
)
def test_seeds_have_a_mean_and_a_spread(errors, cell):
    found = ranked(*((eg(10, seed=seed), error) for seed, error in enumerate(errors)))
    assert cells(found, "test error %", "seeds") == [(cell, str(len(errors)))]
    assert any(note.startswith("Means over seeds and folds") for note in found.notes) == (len(errors) > 1)


def test_a_setting_of_which_a_seed_diverged_is_not_chosen():
    made = [(eg(1, seed=seed), 0.02, {"status": "diverged" if seed else "passes"}) for seed in (0, 1)]
    (row,) = ranked(*made, *((eg(10, seed=seed), 0.08) for seed in (0, 1))).tables[0].rows
    assert (row.C, row.diverged) == (10, 0)
    assert cells(ranked(*made), "test error %", "seeds") == [("-", "2, 1 diverged")]


def test_losses_share_a_table_and_those_without_one_too():
    hinge = make(DATA, "hinge", 10, "eg", passes=20.0)
    found = ranked((eg(10), 0.07), (hinge, 0.06), (make(DATA, None, None, "perceptron", passes=20.0), 0.08))
    rows = [("EG", "hinge", "10"), ("EG", "log", "10"), ("Perceptron", "-", "-")]
    assert cells(found, "method", "loss", "C") == rows
    assert "penalty" not in ranking.texts(found.tables[0])[0]


@pytest.mark.parametrize("by", ["gap", "distance", "primal"])
def test_by_what_compares_on_one_problem_alone_there_is_a_table_for_each(by):
    made = [(eg(C), 0.07, {"floor": 1e-3}) for C in (1, 10)] + [(lbfgs(C), 0.06, {"floor": 1e-4}) for C in (1, 10)]
    tables = ranked(*made, by=by).tables
    assert [table.title(table.data) for table in tables] == [
        f"{DATA}, log loss, C = {C}, by {by}" for C in (1, 10)
    ]
    assert [row.method for row in tables[0].rows] == ["L-BFGS", "EG"]
    assert [*ranking.texts(tables[0])[0]][:2] == ["method", by]


def test_a_distance_is_by_the_best_dual_of_all_runs():
    found = ranked((eg(10), 0.07, {"floor": 1e-3}), (lbfgs(10), 0.06, {"floor": 1e-3, "dual": 0.0}))
    rows = {row.method: row for row in found.tables[0].rows}
    assert rows["L-BFGS"].mean("gap") == pytest.approx(1.0)
    assert rows["L-BFGS"].mean("distance") == rows["EG"].mean("distance") == pytest.approx(0.1 / 100.05)


def test_by_seconds_what_does_not_reach_the_level_comes_last():
    made = [(eg(10, seed=seed), 0.07, {"second_per_pass": 0.1}) for seed in (0, 1)]
    made += [(eg(10, "gap", seed), 0.07, {"second_per_pass": 0.1, "rate": 1.0 - seed}) for seed in (0, 1)]
    found = ranked(
        *made, (lbfgs(10), 0.07, {"second_per_pass": 0.01, "rate": 0.0}), by="seconds_to_level", level=1e-4
    )
    # half of the gap 10 exp(-passes) is 1e-4 after log(5e4) = 10.8 passes of 0.1 s
    rows = [("EG, order random", "1.08"), ("EG, order gap", "1 of 2 seeds"), ("L-BFGS", "not reached")]
    assert cells(found, "method", "CPU s to 0.01 %") == rows
    (answer,) = found.tables[0].answers
    assert answer.text.startswith("Within 0.01 % of the optimum after 1.1 CPU s, the median of seeds: EG (")


def test_runs_that_only_their_limits_tell_apart_are_two_methods():
    found = ranked((eg(1, passes=5.0), 0.07), (eg(1), 0.07), (eg(10, passes=5.0), 0.07))
    names = sorted(row.method for row in found.tables[0].rows)
    assert names == ["EG, at most 20 passes", "EG, at most 5 passes"]


def test_a_distance_is_never_below_0(monkeypatch):
    made = [(lbfgs(C), 0.07) for C in (1, 10)]
    (row, *_) = ranked(*made).tables[0].rows
    row.values["distance"] = np.array([1e-7, 2e-7, 3e-6])
    assert row.interval("distance").low == 0.0 and row.interval("distance").high > 3e-6


def test_methods_of_papers_have_their_papers_in_place_of_limits():
    found = ranked((eg(1, passes=5.0), 0.07), (eg(1), 0.07), papers={eg(1): "eg2008"})
    assert sorted(row.method for row in found.tables[0].rows) == ["EG", "EG (eg2008)"]


def test_missing_runs_are_counted_and_data_sets_have_tables_of_their_own():
    other = make("ocr:words=150", "log", 10, "eg", passes=20.0)
    found = best.best([eg(10), eg(1), other], runs_of((eg(10), 0.07, {}), (other, 0.1, {})))
    assert [table.data for table in found.tables] == [DATA, "ocr:words=150"] and found.missing == 1
    assert [len(table.answers) for table in found.tables] == [1, 1]
    made = ((eg(10), 0.07, {"host": "a"}), (lbfgs(1), 0.06, {"host": "a"}), (lbfgs(10), 0.05, {"host": "b"}))
    seconds = cells(ranked(*made), "method", "CPU s")
    assert sorted(seconds) == [("EG", "2"), ("L-BFGS", "-")], "those of another machine are left out"


def test_equal_methods_stand_by_distance_then_by_seconds():
    made = [(lbfgs(10), 0.07, {"floor": 1e-4}), (eg(10), 0.07, {"floor": 1e-6, "second_per_pass": 0.2})]
    made.append((eg(10, "gap"), 0.07, {"floor": 1e-6}))
    assert [method for (method,) in cells(ranked(*made), "method")] == [
        "EG, order gap",
        "EG, order random",
        "L-BFGS",
    ]


@pytest.mark.parametrize("alone", [True, False])
def test_equal_methods_stand_by_seconds_if_all_were_timed_alone(alone, capsys):
    made = [(lbfgs(10), 0.07, {"floor": 1e-6, "second_per_pass": 0.3}), (eg(10), 0.07, {"floor": 1e-4})]
    runs = runs_of(*made)
    for spec, *_ in made:
        run = runs.finished(spec)
        run.summary["provenance"]["alone"] = alone
        run.summary["wall_seconds"] = run.summary["cpu_seconds"]
    found = best.best([spec for spec, *_ in made], runs)
    assert [method for (method,) in cells(found, "method")] == (["EG", "L-BFGS"] if alone else ["L-BFGS", "EG"])
    names = "EG and L-BFGS" if alone else "L-BFGS and EG"
    note = "" if alone else " (disturbed: these seconds mean little)"
    took = f"EG took the fewest seconds: L-BFGS takes 3 times as long{note}."
    assert found.tables[0].sentences == [f"{names} tie at 7.00 %. {took}"]


def test_methods_that_are_too_short_to_time_stand_by_passes_in_tables_as_in_sentences():
    slow = {"rate": 0.5, "second_per_pass": 1e-4}  # it reaches each level after twice the passes, in less time
    made = [(lbfgs(10), 0.07, slow), (eg(10), 0.07, {"second_per_pass": 1e-3})]
    found = ranked(*made, by="seconds_to_level")
    assert cells(found, "method", "passes to 0.1 %") == [("EG", "8.52"), ("L-BFGS", "17")]
    assert (
        found.by == "passes_to_level" and documents.to_jsonable(found.record())["answers"][0]["clock"] == "passes"
    )
    (answer,) = found.answers
    assert answer.text.endswith("8.5 passes (too short to time): EG. L-BFGS takes 2 times as many.")
    longer = (make(DATA, "log", 10, "lbfgs", passes=30.0), 0.07, {"second_per_pass": 1e-4})  # nearer, sooner
    found = ranked(longer, made[1])
    assert [method for (method,) in cells(found, "method")] == ["EG", "L-BFGS"]
    took = "EG took the fewest passes: L-BFGS takes 1.5 times as many (too short to time)."
    assert found.tables[0].sentences == [f"EG and L-BFGS tie at 7.00 %. {took}"]


def test_a_program_that_counts_its_own_iterations_is_not_ranked_by_passes(monkeypatch):
    monkeypatch.setattr(best, "counts_visits", lambda spec: spec.algorithm != "lbfgs")  # of merged runs, say
    made = [(lbfgs(10), 0.07, {"rate": 0.5, "second_per_pass": 1e-4}), (eg(10), 0.07, {"second_per_pass": 1e-3})]
    found = ranked(*made, by="seconds_to_level")
    assert found.by == "seconds_to_level" and [row.method for row in found.tables[0].rows] == ["L-BFGS", "EG"]


@pytest.mark.parametrize(("algorithm", "name", "unit"), [("eg", "eta", 0.1), ("growing-batch", "memory", 1)])
def test_of_many_values_of_a_number_each_method_has_its_best(algorithm, name, unit):
    specs = [make(DATA, "log", 10, algorithm, {name: k * unit}, passes=20.0) for k in range(2, 8)]
    (row,) = ranked(*zip(specs, (0.09, 0.08, 0.07, 0.08, 0.09, 0.1), strict=True)).tables[0].rows
    assert row.method == f"{row.family}, {name} {4 * unit:g}" and f"{name} " not in row.family
    assert len(ranked(*zip(specs[:5], (0.09, 0.08, 0.07, 0.08, 0.09), strict=True)).tables[0].rows) == 5


def test_folds_are_one_row_whose_model_is_of_all_examples():
    folds = [f"{DATA},validation={k}of3" for k in (1, 2, 3)]
    made = [(make(fold, "log", C, "lbfgs", passes=20.0), 0.0, {}) for C in (1, 10) for fold in folds]
    runs = runs_of(*made)
    for (spec, *_), error in zip(made, (0.1, 0.2, 0.3, 0.1, 0.1, 0.2), strict=True):
        runs.finished(spec).summary["validation_error"] = error
    found = best.best([spec for spec, *_ in made], runs)
    (table,) = found.tables
    assert table.title(table.data) == f"{DATA}, 3-fold cross-validation, by validation error"
    (row,) = table.rows
    assert row.runs[0].data.title == "MNIST digits, train 100, fold 1 of 3"
    assert (row.C, row.folds, row.seeds) == (10, 3, 1) and row.on_everything == lbfgs(10)
    lines = [*overview.grid_findings(found)]
    assert any(" in 3-fold cross-validation, " in line for line in lines)
    assert any(line.count("fold 1 of 3") == 1 for line in lines)
    assert not any(line.count("fold 1 of 3") > 1 for line in lines)


@pytest.mark.parametrize("by", ["validation_error", "test_error"])
@pytest.mark.parametrize(
    ("worse", "mean", "width", "said"),
    [  # examples are 40; of the test split they are those of each fold
        ((1, 2, 3), 0.1, {"validation_error": 120, "test_error": 40}, []),
        ((1, 3), 0.1, {"validation_error": 80, "test_error": 40}, ["EG and L-BFGS share only 2 of the folds: "]),
        ((4,), None, {}, ["EG and L-BFGS share no fold: no interval compares them."]),
    ],
)  # fmt: skip
def test_folds_are_paired_where_both_methods_have_them_and_a_test_example_counts_once(
    by, worse, mean, width, said
):
    made = []
    for folds, method, wrong in (((1, 2, 3), "lbfgs", 0), (worse, "eg", 2)):
        for k in folds:
            counts = np.tile([[5, 5], [5, 5], [5, 5], [5 - wrong, 5]], (10, 1))
            data = f"{DATA},validation={k}of4"
            spec = make(data, "log", 10, method, passes=20.0)
            made.append((spec, wrong / 20, {f"counts_{by.split('_')[0]}": counts}))
    runs = runs_of(*made)
    for spec, error, _ in made:
        runs.finished(spec).summary[by] = error
    (table,) = best.best([spec for spec, *_ in made], runs, by).tables
    _, behind = table.behind
    assert (behind and behind.mean) == (mean and pytest.approx(mean))
    if behind:  # a quarter of the examples has 2 of 5 wrong
        deviation = 0.4 * np.sqrt(0.25 * 0.75 / width[by])
        assert behind.high - behind.low == pytest.approx(2 * 1.96 * deviation, rel=0.1)
    assert [sentence[: len(start)] for sentence, start in zip(table.sentences, said, strict=True)] == said


def test_what_lacks_a_fold_comes_last():
    made = [(make(f"{DATA},validation={k}of3", "log", C, "eg", passes=20.0), 0.0, {})
            for C, folds in ((1, (1, 3)), (10, (1, 2, 3))) for k in folds]  # fmt: skip
    runs = runs_of(*made)
    for spec, *_ in made:
        runs.finished(spec).summary["validation_error"] = 0.05 * spec.C
    (row,) = best.best([spec for spec, *_ in made], runs).tables[0].rows
    assert (row.C, row.folds) == (10, 3)


def test_it_is_written_as_json():
    made = [(eg(C, seed=seed), 0.07 + 0.01 * seed) for C in (1, 10) for seed in (0, 1)]
    found = json.loads(json.dumps(documents.to_jsonable(ranked(*made).record()), allow_nan=False))
    assert found["C_chosen_on"] == "test"
    (row,) = found["tables"][0]["rows"]
    assert row["test_error"].pop("low") is row["test_error"].pop("high") is None, "of two seeds"
    assert row["test_error"] == pytest.approx({"mean": 0.075, "sd": 0.00707, "min": 0.07, "max": 0.08}, rel=1e-3)
    assert row["test_f1"]["mean"] is None
    assert [answer["C"] for answer in found["answers"]] == [1, 10]
    assert ranked(*((eg(C), np.nan) for C in (1, 10))).record()["C_chosen_on"] is None


def test_nonzero_weights_are_counted_where_a_penalty_makes_weights_0():
    sparse = [make(DATA, "log", 10, "eg", penalty=f"elastic-{A}", passes=20.0) for A in (1, 3)]
    runs = runs_of(*((spec, 0.07, {}) for spec in (*sparse, eg(10))))
    for spec, count in zip((*sparse, eg(10)), (40, 20, 7840), strict=True):
        runs.finished(spec).summary["num_nonzero"] = count
    found = best.best([*sparse, eg(10)], runs)
    rows = {row["penalty"]: row["nonzero weights"] for row in ranking.texts(found.tables[0])}
    assert rows == {"elastic-1": "40", "elastic-3": "20", "l2": "7,840"}
    assert "nonzero weights" not in ranking.texts(best.best([eg(10)], runs).tables[0])[0]


def test_a_method_has_its_loss_in_its_name_wherever_losses_differ():
    found = ranked(*((make(DATA, loss, C, "eg", passes=20.0), 0.05) for loss in ("log", "hinge") for C in (1, 10)))
    assert {row["at C ="] for row in ranking.by_strength(found.tables[0])} == {"EG, log loss", "EG, hinge loss"}
    assert "EG, " in (said := next(overview.grid_findings(found))) and " loss at C = 1 stands first" in said


def test_seconds_of_a_seed_that_diverged_are_not_left_out():
    diverging = (
        (eg(10), 0.07, {"second_per_pass": 0.1}),
        (eg(10, seed=1), 0.07, {"status": "diverged", "rate": 0.01}),
    )
    found = ranked(*diverging, (lbfgs(10), 0.07, {"second_per_pass": 0.2}), by="seconds_to_level")
    assert [name for (name,) in cells(found, "method")] == ["L-BFGS", "EG"]
    assert "EG reaches this with 1 of 2 seeds" in found.answers[0].text


def test_a_path_that_ended_at_another_C_has_no_values_at_its_own():
    path = make(DATA, "log", 1, "eg-path", passes=20.0)
    runs = runs_of((path, 0.05, {}), (eg(1), 0.07, {}))
    runs.finished(path).summary["C"] = 343.0
    for by in ("gap", "test_error"):
        (table,) = best.best([path, eg(1)], runs, by=by).tables
        rows = ranking.texts(table)
        assert [row["method"] for row in rows] == ["EG", "eg-path"] and "nan" not in str(rows[0])
