"""The last lines point to what is there."""

import json
from types import SimpleNamespace

import pytest

from structbench.bench.__main__ import main
from structbench.bench.runs import catalogue, problem_store, results
from structbench.bench.runs.spec import make, parse
from structbench.bench.workflow import config as configs
from structbench.bench.workflow import messages, outcome
from structbench.bench.workflow.paper_modules import title
from tests.bench import fake_runs

GRID = {"name": "mine", "data": ["mnist"], "C": [10], "algorithms": {"eg": {}}, "passes": 60}


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
    judged("eg2008", "reproduced", "open", "in part", "not reproduced", "weaker", "not run")
    judged("laso2005", *["open"] * 3)
    lines = [line.strip() for line in outcome.where(config, "there").splitlines()]
    assert lines[2:9] == [
        "Collins et al. 2008 (EG): 1 reproduced, 1 weaker, 1 in part, 1 open, 1 not reproduced, 1 not run",
        "c0: Answer 0.",
        "c2: Answer 2.",
        "c3: Answer 3.",
        "and 1 more: python -m bench claims eg2008 --config mine",
        "Daumé and Marcu 2005 (LaSO): 3 open",
        "For the papers' own sizes: python -m bench claims --published",
    ]
    assert not any("scaling" in line for line in lines)
    config.scale = "paper"
    assert not any("--published" in line for line in outcome.where(config, "there").splitlines())


def test_every_paper_has_a_name():
    for paper in catalogue.papers():
        assert (title(paper) and title(paper) != paper) or paper == "scaling"


def drew(config, stem, **said):
    file = results.figures("mine") / "grid-mine" / f"{stem}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(fake_runs.SIDECAR | said))


def test_figures_that_are_not_drawn_are_named_beside_runs_that_are_missing(config):
    drew(config, "a", failed="it failed with ValueError: no")
    drew(config, "other", failed="it is of another config")
    assert outcome.undrawn(config) == {"grid-mine/a": "it failed with ValueError: no"}
    drew(config, "b")
    assert list(outcome.undrawn(config)) == ["grid-mine/a"]
    said = outcome.complaint({f"run-{k:02}": "killed" for k in range(12)}, outcome.undrawn(config)).splitlines()
    assert said[0].startswith("error: 12 runs are missing; ") and said[1:3] == [
        "  run-00: killed",
        "  run-01: killed",
    ]
    assert said[-4:] == [
        "  run-09: killed",
        "  and 2 more",
        f"error: 1 figure is {outcome.NOT_DRAWN}:",
        "  grid-mine/a: it failed with ValueError: no",
    ]
    assert len(said) <= messages.LAST
    assert outcome.complaint({"one": "killed"}, {}).count("error: ") == 1


@pytest.mark.parametrize("failed", [{}, {"failed": "it failed with ValueError: no"}])
def test_the_last_job_fails_if_a_figure_is_not_drawn(config, ours, capfd, failed):
    for each in ("a", "b"):
        drew(config, each)
    file = ours / "mine.json"
    file.write_text(json.dumps({"name": "mine", "scale": "tiny", "figures": [], "grids": [GRID]}))
    for stem in configs.read_config(str(file)).figures["grid-mine"]:
        drew(config, stem, **failed)
    fake_runs.write(results.runs(), passes=60.0)
    code = main(["outcome", "--config", str(file), "--out", str(ours / "complete")])
    assert (code, (ours / "complete").exists()) == ((1, False) if failed else (0, True))
    assert ("4 figures are not drawn" in capfd.readouterr().err) is bool(failed)


def test_runs_that_were_disturbed_are_counted_whatever_comes_of_the_workflow(config):
    config.timed = [
        parse(fake_runs.write(results.runs(), seed=seed, machine={"others": seed}).key) for seed in (0, 1)
    ]
    (said,) = outcome.timed(config)
    assert said.startswith(
        "1 of 2 timed runs were disturbed: their seconds mean little (`python -m bench status mine`"
    )
    assert f"timed    {said}" in outcome.where(config, "there").splitlines()
    config.timed = config.timed[:1]
    assert outcome.timed(config) == []
    beside = parse(fake_runs.write(results.runs(), seed=2, machine={"alone": False}).key)
    config.grids = [SimpleNamespace(specs=[*config.timed, beside])]
    stale = parse(fake_runs.write(results.runs(), seed=3, machine={"alone": False}, code="old").key)
    config.grids[0].specs.append(stale)
    assert outcome.timed(config, with_stale=True)[0].startswith("2 runs shared")
    (said,) = outcome.timed(config)
    assert said.startswith("1 run shared the machine with others: their seconds mean little.")


def test_labels_that_look_like_words_are_named_at_the_end(config, tmp_path, monkeypatch):
    monkeypatch.setattr(outcome, "timed", lambda config: [])
    file = tmp_path / "train.txt"
    file.write_text("".join(f"N w{k % 25}\n\n" for k in range(60)))
    spec = make(f"columns:{file}", "log", 1, "lbfgs")
    config.grids, config.name = (SimpleNamespace(specs=[spec]),), "config/mine.yaml"
    assert "is the last column" not in outcome.where(config, "there"), "nothing is built to say so"
    problem_store.obtain(spec.data)
    assert ": 25 labels for 60 decisions: is the last column the label?" in outcome.where(config, "there")
