"""Problems and methods: which runs share a problem, what figures and tables call a method, and how it looks.

A problem is a data set, a loss, a penalty and a C. A method is an algorithm with its parameters.
"""

import inspect
import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime.options import Given
from structbench.bench.drawing import colours, style
from structbench.bench.runs import algorithm_module, catalogue
from structbench.bench.runs.objective_names import shortest
from structbench.bench.runs.spec import Spec
from structbench.datasets import DataRef
from structbench.datasets.references import file_names
from structbench.datasets.references.data_ref import FOLD


class Problem(NamedTuple):
    """What methods that compare minimise; ``test`` is a file of its own for the test split, or empty."""

    data: DataRef
    test: str
    loss: str
    penalty: str
    C: float

    @property
    def strength(self) -> str:
        """C, and the penalty if it is not l2."""
        if self.loss == declaration.NO_LOSS:
            return "no loss"
        if self.penalty == declaration.NO_PENALTY:
            return "no penalty"
        return f"C = {self.C:g}" + ("" if self.penalty == "l2" else f", {self.penalty}")

    @property
    def objective(self) -> str:
        """Loss and C, and the penalty if it is not l2."""
        return self.strength if self.loss == declaration.NO_LOSS else f"{self.loss} loss, {self.strength}"

    @property
    def fold(self) -> str:
        """Which fold is held out; empty if none is."""
        return "".join(re.findall(r"fold \d+ of \d+", self.data.title))

    @property
    def setting(self) -> str:
        """The objective, after the fold that is held out."""
        return ", ".join(filter(None, [self.fold, self.objective]))

    @property
    def title(self) -> str:
        """The data set as a person names it, with the file of its test split; without the share held out."""
        data = re.sub(r", validation [\d.]+$", "", self.data.title)
        return ", test ".join(filter(None, [data, os.path.basename(self.test)]))

    @property
    def shown(self) -> str:
        """The data set, with the file of its test split if that is one of its own."""
        return f"{self.data.shown}, test {file_names.stem(self.test)}" if self.test else self.data.shown


Group = tuple[Problem, list[Spec]]


def problems(specs: Iterable[Spec]) -> list[Group]:
    """The specs by problem, in the order of their data, loss and rising C."""

    def problem(spec: Spec) -> Problem:
        return Problem(spec.data, spec.test or "", spec.loss, spec.penalty, spec.C)

    groups = groupby(sorted(specs, key=problem), key=problem)
    return [(key, list(group)) for key, group in groups]


def called(some: Iterable[Problem]) -> list[tuple[str, str]]:
    """What figures call each data set, and its objective; with the path's hash where two would have one name."""
    some = [*some]
    plain = [(problem.shown, problem.objective) for problem in some]
    exact = [f"{each.data.key}{f', test {file_names.short(each.test)}' if each.test else ''}" for each in some]
    pairs = zip(plain, exact, strict=True)
    return [(whole if plain.count(each) > 1 else each[0], each[1]) for each, whole in pairs]


def certifiable(spec: Spec) -> bool:
    """Whether runs can have a dual value: it takes an objective with a penalty."""
    return spec.loss != declaration.NO_LOSS and spec.penalty != declaration.NO_PENALTY


def clock(specs: Iterable[Spec]) -> str:
    """The column of seconds that compares these runs: CPU seconds if each has one thread, else wall seconds."""
    return "cpu_seconds" if all(spec.threads == 1 for spec in specs) else "wall_seconds"


def clock_word(specs: Iterable[Spec]) -> str:
    """What ``clock`` measures, in a word."""
    return "CPU" if clock(specs) == "cpu_seconds" else "wall"


def boxes(specs: Iterable[Spec]) -> list[str]:
    """Sentences on the black boxes among the algorithms: what a point of their curves is."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(spec.algorithm for spec in specs):
        found[algorithm_module.declaration(name).black_box].append(catalogue.label(name))
    return [f"{' and '.join(names)}: {said}." for said, names in found.items() if said]


def dealt(data: DataRef) -> tuple[int, int, int]:
    """Which fold of the examples is held out, of how many, and the seed that dealt them; 0 without folds."""
    number, count, seed = re.findall(FOLD, data.options["validation"])[0] if data.folds else (0, 0, 0)
    return int(number), int(count), int(seed or 0)


def counts_visits(spec: Spec) -> bool:
    """Whether a run's passes are inferences on examples: a program of others counts its own iterations."""
    return not algorithm_module.declaration(spec.algorithm).black_box


def counted(specs: list[Spec]) -> list[Spec]:
    """Those that count inferences as passes; all of them if none does."""
    return [spec for spec in specs if counts_visits(spec)] or specs


def explained(specs: Iterable[Spec]) -> list[str]:
    """Sentences on the parameters that names of methods have, of the docstrings of their algorithms."""
    found: dict[str, None] = {}
    for algorithm, key in sorted(_several(specs)):
        about = inspect.getdoc(algorithm_module.algorithm(algorithm).solve) or ""
        if said := re.search(rf"^ {{4}}{key}: (.+(?:\n {{5,}}.+)*)", about, re.MULTILINE):
            found[f"{key}: {' '.join(said[1].replace('``', '').split()).rstrip('.')}."] = None
    return [*found]


