"""Data sets: one module each, found by its name, with hyphens for underscores.

A data set is written as its name, maybe with options (``conll2000:sentences=500``). If it reads the user's own
file, the path follows the name (``svmlight:PATH``), and options follow the path
(``conll2003:PATH,sentences=500``). Each takes ``costs`` and ``validation``, too: see ``problems.costs`` and
``problems.validation``.
"""

import ast
import inspect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import defaults, split_options, typed_options
from structbench.datasets.fetching.download import Fetcher

if TYPE_CHECKING:  # importing it takes half a second that a listing need not wait for
    from structbench.datasets.problems.problem import Problem

NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?"  # a share in place of a file
CHUNKS = "chunks"  # the costs of segments that no file says
OFFERED = {
    "LICENCE": "one line",
    "SOURCES": "the files that are fetched, () if there are none",
    "STRUCTURE": "the id of the structure that load returns",
    "load": "a function that returns a Problem",
}


class DataRef(NamedTuple):
    """A data set, the options given in their types, and, for one that reads a file, the path."""

    name: str
    options: dict[str, Any]
    path: str | None


def names() -> list[str]:
    """The names of all data sets."""
    return [name.replace("_", "-") for name in _stems("datasets")]


def describe(name: str) -> str:
    """The first line of the data set's docstring, read without importing it.

    Raises:
        UserError: There is none of that name, or its file holds no Python.
    """
    return (ast.get_docstring(modules.parsed(_file(name))) or "").partition("\n")[0]


@cache
def module(name: str) -> ModuleType:
    """The data set's module, with ``SOURCES``, ``LICENCE``, its structure and ``load``.

    Raises:
        UserError: There is none of that name, or it cannot be imported or lacks one of these.
    """
    file = _file(name)
    found = modules.imported(f"structbench.datasets.{file.stem}")
    for what, about in OFFERED.items():
        if not hasattr(found, what) and not (what == "STRUCTURE" and hasattr(found, "structure")):
            raise UserError(f"{modules.shown(file)} has no {what}, {about}: see docs/how-to/add-data.md")
    return found


def generated(name: str) -> bool:
    """Whether the data set is made here, from no file at all.

    Raises:
        UserError: There is none of that name.
    """
    found = module(name)
    return not found.SOURCES and not reads_a_file(found.load)


def formats() -> list[str]:
    """The names of the data sets that read a file of the user's."""
    return names_of(lambda found: reads_a_file(found.load))


def names_of(chosen: Callable[[ModuleType], bool]) -> list[str]:
    """The names of the data sets whose modules are chosen; of those that can be imported."""
    found = []
    for name in names():
        with suppress(UserError, ModuleNotFoundError):
            if chosen(module(name)):
                found.append(name)
    return found


@cache
def parse(text: str) -> DataRef:
    """Read ``name``, ``name:option=value,...``, ``name:PATH`` or ``name:PATH,option=value,...``.

    Raises:
        UserError: The data set, an option or a value is wrong, or the path is missing; says what is right.
    """
    name, _, rest = text.partition(":")
    load = module(name).load
    path, given = _path_and_options(rest, load) if reads_a_file(load) else (None, rest)
    if path == "":
        raise UserError(f"data set {name} reads a file of yours: write {name}:PATH")
    try:
        own = split_options(given)
    except UserError as error:
        comma = "a path of costs must have no comma: " if "costs=" in given else ""
        raise UserError(f"{comma}{error}") from None
    shared = {key: own.pop(key) for key in defaults(_shared) if key in own}
    for key in [key for key in own if key not in defaults(load)]:
        known = defaults(load) | defaults(_shared)
        raise UserError(f"data set {name} has no option {key!r}: {meant(key, known)}it has {', '.join(known)}")
    options = typed_options(load, own, f"data set {name}") | typed_options(_shared, shared, f"data set {name}")
    share = options.get("validation")
    if share is not None and _is_number(share):
        options["validation"] = f"{float(share):g}"
    return DataRef(name, options, path)


def _shared(*, costs: str | None = None, validation: str | None = None) -> None:
    """The options that every data set has."""


def canonical(text: str) -> str:
    """The one way to write this data set: sorted options without defaults, and paths as in ``one_path``.

    Raises:
        UserError: As ``parse``; or the whole path of an option has a comma.
    """
    return _canonical(text, os.getcwd())


