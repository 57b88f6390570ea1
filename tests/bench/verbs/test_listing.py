"""The table of docs/reference/algorithms.md is that of what the algorithms declare."""

import inspect
import json
import re
from pathlib import Path

import pytest

from structbench.bench.__main__ import main
from structbench.bench.runs import algorithm_module, problems
from structbench.bench.verbs import algorithms_page, api_page, listed, listing, marks
from structbench.datasets import data_ref

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "reference" / "algorithms.md"


def test_the_page_of_python_names_is_up_to_date():
    assert (ROOT / api_page.PAGE).read_text() == api_page.text(), "python -m bench list --page"


def test_the_page_of_algorithms_is_up_to_date():
    begin, end = marks.of("list algorithms")
    assert f"{begin}\n{algorithms_page.text()}\n{end}" in PAGE.read_text(), "python -m bench list --page"


def test_what_is_declared_for_some_parameters_is_in_the_table():
    rows = {row.split("|")[1].strip(" `"): row for row in algorithms_page.text().splitlines() if row}
    assert "| `mode` online; `order` random, permuted, gap |" in rows["eg"]
    assert "| any, log with `method=lbfgs`, log with `method=l2sgd` |" in rows["crfsuite"]
    assert "| L-BFGS |" in rows["lbfgs"] and "| smooth | l2, none | parts, marginals | no |" in rows["lbfgs"]


def test_a_listing_is_kept_until_a_file_changes(tmp_path, monkeypatch, capsys):
    def said(*words: str) -> str:
        assert main(["list", *words]) == 0
        return capsys.readouterr().out

    monkeypatch.setenv("STRUCTBENCH_KERNELS", str(tmp_path / "kernels"))
    first = [said(), said("losses", "--json")]
    with monkeypatch.context() as patch:
        patch.setattr(listing, "listed", None)
        assert [said(), said("losses", "--json")] == first
        with patch.context() as other, pytest.raises(TypeError):
            other.setattr(listed, "_newest", lambda: "edited")
            said()
        (tmp_path / "algorithms").mkdir()
        patch.setenv("STRUCTBENCH_WITH", str(tmp_path))  # the listing of a user's folder is not kept
        with pytest.raises(TypeError):
            said()


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
            problems.obtain(data_ref("toy-points"))
        assert main(["data", "show", "toy-points"]) == 0
        shown = capsys.readouterr().out
        assert said in shown and "costs: chunks, or the path of a file" in shown


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
        "test: 1 decisions have labels that training lacks: they count as errors",
        "labels that training has at most once: I",
    ]
    assert found["odd"] == odd
    code, out, _ = bench("data", "check", f"crfsuite:{train}")
    assert code == 0 and "there is no test split" in out and "I       1    " in out
    code, _, said = bench("data", "show", "mnist", "--test", "x")
    assert code == 2 and "data show takes no --test" in said


def test_dense_data_are_checked_too(bench):
    code, out, said = bench("data", "check", "toy-points", "--json")
    assert (code, said) == (0, "")
    assert json.loads(out)["toy-points"]["train"]["without features"] == 0
