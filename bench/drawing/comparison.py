"""Figures for any grid of runs: gap, suboptimality and error curves, and a performance profile.

A problem is a data set, a loss, a penalty and a C. The optimum of a problem is the least primal value of the
grid's runs on it; a relative gap is (primal - dual) / optimum where a run has a dual value. Runs without a loss
have neither: their errors are drawn beside those of the runs that have one.
"""

import re
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from itertools import cycle, groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.drawing import curves, style
from bench.drawing.draw import Figure
from bench.runs import catalogue
from bench.runs.finished import Runs
from bench.runs.spec import Spec

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

LEVELS = (1e-2, 1e-4, 1e-6)
EARLY = 0.1  # of the x axis, where an error may leave the frame
SMALLEST = 1e-9  # relative suboptimality that is drawn: below it is rounding

Problem = tuple[str, str | None, str, str, float]  # data, test, loss, penalty, C
Group = tuple[Problem, list[Spec]]


class Kind(NamedTuple):
    """A kind of figure: ``y`` of a curve, given the problem's optimum, against its column ``x``.

    missing: why a panel is empty although its runs are there.
    """

    title: str
    label: str
    x: str
    y: "Callable[[pd.DataFrame, float], np.ndarray]"
    log: bool
    caption: str
    missing: str


def figures(name: str, specs: list[Spec]) -> dict[str, Figure]:
    """The figures of a grid, by file stem: some for each data set and loss, and one profile."""
    drawn = {}
    for data, test, loss in sorted({(spec.data, spec.test or "", spec.loss) for spec in specs}):
        there = [spec for spec in specs if (spec.data, spec.test or "") == (data, test)]
        if loss == catalogue.NO_LOSS and any(spec.loss != loss for spec in there):
            continue  # they are beside those
        own = [spec for spec in there if spec.loss == loss]
        beside = [spec for spec in there if spec.loss == catalogue.NO_LOSS != loss]
        written = "-".join(part for part in (data, test, loss) if part)
        stem = re.sub(r"[^A-Za-z0-9.=-]+", "-", written).strip("-")
        if any(other.startswith(f"{stem}-") for other in drawn):  # a file's name has less to tell data apart by
            stem += f"-{sha256(written.encode()).hexdigest()[:6]}"
        objective = "no loss" if loss == catalogue.NO_LOSS else f"{loss} loss"
        for kind in _kinds(own, beside):
            drawn[f"{stem}-{kind}"] = Figure(
                f"{name}: {KINDS[kind].title}, {data}, {objective}",
                _caption(KINDS[kind], loss, beside),
                partial(_panels, own, beside if KINDS[kind].y is error else [], KINDS[kind]),
            )
    certified = [spec for spec in specs if _is_certified(spec)]
    if certified:
        drawn["profile"] = Figure(f"{name}: performance profile", PROFILE, partial(draw_profile, certified))
    return drawn


def _is_certified(spec: Spec) -> bool:
    """Whether there is a dual value: it takes an objective with a penalty."""
    return spec.loss != catalogue.NO_LOSS and spec.penalty != catalogue.NO_PENALTY


def _kinds(own: list[Spec], beside: list[Spec]) -> list[str]:
    """Kinds of figures that have something to show of runs with one loss, and of those without any beside them."""
    if own[0].loss == catalogue.NO_LOSS:
        return [kind for kind in KINDS if KINDS[kind].y is error]
    kinds = [kind for kind in KINDS if kind != "error-seconds" or beside]
    return [kind for kind in kinds if KINDS[kind].y is not relative_gap or any(map(_is_certified, own))]


def _caption(kind: Kind, loss: str, beside: list[Spec]) -> str:
    panels = "" if loss == catalogue.NO_LOSS else "; a panel for each C"
    same = kind.y is error and beside
    others = " Algorithms that minimise no loss have no C: they are the same in every panel." if same else ""
    return f"{kind.title[0].upper()}{kind.title[1:]}{panels}. {kind.caption}{others}"


def relative_gap(curve: "pd.DataFrame", best: float) -> np.ndarray:
    """(primal - dual) / optimum."""
    return curve["gap"].to_numpy() / abs(best)


def suboptimality(curve: "pd.DataFrame", best: float) -> np.ndarray:
    """(primal - optimum) / optimum, NaN once it is rounding."""
    above = (curve["primal"].to_numpy() - best) / abs(best)
    return np.where(above > SMALLEST, above, np.nan)


def error(curve: "pd.DataFrame", best: float) -> np.ndarray:
    """Test error in percent."""
    return 100 * curve["test_error"].to_numpy()


