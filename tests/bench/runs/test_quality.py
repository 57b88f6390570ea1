"""What predictions are worth: errors and scores of joint problems, by hand."""

import re
import sys
from types import ModuleType

import numpy as np
import pytest

from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.runs.quality import QUALITY, quality
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case
from tests.narrowing import fake

LABELS, TAGS = ("B-x", "I-x", "O"), ("N", "V")
UNKNOWN = -1


def judged(predicted: list[int], right: list[int], norm: float = 1.0, score: str = "joint") -> dict[str, float]:
    """Scores of one sentence with these codes, tag * 3 + chunk."""
    split = case("multiclass-dense").split
    found = np.array(predicted), np.array(right), np.array([0, len(right)])
    model = fake(norm=lambda w: norm, predictions=lambda split, w: found)
    return quality(Problem(split, None, LABELS, tags=TAGS, scores=(score,)), model, split, np.zeros(1), "test")


def test_a_joint_decision_is_wrong_if_its_tag_or_its_chunk_is() -> None:
    row = judged([0, 1, 2, 3, 4], [3, 2, 2, 3, 1])  # wrong tag, wrong chunk, both right twice, wrong tag
    errors = [row[f"test_{what}"] for what in ("error", "tag_error", "chunk_error")]
    assert errors == pytest.approx([0.6, 0.4, 0.2])
    assert row["test_f1"] == pytest.approx(0.5)  # one of two chunks, which has another end
    in_turn = judged([0, 0, 0, 1, 0, 2, 1, 0, 1, 1], [1, 0, 0, 2, 0, 2, 1, 0, 0, 1], score="factorial")
    assert in_turn | {"test_seconds": 0} == pytest.approx(row | {"test_seconds": 0}, nan_ok=True)


def test_a_label_that_training_never_saw_is_wrong_whatever_is_predicted() -> None:
    """The last chunk tag, O, is number -1 modulo the number of chunk tags."""
    for predicted in range(6):
        joint = judged([predicted, 2], [UNKNOWN, 2])
        tag, chunk = divmod(predicted, 3)
        in_turn = judged([tag, chunk, 0, 2], [UNKNOWN, UNKNOWN, 0, 2], score="factorial")
        assert in_turn | {"test_seconds": 0} == pytest.approx(joint | {"test_seconds": 0}, nan_ok=True)
        assert [joint[f"test_{what}"] for what in ("error", "tag_error", "chunk_error")] == [0.5] * 3
        assert joint["test_recall"] == 0


def test_weights_that_are_not_finite_predict_nothing() -> None:
    assert np.isnan([*judged([0], [0], np.inf).values()]).all()


def test_a_score_of_one_s_own_has_a_column_behind_those_of_every_run(monkeypatch) -> None:
    """The one in docs/how-to/add-data.md."""
    text = (ROOT / "docs" / "how-to" / "add-data.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(\"\"\"Whole examples.*?)```", text, re.DOTALL)
    module = ModuleType("structbench.datasets.scores.whole")
    exec(code, vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = judged([0, 1], [0, 1], score="whole")
    assert [*row] == [f"test_{what}" for what in (*QUALITY, "whole")]
    assert (row["test_whole"], judged([0, 1], [0, 2], score="whole")["test_whole"]) == (1, 0)
    assert [*judged([0], [0], np.inf, "whole")] == [*row]
