"""One plot of some runs: their gap, error, objective or distance to the optimum, against passes or seconds."""

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import comparison, curves, marks, method_looks, style
from structbench.bench.drawing.plotted import Axes
from structbench.bench.report import optima
from structbench.bench.runs import state
from structbench.bench.runs.finished import machines
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Runs = Iterable[Run] | Run
Published = tuple[str, Run]  # the paper that published a run
Drawn = tuple[str, Spec, Run]  # the paper, empty of an own run
X = Literal["passes", "seconds"]
SIZE = (6.2, 4.2)  # inches
FAINT = {"alpha": 0.55, "linewidth": 1.0, "marker": ""}  # lines of published runs
WITH_PUBLISHED, FARTHEST = (9.4, 4.6), 4.0  # inches of a panel; the end of the axis, in lengths of own runs
MOST_PUBLISHED = 8  # methods in a panel
LONGEST = 78  # characters of a line that fits
OWN_BOUND = "bound: the greatest dual value of these runs"


QUANTITIES = {
    "gap": comparison.KINDS["gap-passes"]._replace(title="relative gap"),
    "error": comparison.KINDS["error-passes"]._replace(title="test error"),
    "objective": comparison.KINDS["gap-passes"]._replace(
        title="objective",
        label="objective",
        y=lambda curve, _: curve["primal"].to_numpy(),
        missing="no run has an objective",
    ),
    "distance": comparison.KINDS["distance-seconds"]._replace(
        title="distance to the optimum", missing="no run has an objective above the optimum"
    ),
}


