"""The user's own columns: names, templates of ours and of CRF++, mistakes, and new sentences."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.datasets import columns, conll2000, toy_english
from structbench.datasets.fetching.download import Fetcher
from structbench.datasets.problems import new_examples
from structbench.datasets.text import chunking, lines
from structbench.datasets.text import templates as made_from
from tests.datasets.matrices import array_of
from tests.narrowing import not_none

TRAIN, TEST = (toy_english.text(count, 0, part) for count, part in ((40, "train"), (20, "test")))
UNIGRAMS = (  # those of CRF++'s example of chunking
    *(f"U{k:02}:%x[{k - 2},0]" for k in range(5)),
    *("U05:%x[-1,0]/%x[0,0]", "U06:%x[0,0]/%x[1,0]"),
    *(f"U{k}:%x[{k - 12},1]" for k in range(10, 15)),
    *("U15:%x[-2,1]/%x[-1,1]", "U16:%x[-1,1]/%x[0,1]", "U17:%x[0,1]/%x[1,1]", "U18:%x[1,1]/%x[2,1]"),
    *("U20:%x[-2,1]/%x[-1,1]/%x[0,1]", "U21:%x[-1,1]/%x[0,1]/%x[1,1]", "U22:%x[0,1]/%x[1,1]/%x[2,1]"),
)


@pytest.fixture
def files(written: Callable) -> tuple[str, str]:
    return written(TRAIN, "train"), written(TEST, "test")


def matrices(*splits: features.Features) -> list[np.ndarray]:
    return [array_of(x) for x in splits]


def test_templates_of_crf_make_its_features(files, written):
    path = written("\n".join(["# Unigram", *UNIGRAMS, "", "# Bigram", "B"]), "template")
    found = datasets.build(f"columns:{files[0]},least=3,templates={path}", files[1])
    wanted = chunking.chunking_problem(
        chunking.read_chunks(TRAIN, "x"), chunking.read_chunks(TEST, "x"), padded=True, least=3
    )
    for mine, other in zip((found.train, found.test), (wanted.train, wanted.test), strict=True):
        for a, b in zip(matrices(mine.x), matrices(other.x), strict=True):
            np.testing.assert_array_equal(a, b)
        names = [
            [k >= 0 and problem.labels[k] for k in split.y] for problem, split in ((found, mine), (wanted, other))
        ]
        assert names[0] == names[1]
        assert mine.num_edge_features == 0


def counted(sentences: str, templates: tuple[str, ...]) -> int:
    """The strings that CRF++'s unigram templates give, by the rule of its manual."""
    found = set()
    for rows in ([line.split() for line in each.split("\n")] for each in sentences.split("\n\n")):
        padded = {
            k - 2: row for k, row in enumerate([["_B-2"] * 2, ["_B-1"] * 2, *rows, ["_B+1"] * 2, ["_B+2"] * 2])
        }
        for t in range(len(rows)):
            for each in templates:
                found.add(
                    re.sub(
                        r"%x\[(-?\d),(\d)\]", lambda m, t=t, padded=padded: padded[t + int(m[1])][int(m[2])], each
                    )
                )
    return len(found)


@pytest.mark.corpus(conll2000.CORPUS)
def test_the_example_of_crf_has_as_many_features_as_its_manual_counts(written):
    """CRF++'s examples of chunks and of noun phrases are of the first 77 sentences of CoNLL-2000.

    Its manual counts a feature for each string and label, and for each pair of labels. With all chunks these are
    14 labels, with noun phrases alone 3.
    """
    with Fetcher("") as files:
        text, _ = lines.of_member(files(conll2000.CORPUS), conll2000.MEMBER.format("train"), 2**23)
    chunks = "\n\n".join(text.strip().split("\n\n")[:77])
    noun_phrases = re.sub(r" [BI]-(?!NP)\S+$", " O", chunks, flags=re.MULTILINE).replace("-NP", "")
    strings = counted(chunks, UNIGRAMS)
    template = written("\n".join([*UNIGRAMS, "B"]), "template")
    for sentences, labels, number in ((chunks, 14, 153_482), (noun_phrases, 3, 32_856)):
        found = datasets.build(f"columns:{written(sentences, f'train{labels}')},templates={template}")
        assert len(found.labels) == labels and len(found.train.starts) == 78
        assert parts.num_weights(parts.unwrap(found.train)) == strings * labels + labels**2 == number


def test_templates_are_those_of_the_file_or_the_defaults(files, written):
    used = "word[0]|pos[1]\nword_suffix3[-1]\n"
    found = datasets.build(f"columns:{files[0]},names=word pos chunk,templates={written(used, 'own')}", files[1])
    names = {name.partition("=")[0] for name in not_none(found.vocabulary)["nodes"]}
    assert names == {*used.split(), made_from.BEGIN, made_from.END}
    found = datasets.build(f"columns:{files[0]}")
    assert found.test is None and not_none(found.vocabulary)["columns"] == ["w", "c2", "label"]
    names = {name.partition("=")[0] for name in not_none(found.vocabulary)["nodes"]}
    assert {"w[-2]", "w[0]|w[1]", "c2[2]", "c2[-1]|c2[0]", "w_shape[0]", "w_suffix2[0]"} <= names


