"""The parser of the command line: help in groups, and a sentence for each mistake."""

import argparse
import sys
from typing import NoReturn

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.verbs.table import GONE, GROUPS, JOBS, VERBS

PROGRAM = "python -m bench"
ABOUT = """usage: python -m bench VERB ...

Compare the algorithms that learn structured predictors. `make run` runs a whole config; a verb does one thing.
`python -m bench VERB --help` has a verb's arguments and more examples.
"""
MEANINGS = """RUN        its folder, its key (the folder's name in results/runs), or HOST:KEY of a merged one
CONFIG     a config's file, or its name in config/; if not given, config/quick.yaml, and for export all runs
--results  the folder of all results; if not given, results
--with     a folder of yours with algorithms, data sets and so on: docs/how-to/own-folder.md
--json     one JSON document on stdout, in every verb that prints tables
exit code  0 all is well, 1 something failed, 2 a mistake of yours, 130 interrupted
"""


class Parser(argparse.ArgumentParser):
    """A parser that raises a UserError for a mistake."""

    def error(self, message: str) -> NoReturn:
        """Raise a UserError in place of ending the process."""
        raise UserError(f"{message}; see `{self.prog} --help`")

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[override] - as argparse has it
        """As argparse's own."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            hint = meant(unknown[0].partition("=")[0], self._option_string_actions)
            raise UserError(f"unknown argument {unknown[0]!r}: {hint}see `{self.prog} --help`")
        return found, unknown


class _AllVerbs(Parser):
    """The parser of all verbs, whose help lists them in groups."""

    def format_help(self) -> str:
        lines = [ABOUT]
        for group in GROUPS:
            lines.append(group)
            members = {name: verb for name, verb in VERBS.items() if verb.group == group}
            if group == JOBS:
                lines.append(f"  {', '.join(members)}")
            for name, verb in members.items() if group != JOBS else ():
                lines += [f"  {name:<8}  {verb.about}", f"            {PROGRAM} {verb.examples[0]}"]
            lines.append("")
        return "\n".join([*lines, MEANINGS])


def parser() -> argparse.ArgumentParser:
    """The parser of all verbs."""
    top = _AllVerbs(prog=PROGRAM, usage=argparse.SUPPRESS)
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True, parser_class=Parser)
    for name, verb in VERBS.items():
        made = verbs.add_parser(
            name,
            prog=f"{PROGRAM} {name}",
            description=f"{verb.about[0].upper()}{verb.about[1:]}.",
            epilog="\n  ".join(["examples:"] + [f"{PROGRAM} {each}" for each in verb.examples]),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if verb.group != JOBS:
            made.add_argument("--results", metavar="DIR", help="the folder of all results (default: results)")
            about = "a folder of yours with algorithms/, datasets/, structures/, losses/ or papers/"
            made.add_argument("--with", action="append", metavar="DIR", help=about)
        verb.arguments(made)
    return top


def parse(words: list[str] | None) -> argparse.Namespace:
    """The verb and its arguments, of these words or of the command line; without any, help.

    Raises:
        UserError: A verb or an argument is unknown, missing or wrong.
    """
    words = sys.argv[1:] if words is None else words
    if words and words[0] in GONE:
        raise UserError(f"there is no verb {words[0]!r} any more: {GONE[words[0]]}")
    if words and not words[0].startswith("-") and words[0] not in VERBS:
        public = [name for name, verb in VERBS.items() if verb.group != JOBS]
        raise UserError(f"unknown verb {words[0]!r}: {meant(words[0], public)}`{PROGRAM} --help` lists all")
    return parser().parse_args(words or ["--help"])
