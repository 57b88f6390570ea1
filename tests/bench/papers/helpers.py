"""What tests of papers share: tables of rules with both sides of each threshold, and drawing of all figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from structbench.bench.drawing.draw import Figure, draw
from structbench.bench.runs.finished import Runs


def cases(table: list[tuple[str, Callable | dict, dict | str]]) -> list[Any]:
    """Return test cases: a claim, what is changed, and the verdict.

    A row of ``table`` is a claim, the changes, and the verdict. Or the changes depend on a number or tuple, and
    the row has a verdict for each of several.
    """
    found = []
    for claim, change, verdicts in table:
        for value, verdict in verdicts.items() if callable(change) else [("", verdicts)]:
            given = value if isinstance(value, tuple) else (value,)
            changed = change(*given) if callable(change) else change
            found.append(pytest.param(claim, changed, verdict, id=f"{claim} {value}"))
    return found


def of(name: str, option: str, **more: Any) -> Callable:
    """Changes of one option of these runs."""
    return lambda value: {name: {option: value, **more}}


def drawn(
    paper: str, figures: dict[str, Figure], runs: Runs, folder: Path, lacking: bool = False
) -> dict[str, Any]:
    """What is said beside each figure once it is drawn; ``lacking``: whether each of them lacks runs."""
    found = {file.stem: json.loads(file.read_text()) for file in draw(paper, figures, runs, folder)}
    assert {stem: bool(said["missing"]) for stem, said in found.items()} == dict.fromkeys(found, lacking)
    return found


def shown(found: dict[str, Any]) -> set[str]:
    """The runs that figures show."""
    return {key for said in found.values() for key in said["runs"]}
