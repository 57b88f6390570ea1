"""The keys of a black box's YAML file, and values for placeholders such as ``{C/n}`` in its words."""

import importlib.metadata
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from structbench.algorithms.black_boxes.examples import examples
from structbench.algorithms.learning.objective import Objective
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import Given

# What may stand in braces, beside parameters. ``A``: of the penalty elastic-A, and 0 for l2. ``C_of_difference``:
# C, or C / 2 where there are two classes; for a class that keeps one vector for two classes, the difference of
# their weights, as scikit-learn's do.
NUMBERS = ("C", "A", "C_of_difference", "n", "num_labels", "seed", "limit", "falling_tolerance")
FILES = ("train", "test", "labels", "weights", "seconds")
KNOWN = (*NUMBERS, *FILES, "python", "folder")
BRACES = re.compile(r"\{([^{}]*)\}")
NUMBER = re.compile(r"\d+(\.\d*)?(e-?\d+)?")
FIRST_TOLERANCE = 8.0

Seconds = tuple[float, float]  # wall and CPU


class Curve(NamedTuple):
    """What a point is, the name in braces that it needs, and whether it goes on where the one before ended."""

    words: str
    needs: str = ""
    goes_on: bool = False


ANEW = "each point is a run of its own from the start, with a {}, timed by itself"
CURVES = {
    "": Curve("each point is a further pass of partial_fit; a class without it has one point"),
    "partial_fit": Curve("each point is a further pass of partial_fit", goes_on=True),
    "restarts": Curve("each point is a warm restart from the one before", "limit", goes_on=True),
    "limits": Curve(ANEW.format("higher limit"), "limit"),
    "tolerances": Curve(ANEW.format("smaller tolerance"), "falling_tolerance"),
    "one": Curve("its only run gives one point"),
}


@dataclass(frozen=True, kw_only=True)
class Box:
    """The keys of the file: either ``class_name`` or ``command``. ``reads``: a format, rows or sequences."""

    file: Path
    about: str = ""
    label: str = ""
    class_name: str = ""
    command: list[str] = field(default_factory=list)
    reads: Literal["rows", "sequences", "svmlight", "crfsuite", "columns", ""] = ""
    minimises: Literal["log", "hinge", "any", ""] = ""
    loss_with: Given = field(default_factory=dict)
    arguments: Given = field(default_factory=dict)
    parameters: Given = field(default_factory=dict)
    random: Given = field(default_factory=dict)
    figures: Any = ({},)
    curve: Literal["partial_fit", "restarts", "limits", "tolerances", "one", ""] = ""
    packages: Given = field(default_factory=dict)
    references: list[str] = field(default_factory=list)
    time_limit: Annotated[float, "> 0"] = 3600.0  # seconds of one call of a command

    @property
    def name(self) -> str:
        """Its id."""
        return self.file.stem.replace("_", "-")

    @property
    def names(self) -> set[str]:
        """All that stands in braces."""
        return names_in([*self.command, *(each for each in self.arguments.values() if isinstance(each, str))])

    @property
    def has_weights(self) -> bool:
        """Whether it gives weights; else it gives labels."""
        return bool(self.minimises) or "weights" in self.names

    @property
    def points(self) -> str:
        """How its curve is made: a key of ``CURVES``. Empty if the class decides."""
        implied = (how for how in ("tolerances", "limits") if CURVES[how].needs in self.names)
        return self.curve or next(implied, "one" if self.command else "")

    @property
    def notes(self) -> dict[str, float | str]:
        """For the notes of its runs."""
        versions = [f"{each} {importlib.metadata.version(str(each))}" for each in self.packages.values()]
        told: dict[str, float | str] = {"package": ", ".join(versions)} if versions else {}
        if not self.minimises:
            told["certificate"] = "none: it is judged by its errors alone"
        if self.command:
            told["timed"] = "by itself" if "seconds" in self.names else "from the start to the end of its process"
        return told | {"points": CURVES[self.points].words}

    def values(self, objective: Objective, seed: int, params: Given) -> Given:
        """What the names in braces stand for, except files and what changes from point to point."""
        given, C = examples(objective.split), objective.C
        K, n = given.num_labels, len(given.starts) - 1 + len(given.absent)
        numbers = {
            "C": C,
            "A": objective.strengths.A,
            "C_of_difference": C / 2 if K == 2 else C,
            "n": n,
            "num_labels": K,
            "seed": seed,
        }
        return params | numbers | {"python": sys.executable, "folder": str(self.file.parent)}


def at(values: Given, budget: int) -> Given:
    """The values at a point: its budget is a limit of iterations; with tolerances, how many points there are."""
    return values | {"limit": budget, "falling_tolerance": FIRST_TOLERANCE * 0.5 ** (budget - 1)}


def names_in(words: Iterable[str]) -> set[str]:
    """The names in the braces of some words, which hold sums, products and quotients of names and numbers."""
    pieces = (
        piece.strip() for word in words for text in BRACES.findall(word) for piece in re.split("[*/+()]", text)
    )
    return {piece for piece in pieces if piece and not NUMBER.fullmatch(piece)}


def filled(word: Any, values: Given) -> Any:
    """A word with values in place of braces, whose names are checked. If it is only braces, the value itself."""

    def value(text: str) -> Any:
        try:
            return eval(text.strip(), {"__builtins__": {}}, values)
        except (ArithmeticError, SyntaxError, TypeError) as error:
            raise UserError(f"{{{text}}} cannot be computed: {error}") from None

    if not isinstance(word, str):
        return word
    if whole := BRACES.fullmatch(word):
        return value(whole[1])
    return BRACES.sub(lambda found: str(value(found[1])), word)
