"""What algorithms are called, need, minimise and fit; and the structures and papers that there are.

A module's name is its id, its docstring's first line describes it.
"""

import importlib.util
import sys
from functools import cache
from typing import Any, get_args, get_type_hints

from structbench.algorithms.learning.declaration import NO_LOSS, When
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import OF_ANYBODY, Terminated, UserError
from structbench.algorithms.runtime.options import Given
from structbench.algorithms.structures.compiled import capabilities, kind_of, missing_operations
from structbench.algorithms.structures.structure_types import structure_type, structure_types
from structbench.bench.runs.algorithm_files import YAML, file_of, shown
from structbench.bench.runs.algorithm_module import BLACK_BOXES, algorithms, declaration, parameters, solver

SHOWN = 5  # algorithms that a message names


def needs_of(name: str, params: Given) -> tuple[str, ...]:
    """The capabilities that an algorithm asks of a structure, with these parameters.

    Raises:
        UserError: Its function ``needs`` fails. The sentence has the line.
    """
    try:
        return declaration(name).needs(**(parameters(name) | params))
    except (UserError, Terminated):
        raise
    except OF_ANYBODY as error:  # of any kind: the file may be anybody's
        said = modules.failure(error, own_folders.place(file_of(name)))
        raise UserError(f"needs of {name} failed with {said}") from error


def check_fit(name: str, params: Given, split: Any) -> None:
    """Raise a UserError unless an algorithm can learn a split, by its structure, features and own ``check``."""
    check_structure(name, params, kind_of(split))
    if declaration(name).non_negative:
        from structbench.algorithms.learning.non_negative import require_non_negative

        require_non_negative(split, name)
    if check := declaration(name).check:
        check(split, **(parameters(name) | params))


def check_structure(name: str, params: Given, structure: str | type) -> None:
    """Raise a UserError, which names algorithms that can, unless one can learn a structure, its id or type."""
    kind = structure_type(structure) if isinstance(structure, str) else structure
    missed = lacking(name, params, kind)
    if missed:
        asked = "".join(f", {key}={params[key]}" for key in ("beam", "decode", "kernel") if key in params)
        why = f" ({kind.lacks})" if hasattr(kind, "lacks") else ""
        beams = " (with a number for beam and decode)" if "beam" in params else ""
        some = {each: missing_operations(kind, each) for each in missed}
        why += "".join(f" (of {each} it lacks {', '.join(names)})" for each, names in some.items() if names)
        raise UserError(
            f"{name}{asked} needs {' and '.join(missed)}, which {kind.id} problems do not have"
            f"{why}: {_choice(name, kind.id)}{beams}"
        )


def _choice(name: str, structure: str) -> str:
    """Algorithms to take instead of this one. Those with its losses come first, and of them the fast ones."""
    fit = fitting(structure)
    own = {*losses(name)}
    first = sorted(fit, key=lambda each: (own.isdisjoint(losses(each)), not declaration(each).settings.contests))
    more = len(fit) - SHOWN
    others = f" ({more} more: `python -m bench list algorithms --structure {structure}`)" if more > 0 else ""
    return f"choose from {', '.join(fit[each] for each in first[:SHOWN])}{others}"


def fitting(structure: str) -> dict[str, str]:
    """The algorithms that run on the structure of this id: name -> the name, with the kernel it needs there."""
    return {name: shown for name in algorithms() if (shown := _fitting(name, structure))}


def _fitting(name: str, structure: str) -> str | None:
    """An algorithm as it runs on the structure of this id: with its defaults, or a kernel; None if it does not."""
    if not lacking(name, {}, structure):
        return name
    kernels = get_args(get_type_hints(solver(name))["kernel"]) if "kernel" in parameters(name) else ()
    own = [each for each in kernels if not lacking(name, {"kernel": each}, structure)]
    return f"{name} (kernel={own[0]})" if own else None


def lacking(name: str, params: Given, structure: str | type) -> list[str]:
    """What an algorithm with these parameters needs and the structure of this id, or type, does not have."""
    kind = structure_type(structure) if isinstance(structure, str) else structure
    return [each for each in needs_of(name, params) if each not in capabilities(kind)]


def properties(name: str, params: Given | None = None) -> tuple[str, ...]:
    """What an algorithm asks of a loss with these parameters, or with some: of ``family.PROPERTIES``, or none."""
    usual, changed = declaration(name).loss, declaration(name).loss_with
    if params is None:
        return tuple(dict.fromkeys([usual, *(each for values in changed.values() for each in values.values())]))
    given = parameters(name) | params
    return (next((values[given[key]] for key, values in changed.items() if given[key] in values), usual),)


def minimises(name: str, loss: str, params: Given | None = None) -> bool:
    """Whether an algorithm minimises a loss, with these parameters or some; imports no other loss."""
    asked = properties(name, params)
    if NO_LOSS in (loss, *asked):
        return loss in asked
    return any(family.PROPERTIES[each](_loss(loss)) for each in asked)


