"""Figures and claims of eg2004: every figure draws, every rule tells a curve that obeys from one that does not."""

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from structbench.bench.papers import eg2004
from structbench.bench.papers.claim_rows import rows
from structbench.bench.papers.eg2004 import rules
from structbench.bench.papers.eg2004.rules import sweeps
from structbench.bench.papers.eg2004.runs import QP_CS, STEPS
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.judging import Claim, judge
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from tests.bench import synthetic_curves
from tests.bench.papers.helpers import as_stored, cases, drawn, of, rules_are_fair

STEMS = {"fig04a", "fig04b", "fig04c", "fig-bound"}  # test_grammar.py has the others
YES, NO, OPEN, PART, LESS = "reproduced", "not reproduced", "open", "in part", "weaker"
TASK = eg2004.task("quick")
# the dual at sweep s is BEST (end - (end - begin) exp(-rate (s - 1)))
DUALS = {
    "smo": {"begin": 0.3, "end": 0.8, "rate": 1.0},
    "eg": {"begin": -1.0, "end": 1.0, "rate": 0.2},
    "smo-eg": {"begin": 0.3, "end": 1.0, "rate": 1.0},
}
PROGRAM = {"B": 30.0, "lambda": 10.0, "divergence": 2.0}


def options_of(spec: Spec, changes: dict[str, dict]) -> dict:
    params = dict(spec.params)
    fixed = spec.algorithm == "eg" and not params["adaptive"]
    options = DUALS[spec.algorithm] | changes.get(spec.algorithm.replace("-", "_"), {})
    options |= changes.get("fixed", {}) if fixed else {}
    options |= changes.get("adaptive", {}) if params.get("adaptive") else {}
    options |= changes.get("theta_3", {}) if params.get("start") == 9.0 else {}
    options |= changes.get(f"C{spec.C:g}_{spec.algorithm}", {})
    return options | (changes.get(f"C{spec.C:g}_fixed", {}) if fixed else {})


def kept(runs: Runs, spec: Spec, options: dict) -> None:
    passes = np.concatenate([[0.0], np.linspace(1, spec.passes, 60)])
    made = passes / (2.0 if spec.algorithm == "smo" else 1.0)
    rate = options["rate"] * (1 + options.get("shake", 0.0) * spec.seed)
    dual = options["end"] - (options["end"] - options["begin"]) * np.exp(-rate * (made - 1))
    keep(runs, spec, passes, synthetic_curves.BEST * dual)


@cache
def obeying() -> Runs:
    """Runs that obey every claim."""
    runs = synthetic_curves.of()
    for spec in sequences():
        kept(runs, spec, options_of(spec, {}))
    for C in QP_CS:
        T = np.geomspace(1, 300, 60)
        qp, exact = TASK.qp(C)
        synthetic_curves.write(runs, exact, rate=5.0)
        Q = -synthetic_curves.BEST + 50.0 / T**1.5
        keep(runs, qp, np.concatenate([[0.0, 1.0], 1 + T]), -np.concatenate([[np.nan, 0.0], Q]), PROGRAM)
    return runs


def sequences() -> list[Spec]:
    return [spec for C in TASK.Cs for spec in TASK.problem(C)]


def family(**changes: dict) -> Runs:
    """The same, but for changes of some by algorithm, step, start or C."""
    runs = synthetic_curves.of(*synthetic_curves.all_of(obeying()))
    for spec in sequences():
        if (options := options_of(spec, changes)) != options_of(spec, {}):
            kept(runs, spec, options)
    return runs


def keep(runs: Runs, spec: Spec, passes: np.ndarray, dual: np.ndarray, notes: dict | None = None) -> None:
    run = synthetic_curves.write(runs, spec, passes=passes, notes=(notes or {}) | {"first_Q": 0.0})
    dual = np.where(passes > 0, dual, np.nan)
    synthetic_curves.keep(runs, spec, run.curve.assign(dual=dual, gap=run.curve["primal"] - dual), run.summary)


def judged(runs: Runs, *names: str) -> dict[str, Judged]:
    made = [c for c in rules.eg2004_claims(TASK, None) if not names or c.id.removeprefix("eg2004/") in names]
    return {said.id.removeprefix("eg2004/"): said for said in judge(made, runs)}


def test_other_data_take_the_place_of_the_scales_own() -> None:
    data = "conll2002:sentences=7"
    assert {spec.data.text for spec in eg2004.runs_of("paper", data)["eg2004/entities-hinge"]} == {data}
    assert all(data in figure.caption for stem, figure in eg2004.figures_of("paper", data).items() if "04" in stem)
    assert {s.data.text for claim in sequence_claims("paper", data) for s in claim.runs} == {data}


