"""``bench run`` at its end: lines for people, JSON for programs, and what a Ctrl-C leaves."""

import json
from types import SimpleNamespace

import pytest

from structbench.bench.runs import execute
from structbench.bench.verbs import data_check, running
from tests.bench import fake_runs

RUN = ("run", "--data", "toy-points", "--loss", "log", "--C", "1", "--algorithm", "eg")


@pytest.mark.parametrize(
    ("is_terminal", "words", "lines"), [(True, (), 3), (True, ("--json",), 1), (False, (), 1)]
)
def test_a_person_reads_three_lines_and_a_program_json(bench, monkeypatch, tmp_path, is_terminal, words, lines):
    made = fake_runs.write(tmp_path)
    made.summary.update(C=10.0, by_label={}, scheme="", validation_error=0.0625)
    monkeypatch.setattr(execute, "run_one", lambda *given: made)
    monkeypatch.setattr(running, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: is_terminal)))
    code, out, _ = bench(*RUN, *words)
    assert (code, len(out.splitlines())) == (0, lines)
    if lines == 3:
        errors, effort, folder = out.splitlines()
        assert errors.startswith("train error 6.00 %, validation error 6.25 %, test error ")
        assert "relative gap " in effort and effort.endswith(" CPU s") and folder.startswith("results/runs/")
    else:
        outcome = json.loads(out)
        assert outcome["run"] == made.key
        assert (outcome["validation_error"], outcome["validation_f1"]) == (0.0625, None)


def test_a_name_that_runs_have_while_they_are_made_is_refused_first(bench, monkeypatch):
    monkeypatch.setattr(execute, "run_one", None)
    code, _, said = bench(*RUN, "--out", "runs/mine.partial")
    assert code == 2 and "--out runs/mine.partial: .partial ends the names of runs that are being made" in said


def test_an_interrupted_run_is_said_to_start_again(bench, monkeypatch):
    def interrupted(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(execute, "run_one", interrupted)
    code, _, said = bench(*RUN)
    assert code == 130 and said == f"interrupted: {running.AGAIN}\n"
    assert "starts again" in said


def test_cross_validation_gives_json_if_it_is_asked_for(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text("the D\ndog N\n\na D\ncat N\n\n")
    words = ["run", "--data", "columns:train.txt", *RUN[3:-1], "lbfgs", "--passes", "2", "--cv", "2"]
    code, out, _ = bench(*words, "--json")
    found = json.loads(out)
    assert (code, len(found["runs"]), found["by"]) == (0, 2, "validation_error")
    assert found["tables"][0]["rows"][0]["method"] == "L-BFGS"


def test_a_held_out_part_that_is_much_easier_than_the_test_set_is_said(tmp_path, capsys):
    made = fake_runs.write(tmp_path)
    made.summary.update(dict.fromkeys([*running.OUTCOME, "scheme"]), by_label={}, status="passes", message="")
    for held, is_said in ((0.0578, True), (0.4, False)):
        made.summary.update(validation_error=held, test_error=0.507)
        running._print_outcome(made, tmp_path, True)
        said = capsys.readouterr().err
        assert ("this run has a test error of 50.70 % and a validation error of 5.78 %" in said) == is_said


TAGS = "a HEAD\nb B-X\nc I-X\nd O\n\n"


@pytest.mark.parametrize(("held", "judged"), [(",validation=0.5", "validation"), ("", "train")])
def test_the_split_of_scores_by_label_is_named(bench, tmp_path, monkeypatch, held, judged):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(4 * TAGS)
    code, out, _ = bench("run", "--data", f"columns:train.txt{held}", *RUN[3:-1], "lbfgs", "--passes", "3")
    found = json.loads(out)
    assert (code, found["f1_by_label_of"]) == (0, judged) and found["f1_by_label"].keys() >= {"O"}
    assert (found["validation_error"] is not None) == bool(held) and found["test_error"] is None


def test_labels_that_are_no_tags_are_those_of_training(bench, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text(4 * TAGS)
    (tmp_path / "test.txt").write_text(TAGS[7:])
    words = ["--data", "columns:train.txt", "--test", "test.txt", *RUN[3:-1], "lbfgs", "--passes", "30"]
    code, out, said = bench("run", *words)
    assert code == 0 and json.loads(out)["f1_by_label"].keys() == {"B-X", "I-X", "O"}
    assert "no F1 of chunks: 'HEAD' is no tag such as B-X" in said


@pytest.mark.parametrize(
    ("first", "limits", "is_said"),
    [("20000", (), True), ("20000", ("--gap", "2"), False), ("2", (), False)],
)
def test_features_on_odd_scales_are_said_of_a_run_that_ends_far_from_the_optimum(
    bench, tmp_path, first, limits, is_said
):
    (tmp_path / "train.svm").write_text(f"a 1:{first} 2:0.7\nb 1:-1 2:-0.9\nb 1:0.5 2:-0.8\n")
    code, _, said = bench("run", "--data", "svmlight:train.svm", *RUN[3:], "--passes", "1", *limits)
    odd = "features on scales on which solvers are slow: 1 reaches 2e+04, 2 reaches 0.9: divide each by"
    assert code == 0 and (odd in said) == is_said


@pytest.mark.parametrize(("status", "is_said"), [("diverged", True), ("finished", False)])
def test_features_on_odd_scales_are_said_of_a_run_that_diverged(tmp_path, capsys, monkeypatch, status, is_said):
    made = fake_runs.write(tmp_path)
    made.summary.update(dict.fromkeys([*running.OUTCOME, "scheme"]), by_label={}, status=status, message="")
    monkeypatch.setattr(running.problem_store, "fingerprint", lambda *given: "known")
    monkeypatch.setattr(running.problem_store, "obtain", lambda *given, names=False: (None, "known"))
    monkeypatch.setattr(data_check, "scales", lambda problem: ["odd scales"])
    running._print_outcome(made, tmp_path, True)
    assert ("odd scales" in capsys.readouterr().err) == is_said
