"""Arguments of another type than declared are refused in a sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import structbench
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs.arguments import well_typed

GIVEN = {"data": "toy-points", "algorithm": "eg", "loss": "log", "C": 1}


@well_typed
def example(
    C: float, seed: int = 0, file: str | Path | None = None, rows: list | None = None, more=(), once: bool = False
):
    return C, seed, file, rows, more, once


def test_what_fits_goes_through_as_it_is():
    given: dict[str, Any] = {"C": np.float32(2), "seed": np.int64(3), "file": Path("x"), "rows": [1], "more": None}
    given["once"] = True
    assert example(**given) == tuple(given.values())
    assert example(1, file="x", rows=None)[2] == "x" and example.__name__ == "example"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"C": "1"}, "C must be a number, not '1'"),
        ({"C": True}, "C must be a number, not True"),
        ({"C": 1, "once": 1}, "once must be of the class bool, not 1"),
        ({"C": 1, "seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"C": 1, "file": b"x"}, "file must be a text or a path or None, not b'x'"),
        ({"C": 1, "file": "a\0"}, "file must be without NUL characters, not 'a\\x00'"),
        ({"C": 1, "rows": {}}, "rows must be of the class list or None, not {}"),
    ],
)
def test_what_does_not_fit_is_said(given, sentence):
    with pytest.raises(UserError) as error:
        example(**given)
    assert str(error.value) == sentence


def test_an_empty_name_is_no_run_and_a_number_no_parameter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.json").touch()
    with pytest.raises(UserError, match=r"^there is no run '': give its folder"):
        structbench.load("")
    with pytest.raises(UserError, match=r"^algorithm eg has no option 1: it has mode, order, "):
        structbench.run(**GIVEN, params={1: 2})


@pytest.mark.parametrize("odd", [None, 0, b"", [], {}, float("nan"), np.zeros(3), object()])
@pytest.mark.parametrize("name", ["run", "grid", "load", "claims", "optimum", "arrays", "gap", "error"])
def test_no_function_of_the_package_fails_otherwise(name, odd):
    more = {"run": ("eg",), "optimum": ("log", 1)}.get(name, ())
    with pytest.raises(UserError) as error:
        getattr(structbench.plot if name in ("gap", "error") else structbench, name)(odd, *more)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("odd", ["", [], object(), float("nan")])
@pytest.mark.parametrize(
    "name", ["algorithm", "C", "passes", "gap", "seconds", "seed", "threads", "loss", "params"]
)
def test_no_argument_of_a_run_fails_otherwise(name, odd):
    with pytest.raises(UserError):
        structbench.run(**GIVEN | {name: odd})
