"""The methods of made-up runs, ranked."""

import json

import numpy as np
import pytest

from structbench.bench.drawing import best
from structbench.bench.runs import store
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


def eg(C, order="random", seed=0, **rest):
    return make(DATA, "log", C, "eg", {"order": order}, passes=20.0, seed=seed, **rest)


def lbfgs(C, **rest):
    return make(DATA, "log", C, "lbfgs", passes=20.0, **rest)


def ranked(made, **how):
    return best.best([spec for spec, *_ in made], runs_of(*made), **how)


def test_each_method_is_at_its_best_C_and_the_best_comes_first():
    made = [(eg(C, order), error, {}) for order, errors in (("random", (0.08, 0.07)), ("gap", (0.06, 0.09)))
            for C, error in zip((1, 10), errors, strict=True)]  # fmt: skip
    made += [(lbfgs(C), error, {"second_per_pass": 0.2}) for C, error in ((1, 0.1), (10, 0.05))]
    found = ranked(made)
    (table,) = found.tables
    assert table.title == f"{DATA}, by test error"
    assert [(row.method, row.C, round(row.mean("test_error"), 3)) for row in table.rows] == [
        ("L-BFGS", 10, 0.05),
        ("EG, order gap", 1, 0.06),
        ("EG, order random", 10, 0.07),
    ]
    assert best.texts(table)[0] == {
        "method": "L-BFGS", "C": "10", "test error %": "5.00", "gap": "2.1e-08", "distance": "2.1e-08",
        "seconds": "4", "passes": "20", "seeds": "1",
    }  # fmt: skip
    assert (
        found.notes[-1] == "Each method has the C of its best error on the test split: this error is optimistic."
    )


def test_of_one_C_nothing_is_chosen():
    found = ranked([(eg(10), 0.07, {}), (lbfgs(10), 0.08, {})])
    assert not any("optimistic" in note for note in found.notes)
    assert found.as_dict()["C_chosen_on"] is None


@pytest.mark.parametrize(
    ("errors", "cell"),
    [
        ((0.07,), "7.00"),
        ((0.06, 0.07, 0.08), "7.00 (6.00 to 8.00)"),
        ((0.06, 0.06, 0.07, 0.08, 0.08), "7.00 ± 1.00"),
        ((0.07, 0.07), "7.00"),
    ],
)
def test_seeds_have_a_mean_and_a_spread(errors, cell):
    found = ranked([(eg(10, seed=seed), error, {}) for seed, error in enumerate(errors)])
    (row,) = best.texts(found.tables[0])
    assert (row["test error %"], row["seeds"]) == (cell, str(len(errors)))
    assert any(note.startswith("Means over seeds") for note in found.notes) == (len(errors) > 1)


def test_a_setting_of_which_a_seed_diverged_is_not_chosen():
    made = [(eg(1, seed=seed), 0.02, {"status": "diverged" if seed else "passes"}) for seed in (0, 1)]
    made += [(eg(10, seed=seed), 0.08, {}) for seed in (0, 1)]
    (row,) = ranked(made).tables[0].rows
    assert (row.C, row.diverged) == (10, 0)
    (text,) = best.texts(ranked(made[:2]).tables[0])
    assert (text["test error %"], text["seeds"]) == ("-", "2, 1 diverged")


def test_losses_share_a_table_and_those_without_one_too():
    hinge = make(DATA, "hinge", 10, "eg", passes=20.0)
    perceptron = make(DATA, None, None, "perceptron", passes=20.0)
    made = [(eg(10), 0.07, {}), (hinge, 0.06, {}), (perceptron, 0.08, {})]
    rows = best.texts(ranked(made).tables[0])
    assert [(row["method"], row["loss"], row["C"]) for row in rows] == [
        ("EG", "hinge", "10"),
        ("EG", "log", "10"),
        ("Perceptron", "-", "-"),
    ]
    assert "penalty" not in rows[0]


