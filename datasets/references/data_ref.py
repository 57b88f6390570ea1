"""References to data sets with options, such as ``conll2000:sentences=500``; only this module parses them.

A data set is written as its name, maybe with options (``conll2000:sentences=500``). If it reads the user's own
file, the path follows the name (``svmlight:PATH``), and options follow the path
(``conll2003:PATH,sentences=500``). Each takes ``costs`` and ``validation``, too: see ``problems.costs`` and
``problems.validation``.
"""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType
from typing import Any

from structbench.algorithms.runtime import modules as files_of_modules
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import Given, defaults, split_options, typed_options
from structbench.datasets.references import file_names, modules

FOLD = r"([0-9]+)of([0-9]+)(?:seed([0-9]+))?"  # which fold is held out, of how many, and the seed that deals them
NUMBER = r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?"  # a share in place of a file
CHUNKS, SHARE = "chunks", "share"  # costs that no file says
WORDS = {"costs": f"{CHUNKS}, {SHARE}", "validation": "a share such as 0.1, a fold such as 1of5"}


@dataclass(frozen=True, order=True)
class DataRef:
    """A data set with its options; ``data_ref`` makes it from a user's text.

    Attributes:
        text: The one way to write it, with sorted options, without defaults, and with absolute paths.

    All else raises UserError if today's programs do not know it: it may come from a file of earlier ones.
    """

    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def name(self) -> str:
        """The name of the data set, without options."""
        return self.text.partition(":")[0]

    @property
    def options(self) -> Given:
        """The options that are given, in their types."""
        return self._given[0]

    @property
    def path(self) -> str | None:
        """The user's file or folder that it reads; None if it reads none."""
        return self._given[1]

    @cached_property
    def _given(self) -> tuple[Given, str | None]:
        """Options and path."""
        load, rest = self.module.load, self.text.partition(":")[2]
        own, shared = defaults(load), defaults(_shared)
        path = None
        if modules.reads_a_file(self.name):
            named = "|".join(name for name in (*own, *shared) if name != "test")
            # a path may have commas and = of its own
            found = re.fullmatch(rf"(.*?)((?:,(?:{named})=[^,]*)*)", rest)
            path, rest = (found[1], found[2]) if found else (rest, "")
            if not path:
                raise UserError(f"data set {self.name} reads a file of yours: write {self.name}:PATH")
        try:
            given = split_options(rest)
        except UserError as error:
            comma = "a path of costs must have no comma: " if "costs=" in rest else ""
            raise UserError(f"{comma}{error}") from None
        known, what = own | shared, f"data set {self.name}"
        for key in given:
            if key not in known:
                raise UserError(f"{what} has no option {key!r}: {meant(key, known)}it has {', '.join(known)}")
        options = typed_options(load, {key: given[key] for key in given if key in own}, what)
        options |= typed_options(_shared, {key: given[key] for key in given if key in shared}, what)
        if empty := next((key for key in shared if options.get(key) == ""), ""):
            raise UserError(f"{empty} is empty: give {WORDS[empty]} or a file, or leave it out")
        share = options.get("validation")
        if share is not None and re.fullmatch(NUMBER, share):
            if not 0 < float(share) < 1:
                raise UserError(f"validation must be a share between 0 and 1, or a file, not {share}")
            options["validation"] = f"{float(share):g}"
        return options, path

    @property
    def module(self) -> ModuleType:
        """The data set's module."""
        return modules.module(self.name)

    @property
    def load_options(self) -> Given:
        """The options of the module's ``load``, with its defaults."""
        own = defaults(self.module.load)
        return own | {key: value for key, value in self.options.items() if key in own}

    @property
    def files(self) -> dict[str, str]:
        """The options that are files of the user's: shared ones, and those that the module names in ``PATHS``."""
        named = (*getattr(self.module, "PATHS", ()), *defaults(_shared))
        return {key: path for key in named if (path := self.options.get(key)) and not _is_word(key, path)}

    @property
    def paths(self) -> list[str]:
        """All paths of the user's."""
        return [*filter(None, [self.path]), *self.files.values()]

    @cached_property
    def key(self) -> str:
        """What names of runs call it: with short names of the user's files."""
        return self.text and self._written(file_names.short)

    @property
    def shown(self) -> str:
        """What figures and tables call it: with the stems of the user's files."""
        return self._written(file_names.stem)

    @property
    def title(self) -> str:
        """What a person calls it: ``MNIST digits, train 2,000``, or ``train.txt, validation 0.1``."""
        try:
            options, path = self._given
        except UserError:
            return self.text
        options = options | {key: os.path.basename(file) for key, file in self.files.items()}
        name = os.path.basename(path or "") or re.split("[:.,]", modules.describe(self.name))[0]
        said = (f"{key} {f'{value:,}' if type(value) is int else value}" for key, value in sorted(options.items()))
        title = ", ".join([name, *said]).replace("_", " ")
        return re.sub(f"validation {FOLD}", r"fold \1 of \2", title)

    @property
    def validates(self) -> bool:
        """Whether it has a validation split."""
        return "validation" in self.options

    @property
    def folds(self) -> int:
        """Of how many folds of the training examples one is held out; 0 if none is."""
        found = re.fullmatch(FOLD, self.options.get("validation") or "")
        return int(found[2]) if found else 0

    @property
    def whole(self) -> "DataRef":
        """This data set without the fold that is held out, if one is."""
        return self.having(validation=None) if self.folds else self

    @cached_property
    def structure(self) -> str:
        """The id of its structure: of ``STRUCTURE`` of its module, or a function ``structure`` of its options."""
        from structbench.algorithms.structures.structure_types import structure_type, structure_types

        found = self._declared("STRUCTURE")
        try:
            structure_type(str(found))
        except KeyError:
            hint, known = meant(str(found), structure_types()), ", ".join(structure_types())
            raise UserError(f"{self.file}: STRUCTURE is {found!r}: {hint}the structures are {known}") from None
        return found

    @cached_property
    def scores(self) -> tuple[str, ...]:
        """The files of ``datasets/scores`` that judge predictions for it.

        They are of ``SCORES`` of its module, or a function ``scores`` of its options; else there are none. Costs
        of labels add one.
        """
        found, known = self._declared("SCORES", ()), modules.stems("datasets/scores")
        if not isinstance(found, tuple):
            raise UserError(f"{self.file}: SCORES must be a tuple of words, not {found!r}")
        for each in found:
            if each not in known:
                hint = meant(str(each), known)
                raise UserError(f"{self.file}: SCORES has {each!r}: {hint}the scores are {', '.join(known)}")
        return found if self.options.get("costs") in (None, CHUNKS) else (*found, "costs")

    @property
    def file(self) -> str:
        """The file of its module, as messages show it."""
        return files_of_modules.shown(modules.file_of(self.name))

    def having(self, **options: Any) -> "DataRef":
        """This data set with these options, too."""
        return data_ref(self._text(self.options | options, self.path))

    def check_test(self, test: str | None) -> None:
        """See that it takes the user's test file, if there is one.

        Raises:
            UserError: It has its own test split.
        """
        if test is not None and self.path is None:
            raise UserError(f"data set {self.name} has its own test split: it takes no test file {test!r}")

    def _written(self, rename: Callable[[str], str]) -> str:
        """Its text, with ``rename(path)`` for each path of the user's."""
        options = self.options | {key: rename(file) for key, file in self.files.items()}
        return self._text(options, self.path and rename(self.path))

    def _text(self, options: Given, path: str | None) -> str:
        """The text of this data set with other options and another path."""
        default = defaults(self.module.load) | defaults(_shared)
        given = [f"{key}={value}" for key, value in sorted(options.items()) if value != default.get(key)]
        written = ",".join([*filter(None, [path]), *given])
        return f"{self.name}:{written}" if written else self.name

    def _declared(self, name: str, default: Any = None) -> Any:
        """What its module says in a constant, or in a function of its options, which has small letters."""
        function = getattr(self.module, name.lower(), None)
        return function(**self.load_options) if function else getattr(self.module, name, default)


