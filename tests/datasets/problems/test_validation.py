"""Validation splits: held-out shares and files, with the arrays and labels that belong to them."""

import itertools

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.datasets.problems import storage, validation
from structbench.datasets.problems.problem import Judged
from tests.datasets.matrices import array_of

TREES = "toy-english:sentences=25,test_sentences=10,task=brackets"
SVM = "".join(f"{'ab'[k >= 10]} 1:{k + 1}\n" for k in range(20))  # sorted by class


def values(split) -> list[float]:
    return array_of(parts.rows(parts.unwrap(split)))[:, 0].tolist()


def test_a_share_is_held_out_of_the_training_examples_evenly(written):
    problem = datasets.build(f"svmlight:{written(SVM, 'train')},validation=0.20", written(SVM, "test"))
    assert values(problem.validation) == [5, 10, 15, 20]
    assert values(problem.train) == [k for k in range(1, 21) if k % 5]
    assert values(problem.test) == [*range(1, 21)]
    assert datasets.data_ref("ocr:validation=.20").text == "ocr:validation=0.2"


def test_arrays_of_decisions_go_with_their_splits(tmp_path, written):
    """Also of trees that a module of the user's made without the option ``validation``."""
    whole = datasets.build(TREES)
    cut = validation.with_validation(whole, "0.2", None)
    storage.save(cut, tmp_path / "kept")
    assert storage.fingerprint(storage.load(tmp_path / "kept")) == storage.fingerprint(cut)
    assert storage.fingerprint(cut) != storage.fingerprint(whole)
    starts = prediction.label_room(parts.compiled(whole.train))[2]
    of_example = np.split(whole.brackets[: starts[-1]], starts[1:-1])
    wanted = {"train": [k for k in range(25) if k % 5 != 4], "validation": range(4, 25, 5)}
    for which, examples in wanted.items():
        size = len(prediction.label_room(parts.compiled(getattr(cut, which)))[0])
        judged = Judged(cut, which, np.zeros(size), np.zeros(size), np.zeros(1))
        np.testing.assert_array_equal(
            judged.of_split(cut.brackets), np.concatenate([of_example[k] for k in examples])
        )
    test = Judged(cut, "test", np.zeros(5), np.zeros(5), np.zeros(1))
    np.testing.assert_array_equal(test.of_split(cut.brackets), whole.brackets[-5:])
    np.testing.assert_array_equal(cut.brackets[starts[-1] :], whole.brackets[starts[-1] :])


LINES = {  # an example a line
    "penn": [f"(S (NP (D{k % 5} a) (N w{k})) (VP (V v{k % 2})))\n" for k in range(12)],
    "pharaoh": [f"a w{k} ||| x v{k} ||| 0-0 1-1\n" for k in range(12)],
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize(("held", "count"), [("0.25", 3), ("2of3seed1", 4)])
def test_nothing_is_counted_in_the_trees_and_pairs_that_are_held_out(written, name, held, count):
    """The problem is that of the two parts as files. Else rules and frequencies would know the held-out part."""
    cut = validation.parted(LINES[name], held)
    path, learn, dev = (written("".join(each or ()), f"f{k}") for k, each in enumerate((LINES[name], *cut)))
    found = datasets.build(f"{name}:{path},validation={held}", dev)
    assert parts.num_examples(found.validation) == count
    wanted = datasets.build(f"{name}:{learn},validation={dev}", dev)
    assert storage.fingerprint(found) == storage.fingerprint(wanted)
    alone = datasets.build(f"{name}:{learn}", dev)
    assert storage.fingerprint(found._replace(validation=None, brackets=None)) == storage.fingerprint(
        alone._replace(brackets=None)
    )


@pytest.mark.parametrize("data", ["toy-english:task=brackets,sentences=20", "toy-bitext:pairs=20"])
def test_nothing_is_counted_in_what_a_generated_data_set_holds_out(data):
    found, whole = datasets.build(f"{data},validation=0.5"), datasets.build(data)
    assert parts.num_examples(found.train) == parts.num_examples(found.validation) == 10
    known = "terminals" if "english" in data else "source"
    assert {*(found.vocabulary or {})[known]} < {*(whole.vocabulary or {})[known]}
    attachments = "toy-english:task=attachments,sentences=20,validation=0.5"
    assert datasets.build(attachments).validation is not None, "of another task a share is held out, too"


def test_a_file_is_read_as_a_test_file_is(written):
    dev = written("b 1:3\na 1:4\n", "dev")
    problem = datasets.build(f"svmlight:{written(SVM, 'train')},validation={dev}", written(SVM, "test"))
    assert values(problem.validation) == [3, 4] and problem.validation.y.tolist() == [1, 0]
    assert len(values(problem.train)) == len(values(problem.test)) == 20
    trees = "(S (NN a) (VB b))\n(S (NP (NN a)) (VB b))\n"
    path, new = written(trees, "trees"), written("(S (NN a) (XP (VB b)))\n", "new")
    assert datasets.build(f"penn:{path},validation={path}").validation is not None
    found = datasets.build(f"penn:{path},validation={new}", written("(S (AP (NN a)) (VB b))\n", "test"))
    assert found.labels == ("none", "NP", "S", "XP", "AP"), "labels that only a held-out tree has are errors"
    assert [each.right.tolist() for each in (found.validation, found.test)] == [[0, 2, 3], [4, 2, 0]]
    with pytest.raises(UserError, match="training lacks labels of the test or validation file, such as 'AP'"):
        validation.with_validation(datasets.build(f"penn:{path}"), new, lambda file: found)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("0", "validation must be a share between 0 and 1, or a file, not 0"),
        ("1.5", "validation must be a share between 0 and 1, or a file, not 1.5"),
        ("0.01", "validation=0.01: of 20 training examples that is 0"),
        ("dev.txt", "validation=.*/dev.txt: this data set takes no files: hold out a share"),
    ],
)
def test_mistakes(given, said):
    with pytest.raises(UserError, match=said):
        datasets.build(f"toy-english:sentences=20,validation={given}")


