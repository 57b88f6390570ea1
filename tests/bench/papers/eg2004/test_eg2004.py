"""Figures and claims of eg2004: every figure draws, every rule tells a curve that obeys from one that does not."""

import json
from pathlib import Path

import numpy as np
import pytest

from bench.drawing.draw import draw
from bench.papers import eg2004
from bench.papers.eg2004 import rules as eg2004_rules
from bench.papers.eg2004.setting import CS, QP_CS
from bench.papers.judging import Claim, judge
from bench.runs.finished import Runs
from bench.runs.spec import Spec
from tests.bench import synthetic_curves

STEMS = {"fig04a", "fig04b", "fig04c", "fig-bound"}  # test_grammar.py has the others
TASK = eg2004.task("tiny")
# the dual at pass p is BEST (end - (end - begin) exp(-rate (p - 1)))
DUALS = {
    "smo": {"begin": 0.3, "end": 0.8, "rate": 1.0},
    "eg": {"begin": -1.0, "end": 1.0, "rate": 0.9},
    "smo-eg": {"begin": 0.3, "end": 1.0, "rate": 2.0},
}
PROGRAM = {"B": 30.0, "lambda": 10.0, "divergence": 2.0}


def family(**changes) -> Runs:
    """Runs that obey every claim; ``changes``: those of some by algorithm, step, start or kind."""
    runs = synthetic_curves.of()
    for C in CS:
        for spec in TASK.problem(C):
            params = dict(spec.params)
            fixed = spec.algorithm == "eg" and not params["adaptive"]
            options = DUALS[spec.algorithm] | changes.get(spec.algorithm.replace("-", "_"), {})
            options |= changes.get("fixed", {}) if fixed else {}
            options |= changes.get("theta_3", {}) if params.get("start") == 9.0 else {}
            passes = np.concatenate([[0.0], np.linspace(1, spec.passes, 60)])
            if spec.algorithm == "smo-eg":
                passes[1:] -= 0.5
            dual = options["end"] - (options["end"] - options["begin"]) * np.exp(-options["rate"] * (passes - 1))
            keep(runs, spec, passes, synthetic_curves.BEST * dual)
    for C in QP_CS:
        T = np.geomspace(1, 300, 60)
        options = {"power": 1.5, "shake": 0.0, "scale": 1.0} | changes.get("program", {})
        Q = -synthetic_curves.BEST + options["scale"] * 50.0 / T ** options["power"]
        Q[::2] += options["shake"]
        synthetic_curves.write(runs, TASK.exact(C), rate=5.0)
        keep(runs, TASK.qp(C), np.concatenate([[0.0, 1.0], 1 + T]), -np.concatenate([[np.nan, 0.0], Q]), PROGRAM)
        for k, spec in enumerate(TASK.forms(C)):
            dual = np.linspace(1, 2, 20) * (1 + k * changes.get("forms", {}).get("apart", 1e-12))
            keep(runs, spec, np.arange(1.0, 21.0), dual)
    return runs


def keep(root: Path | Runs, spec: Spec, passes: np.ndarray, dual: np.ndarray, notes: dict | None = None) -> None:
    run = synthetic_curves.write(root, spec, passes=passes, notes=(notes or {}) | {"first_Q": 0.0})
    dual = np.where(passes > 0, dual, np.nan)
    synthetic_curves.keep(root, spec, run.curve.assign(dual=dual, gap=run.curve["primal"] - dual), run.summary)


def of_the_paper(*args) -> list[Claim]:
    """The claims but for those on grammars."""
    return [claim for claim in eg2004.claims_of(*args) if "wcfg" not in claim.id]


def verdicts(runs: Runs) -> dict[str, str]:
    """By claim; those for several C must agree here."""
    found = {}
    for said in judge(of_the_paper("tiny"), runs):
        name = said["id"].removeprefix("eg2004/").partition("-C1")[0]
        assert found.setdefault(name, said["verdict"]) == said["verdict"]
    return found


@pytest.mark.parametrize("scale", ["tiny", "quick", "paper"])
def test_names_and_runs_of_a_scale(scale: str) -> None:
    assert set(eg2004.figures_of(scale)) >= STEMS
    families = eg2004.runs_of(scale)
    assert list(families)[:2] == ["eg2004/entities-hinge", "eg2004/mnist-qp"]
    keys = {spec.key for specs in families.values() for spec in specs}
    assert len(keys) == sum(map(len, families.values())), "a run is listed twice"
    claims = of_the_paper(scale)
    assert len({claim.id for claim in claims}) == len(claims)
    for claim in claims:
        assert {spec.key for spec in claim.runs} <= keys, claim.id
        assert set(claim.figures) <= STEMS, claim.id


