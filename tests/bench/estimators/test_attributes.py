"""Attributes of tokens: every form of a value, and sequences without tokens."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.estimators import ChainCRF, DependencyParser, MulticlassCRF, SemiMarkovCRF
from structbench.bench.estimators.attributes import Attributes

SENTENCE = [("dogs", "N"), ("bark", "V")]


@pytest.mark.parametrize(
    "token, columns",
    [
        (["a", "b", "a"], {"a": 2, "b": 1}),
        ({"b", "a"}, {"a": 1, "b": 1}),
        ({"a": 3, "b": 0.5}.keys(), {"a": 1, "b": 1}),
        ([b"a", np.str_("b")], {"a": 1, "b": 1}),
        ({"long": True, "title": False, "size": 4}, {"long": 1, "title": 0, "size": 4}),
        ({"n": np.float32(0.5), "m": np.bool_(True)}, {"n": 0.5, "m": 1}),
        ({"w": "dog", b"v": "1.5", "u": "clé".encode()}, {"w=dog": 1, "v=1.5": 1, "u=clé": 1}),
        ({"w": ["x", b"y"], "v": {"q", "p"}, "u": ("z",)}, {"w=x": 1, "w=y": 1, "v=p": 1, "v=q": 1, "u=z": 1}),
        ({"w": {"is": {"first": True, "of": ["a", "b"]}, "score": 0.5}, "none": [], "no": {}},
         {"w=is=first": 1, "w=is=of=a": 1, "w=is=of=b": 1, "w=score": 0.5}),
        ({"w": "a", "w=a": 2.0}, {"w=a": 3}),
    ],
)  # fmt: skip
def test_each_form_of_a_value_is_the_columns_that_it_says(token, columns):
    encoder = Attributes()
    rows = encoder.fit([[token, ["first", "last"]]])
    assert encoder.names == [*columns, "first", "last"]
    values = dict.fromkeys(range(len(encoder.names)), 0.0)
    of_first = slice(rows.indptr[0], rows.indptr[1])
    values |= zip(rows.indices[of_first], rows.values[of_first] if len(rows.values) else [1.0] * 99, strict=False)
    assert values == {k: columns.get(name, 0) for k, name in enumerate(encoder.names)}
    again = encoder.encode([[["unseen", "last"], token]])
    assert again.indices.tolist() == [len(columns) + 1, *rows.indices[of_first]]


def test_a_colon_may_join_names_as_crfsuite_has_it():
    encoder = Attributes(":")
    encoder.fit([[{"w": {"is": ["a", "b"]}, "v=u": "c"}]])
    assert encoder.names == ["w:is:a", "w:is:b", "v=u:c"]


@pytest.mark.parametrize(
    "token, sentence",
    [
        ("word", "expected a dict of values or a list of names for each token, found 'word'"),
        (3, "expected a dict of values or a list of names for each token, found 3"),
        (["a", 3], "expected a text as the name of an attribute, found 3"),
        (["a", ["b"]], "expected a text as the name of an attribute, found \\['b'\\]"),
        ({3: 1.0}, "expected a text as the name of an attribute, found 3"),
        ({"a": None}, "expected a number or text for 'a', or several, found None"),
        ({"a": ["b", 3]}, "expected a number or text for 'a', or several, found"),
        ({"b": 1, "a": float("inf")}, "the attribute 'a' must be finite, found inf"),
        ({"b": 1, "a": 10**400}, "the attribute 'a' must be finite, found inf"),
    ],
)
def test_what_is_no_attribute_is_named(token, sentence):
    encoder = Attributes()
    encoder.fit([[["a"]]])
    for use in (Attributes().fit, encoder.encode):
        with pytest.raises(UserError, match=f"^example 2, token 1: {sentence}"):
            use([[["a"]], [], [["a", "b"], token]])
    with pytest.raises(UserError, match=f"^example 1: {sentence}"):
        MulticlassCRF().fit([["a", "b"], token], ["x", "y"])


@pytest.mark.parametrize(
    "model, X, y",
    [
        (ChainCRF(), [SENTENCE, SENTENCE], [["x", "y"]] * 2),
        (ChainCRF(), [np.eye(2)] * 2, [["x", "y"]] * 2),
        (ChainCRF(), [[{"w": "a"}, {"w": "b"}]] * 2, [["x", "y"]] * 2),
        (SemiMarkovCRF(), [SENTENCE, SENTENCE], [["B-X", "O"]] * 2),
        (DependencyParser(), [SENTENCE, SENTENCE], [[2, 0]] * 2),
    ],
)
def test_a_sequence_without_tokens_changes_nothing_and_is_answered_by_nothing(model, X, y):
    empty = X[0][:0]
    known = model.fit(X, y).certificate_
    assert model.fit([empty, X[0], empty, X[1]], [[], y[0], [], y[1]]).certificate_ == known
    assert model.predict([empty, X[0], empty]) == [[], y[0], []]
    assert model.predict([]) == [] and model.predict([empty]) == [[]]
    assert [len(each) for each in model.predict_k_best([X[0], empty], 1)] == [1, 1]
    assert model.predict_k_best([empty], 3) == [[([], 0.0, 1.0)]]
    assert model.score([X[0], empty], [y[0], []]) == 1.0
    if isinstance(model, ChainCRF):
        assert [each.shape for each in model.predict_marginals([empty, X[0]])] == [(0, 2), (2, 2)]