def test_each_example_is_in_one_fold_and_the_seed_deals(written):
    file, test = written(SVM, "train"), written(SVM, "test")

    def held(which: str) -> list[float]:
        problem = datasets.build(f"svmlight:{file},validation={which}", test)
        assert sorted(values(problem.train) + values(problem.validation)) == [*range(1, 21)]
        return values(problem.validation)

    folds = [held(f"{k}of3") for k in (1, 2, 3)]
    assert sorted(itertools.chain(*folds)) == [*range(1, 21)] and sorted(map(len, folds)) == [6, 7, 7]
    assert folds[0] != held("1of3seed1") and folds[0] == held("1of3seed0")


@pytest.mark.parametrize(
    ("which", "says"),
    [
        ("1of1", "1 folds of 20 training examples: choose 2 to 20 folds"),
        ("1of21", "21 folds of 20 training examples: choose 2 to 20 folds"),
        ("4of3", "there is no fold 4 of 3: choose 1 to 3"),
        ("0of3", "there is no fold 0 of 3: choose 1 to 3"),
    ],
)
def test_folds_that_there_are_not(written, which, says):
    with pytest.raises(UserError, match=says):
        datasets.build(f"svmlight:{written(SVM, 'train')},validation={which}")


@pytest.mark.parametrize("data", ["columns", "conll2003"])
def test_a_document_is_in_one_fold_as_a_whole(written, data):
    tail = " X X" if data == "conll2003" else ""
    start, words = ("-DOCSTART-{} O\n\n", "w{}{} {}\n\n")
    text = "".join(
        start.format(tail)
        + "".join(words.format(k, tail, "BO"[j % 2].replace("B", "B-PER")) for j in range(k + 2))
        for k in range(4)
    )
    whole = datasets.build(f"{data}:{written(text, 'train')}")
    sizes = np.bincount(whole.documents)
    sizes = sizes[sizes > 0].tolist()
    found = [datasets.build(f"{data}:{written(text, 'train')},validation={k}of4") for k in (1, 2, 3, 4)]
    assert sorted(parts.num_examples(parts.unwrap(each.validation)) for each in found) == sizes and len(sizes) == 4
    with pytest.raises(UserError, match="5 folds of 4 documents: choose 2 to 4"):
        datasets.build(f"{data}:{written(text, 'train')},validation=1of5")


@pytest.mark.parametrize("data", ["columns", "conll2003"])
def test_one_document_is_dealt_by_sentences(written, data):
    tail = " X X" if data == "conll2003" else ""
    text = f"-DOCSTART-{tail} O\n\n" + "".join(f"w{k}{tail} {'O' if k % 2 else 'B-PER'}\n\n" for k in range(10))
    found = datasets.build(f"{data}:{written(text, 'train')},validation=1of5")
    held = parts.num_examples(parts.unwrap(found.validation))
    assert held == (3 if data == "columns" else 2), "of ten sentences, and of the mark where it is one"


def test_fewer_test_sentences_are_not_fewer_held_out_ones(written):
    line = "{} X X {}\n\n"
    text = "".join(line.format(k, "O" if k % 2 else "B-PER") for k in range(6))
    path, dev = written(text, "train"), written(text, "dev")
    found = datasets.build(f"conll2003:{path},test_sentences=1,validation={dev}", path)
    sizes = [parts.num_examples(parts.unwrap(each)) for each in (found.test, found.validation)]
    assert sizes == [1, 6]
