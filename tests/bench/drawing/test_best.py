"""The methods of made-up runs, ranked."""

import json
from dataclasses import replace

import numpy as np
import pytest

from structbench.bench.drawing import best, cautions, ranking
from structbench.bench.drawing.best import Best
from structbench.bench.report import overview
from structbench.bench.runs import catalogue, documents
from structbench.bench.runs.spec import make
from tests.bench import synthetic_curves

DATA = "mnist:train=100"
FIELDS = ("passes", "cpu_seconds", "wall_seconds", "primal", "dual", "relative_gap", "test_error", "test_f1")


def runs_of(*made):
    """Runs of these specs, each with the error that it ends at and what else makes it up."""
    runs = synthetic_curves.of()
    for spec, error, how in made:
        run = synthetic_curves.write(runs, spec, error=error, haste=5.0, **how)
        run.summary.update({name: float(run.curve[name].iloc[-1]) for name in FIELDS})
    return runs


def eg(C, order="random", seed=0, passes=20.0):
    return make(DATA, "log", C, "eg", {"order": order}, passes=passes, seed=seed)


def lbfgs(C):
    return make(DATA, "log", C, "lbfgs", passes=20.0)


def ranked(*made, **how):
    """``made``: of each run its spec, its error, and what else makes it up."""
    made = [(spec, error, dict(*more)) for spec, error, *more in made]
    return best.best([spec for spec, *_ in made], runs_of(*made), **how)


def cells(found, *columns, table=0):
    return [tuple(row[column] for column in columns) for row in ranking.texts(found.tables[table])]


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


def test_sentences_on_each_C_stand_in_the_order_of_the_tables(capsys):
    made = [(lbfgs(C), 0.07) for C in (1, 10, 100)] + [(eg(C), 0.07) for C in (1, 10, 100)]
    ranking.show(ranked(*made))
    said = [
        line.partition(". ")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("log loss")
    ]
    assert said == [f"log loss, C = {C}" for C in (1, 10, 100)]


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


def right(share, seed=0, examples=400):
    """Counts of examples of five decisions, of which so many are right."""
    found = np.random.default_rng(seed).binomial(5, share, size=examples)
    return np.stack([found, np.full(examples, 5)], axis=1)


def test_equal_methods_stand_by_distance_then_by_seconds():
    made = [(lbfgs(10), 0.07, {"floor": 1e-4}), (eg(10), 0.07, {"floor": 1e-6, "second_per_pass": 0.2})]
    made.append((eg(10, "gap"), 0.07, {"floor": 1e-6}))
    assert [method for (method,) in cells(ranked(*made), "method")] == [
        "EG, order gap",
        "EG, order random",
        "L-BFGS",
    ]


def test_methods_are_told_apart_by_the_examples_that_they_share():
    counts = right(0.9)
    one_less, worse = counts.copy(), right(0.8, 1)
    one_less[np.flatnonzero(counts[:, 0])[0], 0] -= 1
    errors = [1 - each[:, 0].sum() / each[:, 1].sum() for each in (counts, one_less, worse)]
    specs = lbfgs(10), eg(10), eg(10, "gap")
    given = zip(specs, errors, (counts, one_less, worse), (0.2, 0.1, 0.1), strict=True)
    made = [(spec, error, {"counts_test": of, "second_per_pass": pace}) for spec, error, of, pace in given]
    (table,) = ranked(*made).tables
    first, close, far = table.behind
    assert first is None and close is not None and far is not None
    assert close.mean == pytest.approx(1 / 2000) and close.low <= 0 < far.low
    (said, *_) = overview.grid_findings(Best([replace(table, chosen=True)], [], [], 0))
    assert "By test error, L-BFGS and EG (order random) cannot be told apart" in said
    assert "L-BFGS at C = 10 stands first, with 11.20 %." in said
    assert table.sentences == [
        "L-BFGS and EG (order random) cannot be told apart (95 % intervals of a paired bootstrap over examples). "
        "EG (order random) took the fewest seconds of them (disturbed: these seconds mean little)."
    ]
    made[1] = (*made[1][:2], {})  # a run of another day, without counts
    assert ranked(*made).tables[0].behind[1] is None


