"""What a black box's file declares, and how values get into its words, such as ``{C/n}``."""

import importlib.metadata
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from structbench.algorithms.learning.objective import Hints, Iterate, Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts

# What may stand in braces, beside parameters. ``C_of_difference``: C, or C / 2 where there are two classes; for a
# class that keeps one vector for two classes, the difference of their weights, as scikit-learn's do.
NUMBERS = ("C", "C_of_difference", "n", "num_labels", "seed", "limit")
FILES = ("train", "test", "labels", "weights", "seconds")
KNOWN = (*NUMBERS, *FILES, "python", "folder")
BRACES = re.compile(r"\{([^{}]*)\}")
STEP = re.compile(r"([*/])")
HOW = {
    "": "each point is a further pass of partial_fit; a class without it has one point",
    "partial_fit": "each point is a further pass of partial_fit",
    "restarts": "each point is a warm restart from the one before",
    "limits": "each point is a run of its own from the start, with a higher limit, timed by itself",
    "one": "its only run gives one point",
}


class Box(NamedTuple):
    """The keys of the file: either ``class_name`` or ``command``. ``reads``: a format, rows or sequences."""

    file: Path
    about: str
    label: str | None
    class_name: str
    command: tuple[str, ...]
    reads: str
    minimises: str
    arguments: dict[str, Any]
    parameters: dict[str, Any]
    curve: str
    packages: dict[str, str]
    time_limit: float

    @property
    def names(self) -> set[str]:
        """All that stands in braces."""
        return names_in([*self.command, *(each for each in self.arguments.values() if isinstance(each, str))])

    @property
    def points(self) -> str:
        """How its curve is made: a key of ``HOW``. Empty if the class decides."""
        return self.curve or ("limits" if "limit" in self.names else "one" if self.command else "")

    @property
    def how(self) -> str:
        """The same in words."""
        return HOW[self.points]

    @property
    def notes(self) -> dict[str, float | str]:
        """For the notes of its runs."""
        versions = [f"{each} {importlib.metadata.version(each)}" for each in self.packages.values()]
        said: dict[str, float | str] = {"package": ", ".join(versions)} if versions else {}
        if not self.minimises:
            said["certificate"] = "none: it is judged by its errors alone"
        if self.command:
            said["timed"] = "by itself" if "seconds" in self.names else "from the start to the end of its process"
        return said | {"points": self.how}

    @property
    def name(self) -> str:
        """Its id."""
        return self.file.stem.replace("_", "-")

    def values(self, objective: Objective, seed: int, params: dict[str, Any]) -> dict[str, Any]:
        """What the names in braces stand for, but for the limit and files."""
        split = objective.split
        labels = parts.classes(split) if parts.has(split, parts.decisions) else parts.label_sequences(split)
        C, K = objective.C, labels.num_labels
        given = {"C": C, "C_of_difference": C / 2 if K == 2 else C, "n": parts.num_examples(split)}
        places = {"python": sys.executable, "folder": str(self.file.parent)}
        return params | given | {"num_labels": K, "seed": seed} | places


def names_in(words: Iterable[str]) -> set[str]:
    """The names in the braces of some words."""
    found = (piece.strip() for word in words for each in BRACES.findall(word) for piece in STEP.split(each))
    return {name for name in found if name not in ("*", "/") and not _is_number(name)}


def filled(word: Any, values: dict[str, Any]) -> Any:
    """A word with values in place of braces. If it is nothing but braces, the value itself."""
    if not isinstance(word, str):
        return word
    if whole := BRACES.fullmatch(word):
        return _value(whole[1], values)
    return BRACES.sub(lambda found: str(_value(found[1], values)), word)


def _value(text: str, values: dict[str, Any]) -> Any:
    """The value of a name, or of products and quotients of names and numbers, such as ``C/n``."""
    first, *rest = (piece.strip() for piece in STEP.split(text))
    found = _one(first, values)
    for sign, name in zip(rest[::2], rest[1::2], strict=True):
        by = _one(name, values)
        try:
            found = found * by if sign == "*" else found / by
        except (TypeError, ZeroDivisionError) as error:
            raise UserError(f"{{{text}}} cannot be computed: {error}") from None
    return found


def _one(name: str, values: dict[str, Any]) -> Any:
    if not _is_number(name):
        return values[name]
    return int(name) if name.isdecimal() else float(name)


def _is_number(text: str) -> bool:
    return re.fullmatch(r"\d+(\.\d*)?(e-?\d+)?", text) is not None


def point(
    vector: Any,
    visits: int,
    seconds: tuple[float, float],
    notes: dict[str, float | str],
    model: Any,
    dual: Any = None,
) -> Iterate:
    """Where a black box stands: weights, or with a ``model`` its labels."""
    return Iterate(vector, visits, dual, notes, hints=Hints(seconds=seconds, model=model))
