"""What there is to choose from: a module's name is its id, its docstring's first line describes it."""

import ast
import importlib
import importlib.util
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, get_args, get_type_hints

from algorithms.runtime.errors import UserError, did_you_mean
from algorithms.structures.compiled import capabilities, kind_of
from algorithms.structures.kinds import kinds

ROOT = Path(__file__).resolve().parents[2]
LOSSES = ("log", "hinge")
NO_LOSS = "none"  # of algorithms that minimise no objective, such as mistake-driven ones
NO_PENALTY = "none"
PENALTIES = ("l2", "l1", "l1-ball", "l1-squared", "laplace-LAMBDA", NO_PENALTY)


def described(folder: str, defines: str) -> dict[str, str]:
    """Name -> first docstring line of the modules in a folder that define the function ``defines``."""
    found = {}
    for file in sorted((ROOT / folder).glob("*.py")):
        text = file.read_text(encoding="utf-8")
        if f"\ndef {defines}(" in text:
            found[file.stem.replace("_", "-")] = _about(text)
    return found


@cache
def _by_family() -> dict[str, tuple[str, str]]:
    """Name of every algorithm -> its family, a folder of ``algorithms``, and its description."""
    folders = sorted(folder.name for folder in (ROOT / "algorithms").iterdir() if folder.is_dir())
    found = {
        name: (room, text) for room in folders for name, text in described(f"algorithms/{room}", "solve").items()
    }
    return dict(sorted(found.items()))


def families() -> dict[str, str]:
    """Name of every algorithm -> the family, a folder of ``algorithms``, that its module lives in."""
    return {name: room for name, (room, _) in _by_family().items()}


def algorithms() -> dict[str, str]:
    """Name -> description of every algorithm."""
    return {name: text for name, (_, text) in _by_family().items()}


def file_of(name: str) -> Path:
    """The file of an algorithm, relative to the project's folder.

    Raises:
        UserError: there is none of that name.
    """
    names = families()
    if name not in names:
        hint = did_you_mean(name, names)
        raise UserError(f"unknown algorithm {name!r}: {hint}choose from {', '.join(names)}")
    return Path("algorithms", names[name], f"{name.replace('-', '_')}.py")


@cache
def algorithm(name: str) -> ModuleType:
    """The module of an algorithm; importing it takes longer than reading what it ``declared``.

    Raises:
        UserError: there is none of that name.
    """
    return importlib.import_module(".".join(file_of(name).with_suffix("").parts))


@cache
def _module(name: str) -> ast.Module:
    """The module of an algorithm, read without importing it."""
    return ast.parse((ROOT / file_of(name)).read_text(encoding="utf-8"))


def declared(name: str, what: str, otherwise: Any = None) -> Any:
    """The constant ``what`` of an algorithm's module, or ``otherwise``; the module is not imported.

    Raises:
        UserError: there is no algorithm of that name.
        ValueError: the constant is not written out there.
    """
    for node in _module(name).body:
        if isinstance(node, ast.Assign) and what in (getattr(target, "id", "") for target in node.targets):
            return ast.literal_eval(node.value)
    return otherwise


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


def solver(name: str) -> Callable:
    """The ``solve`` of an algorithm; raises as ``algorithm`` does."""
    return algorithm(name).solve


def is_peer(name: str) -> bool:
    """Whether an algorithm is a third-party solver: its module says what it ``REQUIRES``."""
    return declared(name, "REQUIRES") is not None


def needs(name: str, params: dict[str, Any]) -> tuple[str, ...]:
    """The capabilities that an algorithm asks of a structure: ``NEEDS``, or what ``needs`` says of its params.

    Raises:
        UserError: its module says neither.
    """
    written = declared(name, "NEEDS")
    if written is not None:
        return written
    if not hasattr(algorithm(name), "needs"):
        raise UserError(
            f"{file_of(name)} says neither NEEDS nor needs: what it asks of a structure, see CONTRIBUTING.md"
        )
    return algorithm(name).needs(**(parameters(name) | params))


def check_fit(name: str, params: dict[str, Any], split: Any) -> None:
    """See that an algorithm with these parameters can learn a split, by its structure and its module's ``check``.

    Raises:
        UserError: it cannot; says what is missing, and which algorithms can.
    """
    kind = kind_of(split)
    missed = _lacking(name, params, kind)
    if missed:
        asked = "".join(f", {key}={params[key]}" for key in ("beam", "decode", "kernel") if key in params)
        fitting = filter(None, (_fitting(each, kind.id) for each in algorithms()))
        why = f" ({kind.lacks})" if hasattr(kind, "lacks") else ""
        beams = " (with a number for beam and decode)" if "beam" in params else ""
        raise UserError(
            f"{name}{asked} needs {' and '.join(missed)}, which {kind.id} problems do not have"
            f"{why}: choose from {', '.join(fitting)}{beams}"
        )
    if hasattr(algorithm(name), "check"):
        algorithm(name).check(split, **(parameters(name) | params))


