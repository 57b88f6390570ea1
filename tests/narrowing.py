"""Helpers that tell a type checker what a test knows."""

import subprocess
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, TypeVar

T = TypeVar("T")
UNUSED: Any = None  # an argument that the function under test must not read


def not_none(value: T | None) -> T:
    """Return a value that must be there."""
    assert value is not None
    return value


def number(notes: Mapping[str, float | str], name: str) -> float:
    """Return a note that must be a number."""
    found = notes[name]
    assert not isinstance(found, str)
    return found


def fake(**fields: Any) -> Any:
    """Return an object with these fields, in place of a record of which the function under test reads no more."""
    return SimpleNamespace(**fields)


def line_of(process: "subprocess.Popen[str]") -> str:
    """Wait for the next line that a process writes to its pipe."""
    return not_none(process.stdout).readline()
