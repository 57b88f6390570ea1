"""A black box: a program of others, a Python class or a command, as one YAML file declares it."""

import inspect
import keyword
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
import yaml

from structbench.algorithms.black_boxes import classes, commands
from structbench.algorithms.black_boxes.box import KNOWN, Box, names_in
from structbench.algorithms.learning.declaration import NO_LOSS, algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import IN_A_NAME, Word, is_word
from structbench.algorithms.structures import interface as parts

LOSSES = {"log": "log", "hinge": "polyhedral"}  # what ``minimises`` may say -> what it asks of a loss
CURVES = ("partial_fit", "restarts", "limits", "one")
CLASSES, SEQUENCES = (parts.FEATURE_ROWS, parts.SINGLE_DECISIONS), (parts.LABEL_SEQUENCES,)
CLASS_READS = {"rows": CLASSES, "sequences": SEQUENCES}  # -> what it needs of a structure
COMMAND_READS = {"svmlight": CLASSES, "crfsuite": SEQUENCES, "columns": SEQUENCES}
TIME_LIMIT = 3600.0  # seconds of one call of a command
NAME = re.compile(r"[a-z][a-z0-9_]*")
TAKEN = ("problem", "objective", "rng")  # what ``solve`` is given


class _Key(NamedTuple):
    """A key of the file: the type of its value, and what that is in words."""

    type: type | tuple[type, ...]
    words: str


KEYS = {
    "about": _Key(str, "a line that describes it"),
    "label": _Key(str, "its name in figures"),
    "class": _Key(str, "MODULE.CLASS, or FILE.py:CLASS of a file beside this one"),
    "command": _Key(list, "a list of words, such as [./learn, '{train}', '{test}', '{labels}']"),
    "reads": _Key(str, "a format"),
    "minimises": _Key(str, "log or hinge"),
    "arguments": _Key(dict, "arguments of the class, such as {alpha: '{C/n}'}"),
    "parameters": _Key(dict, "parameters with their defaults, such as {eta: 0.1}"),
    "curve": _Key(str, " or ".join(CURVES)),
    "packages": _Key(dict, "packages that it needs, such as {sklearn: scikit-learn}"),
    "time_limit": _Key((int, float), "seconds of one call"),
}


def module(file: Path) -> SimpleNamespace:
    """What the file declares, as an algorithm's module has it: ``solve`` under ``@algorithm``.

    Raises:
        UserError: The file holds no YAML, or a key or a value is wrong.
    """
    box = read(file)
    needs = (CLASS_READS if box.class_name else COMMAND_READS)[box.reads]
    learn = classes.learn if box.class_name else commands.learn

    def solve(problem: Any, objective: Objective, rng: np.random.Generator, **params: Any) -> Iterator[Iterate]:
        return learn(box, problem, objective, int(rng.integers(2**31)), usual | params)

    usual = {name: _default(value) for name, value in box.parameters.items()}
    typed = {name: _type(value) for name, value in box.parameters.items()}
    taken = [each for each in inspect.signature(solve).parameters.values() if each.kind is not each.VAR_KEYWORD]
    own = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=usual[name], annotation=typed[name])
        for name in box.parameters
    ]
    vars(solve)["__signature__"] = inspect.Signature([*taken, *own])
    solve.__annotations__ = typed
    told = "".join(f"    {name}: the program's own.\n" for name in box.parameters)
    solve.__doc__ = f"{box.about}\n" + (f"\nArgs:\n{told}" if told else "")
    declare: Callable = algorithm(
        needs=needs,
        label=box.label,
        loss=LOSSES[box.minimises] if box.minimises else NO_LOSS,
        random="seed" in box.names,
        threads=False,
        packages=box.packages,
        black_box=box.how,
        reads_names=box.reads == "columns",
    )
    return SimpleNamespace(solve=declare(solve), __name__=file.stem, __doc__=box.about)


def read(file: Path) -> Box:
    """The declaration in a file, checked.

    Raises:
        UserError: As ``module``.
    """

    def refuse(text: str) -> UserError:
        return UserError(f"{modules.shown(file)}: {text}")

    try:
        given = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = "" if line is None else f" (line {line + 1})"
        raise refuse(f"cannot be read as YAML{where}: {getattr(error, 'problem', error)}") from None
    if not isinstance(given, dict):
        raise refuse("expected keys such as about, command and reads")
    for key, value in given.items():
        if key not in KEYS:
            raise refuse(f"unknown key {key!r}: {meant(str(key), KEYS)}the keys are {', '.join(KEYS)}")
        if not isinstance(value, KEYS[key].type) or isinstance(value, bool):
            raise refuse(f"{key} must be {KEYS[key].words}, not {value!r}")
    if "about" not in given:
        raise refuse("has no about, a line that describes it")
    if ("class" in given) == ("command" in given):
        raise refuse("expected either a class or a command")
    box = Box(
        file,
        given["about"],
        given.get("label"),
        given.get("class", ""),
        tuple(map(str, given.get("command", ()))),
        given.get("reads", "rows" if "class" in given else ""),
        given.get("minimises", ""),
        given.get("arguments", {}),
        given.get("parameters", {}),
        given.get("curve", ""),
        given.get("packages", {}),
        float(given.get("time_limit", TIME_LIMIT)),
    )
    if wrong := _wrong(box):
        raise refuse(wrong)
    return box