def _fitting(name: str, structure: str) -> str | None:
    """An algorithm as it runs on the structure of this id: with its defaults, or a kernel; None if it does not."""
    if runs_on(name, structure):
        return name
    kernels = get_args(get_type_hints(solver(name))["kernel"]) if "kernel" in parameters(name) else ()
    own = [each for each in kernels if not lacking(name, {"kernel": each}, structure)]
    return f"{name} (kernel={own[0]})" if own else None


def lacking(name: str, params: dict[str, Any], structure: str) -> list[str]:
    """What an algorithm with these parameters needs and the structure of this id does not have."""
    return _lacking(name, params, kinds()[structure])


def _lacking(name: str, params: dict[str, Any], kind: type) -> list[str]:
    return [each for each in needs(name, params) if each not in capabilities(kind)]


def runs_on(name: str, structure: str) -> bool:
    """Whether an algorithm, with its defaults, learns the structure of this id."""
    return not lacking(name, {}, structure)


def losses(name: str, params: dict[str, Any] | None = None) -> tuple[str, ...]:
    """The losses that an algorithm minimises: its module names its ``LOSSES``, if it does not all.

    With ``params`` given, those that it minimises so: ``LOSSES_WITH`` has the values of a parameter with which
    they are fewer.
    """
    found: tuple[str, ...] = declared(name, "LOSSES", LOSSES)
    if params is not None:
        given = parameters(name) | params
        for parameter, fewer in declared(name, "LOSSES_WITH", {}).items():
            found = fewer.get(given[parameter], found)
    return found


def penalties(name: str) -> tuple[str, ...]:
    """The penalties that an algorithm minimises: its module names its ``PENALTIES``, if it does not only l2."""
    return declared(name, "PENALTIES", ("l2",))


def label(name: str) -> str:
    """What figures call an algorithm: its module names its ``LABEL``, if it is not its id."""
    return declared(name, "LABEL", name)


def draws(name: str, params: dict[str, Any]) -> bool:
    """Whether an algorithm draws at random with these parameters, so that seeds matter.

    Its module's ``DRAWS`` is False, or has the values of a parameter with which it does, if it does not always.
    """
    return holds(name, "DRAWS", params, True)


def holds(name: str, what: str, params: dict[str, Any], otherwise: bool) -> bool:
    """Whether what an algorithm's module says of it in the constant ``what`` is true with these parameters.

    The constant is True, False, or has the values of one or more parameters with which it is true.
    """
    when = declared(name, what, otherwise)
    if isinstance(when, bool):
        return when
    given = parameters(name) | params
    return all(given[parameter] in values for parameter, values in when.items())


def compared(name: str, loss: str) -> tuple[dict[str, Any], ...]:
    """The settings with which an algorithm is compared with all others: its module's ``COMPARED``, maybe by loss.

    Without it, its defaults alone.
    """
    settings = declared(name, "COMPARED", ({},))
    return settings.get(loss, ()) if isinstance(settings, dict) else settings


def contending(loss: str) -> list[tuple[str, dict[str, Any]]]:
    """Our algorithms that are timed against peers, each with the settings that its module's ``CONTENDS`` has."""
    return [
        (name, settings)
        for name in algorithms()
        if loss in losses(name)
        for settings in declared(name, "CONTENDS", ())
    ]


def contests() -> list[tuple[str, Any]]:
    """Peers with the problems that they are timed on: their modules' ``CONTESTS`` (``peers.harness.Contest``)."""
    peers = [name for name in algorithms() if is_peer(name)]
    return [(name, contest) for name in peers for contest in getattr(algorithm(name), "CONTESTS", ())]


def predictions(name: str) -> Callable | None:
    """How an algorithm predicts, if not by exact inference: from split, weights and its parameters."""
    return getattr(algorithm(name), "predictions", None)


def rehearsal(name: str) -> Callable[[Any], None]:
    """What calls the kernels that an algorithm needs late in a run, given an objective."""
    return getattr(algorithm(name), "rehearse", lambda objective: None)


def missing(name: str) -> str | None:
    """The package that an algorithm needs and that is not installed, if there is one."""
    requires: dict[str, str] = declared(name, "REQUIRES", {})
    return next(
        (package for module, package in requires.items() if importlib.util.find_spec(module) is None), None
    )


def require(name: str) -> None:
    """See that all that an algorithm needs is installed.

    Raises:
        UserError: it is not.
    """
    package = missing(name)
    if package:
        raise UserError(
            f"{name} needs the package {package}, which is not installed: "
            f"install the peers group (pip install {package})"
        )


def structures() -> dict[str, str]:
    """Id -> description of every structure, and what it can do."""
    found = {}
    for name, kind in kinds().items():
        about = (importlib.import_module(kind.__module__).__doc__ or "").partition("\n")[0].rstrip(".")
        found[name] = f"{about} ({', '.join(sorted(capabilities(kind)))})"
    return found


def papers() -> dict[str, str]:
    """Name -> description of every paper that has runs, figures and claims: a folder of ``bench/papers``."""
    inits = sorted((ROOT / "bench" / "papers").glob("*/__init__.py"))
    return {file.parent.name: _about(file.read_text(encoding="utf-8")) for file in inits}


def _about(text: str) -> str:
    """The first line of a module's docstring."""
    found = re.match(r'\s*"""(.*?)(?:"""|\n)', text)
    return found[1] if found else ""