def test_an_end_of_the_grid_that_is_best_is_said():
    made = [(eg(C), error) for C, error in ((0.1, 0.05), (1, 0.06), (10, 0.07))]
    made += [(lbfgs(C), error) for C, error in ((0.1, 0.09), (1, 0.06), (10, 0.07))]
    (table,) = ranked(*made).tables
    assert table.sentences == ["C = 0.1 is the least of the grid, and the best for EG: try smaller ones."]
    assert ranking.by_strength(table)[1] == {"at C =": "L-BFGS", "0.1": "9.00", "1": "6.00", "10": "7.00"}


def test_C_are_told_apart_by_the_examples_and_an_end_is_no_end_within_noise():
    counts, worse = np.tile([[5, 5]], (40, 1)), np.tile([[2, 5], [5, 5]], (20, 1))
    one_less = counts.copy()
    one_less[0, 0] -= 1
    data = f"{DATA},validation=0.1"
    given = zip((0.1, 1, 10), (worse, one_less, counts), (0.3, 0.005, 0.0), strict=True)
    made = [(make(data, "log", C, "eg", passes=20.0), error, {"counts_validation": of}) for C, of, error in given]
    runs = runs_of(*made)
    for spec, error, _ in made:
        runs.finished(spec).summary["validation_error"] = error
    (table,) = best.best([spec for spec, *_ in made], runs).tables
    said = "C = 1 and 10 cannot be told apart for EG: 1 of 200 decisions decides; `cv: 5` tells more."
    assert table.sentences == [said], "10 is the largest, and no better than 1"
    (table,) = best.best([made[0][0], made[2][0]], runs).tables
    assert table.sentences == ["C = 10 is the largest of the grid, and the best for EG: try larger ones."]


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
    assert found.by == "passes_to_level" and found.record()["answers"][0]["clock"] == "passes"
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


def test_methods_of_one_name_are_told_by_their_loss():
    hinge = [make(DATA, "hinge", C, "eg", passes=20.0) for C in (1, 10)]
    errors = (0.05, 0.06, 0.05, 0.06)
    (table,) = ranked(*zip((eg(1), eg(10), *hinge), errors, strict=True)).tables
    assert "the best for EG (log loss) and EG (hinge loss)" in table.sentences[1]


def test_of_many_values_of_a_number_each_method_has_its_best():
    etas = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    specs = [make(DATA, "log", 10, "eg", {"eta": eta}, passes=20.0) for eta in etas]
    (row,) = ranked(*zip(specs, (0.09, 0.08, 0.07, 0.08, 0.09, 0.1), strict=True)).tables[0].rows
    assert (row.method, row.family) == ("EG, eta 0.3", "EG")
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
        (("1of3seed1",), None, {}, ["EG and L-BFGS share no fold: no interval compares them."]),
    ],
)  # fmt: skip
def test_folds_are_paired_where_both_methods_have_them_and_a_test_example_counts_once(
    by, worse, mean, width, said
):
    made = []
    for folds, method, wrong in (((1, 2, 3), "lbfgs", 0), (worse, "eg", 2)):
        for k in folds:
            counts = np.tile([[5, 5], [5, 5], [5, 5], [5 - wrong, 5]], (10, 1))
            data = f"{DATA},validation={k if isinstance(k, str) else f'{k}of3'}"
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


def test_the_first_of_a_grid_that_holds_out_examples_labels_and_is_trained_on_all(capsys):
    specs = [make(f"columns:train.txt,validation={held}", "log", 1, "lbfgs") for held in ("0.1", "1of3")]
    for spec, labels in zip(specs, (True, False), strict=True):
        runs = runs_of((spec, 0.1, {}))
        runs.finished(spec).summary["validation_error"] = 0.1
        ranking.show(best.best([spec], runs))
        said = capsys.readouterr().out
        assert "Train the first on all examples: `" in said and "train.txt --loss log --C 1" in said
        assert ("Label new examples with the first: " in said) is labels


