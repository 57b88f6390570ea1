"""What there is to run: its listings, and the table of docs/reference/algorithms.md."""

import inspect
import json
import re
from pathlib import Path

import pytest

from structbench.bench.__main__ import main
from structbench.bench.runs import algorithm_module, odd_labels, problem_store
from structbench.datasets import build, data_ref

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reference" / "algorithms.md"


def test_the_page_of_algorithms_has_each_with_its_loss():
    table = PAGE.read_text().partition("| algorithm |")[2].partition("\n\n")[0]
    rows = [row.split("|") for row in table.split("\n|---")[1].split("\n")[1:]]
    listed = {name: row[2].strip() for row in rows for name in re.findall(r"`([\w-]+)`", row[1])}
    declared = {name: algorithm_module.declaration(name).loss for name in algorithm_module.algorithms()}
    assert listed == declared, "give it a row in docs/reference/algorithms.md"


def test_an_option_that_went_says_what_to_use_now(bench):
    code, _, said = bench("list", "--page")
    assert code == 2 and "there is no --page any more: `make docs`" in said


@pytest.mark.parametrize("name", algorithm_module.algorithms())
def test_a_docstring_says_what_each_parameter_does(name):
    _, _, told = (inspect.getdoc(algorithm_module.algorithm(name).solve) or "").partition("Args:")
    heads = re.findall(r"^    (\w+(?:, \w+)*):", told.partition("Raises:")[0], re.MULTILINE)
    assert set(algorithm_module.parameters(name)) == {each for head in heads for each in head.split(", ")}


def test_a_data_set_is_shown_with_its_labels_once_it_is_built(ours, capsys):
    for built, said in (
        (False, "labels: known once a run has built the data"),
        (True, "labels: class 1, class 2"),
    ):
        if built:
            problem_store.obtain(data_ref("toy-points"))
        assert main(["data", "show", "toy-points"]) == 0
        shown = capsys.readouterr().out
        assert said in shown and "costs: share or a file: docs/reference/data.md\n" in shown


@pytest.mark.parametrize(
    ("data", "costs"),
    [
        ("penn", "none"),
        ("conllu", "none"),
        ("columns", "share or a file: docs/reference/data.md"),
        ("toy-english:task=segments", "chunks: docs/reference/data.md"),
    ],
)
def test_a_data_set_is_shown_with_the_costs_that_it_takes(bench, data, costs):
    code, out, _ = bench("data", "show", data)
    assert code == 0 and f"\ncosts: {costs}\n" in out


def test_a_file_is_checked_before_anything_is_learned(bench, tmp_path):
    train, test = tmp_path / "train.crf", tmp_path / "test.crf"
    train.write_text("B\tw=a\nI\tw=b\nO\n\nB\tw=b\n\nO\tw=c\n")
    test.write_text("X\tw=a\nB\tw=new\n")
    code, out, said = bench("data", "check", f"crfsuite:{train}", "--test", str(test), "--json")
    (found,) = json.loads(out).values()
    assert (code, said) == (0, "")
    assert found["structure"] == "chain" and found["weights"] == 3 * 3 + 3 * 3
    assert found["train"] == {"examples": 3, "decisions": 5, "longest": 3, "unseen": 0, "without features": 1}
    assert found["test"] == {"examples": 1, "decisions": 2, "longest": 2, "unseen": 1, "without features": 1}
    assert [[*each.values()] for each in found["labels"]] == [["B", 2, 1], ["I", 1, 0], ["O", 2, 0]]
    odd = [
        "train: 1 decisions have no features",
        "test: 1 decisions have no features",
        "test: 1 decision has a label that training lacks (X): it counts as an error",
        "labels that training has at most once: I",
        "not all test labels are tags, those of training of IOB: chunks are those of IOB",
    ]
    assert found["odd"] == odd
    code, out, _ = bench("data", "check", f"crfsuite:{train}")
    assert code == 0 and "there is no test split" in out and "I       1\n" in out
    code, _, said = bench("data", "show", "mnist", "--test", "x")
    assert code == 2 and "data show takes no --test" in said


