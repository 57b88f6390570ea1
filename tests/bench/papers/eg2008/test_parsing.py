"""Dependency parsing in eg2008: figures, Table 3, and rules that notice what breaks them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from structbench.algorithms.learning.falling_strengths import strengths
from structbench.bench.papers import eg2008
from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.eg2008 import claims, parsing
from structbench.bench.papers.eg2008.parsing import TABLE3, Parsing
from structbench.bench.papers.eg2008.runs import STARTS, UNIFORM
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.judging import judge
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from tests.bench import synthetic_curves
from tests.bench.papers.eg2008.paths import changed, write_path
from tests.bench.papers.helpers import as_stored, cases, drawn, of, rules_are_fair, shown
from tests.narrowing import not_none


def task_of(scale: str) -> Parsing:
    return not_none(parsing.task_of(scale))


WHOLE = replace(task_of("paper"), seeds=(0,))
ALIKE = replace(WHOLE, seeds=(0, 1, 2))  # made-up runs do not depend on the seed
claims_of = cache(claims.eg2008_claims)
YES, NO, OPEN, PART, LESS = "reproduced", "not reproduced", "open", "in part", "weaker"
RATE = {"eg": 1.35, "sgd": 0.3, "lbfgs": 0.5, "cutting-plane": 0.1, "perceptron": 1.0, "sequential-dual": 0.5}
HASTE = {"eg": 3.0, "sgd": 4.0, "lbfgs": 1.0, "cutting-plane": 1.0}
BESIDE = ("theirs", "ours", "uniform", "more features")
# SGD's learning rates: all are fast at first, and 0.1 alone goes on
RATES = {1.0: (1.0, 0.3), 0.1: (0.12, 1e-8), 0.01: (1.0, 0.1), 0.001: (0.02, 0.2), 0.0001: (0.02, 0.3)}


def test_fewer_than_three_seeds_decide_nothing() -> None:
    verdicts = [verdict_of("table3-total", replace(WHOLE, seeds=seeds)) for seeds in ((0,), (0, 1), (0, 1, 2))]
    assert verdicts == [OPEN, OPEN, YES]


def options_of(spec: Spec, changes: dict[str, dict]) -> dict[str, Any]:
    """The shape of a curve that obeys every claim, with the changes to this run's names."""
    params, C, name = dict(spec.params), spec.C, spec.algorithm
    made: dict[str, Any] = {"rate": RATE[name], "gap0": 40.0, "error": 0.2, "haste": HASTE.get(name, 3.0)}
    names = [name, f"{name}_{C:g}", f"{spec.loss}_{name}", f"{spec.loss}_{name}_{C:g}"]
    if name == "eg":
        made |= {"second_per_pass": 0.11, "error": 0.2 if {"log": 10, "hinge": 100}[spec.loss] == C else 0.21}
        names += ["uniform"] if params["start"] == UNIFORM else []
    if name == "sgd":
        made |= {"gap0": 0.4, "floor": 0.1 if C <= 10 else 1e-8}
        if params["eta0"]:
            made["rate"], made["floor"] = RATES[params["eta0"]]
            names = [f"rate_{params['eta0']:g}"]
    if spec.loss == "hinge":
        made["passes"] = np.concatenate([[0.0], np.geomspace(0.1, 3000, 150)])
        if C == 1 and name != parsing.DUAL:
            made["rate"] = 0.02 if name == "eg" else 0.015
    else:
        made["passes"] = np.concatenate([[0.0], np.geomspace(0.1, spec.passes, 150)])
    if name == "perceptron":
        made["error"] = 0.22
    for each in names:
        made |= changes.get(each, {})
    return made


def family(specs: list[Spec], steps=TABLE3, **changes: dict) -> Runs:
    """Runs that obey every claim; ``changes``: those of some runs by the names that ``options_of`` gives them."""
    runs = synthetic_curves.of()
    for spec in dict.fromkeys(specs):
        if spec.algorithm == "eg-path":
            write_path(runs, spec, [(C, passes, 1 - accuracy / 100) for C, passes, _, accuracy in steps])
        else:
            synthetic_curves.write(runs, spec, **options_of(spec, changes))
    return runs


