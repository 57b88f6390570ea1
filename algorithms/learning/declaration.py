"""What an algorithm declares about itself: ``@algorithm(...)`` above its ``solve``.

Listings, plans, figures and tests read it. A mistake in it is an error when the file is imported.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from structbench.algorithms.losses import family
from structbench.algorithms.runtime import modules
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import Given, defaults, typed_options
from structbench.algorithms.structures.compiled import OPERATIONS

NO_LOSS = "none"  # of algorithms that minimise no objective, such as mistake-driven ones
NO_PENALTY = "none"
PENALTIES = ("l2", "elastic-A", "l1", "l1-ball", "l1-squared", "laplace-LAMBDA", NO_PENALTY)
NUMBERED = {"elastic": "elastic-A", "laplace": "laplace-LAMBDA"}  # of PENALTIES those whose names have a number
LOSSES = (*family.PROPERTIES, NO_LOSS)
TAKEN = ("problem", "objective", "rng")  # what every solve is given


def numberless(penalty: str) -> str:
    """The name of a penalty with a word in place of its number: ``elastic-A`` of ``elastic-0.1``."""
    return NUMBERED.get(penalty.partition("-")[0], penalty)


Choices = dict[str, tuple[Any, ...]]  # some values of some parameters
When = bool | Choices  # always, never, or only with these values of all these parameters


class Promises(NamedTuple):
    """What tests hold an algorithm to.

    ``monotone``: its dual never falls. ``linear``: it converges linearly. ``optimal``: it meets the optimum.
    """

    monotone: When = False
    linear: When = True
    optimal: When = True


class Settings(NamedTuple):
    """Parameters with which figures, contests and tests run an algorithm.

    ``figures``: for the figure of all methods, maybe by loss. ``contests``: for timing against other programs.
    ``tests``: tried beside the defaults. ``every_test``: what all tests need.
    """

    figures: tuple[Given, ...] | dict[str, tuple[Given, ...]] = ({},)
    contests: tuple[Given, ...] = ()
    tests: tuple[Given, ...] = ()
    every_test: Given = {}  # noqa: RUF012 - nobody writes to it


@dataclass(kw_only=True)
class Declaration:
    """What an algorithm declares, and the ``parameters`` of its ``solve`` with their defaults."""

    needs: Any  # the capabilities that it asks of a structure, or a function of its parameters that returns them
    label: str | None = None  # its name in figures; by default its id
    loss: str = "any"  # what it asks of a loss: one of ``LOSSES``, none if it has no objective
    loss_with: dict[str, dict[Any, str]] = field(default_factory=dict)  # {parameter: {value: what it asks then}}
    penalties: tuple[str, ...] = ()  # the default first; if not given, l2, or none if it has no objective
    random: When = True  # whether it draws at random, so that seeds matter
    threads: bool | None = None  # whether several threads make it faster; by default, if it has no packages
    loss_factors: bool = False  # whether it minimises losses with factors (``learning.loss_factors``)
    warm_start: bool = False  # whether it goes on from an earlier fit (``Objective.start_from``)
    non_negative: bool = False  # whether it takes only features of 0 or more
    promises: Promises = field(default_factory=Promises)
    settings: Settings = field(default_factory=Settings)
    packages: dict[str, str] = field(default_factory=dict)  # of others, {name of the import: name of the package}
    check: Callable[..., None] | None = None  # (split, **parameters): a UserError if the split lacks something
    predict: Callable[..., Any] | None = None  # (split, weights, **parameters): if not by exact inference
    warm: Callable[[Any], None] | None = None  # (objective): calls the kernels that a run reaches only late
    black_box: str = ""  # of a program that is started from outside: what a point of its curve is; never warmed up
    reads_names: bool = False  # whether it needs the problem's vocabulary
    files: tuple[str, ...] = ()  # names of files beside its own that it reads: a run of other ones is stale
    references: tuple[str, ...] = ()  # keys of what `bench cite` prints, in references.bib (``sharing.citations``)
    parameters: Given = field(init=False)

    def __call__(self, solve: Callable) -> Callable:
        """Declare the ``solve`` below to be the algorithm that its file is named for.

        Raises:
            UserError: one of the arguments is wrong; says file and line.
        """
        code = solve.__code__
        self.penalties = self.penalties or ((NO_PENALTY,) if self.loss == NO_LOSS else ("l2",))
        try:
            self.parameters = _parameters(solve)
            _check(self, choices(solve))
            beside = Path(code.co_filename).parent
            if lost := [name for name in _tuple("files", self.files) if not (beside / name).is_file()]:
                raise _Wrong(f"files has {lost[0]!r}: there is no such file in {beside}")
            _tuple("references", self.references)
        except _Wrong as wrong:
            raise UserError(f"{modules.shown(code.co_filename)}:{code.co_firstlineno}: {wrong}") from None
        if self.threads is None:
            self.threads = not self.packages
        if not callable(asked := self.needs):
            self.needs = lambda **_: asked
        vars(solve)["declaration"] = self
        return solve


algorithm = Declaration  # what stands above ``solve``


class _Wrong(Exception):
    """A mistake in a declaration, as a sentence."""


def _parameters(solve: Callable) -> Given:
    """The keyword-only arguments of ``solve`` with their defaults."""
    arguments = inspect.signature(solve).parameters.values()
    if tuple(a.name for a in arguments if a.kind is not a.KEYWORD_ONLY) != TAKEN:
        raise _Wrong(f"solve takes ({', '.join(TAKEN)}, *, parameter=default, ...)")
    found = defaults(solve)
    for argument in arguments:
        if argument.kind is argument.KEYWORD_ONLY and argument.name not in found:
            raise _Wrong(f"the parameter {argument.name} has no default")
        if argument.kind is argument.KEYWORD_ONLY and argument.annotation is argument.empty:
            raise _Wrong(f"the parameter {argument.name} has no type, such as {argument.name}: float = 1.0")
    for name, default in found.items():
        try:
            typed_options(solve, {name: default}, "the default")
        except UserError as error:
            raise _Wrong(str(error)) from None
        except (KeyError, ValueError):
            raise _Wrong(f"the bounds of {name} must be such as '> 0' or '<= 1'") from None
    return found


def choices(solve: Callable) -> Choices:
    """The possible values of the parameters that have few: words, or true and false."""
    hints = get_type_hints(solve)
    return {
        name: (False, True) if hint is bool else get_args(hint)
        for name, hint in hints.items()
        if hint is bool or get_origin(hint) is Literal
    }


FLAGS = ("threads", "non_negative", "loss_factors", "warm_start")
TYPES = {"label": str, "random": bool | dict, **dict.fromkeys(FLAGS, bool), "packages": dict}


def _check(made: Declaration, choices: Choices) -> None:
    for what, kind in TYPES.items():
        if not isinstance(given := getattr(made, what), kind) and given is not None:
            words = str(getattr(kind, "__name__", kind)).replace(" | ", " or ")
            raise _Wrong(f"{what} must be {words}, not {given!r}")
    needs = [made.needs] if not callable(made.needs) else _asked(made, choices)
    for asked in needs:
        _known("needs", _tuple("needs", asked), _capabilities(asked))
    _known("loss", (made.loss, *(each for values in made.loss_with.values() for each in values.values())), LOSSES)
    _known("penalties", _tuple("penalties", made.penalties), PENALTIES)
    whens = {"random": made.random, **{f"promises.{key}": when for key, when in made.promises._asdict().items()}}
    for what, when in ({"loss_with": made.loss_with} | whens).items():
        if not isinstance(when, bool):
            _known(what, when, made.parameters)
            for parameter, values in when.items():
                _known(f"{what} of {parameter}", values, choices.get(parameter, (*values,)))
    figures = made.settings.figures
    listed = [*figures.values()] if isinstance(figures, dict) else [figures]
    for given in (*(each for some in listed for each in some), *made.settings.contests, *made.settings.tests):
        _known("settings", given, made.parameters)
    _known("settings.every_test", made.settings.every_test, made.parameters)


def _asked(made: Declaration, choices: Choices) -> list[Any]:
    """What ``needs`` returns for the defaults, and for each other choice of a parameter that has few."""
    usual = made.parameters
    changed = [{name: value} for name, values in choices.items() if name in usual for value in values]
    try:
        return [made.needs(**usual | each) for each in ({}, *changed)]
    except Exception as error:  # of any kind: the function may be anybody's
        raise _Wrong(f"needs failed with {type(error).__name__}: {error}") from None


def _capabilities(asked: Iterable[str]) -> list[str]:
    """All capabilities. Rooms that declare some are imported only if one of these is unknown."""
    if not {*asked} <= {each.capability for each in OPERATIONS.values()}:
        for module in ("structures.interface", "search.problem"):
            modules.imported(f"structbench.algorithms.{module}")
    return sorted({each.capability for each in OPERATIONS.values()})


def _tuple(what: str, given: Any) -> tuple[str, ...]:
    if not isinstance(given, tuple) or not all(isinstance(each, str) for each in given):
        raise _Wrong(f"{what} must be a tuple of words, not {given!r}")
    return given


def _known(what: str, given: Iterable[Any], known: Iterable[Any]) -> None:
    names = [*known]
    for each in given:
        if each not in names:
            hint = meant(str(each), map(str, names))
            raise _Wrong(f"{what} has {each!r}: {hint}there are {', '.join(map(str, names)) or 'none'}")
