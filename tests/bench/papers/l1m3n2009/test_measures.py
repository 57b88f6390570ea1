"""What rules measure on errors that are given, worked out by hand or with scipy.stats."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from structbench.bench.papers.l1m3n2009 import path_rules, rules, scores
from structbench.bench.papers.l1m3n2009.runs import OCR
from tests.bench.papers.hand_made import run
from tests.narrowing import UNUSED, fake

A, B, D = (fake(model=name) for name in "ABD")
SIZES = [[fake(kind=OCR, size=size, folds=folds)] for size, folds in ((100, 10), (900, 4))]
PARTS = {
    ("A", 100): [0.30, 0.34, 0.35], ("B", 100): [0.31, 0.30, 0.32], ("D", 100): [0.40, 0.10, 0.11],
    ("A", 900): [0.20, 0.22, 0.21], ("B", 900): [0.25, 0.24, 0.26], ("D", 900): [0.26, 0.26, 0.2300001],
}  # fmt: skip


@pytest.fixture(autouse=True)
def given(monkeypatch):
    def score(task, runs, way, crosses, Cs):
        return fake(parts=np.array(PARTS[way.model, crosses[0].size]))

    monkeypatch.setattr(scores, "score", score)
    monkeypatch.setattr(scores, "at_end", lambda task, runs, way, crosses: "a C" if way is D else "")


def interval(values, at=0.975):
    half = stats.t.ppf(at, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return np.mean(values) + half * np.array([0, -1, 1])


def test_differences_of_errors_are_paired_and_in_points():
    found = rules.leads(UNUSED, SIZES, UNUSED, [(A, B), (D, A)])
    for each, (one, other), size in zip(found, [*["AB"] * 2, *["DA"] * 2], [100, 900] * 2, strict=True):
        points = 100 * (np.array(PARTS[one, size]) - PARTS[other, size])
        assert (each.value, each.low, each.high) == pytest.approx(interval(points))
        assert (each.where["n"], each.state, each.band) == (size, "a C" if one == "D" else "", 0.5)
    worst = rules.lead_over_worst(UNUSED, SIZES, UNUSED, [A, D, B])
    assert [each.value for each in worst] == pytest.approx([2.0, -4.0]), "B at 100, whose mean is greater, and D"
    gains = rules.gain_of_data(UNUSED, SIZES, UNUSED, [A, B])
    assert [each.value for each in gains] == pytest.approx([12.0, 6.0])


def test_the_spread_of_less_data_is_the_mean_over_models_and_resamples_folds():
    (found,) = rules.spread_of_less_data(UNUSED, SIZES, UNUSED, [A, B])
    ratios = [np.std(PARTS[name, 100], ddof=1) / np.std(PARTS[name, 900], ddof=1) for name in "AB"]
    assert found.value == pytest.approx(np.sqrt(np.prod(ratios)))
    resampled = []
    for drawn in (list(each) for each in product(range(3), repeat=3) if len({*each}) > 1):
        of = {key: max(np.std(np.array(errors)[drawn], ddof=1), 1e-12) for key, errors in PARTS.items()}
        resampled.append(np.sqrt(np.prod([float(of[name, 100] / of[name, 900]) for name in "AB"])))
    assert (found.low, found.high) == pytest.approx((min(resampled), max(resampled)))  # of three folds, 24 ways
    (at_end,) = rules.spread_of_less_data(UNUSED, SIZES, UNUSED, [A, D])
    assert (found.state, at_end.state) == ("", "a C")
    PARTS["two", 100], PARTS["two", 900] = [0.3, 0.2], [0.2, 0.1]
    (few,) = rules.spread_of_less_data(UNUSED, SIZES, UNUSED, [fake(model="two")])
    assert np.isnan(few.value) and (few.low, few.high) == (-np.inf, np.inf)


def test_the_range_over_constants_is_that_of_the_size_with_a_tenth_to_train_on(monkeypatch):
    errors = {("A", 1): [0.3, 0.2], ("A", 10): [0.5, 0.1], ("A", 100): [0.4, 0.3], ("B", 1): [0.2, 0.2]}
    errors |= {("B", 10): [0.21, 0.22], ("B", 100): [0.25, 0.2]}
    grids = {"A": (1, 10, 100), "B": (1, 10, 100), "one": (1,)}
    task = fake(grid_of=lambda way, kind: grids[way.model])
    task.specs = lambda way, cross, C: (way.model, C) if cross.folds == 10 else None
    monkeypatch.setattr(scores, "errors", lambda runs, specs: np.array(errors[specs]))
    (found,) = rules.range_over_constants(task, SIZES[::-1], UNUSED, [(A, B)])
    assert found.value == pytest.approx(100 * np.mean([0.2 - 0.05, 0.2 - 0.02])) and not found.state
    grids["B"] = (1,)
    (one,) = rules.range_over_constants(task, SIZES, UNUSED, [(A, B)])
    assert np.isnan(one.value) and one.state == "more than one constant"


def test_seconds_follow_weights_over_folds_that_constants_share(monkeypatch):
    seconds, kept = np.array([[1.0, 2, 3], [1, 3, 2], [9, 9, 8]]), [[5, 6, 7], [1, 2, 3], [4, 4, 4]]
    monkeypatch.setattr(scores, "average_weights", lambda runs: runs[0])
    monkeypatch.setattr(scores, "selected", lambda total: fake(total=total))
    along = fake(seconds=lambda way: seconds, made=lambda way: kept)
    (found,) = path_rules.seconds_follow_weights(along)
    assert found.value == pytest.approx((1 + 0.5) / 2)  # the third keeps equally many in each fold
    assert (found.source, found.count) == ("folds", 3)
    resampled = [
        np.mean([np.array(stats.spearmanr(seconds[k][drawn], np.array(kept[k])[drawn]))[0] for k in (0, 1)])
        for drawn in (list(each) for each in product(range(3), repeat=3) if len({*each}) > 1)
    ]
    assert (found.low, found.high) == pytest.approx((min(resampled), max(resampled)))
    seconds += np.nan  # of two machines
    (unknown,) = path_rules.seconds_follow_weights(along)
    assert np.isnan(unknown.value) and (unknown.low, unknown.high) == (-np.inf, np.inf)
    kept[:2] = [[4, 4, 4]] * 2
    (none,) = path_rules.seconds_follow_weights(along)
    assert np.isnan(none.value) and none.state == "weights that differ by fold"


@pytest.mark.parametrize(("cut", "said"), [(0, ""), (1, ""), (2, "more passes of B")])
def test_seconds_that_the_limit_of_passes_sets_in_most_runs_are_said(monkeypatch, cut, said):
    ended = [run(summary={"status": "passes" if k < cut else "converged"}) for k in range(4)]
    made = {"A": [[run(summary={"status": "stalled"})]], "B": [ended[:2], ended[2:]]}
    monkeypatch.setattr(path_rules.Along, "made", lambda along, way: made[way.name])
    ways = [fake(name=name) for name in "AB"]
    assert path_rules.Along(UNUSED, UNUSED, UNUSED).cut(*ways) == said
    found = path_rules.Along(UNUSED, UNUSED, UNUSED).over_folds({}, np.array([2.0, 8.0]), *ways)
    assert (found.value, found.state) == (pytest.approx(4), said)
