"""Problems and methods: which runs share a problem, what figures and tables call a method, and how it looks.

A problem is a data set, a loss, a penalty and a C. A method is an algorithm with its parameters.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import cycle, groupby

from structbench.algorithms.learning import declaration
from structbench.bench.drawing import colours, style
from structbench.bench.runs import algorithm_module, catalogue, short_names
from structbench.bench.runs.spec import Spec, written

Problem = tuple[str, str | None, str, str, float]  # data, test, loss, penalty, C
Group = tuple[Problem, list[Spec]]


def problems(specs: Iterable[Spec]) -> list[Group]:
    """The specs by problem, in the order of their data, loss and falling C."""

    def problem(spec: Spec) -> tuple:
        return spec.data, spec.test or "", spec.loss, spec.penalty, -spec.C

    groups = groupby(sorted(specs, key=problem), key=problem)
    return [((*key[:4], -key[4]), list(group)) for key, group in groups]


def strength(problem: Problem) -> str:
    """C, and the penalty if it is not l2."""
    _, _, loss, penalty, C = problem
    if loss == declaration.NO_LOSS:
        return "no loss"
    if penalty == declaration.NO_PENALTY:
        return "no penalty"
    return f"C = {C:g}" + ("" if penalty == "l2" else f", {penalty}")


def objective(problem: Problem) -> str:
    """Loss and C, and the penalty if it is not l2."""
    said = strength(problem)
    return said if problem[2] == declaration.NO_LOSS else f"{problem[2]} loss, {said}"


def data_of(problem: Problem) -> str:
    """The data set, with the file of its test split if that is one of its own."""
    data, test, *_ = problem
    name = short_names.shown(data)
    return f"{name}, test {short_names.shown_test(test)}" if test else name


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


def labels(specs: list[Spec]) -> dict[Spec, str]:
    """The name of each spec's algorithm: with those parameters and threads in which it differs."""
    values: dict[tuple[str, str], set] = defaultdict(set)
    for spec in specs:
        for key, value in (*spec.params, ("threads", spec.threads)):
            values[spec.algorithm, key].add(value)
    several = {place for place, found in values.items() if len(found) > 1}
    return {spec: _name(spec, several) for spec in specs}


def _name(spec: Spec, several: set[tuple[str, str]]) -> str:
    said = [f"{key} {written(value)}" for key, value in spec.params if (spec.algorithm, key) in several]
    if (spec.algorithm, "threads") in several:
        said.append(f"{spec.threads} thread{'' if spec.threads == 1 else 's'}")
    return ", ".join([catalogue.label(spec.algorithm), *said])


def looks(names: dict[Spec, str]) -> dict[str, dict]:
    """A line's look by its name: the algorithm's colour and marker, and a dash for each of its variants."""
    colour_of = colours.of(spec.algorithm for spec in names)
    marker_of = colours.markers(colour_of)
    dashes = {algorithm: cycle(("-", *style.VARIANTS)) for algorithm in colour_of}
    found: dict[str, dict] = {}
    for spec, name in names.items():
        if name not in found:
            found[name] = {
                "color": colour_of[spec.algorithm],
                "linestyle": next(dashes[spec.algorithm]),
                "marker": marker_of[spec.algorithm],
                "markevery": (0.02 * len(found), 0.2),  # of the axes' diagonal
                "markersize": 4.5,
            }
    return found
