"""The figures and claims of klein2011, from runs that are made up."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from structbench.bench.papers import klein2011
from structbench.bench.papers.judging import judge
from structbench.bench.papers.klein2011 import figures
from structbench.bench.papers.klein2011.runs import WAYS, scale_of
from structbench.bench.runs import problem_store
from structbench.bench.runs.store import Run
from structbench.datasets import data_ref
from tests.bench import synthetic_curves
from tests.bench.papers.hand_made import spec_of
from tests.bench.papers.helpers import drawn

KEPT = ("cpu_seconds", "passes", "relative_gap", "test_error", "test_seconds")


@pytest.fixture(scope="module")
def made():
    """A finished run of every spec of the tiny scale, with weights that separate the points of seed 0."""
    runs = synthetic_curves.of()
    turn = 2 * np.pi * np.random.default_rng([0, 2]).random()
    along = np.array([np.cos(turn), np.sin(turn), 0.0])
    weights = np.stack([along, -along], axis=1).ravel()
    for specs in klein2011.runs_of("tiny").values():
        for spec in specs:
            passes = np.arange(spec.passes + 1)
            run = synthetic_curves.write(runs, spec, passes=passes, error=0.1)
            curve = run.curve.assign(updates=passes, relative_gap=0.005, test_seconds=0.1)
            last = {name: float(curve[name].iloc[-1]) for name in KEPT}
            summary = run.summary | last | {"notes": {"outputs": 3.0}}
            held = weights if spec.data.name != "toy-documents" else np.zeros(12)
            synthetic_curves.keep(runs, spec, curve, summary, held)
    return runs


def test_claims_are_judged_and_those_whose_seconds_they_read_are_timed(made, tmp_path, monkeypatch):
    """Runs that are not timed have no seconds; no claim but those on speed says another thing of them."""
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    fast = [claim for claim in klein2011.claims_of("quick") if "timed" in claim.row.runs]
    assert len(fast) >= 5 and {spec for each in fast for spec in each.runs} <= {*klein2011.timed_of("quick")}
    timed = {spec.key for spec in klein2011.timed_of("tiny")}
    claims = klein2011.claims_of("tiny")
    judged = [(each.verdict, each.answer) for each in judge(claims, made.afresh())]
    assert all(answer for _, answer in judged)
    untimed = made._with_seconds_of(lambda run: run.key in timed)
    assert [(each.verdict, each.answer) for each in judge(claims, untimed)] == judged


def obtained(data):
    """A problem of a data set; the letters would have to be downloaded, so sentences stand for them."""
    return problem_store.obtain(
        data_ref("toy-english:sentences=20,test_sentences=5") if data.name == "ocr" else data
    )


def test_every_figure_draws_from_its_runs_or_says_what_is_missing(made, tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    monkeypatch.setattr(problem_store, "fingerprint", lambda *given: None)  # figures build problems, of other data
    monkeypatch.setattr("structbench.bench.papers.klein2011.figures.obtain", obtained)
    figures = klein2011.figures_of("tiny")
    assert all(said["runs"] for said in drawn("klein2011", figures, made.afresh(), tmp_path).values())
    drawn("klein2011", figures, synthetic_curves.of(), tmp_path / "none", lacking=True)


def test_the_slides_weights_score_its_document_as_on_the_slide(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    rows: Any = klein2011.figures_of("tiny")["table-documents"].draw(synthetic_curves.of())
    assert next(rows) == {
        "learner": "the slide's weights", "SPORTS": "0", "POLITICS": "2", "OTHER": "-3", "predicted": "POLITICS"
    }  # fmt: skip


def test_the_table_of_families_has_a_row_for_every_learner_of_a_task(made):
    rows: Any = klein2011.figures_of("tiny")["table-families"].draw(made)
    found = {(row["task"], row["learner"]) for row in rows}
    assert {("ocr", "HMM by counts"), ("ocr", "MIRA"), ("ocr", "L-BFGS")} <= found
    assert all(row["gap, %"] == "0.5" for row in rows if row["C"] != "-")


def test_a_learner_is_judged_by_the_best_bound_of_its_own_problem():
    """P = 10 and 12 with D = 9 and 2: the second is 25 % above 9, though its own gap is 83 %; C tells apart."""

    def run(algorithm, primal, dual, loss="hinge", C=10.0):
        found = Run(algorithm, Path("nowhere"), spec_of("ocr", loss, C, algorithm), {})
        found.__dict__["curve"] = pd.DataFrame({"primal": [2 * primal, primal], "dual": [0.0, dual], "C": [C, C]})
        return found

    smo, subgradient, weaker = run("smo", 10.0, 9.0), run("subgradient", 12.0, 2.0), run("smo", 5.0, 4.5, C=1.0)
    every = [smo, subgradient, weaker, run("mira", np.nan, np.nan, "none")]
    found = [figures.above_bound([each], every) for each in every]
    assert found[:3] == pytest.approx([0.1, 0.25, 0.1]) and np.isnan(found[3])
    assert figures.above_bound([smo, subgradient], every) == pytest.approx(0.25)


def test_learners_of_a_task_are_those_that_can_learn_it():
    words, digits = (task.ways() for task in scale_of("quick").tasks)
    bayes, hmm, naive = (WAYS[name] for name in ("bayes", "hmm", "naive-smo"))
    assert hmm in words and bayes not in words and naive not in words
    assert bayes in digits and naive in digits and hmm not in digits