IN_MEMORY = DataRef("")  # a problem that no data set makes


def _shared(*, costs: str | None = None, validation: str | None = None) -> None:
    """The options that every data set has."""


def _is_word(key: str, value: str) -> bool:
    """Whether the value of an option that may be a file says something else, such as a share."""
    if key == "costs":
        return value in (CHUNKS, SHARE)
    return key == "validation" and re.fullmatch(f"{NUMBER}|{FOLD}", value) is not None


def data_ref(given: str | DataRef) -> DataRef:
    """The data set of a user's text; one that is read already is as it was.

    Raises:
        UserError: The data set, an option or a value is wrong, or the path is missing; says what is right. Or the
            whole path of an option has a comma.
    """
    return given if isinstance(given, DataRef) else _data_ref(given, os.getcwd())


@cache
def _data_ref(text: str, _folder: str) -> DataRef:
    found = DataRef(text)
    for key, file in found.files.items():
        if "," in (path := file_names.absolute(file)):
            raise UserError(f"a path of {key} must have no comma: {path}")
    return stored(found._written(file_names.absolute))


@cache
def stored(text: str) -> DataRef:
    """The data set of a text that a file of ours has."""
    return DataRef(text)


def of_key(key: str, paths: Mapping[str, str]) -> DataRef:
    """The data set of this ``key``; ``paths``: of the user's files, by their short names.

    Raises:
        UserError: As ``data_ref``; or a short name is not known.
    """
    return data_ref(DataRef(key)._written(lambda name: file_names.whole(name, paths)))