def labels(specs: list[Spec]) -> dict[Spec, str]:
    """The name of each spec's algorithm: with those parameters and threads in which it differs."""
    several, called = _several(specs), told_apart(spec.algorithm for spec in specs)
    return {spec: _name(spec, several, called) for spec in specs}


def told_apart(algorithms: Iterable[str]) -> dict[str, str]:
    """What a table or picture calls its algorithms: by label, or by id where several have one label."""
    called = {name: catalogue.label(name) for name in algorithms}
    counts = Counter(called.values())
    return {name: label if counts[label] == 1 else name for name, label in called.items()}


def _several(specs: Iterable[Spec]) -> set[tuple[str, str]]:
    """Algorithms with those parameters of theirs in which these specs differ; threads count, too."""
    values: dict[tuple[str, str], set] = defaultdict(set)
    for spec in specs:
        for key, value in (*spec.params, ("threads", spec.threads)):
            values[spec.algorithm, key].add(value)
    return {place for place, found in values.items() if len(found) > 1}


def _name(spec: Spec, several: set[tuple[str, str]], called: dict[str, str]) -> str:
    said = [f"{key} {shortest(value)}" for key, value in spec.params if (spec.algorithm, key) in several]
    if (spec.algorithm, "threads") in several:
        said.append(f"{spec.threads} thread{'' if spec.threads == 1 else 's'}")
    return ", ".join([called[spec.algorithm], *said])


def limits(
    named: Iterable[tuple[Spec, Hashable]], chosen: Callable[[Spec], Hashable] = lambda spec: None
) -> dict[Spec, str]:
    """What names of runs must say besides, as ``, at most 5 passes``: the limits in which runs of one name differ.

    Only names are here that have runs of one problem with several limits.

    Args:
        named: Each run with what names it.
        chosen: What else tells two runs of one name apart.
    """
    by_name = defaultdict[Hashable, dict[Spec, tuple[str, ...]]](dict)
    for spec, name in named:
        by_name[name][spec] = _limits(spec)
    found = {}
    for said in by_name.values():
        together = defaultdict(set)
        for spec, texts in said.items():
            together[spec.data, spec.test, spec.loss, spec.penalty, spec.C, chosen(spec)].add(texts)
        if all(len(each) == 1 for each in together.values()):
            continue
        differs = [len({*each}) > 1 for each in zip(*said.values(), strict=True)]
        for spec, texts in said.items():
            told = [text for text, is_told in zip(texts, differs, strict=True) if is_told and text]
            found[spec] = "".join(f", {text}" for text in told)
    return found


def _limits(spec: Spec) -> tuple[str, str, str]:
    seconds = "" if spec.seconds is None else f"at most {spec.seconds:g} {clock_word([spec])} s"
    return f"at most {spec.passes:g} passes", seconds, f"to a gap of {spec.gap:g}"


def looks(names: dict[Spec, str]) -> dict[str, dict]:
    """A line's look by its name: that of its algorithm with the parameters in which specs differ.

    Where two settings of an algorithm would have one dash, the later gets the next that is free. Where two
    algorithms would have one hue or marker, one of them gets another (``colours.picture_colours``).
    """
    several, taken, found = _several(names), defaultdict(set), {}
    coloured = colours.picture_colours(spec.algorithm for spec in names)
    marked = colours.picture_markers(spec.algorithm for spec in names)
    for spec, name in names.items():
        if name not in found:
            told = {key: value for key, value in spec.params if (spec.algorithm, key) in several}
            own, number = taken[spec.algorithm], _dash_number(spec.algorithm, told)
            free = [k % len(style.DASHES) for k in range(number, number + len(style.DASHES))]
            number = next((k for k in free if k not in own), number)
            own.add(number)
            places = {"marker": marked[spec.algorithm], "markevery": (0.02 * len(found), 0.2)}  # of the diagonal
            own_look = {"color": coloured[spec.algorithm], "linestyle": style.DASHES[number]}
            found[name] = look(spec.algorithm) | own_look | places
    return found


def look(algorithm: str, **params: Any) -> dict:
    """The look of an algorithm with these parameters: a whole line if they are its defaults."""
    about = {"color": colours.colour(algorithm), "linestyle": style.DASHES[_dash_number(algorithm, params)]}
    return about | {"marker": colours.marker(algorithm), "markersize": 4.5, "markevery": (0.1, 0.2)}


def _dash_number(algorithm: str, params: Given) -> int:
    """The number of the dash of a setting, from what the algorithm declares: 0 of its defaults.

    Each other choice of a parameter with few has a number, and each other parameter one for whatever value.
    """
    total, numbered = 0, _numbered(algorithm) if params else {}
    for name, value in params.items():
        default, first, others = numbered.get(name, (value, 0, ()))  # a stored run may have one that is no more
        if value != default:
            total += first + (others.index(value) if value in others else 0)
    return 1 + (total - 1) % (len(style.DASHES) - 1) if total else 0


@cache
def _numbered(algorithm: str) -> dict[str, tuple[object, int, tuple]]:
    """For each parameter its default, the number of its first other choice, and these choices if they are few."""
    few = declaration.choices(algorithm_module.algorithm(algorithm).solve)
    found, number = {}, 1
    for name, default in algorithm_module.parameters(algorithm).items():
        others = tuple(choice for choice in few.get(name, ()) if choice != default)
        found[name] = default, number, others
        number += max(1, len(others))
    return found
