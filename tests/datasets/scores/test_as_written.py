"""Scores are of the gold labels as files have them, whether training saw them or not."""

from pathlib import Path

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.datasets.problems import storage
from structbench.datasets.problems.problem import Judged, Problem
from structbench.datasets.scores import chunks, factorial, joint
from structbench.datasets.toy_english import text
from tests.datasets.scores.test_schemes import loosely

FEW = 2  # training sentences, which lack tags of the test sentences
TEST = text(40, 0, "test")
TAGS = [[line.split() for line in each.splitlines()] for each in TEST.split("\n\n") if each.strip()]


def lines(sentences: list[list[list[str]]], row) -> str:
    return "".join("".join(f"{row(*token)}\n" for token in each) + "\n" for each in sentences)


def judged_oracle(made: Problem, split: str = "test") -> Judged:
    """Predictions that are right wherever training saw the label, else the first label."""
    given = getattr(made, split)
    *_, starts = prediction.label_room(parts.compiled(given))
    right = parts.gold_labels(parts.compiled(given))
    return Judged(made, split, np.where(right < 0, 0, right), right, starts, [])


def slow_f1(made: Problem, labels: tuple[str, ...]) -> float:
    """F1 of the oracle by a plain conlleval of the tags in the text."""
    counts = np.zeros(3)
    for sentence in TAGS:
        gold = [tag for *_, tag in sentence]
        found, wanted = loosely([tag if tag in labels else labels[0] for tag in gold]), loosely(gold)
        counts += len(found & wanted), len(found), len(wanted)
    return 2 * counts[0] / (counts[1] + counts[2])


@pytest.mark.parametrize("form", ["toy-english", "columns", "crfsuite"])
def test_f1_is_that_of_the_text(form, tmp_path):
    if form == "toy-english":
        made = datasets.build(f"toy-english:sentences={FEW},test_sentences=40")
    else:
        learn = [[line.split() for line in each.splitlines()] for each in text(FEW, 0, "train").split("\n\n")]
        row = "{0} {1} {2}".format if form == "columns" else "{2}\tw={0}".format
        files = [tmp_path / name for name in ("train", "test")]
        for file, sentences in zip(files, (learn, TAGS), strict=True):
            file.write_text(lines([each for each in sentences if each], row))
        made = datasets.build(f"{form}:{files[0]}", str(files[1]))
    of_oracle = judged_oracle(made)
    assert np.count_nonzero(of_oracle.right < 0) == len(made.unseen) > 0
    names, gold = of_oracle.as_written()
    assert [names[k] for k in gold.tolist()] == [tag for sentence in TAGS for *_, tag in sentence]
    assert chunks.scores(of_oracle).f1 == pytest.approx(slow_f1(made, made.labels), abs=1e-12)


def test_types_that_segments_lack_count_as_written():
    made = datasets.build(f"toy-english:sentences={FEW},test_sentences=40,task=segments")
    tags = [tag for sentence in TAGS for *_, tag in sentence]
    known = {*made.labels}
    assert made.unseen == tuple(tag for tag in tags if tag not in known) != ()
    found = chunks.scores(judged_oracle(made)).f1
    assert found == pytest.approx(slow_f1(made, made.labels), abs=1e-12)


@pytest.mark.parametrize(("task", "score"), [("joint", joint), ("factorial", factorial)])
def test_errors_of_parts_of_speech_and_tags_are_of_each_alone(task, score):
    made = datasets.build(f"toy-english:sentences={FEW},test_sentences=40,task={task}")
    tokens = [token for sentence in TAGS for token in sentence]
    found = score.scores(judged_oracle(made))
    new_tag = np.array([tag not in made.tags for _, tag, _ in tokens])
    new_label = np.array([label not in made.labels for *_, label in tokens])
    wrong = (new_tag | new_label) if task == "joint" else new_tag  # in one decision, either takes both
    if task == "joint":
        columns = (found.tag_error, 1, made.tags[0]), (found.chunk_error, 2, made.labels[0])
        for error, column, first in columns:
            missed = [new and token[column] != first for new, token in zip(wrong.tolist(), tokens, strict=True)]
            assert error == pytest.approx(np.mean(missed))
    else:
        assert (found.tag_error, found.chunk_error) == pytest.approx((new_tag.mean(), new_label.mean()))
        assert found.f1 == pytest.approx(slow_f1(made, made.labels), abs=1e-12)


def test_labels_as_written_are_stored_and_go_with_a_validation_file(tmp_path):
    train, test, held = (tmp_path / name for name in ("train", "test", "held"))
    train.write_text("a B-X\nb O\n\n")
    test.write_text("a B-X\nb I-X\n\n")
    held.write_text("a I-Y\nb B-Z\n\n")
    made = datasets.build(f"columns:{train},validation={held}", str(test))
    assert made.unseen == ("I-Y", "B-Z", "I-X")
    storage.save(made, Path(tmp_path / "stored"))
    again = storage.load(tmp_path / "stored")
    assert again.unseen == made.unseen and storage.fingerprint(again) == storage.fingerprint(made)
    for split, expected in (("validation", ["I-Y", "B-Z"]), ("test", ["I-X"])):
        assert judged_oracle(again, split).unseen() == expected
    assert chunks.scores(judged_oracle(made)).f1 == 0  # B-X alone is not B-X I-X
