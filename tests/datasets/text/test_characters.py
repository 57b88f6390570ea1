"""Kinds of characters, repeated ones, and the templates for Chinese in the user's own columns."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems import new_examples
from structbench.datasets.text import characters
from structbench.datasets.text.columns import Sentences
from tests.datasets.matrices import array_of
from tests.narrowing import not_none


@pytest.mark.parametrize(
    ("word", "kinds"),
    [
        ("\uff11\uff19", "digit"), ("12\u5e74", "digit+other"), ("\u4e00", "numeral"), ("\u4f60", "other"),
        ("A\uff22c", "latin"), ("\u3002", "punctuation"), ("\u300a", "punctuation"), ("%", "punctuation"),
        ("3.5", "digit+punctuation+digit"), ("\u4e94\u6708", "numeral+other"), ("\u00e9", "other"),
    ],
)  # fmt: skip
def test_kinds(word, kinds):
    assert characters.kinds(word) == kinds


def test_a_token_is_compared_within_its_sentence():
    sentences = Sentences({"w": [*"aabab"]}, np.array([2, 3]), [1] * 5, "x")
    assert characters.repeated(sentences, 1) == [None, "same", None, None, None]
    assert characters.repeated(sentences, 2) == [None, None, None, None, "same"]
    assert characters.repeated(sentences, 9) == [None] * 5


def test_affixes_are_shorter_than_the_word():
    made = {word: [look(word) for look in characters.OF_TOKEN.values()] for word in ("a", "ab", "abc", "abcdefg")}
    assert made["a"] == ["latin", None, None, None, None, None]
    assert made["ab"][1:] == ["2", "a", None, "b", None]
    assert made["abc"][1:] == ["3", "a", "ab", "c", "bc"]
    assert made["abcdefg"][1] == "5"


def names_of(data):
    return {*not_none(datasets.build(data).vocabulary)["nodes"]}


def test_columns_of_characters_and_of_words(written):
    path = written("x B\nx E\n\u4e00 S\n\nab S\n")
    found = names_of(f"columns:{path},features=characters")
    assert {
        "w[-1]|w[1]=x|\u4e00",
        "w_same1[0]=same",
        "w_kinds[-1]|w_kinds[0]|w_kinds[1]=latin|latin|numeral",
    } <= found
    assert not any(name.startswith(("w_first1", "w_shape")) for name in found)
    found = names_of(f"columns:{path},features=chinese")
    assert {"w_first1[0]=a", "w_last1[0]=b", "w_length[0]=2", "w_kinds[0]=numeral"} <= found
    template = written("w_same2[0]\nw_kinds[0]|w_suffix2[0]\n", "templates")
    assert names_of(f"columns:{path},templates={template}") == {"__BOS__", "__EOS__"}
    with pytest.raises(UserError, match=r"features=chinese and templates=.* exclude each other"):
        datasets.build(f"columns:{path},features=chinese,templates={template}")


def test_other_columns_keep_their_templates_and_new_sentences_their_features(written):
    text = "x N B\nx V E\ny N S\n\nx N S\n"
    data = datasets.data_ref(f"columns:{written(text)},features=characters")
    problem = datasets.build(data, written(text, "test"))
    assert {"c2[0]=N", "c2[-1]|c2[0]=N|V"} <= {*not_none(problem.vocabulary)["nodes"]}
    new = new_examples.encode(data, text.encode(), "new", problem.labels, problem.vocabulary)
    np.testing.assert_array_equal(array_of(new.split.x), array_of(problem.test.x))
