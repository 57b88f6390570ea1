"""What runs label wrong: counts of a real run by its stored problem, and two runs against each other."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from structbench.bench.__main__ import main
from structbench.bench.runs import confusion_matrix, predicted, programs, results
from structbench.bench.runs.execute import run_one
from structbench.bench.runs.spec import make
from tests.narrowing import not_none

DATA = "toy-english:sentences=60,test_sentences=20"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv(results.VARIABLE, str(tmp_path_factory.mktemp("results")))
    specs = [make(f"{DATA},validation=0.2", "log", C, "lbfgs", passes=30) for C in (0.1, 1000.0)]
    yield [run_one(each, results.runs() / each.key, lambda line: None) for each in specs]
    patch.undo()


def shown(capsys, *words):
    assert main([*map(str, words), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("split", ["test", "validation"])
def test_the_confusion_has_the_errors_of_the_run(made, capsys, split):
    run = made[1]
    said = shown(capsys, "mistakes", run.folder, "--split", split)
    table = np.array(said["confusion"])
    wrong = 1 - np.trace(table) / table.sum()
    assert wrong > 0 and wrong == pytest.approx(run.summary[f"{split}_error"])
    counts = not_none(predicted.counts(run, split, "error"))
    assert counts[:, 1].sum() == table.sum() and counts[:, 0].sum() == np.trace(table)
    both, found, wanted = not_none(predicted.counts(run, split, "f1")).sum(axis=0)
    assert 2 * both / (found + wanted) == pytest.approx(run.summary[f"{split}_f1"])


def test_what_two_runs_label_differently(made, capsys):
    one, other = made
    said = shown(capsys, "mistakes", one.folder, "--against", other.folder)
    assert said["difference"]["mean"] == pytest.approx(other.summary["test_error"] - one.summary["test_error"])
    first, second = (predicted.last(run, "predicted_test") for run in made)
    assert len(said["differ"]) == np.count_nonzero(first != second) > 0
    assert all(each["first"] != each["second"] for each in said["differ"])
    assert main(["mistakes", str(one.folder), "--against", str(other.folder)]) == 0
    assert "95 % interval of a paired bootstrap over examples" in capsys.readouterr().out


def test_a_torn_run_is_refused_and_a_stale_one_said(made, tmp_path, capsys, monkeypatch):
    torn = shutil.copytree(made[0].folder, tmp_path / "torn")
    curve = (torn / "curve.parquet").read_bytes()
    (torn / "curve.parquet").write_bytes(curve[: len(curve) // 2])
    for words in ([torn], [made[1].folder, "--against", torn]):
        assert main(["mistakes", *map(str, words)]) == 2
        assert " is torn: not as written: curve.parquet" in capsys.readouterr().err
    monkeypatch.setattr(programs, "sha256_of_run", lambda spec: "other")
    assert main(["mistakes", str(made[0].folder)]) == 0
    assert f"{made[0].key} is stale: it is of other programs; its predictions" in capsys.readouterr().err
    monkeypatch.setattr(confusion_matrix, "judged", lambda run, split: None)
    for others in ([], ["--against", str(made[1].folder)]):
        assert main(["mistakes", str(made[0].folder), *others]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"error: {made[0].key}: its data changed, or are no longer stored"), said


def test_of_own_files_chunks_are_scored_and_words_are_shown(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(results.VARIABLE, "results")
    text = "the x B-NP\ndog x I-NP\n" + 12 * "ran x O\n" + "\n"
    Path("train.txt").write_text(6 * text)
    Path("test.txt").write_text(2 * text)
    specs = [make("columns:train.txt", "log", 10.0, "lbfgs", test="test.txt", passes=k) for k in (1, 20)]
    for each in specs:
        run_one(each, results.runs() / each.key, lambda line: None)
    said = shown(capsys, "mistakes", results.runs() / specs[1].key)
    assert {*said["by_label"]} == {"NP"} and "B-NP" in said["labels"]
    assert main(["mistakes", *(str(results.runs() / each.key) for each in specs[1:])]) == 0
    assert capsys.readouterr().out.startswith("chunk ")
    one, other = (results.runs() / each.key for each in specs)
    last = shown(capsys, "mistakes", one, "--against", other)["differ"][-1]
    assert [*last][:3] == ["example", "decision", "token"]
    assert last["token"] == {"1": "[the] dog", "2": "the [dog] ran"}[last["decision"]]


@pytest.mark.parametrize("held", ["0.25", "2of3"])
def test_mistakes_are_shown_in_their_sentences(tmp_path, monkeypatch, capsys, held):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(results.VARIABLE, "results")
    Path("train.txt").write_text("".join(f"known{k} {'ABC'[k % 3]}\nnext{k} {'AB'[k % 2]}\n\n" for k in range(12)))
    spec = make(f"columns:train.txt,validation={held}", "log", 10.0, "lbfgs", passes=1)
    run = run_one(spec, results.runs() / spec.key, lambda line: None)
    said = shown(capsys, "mistakes", run.folder)["mistakes"]
    decisions = {"0.25": 6, "2of3": 8}[held]
    assert said and len(said) == pytest.approx(decisions * run.summary["validation_error"])
    for each in said:
        number = each["token"].replace("[", "").replace("]", "").split()[0].removeprefix("known")
        assert each["token"] in (f"[known{number}] next{number}", f"known{number} [next{number}]")
        assert each["gold"] == ("ABC"[int(number) % 3] if each["decision"] == "1" else "AB"[int(number) % 2])
    assert main(["mistakes", str(run.folder), "--examples", "1"]) == 0
    told = capsys.readouterr()
    assert f"{len(said)} of " in told.err and "precision %" in told.out
    assert main(["mistakes", str(run.folder), "--against", str(run.folder)]) == 0
    assert "Nothing differs: both label all" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("data", "text", "gold", "shown_as"),
    [
        ("columns", "O\u00a0Neil N\nis V\n\n", "l N", "[O\u00a0Neil] is"),
        ("crfsuite", "N\tw=New York\tx\nV\tw=is\n\n", "N\t", "[w=New York] w=is"),
        ("conll2003", "-DOCSTART- -X- O O\n\nOslo x x B-LOC\nis x x O\n\n", "B-LOC", "[Oslo] is"),
    ],
)
def test_whole_first_cells_are_shown(tmp_path, monkeypatch, capsys, data, text, gold, shown_as):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(results.VARIABLE, "results")
    Path("train.txt").write_text(3 * text)
    Path("test.txt").write_text(text.replace(gold, gold.replace("N", "V").replace("B-LOC", "B-ORG")))
    spec = make(f"{data}:train.txt", "log", 1.0, "lbfgs", test="test.txt", passes=20)
    run = run_one(spec, results.runs() / spec.key, lambda line: None)
    assert [each["token"] for each in shown(capsys, "mistakes", run.folder)["mistakes"]] == [shown_as]


def test_mistakes_in_folds_of_documents_have_their_words(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(results.VARIABLE, "results")
    tokens = [f"word{k} {'ABC'[k % 3]}\n\n" for k in range(12)]
    for k in 9, 4, 0:
        tokens.insert(k, "-DOCSTART- O\n\n")
    Path("train.txt").write_text("".join(tokens))
    spec = make("columns:train.txt,validation=2of3", "log", 10.0, "lbfgs", passes=1)
    run = run_one(spec, results.runs() / spec.key, lambda line: None)
    said = shown(capsys, "mistakes", run.folder)["mistakes"]
    assert said and all(each["token"].startswith("[") for each in said)
    words = [each["token"].strip("[]") for each in said]
    assert [each["gold"] for each in said] == ["ABC"[int(word.removeprefix("word")) % 3] for word in words]


def test_of_many_labels_the_pairs_that_are_confused_most_are_listed():
    names, table = [f"l{k}" for k in range(15)], np.diag(np.full(15, 9))
    table[2, 3], table[5, 1] = 4, 7
    assert confusion_matrix.confusion_rows(names, table) == (
        ["gold", "predicted", "times"],
        [["l5", "l1", "7"], ["l2", "l3", "4"]],
    )


def test_predictions_of_other_data_are_not_judged(made, monkeypatch):
    summary = made[0].summary
    monkeypatch.setitem(summary, "provenance", summary["provenance"] | {"data_sha256": "other"})
    assert confusion_matrix.judged(made[0], "test") is None
    assert confusion_matrix.judged(made[1], "test") is not None


def test_a_run_without_a_split_is_told_from_one_whose_data_changed(made, monkeypatch, capsys):
    run = made[0]
    monkeypatch.setattr(predicted, "last", lambda run, name: None)
    assert main(["mistakes", str(run.folder)]) == 2
    assert "keeps no predictions of a test split: make a run of data that have one" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setenv(results.VARIABLE, str(run.folder.parent.parent))
    monkeypatch.setattr(confusion_matrix, "judged", lambda run, split: None)
    assert main(["mistakes", str(run.folder)]) == 2
    assert "its data changed, or are no longer stored: make it again" in capsys.readouterr().err


def test_a_negative_number_of_examples(made, capsys):
    assert main(["mistakes", str(made[0].folder), "--examples", "-1"]) == 2
    assert "--examples must be at least 0, not -1" in capsys.readouterr().err


def test_json_has_as_many_mistakes_as_are_asked_for(made, capsys):
    def listed(*words: str) -> list:
        assert main(["mistakes", str(made[0].folder), "--json", *words]) == 0
        return json.loads(capsys.readouterr().out)["mistakes"]

    assert len(listed()) > 1 and listed("--examples", "1") == listed()[:1] and not listed("--examples", "0")


def test_as_many_differences_are_listed_as_are_asked_for(made, capsys):
    one, other = (str(each.folder) for each in made)
    assert main(["mistakes", one, "--against", other, "--examples", "2"]) == 0
    assert " more: --json has all" in capsys.readouterr().out
    assert main(["mistakes", one, "--against", other, "--examples", "9999"]) == 0
    assert " more: --json has all" not in capsys.readouterr().out
