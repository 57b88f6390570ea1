"""The files of algorithms, read without importing them: what there is, and what it says of itself.

A module's name is its id, its docstring's first line describes it, and its constants are written out.
"""

import ast
from functools import cache
from pathlib import Path
from typing import Any

from structbench.algorithms.losses import family
from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant

NO_LOSS = "none"  # of algorithms that minimise no objective, such as mistake-driven ones
NO_PENALTY = "none"
PENALTIES = ("l2", "l1", "l1-ball", "l1-squared", "laplace-LAMBDA", NO_PENALTY)
KNOWN = {"LOSS": (*family.PROPERTIES, NO_LOSS), "PENALTIES": PENALTIES}  # what these constants may name
TYPES = {  # of constants of a module
    "NEEDS": tuple,
    "LOSS": str,
    "LOSS_WITH": dict,
    "PENALTIES": tuple,
    "REQUIRES": dict,
    "LABEL": str,
    "DRAWS": bool | dict,
    "THREADS": bool,
    "COMPARED": tuple | dict,
    "CONTENDS": tuple,
}


@cache
def _by_family() -> dict[str, tuple[str, str]]:
    """Name of every algorithm -> its family, a folder of ``algorithms``, and its description."""
    found = {}
    for file in sorted((modules.ROOT / "algorithms").glob("*/*.py")):
        text = file.read_text(encoding="utf-8", errors="replace")  # a broken one is listed, too
        if "\ndef solve(" in text:
            found[file.stem.replace("_", "-")] = (file.parent.name, modules.about(text))
    return dict(sorted(found.items()))


def algorithms() -> dict[str, str]:
    """Name -> description of every algorithm, except those that are ``broken``."""
    return {name: text for name, (_, text) in _by_family().items() if name not in broken()}


@cache
def broken() -> dict[str, str]:
    """Name of every algorithm whose file holds no Python, or a wrong constant -> a sentence with the line."""
    found = {}
    for name in _by_family():
        try:
            for what in TYPES:
                declared(name, what)
        except UserError as error:
            found[name] = str(error)
    return found


@cache
def file_of(name: str) -> Path:
    """The file of an algorithm, relative to the project's folder.

    Raises:
        UserError: there is none of that name.
    """
    known = _by_family()
    file = f"{name.replace('-', '_')}.py"
    if name in known:
        return Path("algorithms", known[name][0], file)
    hint = meant(name, known)
    for room in (modules.ROOT / "algorithms").iterdir():
        if (room / file).is_file():
            raise UserError(f"{modules.shown(room / file)} has no function solve, so that it is no algorithm")
    raise UserError(f"unknown algorithm {name!r}: {hint}`python -m bench list algorithms` names all {len(known)}")


@cache
def _module(name: str) -> ast.Module:
    """The module of an algorithm, read without importing it."""
    return modules.parsed(modules.ROOT / file_of(name))


def declared(name: str, what: str, otherwise: Any = None) -> Any:
    """The constant ``what`` of an algorithm's module, or ``otherwise``; the module is not imported.

    Raises:
        UserError: there is no algorithm of that name, or the constant is not written out or not of its type.
    """
    for node in _module(name).body:
        if isinstance(node, ast.Assign) and what in (getattr(target, "id", "") for target in node.targets):
            return _checked(name, what, node)
    return otherwise


def _checked(name: str, what: str, node: ast.Assign) -> Any:
    """The value of a constant."""
    try:
        value = ast.literal_eval(node.value)
    except ValueError:
        raise _wrong(name, node, f"{what} must be written out: it is read without importing the file") from None
    wanted = TYPES.get(what, object)
    if not isinstance(value, wanted):
        raise _wrong(name, node, f"{what} must be a {getattr(wanted, '__name__', wanted)}, not {value!r}")
    for each in ((value,) if isinstance(value, str) else value) if what in KNOWN else ():
        if each not in KNOWN[what]:
            hint = meant(str(each), KNOWN[what])
            raise _wrong(name, node, f"{what} names {each!r}: {hint}there are {', '.join(KNOWN[what])}")
    return value


def _wrong(name: str, node: ast.stmt, sentence: str) -> UserError:
    return UserError(f"{file_of(name)}:{node.lineno}: {sentence}")


@cache
def parameters(name: str) -> dict[str, Any]:
    """The parameters of an algorithm with their defaults: keyword-only arguments of its ``solve``.

    Raises:
        UserError: there is no algorithm of that name.
    """
    solve = next(node for node in _module(name).body if getattr(node, "name", "") == "solve").args
    return {
        argument.arg: _value(default, name)
        for argument, default in zip(solve.kwonlyargs, solve.kw_defaults, strict=True)
    }


def _value(expression: ast.expr, name: str) -> Any:
    """The value of an expression of numbers, words and constants of the module, such as ``2**0.5``."""
    names = {node.id: declared(name, node.id) for node in ast.walk(expression) if isinstance(node, ast.Name)}
    return eval(compile(ast.Expression(expression), "a default", "eval"), {"__builtins__": {}}, names)