def _wrong(box: Box) -> str:
    """What is wrong with a declaration, in a sentence; empty if nothing is."""
    reads = CLASS_READS if box.class_name else COMMAND_READS
    if box.reads not in reads:
        return f"reads must be {' or '.join(reads)}, not {box.reads!r}"
    if box.minimises and box.minimises not in LOSSES:
        return f"minimises must be {' or '.join(LOSSES)}, not {box.minimises!r}"
    if box.curve and (box.curve not in CURVES or not box.class_name):
        return f"curve, of a class, must be {' or '.join(CURVES)}, not {box.curve!r}"
    for name, value in box.parameters.items():
        if not isinstance(name, str) or not NAME.fullmatch(name) or name in KNOWN:
            return f"a parameter is a word of small letters other than {_listed(KNOWN)}, not {name!r}"
        if name in TAKEN or keyword.iskeyword(name) or "__" in name:
            others = f"{_listed(TAKEN)} and the keywords of Python"
            return f"a parameter cannot be called {name}: choose a name without __ other than {others}"
        if not isinstance(_default(value), bool | int | float | str) or (isinstance(value, list) and not value):
            return f"the parameter {name} must be a number, a word or a list of words, not {value!r}"
        if isinstance(value, list) and not all(isinstance(each, str) for each in value):
            return f"the values of {name} must be words, not {value!r}"
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and not is_word(word):
                return f"a value of {name} must be {IN_A_NAME}, not {word!r}"
    if nested := [name for name, value in box.arguments.items() if names_in(_inside(value))]:
        return (
            f"the argument {nested[0]} has braces within a list or a dict, where nothing is put in: leave them out"
        )
    known = [*KNOWN, *box.parameters]
    for name in sorted(box.names - {*known}):
        return f"there is no {{{name}}}: {meant(name, known)}there are {_listed(known)}"
    if box.class_name:
        return _wrong_class(box)
    return _wrong_command(box)


def _wrong_class(box: Box) -> str:
    if shared := [name for name in box.arguments if name in box.parameters]:
        return f"{shared[0]} is both an argument and a parameter: leave out one of them"
    if files := sorted(box.names & {"train", "test", "labels", "weights", "seconds"}):
        return f"a class reads no files: leave out {{{files[0]}}}"
    if box.minimises and box.reads != "rows":
        return "a class that reads sequences tells no weights: leave out minimises"
    if box.minimises and not box.names & {"C", "C_of_difference"}:
        return f"it minimises {box.minimises}, but no argument says C: add one such as alpha: '{{C/n}}'"
    says_limit = "{limit}" in box.arguments.values() if box.curve == "restarts" else "limit" in box.names
    if box.curve in ("limits", "restarts") and not says_limit:
        return f"curve: {box.curve} needs an argument that is '{{limit}}', such as max_iter: '{{limit}}'"
    return ""


def _wrong_command(box: Box) -> str:
    words = names_in(box.command)
    if box.arguments:
        return "a command has no arguments: write them into its list of words"
    if not 0 < box.time_limit < math.inf:
        return f"time_limit must be a finite number of seconds above 0, not {box.time_limit:g}"
    if not box.command:
        return f"command must be {KEYS['command'].words}"
    if "train" not in words:
        return "the command has no {train}, the file that it learns from"
    if ("labels" in words) == ("weights" in words):
        return "the command must write one file: {labels}, or {weights}"
    if "labels" in words and "test" not in words:
        return "the command has no {test}, the file that it labels"
    if box.minimises and not ("weights" in words and "C" in words):
        return f"it minimises {box.minimises}: its command needs {{C}}, and {{weights}} to judge it by"
    if unused := [name for name in box.parameters if name not in words]:
        return f"the command has no {{{unused[0]}}}, its parameter"
    return ""


def _inside(value: Any) -> Iterator[str]:
    """The words within a list or a dict."""
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from [each] if isinstance(each, str) else _inside(each)


def _listed(names: Any) -> str:
    return ", ".join(names)


def _default(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else value


def _type(value: Any) -> Any:
    if isinstance(value, list):
        return Literal[tuple(value)]
    return Word if isinstance(value, str) else type(value)
