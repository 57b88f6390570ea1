"""What rules measure on errors and seconds that are given, worked out by hand."""

import numpy as np
import pytest

from structbench.bench.papers import measured
from structbench.bench.papers.klein2011 import readings, rules
from structbench.bench.papers.klein2011.runs import AS_IS, LEVEL, Tried
from tests.bench.papers.hand_made import PASSES, ending, run, with_spec

LOW, MIDDLE, HIGH = (
    [ending(test_error=each) for each in errors] for errors in ((0.1, 0.2), (0.25, 0.15), (0.4, 0.6))
)


def values(found):
    return [each.value for each in found]


def one(*runs):
    """A learner that is tried in one way."""
    return Tried("", "", False, {AS_IS: [*runs]})


def by(parameter, made, best=False, name=""):
    return Tried(name, parameter, best, made)


def test_errors_are_paired_and_in_points():
    (found,) = rules.error_above(one(*HIGH), one(*LOW))
    assert found.value == pytest.approx(35) and found.band == pytest.approx(3 * 0.325) and found.where == {}
    caps = rules.error_above(by("cap", {1.0: HIGH, 2.0: MIDDLE}), by("cap", {1.0: LOW, 2.0: LOW}))
    assert [(each.where["cap"], each.value) for each in caps] == [(1, pytest.approx(35)), (2, pytest.approx(5))]
    (found,) = rules.error_above(one(*HIGH), by("C", {3.0: MIDDLE}))
    assert found.value == pytest.approx(30) and found.where == {"C": 3.0}
    svm = by("C", {1.0: HIGH, 2.0: LOW, 3.0: MIDDLE}, best=True)
    (above,) = rules.error_above(by("cap", {1.0: HIGH}), svm)
    assert above.value == pytest.approx(35) and above.where == {"cap": 1.0}
    mine, others = (by("C", made, best=True) for made in ({1.0: HIGH, 2.0: MIDDLE}, {4.0: LOW, 8.0: MIDDLE}))
    (best,) = rules.error_above(mine, others)
    assert best.value == pytest.approx(5) and best.told == "C = 2 and 4"
    last, averaged = (
        by("cap", {9.0: HIGH, 1.0: MIDDLE}, name="last"),
        by("cap", {9.0: LOW, 1.0: LOW}, name="averaged"),
    )
    larger = rules.larger_cap_loses(last, averaged)
    assert values(larger) == pytest.approx([30, 0]) and larger[0].where == {"cap": 9.0, "": "last"}


def test_swings_and_rises_over_the_passes():
    six = np.arange(6)  # passes, of which the last three count; a fall from pass to pass is no swing
    calm, wild = (run(passes=six, test_error=[9, 9, 9, 0.5, 0.4 + step, 0.3]) for step in (0.1, 0.4))
    flat = run(passes=six, test_error=np.full(6, 0.2))
    (twice,) = rules.swing_over([one(wild, calm)], one(calm, calm))
    assert twice.value == pytest.approx(2.0) and twice.where == {}
    around = 0.4 * np.sqrt(2 / 3)  # a line through the first and the last less a third of the step
    assert values(rules.swing_over([one(wild)], one(flat))) == pytest.approx([around / 1e-12])
    mira = [by("cap", {1.0: [calm], 2.0: [wild]}), by("cap", {1.0: [flat]}, name="averaged")]
    found = [*rules.swing_over(mira, by("C", {7.0: [wild]}))]
    assert values(found) == pytest.approx([0.25, 1e-12 / around])
    assert found[1].where == {"C": 7.0, "": "averaged"}
    passes = np.arange(8)
    rising = run(passes=passes, test_error=[9, 0.5, 0.2, 0.3, 0.1, 0.4, 0.6, 0.5])  # means of 3: 1/3, .2, ..., 0.5
    ended = run(passes=passes[:6], test_error=[9, 0.6, 0.6, 0.6, 0.3, 0.3])
    found, alone = rules.rise_after_best([one(rising, ended), one(rising)])
    mine, others = (1.5 - 1.1) / 3, (0.9 - 1.5) / 3  # each where the other is best
    assert found.value == pytest.approx(100 * (mine + others) / 2) and "best after pass 5" in found.told
    assert alone.value == pytest.approx(100 * (1.5 - 0.6) / 3) and alone.told == "best after pass 3"