def test_pairs_of_labels_have_the_features_of_templates_b(files, written):
    path = written("U:%x[0,0]\nB:%x[0,1]/%x[-1,1]\n", "template")
    found = datasets.build(f"columns:{files[0]},names=w pos chunk,templates={path}", files[1])
    learn, evaluate = chunking.read_chunks(TRAIN, "x"), chunking.read_chunks(TEST, "x")
    wanted = made_from.extract(learn, evaluate, ("pos[0]|pos[-1]",), edges=True)
    for split, other in zip((found.train, found.test), wanted[:2], strict=True):
        np.testing.assert_array_equal(array_of(split.edges), array_of(other))


def test_words_with_bars_make_features_of_their_own(written):
    text = "a|b X O\nc X B-P\n\na X B-P\nb|c X O\n\n\\B-1 X O\nc X O\n\nc X B-P\n"
    used = written("U0:%x[-1,0]/%x[0,0]\nB\n", "own")
    path = written(text, "train")
    data = datasets.data_ref(f"columns:{path},templates={used}")
    problem = datasets.build(data, path)
    assert len({*not_none(problem.vocabulary)["nodes"]}) == len(not_none(problem.vocabulary)["nodes"])
    new = new_examples.encode(data, text.encode(), "new", problem.labels, problem.vocabulary)
    np.testing.assert_array_equal(array_of(new.split.x), array_of(problem.train.x))


@pytest.mark.parametrize("templates", [None, "w[0]\nc2[-1]|w_digits[0]\n", "U:%x[-2,0]/%x[1,1]\nB01:%x[0,0]\nB\n"])
def test_new_sentences_have_the_features_of_the_test_file(files, written, templates):
    more = f",templates={written(templates, 'own')}" if templates else ""
    data = datasets.data_ref(f"columns:{files[0]}{more}")
    problem = datasets.build(data, files[1])
    bare = "\n".join(line.rpartition(" ")[0] for line in TEST.split("\n"))
    for content in (TEST, bare):
        new = new_examples.encode(
            datasets.data_ref(data), content.encode(), "new", problem.labels, problem.vocabulary
        )
        for a, b in zip(
            matrices(new.split.x, new.split.edges), matrices(problem.test.x, problem.test.edges), strict=True
        ):
            np.testing.assert_array_equal(a, b)
        assert [line.split() for line in new.before] == [line.split()[:2] for line in TEST.split("\n") if line]


def test_labels_of_a_file_with_tabs_are_written_behind_tabs(files):
    data = datasets.data_ref(f"columns:{files[0]}")
    problem = datasets.build(data)
    for mark in " \t":
        content = TEST.replace(" ", mark).encode()
        new = new_examples.encode(data, content, "new", problem.labels, problem.vocabulary)
        assert new.before == [f"{line.rpartition(mark)[0]}{mark}" for line in content.decode().split("\n") if line]


def test_files_that_options_name_count_as_the_users(files, written, monkeypatch):
    path = written("w[0]", "own")
    data = f"columns:{files[0]},templates={path}"
    assert datasets.data_ref(data).files == {"templates": path}
    monkeypatch.chdir(Path(path).parent)
    assert datasets.data_ref(f"columns:{files[0]},templates=./own").text == datasets.data_ref(data).text


@pytest.mark.parametrize("name", ["chunks", "share", "3", "1of5"])
def test_a_file_may_have_any_name(files, written, monkeypatch, name):
    path = written("w[0]", name)
    monkeypatch.chdir(Path(path).parent)
    data = datasets.data_ref(f"columns:{files[0]},templates={name}")
    assert data.files == {"templates": path} and data.text.endswith(f"templates={path}")


@pytest.mark.parametrize(
    ("options", "templates", "said"),
    [
        (",names=w chunk", None, r"line 1: expected 2 columns \(w chunk\), found 3"),
        (",names=w w chunk", None, "expected a different word for each column, found 'w'"),
        (",names=w 2 chunk", None, "expected a different word for each column, found '2'"),
        (",names=w w_kinds label", None, "w_kinds is made of the word itself: choose another name"),
        (",names=x x_same1 label,features=chinese", None, "x_same1 is made of the word itself"),
        (",least=0", None, "least must be at least 1, not '0'"),
        ("", "w[0]\nx[0]", r"line 2: template 'x\[0\]': expected column\[offset\]"),
        ("", "# none\n", r"has no templates: expected lines such as w\[-1\]\|w\[0\]"),
        ("", "U0:%x[0,0]\nu1:%x[0,0]\nB", r"line 2: expected a line of CRF\+\+ such as .*, found 'u1:%x\[0,0\]'"),
        ("", f"w[{10**20}]", r"line 1: template 'w\[100000000000000000000\]': expected column\[offset\]"),
        ("", f"U0:%x[{10**20},0]\nB", r"line 1: expected %x\[row,column\], found"),
        ("", "U0:%x[0,2]\nB", "line 1: expected a column from 0 to 1, found 2"),
        ("", "U0:x\nB", r"line 1: expected %x\[row,column\], found 'U0:x'"),
        ("", "U0:%x[0,0]", "has no line B"),
    ],
)
def test_mistakes(files, written, options, templates, said):
    more = f",templates={written(templates, 'own')}" if templates else ""
    with pytest.raises(UserError, match=said):
        datasets.build(f"columns:{files[0]}{options}{more}")


