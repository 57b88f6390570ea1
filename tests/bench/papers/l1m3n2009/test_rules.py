"""Rules of l1m3n2009: each tells runs that obey it from some that do not."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from structbench.bench.papers.judging import judge
from structbench.bench.papers.l1m3n2009 import claims as l1m3n2009_claims
from structbench.bench.papers.l1m3n2009 import path_rules
from structbench.bench.papers.l1m3n2009 import rules as l1m3n2009_rules
from structbench.bench.papers.l1m3n2009 import setting as ways
from structbench.bench.papers.l1m3n2009 import tables as l1m3n2009_table
from structbench.bench.papers.l1m3n2009.setting import (
    CUTTING_PLANE,
    EM,
    L1_CRF,
    LAP_M3N,
    M3N,
    SUBGRADIENT,
)
from structbench.bench.runs.finished import Runs
from tests.bench import synthetic_curves
from tests.bench.papers.l1m3n2009.obedient_runs import TASK, family, own_claims, verdicts

NO, UNDECIDED = "not reproduced", "inconclusive"
pytestmark = pytest.mark.xdist_group("l1m3n2009")  # one folder of runs


def test_all_claims_hold_on_runs_that_obey_them(obedient: Path) -> None:
    found = verdicts(Runs(obedient))
    assert len(found) == 28
    others = {claim: verdict for claim, verdict in found.items() if verdict != "reproduced"}
    assert others == dict.fromkeys(("l1crf-sensitive", "time-follows-non-zeros"), UNDECIDED)  # too few constants


def test_two_folds_or_data_sets_decide_nothing(obedient: Path) -> None:
    for two in ({"crfs": 2}, {"crfs": 1, "used": {10: 2, 4: 2}, "words": {100: 2, 150: 2}}):
        judged = judge(l1m3n2009_claims.claims(replace(TASK, **two)), Runs(obedient))
        decided = {said["setting"] for said in judged if said["verdict"] != UNDECIDED}
        assert not any("synthetic, correlated" in setting for setting in decided)
    assert not decided


def test_the_constants_of_table_1_are_the_papers() -> None:
    paths = ways.PATHS["synthetic"]
    assert paths["l1"][0] == 400 and paths["l1"][3] == 100  # C' of 0.25 and 1 over 100 sequences
    radii = [1 / C for C in paths["l1-ball"]]
    assert (radii[0], radii[-1]) == pytest.approx((0.25, 16))
    assert paths["l1-squared"][0] == pytest.approx(2 * 0.93 * 14000 / 204, rel=1e-3)
    theirs = l1m3n2009_table.THEIRS
    assert tuple(row.constant for row in theirs[SUBGRADIENT.name][1]) == ways.ROOTS
    assert tuple(row.constant for row in theirs[CUTTING_PLANE.name][1]) == ways.ROOTS
    assert tuple(row.constant for row in theirs[EM.name][1]) == ways.SHARES_OF_14000
    assert [1 / C for C in ways.PATHS["ocr"]["l1-ball"]][::4] == pytest.approx([144, 484], rel=1e-3)


def test_how_sensitive_models_are_to_their_constants(tmp_path: Path) -> None:
    task = replace(TASK, crfs=1, grid=(0, 2))
    sizes = [task.crosses(10)]
    for way, range_ in ((L1_CRF, 0.05), (EM, 0.01)):
        for place, C in enumerate(task.grid_of(way, "synthetic")):
            for fold, spec in enumerate(task.specs(way, task.first, C)):
                run = synthetic_curves.write(tmp_path, spec)
                error = 0.2 + place * range_ + 0.001 * fold
                synthetic_curves.keep(tmp_path, spec, run.curve, run.summary | {"test_error": error})
    verdict, numbers, _ = l1m3n2009_rules.l1crf_sensitive(task, sizes, Runs(tmp_path))
    assert (verdict, "L1-CRF 5.00, L1-M3N 1.00" in numbers) == ("reproduced", True)
    for spec in task.all_of(EM, task.first, task.grid_of(EM, "synthetic")[:1]):
        run = synthetic_curves.write(tmp_path, spec)
        synthetic_curves.keep(tmp_path, spec, run.curve, run.summary | {"test_error": 0.9})
    assert l1m3n2009_rules.l1crf_sensitive(task, sizes, Runs(tmp_path))[0] == NO


@pytest.mark.parametrize(("seconds", "verdict"), [((1, 2, 3, 4), "reproduced"), ((4, 3, 2, 1), "not reproduced")])
def test_seconds_that_follow_the_weights_that_are_kept(tmp_path: Path, seconds: tuple, verdict: str) -> None:
    task = replace(TASK, ranks={"synthetic": (0, 2, 4, 6), "ocr": (1, 3)})
    for place, C in enumerate(task.path_of(CUTTING_PLANE, "synthetic")):
        for spec in task.specs(CUTTING_PLANE, task.first, C):
            run, w = synthetic_curves.write(tmp_path, spec), np.zeros(204)
            w[: 10 * (place + 1)] = 1.0
            summary = run.summary | {"cpu_seconds": float(seconds[place])}
            synthetic_curves.keep(tmp_path, spec, run.curve, summary, w)
    assert path_rules.time_follows_non_zeros(task, task.first, Runs(tmp_path))[0] == verdict


def test_weights_that_are_the_generators(obedient: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flat = np.repeat([1.0, 0.0], [60, 144])
    flat[1::2] *= -1
    monkeypatch.setattr(l1m3n2009_rules.synthetic, "true_weights", lambda crf: flat)
    assert verdicts(Runs(obedient))["weights-differ"] == NO


def test_nothing_is_claimed_without_runs(tmp_path: Path) -> None:
    assert set(verdicts(Runs(tmp_path)).values()) == {"inconclusive"}


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("sparse-beats-m3n", {"synthetic": {"M3N": 0.2205}}, NO),
        ("sparse-beats-m3n", {"synthetic": {"M3N": 0.225}}, UNDECIDED),
        ("sparse-beats-m3n", {"sizes": {("L1-CRF", 250): 0.03}}, NO),
        ("lap-as-l1m3n", {"synthetic": {"M3N": 0.235, "LapM3N": 0.229}}, UNDECIDED),  # M3N is as near
        ("lap-as-l1m3n", {"sizes": {("LapM3N", 250): 0.02}}, NO),
        ("crf-worst", {"synthetic": {"CRF": 0.309}}, UNDECIDED),  # others are spread over 3 points
        ("crf-worst", {"synthetic": {"CRF": 0.24}}, NO),
        ("l2crf-as-m3n", {"synthetic": {"L2-CRF": 0.28}}, NO),
        ("noise-discarded", {"clean": {L1_CRF.name: (20, 1)}}, UNDECIDED),
        ("noise-discarded", {"synthetic": {"L1-CRF": 0.26}}, UNDECIDED),  # at an error above M3N's
        (
            "noise-discarded",
            {"clean": {L1_CRF.name: (20, 1), EM.name: (0, 0)}, "kept": {EM.name: ((12, 1), (58, 135))}},
            NO,
        ),
        ("dense-models", {"clean": {M3N.name: (60, 135)}}, UNDECIDED),
        ("dense-models", {"clean": {M3N.name: (60, 80)}}, NO),
        ("em-as-cutting-plane", {"kept": {ways.EMS[1].name: ((12, 0), (38, 0))}}, UNDECIDED),  # C' matters
        ("em-robust-time", {"synthetic-path": {ways.EMS[2].name: ((0.0, 0.0), (2.0, 12.0))}}, UNDECIDED),
        ("ocr-em-better", {"ocr-path": {ways.EMS[1].name: ((0.002, 0.002), (2.0, 2.2))}}, UNDECIDED),
        ("lap-shrinks", {"noise": {LAP_M3N.name: 0.04}}, UNDECIDED),
        ("lap-shrinks", {"noise": {LAP_M3N.name: 0.06}}, NO),
        ("em-as-cutting-plane", {"kept": {EM.name: ((12, 0), (58, 50))}}, UNDECIDED),
        ("em-as-cutting-plane", {"kept": {EM.name: ((12, 0), (38, 0))}}, NO),
        ("subgradient-tail", {"kept": {SUBGRADIENT.name: ((60, 100), (60, 140))}}, UNDECIDED),
        ("subgradient-tail", {"kept": {SUBGRADIENT.name: ((20, 10), (60, 140))}}, NO),
        ("tail-is-small", {"noise": {SUBGRADIENT.name: 1e-5}}, NO),
        (
            "tail-is-small",
            {"noise": {SUBGRADIENT.name: 1e-5}, "kept": {SUBGRADIENT.name: ((60, 12), (60, 12))}},
            UNDECIDED,
        ),
        (
            "best-comparable",
            {
                "synthetic-path": {
                    CUTTING_PLANE.name: ((0.008, 0.008), (1.5, 7.5)),
                    SUBGRADIENT.name: ((0.0, 0.005), (1.0, 0.8)),
                }
            },
            UNDECIDED,  # their paths differ less
        ),
        ("best-comparable", {"synthetic-path": {CUTTING_PLANE.name: ((0.011, 0.1), (1.5, 7.5))}}, NO),
        ("em-robust-error", {"synthetic-path": {EM.name: ((0.0, 0.025), (2.0, 2.0))}}, UNDECIDED),
        ("em-robust-error", {"synthetic-path": {EM.name: ((0.0, 0.04), (2.0, 2.0))}}, NO),
        ("em-robust-time", {"synthetic-path": {EM.name: ((0.0, 0.0), (2.0, 3.0))}}, UNDECIDED),
        ("em-robust-time", {"synthetic-path": {EM.name: ((0.0, 0.0), (2.0, 12.0))}}, NO),
        ("cutting-plane-slows", {"synthetic-path": {CUTTING_PLANE.name: ((0.0, 0.03), (1.5, 7.4))}}, UNDECIDED),
        ("cutting-plane-slows", {"synthetic-path": {CUTTING_PLANE.name: ((0.0, 0.03), (1.5, 1.0))}}, NO),
        ("subgradient-speeds-up", {"synthetic-path": {SUBGRADIENT.name: ((0.0, 0.02), (1.0, 1.0))}}, UNDECIDED),
        ("subgradient-speeds-up", {"synthetic-path": {SUBGRADIENT.name: ((0.0, 0.02), (1.0, 1.1))}}, NO),
        ("subgradient-fastest", {"synthetic-path": {SUBGRADIENT.name: ((0.0, 0.02), (3.0, 2.5))}}, NO),
        ("em-robust-time", {"status": {SUBGRADIENT.name: "passes"}}, UNDECIDED),
        ("subgradient-fastest", {"status": {SUBGRADIENT.name: "passes"}}, UNDECIDED),
        ("ocr-em-time", {"status": {EM.name: "passes"}}, UNDECIDED),
        ("ocr-more-data", {"spread": {("M3N", 150): 2.0}}, UNDECIDED),
        ("ocr-more-data", {"sizes": {("M3N", 150): 0.02}}, NO),
        ("ocr-lap-as-l1m3n", {"ocr": {"M3N": 0.325, "LapM3N": 0.319}}, UNDECIDED),
        ("ocr-lap-as-l1m3n", {"ocr": {"LapM3N": 0.335}}, NO),
        ("ocr-l1m3n-best", {"ocr": {"M3N": 0.31}}, UNDECIDED),
        ("ocr-l1m3n-best", {"sizes": {("M3N", 150): -0.031}}, NO),
        ("ocr-l2crf-as-m3n", {"ocr": {"CRF": 0.355, "L2-CRF": 0.349}}, UNDECIDED),
        ("ocr-l2crf-as-m3n", {"ocr": {"L2-CRF": 0.355}}, NO),
        ("ocr-m3n-beats-crfs", {"ocr": {"L1-CRF": 0.34}}, UNDECIDED),
        ("ocr-m3n-beats-crfs", {"sizes": {("L1-CRF", 150): -0.041}}, NO),
        ("ocr-both-robust", {"ocr-path": {SUBGRADIENT.name: ((0.001, 0.2), (4.0, 2.0))}}, NO),
        ("ocr-em-better", {"ocr-path": {EM.name: ((0.001, 0.001), (2.0, 2.2))}}, UNDECIDED),
        ("ocr-em-better", {"ocr-path": {EM.name: ((0.002, 0.002), (2.0, 2.2))}}, NO),
        ("ocr-em-time", {"ocr-path": {EM.name: ((0.0, 0.0), (2.0, 3.5))}}, UNDECIDED),
        ("ocr-em-time", {"ocr-path": {EM.name: ((0.0, 0.0), (2.0, 7.0))}}, NO),
        ("ocr-cutting-plane", {"ocr-path": {CUTTING_PLANE.name: ((0.005, 0.005), (20.0, 30.0))}}, UNDECIDED),
        ("ocr-cutting-plane", {"ocr-path": {CUTTING_PLANE.name: ((0.0, 0.0), (20.0, 30.0))}}, NO),
        (
            "ocr-cutting-plane",  # our limit comes before five times EM's seconds
            {
                "ocr-path": {CUTTING_PLANE.name: ((0.1, 0.1), (2.0, 3.0))},
                "status": {CUTTING_PLANE.name: "timeout"},
            },
            UNDECIDED,
        ),
    ],
)
def test_each_rule_notices_runs_that_break_it(
    obedient: Path, tmp_path: Path, claim: str, changes: dict, verdict: str
) -> None:
    (asked,) = (one for one in own_claims() if one.id == f"l1m3n2009/{claim}")
    (said,) = judge([asked], family(obedient, tmp_path, **changes))
    assert said["verdict"] == verdict, said["ours"]


def test_the_rules_are_listed_for_every_claim() -> None:
    for claim in own_claims():
        listed = l1m3n2009_rules.__doc__ + path_rules.__doc__
        assert listed.count(f"\n{claim.id.removeprefix('l1m3n2009/')} ") == 1, claim.id
