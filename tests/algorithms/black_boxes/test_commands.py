"""Black boxes that are commands: CRFsuite and Vowpal Wabbit, files, and what is said of a failure."""

import importlib.util
import os
import time
from pathlib import Path

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.black_boxes import exchange, vowpal_wabbit
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import Fault, UserError
from structbench.algorithms.structures import interface as parts
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets.problems.problem import Problem
from tests.algorithms.black_boxes.test_classes import POINTS, box, declared, iterates
from tests.algorithms.oracle import case

ENGLISH = "toy-english:sentences=30,test_sentences=10"
SMALL = "command: ['{python}', ./mine.py, '{train}', '{test}', '{labels}']\nreads: svmlight\n"
FIRST = "import sys, shutil\ntrain, test, labels, *_ = sys.argv[1:]\n"


def labelling(more: str) -> str:
    """A program that writes the first label of the training file for each example, after ``more``."""
    write = "open(labels, 'w').write(''.join(first + '\\n' for line in open(test) if line.strip()))\n"
    return f"{FIRST}first = open(train).readline().split()[0]\n{more}\n{write}"


@pytest.fixture(scope="module")
def english():
    return datasets.build(ENGLISH)


def test_a_command_with_weights_reaches_our_optimum_and_proves_it(tmp_path, english):
    program = Path(__file__).with_name("crfsuite_command.py").read_text()
    text = "command: ['{python}', ./mine.py, '{train}', '{weights}', '{seconds}', '{C/2}', '{limit}']\n"
    found = iterates(box(tmp_path, f"{text}reads: crfsuite\nminimises: log\n", program), english.train, "log", 14)
    objective = Objective(parts.compiled(english.train), "log", 0.8)
    values = [objective.evaluate(each.vector, None) for each in found]
    assert (values[-1].primal - values[-1].dual) / values[-1].primal < 1e-6
    assert found[-1].hints.seconds[1] > 0 and found[0].hints.seconds == (0.0, 0.0)


@pytest.mark.skipif(importlib.util.find_spec("vowpalwabbit") is None, reason="the group peers has it")
def test_vowpal_wabbit_as_a_command_labels_points():
    spec = make(POINTS, None, None, "vowpal-wabbit", {"l2": 1e-6}, passes=8)
    result = driver.run(spec, datasets.build(POINTS))
    assert [row["passes"] for row in result.rows] == [0, 1, 2, 3, 5, 8]
    assert np.isnan(result.rows[0]["test_error"]) and result.rows[-1]["test_error"] < 0.3
    assert np.isnan(result.rows[-1]["primal"]) and result.summary["notes"]["package"].startswith("vowpalwabbit ")


@pytest.mark.skipif(importlib.util.find_spec("vowpalwabbit") is None, reason="the group peers has it")
def test_vowpal_wabbits_search_labels_sentences(tmp_path, monkeypatch):
    """Of labels with what CRFsuite's format escapes, and of a token without features."""
    result = driver.run(make(ENGLISH, None, None, "vowpal-wabbit-search", passes=5), datasets.build(ENGLISH))
    assert [row["passes"] for row in result.rows] == [0, 1, 2, 3, 5]
    assert result.rows[-1]["test_error"] < result.rows[1]["test_error"] < 0.3
    monkeypatch.chdir(tmp_path)
    Path("train").write_text("NN\t1:1.0\n\\:\t2:1.0\n\nNN\t1:1.0\t3:0.5\n\n")
    Path("test").write_text("\t2:1.0\n\t1:1.0\n\n\t\n\t1:1.0\n\n")
    options = "--search=2", "--search_task=sequence", "--search_rollout=none", "--passes=9", "--holdout_off"
    vowpal_wabbit.main("train", "test", "labels", "seconds", *options)
    assert Path("train.vw").read_text() == "1 | 1:1.0\n2 | 2:1.0\n\n1 | 1:1.0 3:0.5\n\n"
    given = Path("labels").read_text().split()
    assert len(given) == 4 and given[:2] == [":", "NN"]