def _loss(name: str) -> family.Loss:
    """As ``family.named_loss``, which calls the function of a file that may be anybody's.

    Raises:
        UserError: As there; or the function fails. The sentence has its line.
    """
    try:
        return family.named_loss(name)
    except (UserError, ModuleNotFoundError, Terminated):
        raise
    except OF_ANYBODY as error:  # of any kind: the file may be anybody's
        file = own_folders.place(family.file_of(name))
        raise UserError(f"loss {name} failed with {modules.failure(error, file)}") from error


@cache
def broken_losses() -> dict[str, str]:
    """Name of every loss whose file cannot be imported, or declares something wrong or fails -> a sentence why."""
    found = {}
    for name in family.loss_names():
        try:
            _loss(name.replace(family.TAU, "1"))
        except (UserError, ModuleNotFoundError) as error:
            found[name] = str(error)
    return found


def losses(name: str, params: Given | None = None) -> tuple[str, ...]:
    """The losses that an algorithm minimises, with these parameters or some."""
    if NO_LOSS in properties(name, params):
        return (NO_LOSS,)
    sound = (each for each in family.loss_names() if each not in broken_losses())
    return tuple(each for each in sound if minimises(name, each.replace(family.TAU, "1"), params))


def settings_for(name: str, loss: str) -> str:
    """Parameters with which an algorithm minimises a loss, such as ``method=ap, pa, arow``; empty if none."""
    found = []
    for parameter in declaration(name).loss_with:
        values = get_args(get_type_hints(solver(name))[parameter])
        fit = [value for value in values if minimises(name, loss, {parameter: value})]
        found += [f"{parameter}={', '.join(fit)}"] if fit else []
    return "; ".join(found)


def penalties(name: str) -> tuple[str, ...]:
    """The penalties that an algorithm minimises, the default first."""
    return declaration(name).penalties


def label(name: str) -> str:
    """What figures call an algorithm."""
    return declaration(name).label or name


def draws(name: str, params: Given) -> bool:
    """Whether an algorithm draws at random with these parameters, so that seeds matter."""
    return holds(name, declaration(name).random, params)


def holds(name: str, when: When, params: Given) -> bool:
    """Whether something that an algorithm declares is true with these parameters."""
    if isinstance(when, bool):
        return when
    given = parameters(name) | params
    return all(given[parameter] in values for parameter, values in when.items())


def compared(name: str, loss: str) -> tuple[Given, ...]:
    """The settings with which an algorithm is compared with all others."""
    settings = declaration(name).settings.figures
    return settings.get(loss, ()) if isinstance(settings, dict) else settings


def missing(name: str) -> str | None:
    """The package that an algorithm needs and that is not installed, if there is one."""
    needed = declaration(name).packages
    box = _box(name)
    if box and "." in box.class_name and ":" not in box.class_name:  # not of a file beside it
        module = box.class_name.partition(".")[0]
        needed = {module: module} | needed
    there = (module in sys.modules or importlib.util.find_spec(module) for module in needed)
    return next((each for each, found in zip(needed.values(), there, strict=True) if not found), None)


def require(name: str) -> None:
    """Raise a UserError unless all that an algorithm needs is installed."""
    if package := missing(name):
        who = f"{name} ({shown(name)})" if own_folders.owner(file_of(name)) else name
        said = f"{who} needs the package {package}, which is not installed: pip install {package}"
        is_of_class = package not in declaration(name).packages.values()
        raise UserError(
            said
            + "; if pip calls it otherwise: packages: {MODULE: NAME}; a class of a file beside it is FILE.py:CLASS"
            * is_of_class
        )


def require_test(name: str, test: Any) -> None:
    """Raise a UserError if an algorithm gives only labels of a test split, which is None."""
    if test is None and (box := _box(name)) and not box.has_weights:
        raise UserError(f"{name} gives only labels of a test split, which these data lack: give a test file")


def _box(name: str) -> Any:
    """The declaration of a black box; None of another algorithm."""
    file = file_of(name)
    return modules.imported(BLACK_BOXES).read_box(own_folders.place(file)) if file.suffix == YAML else None


def structures() -> dict[str, str]:
    """Id -> description of every structure, and what it can do."""
    found = {}
    for name, kind in structure_types().items():
        about = (importlib.import_module(kind.__module__).__doc__ or "").partition("\n")[0].rstrip(".")
        found[name] = f"{about} ({', '.join(sorted(capabilities(kind)))})"
    return found


def papers() -> dict[str, str]:
    """Name -> description of every paper that has runs, figures and claims: a folder of ``bench/papers``."""
    inits = own_folders.files("bench/papers", "*/__init__.py").values()
    return {file.parent.name: modules.about(file.read_text(encoding="utf-8", errors="replace")) for file in inits}