def everything(task: Parsing) -> list[Spec]:
    return [spec for specs in task.runs_of().values() for spec in specs]


def judged(runs: Runs, task: Parsing = ALIKE) -> dict[str, Judged]:
    found = judge(claims_of(task), runs)
    return {said.id.removeprefix("eg2008/").removesuffix("-parsing"): said for said in found}


def one(name: str, runs: Runs, task: Parsing = ALIKE) -> Judged:
    """What is said of one claim alone."""
    return judge([claim for claim in claims_of(task) if claim.id == f"eg2008/{name}-parsing"], runs)[0]


def verdict_of(name: str, task: Parsing = ALIKE, **shapes: Any) -> str:
    """The verdict on one claim, on its own runs; ``shapes``: see ``family``."""
    (claim,) = (claim for claim in claims_of(task) if claim.id == f"eg2008/{name}-parsing")
    return judge([claim], family(claim.runs, **shapes))[0].verdict


def test_all_claims_hold_on_curves_that_obey_them() -> None:
    found = judged(family(everything(ALIKE)))
    assert len(found) == 18
    assert {name: said.answer for name, said in found.items() if said.verdict != YES} == {}
    rules_are_fair([*found.values()])
    as_stored("eg2008-parsing", found.values())


def both(one: str, other: str) -> Callable:
    """Two learners, how near they come to the optimum."""
    return lambda first, second: {one: {"floor": first}, other: {"floor": second}}


PASSES, ACCURACY = 1, 3  # columns of Table 3


def step(row: int, column: int) -> Callable:
    """One number of the path."""
    return lambda value: {"steps": changed(TABLE3, row, column, value)}


RULES = [
    ("converge", of("lbfgs_100", "floor"), {0.1: PART}),
    ("converge", {"sgd": {"dual": 1.0}, "eg": {"dual": 1.0}, "lbfgs": {"dual": 1.0}}, OPEN),
    ("faster-than-lbfgs", of("lbfgs_10", "rate"), {1.3: PART}),
    ("faster-than-lbfgs", both("log_eg_1", "lbfgs_1"), {(0.1, 0.1): OPEN}),
    ("sgd-fails", of("sgd_1", "floor"), {1e-8: PART}),
    ("sgd-slower", of("sgd_100", "rate"), {3.0: PART}),
    ("sgd-slower", both("sgd_1000", "sgd_100"), {(0.1, 0.1): OPEN}),
    ("sgd-good-rates", of("rate_0.1", "rate"), {1.0: PART}),
    ("sgd-good-rates", of("rate_0.1", "floor"), {0.05: NO}),
    ("sgd-good-rates", of("rate_1", "status"), {"diverged": OPEN}),
    ("accuracy-above-lbfgs", of("lbfgs_1", "haste"), {2.8: PART}),
    ("accuracy-above-lbfgs", of("lbfgs_1", "error"), {0.19: PART}),
    ("accuracy-as-sgd", of("sgd", "error"), {0.22: NO}),
    ("accuracy-as-sgd", of("sgd", "haste"), {12.0: PART}),
    ("fastest-in-seconds", of("sgd_10", "rate", floor=1e-8), {3.0: PART}),
    ("fastest-in-seconds", of("log_eg_10", "second_per_pass"), {1.0: PART}),
    ("sgd-quick-in-accuracy", of("sgd_10", "rate", floor=1e-8), {2.0: PART}),
    ("sgd-quick-in-accuracy", of("sgd_10", "haste"), {1.0: PART}),
    ("above-perceptron", of("perceptron", "error"), {0.19: NO}),
    ("faster-than-svm-struct", of("cutting-plane", "rate", haste=3.0), {1.3: NO}),
    ("faster-than-svm-struct", of("cutting-plane", "haste"), {3.0: PART}),
    ("faster-than-svm-struct", of("hinge_eg", "dual"), {1.0: PART}),
    ("faster-than-svm-struct", both("hinge_eg", "cutting-plane"), {(0.1, 0.1): OPEN}),
    ("comparable-at-C1", of("cutting-plane_1", "rate"), {0.004: PART}),
    ("comparable-at-C1", of("cutting-plane_1000", "rate"), {1.5: PART}),  # it is at another C, too
    ("comparable-at-C1", both("hinge_eg_1", "cutting-plane_1"), {(0.1, 0.1): YES, (0.1, 0.9): PART}),
    ("best-C-log", of("log_eg_1", "error"), {0.19: NO, 0.197: YES}),
    ("best-C-log", both("log_eg_1", "lbfgs_1"), {(0.1, 0.1): OPEN}),
    ("best-C-hinge", of("hinge_eg_10", "error"), {0.19: NO}),
    ("table3-total", step(0, PASSES), {300.0: NO}),
    ("table3-total", {"steps": TABLE3[:20]}, OPEN),
    ("table3-accuracies", step(3, ACCURACY), {76.0: PART}),
    ("table3-best-C", step(20, ACCURACY), {81.0: NO, 80.8: YES}),
]