def test_svmlights_format_has_labels_from_one_and_hides_those_of_the_test_file(tmp_path):
    split = case("multiclass-sparse").split
    mine = declared.read_box(box(tmp_path, SMALL))
    problem = Problem(split, split, ())
    file = tmp_path / "train"
    file.write_text(exchange.split_text(mine, problem, split, True))
    again = datasets.build(f"svmlight:{file}").train
    assert parts.classes(again).y.tolist() == parts.classes(split).y.tolist()
    hidden = exchange.split_text(mine, problem, split, False).splitlines()
    assert {line.split()[0] for line in hidden} == {"0"}


def test_crfsuites_format_is_read_back_as_it_was(tmp_path, english):
    mine = declared.read_box(box(tmp_path, SMALL.replace("svmlight", "crfsuite")))
    file = tmp_path / "train"
    file.write_text(exchange.split_text(mine, english, english.train, True))
    again = datasets.build(f"crfsuite:{file}")
    ours, theirs = (parts.label_sequences(each) for each in (english.train, again.train))
    names = [again.labels[k] for k in theirs.y]
    assert names[: len(ours.y)] == [english.labels[k] for k in ours.y], "labels that nobody has come last"
    assert theirs.starts[: len(ours.starts)].tolist() == ours.starts.tolist()
    test = exchange.split_text(mine, english, english.test, False)
    assert all(line.startswith("\t") for line in test.splitlines() if line)


def test_columns_are_the_words_that_features_tell(tmp_path):
    file = tmp_path / "own.txt"
    file.write_text("The DT B\ndog NN I\n\nruns VB O\n")
    problem = datasets.build(f"columns:{file},names=word pos tag", str(file))
    mine = declared.read_box(box(tmp_path, SMALL.replace("svmlight", "columns")))
    assert exchange.split_text(mine, problem, problem.train, True) == "The DT B\ndog NN I\n\nruns VB O\n\n"
    assert exchange.split_text(mine, problem, problem.test, False) == "The DT\ndog NN\n\nruns VB\n\n"
    numbers = case("chain-dense").split
    with pytest.raises(UserError, match="mine reads columns, but the features of these data have no words"):
        exchange.split_text(mine, Problem(numbers, None, ()), numbers, True)


def test_a_command_runs_once_in_a_folder_of_its_own_and_reads_no_input(tmp_path):
    seen = "os.getcwd() + ' ' + str(len(sys.stdin.read())) + '\\n'"
    more = f"import os\nopen({str(tmp_path / 'log')!r}, 'a').write({seen})"
    split = case("multiclass-dense").split
    read, write = os.pipe()
    os.write(write, b"typed")
    os.close(write)
    before = os.dup(0)
    os.dup2(read, 0)  # what a user types is not for the command
    try:
        found = iterates(box(tmp_path, SMALL, labelling(more)), split, test=split)
    finally:
        os.dup2(before, 0)
        os.close(before)
        os.close(read)
    ((folder, size),) = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert [each.visits for each in found] == [0, parts.num_examples(split)] and size == "0"
    assert not os.path.exists(folder) and found[1].hints.seconds[0] > 0
    assert {*found[1].hints.model.given} == {parts.classes(split).y[0]} and not len(found[1].vector)
    assert found[1].notes["certificate"] == "none: it is judged by its errors alone"
    assert found[1].notes["timed"] == "from the start to the end of its process"


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("sys.exit('it is\\nover')", "the command failed with exit status 1: it is$"),
        ("raise ValueError('no')", "the command failed with exit status 1: ValueError: no$"),
        ("sys.exit(3)", "exit status 3: it said nothing$"),
        ("first = '9'", "gave the label '9', which is none of 1, 2, 3"),
        ("test = train; open(labels, 'w').write('1'); sys.exit()", r"the command gave 1 labels, not \d+$"),
        ("sys.exit()", "wrote no file {labels}$"),
        ("import time; time.sleep(60)", "took longer than 1 seconds, its time_limit$"),
    ],
)
def test_a_command_that_fails_is_told_in_a_sentence(tmp_path, more, sentence):
    split = case("multiclass-dense").split
    began = time.monotonic()
    with pytest.raises(Fault, match=sentence) as told:
        iterates(box(tmp_path, SMALL + "time_limit: 1\n" * ("sleep" in more), labelling(more)), split, test=split)
    assert str(told.value).startswith("mine: ") and time.monotonic() - began < 50


