"""Read and check the YAML file that declares a black box, and turn it into an algorithm."""

import inspect
import keyword
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import yaml

from structbench.algorithms.black_boxes import harness
from structbench.algorithms.black_boxes.box import CURVES, FILES, KNOWN, Box, names_in
from structbench.algorithms.learning.declaration import NO_LOSS, TAKEN, Settings, algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.runtime import modules, yaml_text
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import IN_A_NAME, Word, defaults, is_word, typed_options
from structbench.algorithms.structures import interface as parts

LOSSES = {"": NO_LOSS, "log": "log", "hinge": "polyhedral", "any": "any"}  # ``minimises`` -> asked of a loss
CLASSES, SEQUENCES = (parts.FEATURE_ROWS, parts.SINGLE_DECISIONS), (parts.LABEL_SEQUENCES,)
CLASS_READS = {"rows": CLASSES, "sequences": SEQUENCES}  # -> what it needs of a structure
COMMAND_READS = {"svmlight": CLASSES, "crfsuite": SEQUENCES, "columns": SEQUENCES}
NAME = re.compile(r"[a-z][a-z0-9_]*")


def module(file: Path) -> SimpleNamespace:
    """What the file declares, as an algorithm's module has it: ``solve`` under ``@algorithm``.

    Raises:
        UserError: The file holds no YAML, or a key or a value is wrong.
    """
    box = read_box(file)
    usual = {name: value[0] if isinstance(value, list) else value for name, value in box.parameters.items()}
    typed = {name: _type(value) for name, value in box.parameters.items()}

    def solve(problem: Any, objective: Objective, rng: np.random.Generator, **params: Any) -> Iterator[Iterate]:
        return harness.run_box(box, problem, objective, int(rng.integers(2**31)), usual | params)

    *taken, params = inspect.signature(solve).parameters.values()
    own = [
        params.replace(name=name, kind=params.KEYWORD_ONLY, default=usual[name], annotation=typed[name])
        for name in typed
    ]
    vars(solve)["__signature__"] = inspect.Signature([*taken, *own])
    solve.__annotations__ = typed
    solve.__doc__ = "".join([f"{box.about}\n\nArgs:\n", *(f"    {name}: the program's own.\n" for name in typed)])
    solve.__code__ = solve.__code__.replace(co_filename=str(file), co_firstlineno=1)  # where a mistake is
    declare: Callable = algorithm(
        needs=(CLASS_READS if box.class_name else COMMAND_READS)[box.reads],
        label=box.label or None,
        loss=LOSSES[box.minimises],
        loss_with=box.loss_with,
        penalties=("l2", "elastic-A") if "A" in box.names else (),
        random=box.random or "seed" in box.names,
        threads=False,
        settings=Settings(figures=box.figures),
        packages=box.packages,
        references=tuple(map(str, box.references)),
        warm=harness.warm,
        black_box=CURVES[box.points].words,
        reads_names=box.reads == "columns",
    )
    try:
        return SimpleNamespace(solve=declare(solve), __name__=file.stem, __doc__=box.about)
    except (AttributeError, TypeError):
        forms = "loss_with: {m: {a: log}}, random: {m: [a]}, figures: [{m: a}]"
        wrong = f"{box.loss_with}, {box.random}, {box.figures}"
        raise UserError(f"{modules.shown(file)}: expected such as {forms}, not {wrong}") from None


