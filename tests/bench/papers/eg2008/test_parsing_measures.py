"""What rules measure of dependency parsing, worked out by hand."""

import numpy as np
import pytest

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008 import claims, path
from structbench.bench.papers.eg2008 import parsing_rules as rules
from structbench.bench.papers.eg2008.parsing import ETA0S, TABLE3
from tests.bench.papers.hand_made import run, with_spec
from tests.narrowing import fake

BEST = 50.0
LONG = [0, 1, 2, 50, 90, 100]
SHORT = [0, 1, 2, 50, 90, 99]


def measured(rule, runs, optimum=(BEST, BEST), **given):
    """What a rule measures, given runs by name and C; an optimum that is known well if nothing else is said."""
    task = fake(rates_at=(7.0,), seconds=1000.0, hinge_problem=lambda C: C)
    task.Cs = task.hinge_Cs = (1.0, 10.0, 100.0)
    task.certifying = lambda C: f"certifying {C:g}"

    def present(of: float | str) -> list:
        """All runs of a C, or those of a name."""
        end = of if isinstance(of, str) else f" {of:g}"
        return [each for name, each in runs.items() if name.endswith(end)]

    def picked(name, *rest, **params):
        return runs[" ".join([name, *(f"{each:g}" for each in (*rest, *params.values()))])]

    made, best = fake(present=present), curves.Optimum(*optimum)
    seed = fake(task=task, runs=made, run=picked, optimum=lambda C: best)
    return claims.values(rule, seed, given)


def at(distance):
    """Primal values that end so far above the optimum, relative to it."""
    return BEST * (1 + np.array([9, 9, 9, 9, 9, distance]))


def test_last_distances_are_bounds_of_runs_that_were_cut():
    runs = {"eg 1": run(primal=at(0.03), passes=SHORT), "lbfgs 1": run(primal=at(0.02), passes=LONG)}
    eg, lbfgs = measured(rules.last_distance, runs, C=(1.0,))
    assert (eg.value, eg.bound, eg.source) == (pytest.approx(0.03), "at most", "seeds")
    assert (lbfgs.value, lbfgs.bound, lbfgs.source, lbfgs.state) == (pytest.approx(0.02), "", "exact", "")
    for distance, status in ((0.0099, "passes"), (0.03, "timeout")):
        runs["eg 1"] = run(primal=at(distance), summary={"status": status}, passes=SHORT)
        assert measured(rules.last_distance, runs, C=(1.0,))[0].bound == ""
    near = [
        measured(rules.last_distance, runs, C=(1.0,), optimum=(BEST, BEST * (1 - gap)))
        for gap in (0.00099, 0.0011)
    ]
    assert [found[0].state for found in near] == ["", "a certified optimum"]


def test_sgd_and_its_rates():
    runs = {"sgd 1": run("sgd", primal=at(0.03), passes=LONG), "eg 1": run(primal=at(0.005), passes=LONG)}
    found = measured(
        rules.sgd_distance_over_level, runs, C=(1.0,), level=(0.01, 0.1), optimum=(BEST, BEST * 0.998)
    )
    assert [each.value for each in found] == pytest.approx([3, 0.3])
    assert [each.state for each in found] == ["a certified optimum", ""]
    cut = measured(
        rules.sgd_distance_over_level,
        runs | {"sgd 1": run("sgd", primal=at(1), passes=SHORT)},
        C=(1.0,),
        level=(0.1,),
    )
    assert cut[0].state == "more passes"
    assert measured(rules.sgd_where_it_arrives, runs, C=(1.0,)) == []
    there = run("sgd", primal=BEST * np.array([9, 1.01, 1.01, 1.01, 1.01, 1.01]), passes=[0, 5, 10, 20, 40, 100])
    (found,) = measured(rules.sgd_where_it_arrives, runs | {"sgd 1": there}, C=1.0)
    eg = 90 + 10 * np.log10(900) / (np.log10(900) + np.log10(2))  # linear in the logarithm, from 9 to 0.005
    assert found.value == pytest.approx(5 / eg, rel=1e-3)
    rates = {f"sgd 7 {eta0:g}": run("sgd", primal=at(0.5), passes=LONG) for eta0 in ETA0S}
    rates["sgd 7 0.01"] = run("sgd", primal=[500, 450, 49, 49, 49, 50.5], passes=SHORT)
    (found,) = measured(rules.best_rate_distance, rates)
    assert (found.value, found.bound, found.where) == (pytest.approx(0.01), "", {"C": 7.0, "rate": 0.01})
    unknown = (BEST, 0.9 * BEST)  # what is certified of an optimum
    assert measured(rules.best_rate_distance, rates, unknown)[0].state == "a certified optimum"
    (since,) = measured(rules.best_rate_since, rates)
    assert since.value == 1.0 and since.where["rate"] == 0.01
    rates["sgd 7 0.01"] = run("sgd", primal=at(0.02), passes=SHORT)
    assert measured(rules.best_rate_distance, rates)[0].bound == "at most"
    assert measured(rules.best_rate_since, rates) == []


