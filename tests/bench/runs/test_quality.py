"""What predictions are worth: errors and scores of joint problems, by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from structbench.bench.runs.quality import quality
from structbench.datasets.problems.problem import Problem
from tests.algorithms.oracle import case

LABELS, TAGS = ("B-x", "I-x", "O"), ("N", "V")
UNKNOWN = -1


def judged(predicted, right, norm=1.0, structure="multiclass-dense", tags=TAGS) -> dict[str, float]:
    """Scores of one sentence with these codes, tag * 3 + chunk."""
    split = case(structure).split
    found = np.array(predicted), np.array(right), np.array([0, len(right)])
    model = SimpleNamespace(norm=lambda w: norm, predictions=lambda split, w: found)
    return quality(Problem(split, None, LABELS, bio=True, tags=tags), model, split, np.zeros(1), "test")


def test_a_joint_decision_is_wrong_if_its_tag_or_its_chunk_is() -> None:
    row = judged([0, 1, 2, 3, 4], [3, 2, 2, 3, 1])  # wrong tag, wrong chunk, both right twice, wrong tag
    errors = [row[f"test_{what}"] for what in ("error", "tag_error", "chunk_error")]
    assert errors == pytest.approx([0.6, 0.4, 0.2])
    assert row["test_f1"] == pytest.approx(0.5)  # one of two chunks, which has another end
    assert judged([0, 1, 1], [0, 0, 1], structure="field-binary", tags=())["test_error"] == pytest.approx(1 / 3)


def test_a_label_that_training_never_saw_is_wrong_whatever_is_predicted() -> None:
    """The last chunk tag, O, is number -1 modulo the number of chunk tags."""
    for predicted in range(6):
        row = judged([predicted, 2], [UNKNOWN, 2])
        assert [row[f"test_{what}"] for what in ("error", "tag_error", "chunk_error")] == [0.5] * 3
        assert row["test_recall"] == 0


def test_weights_that_are_not_finite_predict_nothing() -> None:
    assert np.isnan([*judged([0], [0], np.inf).values()]).all()
