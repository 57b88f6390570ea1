"""Sentences on tables of methods: what to be careful with, each said once."""

from dataclasses import replace

import numpy as np
import pytest

from structbench.bench.drawing import best, cautions, ranking
from structbench.bench.drawing.best import Best
from structbench.bench.report import overview
from structbench.bench.runs.spec import make
from tests.bench.drawing.made_up import DATA, eg, lbfgs, ranked, right, runs_of


def test_sentences_on_each_C_stand_in_the_order_of_the_tables(capsys):
    made = [(lbfgs(C), 0.07) for C in (1, 10, 100)] + [(eg(C), 0.07) for C in (1, 10, 100)]
    ranking.show(ranked(*made))
    said = [
        line.partition(". ")[0] for line in capsys.readouterr().out.splitlines() if line.startswith("log loss")
    ]
    assert said == [f"log loss, C = {C}" for C in (1, 10, 100)]


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


def test_of_too_few_examples_nobody_says_that_methods_cannot_be_told_apart():
    good, bad = np.tile([[5, 5]], (9, 1)), np.tile([[1, 5]], (9, 1))
    given = (lbfgs(10), 0.0, good), (lbfgs(1), 0.8, bad), (eg(10), 0.8, bad)
    made = [(spec, error, {"counts_test": counts}) for spec, error, counts in given]
    assert not any("cannot be told apart" in said for table in ranked(*made).tables for said in table.sentences)


def test_who_took_the_fewest_seconds_is_said_if_all_are_known():
    counts = right(0.9)
    one_less = counts.copy()
    one_less[np.flatnonzero(counts[:, 0])[0], 0] -= 1
    given = (lbfgs(10), 0.1, counts), (eg(10), 0.1005, one_less)
    made = [(spec, error, {"counts_test": of, "second_per_pass": 0.2}) for spec, error, of in given]
    (table,) = ranked(*made).tables
    assert any("took the fewest seconds" in said for said in table._apart())
    first, second = table.rows
    unknown = replace(second, values=second.values | {"seconds": np.array([np.nan])})
    (said,) = replace(table, rows=[first, unknown])._apart()
    assert said.endswith("cannot be told apart (95 % intervals of a paired bootstrap over examples).")


def test_nothing_is_so_many_times_no_pass():
    made = [(lbfgs(10), 0.07, {"second_per_pass": 1e-9}), (eg(10), 0.07, {"second_per_pass": 1e-9})]
    (table,) = ranked(*made).tables
    rows = [replace(row, values=row.values | {"passes": np.array([20.0 * k])}) for k, row in enumerate(table.rows)]
    (said, *_) = replace(table, rows=rows)._ties()
    assert said == "EG and L-BFGS tie at 7.00 %."


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
    given = zip((0.1, 1, 10, 100), (worse, one_less, counts, worse), (0.3, 0.005, 0.0, 0.3), strict=True)
    made = [(make(data, "log", C, "eg", passes=20.0), error, {"counts_validation": of}) for C, of, error in given]
    runs = runs_of(*made)
    for spec, error, _ in made:
        runs.finished(spec).summary["validation_error"] = error
    (table,) = best.best([spec for spec, *_ in made], runs).tables
    said = "C = 1 and 10 cannot be told apart for EG: 1 of 200 decisions decides; `cv: 5` tells more."
    assert table.sentences == [said]
    (table,) = best.best([spec for spec, *_ in made[:3]], runs).tables
    last = "C = 10 is the largest of the grid: larger ones were not tried."
    assert table.sentences == [f"{said} {last}"], "it may be better than 1 by chance"
    (table,) = best.best([made[0][0], made[2][0]], runs).tables
    assert table.sentences == ["C = 10 is the largest of the grid, and the best for EG: try larger ones."]


def test_methods_of_one_name_are_told_by_their_loss():
    hinge = [make(DATA, "hinge", C, "eg", passes=20.0) for C in (1, 10)]
    errors = (0.05, 0.06, 0.05, 0.06)
    (table,) = ranked(*zip((eg(1), eg(10), *hinge), errors, strict=True)).tables
    assert "the best for EG (log loss) and EG (hinge loss)" in table.sentences[1]


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
