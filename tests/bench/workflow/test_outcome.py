"""The last lines point to what is there."""

import json
from types import SimpleNamespace

import pytest

from structbench.bench.runs import catalogue, results
from structbench.bench.workflow import outcome
from structbench.bench.workflow.names import title
from tests.bench import fake_runs


@pytest.fixture
def config(ours):
    made = SimpleNamespace(
        name="mine", scale="quick", papers=(), grids=(), figures={"grid-mine": {"a": 1, "b": 2}}, timed=()
    )
    for folder in (results.figures("mine"), results.report("mine")):
        folder.mkdir(parents=True)
    (results.report("mine") / "index.html").write_text("")
    return made


def judged(paper, *verdicts):
    results.claims("mine").mkdir(exist_ok=True)
    said = [
        fake_runs.CLAIM | {"verdict": each, "id": f"{paper}/c{k}", "answer": f"Answer {k}."}
        for k, each in enumerate(verdicts)
    ]
    (results.claims("mine") / f"{paper}.json").write_text(json.dumps({"scale": "tiny", "claims": said}))


def test_a_config_without_papers_has_no_claims(config, ours):
    assert outcome.where(config, "there").splitlines() == [
        f"figures  {ours}/mine/figures/ (2, each as PNG and SVG)",
        f"report   {ours}/mine/report/index.html",
        "MLflow   there",
    ]


def test_papers_are_named_with_their_first_answers(config):
    config.papers = ("eg2008", "laso2005", "scaling")
    judged("eg2008", "reproduced", "open", "in part", "not reproduced", "at least in part", "not run")
    judged("laso2005", *["open"] * 3)
    lines = [line.strip() for line in outcome.where(config, "there").splitlines()]
    assert lines[2:9] == [
        "Collins et al. 2008 (EG): 1 reproduced, 1 at least in part, 1 in part, 1 open, 1 not reproduced, "
        "1 not run",
        "c0: Answer 0.",
        "c2: Answer 2.",
        "c3: Answer 3.",
        "and 1 more: python -m bench claims eg2008",
        "Daumé and Marcu 2005 (LaSO): 3 open",
        "For the papers' own sizes: python -m bench claims --published",
    ]
    assert not any("scaling" in line for line in lines)
    config.scale = "paper"
    assert not any("--published" in line for line in outcome.where(config, "there").splitlines())


def test_every_paper_has_a_name():
    for paper in catalogue.papers():
        assert (title(paper) and title(paper) != paper) or paper == "scaling"