@pytest.mark.parametrize(("claim", "changes", "verdict"), cases(RULES))
def test_each_rule_notices_a_curve_that_breaks_it(claim: str, changes: dict, verdict: str) -> None:
    assert verdict_of(claim, **changes) == verdict


def test_the_start_nearest_to_the_paper_counts() -> None:
    said = one("faster-than-lbfgs", family(ALIKE.all_specs(), uniform={"rate": 0.4}))
    assert said.verdict == YES
    assert "from uniform u" in said.answer


def test_seeds_must_agree() -> None:
    runs = family(ALIKE.all_specs())
    assert one("accuracy-as-sgd", runs).verdict == YES
    for C in ALIKE.Cs:
        synthetic_curves.write(runs, ALIKE.specs("sgd", C)[-1], error=0.25)
    assert one("accuracy-as-sgd", runs).verdict == OPEN


@pytest.mark.parametrize(("claim", "verdict"), [("converge", OPEN), ("sgd-fails", OPEN), ("sgd-good-rates", OPEN)])
def test_runs_that_end_early_decide_nothing_about_convergence(claim: str, verdict: str) -> None:
    changes = {"lbfgs_100": {"floor": 0.1}, "rate_0.1": {"floor": 0.05, "rate": 1.0}}
    assert verdict_of(claim, replace(ALIKE, passes=20.0), **changes) == verdict


def test_seconds_leave_the_selection_of_learning_rates_out() -> None:
    runs = family(ALIKE.problem(10.0))
    spec = ALIKE.specs("eg", 10.0)[0]
    for column in ("wall_seconds", "cpu_seconds"):
        runs.finished(spec).curve[column] += 1000.0
    assert one("fastest-in-seconds", runs).verdict == YES


def test_numbers_of_the_paper_are_judged_on_all_of_its_data_alone() -> None:
    numbers = {row.id for row in rows(claims.ON_TREES) if row.only}
    assert numbers <= {*judged(Runs(Path("nowhere")))}
    for scale in ("tiny", "quick"):
        found = judged(Runs(Path("nowhere")), task_of(scale))
        assert not numbers & {*found}
        assert all("a part of them" in said.setting for said in found.values())


@pytest.mark.parametrize("scale", ["tiny", "quick"])
def test_a_smaller_scale_asks_only_for_the_runs_that_its_claims_need(scale: str) -> None:
    task = task_of(scale)
    for claim in claims_of(task):
        assert judge([claim], family(claim.runs, task.rows()))[0].conditions, claim.id