def test_other_data_take_the_place_of_the_scales_own() -> None:
    data = "toy-english:sentences=7,task=entities"
    assert {spec.data for spec in eg2004.runs_of("paper", data)["eg2004/entities-hinge"]} == {data}
    assert all(data in figure.caption for stem, figure in eg2004.figures_of("paper", data).items() if "04" in stem)
    assert {s.data for claim in of_the_paper("paper", data) for s in claim.runs} == {data, TASK.qp(10.0).data}


def test_what_is_random_is_repeated() -> None:
    assert [spec.seed for spec in eg2004.task("paper").eg(10.0)] == [0, 1, 2]
    assert [spec.seed for spec in eg2004.task("quick").smo(10.0)] == [0]


def test_theta_is_that_of_all_parts_that_a_wrong_label_touches() -> None:
    (spec,) = TASK.eg(10.0, theta=2.7)
    assert dict(spec.params)["start"] == pytest.approx(8.1)


def test_every_figure_draws_from_the_families_runs(tmp_path: Path) -> None:
    runs = family()
    figures = {stem: figure for stem, figure in eg2004.figures_of("tiny").items() if stem in STEMS}
    for sidecar in draw("eg2004", figures, runs, tmp_path):
        assert json.loads(sidecar.read_text())["missing"] == [], sidecar


def test_figures_draw_without_the_runs_that_are_missing(tmp_path: Path) -> None:
    keep(tmp_path / "runs", TASK.smo(10.0)[0], np.linspace(0, 6, 20), np.linspace(0, 90, 20))
    figures = {stem: figure for stem, figure in eg2004.figures_of("tiny").items() if "04" in stem}
    for sidecar in draw("eg2004", figures, Runs(tmp_path / "runs"), tmp_path):
        assert json.loads(sidecar.read_text())["missing"], sidecar


def test_all_claims_hold_on_curves_that_obey_them() -> None:
    found = verdicts(family())
    assert len(found) == 11
    assert {claim: verdict for claim, verdict in found.items() if verdict != "reproduced"} == {}


def test_nothing_is_claimed_without_runs(tmp_path: Path) -> None:
    assert set(verdicts(Runs(tmp_path)).values()) == {"inconclusive"}


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("smo-starts-quickly", {"fixed": {"rate": 3.0}}, "not reproduced"),
        ("smo-starts-quickly", {"smo": {"rate": 0.2}, "eg": {"rate": 0.3}}, "inconclusive"),
        ("smo-stalls", {"smo": {"end": 0.97}}, "inconclusive"),
        ("smo-stalls", {"smo": {"end": 1.0}}, "not reproduced"),
        ("eg-overtakes", {"fixed": {"end": 0.5}}, "not reproduced"),
        ("eg-overtakes", {"theta_3": {"end": 0.5}}, "inconclusive"),
        ("eg-overtakes-adaptive", {"eg": {"end": 0.5}, "fixed": {"end": 1.0}}, "not reproduced"),
        ("ten-percent", {"fixed": {"end": 0.87}}, "inconclusive"),
        ("ten-percent", {"fixed": {"end": 0.81}}, "not reproduced"),
        ("ten-percent-adaptive", {"eg": {"end": 0.81}, "fixed": {"end": 1.0}}, "not reproduced"),
        ("hybrid", {"smo_eg": {"begin": -1.0}}, "not reproduced"),
        ("hybrid", {"smo_eg": {"end": 0.96}}, "inconclusive"),
        ("hybrid", {"smo_eg": {"end": 0.9}}, "not reproduced"),
        ("bound-respected", {"program": {"scale": 100.0}}, "not reproduced"),
        ("faster-than-bound", {"program": {"power": 0.5}}, "not reproduced"),
        ("faster-than-bound", {"program": {"power": 0.96}}, "inconclusive"),
        ("monotone", {"program": {"shake": 1.0}}, "not reproduced"),
        ("same-sequence", {"forms": {"apart": 1e-6}}, "not reproduced"),
    ],
)
def test_each_rule_notices_a_curve_that_breaks_it(claim: str, changes: dict, verdict: str) -> None:
    assert verdicts(family(**changes))[claim] == verdict


def test_the_rules_are_listed_for_every_claim() -> None:
    for claim in of_the_paper("tiny"):
        name = claim.id.removeprefix("eg2004/").partition("-C1")[0].removesuffix("-adaptive")
        assert f"\n{name} " in eg2004_rules.__doc__, claim.id
