"""Options: texts to typed values, and sentences about those that do not fit."""

from typing import Annotated, Literal

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import defaults, split_options, typed_options


def function(
    positional,
    *,
    count: int = 3,
    rate: float = 0.5,
    mode: Literal["online", "batch"] = "online",
    fixed: bool = False,
    name: str = "x",
    share: Annotated[float, "> 0", "< 1"] = 0.5,
    size: Annotated[int, ">= 1", "<= 9"] | Literal["all"] = 3,
    order: Literal[1, 2] = 1,
    required: int,
):
    """What the options are read from."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("a=1", {"a": "1"}),
        ("a=1,b=x=y", {"a": "1", "b": "x=y"}),
        ("a=", {"a": ""}),
        (",a=1,", {"a": "1"}),
    ],
)
def test_split(text, expected):
    assert split_options(text) == expected


def test_types():
    usual = {"count": 3, "rate": 0.5, "mode": "online", "fixed": False, "name": "x", "share": 0.5, "size": 3}
    usual["order"] = 1
    assert defaults(function) == usual
    given = {"count": "7", "rate": "1e-3", "mode": "batch", "fixed": "True", "name": "7", "share": "0.1"}
    typed = typed_options(function, given | {"size": "9"}, "it")
    expected = {"count": 7, "rate": 1e-3, "mode": "batch", "fixed": True, "name": "7", "share": 0.1, "size": 9}
    assert typed == expected
    assert [type(value) for value in typed.values()] == [int, float, str, bool, str, float, int]
    assert repr(typed_options(function, {"size": "all", "rate": "-0.0"}, "it")) == "{'size': 'all', 'rate': 0.0}"
    assert typed_options(function, {"order": "2"}, "it") == {"order": 2}
    assert typed_options(function, typed, "it") == typed, "values that are typed already stay"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            "cuont=1",
            r"it has no option 'cuont': did you mean 'count'\? it has count, rate, mode, .*, size, order$",
        ),
        ("zzz=1", r"it has no option 'zzz': it has count, rate"),
        ("positional=1", "it has no option 'positional'"),
        ("count=1.5", "it: count must be a whole number, not '1.5'"),
        ("count=", "it: count must be a whole number, not ''"),
        ("rate=fast", "it: rate must be a number, not 'fast'"),
        ("rate=nan", "it: rate must be finite, not 'nan'"),
        ("mode=on", "it: mode must be one of online, batch, not 'on'"),
        ("order=3", "it: order must be one of 1, 2, not '3'"),
        ("share=0", "it: share must be above 0, not '0'"),
        ("share=1", "it: share must be below 1, not '1'"),
        ("size=0", r"it: size \(or all\) must be at least 1, not '0'"),
        ("size=10", r"it: size \(or all\) must be at most 9, not '10'"),
        ("size=some", r"it: size \(or all\) must be a whole number, not 'some'"),
        ("fixed=1", "it: fixed must be true or false, not '1'"),
        ("a", "'a' is not of the form name=value"),
        ("a=1,a=2", "'a' is given twice"),
    ],
)
def test_what_does_not_fit(given, message):
    with pytest.raises(UserError, match=message):
        typed_options(function, split_options(given), "it")


def test_a_value_is_a_number_a_text_or_a_truth():
    def solve(*, first: float | None = None, second: list = [], third: tuple = (1,)):  # noqa: B006 - somebody may
        """No solver: its declaration is enough."""

    for name, said in {
        "first": "first is None, which is no value: give one, such as 0 or '' for 'choose it'",
        "second": "second is a list, and a parameter is a number, a text or a truth",
        "third": "third is a tuple, and a parameter is a number, a text or a truth",
    }.items():
        with pytest.raises(UserError, match=f"the default: {said}"):
            typed_options(solve, {name: defaults(solve)[name]}, "the default")
    assert typed_options(solve, {"first": "1.5"}, "it") == {"first": 1.5}
    with pytest.raises(UserError, match="it: first must be a number, not 'x'"):
        typed_options(solve, {"first": "x"}, "it")


def test_no_options_at_all():
    with pytest.raises(UserError, match="it has no option 'a': it has none"):
        typed_options(lambda files: None, {"a": "1"}, "it")


def test_annotations_that_are_texts_are_types_too():
    space: dict = {"Annotated": Annotated, "Any": object}
    exec(
        "from __future__ import annotations\n"
        "def solve(x: Missing, *, average: bool = True, rate: Annotated[float, '> 0'] = 1.0) -> Missing: ...\n",
        space,
    )
    found = typed_options(space["solve"], {"average": "false", "rate": "0.5"}, "it")
    assert found == {"average": False, "rate": 0.5}
    with pytest.raises(UserError, match="it: rate must be above 0"):
        typed_options(space["solve"], {"rate": "-1"}, "it")