def test_errors_and_passes_to_the_error_of_eg():
    errors = {"eg 10": [0.9, 0.5, 0.2, 0.106, 0.1, 0.1], "lbfgs 1": [0.9, 0.7, 0.106, 0.08, 0.08, 0.08]}
    errors |= {
        "sgd 1": np.full(6, 0.3),
        "sgd 10": [0.9, 0.106, 0.1, 0.1, 0.1, 0.07],
        "method none": np.full(6, 0.5),
    }
    errors |= {"method log": np.full(6, 0.2), "method hinge": np.full(6, 0.4)}
    runs = {name: run(test_error=each, passes=LONG) for name, each in errors.items()}
    runs["sgd 10"] = with_spec(runs["sgd 10"], C=10.0)
    (ahead,) = measured(rules.ahead_of_eg, runs, other="lbfgs", C=(1.0,))
    assert (ahead.value, ahead.where) == (pytest.approx(2), {"C": 1.0})
    (ahead,) = measured(rules.ahead_of_eg, runs, other="sgd", Cs=(1.0, 10.0))
    assert (ahead.value, ahead.told) == (pytest.approx(3), "SGD at C = 10")
    (arrives,) = measured(rules.passes_to_accuracy, runs, other="lbfgs", C=(1.0,))
    assert (arrives.value, arrives.counted) == (pytest.approx(2 / 50), True)
    (sgd,) = measured(rules.passes_to_accuracy, runs, other="sgd", Cs=(1.0, 10.0))
    assert sgd.value == pytest.approx(1 / 50)
    for far, counted in ((1.02, True), (1.009, False)):  # from the optimum
        runs["lbfgs 1"] = run(test_error=np.full(6, 0.2), primal=np.full(6, far * BEST), passes=SHORT)
        (never,) = measured(rules.passes_to_accuracy, runs, other="lbfgs", C=(1.0,))
        assert (never.bound, never.value, never.counted) == ("at least", pytest.approx(99 / 50), counted)
    (never,) = measured(rules.passes_to_accuracy, runs, (BEST, 0.9 * BEST), other="lbfgs", C=(1.0,))
    assert never.counted  # nobody knows that the optimum errs more
    assert [each.value for each in measured(rules.above_perceptron, runs)] == pytest.approx([30, 10])