OWN_SECONDS = "Wall seconds of the algorithm alone: evaluation and compilation do not count."
BEST = "The optimum is the least primal value of all runs of the grid on that problem."
GAP, ABOVE = "(primal - dual) / optimum", "(primal - optimum) / optimum"
NO_GAP, NO_ERROR = "no run has a duality gap", "no run has a test error"
KINDS = {
    "gap-passes": Kind(
        "relative gap against passes", GAP, "passes", relative_gap, True,
        f"Passes are examples visited / n, searches for a step size included. {BEST}", NO_GAP,
    ),
    "gap-seconds": Kind(
        "relative gap against time", GAP, "wall_seconds", relative_gap, True, f"{OWN_SECONDS} {BEST}", NO_GAP
    ),
    "primal-seconds": Kind(
        "primal suboptimality against time", ABOVE, "wall_seconds", suboptimality, True,
        f"{OWN_SECONDS} {BEST} The run that has it ends at no finite height.", "no run has a finite primal value",
    ),
    "error-passes": Kind(
        "test error against passes", "test error (%)", "passes", error, False,
        "The share of wrong decisions on the test split.", NO_ERROR,
    ),
    "error-seconds": Kind(
        "test error against time", "test error (%)", "wall_seconds", error, False,
        f"The share of wrong decisions on the test split. {OWN_SECONDS}", NO_ERROR,
    ),
}  # fmt: skip
PROFILE = (
    "For each tolerance, the fraction of problems (data, loss, C and seed) that an algorithm solves within so "
    "many times the wall seconds of the fastest on that problem. Solved: (primal - bound) / primal stays within "
    "the tolerance, with the bound the greatest dual value of all runs of the grid on that problem, so that an "
    "algorithm without a good dual of its own counts like the others."
)


def problems(specs: list[Spec]) -> list[Group]:
    """The specs by problem, in the order of their data, loss and falling C."""

    def problem(spec: Spec) -> tuple:
        return spec.data, spec.test or "", spec.loss, spec.penalty, -spec.C

    groups = groupby(sorted(specs, key=problem), key=problem)
    return [((*key[:4], -key[4]), list(group)) for key, group in groups]


def labels(specs: list[Spec]) -> dict[Spec, str]:
    """The name of each spec's algorithm: with those parameters, threads and passes in which it differs."""
    return {spec: _name(spec, [other for other in specs if other.algorithm == spec.algorithm]) for spec in specs}


def _name(spec: Spec, others: list[Spec]) -> str:
    said = [
        f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in spec.params
        if any(dict(other.params)[key] != value for other in others)
    ]
    if any(other.threads != spec.threads for other in others):
        said.append(f"{spec.threads} threads")
    return ", ".join([catalogue.label(spec.algorithm), *said])