def gap(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw ``(primal - dual) / |primal|``, the relative gap that each run has by itself.

    Args:
        x: ``passes``, or ``seconds`` of the algorithm, on the machine that made the runs.
        axes: Where to; by default axes of a figure of their own.

    Raises:
        UserError: No run has such values, or they were made on several machines, whose seconds do not compare.
    """
    return drawn_beside("gap", runs, x, axes)[0]


def error(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw the share of wrong decisions on the test split, in percent. Else as ``gap``."""
    return drawn_beside("error", runs, x, axes)[0]


def objective(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw the primal value. Else as ``gap``."""
    return drawn_beside("objective", runs, x, axes)[0]


def suboptimality(runs: Runs, x: X = "passes", axes: Axes | None = None) -> Axes:
    """Draw (primal - bound) / abs(primal). Else as ``gap``.

    The bound is the certified optimum (``structbench.optimum``), or the greatest dual value of these runs where
    that is greater or no optimum is known. The figure says which.
    """
    return drawn_beside("distance", runs, x, axes)[0]


def drawn_beside(
    y: str, runs: Runs, x: str, axes: Axes | None, published: Iterable[Published] = ()
) -> tuple[Axes, list[str]]:
    """Draw one of ``QUANTITIES``, with ``published`` runs of the same problems, fainter.

    Returns the axes, and sentences on runs that diverged or are left out. Raises as ``gap``.
    """
    if x not in ("passes", "seconds"):
        raise UserError(f"cannot draw against {x!r}: choose passes or seconds")
    if isinstance(runs, Run | str) or not isinstance(runs, Iterable):
        runs = [runs]
    runs = [*runs]
    if odd := [run for run in runs if not isinstance(run, Run)]:
        raise UserError(f"runs must be runs, such as structbench.run(...) returns, not {odd[0]!r}")
    of_spec: dict[Spec, Run] = {}
    for run in runs:
        other = of_spec.setdefault(state.spec_of(run), run)
        if other.folder.resolve() != run.folder.resolve():
            if _of_data(other) != _of_data(run):
                raise UserError(f"{other.folder} and {run.folder} are of different data: draw one of them")
            raise UserError(
                f"{other.folder} and {run.folder} are one run, made twice: draw one of them; "
                "`python -m bench compare` says how they differ"
            )
    if not of_spec:
        raise UserError("there are no runs to draw")
    made_on = machines(of_spec.values())
    if x == "seconds" and len(made_on) > 1:
        hosts = " and ".join(f"{each.host} ({each.cpu})" for each in made_on)
        raise UserError(f"seconds of different machines do not compare: these runs are of {hosts}: draw passes")
    with style.context():
        return _drawn(y, _together(of_spec, published), x, axes)


def draw_panels(figure: "Figure", y: str, runs: list[Run], x: str, published: list[Published]) -> list[str]:
    """Draw runs beside published ones, a panel for each problem that has values.

    Returns sentences on what is left out. Raises as ``gap``.
    """
    panels, said = [], []
    for problem, group in method_looks.problems(state.spec_of(run) for run in runs):
        own = [run for run in runs if state.spec_of(run) in group]
        beside = [each for each in published if _minimised(each[1]) in {*map(_minimised, own)}]
        kept, count = _best_published(beside, y)
        if _own(_with_values(y, _together({state.spec_of(run): run for run in own}, kept))):
            panels.append((problem, own, kept, count))
        else:
            said.append(f"{problem.shown}, {problem.objective} is left out: {QUANTITIES[y].missing}")
    if not panels:
        raise UserError(f"cannot draw the {QUANTITIES[y].title}: {QUANTITIES[y].missing}")
    figure.set_size_inches(WITH_PUBLISHED[0], WITH_PUBLISHED[1] * len(panels))
    drawn = figure.subplots(len(panels), squeeze=False).flat
    for axes, (problem, own, kept, count) in zip(drawn, panels, strict=True):
        said += drawn_beside(y, own, x, axes, kept)[1]
        if count > MOST_PUBLISHED:
            said.append(f"{problem.objective}: of {count} published methods the {MOST_PUBLISHED} that end best")
            axes.set_xlabel(
                f"{axes.get_xlabel()}\nOf {count} published methods the {MOST_PUBLISHED} that end best."
            )
    return said


def _of_data(run: Run) -> str:
    """The hash of the data that a run was made of."""
    return run.summary["provenance"]["data_sha256"]


def _minimised(run: Run) -> tuple:
    """What runs share that minimise the same, whatever they call their data."""
    return _of_data(run), run.spec.test, run.spec.loss, run.spec.penalty, run.spec.C


def _best_published(published: list[Published], y: str) -> tuple[list[Published], int]:
    """The runs of the methods of one problem that end best, and how many methods there are."""
    names = _names(_together({}, published))
    methods = defaultdict[tuple[str, str], list[Published]](list)
    for paper, run in published:
        methods[names[run.spec], paper].append((paper, run))
    column = {"error": "test_error", "gap": "relative_gap"}.get(y, "primal")

    def end(some: list[Published]) -> float:
        return float(np.nan_to_num(np.median([float(run.curve[column].iloc[-1]) for _, run in some]), nan=np.inf))

    best = sorted(methods.values(), key=end)[:MOST_PUBLISHED]
    return [each for some in best for each in some], len(methods)


def _together(of_spec: dict[Spec, Run], published: Iterable[Published]) -> list[Drawn]:
    """All that is drawn: own runs are last, above the others."""
    return [(paper, run.spec, run) for paper, run in published] + [("", *each) for each in of_spec.items()]


def _own(drawn: list[Drawn]) -> list[Spec]:
    return [spec for paper, spec, _ in drawn if not paper]


def _everywhere(drawn: list[Drawn]) -> list[Spec]:
    """The specs of all runs, own runs first."""
    return [*dict.fromkeys([*_own(drawn), *(spec for _, spec, _ in drawn)])]


def _values(
    y: str, drawn: list[Drawn]
) -> tuple[Callable[[Spec], Callable[[curves.Curve], np.ndarray]], list[str]]:
    """What is drawn of the curves of a spec's problem, and sentences on the bounds that this takes."""
    quantity, bounds = QUANTITIES[y], list[str]()
    best: dict[Spec, curves.Optimum] = {}
    for _, group in method_looks.problems(_everywhere(drawn)):
        members = [run for _, spec, run in drawn if spec in {*group}]
        found = curves.optimum(members)
        if y == "distance":
            known = _known(members[-1])
            if known and known.lower_bound > found.dual:
                found = found._replace(dual=known.lower_bound)
                bounds.append(f"bound: the certified optimum, by {known.bound_by}")
            else:
                bounds.append(OWN_BOUND)
        best |= dict.fromkeys(group, found)
    return lambda spec: lambda curve: quantity.y(curve, best[spec]), bounds


def _with_values(y: str, drawn: list[Drawn]) -> list[Drawn]:
    """Those that have a point of this quantity."""
    values, _ = _values(y, drawn)
    return [each for each in drawn if np.isfinite(values(each[1])(curves.own(each[2]))).any()]


def _incomplete(y: str, drawn: list[Drawn], kept: list[Drawn]) -> list[str]:
    """A sentence on each run that diverged, or is not among the ``kept``."""
    names, there, said = _names(drawn), {(paper, spec) for paper, spec, _ in kept}, []
    for paper, spec, run in drawn:
        name, is_kept = f"{names[spec]} ({paper})" if paper else names[spec], (paper, spec) in there
        if run.summary["status"] == "diverged":
            ended = f"diverged after {float(run.curve['passes'].iloc[-1]):.4g} passes"
            said.append(f"{name} {ended}" if is_kept else f"{name} is left out: it {ended}")
        elif not is_kept:
            said.append(f"{name} is left out: it has no {QUANTITIES[y].title}")
    return [*dict.fromkeys(said)]


def _drawn(y: str, given: list[Drawn], x: str, axes: Axes | None) -> tuple[Axes, list[str]]:
    quantity, drawn = QUANTITIES[y], _with_values(y, given)
    if not (specs := _own(drawn)):
        raise UserError(f"cannot draw the {quantity.title}: {quantity.missing}")
    (values, bounds), incomplete = _values(y, drawn), _incomplete(y, given, drawn)
    if axes is None:
        import matplotlib.pyplot as plt

        axes = plt.subplots(figsize=SIZE, layout="constrained")[1]
    names = _names(drawn)
    look, column = method_looks.looks(names), x if x == "passes" else method_looks.clock(specs)
    lines = defaultdict[tuple[str, str], dict[Spec, Run]](dict)
    for paper, spec, run in drawn:
        lines[names[spec], paper][spec] = run
    for (name, paper), some in lines.items():
        label, faint = (f"{name} ({paper})", FAINT) if paper else (name, {})
        style.line(axes, [*some.values()], values(next(iter(some))), column, label=label, **look[name] | faint)
    said = map(", ".join, method_looks.called(problem for problem, _ in method_looks.problems(specs)))
    axes.set_title("\n".join(_wrapped([quantity.title, *said])))
    comparison.scale(axes, quantity.log)
    clock = style.PASSES if x == "passes" else f"{method_looks.clock_word(specs)} seconds"
    is_beside = len(drawn) > len(specs)
    if is_beside:
        end = FARTHEST * max(float(run.curve[column].iloc[-1]) for paper, _, run in drawn if not paper)
        last = axes.get_xlim()[1]
        axes.set_xlim(right=min(last, end))
        bounds += [f"The axis is cut: published runs go on to {last:.4g} {clock}."] * bool(end < last)
    marks.hide_open_ends([axes])
    said = [*marks.explained([axes]), *method_looks.boxes(_everywhere(drawn)), *dict.fromkeys(bounds)]
    said += [f"{each}." for each in incomplete]
    axes.set(xlabel="\n".join([clock, *_wrapped(said)]), ylabel=quantity.label)
    if not is_beside:
        axes.legend()
        return axes, incomplete
    handles, words = axes.get_legend_handles_labels()  # own runs are drawn last, and are named first
    axes.legend(handles[::-1], words[::-1], loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize="x-small")
    return axes, incomplete


def _known(run: Run) -> optima.Optimum | None:
    """The optimum of the run's problem, by the table and by own finished runs."""
    spec = run.spec
    try:
        return optima.known_optimum(spec.data, spec.loss, spec.C, spec.penalty, _of_data(run), spec.test)
    except UserError:  # none is known, or there is no loss
        return None


def _names(drawn: list[Drawn]) -> dict[Spec, str]:
    """The names of methods: with what tells own problems apart, and limits if only they tell two runs apart."""
    everywhere = _everywhere(drawn)
    is_one = len(method_looks.problems(_own(drawn))) < 2
    names = method_looks.labels(everywhere) if is_one else _with_problems(method_looks.problems(everywhere))
    told = method_looks.limits((spec, (names[spec], paper)) for paper, spec, _ in drawn)
    return {spec: name + told.get(spec, "") for spec, name in names.items()}


def _with_problems(groups: list[method_looks.Group]) -> dict[Spec, str]:
    """The names of algorithms, with that in which their problems differ."""
    told = method_looks.called(problem for problem, _ in groups)
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