def read_box(file: Path) -> Box:
    """The declaration in a file, checked.

    Raises:
        UserError: As ``module``.
    """

    def refuse(text: str) -> UserError:
        return UserError(f"{modules.shown(file)}: {text}")

    try:
        given: dict[str, Any] = yaml_text.parsed(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = "" if line is None else f" (line {line + 1})"
        raise refuse(f"cannot be read as YAML{where}: {getattr(error, 'problem', error)}") from None
    if not isinstance(given, dict):
        raise refuse("expected keys such as about, command and reads")
    known = [name.removesuffix("_name") for name in defaults(Box)]
    for key in given:
        if key not in known:
            raise refuse(f"unknown key {key!r}: {meant(str(key), known)}the keys are {', '.join(known)}")
    if "about" not in given:
        raise refuse("has no about, a line that describes it")
    if ("class" in given) == ("command" in given):
        raise refuse("expected either a class or a command")
    if "class" in given:
        given = {"reads": "rows"} | given
        given["class_name"] = given.pop("class")
    box = Box(file=file, **typed_options(Box, given, modules.shown(file)))
    box = replace(box, command=[*map(str, box.command)])
    if wrong := _wrong(box) or (_wrong_class if box.class_name else _wrong_command)(box):
        raise refuse(wrong)
    return box


def _wrong(box: Box) -> str:
    """What is wrong with a declaration, in a sentence; empty if nothing is."""
    reads = CLASS_READS if box.class_name else COMMAND_READS
    if box.reads not in reads:
        return f"reads must be {' or '.join(reads)}, not {box.reads!r}"
    for name, value in box.parameters.items():
        words = value if isinstance(value, list) else [value] if isinstance(value, str) else []
        if not isinstance(name, str) or not NAME.fullmatch(name) or name in KNOWN:
            return f"a parameter is a word of small letters other than {', '.join(KNOWN)}, not {name!r}"
        if name in TAKEN or keyword.iskeyword(name) or "__" in name:
            others = f"{', '.join(TAKEN)} and the keywords of Python"
            return f"a parameter cannot be called {name}: choose a name without __ other than {others}"
        bad = [each for each in words if not isinstance(each, str)]
        if bad or not (words or isinstance(value, bool | int | float)):
            return f"the parameter {name} must be a number, a word or a list of words, not {value!r}"
        if bad := [word for word in words if not is_word(word)]:
            return f"a value of {name} must be {IN_A_NAME}, not {bad[0]!r}"
    if nested := [name for name, value in box.arguments.items() if names_in(_inside(value))]:
        return f"the argument {nested[0]} has braces within a list or a dict, where nothing is put in"
    barred = FILES if box.class_name else ("falling_tolerance",)
    known = [*(name for name in KNOWN if name not in barred), *box.parameters]
    for name in sorted(box.names - {*known}):
        return f"there is no {{{name}}}: {meant(name, known)}there are {', '.join(known)}"
    return ""


def _wrong_class(box: Box) -> str:
    if shared := [name for name in box.arguments if name in box.parameters]:
        return f"{shared[0]} is both an argument and a parameter: leave out one of them"
    if box.minimises and not box.names & {"C", "C_of_difference"}:
        return f"it minimises {box.minimises}, but no argument says C: add one such as alpha: '{{C/n}}'"
    asked = CURVES[box.curve].needs
    if asked and (asked not in box.names or (box.curve == "restarts" and "{limit}" not in box.arguments.values())):
        return f"curve: {box.curve} needs an argument that is '{{{asked}}}', such as max_iter: '{{limit}}'"
    return ""


def _wrong_command(box: Box) -> str:
    words = box.names
    if given := [key for key in ("arguments", "curve") if getattr(box, key)]:
        return f"a command has no {given[0]}: its list of words says all"
    if "train" not in words:
        return "the command has no {train}, the file that it learns from"
    if ("labels" in words) == ("weights" in words):
        return "the command must write one file: {labels}, or {weights}"
    if "labels" in words and "test" not in words:
        return "the command has no {test}, the file that it labels"
    if box.minimises and not {"C", "weights"} <= words:
        return f"it minimises {box.minimises}: its command needs {{C}}, and {{weights}} to judge it by"
    if unused := [name for name in box.parameters if name not in words]:
        return f"the command has no {{{unused[0]}}}, its parameter"
    return ""


def _inside(value: Any) -> Iterator[str]:
    """The words within a list or a dict."""
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    for each in inner:
        yield from [each] if isinstance(each, str) else _inside(each)


def _type(value: Any) -> Any:
    if isinstance(value, list):
        return Literal[tuple(value)]
    return Word if isinstance(value, str) else type(value)
