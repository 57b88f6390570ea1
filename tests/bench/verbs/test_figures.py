"""``bench figures``: what is drawn, said to lack its runs, and refused."""

import json
import re
import shutil
from pathlib import Path

import pytest

from structbench.bench.drawing import comparison, draw, style
from structbench.bench.runs import hosts, merged, store
from structbench.bench.runs.spec import make
from structbench.bench.verbs import views
from tests.bench import fake_runs

LETTERS = "grid-letters/ocr-log-error-passes"


def test_what_cannot_be_drawn_is_listed_with_its_reason(bench, made):
    made(("ocr", 10.0, "eg"))
    drew = bench("figures", "--config", "config/mine.yaml", "--only", LETTERS)  # needs only its own runs
    assert (drew[0], drew[2]) == (0, f"drew results/mine/figures/{LETTERS}.png\n")
    assert not Path("results/mine/figures/grid-mine").exists()
    shutil.rmtree("results")
    made(("mnist", 10.0, "eg"))
    code, _, said = bench("figures", "--config", "mine")
    assert code == 0
    assert "error-passes.png, without 3 of its 4 runs, which are not finished\n" in said
    assert f"1 not drawn:\n  {LETTERS} needs a run that is not finished, for example ocr__log__C=10__eg" in said
    assert "`make run CONFIG=config/mine.yaml` makes all runs of the config" in said
    assert "alone: `python -m bench run --data ocr --loss log --C 10 --algorithm eg --passes 60" in said


def test_a_figure_that_lacks_its_runs_fails_if_it_is_asked_for_by_name(bench):
    for only in (LETTERS, "grid-mine/mnist-log-error-passes"):
        code, _, said = bench("figures", "--config", "mine", "--only", only)
        assert code == 1
        assert f"1 not drawn:\n  {only} needs " in said
    assert "needs 4 runs that are not finished, for example mnist__log__C=" in said
    code, _, said = bench("figures", "--config", "mine")
    assert code == 2 and "none of the 5 runs of the config mine is finished" in said


def test_a_figure_of_seconds_that_has_merged_runs_alone_says_so(bench):
    text = "{name: far, data: [ocr], C: [10], algorithms: {eg: {}}, passes: 60, timed: false"
    Path("config/far.yaml").write_text(f"grids: [{text}, figures: [gap-seconds, gap-passes]}}]\n")
    run = fake_runs.write(hosts.runs("far"), data="ocr", host="far", machine={"loaded": {}})
    store.amend(run, {merged.CHECKED: run.summary["test_error"]})
    code, _, said = bench("figures", "--config", "far")
    assert code == 0 and "drew results/far/figures/grid-far/ocr-log-gap-passes.png\n" in said
    needs = "grid-far/ocr-log-gap-seconds needs seconds of this machine: its run was made on another"
    assert said.endswith(f"1 not drawn:\n  {needs}\n")
    Path("config/far.yaml").write_text(Path("config/far.yaml").read_text().replace("timed: false", "timed: true"))
    _, _, said = bench("figures", "--config", "far")
    assert "grid-far/ocr-log-gap-seconds needs a run that is not finished" in said and "`make run CONFIG=" in said


@pytest.mark.parametrize("words", ["report", "figures", "claims bcfw2013"])
def test_what_is_made_of_a_config_is_not_replaced_by_that_of_another_of_its_name(bench, made, words):
    made(("mnist", 10.0, "eg"))
    for folder in ("ca", "cb"):
        Path(folder).mkdir()
        text = Path("config/mine.yaml").read_text()
        Path(folder, "mine.yaml").write_text(text.replace("figures: []", "figures: [bcfw2013]"))
    code, _, said = bench(*words.split(), "--config", "ca/mine.yaml")
    assert code == 0 and Path("results/mine/config.path").read_text() == "../../ca/mine.yaml", said
    assert bench(*words.split(), "--config", "ca/mine.yaml")[0] == 0
    code, _, said = bench(*words.split(), "--config", "cb/mine.yaml")
    assert code == 2 and "results/mine holds what" in said and "for a folder of its own" in said


def test_a_figure_that_reads_no_run_is_drawn(bench, made, monkeypatch):
    made(("ocr", 10.0, "eg"))
    told = draw.Figure("What", "why.", lambda runs: style.sentence("no curve"))
    monkeypatch.setattr(comparison, "figures", lambda *given: {"told": told})
    code, _, said = bench("figures", "--config", "mine", "--only", "grid-letters/told")
    assert (code, said) == (0, "drew results/mine/figures/grid-letters/told.png\n")


def test_a_figure_that_fails_is_said_and_the_workflow_goes_on(bench, made, monkeypatch):
    made(("ocr", 10.0, "eg"))
    monkeypatch.setattr(comparison, "_panels", lambda *given: 1 / 0)
    words = ("figures", "--config", "mine", "--only", "grid-letters")
    code, _, said = bench(*words)
    assert code == 1 and said.startswith(f"{LETTERS} is not drawn: it failed with ZeroDivisionError: division by")
    assert bench(*words, "--claims") == (0, "", said)
    assert Path(f"results/mine/figures/{LETTERS}.png").is_file()


def test_data_that_cannot_be_had_are_a_reason_also_where_drawing_fails(bench, tmp_path, monkeypatch):
    given = {"scale": "quick", "figures": ["methods"], "without": {"conll2000": "nowhere."}}
    file = tmp_path / "part.json"
    file.write_text(json.dumps(given))
    code, _, said = bench("figures", "--config", str(file), "--only", "methods/all-chunking")
    assert code == 1
    assert said == "1 not drawn:\n  methods/all-chunking needs conll2000\nconll2000 is left out: nowhere.\n"

    file.write_text(json.dumps(given | {"figures": ["eg2008"]}))
    only = ("--only", "eg2008/fig04-chunking")
    with monkeypatch.context() as patch:
        patch.setattr(style, "label_ends", lambda *given: 1 / 0)
        code, _, said = bench("figures", "--config", str(file), *only)
    assert (code, said) == (1, f"1 not drawn:\n  {only[1]} needs conll2000\nconll2000 is left out: nowhere.\n")


@pytest.mark.parametrize(
    ("only", "said_of_it"),
    [
        ("letters", "did you mean 'grid-letters'?"),
        ("grid-letters/ocr-log-error-pases", f"did you mean '{LETTERS}'?"),
        ("error-passes", "there is grid-mine, grid-letters"),
        ("grid-letters/x", "did you mean 'grid-letters'?"),
    ],
)
def test_an_unknown_figure_gets_a_suggestion(bench, only, said_of_it):
    code, _, said = bench("figures", "--config", "mine", "--only", only)
    assert code == 2
    assert said == f"error: --only {only}: {said_of_it}\n"


def test_a_registered_model_has_short_names_of_files():
    spec = make("columns:here/train.txt", "log", 1, "lbfgs", test="here/test.txt")
    assert re.fullmatch(r"best of mine on columns:train~\w+ test~\w+", views.model_name("mine", spec))