def test_seconds_until_the_hinge_is_certified():
    primal = BEST / (1 - np.array([0.9, 0.9, 0.01, 0.009, 0.008, 0.007]))  # distances relative to the primal value
    bound = {"dual": np.full(6, BEST), "passes": [0, 1, 2, 4, 8, 16]}
    runs = {f"hinge eg {C}": run(primal=primal, **bound) for C in (1, 10)}
    runs |= {f"hinge cutting-plane {C}": run(primal=primal, cpu_seconds=np.arange(6.0), **bound) for C in (1, 10)}
    assert [each.value for each in measured(rules.svm_over_eg, runs, C=(1.0,))] == pytest.approx(
        [2 / 4]
    )  # EG sets up for 5
    runs["hinge eg 10"] = run(primal=np.full(6, 90.0), **bound)
    (never,) = measured(rules.svm_over_eg, runs, C=(10.0,))
    assert (never.value, never.bound) == (pytest.approx(2 / 32), "at most")  # where EG ends, without its set-up
    slow = measured(rules.slow_at_C1, runs, Cs=(10.0,))
    assert [each.where[""] for each in slow] == ["eg", "cutting-plane"]
    assert [each.value for each in slow] == pytest.approx([4 / 32, 1.0])
    (as_eg,) = measured(rules.svm_as_eg, runs, C=1.0)
    assert as_eg.value == pytest.approx(2 / 4)
    runs |= {"hinge eg 1": run(primal=np.full(6, 80.0), **bound)}
    runs["hinge cutting-plane 1"] = run(primal=np.full(6, 100.0), **bound)
    (ends,) = measured(rules.svm_as_eg, runs, C=1.0)
    assert (ends.value, ends.bound) == (pytest.approx(50 / 30), "at least")  # of a bound that is far below
    (less,) = measured(rules.svm_as_eg, runs | {"hinge eg 1": run(primal=np.full(6, 120.0), **bound)}, C=1.0)
    assert (less.value, less.bound) == (pytest.approx(50 / 70), "at most")
    assert (
        measured(rules.slow_at_C1, {**runs, "hinge eg 10": runs["hinge eg 1"]}, Cs=(10.0,))[0].where[""]
        == "cutting-plane"
    )


def test_the_path_and_its_best_C():
    Cs = [C for C, *_ in TABLE3]
    at_C = [0.1 if C == 13.841 else 0.3 for C in Cs]
    at_C[-1] = 0.08
    made = run(passes=np.arange(len(Cs)) * 2 + 3.0, test_error=at_C, C=Cs, summary={"status": "converged"})
    (total,) = measured(path.path_total, {"path": made}, table="table3")
    assert (total.value, total.bound) == (2 * (len(Cs) - 1) + 3 - 1, "")
    short = run(passes=[0, 3, 5], test_error=[9, 0.25, 0.2], C=Cs[:1] * 2 + Cs[1:2])
    (total,) = measured(path.path_total, {"path": short}, table="table3")
    assert (total.value, total.bound) == (4, "at least")
    off = measured(rules.accuracies_off, {"path": short})
    assert [each.value for each in off] == pytest.approx([75 - TABLE3[0][3]])  # its second C was not finished
    (below,) = measured(path.error_above_least, {"path": made}, best_C=13.841)
    assert below.value == pytest.approx(2) and below.told == f"least error 0.0800 at C = {Cs[-1]:.4g}"


@pytest.mark.parametrize(("loss", "gap"), [("log", 0.01), ("hinge", 0.02)])
def test_errors_behind_the_papers_best_C(loss, gap):
    names = {"log": ("eg", "lbfgs"), "hinge": ("hinge eg", "hinge cutting-plane")}[loss]
    runs = {f"{name} {C}": run(relative_gap=np.full(6, 0.5)) for name in names for C in (1, 10, 100)}
    for k, (C, error) in enumerate({1: 0.2, 10: 0.15, 100: 0.3}.items()):
        runs[f"{names[k % 2]} {C}"] = run(relative_gap=np.full(6, gap), test_error=np.full(6, error))
    (found,) = measured(rules.behind_best_C, runs, loss=loss, theirs_C=100.0)
    assert (found.value, found.state) == (pytest.approx(15), "")
    runs[f"{names[0]} 100"] = run(relative_gap=np.full(6, 1.1 * gap), test_error=np.full(6, 0.1))
    (far,) = measured(rules.behind_best_C, runs, loss=loss, theirs_C=100.0)
    assert (far.value, far.state) == (pytest.approx(-5), "certified runs at C = 100")
    if loss == "hinge":  # a run that certifies more speaks in its place
        runs["certifying 100"] = run(relative_gap=np.full(6, gap), test_error=np.full(6, 0.25))
        (found,) = measured(rules.behind_best_C, runs, loss=loss, theirs_C=100.0)
        assert (found.value, found.state) == (pytest.approx(10), "")
