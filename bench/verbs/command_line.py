"""The command line: which verbs there are, help in groups, and a sentence for each mistake."""

import argparse
import importlib
import itertools
import re
import sys
from typing import NoReturn

from structbench.algorithms.runtime.commands import PROGRAM, as_called
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.verbs.verb import DECLARED, Verb

JOBS = "jobs of the workflow"
GROUPS = {  # as the help has them: verb -> the module that declares it, imported when the verb is called
    "run": {"run": "running", "path": "running", "warm": "warming"},
    "look": {
        "show": "running", "mistakes": "mistakes", "compare": "sharing", "status": "states", "best": "best",
        "figures": "views", "plot": "plotting", "claims": "claims", "report": "views", "track": "views",
    },
    "use": {"predict": "predicting", "judge": "judging"},
    "data": {"list": "listing", "data": "data"},
    "your own": {"new": "making", "check": "making"},
    "disk": {"clean": "states"},
    "share": {
        "export": "sharing", "publish": "sharing", "merge": "sharing", "verify": "verifying", "cite": "citing",
        "archive": "citing",
    },
    "measure": {"measure": "measuring"},
    JOBS: {
        **dict.fromkeys(("problem", "batch", "breakdown", "outcome", "addresses"), "jobs"), "start": "starting"
    },
}  # fmt: skip
MODULES = {name: module for modules in GROUPS.values() for name, module in modules.items()}
GONE = {  # verbs, and arguments of verbs -> what to do instead
    "unlock": "call the same command again: it takes away what a killed workflow left",
    "list --page": "`make docs` makes the reference from docstrings, `bench publish --check` docs/answers.md",
    "publish --second": "`python -m bench claims --results DIR` judges by the runs of another machine",
    "report --one-file": "send the report's folder, which needs no other file and no network",
}
OF_DATA = {  # options that people look for here
    "--validation": "write --data NAME:OPTIONS,validation=0.1, or FORMAT:PATH,validation=0.1",
    "--costs": "write --data NAME:costs=share, or FORMAT:PATH,costs=share",
}
ABOUT = """usage: python -m bench VERB ...

Compare the algorithms that learn structured predictors. `make run` runs a whole config; a verb does one thing.
`python -m bench VERB --help` has a verb's arguments and more examples.
"""
MEANINGS = """RUN        its folder, its key (the folder's name in results/runs), or HOST:KEY of a merged one;
           or the best run of a config, CONFIG, or another of its ranking, CONFIG:2
CONFIG     a config's file, or its name in config/; if not given, config/quick.yaml (measure: config/measure.yaml;
           export: all runs)
--results  the folder of all results; if not given, the config's, else STRUCTBENCH_RESULTS, else results
--with     a folder of yours with algorithms, data sets and so on: docs/how-to/own-folder.md
--json     one JSON document on stdout, in every verb that prints tables, but verify
exit code  0 all is well, 1 something failed, 2 a mistake of yours, 130 interrupted
"""


class Parser(argparse.ArgumentParser):
    """A parser that raises a UserError for a mistake."""

    def error(self, message: str) -> NoReturn:
        """Raise a UserError in place of ending the process."""
        said = _plain(message)
        raise UserError(f"{said}{' ' if said.endswith('?') else '; '}see `{self.prog} --help`")

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[override] - as argparse has it
        """As argparse's own, but for unknown options, which come before what is missing: a slip explains that."""
        words = itertools.takewhile(lambda word: word != "--", sys.argv[1:] if args is None else args)
        for word in words:
            is_option = word.startswith("--") and " " not in word
            if is_option and word.partition("=")[0] not in self._option_string_actions:
                self._refuse(word)
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self._refuse(unknown[0])
        return found, unknown

    def _refuse(self, word: str) -> NoReturn:
        """Raise a UserError that says what was meant by an unknown word."""
        name = word.partition("=")[0]
        if gone := GONE.get(f"{self.prog.rpartition(' ')[2]} {word}"):
            raise UserError(f"there is no {word} any more: {gone}")
        if name in OF_DATA and "--data" in self._option_string_actions:
            raise UserError(f"{word} is an option of the data: {OF_DATA[name]}")
        hint = meant(name, self._option_string_actions)
        raise UserError(f"unknown argument {word!r}: {hint}see `{self.prog} --help`")


