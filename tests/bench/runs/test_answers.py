"""Answers of models of all structures: in the format of the data, with as many errors as the run reported."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from structbench import datasets
from structbench.bench.__main__ import main
from structbench.bench.runs import results, spec
from structbench.bench.runs.execute import run_one
from structbench.datasets import toy_english
from structbench.datasets.text import brackets
from structbench.datasets.text.trees import Leaf, Node
from structbench.datasets.toy.bitext import pairs

TOY = "toy-english:sentences=60,test_sentences=40,task="
LISTS = "corpus=toy-english,sentences=60,test_sentences=40,k=6,folds=3"


def of_test(task: toy_english.Task) -> str:
    return toy_english.text(40, 0, "test", task)


def last_columns(count: int) -> Callable[[str], list[str]]:
    """The labels of a file in columns: the last ones of each line."""
    return lambda text: [" ".join(line.split()[-count:]) for line in text.split("\n") if line]


def heads(text: str) -> list[str]:
    return [line.split("\t")[6] for line in text.split("\n") if line]


def links(text: str) -> list[str]:
    """The partner of each source word."""
    found = []
    for line in text.splitlines():
        source, _, given = line.split("|||")
        partner = dict(link.split("-") for link in given.split())
        found += [partner.get(str(j), "none") for j in range(len(source.split()))]
    return found


def spans(text: str) -> list[str]:
    """The labels of all spans of all trees, from the top down."""
    found = []
    for tree in brackets.read_brackets(text, "answer"):
        labels: dict[tuple[int, int], str] = {}

        def walk(node: Node | Leaf, begin: int, labels: dict = labels) -> int:
            if isinstance(node, Leaf):
                return begin + 1
            below: dict[tuple[int, int], str] = {}
            end = begin
            for child in node.children:
                end = walk(child, end, below)
            own = "" if node.label == brackets.TOP else node.label
            below[begin, end] = "+".join(filter(None, (own, below.get((begin, end)))))
            labels |= below
            return end

        T = walk(tree, 0)
        found += [labels.get((b, e)) or "none" for b in range(T) for e in range(b + 1, T + 1)]
    return found


def stories() -> str:
    """The test sentences, five of which are one."""
    each = of_test("skip-chains").strip().split("\n\n")
    return "\n\n".join("\n".join(each[i : i + 5]) for i in range(0, len(each), 5)) + "\n\n"


def bitext() -> str:
    lines = []
    for pair in pairs(20, 20, 0, "test"):
        given = " ".join(f"{j}-{k}" for j, k in pair.links)
        lines.append(f"{' '.join(pair.source)} ||| {' '.join(pair.target)} ||| {given}\n")
    return "".join(lines)


class Case(NamedTuple):
    """``labels``: those of a text. ``bare``: a line of a text without its labels."""

    data: str
    algorithm: str
    loss: str | None
    text: Callable[[], str]
    labels: Callable[[str], list[str]]
    bare: Callable[[str], str]


def without(columns: int) -> Callable[[str], str]:
    return lambda line: " ".join(line.split(" ")[: -columns or None])


CASES = [
    Case(f"{TOY}segments", "lbfgs", "log", lambda: of_test("segments"), last_columns(1), without(1)),
    Case(f"{TOY}joint", "laso", None, lambda: of_test("joint"), last_columns(2), without(2)),
    Case(f"{TOY}factorial", "perceptron", None, lambda: of_test("factorial"), last_columns(2), without(2)),
    Case(f"{TOY}skip-chains", "lbfgs", "log", stories, last_columns(1), without(2)),
    Case(
        f"{TOY}brackets", "lbfgs", "log", lambda: of_test("brackets"), spans,
        lambda line: brackets.written(Node("X", tuple(leaf for leaf in _leaves(line)))) if line else "",
    ),
    Case(
        "toy-bitext:pairs=50,test_pairs=20", "subgradient", "hinge", bitext, links,
        lambda line: line.rpartition("|||")[0],
    ),
    Case(f"reranking:{LISTS}", "lbfgs", "log", lambda: of_test("chunks"), last_columns(1), without(1)),
    Case(
        f"reranking-trees:{LISTS}", "lbfgs", "log", lambda: of_test("dependencies"), heads,
        lambda line: "\t".join([*line.split("\t")[:6], "_", *line.split("\t")[7:]]) if line else "",
    ),
]  # fmt: skip


def _leaves(line: str) -> list[Leaf]:
    waiting, found = [*brackets.read_brackets(line, "x")], []
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, Leaf):
            found.append(node)
        else:
            waiting = [*node.children, *waiting]
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.data.partition(",k=")[0].rpartition("task=")[2])
def test_an_answer_has_the_errors_of_the_run(case: Case, tmp_path: Path, monkeypatch, capfd) -> None:
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    of = spec.make(case.data, case.loss, 1.0 if case.loss else None, case.algorithm, {}, passes=10)
    run = run_one(of, results.runs() / of.key, lambda line: None)
    text = case.text()
    (new := tmp_path / "new").write_text("\n".join(map(case.bare, text.split("\n"))))
    (whole := tmp_path / "whole").write_text(text)
    assert main(["predict", run.key, str(new)]) == 0
    answer = capfd.readouterr().out
    assert main(["predict", run.key, str(whole)]) == 0
    again = capfd.readouterr().out
    found, gold = case.labels(answer), case.labels(text)
    assert len(found) == len(gold) == len(case.labels(again))
    assert case.labels(again) == found, "labels in the file are not read"
    wrong = [a != b for a, b in zip(found, gold, strict=True)]
    assert sum(wrong) / len(wrong) == pytest.approx(run.summary["test_error"], abs=1e-12)
    assert 0 < sum(wrong) < len(wrong)


def test_answers_of_own_trees_and_alignments_are_such_files(tmp_path: Path, monkeypatch) -> None:
    """What a model answers is a test file on which it makes no error."""
    monkeypatch.setenv(results.VARIABLE, str(tmp_path / "results"))
    trees = toy_english.text(60, 0, "train", "brackets")
    for data, text, algorithm, loss in (
        ("penn", trees, "lbfgs", "log"),
        ("pharaoh", bitext(), "subgradient", "hinge"),
    ):
        (train := tmp_path / data).write_text(text)
        (answer := tmp_path / f"{data}.answer").write_text("")
        of = spec.make(f"{data}:{train}", loss, 1.0, algorithm, {}, passes=10)
        run = run_one(of, results.runs() / of.key, lambda line: None)
        assert main(["predict", str(run.folder), str(train), "--out", str(answer)]) == 0
        of = spec.make(f"{data}:{train}", loss, 1.0, algorithm, {}, passes=10, test=str(answer))
        again = run_one(of, results.runs() / of.key, lambda line: None)
        assert again.summary["test_error"] == 0
        assert datasets.build(f"{data}:{answer}").train is not None