def test_by_what_compares_on_one_problem_alone_there_is_a_table_for_each():
    made = [(eg(C), 0.07, {"floor": 1e-3}) for C in (1, 10)]
    made += [(lbfgs(C), 0.06, {"floor": 1e-4}) for C in (1, 10)]
    for by, heading in (("gap", "gap"), ("distance", "distance"), ("primal", "primal")):
        tables = ranked(made, by=by).tables
        assert [table.title for table in tables] == [f"{DATA}, log loss, C = {C}, by {heading}" for C in (10, 1)]
        assert [row.method for row in tables[0].rows] == ["L-BFGS", "EG"]
        assert [*best.texts(tables[0])[0]][:2] == ["method", heading]


def test_a_distance_is_by_the_best_dual_of_all_runs():
    made = [(eg(10), 0.07, {"floor": 1e-3}), (lbfgs(10), 0.06, {"floor": 1e-3, "dual": 0.0})]
    rows = {row.method: row for row in ranked(made).tables[0].rows}
    assert rows["L-BFGS"].mean("gap") == pytest.approx(1.0)
    assert rows["L-BFGS"].mean("distance") == rows["EG"].mean("distance") == pytest.approx(0.1 / 100.05)


def test_by_seconds_what_does_not_reach_the_level_comes_last():
    made = [(eg(10, seed=seed), 0.07, {"second_per_pass": 0.1}) for seed in (0, 1)]
    made += [(eg(10, "gap", seed), 0.07, {"second_per_pass": 0.1, "rate": 1.0 - seed}) for seed in (0, 1)]
    made += [(lbfgs(10), 0.07, {"second_per_pass": 0.01, "rate": 0.0})]
    found = ranked(made, by="seconds", level=1e-4)
    (table,) = found.tables
    # half of the gap 10 exp(-passes) is 1e-4 after log(5e4) = 10.8 passes of 0.1 s
    cells = [(row["method"], row["seconds to 0.01 %"]) for row in best.texts(table)]
    assert cells == [("EG, order random", "1.08"), ("EG, order gap", "1 of 2 seeds"), ("L-BFGS", "not reached")]
    assert found.answers_to(table)[0].text.startswith(
        "Within 0.01 % of the optimum after 1.1 s: EG (order random)."
    )


def test_runs_that_only_their_limits_tell_apart_are_two_methods():
    made = [(make(DATA, "log", C, "eg", passes=passes), 0.07, {}) for C in (1, 10) for passes in (5.0, 20.0)]
    names = [row.method for row in ranked(made[:3]).tables[0].rows]
    assert sorted(names) == ["EG, at most 20 passes, to a gap of 1e-06", "EG, at most 5 passes, to a gap of 1e-06"]


def test_missing_runs_are_counted_and_data_sets_have_tables_of_their_own():
    other = make("ocr:words=150", "log", 10, "eg", passes=20.0)
    found = best.best([eg(10), eg(1), other], runs_of((eg(10), 0.07, {}), (other, 0.1, {})))
    assert [table.data for table in found.tables] == [DATA, "ocr:words=150"]
    assert found.missing == 1
    assert [len(found.answers_to(table)) for table in found.tables] == [1, 1]


def test_a_data_set_without_errors_says_so():
    (row,) = best.texts(ranked([(eg(10), np.nan, {})]).tables[0])
    assert row["test error %"] == "-"
    assert ranked([(eg(C), np.nan, {}) for C in (1, 10)]).as_dict()["C_chosen_on"] is None


def test_seconds_of_another_machine_are_left_out():
    made = [(eg(10), 0.07, {"host": "a"}), (lbfgs(1), 0.06, {"host": "a"}), (lbfgs(10), 0.05, {"host": "b"})]
    rows = {row["method"]: row["seconds"] for row in best.texts(ranked(made).tables[0])}
    assert rows == {"EG": "2", "L-BFGS": "-"}


def test_it_is_written_as_json():
    made = [(eg(C, seed=seed), 0.07 + 0.01 * seed, {}) for C in (1, 10) for seed in (0, 1)]
    found = json.loads(json.dumps(store.to_jsonable(ranked(made).as_dict()), allow_nan=False))
    assert found["C_chosen_on"] == "test"
    (row,) = found["tables"][0]["rows"]
    assert row["test_error"] == pytest.approx({"mean": 0.075, "sd": 0.00707, "min": 0.07, "max": 0.08}, rel=1e-3)
    assert row["test_f1"]["mean"] is None
    assert [answer["C"] for answer in found["answers"]] == [10, 1]
