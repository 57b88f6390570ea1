"""Figures and claims of eg2008: every figure draws, every rule tells a curve that obeys from one that does not."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from structbench.bench.papers import eg2008
from structbench.bench.papers.eg2008 import claims, rules
from structbench.bench.papers.eg2008.runs import GAP, Task
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.judging import judge
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from tests.bench import synthetic_curves
from tests.bench.papers.helpers import as_stored, cases, drawn, of, rules_are_fair, shown

STEMS = {f"fig{number}-mnist" for number in ("04", "05", "06", "07", "08", "09", "10", "11", "14")}
FIGURES = {stem: figure for stem, figure in eg2008.figures_of("tiny").items() if stem in STEMS}
claims_of = cache(claims.eg2008_claims)
YES, NO, OPEN, PART, LESS = "reproduced", "not reproduced", "open", "in part", "weaker"
RATES = {  # of the gap, in nats a pass
    "eg": {1000: 1.1, 100: 0.9, 10: 0.6, 1: 0.045, 0.1: 0.001},
    "sgd": {1000: 0.05, 100: 0.03, 10: 0.002, 1: 0.0005},
    "lbfgs": {1000: 0.3, 100: 0.3, 10: 0.2, 1: 0.01},
    "conjugate-gradient": {100: 0.2, 10: 0.1},
}
VARIANTS = {
    "cyclic": 0.3,
    "annealed": 4.0,
    "batch": 0.1,
    "fixed": 0.5,
    "post-hoc": 40.0,
}  # as fast as the usual one
ONE = replace(eg2008.tasks("tiny")[0], passes=400.0, sgd_passes=60.0, batch_passes=100.0)
MNIST = replace(ONE, seeds=(0, 1, 2))


def variants_of(spec: Spec) -> list[str]:
    """What is unusual of a run."""
    params = dict(spec.params)
    found = {
        "cyclic": params.get("order") == "cyclic",
        "annealed": params.get("anneal", 0) > 0,
        "batch": params.get("mode") == "batch",
        "fixed": params.get("decay") is False,
        "post-hoc": params.get("eta0", 0) > 0,
        "uniform": params.get("start") == 0,
    }
    return [name for name, it_is in found.items() if it_is]


def options_of(spec: Spec, changes: dict[str, dict]) -> dict:
    """How a run obeys every claim, and what is changed of it."""
    options = {"rate": RATES[spec.algorithm].get(spec.C, 0.0005), "gap0": 40.0 if spec.C > 1 else 1.0}
    options["second_per_pass"] = 0.105 if spec.algorithm == "eg" else 0.1
    options["haste"] = {"eg": 1.1, "sgd": 6.0}.get(spec.algorithm, 0.5)
    if spec.algorithm == "sgd":
        options["eta0"] = dict(spec.params)["eta0"] or (0.001 if spec.C == 1000 else 0.01)
        options["gap0"] = 0.4 if spec.C > 1 else 0.8
    if spec.algorithm == "eg" and spec.C <= 1:
        options["haste"] = 0.4
    for name in variants_of(spec):
        options["rate"] *= VARIANTS.get(name, 1.0)
        options["haste"] *= 5.0 if name == "annealed" else 1.0
        options["gap0"] *= 2.0 if name == "fixed" else 1.0
    for name in (spec.algorithm.replace("-", "_"), f"{spec.algorithm}_{spec.C:g}", *variants_of(spec)):
        options |= changes.get(name, {})
    return options


def kept(runs: Runs, spec: Spec, options: dict) -> None:
    rate = options["rate"] * (1 + options.get("shake", 0.0) * spec.seed)
    end = spec.passes
    if spec.algorithm != "sgd":  # it has no dual value, by which it would end
        end = min(end, 2 + np.log(options["gap0"] / GAP) / rate)
    passes = np.concatenate([[0.0], np.geomspace(0.1, 1.0, 4), np.geomspace(1.2, end, 40)])
    rest = {name: value for name, value in options.items() if name != "shake"}
    synthetic_curves.write(runs, spec, **rest | {"passes": passes, "rate": rate})


@cache
def obeying() -> Runs:
    """Runs that obey every claim on MNIST, three seeds."""
    runs = synthetic_curves.of()
    for spec in MNIST.all_specs():
        kept(runs, spec, options_of(spec, {}))
    return runs


def family(**changes: dict) -> Runs:
    """The same, but for changes of some runs by algorithm, algorithm_C or variant; ``shake``: by seed."""
    runs = synthetic_curves.of(*synthetic_curves.all_of(obeying()))
    for spec in MNIST.all_specs():
        if (options := options_of(spec, changes)) != options_of(spec, {}):
            kept(runs, spec, options)
    return runs


def judged(runs: Runs, task: Task = MNIST, *names: str) -> dict[str, Judged]:
    """The claims on MNIST with the log loss, or those of these names, judged."""
    made = [c for c in claims_of(task) if (short(c.id) in names if names else c.row.runs != ("path",))]
    made = [c for c in made if c.runs and not any("path" in name for name in c.row.runs)]
    return {short(said.id): said for said in judge(made, runs)}


def short(name: str) -> str:
    return name.removeprefix("eg2008/").removesuffix("-mnist")


def test_what_is_random_has_the_seeds_that_decide() -> None:
    """Three or more; at ``quick`` the uniform start, which no verdict reads, has one."""
    for scale, seeds, uniform in (("quick", 3, 1), ("paper", 10, 10)):
        mnist = eg2008.tasks(scale)[0]
        assert [spec.seed for spec in mnist.specs("eg", 10.0)] == [*range(seeds)]
        assert [spec.seed for spec in mnist.specs("eg", 10.0, start=0.0)] == [*range(uniform)]
        assert len(mnist.specs("lbfgs", 10.0)) == len(mnist.specs("eg", 1.0, order="cyclic")) == 1
        assert len(mnist.specs("eg", 10.0, mode="batch")) == 1
    assert [len(task.seeds) for task in eg2008.tasks("paper")] == [10, 5, 3]
    assert [len(task.seeds) for task in eg2008.tasks("quick")] == [3, 3, 3]


def test_every_run_is_drawn_or_judged_and_figures_draw_without_some(tmp_path: Path) -> None:
    runs = synthetic_curves.of()
    tiny = eg2008.tasks("tiny")[0]
    for spec in tiny.all_specs():
        synthetic_curves.write(runs, spec)
    used = {spec.key for claim in claims_of(tiny) for spec in claim.runs if spec.algorithm != "eg-path"}
    assert used | shown(drawn("eg2008", FIGURES, runs, tmp_path)) == {spec.key for spec in tiny.all_specs()}
    for spec in (*tiny.specs("eg", 10.0), *tiny.specs("eg", 1.0)):
        synthetic_curves.drop(runs, spec.key)
    drawn("eg2008", FIGURES, runs, tmp_path, lacking=True)


def test_all_claims_hold_on_curves_that_obey_them() -> None:
    found = judged(obeying())
    assert len(found) == 30
    assert {claim: said.answer for claim, said in found.items() if said.verdict != YES} == {}
    rules_are_fair([*found.values()])
    as_stored("eg2008", found.values())


def test_one_seed_decides_nothing_but_what_is_free_of_noise() -> None:
    found = judged(obeying(), ONE)
    decided = {claim for claim, said in found.items() if said.verdict != OPEN}
    assert decided == {"conjugate-below-lbfgs", "same-value"}
    assert found["beats-lbfgs"].answer.partition(";")[2].startswith(" open in 8; needs 3 repetitions or more")


def test_seeds_that_scatter_decide_nothing() -> None:
    """Each seed is faster by much, but how much differs by more."""
    said = judged(family(annealed={"rate": 0.08, "shake": 1.5}), MNIST, "anneal-faster")["anneal-faster"]
    assert said.verdict == OPEN
    assert [each.needs.split()[-1] for each in said.conditions if each.outcome == "open"] == ["repetitions"]


def test_seeds_that_chose_different_rates_are_not_averaged() -> None:
    runs = synthetic_curves.of(*synthetic_curves.all_of(obeying()))
    spec = MNIST.specs("sgd", 10.0)[2]
    kept(runs, spec, options_of(spec, {}) | {"eta0": 0.1})
    said = judged(runs, MNIST, "converges-before-sgd")["converges-before-sgd"]
    found = [(each.where["C"], each.where["rate"], each.count) for each in said.conditions]
    assert found[:4] == [(1000.0, 0.001, 3), (100.0, 0.01, 3), (10.0, 0.01, 2), (10.0, 0.1, 1)]
    assert said.verdict == OPEN


def test_the_start_nearest_to_the_paper_counts_and_the_other_is_told() -> None:
    runs = family(uniform={"rate": 0.01, "haste": 0.01, "power": True})
    for name, said in judged(runs, MNIST, "beats-lbfgs", "lbfgs-error", "linear-gap").items():
        assert said.verdict == YES, name
        assert "from uniform u" in said.answer, name
        assert any(each.outcome not in ("holds", "weaker") for each in said.conditions), name


def test_a_start_with_one_seed_is_one_repetition_and_counts_for_nothing() -> None:
    runs = family(uniform={"rate": 0.01, "haste": 0.01, "power": True})
    said = judged(runs, replace(MNIST, uniform_seeds=1), "beats-lbfgs")["beats-lbfgs"]
    assert said.verdict == YES
    assert {(each.choice, each.counted, each.count) for each in said.conditions} == {
        ("", True, 3),
        ("from uniform u", False, 1),
    }


OTHER_OPTIMUM = {f"{name}_1": {"best": 1e4} for name in ("eg", "sgd", "lbfgs")}
RULES = [
    ("linear-gap", {"eg_10": {"power": True, "rate": 0.3}}, PART),
    ("same-value", of("eg_1", "floor"), {0.01: OPEN}),
    ("faster-larger-C", of("eg_1000", "rate"), {0.3: PART}),
    ("fast-in-error", of("eg_1", "haste"), {9.0: NO}),
    ("random-order", of("cyclic", "rate"), {0.045: NO, 0.026: LESS}),
    ("error-C10-C1", of("eg_1", "error"), {0.0770: PART}),
    ("error-C10-C1", of("eg_1", "floor"), {0.002: OPEN}),
    ("table2-passes", of("eg_1000", "gap0"), {0.1: NO}),
    ("overtakes-sgd", of("eg_100", "rate"), {0.3: PART}),
    ("overtakes-sgd-C1", of("eg_1", "gap0"), {3.0: NO}),
    ("converges-before-sgd", of("sgd_100", "rate"), {1.0: PART}),
    ("more-pronounced", of("sgd_10", "rate"), {0.06: PART}),
    ("more-pronounced", OTHER_OPTIMUM, PART),  # it is a share of the optimum
    ("sgd-lead-in-error", of("eg_10", "error", haste=1.1), {0.0790: NO}),
    ("sgd-lead-in-error", of("eg_10", "haste"), {9.0: PART}),
    ("sgd-alike-small-C", of("sgd_0.1", "error"), {0.0790: PART}),
    ("eta0-selected", of("sgd_10", "eta0"), {0.1: PART}),
    ("eta0-post-hoc", of("sgd_1", "eta0"), {0.1: OPEN}),
    ("eta0-post-hoc", of("post-hoc", "rate"), {0.0001: NO}),
    ("decay-beats-fixed", of("fixed", "rate"), {3.0: NO}),
    ("beats-lbfgs", of("lbfgs_10", "rate"), {0.6: PART}),
    ("beats-lbfgs", {"eg_1": {"floor": 0.001}, "lbfgs_1": {"floor": 0.001}}, OPEN),
    ("beats-conjugate", of("conjugate_gradient", "rate"), {2.0: NO}),
    ("conjugate-below-lbfgs", of("conjugate_gradient", "rate"), {2.0: NO}),
    ("online-beats-batch", of("batch", "rate"), {0.9: NO}),
    ("lbfgs-error", of("lbfgs_1", "error"), {0.0710: PART}),
    ("few-retries", {"eg_10": {"notes": {"retried": 120}}}, PART),
    ("slow-low-C", of("eg_0.1", "rate"), {0.1: PART}),
    ("cost-sgd", of("eg_10", "second_per_pass"), {0.2: NO}),
    ("cost-lbfgs", of("eg_10", "second_per_pass"), {0.2: NO, 0.108: YES}),
    ("fastest-in-seconds", of("lbfgs_10", "second_per_pass"), {0.01: PART}),
    ("timed-alike", of("lbfgs_10", "second_per_pass"), {0.3: NO}),
    ("sgd-quick-in-accuracy", of("sgd_10", "rate"), {0.5: PART}),
    ("sgd-quick-in-accuracy", of("sgd_10", "haste"), {0.4: PART}),
    ("sgd-quick-in-accuracy", of("sgd_10", "status"), {"diverged": OPEN}),
    ("anneal-faster", of("annealed", "rate"), {0.04: PART}),
    ("repeated-trials", of("eg_10", "shake"), {1.0: PART}),
]


@pytest.mark.parametrize(("claim", "changes", "verdict"), cases(RULES))
def test_each_rule_notices_a_curve_that_breaks_it(claim: str, changes: dict, verdict: str) -> None:
    said = judged(family(**changes), MNIST, claim)[claim]
    assert said.verdict == verdict, said.answer


def test_no_theorem_is_a_claim() -> None:
    assert not [
        claim for claim in eg2008.claims_of("paper") if "Theorem" in claim.row.where or "bound" in claim.id
    ]


def test_twins_say_whose_numbers_they_are() -> None:
    for claim in eg2008.claims_of("quick"):
        if not claim.id.endswith(("-mnist", "-parsing")):
            assert "(substitute data: " in claim.row.text
            assert not claim.row.theirs or claim.row.theirs.startswith("on MNIST: ")


def trial(passes: float) -> Any:
    """A seed whose EG comes to a gap of 0.01 after these passes."""
    curve = pd.DataFrame({"passes": [0.0, passes], "relative_gap": [np.nan, 0.01]})
    return SimpleNamespace(run=lambda name, C: SimpleNamespace(curve=curve))


def test_how_far_trials_are_apart_is_that_of_many_draws() -> None:
    """Of pairs of trials with the deviation that is found, 95 of 100 are within the factor."""
    rng = np.random.default_rng(0)
    passes = np.exp(2 + 0.1 * rng.normal(size=2000))
    found = rules.trials_apart([trial(each) for each in passes], 1.0, 0.01)
    ratios = np.exp(np.abs(0.1 * np.diff(rng.normal(size=(20_000, 2)), axis=1)))
    assert found.value == pytest.approx(np.quantile(ratios, 0.95), rel=0.02)
    assert found.low < found.value < found.high < 1.1 * found.low
    few = rules.trials_apart([trial(3.0)], 1.0, 0.01)
    assert np.isnan(few.value) and few.count == 1