@pytest.mark.parametrize("scale", ["tiny", "paper"])
def test_every_run_is_shown_and_every_figure_draws(tmp_path: Path, scale: str) -> None:
    task = replace(task_of(scale), seeds=(0,))
    found = drawn("eg2008", eg2008.figures_on(task), family(everything(task), task.rows()), tmp_path)
    assert not {*task.failing()} & {*task.all_specs()}  # their seeds are others
    assert shown(found) == {spec.key for spec in everything(task)} - {spec.key for spec in task.failing()}


def test_figures_draw_without_the_runs_that_are_missing(tmp_path: Path) -> None:
    runs = family(everything(WHOLE))
    for spec in [*WHOLE.problem(10.0), *WHOLE.hinge_problem(100.0), *WHOLE.path()]:
        synthetic_curves.drop(runs, spec.key)
    drawn("eg2008", eg2008.figures_on(WHOLE), runs, tmp_path, lacking=True)


def test_the_path_of_table3_is_the_algorithms() -> None:
    for scale in ("tiny", "quick", "paper"):
        task = task_of(scale)
        for start in STARTS:
            spec = replace(task, start=start).path()[0]
            found = strengths(dict(spec.params)["first"], dict(spec.params)["ratio"], spec.C)
            assert found == pytest.approx([C for C, *_ in task.rows()], rel=2e-3)  # 0.7979 is printed as 0.797
            assert dict(spec.params)["start"] == start
    assert WHOLE.rows() == [*TABLE3]


def test_table3_stands_beside_the_papers(tmp_path: Path) -> None:
    paths = [spec for start in STARTS for spec in replace(WHOLE, start=start).path()]
    runs = family(paths + WHOLE.rich_path())
    (uniform,) = replace(WHOLE, start=UNIFORM).path()
    write_path(runs, uniform, [(1000.0, 9.0, 0.28), (700.0, 9.0, 0.3)])  # cut at its second C
    table = {"table": eg2008.figures_on(WHOLE)["table3-parsing"]}
    rows = drawn("eg2008", table, runs, tmp_path)["table"]["table"]
    assert len(rows) == 21
    heads = [f"{name}, {whose}" for name in ("iterations", "total", "accuracy") for whose in BESIDE]
    heads.append("accuracy, ours, no punctuation")
    said = ["8.00", "8.00", "9.00", "8.00"] * 2 + ["72.44", "72.44", "72.00", "72.44", "80.00"]
    assert rows[0] == {"C": "1000"} | dict(zip(heads, said, strict=True))
    assert (rows[-1]["total, theirs"], rows[-1]["total, ours"]) == ("389.65", "389.65")
    assert rows[-1]["total, uniform"] == "-"


def test_eg_and_svm_struct_have_the_same_seconds_and_eg_calibrates_its_step_size() -> None:
    for task in map(task_of, ("tiny", "quick", "paper")):
        found = [spec for C in task.hinge_Cs for spec in task.hinge_problem(C)]
        specs = [spec for spec in found if spec.algorithm != parsing.DUAL]
        assert {spec.C for spec in {*found} - {*specs}} == {*task.certified_at}
        assert {spec.algorithm for spec in specs} == {"eg", "cutting-plane"}
        assert {(spec.seconds, spec.passes) for spec in specs} == {(task.seconds, parsing.NO_LIMIT)}
    assert all(dict(s.params)["calibrate"] for s in WHOLE.all_specs() if s.algorithm == "eg")
    assert not any(dict(s.params)["calibrate"] for s in eg2008.tasks("paper")[0].specs("eg", 10.0))


def test_runs_whose_seconds_are_read_are_timed() -> None:
    timed = {*eg2008.timed_of("paper")}
    task = task_of("paper")
    assert timed >= {*task.specs("sgd", 10.0), *task.method("none", crossing=True)}
    assert {*task.hinge_problem(1.0)} - timed == {*task.certifying(1.0)}
    assert not timed & {*task.specs("sgd", 100.0), *task.path(), *task.failing()}
