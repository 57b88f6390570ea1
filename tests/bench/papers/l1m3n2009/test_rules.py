"""Rules of l1m3n2009: each tells runs that obey it from some that do not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from structbench.bench.papers.judging import judge
from structbench.bench.papers.l1m3n2009 import claims, path_rules, rules
from structbench.bench.papers.l1m3n2009 import setting as ways
from structbench.bench.papers.l1m3n2009.setting import CUTTING_PLANE, EM, L1_CRF, LAP_M3N, M3N, SUBGRADIENT
from structbench.bench.runs.finished import Runs
from tests.bench.papers.helpers import cases
from tests.bench.papers.l1m3n2009.obedient_runs import TASK, family, keep, obeying, own_claims, verdicts

YES, NO, OPEN = "reproduced", "not reproduced", "inconclusive"


def test_all_claims_hold_on_runs_that_obey_them() -> None:
    found = verdicts(obeying())
    assert len(found) == 28
    others = {claim: verdict for claim, verdict in found.items() if verdict != YES}
    assert others == dict.fromkeys(("l1crf-sensitive", "time-follows-non-zeros"), OPEN)  # too few constants


def test_two_folds_or_data_sets_decide_nothing() -> None:
    for two in ({"crfs": 2}, {"crfs": 1, "used": {10: 2, 4: 2}, "words": {100: 2, 150: 2}}):
        judged = judge(claims.claims(replace(TASK, **two)), family(clean={M3N.name: (60, 80)}))
        decided = {said["setting"] for said in judged if said["verdict"] != OPEN}
        assert not any("synthetic, correlated" in setting for setting in decided)
    assert not decided


@pytest.mark.parametrize(("ranges", "verdict"), [((0.05, 0.01), YES), ((0.05, 0.4), NO), ((0.01, 0.01), OPEN)])
def test_how_sensitive_models_are_to_their_constants(ranges: tuple, verdict: str) -> None:
    task, runs = replace(TASK, crfs=1, grid=(0, 2)), Runs(Path("nowhere"))
    for way, range_ in zip((L1_CRF, EM), ranges, strict=True):
        for place, C in enumerate(task.grid_of(way, "synthetic")):
            for fold, spec in enumerate(task.specs(way, task.first, C)):
                keep(runs, spec, {"test_error": 0.2 + place * range_ + 0.001 * fold})
    found, numbers, _ = rules.l1crf_sensitive(task, [task.crosses(10)], runs)
    assert found == verdict
    assert f"L1-CRF {100 * ranges[0]:.2f}, L1-M3N {100 * ranges[1]:.2f}" in numbers


@pytest.mark.parametrize(("seconds", "verdict"), [((1, 2, 3, 4), YES), ((4, 3, 2, 1), NO)])
def test_seconds_that_follow_the_weights_that_are_kept(seconds: tuple, verdict: str) -> None:
    task, runs = replace(TASK, ranks={"synthetic": (0, 2, 4, 6), "ocr": (1, 3)}), Runs(Path("nowhere"))
    for place, C in enumerate(task.path_of(CUTTING_PLANE, "synthetic")):
        for spec in task.specs(CUTTING_PLANE, task.first, C):
            w = np.repeat([1.0, 0.0], [10 * (place + 1), 194 - 10 * place])
            keep(runs, spec, {"cpu_seconds": float(seconds[place])}, w)
    assert path_rules.time_follows_non_zeros(task, task.first, runs)[0] == verdict


def test_weights_that_are_the_generators(monkeypatch: pytest.MonkeyPatch) -> None:
    flat = np.repeat([1.0, 0.0], [60, 144])
    flat[1::2] *= -1
    monkeypatch.setattr(rules.synthetic, "true_weights", lambda crf: flat)
    (asked,) = (claim for claim in own_claims() if claim.id == "l1m3n2009/weights-differ")
    assert judge([asked], obeying())[0]["verdict"] == NO


def table(name: str, row: object) -> Callable:
    """One row of a table of ``obedient_runs``."""
    return lambda value: {name: {getattr(row, "name", row): value}}


def seconds(kind: str, way: ways.Way) -> Callable:
    """A method's seconds along the path, its errors being those of the model."""
    return lambda *each: {f"{kind}-path": {way.name: ((0.0, 0.0), each)}}


def errors(kind: str, way: ways.Way, *seconds: float) -> Callable:
    """What a method's error is more than the model's, along the path."""
    return lambda *each: {f"{kind}-path": {way.name: (each, seconds or (2.0, 2.2))}}


def kept(way: ways.Way) -> Callable:
    """Weights other than zero, of relevant features and of others, along the path."""
    return lambda *path: {"kept": {way.name: path}}


def model(kind: str, *models: str) -> Callable:
    """Errors of models."""
    return lambda *values: {kind: dict(zip(models, values, strict=True))}