def _plain(message: str) -> str:
    """A message of argparse's about a value, in the words of all others."""
    if found := re.fullmatch(r"argument (\S+): invalid (float|int) value: (.*)", message):
        return f"{found[1]} must be a {'whole ' if found[2] == 'int' else ''}number, not {found[3]}"
    if found := re.fullmatch(r"argument (\S+): invalid choice: '(.*)' \(choose from (.*)\)", message):
        known = found[3].replace("'", "").split(", ")
        hint = meant(found[2], known).strip()
        return f"{found[1]} must be one of {', '.join(known)}, not {found[2]!r}{hint and ': '}{hint}"
    return message


def _is_utf8(word: str) -> bool:
    try:
        return bool(word.encode()) or not word
    except UnicodeEncodeError:
        return False


def overview() -> str:
    """The help that lists all verbs in groups."""
    lines = [ABOUT]
    for group, modules in GROUPS.items():
        lines.append(group)
        if group == JOBS:
            lines.append(f"  {', '.join(modules)}")
        for name in modules if group != JOBS else ():
            found = declared(name)
            about = f"{found.about[0].lower()}{found.about[1:].removesuffix('.')}"
            lines += [f"  {name:<8}  {about}", f"            {PROGRAM} {found.examples[0]}"]
        lines.append("")
    return "\n".join([*lines, MEANINGS])


def declared(name: str) -> Verb:
    """A verb, from its module, which is imported now."""
    importlib.import_module(f"structbench.bench.verbs.{MODULES[name]}")
    return DECLARED[name]


def parser(name: str) -> Parser:
    """The parser of a verb's arguments."""
    verb = declared(name)
    made = Parser(
        prog=as_called(f"{PROGRAM} {name}"),
        description=verb.about,
        epilog="\n  ".join(["examples:"] + [as_called(f"{PROGRAM} {each}") for each in verb.examples]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # `--c 1` is no `--cv 1`
    )
    made.set_defaults(do=verb.do)
    if name not in GROUPS[JOBS]:
        usual = "the config's, else STRUCTBENCH_RESULTS, else results"
        made.add_argument("--results", metavar="DIR", help=f"the folder of all results (default: {usual})")
        about = "a folder of yours with algorithms/, datasets/, structures/, losses/ or papers/"
        made.add_argument("--with", action="append", metavar="DIR", help=about)
    for add in verb.arguments:
        add(made)
    return made


def parse_words(words: list[str] | None) -> argparse.Namespace:
    """The arguments of a verb, of these words or of the command line, and the function ``do`` that does it.

    Without a verb it prints the help.

    Raises:
        UserError: A verb or an argument is unknown, missing or wrong.
    """
    name, *words = (sys.argv[1:] if words is None else words) or ["--help"]
    if name in ("-h", "--help"):
        print(as_called(overview()), end="")
        sys.exit(0)
    if name in GONE:
        raise UserError(f"there is no verb {name!r} any more: {GONE[name]}")
    if name not in MODULES:
        public = [each for group, modules in GROUPS.items() for each in modules if group != JOBS]
        raise UserError(f"unknown verb {name!r}: {meant(name, public)}`{PROGRAM} --help` lists all")
    if "" in words and name not in GROUPS[JOBS]:
        raise UserError("an argument is empty: is a variable of the shell unset?")
    if odd := next((word for word in words if not _is_utf8(word)), None):
        raise UserError(f"{odd!r} is not UTF-8: rename the file, or set LC_ALL=C.UTF-8 if it is")
    return parser(name).parse_args(words)
