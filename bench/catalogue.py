"""What there is to choose from: a module's name is its id, its docstring's first line describes it."""

import ast
import difflib
import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from datasets.base.errors import UserError

ROOT = Path(__file__).resolve().parent.parent


def described(folder: str, defines: str | None = None) -> dict[str, str]:
    """Name -> first docstring line of the modules in a folder, those that define ``defines`` at top level."""
    found = {}
    for file in sorted((ROOT / folder).glob("*.py")):
        tree = ast.parse(file.read_text())
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        if file.stem != "__init__" and (defines is None or defines in names):
            found[file.stem.replace("_", "-")] = (ast.get_docstring(tree) or "").partition("\n")[0]
    return found


def algorithms() -> dict[str, str]:
    """Name -> description of every algorithm."""
    return described("algorithms", "solve")


@cache
def solver(name: str) -> Callable:
    """The ``solve`` of an algorithm.

    Raises:
        UserError: there is none of that name.
    """
    names = list(algorithms())
    if name not in names:
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UserError(f"unknown algorithm {name!r}: {hint}choose from {', '.join(names)}")
    return importlib.import_module(f"algorithms.{name.replace('-', '_')}").solve


def structures() -> dict[str, str]:
    """Name -> description of every structure."""
    return described("algorithms/structures", "build")
