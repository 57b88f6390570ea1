"""New examples: the test split's own text, with and without its labels, gives the test split's scores."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.datasets import data_ref, mnist, ocr, toy_english
from structbench.datasets.problems import new_examples, storage
from structbench.datasets.problems.problem import Problem, Unlabelled
from structbench.datasets.text import dependencies, relations
from tests.datasets.matrices import are_same, array_of
from tests.narrowing import not_none

CRFSUITE = "B\tw=a\tx:2\nI\tw=b\tw=b\n\nO\tw=c:-1\n", "O\tw=b\tw=new\nB\tw=a:3\n\nI\tw=c\\:\n"
SVMLIGHT = "1 1:0.5 2:1\n2 1:-1 3:2\n-1 3:1\n", "2 2:1 7:1 # seven is new\n-1 1:2\n"
CONLLU = "1\tNo\tno\tADV\tRB\t_\t2\tx\t_\t_\n2\tgo\tgo\tV\tVB\t_\t0\tx\t_\t_\n\n"


def without_last_column(text: str) -> str:
    return "\n".join(" ".join(line.split(" ")[:-1]) for line in text.split("\n"))


def without_first_word(text: str) -> str:
    return "\n".join(line[line.find("\t") if "\t" in line else line.find(" ") :] for line in text.split("\n"))


def without_heads(text: str) -> str:
    lines = (line.split("\t") for line in text.split("\n"))
    return "\n".join("\t".join([*cells[:6], "_", *cells[7:]]) if len(cells) > 6 else "" for cells in lines)


TOY = {
    "chunks": without_last_column,
    "entities": lambda text: without_last_column(without_last_column(text)),  # words alone will do
    "segments": without_last_column,
    "dependencies": without_heads,
    "dependencies,structure=nonprojective": without_heads,
    "dependencies,features=rich": without_heads,
}


def same(problem: Problem, new: Unlabelled) -> None:
    """See that random weights give the new examples the scores of the test split, and that no label is known."""
    w = np.random.default_rng(0).normal(size=parts.num_weights(parts.unwrap(problem.test)))
    expected, _, starts = prediction.predictions(problem.test, w)
    found, right, own = prediction.predictions(new.split, w)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(own, starts)
    assert len(new.before) == len(new.after) == len(found)
    if parts.has(new.split, parts.rows):
        assert are_same(*(parts.rows(parts.unwrap(x)) for x in (new.split, problem.test)))
        assert set(right.tolist()) == {-1}


def encoded(text: str, content: str, problem: Problem) -> Unlabelled:
    return new_examples.encode(data_ref(text), content.encode(), "new", problem.labels, problem.vocabulary)


@pytest.mark.parametrize("task", TOY)
def test_sentences(task: str) -> None:
    data = f"toy-english:sentences=40,test_sentences=20,task={task}"
    kind: Any = task.partition(",")[0]
    problem, text = datasets.build(data), toy_english.text(20, 0, "test", kind)
    new = encoded(data, text, problem)
    for content in (text, TOY[task](text), text.replace("\n", "\r\n")):
        same(problem, encoded(data, content, problem))
    assert [f"{before}{after}".split()[0] for before, after in zip(new.before, new.after, strict=True)] == [
        line.split()[0] for line in text.split("\n") if line
    ]


def test_a_column_of_labels_alone_is_none_of_the_others() -> None:
    data = "toy-english:sentences=40,task=entities"
    problem = datasets.build(data)
    for text, before in (
        ("Oslo B-LOC\nis O\n", ["Oslo ", "is "]),
        ("Oslo NNP\nis O\n", ["Oslo NNP ", "is O "]),  # parts of speech
        ("Oslo NNP B-LOC\nis VBZ O\n", ["Oslo NNP ", "is VBZ "]),
    ):
        assert encoded(data, text, problem).before == before


@pytest.mark.parametrize(("name", "texts"), [("crfsuite", CRFSUITE), ("svmlight", SVMLIGHT)])
def test_files_of_attributes(name: str, texts: tuple[str, str], written: Callable) -> None:
    path, test = written(texts[0], "train"), written(texts[1], "test")
    data = f"{name}:{path}"
    problem = datasets.build(data, str(test))
    for content in (texts[1], without_first_word(texts[1]), texts[1].removesuffix("\n")):
        new = encoded(data, content, problem)
        same(problem, new)
        labelled = "".join(f"{before}L{after}\n" for before, after in zip(new.before, new.after, strict=True))
        assert labelled.split() == [
            word if k else "L" for line in texts[1].splitlines() if line for k, word in enumerate(line.split())
        ]


def test_lines_of_svmlight_without_a_row_are_counted(written: Callable, capsys: pytest.CaptureFixture) -> None:
    data = f"svmlight:{written(SVMLIGHT[0], 'train')}"
    problem = datasets.build(data)
    new = encoded(data, "2:1 # id 7\r\n\n0\n# no row\n1 1:2#b\n", problem)
    assert new.after == [" 2:1 # id 7", "", " 1:2 #b"]
    said = "new: lines that are empty or only a comment are skipped (2): a row without features needs a label"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("task", ["chunks", "entities", "joint", "factorial", "segments"])
def test_what_is_read_with_tabs_is_written_with_tabs(task: str) -> None:
    data = f"toy-english:sentences=40,test_sentences=20,task={task}"
    new = encoded(data, "Oslo\tNNP\nis\tVBZ\n", datasets.build(data))
    assert all(line.endswith("\t") and " " not in line for line in new.before)
    assert new.written("NNP B-NP" if task in ("joint", "factorial") else "O").count(" ") == 0


def test_conllu_keeps_comments_and_lines_that_are_no_tokens(written: Callable) -> None:
    data = f"conllu:{written(CONLLU, 'train')}"
    problem = datasets.build(data, written(CONLLU, "test"))
    empty = 8 * "\t_"
    first = "# text = No\u2028go" + 9 * "\tx" + f"\n1-2\tNogo{empty}\n" + CONLLU.rstrip("\n")
    text = f"# newdoc\n\n{first}\n2.1\tgone{empty}\n\n# two\r\n{CONLLU}# the end\n"
    new = encoded(data, without_heads(CONLLU), problem)
    same(problem, new)
    assert new.before == ["1\tNo\tno\tADV\tRB\t_\t", "2\tgo\tgo\tV\tVB\t_\t"]
    assert new.after == ["\tx\t_\t_", "\tx\t_\t_"]
    new = encoded(data, text, problem)
    whole = [f"{b}{head}{a}" for b, head, a in zip(new.before, "2020", new.after, strict=True)]
    answer = "\n".join([*whole[:2], "", *whole[2:], ""])
    assert answer == text.replace("\r", "").replace("# newdoc\n\n", "# newdoc\n").replace("\n\n# the", "\n# the")


@pytest.mark.corpus(*mnist.SOURCES)
@pytest.mark.parametrize("data", ["mnist:test=20,train=50", "mnist:hidden=2,test=20,train=50"])
def test_images(data: str) -> None:
    problem = datasets.build(data)
    pixels = array_of(problem.test.x).reshape(-1, *mnist.SIZE)
    content = new_examples.written(data_ref(data), np.rint(255 * pixels))
    same(problem, new_examples.encode(data_ref(data), content, "new", problem.labels, problem.vocabulary))


@pytest.mark.corpus(*ocr.SOURCES)
def test_handwriting() -> None:
    problem = datasets.build("ocr:words=30")
    test = parts.take(problem.test, np.arange(20))
    words = np.split(array_of(test.x), test.starts[1:-1])
    content = new_examples.written(data_ref("ocr"), words)
    new = new_examples.encode(data_ref("ocr"), content, "new", problem.labels, problem.vocabulary)
    same(problem._replace(test=test), new)


def test_python_examples_are_their_text(written: Callable) -> None:
    for data, examples, text in (
        ("toy-english", [[("a", "DT"), ("b", "NN")], [("c", "NN")]], "a DT\nb NN\n\nc NN\n"),
        ("conll2002", [["a", "b"], ["c"]], "a\nb\n\nc\n"),
        ("crfsuite:x", [[{"w:a": np.int64(2)}, {}, ["x", "y"]]], "\tw\\:a:2.0\n\t\n\tx:1.0\ty:1.0\n"),
        ("svmlight:x", [{1: 2, 4: 0.5}, {}], "0 1:2.0 4:0.5\n0 "),
    ):
        assert new_examples.written(data_ref(data), examples).decode() == text


@pytest.mark.parametrize(
    ("data", "content", "said"),
    [
        ("toy-english", "a DT\nb", "new, line 2: expected 2 columns (w pos), found 1: 'b'"),
        ("toy-english", "a", "new, line 1: expected 2 columns (w pos), maybe with chunk, found 1: 'a'"),
        ("toy-english", "", "new has no sentences: expected lines of 2 columns (w pos), maybe with chunk"),
        ("toy-english", b"a \xff", "new, line 1: expected UTF-8 text, found byte 0xff"),
        ("toy-english:task=dependencies", "1\ta", "new, line 1: expected 8 or 10 columns"),
        ("toy-english:task=words", "a DT", "a model of task=words labels no new examples yet"),
        ("toy-english:task=brackets", "(S (NN a)) )", "new, line 1: expected a tree in brackets, found ')'"),
        (
            "toy-english:task=brackets",
            "(S (NN a)) (S (-NONE- *))",
            "new, tree 2: expected 1 to 100 words beside traces, found 0",
        ),
        (
            "toy-english:task=brackets",
            f"(S {'(NN a)' * 101})",
            "new, tree 1: expected 1 to 100 words beside traces, found 101",
        ),
        ("pharaoh:x", "a b", "new, line 1: expected source words ||| target words ||| links, found 1 field"),
        (
            "synthetic",
            "a",
            "a model of synthetic labels no new examples yet: models of these do: bottou, columns, ",
        ),
    ],
)
def test_mistakes(data: str, content: str | bytes, said: str) -> None:
    problem = datasets.build(f"toy-english:sentences=20,task={'dependencies' if 'dep' in data else 'chunks'}")
    vocabulary = None if data == "synthetic" else problem.vocabulary
    with pytest.raises(UserError) as error:
        new_examples.encode(
            data_ref(data), content.encode() if isinstance(content, str) else content, "new", (), vocabulary
        )
    assert str(error.value).startswith(said)


def test_attributes_of_nothing_and_what_is_no_label(written: Callable) -> None:
    path = written(CRFSUITE[0], "train")
    problem = datasets.build(f"crfsuite:{path}")
    content = new_examples.written(data_ref("crfsuite:x"), [[{"w=a": 1}, {}], [[]]])
    new = new_examples.encode(data_ref("crfsuite:x"), content, "new", problem.labels, problem.vocabulary)
    assert np.diff(new.split.starts).tolist() == [2, 1]
    for wrong in ("@weight:1\n", "   \n"):
        with pytest.raises(UserError, match="new, line 1: expected a label"):
            new_examples.encode(data_ref("crfsuite:x"), wrong.encode(), "new", problem.labels, problem.vocabulary)
    with pytest.raises(UserError, match="is no name of an attribute"):
        new_examples.written(data_ref("crfsuite:x"), [[["a\tb"]]])


@pytest.mark.parametrize(
    "examples",
    [
        *(3, [[3]], [[("a b", "NN")]], [["", "x"]], [[("a", "X")], []], ["ab"], [["a", ()]], [["a", []]]),
        *([[{"word": "a"}]], [[{"a"}]], [{"a": "NN"}], [{"a"}], [[iter("a")]]),
    ],
)
def test_examples_that_are_none(examples: Any) -> None:
    with pytest.raises(
        UserError,
        match=r"are no examples|is no cell of a token|is empty|is no sentence|example 0 has",
    ):
        new_examples.written(data_ref("toy-english"), examples)


def test_labels_are_written_as_crfsuite_reads_them(written: Callable) -> None:
    path = written("B\\:x\tw=a\nI\\\\y\tw=b\n")
    problem = datasets.build(f"crfsuite:{path}")
    assert problem.labels == ("B:x", "I\\y")
    new = new_examples.encode(data_ref("crfsuite:x"), b"\tw=a\n", "new", problem.labels, problem.vocabulary)
    assert [new.written(label) for label in problem.labels] == ["B\\:x", "I\\\\y"]


def test_vocabularies_survive_storing(tmp_path) -> None:
    problem = datasets.build("toy-english:sentences=20,task=dependencies")
    storage.save(problem, tmp_path / "kept")
    found, known = not_none(storage.vocabulary(tmp_path / "kept")), not_none(problem.vocabulary)
    assert found.keys() == known.keys()
    for name, each in known.items():
        np.testing.assert_array_equal(found[name], each)
    assert storage.load(tmp_path / "kept").vocabulary is None


@pytest.mark.parametrize("task", [*TOY, "joint", "factorial", "skip-chains", "brackets", ""])
def test_examples_are_in_the_format(task: str) -> None:
    data = f"toy-english:sentences=20,task={task}" if task else "toy-bitext:pairs=9"
    problem = datasets.build(data)
    new = encoded(data, new_examples.example(data_ref(data), problem.vocabulary), problem)
    assert len(new.before) == (1 if new.single else 4)


def test_examples_of_files_have_their_columns(written: Callable) -> None:
    for data, text, found in (
        ("columns", "a X Y B\nb X Y I\n", "Hello x x\nworld x x\n"),
        ("svmlight", SVMLIGHT[0], "1:1 2:1 3:1"),
    ):
        path = f"{data}:{written(text, data)}"
        problem = datasets.build(path)
        assert new_examples.example(data_ref(path), problem.vocabulary) == found
        encoded(path, found, problem)
    assert new_examples.example(data_ref("mnist"), {}) == ""


def test_relations_of_given_trees() -> None:
    """The test sentences, whose relations are not read, in the order of their tokens and not of their trees."""
    tag, name = "\t_\tN\tNN\t_\t", "\t_\t_\n"
    text = f"1\ta{tag}2\tSUJ{name}2\tb{tag}0\tROOT{name}3\tc{tag}2\tCD{name}\n"
    learned, new = (text, text.replace("SUJ", "X").replace("CD", "Y"))
    sentences = dependencies.read_trees(learned, "x", single_root=True)
    problem = relations.problem(sentences, sentences)
    found = new_examples.encode(
        data_ref("conll2007-relations"), new.encode(), "new", problem.labels, problem.vocabulary
    )
    same(problem, found)
    assert problem.test.y.tolist() == [problem.labels.index(name) for name in ("ROOT", "SUJ", "CD")]
    written = not_none(found.labelled)(0, problem.test.y)
    lines = [f"{b}{label}{a}\n" for b, label, a in zip(found.before, written, found.after, strict=True)]
    assert "".join([*lines, "\n"]) == learned


def test_each_task_of_toy_english_takes_its_own_examples():
    sentence = [("the", "DT"), ("dog", "NN")]
    told = new_examples.written(data_ref("toy-english:task=brackets"), [sentence]).decode()
    assert told == "(TOP (DT the) (NN dog))"
    assert new_examples.written(data_ref("toy-english:task=segments"), [sentence]).startswith(b"the DT")
    with pytest.raises(UserError, match="labels examples in a file: give its path"):
        new_examples.written(data_ref("toy-english:task=dependencies"), [sentence])