@cache
def _canonical(text: str, folder: str) -> str:
    for key, file in files_of(text).items():
        if "," in one_path(file, folder):
            raise UserError(f"a path of {key} must have no comma: {one_path(file, folder)}")
    return renamed(text, lambda path: one_path(path, folder))


def renamed(text: str, name: Callable[[str], str]) -> str:
    """The data set with sorted options, without defaults, and ``name(path)`` for each path of the user's.

    Raises:
        UserError: As ``parse``.
    """
    chosen, options, path = parse(text)
    default = defaults(module(chosen).load) | defaults(_shared)
    options = options | {key: name(file) for key, file in files_of(text).items()}
    given = [f"{key}={value}" for key, value in sorted(options.items()) if value != default[key]]
    written = ",".join(given if path is None else [name(path), *given])
    return f"{chosen}:{written}" if written else chosen


def files_of(text: str) -> dict[str, str]:
    """The options that are files of the user's: shared ones, and those that the module names in ``PATHS``.

    Raises:
        UserError: As ``parse``.
    """
    name, options, _ = parse(text)
    paths = {key: options.get(key) for key in (*getattr(module(name), "PATHS", ()), *defaults(_shared))}
    return {key: path for key, path in paths.items() if not (path in (None, "", CHUNKS) or _is_number(path))}


def validates(text: str) -> bool:
    """Whether a data set has a validation split.

    Raises:
        UserError: As ``parse``.
    """
    return parse(text).options.get("validation") is not None


def _is_number(text: str) -> bool:
    return re.fullmatch(NUMBER, text) is not None


def one_path(path: str, folder: str) -> str:
    """The one way to write a user's path, which is relative to ``folder``: absolute."""
    return os.path.normpath(os.path.join(folder, os.path.expanduser(path)))


@cache
def structure(text: str) -> str:
    """The id of the structure that a data set is of, without building it.

    The module says it in ``STRUCTURE``, or in a function ``structure`` of its options.

    Raises:
        UserError: As ``parse``, or there is no such structure.
    """
    from structbench.algorithms.structures.structure_types import structure_type, structure_types

    name, found = parse(text).name, _declared(text, "STRUCTURE")
    try:
        structure_type(str(found))
    except KeyError:
        hint, file = meant(str(found), structure_types()), modules.shown(_file(name))
        raise UserError(
            f"{file}: STRUCTURE is {found!r}: {hint}the structures are {', '.join(structure_types())}"
        ) from None
    return found


@cache
def scores_of(text: str) -> tuple[str, ...]:
    """The files of ``datasets/scores`` that judge predictions for a data set, found without building it.

    The module names them in ``SCORES``, or in a function ``scores`` of its options; else there are none. A file of
    costs adds one.

    Raises:
        UserError: as ``parse``, or there is no such file.
    """
    found, known = _declared(text, "SCORES", ()), _stems("datasets/scores")
    file = modules.shown(_file(parse(text).name))
    if not isinstance(found, tuple):
        raise UserError(f"{file}: SCORES must be a tuple of words, not {found!r}")
    for each in found:
        if each not in known:
            hint = meant(str(each), known)
            raise UserError(f"{file}: SCORES has {each!r}: {hint}the scores are {', '.join(known)}")
    return found if parse(text).options.get("costs") in (None, CHUNKS) else (*found, "costs")


def _declared(text: str, name: str, default: Any = None) -> Any:
    """What a data set's module says in a constant, or in a function of its options, which has small letters."""
    said = module(parse(text).name)
    function = getattr(said, name.lower(), None)
    return function(**load_options(text)) if function else getattr(said, name, default)


def small() -> dict[str, str]:
    """Structure -> a small data set of it, with the options in ``SMALL`` of its module; not of all structures."""
    given = ((name, getattr(module(name), "SMALL", ())) for name in names())
    texts = [f"{name}:{options}".removesuffix(":") for name, each in given for options in each]
    return {structure(text): text for text in texts}


def check_test(text: str, test: str | None) -> None:
    """See that a data set takes the user's test file, if there is one.

    Raises:
        UserError: It has its own test split; or as ``parse``.
    """
    name, _, path = parse(text)
    if test is not None and path is None:
        raise UserError(f"data set {name} has its own test split: it takes no test file {test!r}")


