"""Means, intervals and differences of methods in cross-validation, on made-up runs."""

from dataclasses import replace

import numpy as np
import pytest

from structbench.bench.drawing import best
from structbench.bench.report import overview
from structbench.bench.report.confused import labels
from structbench.bench.runs.spec import make
from tests.bench.drawing.made_up import DATA, cells, runs_of
from tests.narrowing import not_none

FOLDS = [f"{DATA},validation={k}of3" for k in (1, 2, 3)]
BY = "validation_error"


def found(made, by=BY):
    """What is best of these runs: of each its spec, its score by this measure and what else makes it up."""
    runs = runs_of(*((spec, 0.0, how) for spec, _, how in made))
    for spec, score, _ in made:
        runs.finished(spec).summary[by] = score
    return best.best([spec for spec, *_ in made], runs, by)


@pytest.mark.parametrize("seeds", [1, 2, 6])
def test_more_seeds_of_the_same_folds_make_no_interval_narrower(seeds):
    off = [0.01 * (seed % 2 - 0.5) * (seeds > 1) for seed in range(seeds)]
    made = [(make(fold, "log", 10, "eg", passes=20.0, seed=seed), error + off[seed], {})
            for fold, error in zip(FOLDS, (0.1, 0.2, 0.3), strict=True) for seed in range(seeds)]  # fmt: skip
    of = found(made)
    (row,) = of.tables[0].rows
    spread = row.spread(BY)
    assert (row.folds, row.seeds, spread["mean"]) == (3, seeds, pytest.approx(0.2))
    assert (spread["sd"], spread["min"], spread["max"]) == pytest.approx((0.1, 0.1, 0.3))
    assert row.interval(BY).high == pytest.approx(0.2 + 4.303 * 0.1 / np.sqrt(3), abs=1e-4), "of three folds"
    assert cells(of, "validation error %", "seeds") == [("20.00 [0.00, 44.84]", str(seeds))]


def test_a_seed_that_lacks_a_fold_is_counted_as_a_seed():
    made = [(make(fold, "log", 10, "eg", passes=20.0, seed=seed), 0.1, {}) for seed in (0, 1) for fold in FOLDS]
    assert cells(found(made[:-1]), "folds", "seeds") == [("3", "2")]


def test_two_folds_have_a_range_whatever_the_seeds():
    made = [(make(fold, "log", 10, "eg", passes=20.0, seed=seed), error, {})
            for fold, error in zip(FOLDS[:2], (0.1, 0.3), strict=True) for seed in range(3)]  # fmt: skip
    assert cells(found(made), "validation error %") == [("20.00 (10.00 to 30.00)",)]


@pytest.mark.parametrize("by", [BY, "validation_f1", "test_f1"])
def test_behind_the_first_is_the_difference_of_the_means_though_folds_differ_in_size(by):
    rng, made = np.random.default_rng(0), []
    split, score = by.split("_")
    for method, share in (("lbfgs", 0.8), ("eg", 0.6)):
        for C in (1, 10):
            for seed in (0, 1):
                for fold, chunks in zip(FOLDS, (2, 20, 5), strict=True):
                    wanted = np.full(30, chunks)
                    right = rng.binomial(wanted, share)
                    others = right + rng.integers(chunks, size=30)
                    counts = np.stack([right, wanted, right, others, wanted], axis=1)
                    error, f1 = 1 - right.sum() / wanted.sum(), 2 * right.sum() / (others + wanted).sum()
                    spec = make(fold, "log", C, method, passes=20.0, seed=seed)
                    made.append((spec, error if score == "error" else f1, {f"counts_{split}": counts}))
    (table,) = found(made, by).tables
    first, second = (row.mean(by) for row in table.rows)
    behind = not_none(table.behind[1])
    assert behind.mean == pytest.approx(abs(second - first)) and behind.low < behind.mean < behind.high
    for by_C, near, row in zip(table.by_C, table.near, table.rows, strict=True):
        for C, each in near.items():
            assert not_none(each).mean == pytest.approx(abs(by_C[C].mean(by) - row.mean(by)))


def test_methods_of_the_same_total_error_tie_though_their_folds_are_summed_in_another_order():
    fifth = [f"{DATA},validation={k}of5" for k in range(1, 6)]
    wrong = {"lbfgs": (6, 3, 2, 1, 0), "eg": (6, 2, 3, 1, 0)}  # of 20: the floats' means differ in the last bit
    made = [(make(fold, "log", 10, method, passes=20.0), error / 20, {"second_per_pass": seconds})
            for (method, errors), seconds in zip(wrong.items(), (1.0, 9.0), strict=True)
            for fold, error in zip(fifth, errors, strict=True)]  # fmt: skip
    for some in (made, made[::-1]):
        (table,) = found(some).tables
        assert {row.mean(BY) for row in table.rows} == {0.12} and len(table.tied) == 2
        assert any("tie at 12.00 %" in each for each in table.sentences)
        assert [row.method for row in table.rows] == ["L-BFGS", "EG"], "it took fewer seconds"


def test_two_dealings_of_the_same_examples_are_two_tables_and_no_further_folds():
    made = [(make(f"{fold}{dealt}", "log", 10, method, passes=20.0), 0.1, {})
            for dealt in ("", "seed7") for method in ("eg", "lbfgs") for fold in FOLDS]  # fmt: skip
    tables = found(made).tables
    assert [[(row.folds, row.seeds) for row in table.rows] for table in tables] == [[(3, 1), (3, 1)]] * 2
    assert [table.title("digits") for table in tables] == [
        "digits, 3-fold cross-validation, by validation error",
        "digits, 3-fold cross-validation, dealt by seed 7, by validation error",
    ]


def test_what_is_said_of_folds_counts_those_of_the_grid_and_not_those_that_are_finished():
    fifth = [f"{DATA},validation={k}of5" for k in (2, 4)]
    made = [(make(fold, "log", 10, "eg", passes=20.0), 0.1, {}) for fold in fifth]
    of = found(made)
    (said,) = (line for line in overview.grid_findings(of) if "has the best" in line)
    assert "EG at C = 10 has the best validation error in 5-fold cross-validation (2 of 5 folds finished)," in said
    scores = {"NP": {"precision": 0.5, "recall": 0.5, "f1": 0.5, "predicted": 4, "gold": 2, "right": 2}}
    runs = runs_of(*made)
    known = {spec.key: runs.finished(spec) for spec, *_ in made}
    known = {key: replace(run, summary=run.summary | {"by_label": scores}) for key, run in known.items()}
    assert "C = 10, fold 2 of 5\n" in labels(of, known, "##")