@pytest.mark.parametrize("said", ["nan 1", "1 inf", "-1 1", "1", "1 2 3"])
def test_seconds_that_a_command_writes_are_two_finite_numbers(tmp_path, said):
    split = case("multiclass-dense").split
    text = SMALL.replace("'{labels}'", "'{labels}', '{seconds}'")
    program = labelling(f"open(sys.argv[4], 'w').write({said!r})")
    with pytest.raises(Fault, match=r"wrote no wall and CPU seconds, 0 or more, to {seconds}$"):
        iterates(box(tmp_path, text, program), split, test=split)


def test_no_shell_reads_the_words_of_a_command(tmp_path):
    text = SMALL.replace("'{labels}']", "'{labels}', '; touch {folder}/owned', '$(touch {folder}/owned)']")
    split = case("multiclass-dense").split
    iterates(box(tmp_path, text, labelling("")), split, test=split)
    assert not (tmp_path / "owned").exists()


def test_weights_that_a_command_writes_are_ours(tmp_path):
    split = case("chain-binary").split
    text = "command: ['{python}', ./mine.py, '{train}', '{weights}']\nreads: crfsuite\n"
    program = "import sys\nopen(sys.argv[2], 'w').write('state\\t2\\t1\\t0.5\\ntransition\\t1\\t2\\t-1\\n')\n"
    last = iterates(box(tmp_path, text, program), split)[-1]
    of = parts.label_sequences(split)
    K, width = of.num_labels, (parts.num_weights(split) // of.num_labels) - of.num_labels
    assert {k: float(last.vector[k]) for k in np.flatnonzero(last.vector)} == {K: 0.5, width * K + 1: -1.0}
    with pytest.raises(
        Fault, match=r"line 1 of the weights is 'state\\t0\\t1\\t0.5': expected tabs between state, "
    ):
        iterates(box(tmp_path, text, program.replace("t2", "t0", 1)), split)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("command: [x]\nreads: arff\n", "reads must be one of .*, svmlight, crfsuite, columns, not 'arff'"),
        ("command: [x]\nreads: rows\n", "reads must be svmlight or crfsuite or columns, not 'rows'"),
        ("command: x {train}\nreads: svmlight\n", "command must be a list, not 'x {train}'"),
        ("command: [x]\nreads: svmlight\npackages: x\n", "packages must be of the form {name: value}, not 'x'"),
        ("command: [x]\nreads: svmlight\n", "the command has no {train}"),
        ("command: [x, '{train}']\nreads: svmlight\n", "must write one file: {labels}, or {weights}"),
        ("command: [x, '{train}', '{labels}']\nreads: svmlight\n", "has no {test}, the file that it labels"),
        (SMALL + "minimises: log\n", r"it minimises log: its command needs {C}, and {weights} to judge it by"),
        (SMALL + "parameters: {eta: 1}\n", "the command has no {eta}, its parameter"),
        (SMALL + "time_limit: 0\n", "time_limit must be above 0, not '0'"),
        (SMALL + "time_limit: .inf\n", "time_limit must be finite, not 'inf'"),
        ("command: [./no, '{train}', '{weights}']\nreads: svmlight\n", "'.*no' cannot be started: No such file"),
    ],
)
def test_mistakes_of_a_commands_declaration_are_a_sentence(tmp_path, text, sentence):
    with pytest.raises(UserError, match=sentence):
        iterates(box(tmp_path, text), case("multiclass-dense").split)


def test_what_a_command_cannot_be_given_is_refused(tmp_path):
    split = case("multiclass-dense").split
    with pytest.raises(UserError, match="mine gives only labels of a test split, which these data lack"):
        iterates(box(tmp_path, SMALL, labelling("")), split)
