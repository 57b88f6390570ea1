"""The last lines point to what is there."""

import json
from types import SimpleNamespace

import pytest

from structbench.bench.runs import results
from structbench.bench.workflow import outcome


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    made = SimpleNamespace(
        name="mine", scale="quick", papers=(), grids=(), figures={"grid-mine": {"a": 1, "b": 2}}, timed=()
    )
    for folder in (results.figures("mine"), results.report("mine")):
        folder.mkdir(parents=True)
    (results.report("mine") / "index.html").write_text("")
    return made


def judged(paper, *verdicts):
    results.claims("mine").mkdir(exist_ok=True)
    file = results.claims("mine") / f"{paper}.json"
    file.write_text(json.dumps({"claims": [{"verdict": verdict} for verdict in verdicts]}))


def test_a_config_without_papers_has_no_claims(config, tmp_path):
    assert outcome.where(config, "there").splitlines() == [
        f"figures  {tmp_path}/mine/figures/ (2, each as PNG, SVG and PDF)",
        f"report   {tmp_path}/mine/report/index.html",
        "MLflow   there",
    ]


def test_papers_are_named_and_what_only_the_papers_size_decides_is_one_line(config):
    config.papers = ("eg2008", "laso2005", "scaling")
    judged("eg2008", "reproduced", "inconclusive", "reproduced", "not reproduced")
    judged("laso2005", *["inconclusive"] * 3)
    lines = [line.strip() for line in outcome.where(config, "there").splitlines()]
    assert lines[2:4] == ["Collins et al. 2008: 2 reproduced, 1 not reproduced", "4 sentences need `make paper`"]
    assert not any("Daumé" in line or "scaling" in line for line in lines)
    config.scale = "paper"
    lines = [line.strip() for line in outcome.where(config, "there").splitlines()]
    assert lines[2:4] == [
        "Collins et al. 2008: 2 reproduced, 1 not reproduced, 1 inconclusive",
        "Daumé and Marcu 2005: 3 inconclusive",
    ]


def test_every_paper_has_a_name():
    from structbench.bench.runs import catalogue
    from structbench.bench.workflow.names import title

    for paper in catalogue.papers():
        assert (title(paper) and title(paper) != paper) or paper == "scaling"
