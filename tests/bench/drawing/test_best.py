"""The methods of made-up runs, ranked."""

import json

import numpy as np
import pytest

from structbench.bench.drawing import best, ranking
from structbench.bench.runs import documents
from structbench.bench.runs.spec import make
from structbench.bench.verbs import views
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
    assert [table.title for table in found.tables] == [f"{DATA}, by test error"]
    assert cells(found, "method", "C", "test error %") == [
        ("L-BFGS", "10", "5.00"),
        ("EG, order gap", "1", "6.00"),
        ("EG, order random", "10", "7.00"),
    ]
    assert ranking.texts(found.tables[0])[0] == {
        "method": "L-BFGS", "C": "10", "test error %": "5.00", "gap": "2.1e-08", "distance": "2.1e-08",
        "CPU s": "4", "passes": "20", "seeds": "1",
    }  # fmt: skip
    assert found.notes[-1].startswith("CHOSEN ON TEST DATA: each method has the C of its best error on the test")
    found = ranked((eg(10), 0.07), (lbfgs(10), 0.08))  # of one C nothing is chosen
    assert not any("CHOSEN" in note for note in found.notes) and found.record()["C_chosen_on"] is None


@pytest.mark.parametrize(
    ("errors", "cell"),
    [
        ((0.07,), "7.00"),
        ((0.06, 0.06, 0.09), "7.00 (6.00 to 9.00)"),
        ((0.06, 0.06, 0.07, 0.08, 0.08), "7.00 ± 1.00"),
        ((0.07, 0.07), "7.00"),
        ((np.nan,), "-"),
    ],
)
def test_seeds_have_a_mean_and_a_spread(errors, cell):
    found = ranked(*((eg(10, seed=seed), error) for seed, error in enumerate(errors)))
    assert cells(found, "test error %", "seeds") == [(cell, str(len(errors)))]
    assert any(note.startswith("Means over seeds") for note in found.notes) == (len(errors) > 1)


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
    assert [table.title for table in tables] == [f"{DATA}, log loss, C = {C}, by {by}" for C in (10, 1)]
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
    assert answer.text.startswith("Within 0.01 % of the optimum after 1.1 CPU s: EG (order random).")


def test_runs_that_only_their_limits_tell_apart_are_two_methods():
    found = ranked((eg(1, passes=5.0), 0.07), (eg(1), 0.07), (eg(10, passes=5.0), 0.07))
    names = sorted(row.method for row in found.tables[0].rows)
    assert names == ["EG, at most 20 passes, to a gap of 1e-06", "EG, at most 5 passes, to a gap of 1e-06"]


def test_missing_runs_are_counted_and_data_sets_have_tables_of_their_own():
    other = make("ocr:words=150", "log", 10, "eg", passes=20.0)
    found = best.best([eg(10), eg(1), other], runs_of((eg(10), 0.07, {}), (other, 0.1, {})))
    assert [table.data for table in found.tables] == [DATA, "ocr:words=150"] and found.missing == 1
    assert [len(table.answers) for table in found.tables] == [1, 1]
    made = ((eg(10), 0.07, {"host": "a"}), (lbfgs(1), 0.06, {"host": "a"}), (lbfgs(10), 0.05, {"host": "b"}))
    seconds = cells(ranked(*made), "method", "CPU s")
    assert sorted(seconds) == [("EG", "2"), ("L-BFGS", "-")], "those of another machine are left out"


def test_leaders_are_the_first_rows_of_the_tables():
    other = make("ocr:words=150", "log", 10, "eg", passes=20.0)
    made = [
        (eg(1, seed=0), 0.01, {}),
        (eg(1, seed=1), 0.2, {}),
        (eg(10, seed=0), 0.08, {}),
        (eg(10, seed=1), 0.06, {}),
    ]
    made += [(lbfgs(1), np.nan, {}), (lbfgs(10), 0.09, {}), (other, 0.1, {})]
    specs, runs = [spec for spec, *_ in made], runs_of(*made)
    found = views.leaders([*specs, eg(100)], runs)
    assert [run.key for run in found] == [eg(10).key, other.key]
    assert [table.rows[0].runs[0] for table in best.best(specs, runs).tables] == [eg(10), other]


def test_it_is_written_as_json():
    made = [(eg(C, seed=seed), 0.07 + 0.01 * seed) for C in (1, 10) for seed in (0, 1)]
    found = json.loads(json.dumps(documents.to_jsonable(ranked(*made).record()), allow_nan=False))
    assert found["C_chosen_on"] == "test"
    (row,) = found["tables"][0]["rows"]
    assert row["test_error"] == pytest.approx({"mean": 0.075, "sd": 0.00707, "min": 0.07, "max": 0.08}, rel=1e-3)
    assert row["test_f1"]["mean"] is None
    assert [answer["C"] for answer in found["answers"]] == [10, 1]
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