SCHEMES = "the schemes are IOB, BIOES, BMES and BILOU"


@pytest.mark.parametrize(
    ("tags", "scheme", "odd"),
    [
        ("B-X I-X O", "IOB2", ""), ("I-X O I-Y", "IOB1", ""), ("B_X E_X O", "BIOES", ""), ("X-U O", "BILOU", ""),
        ("B-X M-X E-X S-Y", "BMES", ""),
        ("NN VB O", "", "no F1 of chunks: 'NN' is no tag such as B-X: " + SCHEMES),
        ("B-X I-X B_Y O", "", "no F1 of chunks: 'B_Y' is no tag such as B-X: " + SCHEMES),
        ("B-X L-X S-X", "", "no F1 of chunks: no scheme has all of B-X, L-X, S-X: " + SCHEMES),
    ],
)  # fmt: skip
def test_the_scheme_of_tags_is_named_before_a_run_and_at_its_end(bench, tmp_path, tags, scheme, odd):
    file = tmp_path / "train.txt"
    file.write_text("".join("".join(f"{tag}w {tag}\n" for tag in tags.split()) + "\n" for _ in range(2)))
    code, out, _ = bench("data", "check", f"columns:{file}", "--test", str(file))
    first, last = out.splitlines()[0], out.splitlines()[-1]
    assert code == 0 and last == (odd or "nothing is odd")
    assert first.endswith(f"weights, tags of {scheme}") if scheme else first.endswith("weights")
    words = ["--data", f"columns:{file}", "--test", str(file), "--loss", "log", "--C", "0.01", "--algorithm", "eg"]
    code, out, said = bench("run", *words, "--passes", "20", "--out", str(tmp_path / "made"))
    outcome = json.loads(out)
    assert code == 0 and outcome["scheme"] == scheme and (odd or f"the labels are tags of {scheme}") in said
    assert outcome["test_f1"] == (1 if scheme else None)
    kinds = {*"XY"} & {*tags} if scheme else {*tags.split()}
    assert outcome["f1_by_label"] == dict.fromkeys(kinds, 1.0)
    code, out, _ = bench("show", str(tmp_path / "made"))
    assert code == 0 and "label   precision   recall   f1" in out
    assert "test_error               0 %" in re.sub(" {3,}", " " * 15, out) and ("test_f1" in out) == bool(scheme)
    assert "test_attachment" not in out and "peak_memory" not in out  # of trees; not measured


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("a 1:38645542 2:0.7\nb 1:5 2:-0.9\n", "1 reaches 3.86e+07, 2 reaches 0.9"),
        ("a 1:200 7:0.1\nb 1:-5\n", "1 reaches 200, 7 reaches 0.1"),
        ("a 3:5000\nb 3:4\n", "3 reaches 5e+03"),
        ("a 3:1e-5\nb 3:2e-5\n", "3 reaches 2e-05"),
        ("a 1:255 2:12\nb 1:100 2:40\n", ""),
        ("a 1:1 2:0.0001\nb 1:2\n", ""),
    ],
)
def test_features_on_scales_that_no_solver_likes_are_named(bench, tmp_path, rows, said):
    (file := tmp_path / "train.svm").write_text(rows)
    code, out, _ = bench("data", "check", f"svmlight:{file}", "--json")
    (found,) = json.loads(out).values()
    odd = [each for each in found["odd"] if "scales" in each]
    told = f"features on scales on which solvers are slow: {said}: divide each by its greatest value"
    assert code == 0 and odd == ([told] if said else [])


@pytest.mark.parametrize("data", ["toy-bitext:pairs=20,test_pairs=5", "toy-english:sentences=20,task=joint"])
def test_data_whose_decisions_are_no_single_labels_are_checked_too(bench, data):
    code, out, said = bench("data", "check", data, "--json")
    assert (code, said) == (0, "") and json.loads(out)[data]["labels"] == []


