"""Figures and claims of eg2008: every figure draws, every rule tells a curve that obeys from one that does not."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bench.drawing import curves
from bench.drawing.draw import draw
from bench.papers import eg2008
from bench.papers.eg2008 import claims as eg2008_claims
from bench.papers.eg2008 import max_margin as eg2008_maxmargin
from bench.papers.eg2008 import parsing_rules as eg2008_parsing
from bench.papers.eg2008 import path as eg2008_path
from bench.papers.eg2008 import rates as eg2008_rates
from bench.papers.eg2008 import rules as eg2008_rules
from bench.papers.eg2008 import update_cost as eg2008_cost
from bench.papers.judging import judge
from bench.runs.finished import Runs
from tests.bench import synthetic_curves

STEMS = ("fig04", "fig05", "fig06", "fig07", "fig08", "fig09", "fig10", "fig11", "fig14")
PARSING = {"fig12-parsing", "fig13-parsing", "fig15-parsing", "table3-parsing", "parsing-methods"}
OTHERS = {"fig13-chunking", "table1-mnist", "table2-mnist"} | PARSING
RULES = (eg2008_rules, eg2008_maxmargin, eg2008_path, eg2008_rates, eg2008_cost, eg2008_parsing)
RATES = {"eg": 1.35, "sgd": 0.12, "lbfgs": 0.5}
MNIST = eg2008.tasks("tiny")[0]


def family(**changes) -> Runs:
    """Runs that obey every claim on MNIST; ``changes``: those of some runs by algorithm, algorithm_C or start."""
    runs = synthetic_curves.of()
    for spec in MNIST.all_specs():
        cyclic = dict(spec.params).get("order") == "cyclic"
        uniform = dict(spec.params).get("start") == 0
        options = {"rate": RATES[spec.algorithm] * {1000: 1.05, 100: 1.03, 10: 1.02}.get(spec.C, 1.0)}
        options["gap0"] = {"eg": 40.0, "sgd": 0.4, "lbfgs": 40.0}[spec.algorithm]
        options["second_per_pass"] = 0.11 if spec.algorithm == "eg" else 0.1
        if spec.algorithm == "sgd":
            options["eta0"] = dict(spec.params)["eta0"] or (0.001 if spec.C == 1000 else 0.01)
            options["rate"] *= 1.5 if dict(spec.params)["eta0"] else 1.0
        if cyclic:
            options["rate"] = 0.5
        annealed = dict(spec.params).get("anneal", 0) > 0
        if annealed:
            options["rate"] *= 2
        variant = "cyclic" if cyclic else "annealed" if annealed else "uniform" if uniform else ""
        for name in (spec.algorithm, f"{spec.algorithm}_{spec.C:g}", variant):
            options |= changes.get(name, {})
        synthetic_curves.write(runs, spec, **options)
    return runs


def verdicts(runs: Runs) -> dict[str, str]:
    """Of the claims on MNIST with the log loss."""
    own = {claim.id for start in (10.0, 0.0) for claim in eg2008_claims.claims(replace(MNIST, start=start))}
    return {
        said["id"].removeprefix("eg2008/").removesuffix("-mnist"): said["verdict"]
        for said in judge(eg2008.claims_of("tiny"), runs)
        if said["id"] in own
    }


@pytest.mark.parametrize("scale", ["tiny", "quick", "paper"])
def test_names_and_runs_of_a_scale(scale: str) -> None:
    tasks = ("mnist", "chunking") if scale == "tiny" else ("mnist", "ocr", "chunking")
    stems = {f"{stem}-{task}" for stem in (*STEMS, "fig16") for task in tasks} | OTHERS
    assert set(eg2008.figures_of(scale)) == stems
    families = eg2008.runs_of(scale)
    kinds = [f"eg2008/{task}-{loss}" for task in tasks for loss in ("log", "hinge")]
    trees = [f"eg2008/parsing-{name}" for name in ("log", "hinge", "path", "methods")]
    assert list(families) == [*kinds, "eg2008/mnist-path", "eg2008/mnist-rates", *trees]
    keys = {spec.key for specs in families.values() for spec in specs}
    assert len(keys) == sum(map(len, families.values())), "a run is listed twice"
    claims = eg2008.claims_of(scale)
    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert {spec.key for spec in claim.runs} <= keys, claim.id
        assert set(claim.figures) <= stems, claim.id


def test_paper_scale_repeats_what_is_random() -> None:
    mnist = eg2008.tasks("paper")[0]
    assert [spec.seed for spec in mnist.specs("eg", 10.0)] == [0, 1, 2]
    assert len(mnist.specs("lbfgs", 10.0)) == len(mnist.specs("eg", 1.0, order="cyclic")) == 1


def drawn_of_log_loss() -> set[str]:
    return {f"{stem}-mnist" for stem in STEMS}


def test_every_figure_draws_from_its_familys_runs(tmp_path: Path) -> None:
    runs = family()
    listed = {spec.key for spec in MNIST.all_specs()}
    figures = {stem: f for stem, f in eg2008.figures_of("tiny").items() if stem in drawn_of_log_loss()}
    used = set()
    for sidecar in draw("eg2008", figures, runs, tmp_path):
        said = json.loads(sidecar.read_text())
        assert said["missing"] == [], sidecar
        assert set(said["runs"]) <= listed
        used |= set(said["runs"])
    assert used == listed, "a run is made that no figure shows"


def test_figures_draw_without_the_runs_that_are_missing(tmp_path: Path) -> None:
    missing = MNIST.specs("eg", 10.0) + MNIST.specs("eg", 1.0)
    for spec in set(MNIST.all_specs()) - set(missing):
        synthetic_curves.write(tmp_path / "runs", spec)
    figures = {stem: f for stem, f in eg2008.figures_of("tiny").items() if stem in drawn_of_log_loss()}
    for sidecar in draw("eg2008", figures, Runs(tmp_path / "runs"), tmp_path):
        assert json.loads(sidecar.read_text())["missing"], sidecar


def test_all_claims_hold_on_curves_that_obey_them() -> None:
    found = verdicts(family())
    assert len(found) == 26
    assert {claim: verdict for claim, verdict in found.items() if verdict != "reproduced"} == {}


@pytest.mark.parametrize(
    ("claim", "changes"),
    [
        ("linear-gap", {"power": True, "rate": 3.0}),
        ("table2-passes", {"gap0": 1.0}),
        ("overtakes-sgd", {"rate": 0.4}),
        ("overtakes-sgd-C1", {"rate": 0.4}),
        ("sgd-lead-in-error", {"error": 0.090}),
        ("beats-lbfgs", {"rate": 0.4}),
        ("lbfgs-error", {"error": 0.090}),
    ],
)
def test_a_start_is_judged_on_its_own_runs(claim: str, changes: dict) -> None:
    found = verdicts(family(uniform=changes, lbfgs={"rate": 0.9}))
    assert (found[claim], found[f"{claim}-uniform"]) == ("reproduced", "not reproduced")


def test_claims_from_the_uniform_start_say_so() -> None:
    uniform = [claim for claim in eg2008.claims_of("quick") if "-uniform-" in claim.id]
    assert len(uniform) == 9 + 8 + 8
    for claim in uniform:
        assert "EG started from uniform u)" in claim.claim
        assert [s for s in claim.runs if s.algorithm == "eg" and dict(s.params)["start"] == 0], claim.id


def test_nothing_is_claimed_without_runs(tmp_path: Path) -> None:
    assert set(verdicts(Runs(tmp_path)).values()) == {"inconclusive"}


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("linear-gap", {"eg_10": {"power": True, "rate": 3.0}}, "not reproduced"),
        ("faster-larger-C", {"eg_1000": {"rate": 0.9}}, "not reproduced"),
        ("random-order", {"cyclic": {"rate": 2.5}}, "not reproduced"),
        ("random-order", {"cyclic": {"rate": 1.33}}, "inconclusive"),
        ("error-C10-C1", {"eg_1": {"error": 0.090}}, "not reproduced"),
        ("error-C10-C1", {"eg_1": {"rate": 0.8}}, "inconclusive"),
        ("error-C10-C1", {"eg_100": {"error": 0.0750}}, "inconclusive"),
        ("table2-errors", {"eg_1000": {"error": 0.090}}, "not reproduced"),
        ("table2-passes", {"eg_1000": {"gap0": 1.0}}, "not reproduced"),
        ("overtakes-sgd", {"eg_100": {"rate": 0.5}}, "not reproduced"),
        ("overtakes-sgd-C1", {"eg_1": {"rate": 0.5}}, "not reproduced"),
        ("sgd-lead-in-error", {"eg_10": {"error": 0.090}}, "not reproduced"),
        ("sgd-lead-in-error", {"eg_10": {"error": 0.0770}}, "inconclusive"),
        ("eta0-selected", {"sgd_10": {"eta0": 0.1}}, "not reproduced"),
        ("eta0-post-hoc", {"sgd_1": {"rate": 0.1, "eta0": 0.1}}, "inconclusive"),
        ("beats-lbfgs", {"lbfgs_10": {"rate": 4.0}}, "not reproduced"),
        ("beats-lbfgs", {"lbfgs_10": {"rate": 1.25}}, "inconclusive"),
        ("beats-lbfgs", {"eg_1": {"rate": 0.1}, "lbfgs_1": {"rate": 0.1}}, "inconclusive"),
        ("lbfgs-error", {"lbfgs_1": {"error": 0.060}}, "not reproduced"),
        ("lbfgs-error", {"lbfgs_1": {"error": 0.0710}}, "inconclusive"),
        ("cost-sgd", {"eg_10": {"second_per_pass": 0.2}}, "not reproduced"),
        ("cost-lbfgs", {"eg_10": {"second_per_pass": 0.14}}, "inconclusive"),
        ("anneal-faster", {"annealed": {"rate": 1.2}}, "not reproduced"),
        ("anneal-faster", {"annealed": {"rate": 1.7}}, "inconclusive"),
        ("sgd-slow-objective", {"sgd_10": {"rate": 2.0}}, "not reproduced"),
        ("sgd-slow-objective", {"sgd_10": {"status": "diverged"}}, "inconclusive"),
    ],
)
def test_each_rule_notices_a_curve_that_breaks_it(claim: str, changes: dict, verdict: str) -> None:
    assert verdicts(family(**changes))[claim] == verdict


def test_the_rules_are_listed_for_every_claim() -> None:
    for claim in eg2008.claims_of("tiny"):
        name = claim.id.removeprefix("eg2008/").rpartition("-")[0].removesuffix("-uniform")
        assert sum(f"\n{name} " in module.__doc__ for module in RULES) == 1, claim.id


def test_twins_say_whose_numbers_they_are() -> None:
    for claim in eg2008.claims_of("quick"):
        if not claim.id.endswith(("-mnist", "-parsing")):
            assert "(twin: " in claim.claim
            assert claim.theirs == "" or claim.theirs.startswith("on MNIST: ")


def test_settled_is_the_first_place_after_the_last_bad_one() -> None:
    positions = np.array([1.0, 2.0, 3.0, 4.0])
    assert curves.settled(positions, np.array([True, False, True, True])) == 3
    assert curves.settled(positions, np.ones(4, bool)) == 1
    assert curves.settled(positions, np.array([True, True, True, False])) == np.inf


def test_fit_tells_an_exponential_from_a_power_law(tmp_path: Path) -> None:
    spec = MNIST.specs("eg", 10.0)[0]
    straight = curves.log_gap_fit(synthetic_curves.write(tmp_path, spec, rate=1.0).curve)
    assert straight.slope == pytest.approx(-1 / np.log(10))
    assert straight.r2 == pytest.approx(1.0)
    assert straight.r2 > straight.r2_power
    bent = curves.log_gap_fit(synthetic_curves.write(tmp_path, spec, rate=2.0, power=True).curve)
    assert bent.r2 < bent.r2_power