def sequence_claims(scale: str, data: str | None = None) -> list[Claim]:
    return [claim for claim in eg2004.claims_of(scale, data=data) if "wcfg" not in claim.id]


def test_nothing_of_the_paper_is_judged_on_generated_sentences() -> None:
    assert sequence_claims("tiny") == sequence_claims("paper", "toy-english:sentences=7,task=entities") == []
    assert len(sequence_claims("quick")) == 5


def test_the_papers_sweeps_seeds_and_start() -> None:
    """SMO has as many sweeps as EG; theta is that of all parts that a wrong label touches."""
    for spec in (*TASK.smo(10.0), *TASK.eg(10.0, adaptive=False)):
        (run,) = obeying().present([spec])
        assert sweeps(run)[-1] == pytest.approx(99), spec.key
    for task in map(eg2004.task, ("quick", "paper")):
        for specs in (task.smo(10.0), task.eg(10.0, adaptive=False), task.hybrid(10.0), task.eg(10.0)):
            assert [spec.seed for spec in specs] == [0, 1, 2]
        assert all(len(specs) == 3 for steps in STEPS for specs in task.settings(10.0, steps).values())
    assert dict(TASK.eg(10.0, theta=2.7)[0].params)["start"] == pytest.approx(8.1)


def test_every_figure_draws_whatever_runs_are_missing(tmp_path: Path) -> None:
    figures = {stem: figure for stem, figure in eg2004.figures_of("quick").items() if stem in STEMS}
    few = synthetic_curves.of(*obeying().present(TASK.smo(10.0)[:1]))
    drawn("eg2004", figures, obeying(), tmp_path)
    drawn("eg2004", figures, few, tmp_path, lacking=True)


def test_all_claims_hold_on_curves_that_obey_them() -> None:
    found = judged(obeying())
    own = {row.id for row in rows(rules.FILE) if row.by == "paper"}
    assert {name: said.verdict for name, said in found.items()} == dict.fromkeys(own, YES)
    rules_are_fair([*found.values()])
    as_stored("eg2004", found.values())


def test_a_sentence_holds_if_it_does_at_one_C_with_one_kind_of_steps() -> None:
    """At C = 2 with adaptive steps; all others are in the evidence, and count."""
    level = {"smo": {"end": 1.0, "rate": 0.1}, "eg": {"end": 0.99}, "smo_eg": {"end": 1.0}}
    there = {f"C2_{name}": options for name, options in DUALS.items()} | {"C2_fixed": {"end": 0.7}}
    found = judged(family(**level, **there))
    assert {name: said.verdict for name, said in found.items()} == dict.fromkeys(found, YES)
    hybrid = found.pop("hybrid")
    assert ({each.where["C"] for each in hybrid.conditions}, hybrid.of) == ({*TASK.Cs}, 1)
    for name, said in found.items():
        places, steps = [tuple(each.where.values()) for each in said.conditions], said.of == 8
        assert {*places} == ({*product(TASK.Cs, STEPS.values())} if steps else {(C,) for C in TASK.Cs}), name
        assert said.answer.endswith(f"holds in 1 of {8 if steps else 4}."), said.answer


def test_a_hybrid_counts_only_where_the_others_end_apart() -> None:
    """Where both end alike, it cannot be much worse."""
    (said,) = judged(family(smo={"end": 1.0}, smo_eg={"end": 0.9}), "hybrid").values()
    assert said.verdict == OPEN and not any(each.counted for each in said.conditions)
    assert {each.choice for each in said.conditions} == {"where SMO and EG end alike"}


RULES = [
    ("smo-starts-quickly", of("smo", "rate"), {0.1: NO}),
    ("smo-stalls", of("smo", "end"), {0.97: LESS, 1.0: NO}),
    ("eg-overtakes", of("eg", "end"), {0.5: NO}),
    ("eg-overtakes", of("fixed", "end"), {0.5: YES}),
    ("eg-overtakes", of("adaptive", "end"), {0.5: YES}),
    ("eg-overtakes", of("eg", "begin", rate=9.0), {0.99: NO}),  # ahead from the start
    ("eg-overtakes", of("theta_3", "end"), {0.5: YES}),  # of four settings
    ("ten-percent", of("eg", "end"), {0.87: LESS, 0.79: NO}),
    ("ten-percent", of("eg", "end", rate=0.016, shake=0.3), {1.0: OPEN}),
    ("hybrid", of("smo_eg", "end"), {0.9: NO}),
    ("hybrid", of("smo_eg", "rate"), {0.1: NO}),  # without SMO's start
]


@pytest.mark.parametrize(("claim", "changes", "verdict"), cases(RULES))
def test_each_rule_notices_a_curve_that_breaks_it(claim: str, changes: dict, verdict: str) -> None:
    assert judged(family(**changes), claim)[claim].verdict == verdict