def _panels(specs: list[Spec], beside: list[Spec], kind: Kind, runs: Runs) -> "Drawn":
    """A panel for each problem of ``specs`` that has something to show, with ``beside`` in all of them."""
    names = labels([*specs, *beside])
    look = looks(names)
    shown, empty = [], []
    for problem, members in problems(specs):
        present = runs.present([*members, *beside])
        best = curves.optimum(runs.present(members)).primal
        if any(np.isfinite(kind.y(curves.own(run), best)).any() for run in present):
            shown.append((problem, members, best))
        else:
            empty.append(f"{_titled(problem)} ({kind.missing if present else 'no run is finished'})")
    columns = min(2 if len(shown) in (2, 4) else 3, max(1, len(shown)))
    figure, panels = style.panels(max(1, -(-len(shown) // columns)), columns, height=3.0, width=3.9)
    entries = {}
    for axes, (problem, members, best) in zip(panels.flat, shown, strict=False):
        for name in look:
            seeds = runs.present([spec for spec in [*members, *beside] if names[spec] == name])
            line = style.line(
                axes, seeds, lambda curve, best=best: kind.y(curve, best), kind.x, label=name, **look[name]
            )
            if line is not None and len(line.get_ydata()):
                entries[name] = line
        x_label = style.PASSES if kind.x == "passes" else "seconds"
        axes.set(title=_titled(problem), xlabel=x_label, ylabel=kind.label)
        _scale(axes, kind.log)
    for axes in panels.flat[len(shown) :]:
        axes.remove()
    if empty:
        figure.suptitle("left out: " + "\n".join(empty), fontsize=8.5, color="#777777")
    style.legend_below(figure, entries)
    return figure


def _titled(problem: Problem) -> str:
    """The title of a problem's panel: C, and the penalty if it is not l2."""
    _, _, loss, penalty, C = problem
    if loss == catalogue.NO_LOSS:
        return "no loss"
    if penalty == catalogue.NO_PENALTY:
        return "no penalty"
    return f"C = {C:g}" + ("" if penalty == "l2" else f", {penalty}")


def _scale(axes: "Axes", log: bool) -> None:
    axes.set_xlim(left=0)
    if log:
        style.log_ticks(axes.yaxis)
    else:  # the first errors would hide the rest
        early = EARLY * axes.get_xlim()[1]
        drawn = [line for line in axes.lines if len(line.get_ydata())]
        later = [y for line in drawn for x, y in line.get_xydata() if x >= min(early, line.get_xdata()[-1])]
        least = min(y for line in drawn for y in line.get_ydata())
        margin = 0.06 * (max(later) - least) or 1.0
        axes.set_ylim(max(0, least - margin), max(later) + margin)


def looks(names: dict[Spec, str]) -> dict[str, dict]:
    """A line's look by its name: the algorithm's colour and dash, further ones for its variants."""
    found: dict[str, dict] = {}
    fixed = {style.COLOURS.get(spec.algorithm) for spec in names}
    spare = cycle(colour for colour in style.CYCLE if colour not in fixed)
    dashes = {algorithm: cycle((dash, *style.VARIANTS)) for algorithm, dash in style.DASHES.items()}
    for spec, name in names.items():
        if name not in found:
            colour = style.COLOURS.get(spec.algorithm)
            taken = colour is None or any(look["color"] == colour for look in found.values())
            colour = next(spare) if taken else colour
            dash = next(dashes.setdefault(spec.algorithm, cycle(style.VARIANTS)))
            free = [
                d for d in (dash, "-", *style.VARIANTS) if {"color": colour, "linestyle": d} not in found.values()
            ]
            found[name] = {"color": colour, "linestyle": (free or [dash])[0]}
    return found


def draw_profile(specs: list[Spec], runs: Runs) -> "Drawn":
    figure, panels = style.panels(1, len(LEVELS), height=3.1, width=3.5)
    names = labels(specs)
    look = looks(names)
    groups = problems(specs)
    seconds = {level: profile_seconds(groups, names, level, runs) for level in LEVELS}
    entries = {}
    for axes, level in zip(panels[0], LEVELS, strict=True):
        ratios = {name: _ratios(seconds[level], name) for name in look}
        finite = [r for values in ratios.values() for r in values if np.isfinite(r)]
        right = max(2.0, 1.15 * max(finite, default=1.0))
        for name, values in ratios.items():
            xs = np.sort([r for r in values if np.isfinite(r)])
            count = max(1, len(seconds[level]))
            shares = np.arange(1, len(xs) + 1) / count
            xs = np.concatenate([[1], xs, [right]])
            shares = np.concatenate([[0], shares, [len(shares) / count]])
            (entries[name],) = axes.plot(xs, shares, drawstyle="steps-post", label=name, **look[name])
        axes.set_xlim(1, right)
        style.log_ticks(axes.xaxis)
        axes.set_ylim(-0.03, 1.05)
        if not finite:
            axes.text(0.5, 0.5, "no run gets there", transform=axes.transAxes, ha="center", color="#777777")
        axes.set(title=f"to {level:g}", xlabel="seconds / fastest", ylabel="fraction of problems")
    style.legend_below(figure, entries)
    return figure


def profile_seconds(
    groups: list[Group], names: dict[Spec, str], level: float, runs: Runs
) -> list[dict[str, float]]:
    """For each problem and seed, the seconds in which each algorithm solves it; maybe infinite.

    Where nothing is drawn at random, an algorithm has one seed, which then stands for all. A problem with a run of
    another machine than the others is left out.
    """
    found = []
    for _, members in groups:
        bound = curves.optimum(runs.present(members)).dual
        by_name: dict[str, dict[int, float]] = {}
        for spec in members:
            if (run := runs[spec]) is not None:
                seconds = curves.seconds_to(curves.own(run), bound, level)
                by_name.setdefault(names[spec], {})[spec.seed] = seconds
        for seed in sorted({spec.seed for spec in members}):
            of_seed = {
                name: seconds.get(seed, next(iter(seconds.values())) if len(seconds) == 1 else np.inf)
                for name, seconds in by_name.items()
            }
            if not np.isnan([*of_seed.values()]).any():
                found.append(of_seed)
    return found


def _ratios(seconds: list[dict[str, float]], name: str) -> list[float]:
    """Seconds over those of the fastest, one a problem; infinity where it is not solved."""
    ratios = []
    for problem in seconds:
        fastest = min(problem.values(), default=np.inf)
        own = problem.get(name, np.inf)
        ratios.append(own / fastest if np.isfinite(own) and fastest > 0 else np.inf)
    return ratios
