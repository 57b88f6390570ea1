"""Losses are two numbers: their names, what algorithms ask of them, and that nothing asks for a name."""

import ast
import re

import pytest

from structbench.algorithms.losses import family
from structbench.algorithms.losses.family import Loss
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.runs import catalogue, programs
from structbench.bench.runs.spec import make, parse


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("log", (1, 0)),
        ("hinge", (0, 1)),
        ("softmax-margin", (1, 1)),
        ("smoothed-hinge-0.25", (0.25, 1)),
        ("smoothed-hinge-2", (2, 1)),
    ],
)
def test_a_loss_is_two_numbers(name, numbers):
    assert family.named_loss(name) == Loss(*numbers)
    assert family.kind(name) in family.loss_names() and (ROOT / family.file_of(name)).is_file()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("hindge", "unknown loss 'hindge': did you mean 'hinge'?"),
        ("smoothed-hinge", "unknown loss 'smoothed-hinge'"),
        (
            "smoothed-hinge-x",
            "the loss 'smoothed-hinge-x' must end in a number above 0, such as smoothed-hinge-0.5",
        ),
        ("smoothed-hinge-0", "must end in a number above 0"),
        ("smoothed-hinge-inf", "must end in a number above 0"),
        ("smoothed-hinge-TAU", "must end in a number above 0"),
    ],
)
def test_what_is_no_loss_is_said(name, said):
    for read in (family.named_loss, lambda name: make("mnist", name, 1.0, "eg")):
        with pytest.raises(UserError, match=re.escape(said)):
            read(name)


def test_a_number_is_written_in_one_way_and_read_back():
    spec = make("mnist", "smoothed-hinge-.50", 1.0, "eg")
    assert spec.loss == "smoothed-hinge-0.5" and parse(spec.key) == spec


@pytest.mark.parametrize(
    ("wanted", "fit"),
    [
        ("smooth", ["log", "smoothed-hinge-TAU", "softmax-margin"]),
        ("polyhedral", ["hinge"]),
        ("log", ["log"]),
        ("any", ["log", "hinge", "smoothed-hinge-TAU", "softmax-margin"]),
    ],
)
def test_algorithms_ask_for_a_property(wanted, fit):
    asking = [name for name in catalogue.algorithms() if catalogue.properties(name, {}) == (wanted,)]
    assert asking
    for name in asking:
        assert list(catalogue.losses(name, {})) == fit


def test_a_run_is_of_its_own_loss_alone():
    """An edit of another loss leaves it current."""
    one, other = (programs.of_run(make("mnist", loss, 1.0, "eg")) for loss in ("log", "softmax-margin"))
    assert {file.stem for file in {*one} ^ {*other}} == {"log", "softmax_margin"}


def test_no_program_asks_for_the_name_of_a_loss():
    """But for none, which is no loss; third-party solvers say which one they minimise."""
    names = {*family.loss_names(), "log loss"}
    for file in (ROOT / "algorithms").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                said = {each.value for each in ast.walk(node) if isinstance(each, ast.Constant)}
                assert not said & names or file.parent.name == "losses", f"{file}:{node.lineno}"
