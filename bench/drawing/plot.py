"""One plot of some runs: their gap, error, objective or distance to the optimum, against passes or seconds."""

import textwrap
from collections.abc import Iterable
from functools import partial
from typing import Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import comparison, curves, method_looks, style
from structbench.bench.drawing.plotted import Axes
from structbench.bench.runs import state
from structbench.bench.runs.finished import machines
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

Runs = Iterable[Run] | Run
X = Literal["passes", "seconds"]
SIZE = (6.2, 4.2)  # inches
LONGEST = 78  # characters of a line that fits


QUANTITIES = {
    "gap": comparison.KINDS["gap-passes"]._replace(title="relative gap"),
    "error": comparison.KINDS["error-passes"]._replace(title="test error"),
    "objective": comparison.KINDS["gap-passes"]._replace(
        title="objective",
        label="objective",
        y=lambda curve, _: curve["primal"].to_numpy(),
        missing="no run has an objective",
    ),
    "suboptimality": comparison.KINDS["distance-seconds"]._replace(
        title="suboptimality", missing="no run has an objective above the optimum"
    ),
}


def gap(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw (primal - dual) / optimum, the optimum being the least primal value of these runs of a problem.

    Args:
        x: ``passes``, or ``seconds`` of the algorithm, on the machine that made the runs.
        axes: Where to; by default axes of a figure of their own.

    Raises:
        UserError: No run has such values, or they were made on several machines, whose seconds do not compare.
    """
    return _of("gap", runs, x, axes)


def error(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw the share of wrong decisions on the test split, in percent. Else as ``gap``."""
    return _of("error", runs, x, axes)


def objective(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw the primal value. Else as ``gap``."""
    return _of("objective", runs, x, axes)


def suboptimality(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw (primal - bound) / primal; the bound is the greatest dual value of these runs. Else as ``gap``."""
    return _of("suboptimality", runs, x, axes)


def _of(y: str, runs: Runs, x: str, axes: Axes | None) -> Axes:
    if x not in ("passes", "seconds"):
        raise UserError(f"cannot draw against {x!r}: choose passes or seconds")
    runs = [runs] if isinstance(runs, Run) else runs
    of_spec = {state.spec_of(run): run for run in runs}
    if not of_spec:
        raise UserError("there are no runs to draw")
    made_on = machines(of_spec.values())
    if x == "seconds" and len(made_on) > 1:
        hosts = " and ".join(f"{each.host} ({each.cpu})" for each in made_on)
        raise UserError(f"seconds of different machines do not compare: these runs are of {hosts}: draw passes")
    with style.context():
        return _drawn(QUANTITIES[y], of_spec, x, axes)


def _drawn(quantity: comparison.Kind, of_spec: dict[Spec, Run], x: str, axes: Axes | None) -> Axes:
    specs = [*of_spec]
    groups = method_looks.problems(specs)
    optima = {spec: curves.optimum([of_spec[each] for each in group]) for _, group in groups for spec in group}
    if not any(np.isfinite(quantity.y(curves.own(run), optima[spec])).any() for spec, run in of_spec.items()):
        raise UserError(f"cannot draw the {quantity.title}: {quantity.missing}")
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(figsize=SIZE, layout="constrained")[1]
    names = method_looks.labels(specs) if len(groups) == 1 else _with_problems(groups)
    look, column = method_looks.looks(names), x if x == "passes" else method_looks.clock(specs)
    for name in look:
        same = [spec for spec in specs if names[spec] == name]
        shown = partial(lambda best, curve: quantity.y(curve, best), optima[same[0]])
        style.line(axes, [of_spec[spec] for spec in same], shown, column, label=name, **look[name])
    clock = style.PASSES if x == "passes" else f"{method_looks.clock_word(specs)} seconds"
    axes.set(xlabel="\n".join([clock, *_wrapped(method_looks.boxes(specs))]), ylabel=quantity.label)
    said = [f"{problem.shown}, {problem.objective}" for problem, _ in groups]
    axes.set_title("\n".join(_wrapped([quantity.title, *said])))
    comparison.scale(axes, quantity.log)
    axes.legend()
    return axes


def _with_problems(groups: list[method_looks.Group]) -> dict[Spec, str]:
    """The names of algorithms, with that in which their problems differ."""
    told = [(problem.shown, problem.objective) for problem, _ in groups]
    several = [len({*each}) > 1 for each in zip(*told, strict=True)]
    named = {}
    for (_, group), texts in zip(groups, told, strict=True):
        more = [text for text, is_told in zip(texts, several, strict=True) if is_told]
        named |= {spec: ", ".join([name, *more]) for spec, name in method_looks.labels(group).items()}
    return named


def _wrapped(lines: list[str]) -> list[str]:
    """The lines, the long ones cut between words, but not within ``C = 1``."""
    whole = (line.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}") for line in lines)
    return [part for line in whole for part in textwrap.wrap(line, LONGEST, break_on_hyphens=False)]