def test_dense_data_are_checked_too(bench):
    code, out, said = bench("data", "check", "toy-points", "--json")
    assert (code, said) == (0, "")
    assert json.loads(out)["toy-points"]["train"]["without features"] == 0


def test_a_column_of_words_is_no_label(bench, tmp_path):
    train, test = tmp_path / "train.txt", tmp_path / "test.txt"
    train.write_text("".join(f"N w{k % 25}\n\n" for k in range(60)))
    test.write_text("N w1\nN new\n")
    asked = "25 labels for 60 decisions: is the last column the label?"
    lacked = "test: 1 decision has a label that training lacks (new): it counts as an error"
    _, out, _ = bench("data", "check", f"columns:{train}", "--test", str(test))
    assert out.splitlines()[-1] == asked and lacked in out
    words = ("--test", str(test), "--loss", "log", "--C", "1", "--algorithm", "lbfgs", "--passes", "1")
    _, _, said = bench("run", "--data", f"columns:{train}", *words)
    assert lacked in said and asked in said


def test_what_is_given_is_used_or_refused(bench):
    code, out, _ = bench("list", "algorithms", "--config", "mine", "--json")
    assert code == 0 and [*json.loads(out)["mine"]] == ["algorithms"]
    for words, said in (
        ("data list mnist", "data list has all data sets: `data show mnist` shows one"),
        ("publish eg2008 --check", "call --check alone, without papers"),
        ("publish --check --optima", "call --check or --optima alone"),
        ("export --model a --stale", "--model is of one run: leave out --config and --stale"),
    ):
        code, _, told = bench(*words.split())
        assert code == 2 and said in told


def test_a_validation_split_is_checked_too(bench, tmp_path):
    for name, text in (("train", "a B-X\nb O\n\n" * 3), ("dev", "a B-Y\nc O\n\n"), ("test", "a B-Z\n\n")):
        (tmp_path / name).write_text(text)
    data = f"columns:{tmp_path / 'train'},validation={tmp_path / 'dev'}"
    code, out, _ = bench("data", "check", data, "--test", str(tmp_path / "test"), "--json")
    (found,) = json.loads(out).values()
    assert code == 0 and found["validation"]["decisions"] == 2 and found["labels"][0]["validation"] == 0
    assert [each for each in found["odd"] if "lacks" in each] == [
        "validation: 1 decision has a label that training lacks (B-Y): it counts as an error",
        "test: 1 decision has a label that training lacks (B-Z): it counts as an error",
    ]
    code, out, _ = bench("data", "check", data)
    assert code == 0 and "there is no test split: errors are of training and validation examples only" in out


def test_constituents_that_training_lacks_are_told(bench, tmp_path):
    """By ``run``, too. They have numbers, other than labels that training lacks elsewhere."""
    for name, label in (("train", "NP"), ("dev", "XP"), ("test", "AP")):
        (tmp_path / name).write_text(f"(S ({label} (NN a)) (VP (VB b)))\n" * (2 if name == "train" else 1))
    words = [f"penn:{tmp_path / 'train'},validation={tmp_path / 'dev'}", "--test", str(tmp_path / "test")]
    code, out, _ = bench("data", "check", *words, "--json")
    (found,) = json.loads(out).values()
    assert code == 0 and found["validation"]["unseen"] == found["test"]["unseen"] == 1
    assert found["odd"] == [
        "validation: 1 decision has a label that training lacks (XP): it counts as an error",
        "test: 1 decision has a label that training lacks (AP): it counts as an error",
    ], "nor is `none`, which is no constituent, called rare"
    said = odd_labels.odd_labels(build(words[0], words[2]), data_ref(words[0]))
    assert said == [
        "validation and test: 2 decisions have labels that training lacks (XP, AP): they count as errors"
    ]