def test_seconds():
    slow, fast = run(cpu_seconds=5 + 3 * PASSES), run()
    assert values(rules.seconds_a_pass(one(slow), one(fast))) == pytest.approx([1.5])
    early = [0.9, 0.1, 0.1, 0.1, 0.1, 0.1]
    late = [0.9, 0.9, 0.9, 0.11, 0.11, 0.1]
    planes = by("C", {3.0: [run(test_error=late, cpu_seconds=5 + 3 * PASSES)]})
    (found,) = rules.cutting_over_mira(
        planes, by("cap", {1.0: [run(test_error=late)], 2.0: [run(test_error=early)]})
    )
    assert found.value == pytest.approx(17 / (5 + 2 * 0.79 / 0.8)) and found.where == {"C": 3.0, "cap": 2.0}
    (never,) = rules.cutting_over_mira(planes, by("cap", {1.0: [run(test_error=np.full(6, 0.5))]}))
    assert (never.bound, never.value) == ("at most", pytest.approx(17 / 37))
    three = by("C", {3.0: planes.at(3.0) * 3})
    stuck, there = run(test_error=np.full(6, 0.5)), run(test_error=late)
    caps = {1.0: [run(test_error=early), run(test_error=early), stuck], 2.0: [there] * 3}
    (slower,) = rules.cutting_over_mira(three, by("cap", caps))
    assert slower.where["cap"] == 2.0 and not slower.bound, "all get there"
    later, sooner = [1, 1, 1, *[LEVEL] * 3], [1, 1, *[LEVEL] * 4]
    gaps = [run(relative_gap=later, cpu_seconds=5 + 3 * PASSES), run(relative_gap=sooner)]
    (naive,) = rules.naive_over_smart(by("C", {1.0: gaps[:1]}), by("C", {1.0: gaps[1:]}))
    assert naive.value == pytest.approx(17 / 9)
    gaps[0] = with_spec(gaps[0], passes=40.0)
    others = [by("C", {1.0: [gaps[1]]}, name="a"), by("C", {1.0: [run()]}, name="b")]
    found = [*rules.optimiser_over_others(by("C", {1.0: gaps[:1]}), others)]
    assert values(found) == pytest.approx([2.0, 0.1]) and found[1].bound == "at most"
    far = with_spec(run(relative_gap=np.full(6, 0.8)), passes=40.0)
    (ends,) = rules.optimiser_over_others(by("C", {1.0: [far]}), [by("C", {1.0: [slow]})])
    assert ends.value == pytest.approx(0.8 / (0.9 - 16 / 99)) and not ends.bound


def test_sizes():
    svm = by("C", {2.0: [run(summary={"notes": {"outputs": each}, "relative_gap": LEVEL}) for each in (300, 500)]})
    assert values(rules.outputs(svm)) == pytest.approx([4.0])
    (share,) = rules.measure["share_of_constraints"](svm)
    assert share.value == pytest.approx((4 - 1) / 9) and not share.state
    svm.at(2.0)[1].summary["relative_gap"] = 2 * LEVEL
    assert [each.state for each in rules.outputs(svm)] == ["certified runs"]
    sizes = {
        n: [run(summary={"cpu_seconds": k * n**power}) for k, power in ((1, 2), (3, 1))] for n in (10, 100, 50)
    }
    primal, kernels = rules.growth_of_kernels(by("n", sizes), [by("n", sizes)])
    assert primal.value == kernels.value == pytest.approx(1.5) and (primal.counted, kernels.counted) == (
        False,
        True,
    )
    base = {
        10: [run(summary={"cpu_seconds": 1.0})],
        100: [run(summary={"cpu_seconds": each}) for each in (9, 99, 90)],
    }
    (times,) = rules.kernels_over_primal(by("n", base), [by("n", sizes)])
    assert times.value == pytest.approx(np.sqrt(100**2 * 300) / 90) and times.where["n"] == 100


def test_angles_and_margins(monkeypatch):
    monkeypatch.setattr(readings, "angle", lambda one, other: 10.0 * one + other)
    tried, control = by("passes", {0: [1, 2], 1: [3, 4]}, name="last"), by("passes", {0: [5], 1: [6]})
    found = rules.turns(tried, [control])
    assert values(found) == pytest.approx([(13 + 24) / 2, 56])
    assert [each.counted for each in found] == [True, False]
    monkeypatch.setattr(readings, "margins", lambda one: readings.Margins(np.array([5.0, one]), 1.0))
    assert values(rules.share_of_margin(one(0.2, -0.1), one(0.4, 0.5))) == pytest.approx([(0.5 - 0.2) / 2])


def test_values_with_the_same_curves_are_one_condition():
    runs = [run(C=each, cpu_seconds=each * PASSES) for each in (1.0, 2.0)]
    other = run(test_error=np.full(6, 0.3))
    made = {0.01: [other, other], 0.1: runs, 1.0: runs[::-1], 9.0: [runs[0], other]}
    assert [*measured.distinct(made)] == [0.01, 0.1, 9.0]
