"""What rules measure on curves of straight pieces, worked out by hand; columns that no rule may read differ."""

import numpy as np
import pytest

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008 import claims, rules
from structbench.bench.papers.evidence import Evidence
from tests.bench.papers.hand_made import PASSES, run
from tests.narrowing import fake

BEST = 50.0


def rate(eta0):
    return {"notes": {"eta0": eta0}}


def measured(rule, runs, **given):
    """What a rule measures, given runs by algorithm, what is unusual of it, and C."""
    seed = fake(run=lambda name, C: runs[f"{name} {C:g}"], optimum=lambda C: curves.Optimum(BEST, BEST))
    return claims.values(rule, seed, given)


def values(rule, runs, **given):
    return [each.value for each in measured(rule, runs, **given)]


def near(*expected):
    return pytest.approx([*expected], rel=1e-4)


def test_primal_values_against_sgd():
    eg, sgd = run(passes=[0, 1, 2, 4, 10, 20], primal=[100, 99, 85, 75, 60, 55]), [100, 90, 80, 80, 80, 80]
    (found,) = measured(rules.overtakes, {"eg 1": eg, "sgd 1": run("sgd", primal=sgd)}, C=(1.0,))
    assert (found.value, found.bound, found.where) == (1, "", {"C": 1.0, "rate": 0.01})
    late = run("sgd", primal=[100, 90, 80, 70, 65, 64])  # EG is 2.5 above after 4 updates, 35 / 6 below after 9
    (inside,) = measured(rules.overtakes, {"eg 1": eg, "sgd 1": late}, C=(1.0,))
    assert (inside.value, inside.bound) == (pytest.approx(4 + 5 * 2.5 / (2.5 + 35 / 6), rel=1e-4), "")
    (never,) = measured(rules.overtakes, {"eg 1": eg, "sgd 1": run("sgd", primal=np.full(6, 9.0))}, C=(1.0,))
    assert (never.value, never.bound) == (16, "at least")

    lead = {"eg 10": run(primal=60 - PASSES), "sgd 10": run("sgd", primal=np.full(6, 60.0), summary=rate(0.5))}
    lead |= {
        "eg 1": run(primal=np.full(6, 59.0)),
        "sgd 1": run("sgd", passes=PASSES[:-1], primal=np.full(5, 63.0)),
    }
    (found,) = measured(rules.lead_by_C, lead, Cs=(10.0, 1.0))
    assert found.value == pytest.approx(4 / 7.5)  # from pass 5 to 10, where the shorter run ends
    assert (found.where, found.told) == ({"C": 1.0, "over": 10.0, "rates": "0.01, 0.5"}, "8.00% / 15.00%")
    lead["eg 10"] = run(primal=np.full(6, 60.0))
    (none,) = measured(rules.lead_by_C, lead, Cs=(10.0, 1.0))
    assert np.isnan(none.value) and none.state == "a lead of EG at the larger C"
    (behind,) = measured(rules.lead_by_C, lead, Cs=(1.0, 10.0))
    assert behind.value == pytest.approx(1e-9 / (4 / BEST))


@pytest.mark.parametrize(
    ("where", "counted"),
    [
        ({"C": 1000.0, "rate": 0.001}, True),
        ({"C": 10.0, "rate": 0.1}, False),
        ({"C": 100.0, "over": 1000.0, "rates": "0.01, 0.001"}, True),
        ({"C": 100.0, "over": 1000.0, "rates": "0.01, 0.01"}, False),
        ({"C": 10.0, "rates": "1, 0.01"}, True),  # a fixed rate and one that decays
        ({"C": 0.1}, True),
    ],
)
def test_numbers_with_another_rate_than_theirs_are_shown_only(where, counted):
    first, *missing = claims.at_their_rates([Evidence(where, 2.0)])
    assert first.counted == counted
    assert [(np.isnan(each.value), each.counted, "C" in each.where) for each in missing] == [
        (True, True, True)
    ] * (not counted)
    alone = claims.at_their_rates(
        [Evidence({"C": 10.0, "rate": 0.1}, 2.0), Evidence({"C": 10.0, "rate": 0.01}, 2.0)]
    )
    assert [each.counted for each in alone] == [False, True]