def build(text: str, test: str | None = None) -> "Problem":
    """Build the problem of a data set. If it reads a file, ``test`` is the user's test file.

    Raises:
        UserError: As ``parse``. Also a test file for a data set with its own test split, a source that cannot be
            reached, or a malformed file.
    """
    name, options, path = parse(text)
    check_test(text, test)
    chosen = module(name)
    given = _own(options) if path is None else _own(options) | {"path": path, "test": test}
    with Fetcher(f"licence of {name}: {chosen.LICENCE}") as files:
        try:
            made = chosen.load(files, **given)
        except (UserError, ModuleNotFoundError):
            raise
        except Exception as error:  # of any kind: the module may be anybody's
            raise UserError(f"data set {name} failed with {modules.failure(error, _file(name))}") from error
    _check_made(text, made)
    made = made._replace(scores=scores_of(text))
    if validates(text):
        from structbench.datasets.problems import validation

        def other(file: str) -> "Problem":
            with Fetcher(f"licence of {name}: {chosen.LICENCE}") as files:
                return chosen.load(files, **_own(options), path=path, test=file)

        made = validation.with_validation(made, options["validation"], None if path is None else other)
    if options.get("costs") is None:
        return made
    from structbench.datasets.problems.costs import with_costs

    return with_costs(made, None if options["costs"] == CHUNKS else options["costs"])


def load_options(text: str) -> dict[str, Any]:
    """The options of a data set's ``load``, with its defaults.

    Raises:
        UserError: As ``parse``.
    """
    name, options, _ = parse(text)
    return defaults(module(name).load) | _own(options)


def _own(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a data set without those that every one has."""
    return {key: value for key, value in options.items() if key not in defaults(_shared)}


def _check_made(text: str, made: Any) -> None:
    """See that a data set's module made what it says.

    Raises:
        UserError: It is no problem, or one of another structure.
    """
    from structbench.datasets.problems.problem import Problem

    file = modules.shown(_file(parse(text).name))
    if not isinstance(made, Problem):
        raise UserError(f"{file}: load must return a Problem, not {type(made).__name__}")
    for split in (made.train, made.test):
        found = getattr(split, "id", type(split).__name__)
        if split is not None and found != structure(text):
            raise UserError(
                f"{file}: load returned a problem of the structure {found}, but STRUCTURE says {structure(text)}"
            )
        for place in _not_finite(split):
            raise UserError(f"{file}: load returned features that are not finite numbers: see {place}")
    classes = getattr(made.train, "num_labels", 0)
    if not made.tags and len(made.labels) < classes:
        raise UserError(f"{file}: load named {len(made.labels)} labels ({', '.join(made.labels)}) for {classes}")


def _not_finite(split: Any) -> Iterator[str]:
    """Where features of a split are no finite numbers."""
    import numpy as np

    from structbench.algorithms.structures.features import Features

    for name, value in zip(getattr(split, "_fields", ()), split or (), strict=False):
        for stored in (value.dense, value.values) if isinstance(value, Features) else ():
            for at in np.argwhere(~np.isfinite(stored))[:1]:
                yield f"row {at[0]} of {name}" if stored.ndim == 2 else f"value {at[0]} of {name}"


def _stems(room: str) -> list[str]:
    return [file.stem for file in own_folders.files(room, "*.py") if file.stem != "__init__"]


def reads_a_file(load: Callable) -> bool:
    return "path" in inspect.signature(load).parameters


def _path_and_options(text: str, load: Callable) -> tuple[str, str]:
    """Split a path and its ``option=value`` pieces. A path may have commas and equals signs of its own."""
    names = "|".join(name for name in defaults(load) | defaults(_shared) if name != "test")
    found = re.fullmatch(rf"(.*?)((?:,(?:{names})=[^,]*)*)", text)
    return (found[1], found[2]) if found else (text, "")


def _file(name: str) -> Path:
    known = names()
    if name not in known:
        raise UserError(_unknown(name, known))
    return own_folders.place(Path("datasets", f"{name.replace('-', '_')}.py"))


def _unknown(name: str, known: list[str]) -> str:
    """What to say of a name that no data set has. It may be a file's name."""
    hint = meant(name, known)
    if os.path.exists(name) or os.sep in name or ("." in name and not hint):
        return (
            f"{name!r} is a file, not a data set: write FORMAT:{name}, where FORMAT is one of "
            f"{', '.join(formats())} (docs/how-to/your-data.md)"
        )
    listed = f"`python -m bench list datasets` names all {len(known)}{own_folders.hint()}"
    return f"unknown data set {name!r}: {hint}{listed}"