def test_a_comment_does_not_say_how_many_columns_there_are(written):
    file = written("\n# sent_id = 1\na O\nb X\n", "train")
    with pytest.raises(UserError) as caught:
        datasets.build(f"columns:{file}")
    said = "line 2: expected a token, found a comment, '# sent_id = 1': leave such lines out"
    assert str(caught.value) == f"{file}, {said}"
    tags = datasets.build(f"columns:{written('# O' + chr(10) + 'b X' + chr(10), 'hash')}").labels
    assert tags == ("O", "X")  # this # is a word


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n \n", "has no sentences: expected a word and a label a line, between them blanks or tabs"),
        ("zo,low,D\n", "a word and a label, found 'zo,low,D': columns are separated by blanks or tabs"),
        *(
            (f"\n{first}\ndog\tx\tN\n", f"line 2: an empty cell in {re.escape(repr(first))}: expected")
            for first in ("the\t\tD", "\tthe\tD", "the\tD\t")
        ),
    ],
)
def test_a_file_of_other_columns_is_told_how_they_are_written(written, text, said):
    with pytest.raises(UserError, match=said):
        datasets.build(f"columns:{written(text, 'train')}")


def test_a_file_of_one_label(written):
    with pytest.raises(UserError, match="at least two labels in the last column, found only 'X'"):
        datasets.build(f"columns:{written('a X' + chr(10), 'train')}")


def test_default_templates_are_known_columns():
    known = [*("w", "pos"), *(f"w_{name}" for name in columns.ner.MORPHOLOGY)]
    for template in columns.defaults(("w", "pos")):
        made_from.parse(template, known)


@pytest.mark.parametrize(("kind", "line"), [("columns", "the {}\n"), ("crfsuite", "{}\tw=the\n")])
def test_a_file_without_empty_lines_is_said_to_be_one_sentence(tmp_path, capsys, kind, line):
    file, lines = tmp_path / "train.txt", [line.format("AB"[k % 2]) for k in range(400)]
    for end, is_said in (("\n", False), ("", True)):
        file.write_text(end.join(lines))
        datasets.build(f"{kind}:{file}")
        assert (f"{file} is a single s" in capsys.readouterr().err) is is_said


@pytest.mark.parametrize("line", ["U00:%x[0,0]/%x[+1,0]", "B01:%x[0.0]"])
def test_a_macro_that_is_none_is_no_part_of_a_template(files, written, line):
    path = written(f"U:%x[0,0]\nB\n{line}\n", "template")
    with pytest.raises(UserError, match=r"line 3: expected %x\[row,column\], found"):
        datasets.build(f"columns:{files[0]},templates={path}")


def test_columns_that_begin_as_lines_of_crf_do(files, written):
    path = written("Base[0]\nUpos[-1]\n", "own")
    found = datasets.build(f"columns:{files[0]},names=Base Upos label,templates={path}")
    names = {name.partition("=")[0] for name in not_none(found.vocabulary)["nodes"]}
    assert names == {"Base[0]", "Upos[-1]", made_from.BEGIN, made_from.END}


def test_a_template_that_is_there_twice_makes_one_attribute(files, written):
    once, twice = (
        datasets.build(f"columns:{files[0]},templates={written(text, name)}", files[1])
        for name, text in (("once", "w[0]\nw[-1]\n"), ("twice", "w[0]\nw[-1]\nw[0]\n"))
    )
    assert parts.num_weights(once.train) == parts.num_weights(twice.train)


def test_several_comments_do_not_say_how_many_columns_there_are(written):
    text = "# newdoc id = x1\n# sent id = y2\nthe D\ndog N\n"
    with pytest.raises(UserError, match="line 1: expected a token, found a comment"):
        datasets.build(f"columns:{written(text)}")


def test_lines_that_share_attributes_in_crf_are_refused(files, written):
    path = written("U:%x[-1,0]\nU:%x[1,0]\nB\n", "template")
    said = r"template, line 2: U:%x\[1,0\] and U:%x\[-1,0\] share attributes in CRF\+\+: give each a name"
    with pytest.raises(UserError, match=said):
        datasets.build(f"columns:{files[0]},templates={path}")
    path = written("U1:%x[-1,0]\nU2:%x[1,0]\nU3:%x[1,0]\nB\n", "named")
    datasets.build(f"columns:{files[0]},templates={path}")