def test_distances_to_the_optimum_against_sgd():
    eg = run(primal=BEST + np.array([90, 80, 40, 20, 8, 4]), updates=[np.nan, 50, 150, 400, 900, 1500])
    sgd = run("sgd", primal=BEST + np.array([90, 30, 20, 10, 6, 5]))
    short = run("sgd", passes=PASSES[:-1], primal=BEST + np.array([90, 24, 9, 8, 4]), summary=rate(0.3))
    runs = {"eg 1": eg, "sgd 1": sgd, "sgd post-hoc 1": short, "sgd fixed 1": short}
    assert values(rules.eg_distance_after_one_pass, runs, C=(1.0,)) == near(60 / 30)
    assert values(rules.selected_over_post_hoc, runs, C=1.0) == near(5 / 4)
    assert values(rules.fixed_over_decay, runs, C=(1.0,)) == near(4 / 6)
    (same,) = measured(rules.selected_over_post_hoc, runs | {"sgd 1": run("sgd", summary=rate(0.1))}, C=1.0)
    assert np.isnan(same.value) and same.state
    levels = measured(rules.time_to_level, runs, other="sgd", C=(1.0,), level=(0.4, 0.08))
    assert levels[0].value == pytest.approx(2 / 4)
    assert (levels[1].bound, levels[1].value) == ("at least", pytest.approx(16 / 16))
    seconds = measured(rules.time_to_level, runs, other="sgd", C=(1.0,), level=(0.4,), clock="cpu_seconds")
    assert seconds[0].value == pytest.approx(4 / 8) and {seconds[0].source, levels[0].source} == {"seeds"}
    exact = {"lbfgs 1": run("lbfgs", primal=eg.curve["primal"]), "conjugate-gradient 1": eg}
    for clock, source in (("passes", "exact"), ("cpu_seconds", "seeds")):
        (found,) = measured(
            rules.time_to_level,
            exact,
            other="lbfgs",
            C=1.0,
            level=0.4,
            mine="conjugate-gradient",
            clock=clock,
        )
        assert (found.value, found.source, found.where) == (1.0, source, {"C": 1.0, "to": "40%"})


def test_errors_against_sgd():
    eg = run(test_error=[0.9, 0.6, 0.5, 0.30, 0.2, 0.1])
    sgds = [run("sgd", test_error=[0.9, each, 0.4, 0.25, 0.2, 0.2]) for each in (0.7, 0.3)]
    runs = {"eg 10": eg, "sgd 1": sgds[0], "sgd 10": sgds[1]}
    assert values(rules.sgd_leads_until, runs, C=10.0, sgd_C=(1.0, 10.0)) == near(1 + 2 * 198 / 225)
    level = runs | {"sgd 10": sgds[0], "eg 10": run(test_error=0.0019 + np.array([0.9, 0.7, 0.4, 0.25, 0.2, 0.2]))}
    assert values(rules.sgd_leads_until, level, C=10.0, sgd_C=(1.0, 10.0)) == near(
        1
    )  # the first that is looked at
    level["eg 10"] = run(test_error=np.full(6, 0.95))
    (never,) = measured(rules.sgd_leads_until, level, C=10.0, sgd_C=(1.0, 10.0))
    assert (never.value, never.bound) == (16 - 1, "at least")
    assert values(rules.error_behind_sgd, runs, C=10.0, sgd_C=(1.0, 10.0)) == near(-10)  # at pass 15
    short = runs | {"sgd 1": run("sgd", passes=PASSES[:4], test_error=sgds[0].curve["test_error"][:4])}
    assert np.isnan(values(rules.error_behind_sgd, short, C=10.0, sgd_C=(1.0, 10.0))).all()
    assert values(rules.sgd_errors_apart, runs, C=(1.0, 10.0)) == near(0, 100 * 0.4 / 5)
    ahead = {"eg 10": eg, "lbfgs 1": run("lbfgs", test_error=[0.0, 0.2, 0.3, 0.3, 0.3, 0.3])}
    (found,) = measured(rules.lbfgs_ahead_in_error, ahead, C=(1.0,))
    assert (found.value, found.told) == (pytest.approx(40), "at pass 1")
    half = [0, 0.5, 1, 2, 4, 10]  # a visit, and no pass yet
    runs = {
        "eg 10": run(test_error=np.full(6, 0.9)),
        "lbfgs 1": run(test_error=[0.9, 0, 0.5, 0.6, 0.6, 0.6], passes=half),
    }
    runs |= {
        "sgd 1": run(test_error=np.full(6, 0.5), passes=half),
        "sgd 10": run(test_error=[9, 9, *[0.4] * 4], passes=half),
    }
    assert values(rules.sgd_errors_apart, runs, C=(10.0,)) == near(10)
    assert values(rules.lbfgs_ahead_in_error, runs, C=(1.0,)) == near(40)
    rates = {f"sgd {C:g}": run("sgd", summary=rate(0.001)) for C in rules.ETA0}
    assert values(rules.eta0_as_theirs, rates, C=(*rules.ETA0,)) == [1, 0, 0, 0]