def test_sentences_on_problems_stand_by_C(capsys):
    ranking.show(ranked(*((eg(C), 0.07) for C in (1, 100, 10, 0.1))))
    said = [
        line.split(".")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("log loss, C =")
    ]
    assert said == ["log loss, C = 0", "log loss, C = 1", "log loss, C = 10", "log loss, C = 100"]


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


def test_a_dual_value_above_the_primal_value_of_another_method_is_refuted_with_both_runs_named():
    specs = [eg(1), lbfgs(1), eg(10), eg(1, seed=1)]
    runs = runs_of(*((spec, 0.1, {}) for spec in specs))
    liar, witness, other, honest = (runs.finished(spec) for spec in specs)
    witness.summary.update(primal=1.0, dual=0.9)
    liar.summary.update(primal=1.1, dual=1 + 2e-6, relative_gap=1e-9)
    honest.summary.update(primal=1.1, dual=1 + 5e-7, relative_gap=1e-9)
    other.summary.update(primal=10.0, dual=10.0)  # of another C
    found = best.best(specs, runs, by="gap")
    (note,) = (each for each in found.notes if "REFUTED" in each)
    assert (
        note.startswith(f"REFUTED: {liar.key} says that no value is below ") and f"and {witness.key} has" in note
    )
    rows = [row for table in found.tables for row in table.rows if liar.spec in row.runs]
    gaps = [dict(zip((spec.seed for spec in row.runs), row.values["gap"], strict=True)) for row in rows]
    assert np.isnan(gaps[0][0]) and gaps[0][1] == 1e-9
    witness.summary["status"] = "diverged"
    assert not any("REFUTED" in each for each in best.best(specs, runs, by="gap").notes)


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


def test_what_is_said_of_several_problems_is_said_once(capsys):
    specs = [make(DATA, loss, C, "eg", passes=20.0) for loss in ("log", "hinge") for C in (1, 10, 0.1)]
    ranking.show(ranked(*((spec, 0.07, {"rate": 0.01}) for spec in specs)))
    said = capsys.readouterr().out
    assert said.count("No method is certified to be within 10 %") == 1
    assert "hinge loss, C = 0.1, 1 and 10; log loss, C = 0.1, 1 and 10. No method" in said


def test_runs_that_ended_far_from_their_bounds_are_named_in_one_sentence():
    far = {"rate": 0.1, "gap0": 10.0}
    (table,) = ranked((eg(1), 0.05), (lbfgs(1), 0.07, far), (lbfgs(10), 0.06, far)).tables
    said = [each for each in table.sentences if "bound" in each]
    assert said == ["L-BFGS ended 81 % from its bound: its error and C are of 20 passes, not of the optimum."]
    (table,) = ranked((eg(1, "cyclic"), 0.05, {**far, "rate": 0.2}), (lbfgs(1), 0.07, far)).tables
    said = [each for each in table.sentences if "bound" in each]
    assert said[0].startswith("EG and L-BFGS ended ")
    assert said[0].endswith(" % from their bounds: their errors are of 20 passes, not of the optimum.")
    (said,) = cautions.ended_far(["EG"], [0.1], [1000.0], chosen=False)
    assert said == "EG ended 10 % from its bound: its error is of 1,000 passes, not of the optimum."


@pytest.mark.parametrize("held", [0.05, 0.2])
def test_examples_held_out_that_are_much_easier_than_the_test_set_are_said(held):
    spec = replace(eg(1), data=eg(1).data.having(validation="0.2"))
    runs = runs_of((spec, 0.5, {}))
    next(iter(runs.present([spec]))).summary["validation_error"] = held
    found = best.best([spec], runs, by="validation_error")
    assert any("much easier than the test set" in each for each in found.tables[0].sentences) == (held == 0.05)
