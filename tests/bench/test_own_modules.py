"""Mistakes in own data sets, scores and losses are told with the file, and own texts stay what they are."""

import os
import re
import shlex

import pytest

from structbench import datasets
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.__main__ import main
from structbench.bench.checks import own
from structbench.bench.runs import algorithm_files, catalogue, execute
from structbench.bench.runs.spec import make, parse
from structbench.bench.verbs import listing, running
from structbench.bench.verbs.command_line import parse_words
from structbench.datasets.problems.storage import load, save
from tests.bench.test_newcomers import ALGORITHM, DATA, changed
from tests.bench.test_own_folder import written

SCORE = '''"""A newcomer among the scores."""

from typing import NamedTuple


class Scores(NamedTuple):
    """A share."""

    whole: float


def scores(judged):
    """The score of a split."""
    return Scores(0.5)
'''
WITH = changed(DATA, "SOURCES = ()", 'SOURCES = ()\nSCORES = ("SCORE",)')
LABELS = {
    "list": ('["a", "b"]', ("a", "b")),
    "array": ('np.array(["a", "b"])', ("a", "b")),
    "numbers": ("(np.int64(3), 7)", ("3", "7")),
    "text": ('"ab"', r"odd_text\.py: labels must be texts or whole numbers, such as \('a', 'b'\), not 'ab'"),
    "nothing": ("None", "not None"),
    "shares": ("(0.5, 1.5)", r"not \(0\.5, 1\.5\)"),
}
OPTIONS = {
    "untyped": ("noisy=True", "untyped_untyped.py: noisy has no type, such as noisy: bool = True"),
    "array": ("p: np.float64 = np.float64(0.5)", "p has the type float64, and an option has int, float, "),
    "unknown": ("p: 'Lost' = 1", "p has the type Any, and an option has int, "),
}
SCORES = {
    "seconds": ("whole: float", "seconds: float", "Scores has a field 'seconds', which every run has: give it"),
    "error": ("whole: float", "error: float", "Scores has a field 'error', which every run has: give it another"),
    "number": ("Scores(0.5)", "0.5", r"scores must return Scores\(\.\.\.\), not 0\.5"),
    "text": ("Scores(0.5)", 'Scores("good")', "whole of Scores must be a number, not 'good'"),
    "fails": ("Scores(0.5)", "[][1]", r"failed with IndexError: .* at .*odd_fails\.py:14: return"),
    "nameless": ("class Scores", "class Other", "has no NamedTuple Scores, or no function scores: see docs"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of the user's, which is forgotten with the test."""
    written(tmp_path, {"datasets/fine_points.py": DATA})
    monkeypatch.setenv(own_folders.VARIABLE, str(tmp_path))
    yield tmp_path
    monkeypatch.undo()
    look_again()


def look_again():
    for kept in (algorithm_files.by_family, family.loss_names, catalogue.broken_losses):
        kept.cache_clear()
    own_folders.look_again()
    own_folders.extend_packages()


def added(folder, file, text):
    written(folder, {file: text})
    look_again()


@pytest.mark.parametrize("kind", LABELS)
def test_names_of_labels_are_texts(folder, kind):
    given, said = LABELS[kind]
    added(folder, f"datasets/odd_{kind}.py", changed(DATA, '("a", "b")', given))
    if isinstance(said, tuple):
        made = datasets.build(f"odd-{kind}")
        save(made, folder / "stored")
        assert made.labels == said == load(folder / "stored").labels
        assert {type(label) for label in made.labels} == {str}
    else:
        with pytest.raises(UserError, match=said):
            datasets.build(f"odd-{kind}")


@pytest.mark.parametrize("kind", OPTIONS)
def test_an_option_has_a_type_that_can_be_read(folder, kind):
    given, said = OPTIONS[kind]
    added(folder, f"datasets/untyped_{kind}.py", changed(DATA, "(files)", f"(files, *, {given})"))
    with pytest.raises(UserError, match=said):
        datasets.build(f"untyped-{kind}")


@pytest.mark.parametrize("kind", SCORES)
def test_a_score_of_the_user_s_is_called_before_a_run(folder, kind):
    before, after, said = SCORES[kind]
    added(folder, f"datasets/scores/odd_{kind}.py", changed(SCORE, before, after))
    added(folder, f"datasets/scored_{kind}.py", WITH.replace('SCORE"', f'odd_{kind}"'))
    (wrong,) = own._said(folder, own._data, f"scored-{kind}")
    assert re.search(f"odd_{kind}.py.*{said}" if kind != "fails" else said, wrong)
    with pytest.raises(UserError, match=said):
        execute.run_one(make(f"scored-{kind}", "log", 1.0, "lbfgs", passes=1), folder / "run", print)


def test_a_score_may_have_nothing_to_divide_by_without_a_wrong_decision(folder):
    wrong = "Scores(1 / int((judged.predicted != judged.right).sum()))"
    added(folder, "datasets/scores/of_wrong.py", changed(SCORE, "Scores(0.5)", wrong))
    added(folder, "datasets/scored_wrong.py", WITH.replace('SCORE"', 'of_wrong"'))
    assert own._said(folder, own._data, "scored-wrong") == []


def test_a_score_that_fails_later_is_named_and_not_the_algorithm(folder):
    late = '    if judged.which != "train":\n        raise KeyError("late")\n    return'
    added(folder, "datasets/scores/late_score.py", changed(SCORE, "    return", late))
    tested = changed(WITH.replace('SCORE"', 'late_score"'), "None", "split")
    added(folder, "datasets/scored_late.py", tested)
    with pytest.raises(Exception, match=r"lbfgs: the score late-score failed with KeyError: 'late'") as caught:
        execute.run_one(make("scored-late", "log", 1.0, "lbfgs", passes=1), folder / "run", print)
    assert "late_score.py:15: raise KeyError" in str(caught.value)


@pytest.mark.parametrize("text", ["models/w.npy", "/../../evil", "a%2Fb", "a,b=c", "a__b_", "50%", "plain-1.5"])
def test_a_text_is_no_folder_of_a_run_s_name(folder, text):
    added(folder, "algorithms/own_text.py", changed(ALGORITHM, "objective, rng", 'objective, rng, *, p: str = ""'))
    spec = make("fine-points", "log", 1.0, "own-text", {"p": text})
    assert "/" not in spec.key and parse(spec.key) == spec
    if text in ("plain-1.5", "50%"):
        assert spec.key == f"fine-points__log__C=1__own-text:p={text}", "as it was"
    given = parse_words(shlex.split(spec.command())[3:])
    assert running.asked(given) == spec


def test_a_loss_that_fails_hides_no_other(folder):
    text = '"""X."""\n\n\ndef loss(number):\n    return 1 / 0\n'
    added(folder, "losses/bad_raise.py", text)
    wrong = r"failed with ZeroDivisionError: division by zero at .*bad_raise\.py:5: return 1 / 0"
    rows = listing.listed("losses")["losses"]
    assert re.search(wrong, rows["bad-raise-TAU"][1]) and "log" in rows
    assert "bad-raise-TAU" not in catalogue.losses("lbfgs")
    assert re.search(wrong, own._said(folder, own._loss, "bad-raise-TAU")[0])
    with pytest.raises(UserError, match=wrong):
        make("fine-points", "bad-raise-2", 1.0, "lbfgs")


def test_an_annotation_that_only_a_type_checker_knows_is_said_with_its_file(folder):
    text = changed(
        ALGORITHM, "from typing import Annotated", "from __future__ import annotations\n\nimport typing"
    )
    text = changed(text, "(problem, objective, rng)", "(problem: Lost, objective, rng)")
    added(folder, "algorithms/own_types.py", text)
    with pytest.raises(UserError, match=r"cannot be imported: .*own_types\.py:14: .*: NameError: name 'Lost' is"):
        make("fine-points", "log", 1.0, "own-types")


@pytest.mark.parametrize("name", ["points", "np", "rng", "my-levels"])
def test_a_new_structure_of_any_name_works(folder, name):
    assert main(["new", "structure", name, "--in", str(folder)]) == 0
    look_again()
    assert datasets.build(f"{name}-points:points=5").train.id == name


def test_the_backend_of_a_notebook_is_not_for_the_command_line(folder, monkeypatch):
    for name in ("module://matplotlib_inline.backend_inline", "Qt4Agg", "nonsense"):
        monkeypatch.setenv("MPLBACKEND", name)
        assert main(["list", "losses", "--json"]) == 0 and os.environ["MPLBACKEND"] == "agg"