def test_seconds_against_others():
    eg = run(primal=BEST + np.array([90, 80, 40, 20, 8, 4]), test_error=[0.9, 0.6, 0.5, 0.3, 0.2, 0.1])
    other = run("sgd", cpu_seconds=5 + 3 * PASSES, primal=BEST + np.array([90, 30, 20, 10, 6, 5]),
                test_error=[0.9, 0.5, 0.15, 0.1, 0.1, 0.1])  # fmt: skip
    runs = {"eg 10": eg, "sgd 10": other}
    assert values(rules.cost_of_update, runs, C=10.0, other="sgd") == near((32 - 2) / 1500 / (48 / 1600))
    found = measured(rules.lead_in_passes_over_seconds, runs, C=10.0, level=(0.4, 0.08), other="sgd")
    assert found[0].value == pytest.approx((2 / 4) / (6 / 8)) and np.isnan(found[1].value)
    assert not found[1].bound
    assert values(rules.error_seconds_over_sgd, runs, points=(5.0, 10.0)) == near(26 / 6, 20 / (3 * 13 / 7))
    (found,) = measured(rules.error_seconds_over_sgd, runs, points=(5.0,))
    assert found.where == {"C": 10.0, "rate": 0.01, "points": 5.0}


def test_gaps_of_eg():
    line = run(gap=10.0 ** (1 - PASSES / 4))
    bent = run(gap=[9e9, 8, 4, 0, 1, 0.5], passes=[0, 1, 2, 3, 4, 5])
    few = run(gap=[9, 8, 4, 0, 0, 0])
    found = measured(rules.linear_gap, {"eg 1": line, "eg 2": bent, "eg 3": few}, C=(1.0, 2.0, 3.0))
    assert found[0].value == pytest.approx(1) and found[0].told == "-0.25 decades a pass"
    assert np.isnan(found[1].value) and found[2].state == "more checkpoints", "four points are too few"
    gaps = [run(relative_gap=np.append(np.ones(5), each)) for each in (0.1, 0.001)]
    (open_end, close) = measured(rules.last_gap, {"eg 1": gaps[0], "eg 2": gaps[1]}, C=(1.0, 2.0))
    assert (open_end.value, open_end.bound, close.value, close.bound) == (0.1, "at most", 0.001, "")
    assert open_end.source == "certified" and open_end.told == "after 16 passes"
    (long,) = measured(rules.last_gap, {"eg 1": run(passes=PASSES * 20, relative_gap=np.full(6, 0.1))}, C=(1.0,))
    assert long.bound == ""
    at = [run(relative_gap=each) for each in ([1, 1, 0.01, 0.001, 1e-4, 1e-5], [1, 1, 1, 1, 0.01, 0.001])]
    runs = {"eg 100": at[0], "eg 10": at[1]}
    assert values(rules.passes_by_C, runs, Cs=(100.0, 10.0), level=0.01) == near(10 / 2)
    assert values(rules.passes_to_gap, runs, C=(100.0, 10.0)) == near(4 - 1, 16 - 1)
    gaps = {"eg 1": run(gap=[90, 9, 0.5, 0.1, 0.1, 0.1]), "eg cyclic 1": run(gap=[90, 9, 9, 0.5, 0.1, 0.1])}
    assert values(rules.cyclic_over_random, gaps, C=1.0) == near(4 / 2)  # 0.5 is 1 % of the optimum


def test_errors_and_starts_of_eg():
    level = [0.9, 0.5, 0.3, 0.102, 0.1, 0.1]
    runs = {"eg 10": run(test_error=level), "eg 1": run(test_error=[0.9, 0.8, 0.7, 0.6, 0.202, 0.2])}
    assert values(rules.error_passes_by_C, runs, C=10.0, other=1.0) == near(10 / 4)
    assert values(rules.error_apart, runs) == near(100 * (0.1 - 0.2))
    runs |= {"eg 100": run(test_error=np.full(6, 0.27))}
    found = measured(rules.error_above, runs, C=(100.0,))
    assert found[0].value == pytest.approx(7) and found[0].state == "more passes"
    close = {name: run(relative_gap=np.full(6, rules.CLOSE)) for name in runs}
    assert (
        measured(rules.error_apart, close)[0].state
        == measured(rules.error_above, close, C=(100.0,))[0].state
        == ""
    )
    assert values(rules.retried, runs, C=(1.0,)) == [0.25]
    primal = BEST + np.array([40, 9, 0.5, 0.1, 0.1, 0.1])
    slow = BEST + np.array([40, 9, 9, 9, 0.5, 0.1])
    pairs = {
        "eg 10": run(primal=primal),
        "eg batch 10": run(primal=slow),
        "eg 1": run(primal=slow, test_error=level),
    }
    pairs["eg annealed 1"] = run(primal=primal, test_error=[0.9, 0.3, 0.102, 0.1, 0.1, 0.1])
    assert values(rules.time_to_level, pairs, other="eg batch", C=10.0, level=0.01) == near(10 / 2)
    assert values(rules.time_to_level, pairs, other="eg", mine="eg annealed", C=1.0, level=0.01) == near(10 / 2)
    assert values(rules.regular_over_annealed_in_error, pairs, C=1.0) == near(4 / 2)
