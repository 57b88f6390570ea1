"""Figure 13 of eg2008 and its claims on max-margin models: drawn, and rules that notice what breaks them."""

import json
from pathlib import Path

import pytest

from bench.drawing.draw import draw
from bench.papers import eg2008
from bench.papers.eg2008 import max_margin as eg2008_maxmargin
from bench.papers.judging import RATIOS
from bench.runs.finished import Runs
from tests.bench import synthetic_curves

CHUNKING = eg2008.tasks("tiny")[-1]
RATES = {"eg": 1.35, "cutting-plane": 0.1}


def write_family(root: Path, **changes) -> Runs:
    """Runs that obey every claim; ``changes``: those of some runs by algorithm, algorithm_C, loss or batch."""
    for spec in [*eg2008_maxmargin.all_specs(CHUNKING), *CHUNKING.specs("eg", 10.0)]:
        params = dict(spec.params)
        options = {"rate": RATES[spec.algorithm] * (1.5 if spec.loss == "log" else 1.0), "error": 0.06}
        if spec.C == 1:
            options["rate"] = 0.3 if spec.algorithm == "eg" else 0.2
        if batch := params.get("mode") == "batch":
            options["rate"] /= 10
        for name in (spec.algorithm, f"{spec.algorithm}_{spec.C:g}", spec.loss, "batch" if batch else ""):
            options |= changes.get(name, {})
        synthetic_curves.write(root, spec, **options)
    return Runs(root)


def verdicts(runs: Runs) -> dict[str, str]:
    claims = eg2008_maxmargin.claims(CHUNKING)
    return {claim.id.removeprefix("eg2008/").removesuffix("-chunking"): claim.check(runs)[0] for claim in claims}


def test_figure13_draws_every_C(tmp_path: Path) -> None:
    runs = write_family(tmp_path / "runs")
    (sidecar,) = draw("eg2008", {"fig13-chunking": eg2008_maxmargin.figure(CHUNKING)}, runs, tmp_path)
    said = json.loads(sidecar.read_text())
    assert said["missing"] == []
    assert {run.split("__")[2] for run in said["runs"]} == {f"C={C:g}" for C in eg2008_maxmargin.CS}


def test_only_chunking_has_runs_of_svm_struct() -> None:
    for task in eg2008.tasks("quick"):
        algorithms = {spec.algorithm for spec in eg2008_maxmargin.all_specs(task)}
        assert ("cutting-plane" in algorithms) == (task.stem == "chunking")
    for spec in eg2008_maxmargin.specs(CHUNKING, "cutting-plane", 10.0):
        assert spec.seconds == CHUNKING.seconds


def test_all_claims_hold_on_curves_that_obey_them(tmp_path: Path) -> None:
    found = verdicts(write_family(tmp_path))
    assert set(found) == {"beats-svm-struct", "comparable-C1", "log-faster", "online-beats-batch"}
    assert set(found.values()) == {"reproduced"}


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("beats-svm-struct", {"cutting-plane": {"rate": 1.3}}, "not reproduced"),
        ("beats-svm-struct", {"cutting-plane_100": {"rate": 4.0}}, "inconclusive"),
        ("beats-svm-struct", {"hinge": {"floor": 0.1}}, "inconclusive"),
        ("comparable-C1", {"cutting-plane_1": {"rate": 0.05}}, "not reproduced"),
        ("comparable-C1", {"cutting-plane": {"rate": 0.8}}, "not reproduced"),
        ("log-faster", {"log": {"rate": 0.2}}, "not reproduced"),
        ("log-faster", {"log": {"rate": 1.35}, "hinge": {"rate": 1.4}}, "inconclusive"),
        ("online-beats-batch", {"batch": {"rate": 2.5}}, "not reproduced"),
        ("online-beats-batch", {"batch": {"rate": 1.0}}, "inconclusive"),
    ],
)
def test_each_rule_notices_a_curve_that_breaks_it(tmp_path: Path, claim: str, changes: dict, verdict: str) -> None:
    assert verdicts(write_family(tmp_path, **changes))[claim] == verdict


@pytest.mark.parametrize(
    ("claim", "adverb"), [("beats-svm-struct", "considerably"), ("online-beats-batch", "much")]
)
def test_adverbs_are_those_of_the_table_of_all_papers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, claim: str, adverb: str
) -> None:
    runs = write_family(tmp_path)
    assert verdicts(runs)[claim] == "reproduced"
    monkeypatch.setitem(RATIOS, adverb, 1000.0)
    assert verdicts(runs)[claim] != "reproduced"
