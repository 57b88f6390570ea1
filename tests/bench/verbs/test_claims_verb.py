"""``bench claims``: a claim is found by its ID, with its paper or without."""

import json
from pathlib import Path

import pytest

from structbench.bench.__main__ import main
from structbench.bench.report import published
from structbench.bench.runs import results
from structbench.bench.workflow import config, config_files

ID = "beats-lbfgs-mnist"


@pytest.mark.parametrize("words", [f"eg2008 {ID}", ID, f"eg2008/{ID}", f"eg2008 eg2008/{ID}"])
@pytest.mark.parametrize("of", [["--published"], ["--config", "tiny"]])
def test_a_claim_is_found_by_its_id(words, of, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path))
    assert main(["claims", *words.split(), *of, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [claim["id"] for claims in found.values() for claim in claims] == [f"eg2008/{ID}"]
    assert found["eg2008"][0]["answer"]
    assert main(["claims", *words.split(), *of]) == 0
    assert found["eg2008"][0]["answer"] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("beats-lbfg-mnist", "no claim has this ID: did you mean 'beats-lbfgs-mnist'? there are bcfw2013, eg2004"),
        ("eg2009", "unknown paper 'eg2009', and no claim has this ID: did you mean 'eg2008'?"),
        (f"eg2009 {ID}", "unknown paper 'eg2009': did you mean 'eg2008'?"),
        ("eg2008 beats-lbfg-mnist", "eg2008 has no claim 'beats-lbfg-mnist': did you mean 'beats-lbfgs-mnist'?"),
    ],
)
def test_an_id_that_is_wrong_is_said_with_the_right_one(words, said, capsys):
    assert main(["claims", *words.split(), "--published"]) == 2
    assert said in capsys.readouterr().err


def test_claims_whose_data_cannot_be_had_say_which_and_how_to_get_them(capsys, monkeypatch):
    said = "conll2000 is not here: connect to the network"
    monkeypatch.setattr(config, "_cannot_be_had", lambda *given: {"conll2000": said})
    assert main(["claims", "laso2005", "--config", "paper"]) == 0
    assert f"laso2005 has no claims without data that it needs: {said}" in capsys.readouterr().err
    assert main(["claims", "laso2005", "p1-beats-semicrf", "--config", "paper"]) == 2
    assert f"no claim 'p1-beats-semicrf' without data that it needs: {said}" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--stale"], ["--config", "paper"]])
def test_what_published_claims_do_not_depend_on_is_refused(words, capsys):
    assert main(["claims", "eg2008", "--published", *words]) == 2
    assert "--published is of docs/results, not of runs of yours" in capsys.readouterr().err


def test_a_config_without_papers_and_an_installed_copy_say_so(tmp_path, capsys, monkeypatch):
    file = tmp_path / "mine.yaml"
    file.write_text("grids: [{name: g, data: toy-points, C: 1, algorithms: {lbfgs: {}}}]\n")
    assert main(["claims", "--config", str(file)]) == 0
    assert f"the config {file} has no claims" in capsys.readouterr().err
    monkeypatch.setattr(published, "RESULTS", tmp_path / "none")
    assert main(["claims", "eg2008", "--published"]) == 2
    assert f"there is no folder {tmp_path / 'none'}: published results lie in a clone" in capsys.readouterr().err


def test_a_paper_without_published_runs_is_said(capsys, monkeypatch):
    monkeypatch.setattr(published, "not_run", lambda made: ["eg2008"])
    assert main(["claims", "eg2008", "--published"]) == 2
    assert "eg2008 is not run yet at the paper's size: `python -m bench claims eg2008`" in capsys.readouterr().err


def test_verdicts_of_stale_runs_are_shown_and_not_kept(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    file = results.claims("tiny") / "eg2008.json"
    assert main(["claims", "eg2008", "--config", "tiny", "--stale"]) == 0 and not file.exists()
    assert main(["claims", "eg2008", "--config", "tiny"]) == 0 and file.exists()
    capsys.readouterr()


def test_runs_of_another_checkout_are_judged_where_nothing_can_be_kept(tmp_path, monkeypatch, capsys):
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "small.yaml").write_text("scale: tiny\nfigures: [eg2008]\n")
    monkeypatch.setenv(results.VARIABLE, "results")
    monkeypatch.chdir(tmp_path / "theirs")
    config_files.note_owner("small", "small.yaml")
    there = tmp_path / "theirs" / "results"
    monkeypatch.chdir(tmp_path / "mine")
    (there / "small" / "claims").write_text("a file, so that nothing can be written")
    words = ["claims", "eg2008", "--config", "small.yaml", "--results", str(there)]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "not kept for a report: " in told.err and "not run" in told.out
    (tmp_path / "mine" / "small.yaml").write_text("scale: tiny\nfigures: [eg2008] # mine\n")
    assert main(words) == 2 and "holds what" in capsys.readouterr().err


def test_figures_of_stale_runs_keep_no_verdicts(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text("scale: tiny\nfigures: [eg2008]\n")
    words = ["figures", "--claims", "--only", "eg2008", "--config", "small.yaml"]
    assert main([*words, "--stale"]) == 0 and not results.claims("small").exists()
    assert main(words) == 0 and results.claims("small").exists()
    capsys.readouterr()


def test_fresh_verdicts_of_another_config_are_not_replaced(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(results.VARIABLE, str(tmp_path))
    config_files.note_owner("fresh", "config/paper.yaml")
    assert main(["claims", "eg2008", "--fresh", "--config", "tiny"]) == 2
    assert "fresh holds what" in capsys.readouterr().err
