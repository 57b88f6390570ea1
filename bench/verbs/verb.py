"""Declare a verb (a subcommand of the command line) by a decorator, with its arguments and examples."""

import argparse
import os
from collections.abc import Callable
from typing import Any, NamedTuple

Argument = Callable[[argparse._ActionsContainer], object]  # adds itself to a parser, or to a group of one
Action = Callable[[argparse.Namespace], int]

PATHS = {
    "DIR",
    "FILE",
    "PATH",
    "WEIGHTS",
    "RUN",
    "RUN|MODEL",
}  # the metavars of arguments that are, or may be, paths
USUAL_CONFIG = "config/quick.yaml"
A_CONFIG = f"YAML file, or its name in config/ (default: {USUAL_CONFIG})"
A_RUN = (
    "a run: its folder, its key (the folder's name in results/runs), the beginning of a key that no other has, "
    "HOST:KEY of a merged one, or CONFIG, for the best run of a config, CONFIG:2 for the second"
)


class Verb(NamedTuple):
    """A verb. ``examples`` stand after ``python -m bench``; the first is in the list of all verbs."""

    do: Action
    arguments: tuple[Argument, ...]
    examples: tuple[str, ...]

    @property
    def about(self) -> str:
        """What it does: the first sentence of its function's docstring."""
        return " ".join((self.do.__doc__ or "").partition("\n\n")[0].split())


DECLARED: dict[str, Verb] = {}


def verb(*arguments: Argument, examples: tuple[str, ...] = ()) -> Callable[[Action], Action]:
    """Declare the verb that ``do_VERB`` does. The first sentence of its docstring is the verb's help."""

    def declare(do: Action) -> Action:
        DECLARED[do.__name__.removeprefix("do_")] = Verb(do, arguments, examples)
        return do

    return declare


def argument(*names: str, **options: Any) -> Argument:
    """An argument, given as to ``ArgumentParser.add_argument``. In paths ``~`` is the user's home."""
    if options.get("metavar") in PATHS:
        options = {"type": os.path.expanduser} | options
    return lambda parser: parser.add_argument(*names, **options)


def flag(name: str, about: str) -> Argument:
    """An option without a value."""
    return argument(name, action="store_true", help=about)


def one_of(*arguments: Argument) -> Argument:
    """Arguments of which exactly one is given."""

    def add(parser: argparse._ActionsContainer) -> None:
        group = parser.add_mutually_exclusive_group(required=True)
        for each in arguments:
            each(group)

    return add


CONFIG = argument("--config", metavar="CONFIG", default=USUAL_CONFIG, help=A_CONFIG)
THE_CONFIG = argument("config", nargs="?", metavar="CONFIG", default=USUAL_CONFIG, help=A_CONFIG)
JSON = flag("--json", "print one JSON document instead of tables")
STALE = flag("--stale", "with runs of other programs, data or settings, marked")
BESIDE = "beside published runs of the same problem: of this paper, or of all"
PUBLISHED = argument("--published", nargs="?", const="all", metavar="PAPER", help=BESIDE)
