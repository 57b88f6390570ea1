"""Rules of l1m3n2009: each tells runs that obey it from some that do not."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from structbench.bench.papers.claim_rows import Part, Row
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.judging import Claim, judge
from structbench.bench.papers.l1m3n2009 import claims, path_rules, rules, scores
from structbench.bench.papers.l1m3n2009 import runs as ways
from structbench.bench.papers.l1m3n2009.extraction import sources_of
from structbench.bench.papers.l1m3n2009.runs import CUTTING_PLANE, EM, L1_CRF, LAP_M3N, M3N, SUBGRADIENT
from structbench.bench.runs.finished import Runs
from tests.bench.papers.helpers import as_stored, cases, rules_are_fair
from tests.bench.papers.l1m3n2009.obedient_runs import TASK, family, keep, obeying, own_claims

YES, NO, OPEN, PART, LESS = "reproduced", "not reproduced", "open", "in part", "weaker"


def test_all_claims_hold_on_runs_that_obey_them() -> None:
    found = {said.id.removeprefix("l1m3n2009/"): said for said in judge(own_claims(), obeying())}
    assert len(found) == 28
    others = {claim: said.verdict for claim, said in found.items() if said.verdict != YES}
    assert others == dict.fromkeys(("l1crf-sensitive", "time-follows-non-zeros"), OPEN)  # too few constants
    rules_are_fair([said for claim, said in found.items() if claim not in others])
    as_stored("l1m3n2009", found.values())


def test_the_rule_on_ems_weights_holds_on_the_papers_table() -> None:
    (asked,) = (claim for claim in own_claims() if claim.id == "l1m3n2009/em-as-cutting-plane")
    (part,), table = asked.row.parts, ways.SAID["table1"]
    both = zip(table[EM.name]["rows"], table[CUTTING_PLANE.name]["rows"], strict=True)
    near = [abs(ours[1] - theirs[1]) <= part.band for ours, theirs in both]
    assert (sum(near), len(near), asked.row.quantifier) == (8, 9, "most at some C'")


def test_two_folds_or_data_sets_decide_nothing() -> None:
    none = sources_of("tiny", without=frozenset(("web-records", "conll2007-relations")))
    for two in ({"crfs": 2}, {"crfs": 1, "used": {10: 2, 4: 2}, "words": {100: 2, 150: 2}}):
        judged = judge(claims.l1m3n2009_claims(replace(TASK, **two), none), family(clean={M3N.name: (60, 80)}))
        decided = {said.setting for said in judged if said.verdict != OPEN}
        assert not any("synthetic, correlated" in setting for setting in decided)
    assert not decided


@pytest.mark.parametrize(
    ("iid", "outcome", "said"), [(3.0, YES, "holds"), (0.5, NO, "differs"), (1.0, OPEN, "open")]
)
def test_conclusions_are_the_same_if_verdicts_on_both_inputs_are(iid: float, outcome: str, said: str) -> None:
    def judged_on(value: float) -> Claim:
        row = Row("fast", "Figure 2", "It is fast.", (Part("passes", "{} times"),))
        found = Evidence({}, value, low=value / 1.2, high=value * 1.2, count=3)
        return Claim("l1m3n2009/fast", row, lambda part, runs: [found], [], [])

    (row,) = (row for row in claims.rows(claims.FILE) if row.id == "same-in-iid")
    (one,) = judge([claims._agreement(row, [[judged_on(2.0), judged_on(iid)]])], Runs(Path("nowhere")))
    assert (one.verdict, one.conditions[0].outcome) == (outcome, said)
    assert one.conditions[0].told == f"{YES} and {outcome}" and one.conditions[0].where == {"": "fast"}


def estimate(found: list[Evidence]) -> tuple[object, str]:
    (one,) = found
    return pytest.approx(one.value, abs=1e-9), one.state


@pytest.mark.parametrize(("ranges", "points"), [((0.05, 0.01), 4.0), ((0.05, 0.4), -35.0)])
def test_how_sensitive_models_are_to_their_constants(
    monkeypatch: pytest.MonkeyPatch, ranges: tuple, points: float
) -> None:
    monkeypatch.setitem(
        ways.GRIDS, "synthetic", ways.GRIDS["synthetic"] | {"L1-CRF": (2.0, 1.0), "EM": (2.0, 1.0)}
    )
    task, runs = replace(TASK, crfs=1, whole=True), Runs(Path("nowhere"))
    for way, range_ in zip((L1_CRF, EM), ranges, strict=True):
        for place, C in enumerate(task.grid_of(way, "synthetic")):
            for fold, spec in enumerate(task.specs(way, task.first, C)):
                keep(runs, spec, {"test_error": 0.2 + place * range_ + 0.001 * fold})
    found = [*rules.range_over_constants(task, [task.crosses(10)], runs, [(L1_CRF, EM)])]
    assert (points, "") == estimate(found)


@pytest.mark.parametrize(("seconds", "correlation"), [((1, 2, 3), 1.0), ((3, 2, 1), -1.0)])
def test_seconds_that_follow_the_weights_that_are_kept(seconds: tuple, correlation: float) -> None:
    task, runs = replace(TASK, ranks={"synthetic": (0, 2, 4, 6), "ocr": (1, 3)}), Runs(Path("nowhere"))
    for C in task.path_of(CUTTING_PLANE, "synthetic"):
        for fold, spec in enumerate(task.specs(CUTTING_PLANE, task.first, C)):
            w = np.repeat([1.0, 0.0], [10 * (fold + 1), 194 - 10 * fold])
            keep(runs, spec, {"cpu_seconds": float(seconds[fold])}, w)
    assert (correlation, "") == estimate(
        path_rules.seconds_follow_weights(path_rules.Along(task, runs, task.first))
    )


@pytest.mark.parametrize(("beside", "said"), [(0.2, "C of the L1-CRF below 1"), (0.1001, "")])
def test_a_choice_at_the_end_of_its_grid_says_so(
    monkeypatch: pytest.MonkeyPatch, beside: float, said: str
) -> None:
    monkeypatch.setitem(ways.GRIDS, "synthetic", ways.GRIDS["synthetic"] | {"L1-CRF": (4.0, 2.0, 1.0)})
    task, runs = replace(TASK, crfs=1, whole=True), Runs(Path("nowhere"))
    for error, C in zip((0.3, beside, 0.1), task.grid_of(L1_CRF, "synthetic"), strict=True):
        for spec in task.specs(L1_CRF, task.first, C):
            keep(runs, spec, {"test_error": error})
    assert scores.at_end(task, runs, L1_CRF, [task.first]) == said


def test_weights_that_are_the_generators(monkeypatch: pytest.MonkeyPatch) -> None:
    flat = np.zeros(204)
    flat[:60] = np.tile([0.1, -0.1], 30)
    monkeypatch.setattr(rules.synthetic, "true_weights", lambda crf: flat)
    found = [*rules.unexplained(TASK, obeying(), [M3N])]
    assert estimate(found) == (pytest.approx(0.0, abs=0.01), "")
    assert found[0].kind == "share"


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


EM_1, EM_2 = ways.EMS[1:3]
WORSE = ((0.005, 0.005), (2.0, 2.2))
QUIET = {"noise": {SUBGRADIENT.name: 1e-5}}
NOISY = {"clean": {L1_CRF.name: (20, 5), EM.name: (20, 5)}, "kept": {EM.name: ((12, 5), (58, 135))}}
FEW = {"clean": {L1_CRF.name: (9, 0)}}  # not one of each group
CUT = {"status": {CUTTING_PLANE.name: "timeout"}}  # our limit comes before five times EM's seconds
RULES = [
    ("sparse-beats-m3n", model("synthetic", "M3N"), {0.2205: NO}),
    ("sparse-beats-m3n", table("sizes", ("L1-CRF", 250)), {0.03: PART}),
    ("lap-as-l1m3n", table("sizes", ("LapM3N", 250)), {0.02: PART}),
    ("crf-worst", model("synthetic", "CRF"), {0.256: LESS, 0.24: NO}),
    ("l2crf-as-m3n", model("synthetic", "L2-CRF"), {0.28: NO}),
    ("noise-discarded", {"clean": {L1_CRF.name: (40, 5)}}, PART),
    ("noise-discarded", FEW, OPEN),
    ("noise-discarded", NOISY, NO),
    ("dense-models", {"clean": {M3N.name: (60, 80)}}, PART),
    ("lap-shrinks", table("noise", LAP_M3N), {0.04: NO, 0.06: NO}),
    ("lap-shrinks", {"noise": {LAP_M3N.name: 0.06, ways.LAPS[2].name: 1e-3}}, YES),  # at some LAMBDA
    ("em-as-cutting-plane", kept(EM), {((12, 0), (38, 0)): PART}),
    ("subgradient-tail", kept(SUBGRADIENT), {((60, 100), (60, 140)): PART, ((20, 10), (20, 20)): NO}),
    ("tail-is-small", QUIET, NO),
    ("best-comparable", errors("synthetic", CUTTING_PLANE, 1.5, 7.5), {(0.011, 0.1): NO}),
    ("em-robust-error", errors("synthetic", EM, 2.0, 2.0), {(0.0, 0.025): PART, (0.0, 0.04): NO}),
    ("em-robust-time", seconds("synthetic", EM), {(2.0, 12.0): NO}),
    ("em-robust-time", seconds("synthetic", EM_2), {(2.0, 12.0): YES}),  # another C' does
    ("em-robust-time", table("status", CUTTING_PLANE), {"passes": OPEN}),
    ("cutting-plane-slows", seconds("synthetic", CUTTING_PLANE), {(1.5, 7.4): LESS, (1.5, 1.5): NO}),
    ("subgradient-speeds-up", seconds("synthetic", SUBGRADIENT), {(1.0, 1.0): NO, (1.0, 1.2): NO}),
    ("subgradient-fastest", seconds("synthetic", SUBGRADIENT), {(3.0, 2.5): PART}),
    ("subgradient-fastest", table("status", SUBGRADIENT), {"passes": OPEN}),
    ("ocr-more-data", {"spread": {(way.model, 150): 2.0 for way in ways.MODELS}}, PART),
    ("ocr-more-data", table("sizes", ("M3N", 150)), {0.08: PART}),
    ("ocr-lap-as-l1m3n", model("ocr", "LapM3N"), {0.335: NO}),
    ("ocr-l1m3n-best", model("ocr", "M3N"), {0.31: PART}),
    ("ocr-l2crf-as-m3n", model("ocr", "L2-CRF"), {0.355: NO}),
    ("ocr-m3n-beats-crfs", model("ocr", "L1-CRF"), {0.34: PART}),
    ("ocr-both-robust", errors("ocr", SUBGRADIENT, 4.0, 2.0), {(0.001, 0.2): PART}),
    ("ocr-em-better", errors("ocr", EM), {(0.001, 0.001): NO, (0.005, 0.005): NO}),
    ("ocr-em-better", {"ocr-path": {EM.name: WORSE, EM_1.name: ((0.0, 0.0), (2.0, 2.2))}}, YES),  # at its C'
    ("ocr-em-time", seconds("ocr", EM), {(2.0, 7.0): NO}),
    ("ocr-em-time", table("status", EM), {"passes": OPEN}),
    ("ocr-cutting-plane", errors("ocr", CUTTING_PLANE, 20.0, 30.0), {(0.0, 0.0): NO, (0.008, 0.008): LESS}),
    ("ocr-cutting-plane", errors("ocr", CUTTING_PLANE, 2.0, 3.0)(0.1, 0.1) | CUT, OPEN),
]


@pytest.mark.parametrize(("claim", "changes", "verdict"), cases(RULES))
def test_each_rule_notices_runs_that_break_it(claim: str, changes: dict, verdict: str) -> None:
    (asked,) = (one for one in own_claims() if one.id == f"l1m3n2009/{claim}")
    (said,) = judge([asked], family(**changes))
    assert said.verdict == verdict, said.answer