EM_1, EM_2 = ways.EMS[1:3]  # what is said of EM has to hold for each C'
QUIET = {"noise": {SUBGRADIENT.name: 1e-5}}
PATHS = {CUTTING_PLANE.name: ((0.008, 0.008), (1.5, 7.5)), SUBGRADIENT.name: ((0.0, 0.005), (1.0, 0.8))}
NOISY = {"clean": {L1_CRF.name: (20, 1), EM.name: (0, 0)}}
CUT = {"status": {CUTTING_PLANE.name: "timeout"}}  # our limit comes before five times EM's seconds
RULES = [
    ("sparse-beats-m3n", model("synthetic", "M3N"), {0.2205: NO, 0.225: OPEN}),
    ("sparse-beats-m3n", table("sizes", ("L1-CRF", 250)), {0.03: NO}),
    ("lap-as-l1m3n", model("synthetic", "M3N", "LapM3N"), {(0.235, 0.229): OPEN}),  # M3N is as near
    ("lap-as-l1m3n", table("sizes", ("LapM3N", 250)), {0.02: NO}),
    ("crf-worst", model("synthetic", "CRF"), {0.309: OPEN, 0.24: NO}),  # others are spread over 3 points
    ("l2crf-as-m3n", model("synthetic", "L2-CRF"), {0.28: NO}),
    ("noise-discarded", {"clean": {L1_CRF.name: (20, 1)}}, OPEN),
    ("noise-discarded", model("synthetic", "L1-CRF"), {0.26: OPEN}),  # at an error above M3N's
    ("noise-discarded", NOISY | kept(EM)((12, 1), (58, 135)), NO),
    ("dense-models", {"clean": {M3N.name: (60, 135)}}, OPEN),
    ("dense-models", {"clean": {M3N.name: (60, 80)}}, NO),
    ("lap-shrinks", table("noise", LAP_M3N), {0.04: OPEN, 0.06: NO}),
    ("em-as-cutting-plane", kept(EM_1), {((12, 0), (38, 0)): OPEN}),
    ("em-as-cutting-plane", kept(EM), {((12, 0), (58, 50)): OPEN, ((12, 0), (38, 0)): NO}),
    ("subgradient-tail", kept(SUBGRADIENT), {((60, 100), (60, 140)): OPEN, ((20, 10), (60, 140)): NO}),
    ("tail-is-small", QUIET, NO),
    ("tail-is-small", QUIET | kept(SUBGRADIENT)((60, 12), (60, 12)), OPEN),
    ("best-comparable", {"synthetic-path": PATHS}, OPEN),  # their paths differ less
    ("best-comparable", errors("synthetic", CUTTING_PLANE, 1.5, 7.5), {(0.011, 0.1): NO}),
    ("em-robust-error", errors("synthetic", EM, 2.0, 2.0), {(0.0, 0.025): OPEN, (0.0, 0.04): NO}),
    ("em-robust-time", seconds("synthetic", EM), {(2.0, 3.0): OPEN, (2.0, 12.0): NO}),
    ("em-robust-time", seconds("synthetic", EM_2), {(2.0, 12.0): OPEN}),
    ("em-robust-time", table("status", SUBGRADIENT), {"passes": OPEN}),
    ("cutting-plane-slows", seconds("synthetic", CUTTING_PLANE), {(1.5, 7.4): OPEN, (1.5, 1.5): NO}),
    ("subgradient-speeds-up", seconds("synthetic", SUBGRADIENT), {(1.0, 1.0): OPEN, (1.0, 1.1): NO}),
    ("subgradient-fastest", seconds("synthetic", SUBGRADIENT), {(3.0, 2.5): NO}),
    ("subgradient-fastest", table("status", SUBGRADIENT), {"passes": OPEN}),
    ("ocr-more-data", table("spread", ("M3N", 150)), {2.0: OPEN}),
    ("ocr-more-data", table("sizes", ("M3N", 150)), {0.02: NO}),
    ("ocr-lap-as-l1m3n", model("ocr", "M3N", "LapM3N"), {(0.325, 0.319): OPEN, (0.34, 0.335): NO}),
    ("ocr-l1m3n-best", model("ocr", "M3N"), {0.31: OPEN}),
    ("ocr-l1m3n-best", table("sizes", ("M3N", 150)), {-0.031: NO}),
    ("ocr-l2crf-as-m3n", model("ocr", "CRF", "L2-CRF"), {(0.355, 0.349): OPEN, (0.40, 0.355): NO}),
    ("ocr-m3n-beats-crfs", model("ocr", "L1-CRF"), {0.34: OPEN}),
    ("ocr-m3n-beats-crfs", table("sizes", ("L1-CRF", 150)), {-0.041: NO}),
    ("ocr-both-robust", errors("ocr", SUBGRADIENT, 4.0, 2.0), {(0.001, 0.2): NO}),
    ("ocr-em-better", errors("ocr", EM), {(0.001, 0.001): OPEN, (0.002, 0.002): NO}),
    ("ocr-em-better", errors("ocr", EM_1), {(0.002, 0.002): OPEN}),
    ("ocr-em-time", seconds("ocr", EM), {(2.0, 3.5): OPEN, (2.0, 7.0): NO}),
    ("ocr-em-time", table("status", EM), {"passes": OPEN}),
    ("ocr-cutting-plane", errors("ocr", CUTTING_PLANE, 20.0, 30.0), {(0.005, 0.005): OPEN, (0.0, 0.0): NO}),
    ("ocr-cutting-plane", errors("ocr", CUTTING_PLANE, 2.0, 3.0)(0.1, 0.1) | CUT, OPEN),
]


@pytest.mark.parametrize(("claim", "changes", "verdict"), cases(RULES))
def test_each_rule_notices_runs_that_break_it(claim: str, changes: dict, verdict: str) -> None:
    (asked,) = (one for one in own_claims() if one.id == f"l1m3n2009/{claim}")
    (said,) = judge([asked], family(**changes))
    assert said["verdict"] == verdict, said["ours"]
