"""Figures for any grid of runs: distance to the optimum, gap, error curves, and a performance profile.

The optimum of a problem is the least primal value of the grid's runs on it. A run with a dual value has a relative
gap, ``(primal - dual) / |primal|``. A distance is ``(primal - bound) / |primal|``. The bound is the greatest dual
value of the grid's runs on the problem. So no run is farther from the optimum. Runs without a loss have only
errors, drawn in the panels of the other runs.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import numpy as np

from structbench.algorithms.learning import declaration
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import (
    crowds,
    curves,
    error_by_strength,
    method_looks,
    plotted,
    profiles,
    sparsity,
    style,
)
from structbench.bench.drawing.curves import Curve
from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.plotted import Axes, Drawn
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.datasets.references import file_names
from structbench.datasets.references.data_ref import FOLD

WIDE = 5.0  # inches: of panels that are wider a row has two
EARLY = 0.1  # of the x axis, where an error may leave the frame


class Kind(NamedTuple):
    """A kind of figure: ``y`` of a curve, given the problem's optimum, against passes or seconds."""

    title: str
    label: str
    x: str
    y: Callable[[Curve, curves.Optimum], np.ndarray]
    log: bool
    caption: str
    missing: str  # why a panel is empty although its runs are there


def figures(name: str, specs: list[Spec], wanted: Collection[str] = ()) -> dict[str, Figure]:
    """The figures of a grid, by file stem: some for each data set and loss, and one profile.

    Args:
        wanted: Kinds of figures, of ``ALL``; if there are none, those that suit the runs.

    Raises:
        UserError: The runs have nothing to show in any kind that is wanted.
    """
    everything, drawn, first = specs, {}, {}
    for spec in specs:
        first.setdefault((spec.data.whole, spec.data.folds), spec.data)
    specs = [spec for spec in specs if spec.data in first.values()]  # of folds one stands for all
    groups = defaultdict(lambda: defaultdict(list))
    for spec in specs:
        groups[spec.data, spec.test or ""][spec.loss].append(spec)
    for (data, test), loss in sorted((place, loss) for place, losses in groups.items() for loss in losses):
        losses = groups[data, test]
        if loss == declaration.NO_LOSS and len(losses) > 1:
            continue  # the figures of the other losses show these runs
        own, beside = losses[loss], losses.get(declaration.NO_LOSS, []) if loss != declaration.NO_LOSS else []
        fold = re.sub(FOLD, r"fold-\1-of-\2", data.options["validation"] or "") if data.folds else ""
        parts = data.whole.shown, fold, file_names.stem(test) if test else "", loss
        called = method_looks.problems(losses[loss])[0][0].title
        stem = re.sub(r"[^A-Za-z0-9.=-]+", "-", "-".join(filter(None, parts))).strip("-")
        if any(other.startswith(f"{stem}-") for other in drawn):  # two data sets can give one file name
            stem += f"-{sha256(f'{data} {test} {loss}'.encode()).hexdigest()[:6]}"
        objective = "no loss" if loss == declaration.NO_LOSS else f"{loss} loss"
        for kind in _kinds(own, beside, wanted):
            shown = beside if KINDS[kind].y is error else []
            drawn[f"{stem}-{kind}"] = Figure(
                f"{name}: {KINDS[kind].title}, {called}, {objective}",
                _caption(KINDS[kind], own, shown),
                partial(_panels, own, shown, KINDS[kind]),
            )
        if sparsity.paths(own) and (not wanted or SPARSITY in wanted):
            title = f"{name}: nonzero weights and errors against A, {called}, {objective}"
            drawn[f"{stem}-{SPARSITY}"] = Figure(title, sparsity.CAPTION, partial(sparsity.draw_paths, own))
    certified = [spec for spec in specs if method_looks.certifiable(spec)]
    if certified and (PROFILE in wanted or (not wanted and profiles.suits(certified))):
        drawn[PROFILE] = Figure(
            f"{name}: performance profile", profiles.caption(certified), partial(profiles.draw_profiles, certified)
        )
    several = len({spec.C for spec in everything if method_looks.certifiable(spec)}) > 1
    if several and (not wanted or STRENGTHS in wanted):
        draw = partial(error_by_strength.draw_errors, everything)
        drawn[STRENGTHS] = Figure(f"{name}: error against C", error_by_strength.CAPTION, draw)
    if not drawn:
        raise UserError(
            f"grid {name!r}: its runs have nothing to show in {' and '.join(wanted)}: leave out figures, "
            "and the kinds that suit them are drawn"
        )
    return drawn


def _kinds(own: list[Spec], beside: list[Spec], wanted: Collection[str]) -> list[str]:
    """Kinds of figures that can show something of runs with one loss, and of runs without any loss."""
    if own[0].loss == declaration.NO_LOSS:
        fitting = [kind for kind in KINDS if KINDS[kind].y is error]
    else:
        fitting = [
            kind for kind in KINDS if KINDS[kind].y is not relative_gap or any(map(method_looks.certifiable, own))
        ]
        if not beside and "error-seconds" not in wanted:
            fitting.remove("error-seconds")
    return [kind for kind in fitting if not wanted or kind in wanted]


def _caption(kind: Kind, own: list[Spec], beside: list[Spec]) -> str:
    said = [] if own[0].loss == declaration.NO_LOSS else ["A panel for each C."]
    said += ["Of the folds, the first is drawn."] * bool(own[0].data.folds)
    said += filter(None, [kind.caption])
    if kind.x == "seconds":
        rate = ", such as SGD's choice of its rate" if any(spec.algorithm == "sgd" for spec in own) else ""
        said.append(f"A curve begins when the set-up of its method ends{rate}.")
        seconds = f"{method_looks.clock_word([*own, *beside])} seconds"
        said.append(f"Seconds are {seconds} of the algorithm alone, without evaluation and compilation.")
    else:
        said += PEERS * any(not method_looks.counts_visits(spec) for spec in [*own, *beside])
    names = method_looks.labels([*own, *beside])
    said += crowds.caption(len({*names.values()}), kind.log, crowds.own(names))
    said += [*method_looks.boxes([*own, *beside]), *method_looks.explained([*own, *beside])]
    if beside:
        said.append("Algorithms that minimise no loss have no C: they are the same in every panel.")
    return " ".join(said)


def relative_gap(curve: Curve, optimum: curves.Optimum) -> np.ndarray:
    """``(primal - dual) / |primal|``, as everywhere."""
    return curve["relative_gap"].to_numpy()


def distance(curve: Curve, optimum: curves.Optimum) -> np.ndarray:
    """``(primal - bound) / |primal|``; without a bound, the least primal value stands for it."""
    return curves.distance(curve, optimum.dual if np.isfinite(optimum.dual) else optimum.primal)


def error(curve: Curve, optimum: curves.Optimum) -> np.ndarray:
    """Test error in percent."""
    return 100 * curve["test_error"].to_numpy()


BOUND = (
    "At most: (primal - bound) / |primal|, with the greatest dual value of all runs of the grid on that problem "
    "as bound. Where no run has a dual value, the least primal value is the bound, and distances are too small."
)
SHARE = "The share of wrong decisions on the test split."
GAP, DISTANCE, ERROR = "(primal - dual) / |primal|", "distance to optimum, at most", "test error (%)"
NO_GAP, NO_ERROR = "no run has a duality gap", "no run has a test error"
UNTIMED = "its runs are of other machines or versions: their seconds do not compare"
PEERS = ["Programs of others count iterations, not passes: the figures against time have them."]
KINDS = {
    "distance-seconds": Kind(
        "distance to the optimum against time", DISTANCE, "seconds", distance, True, BOUND,
        "no run has a finite primal value",
    ),
    "gap-passes": Kind(
        "relative gap against passes", GAP, "passes", relative_gap, True,
        "Passes are examples visited / n, searches for a step size included.", NO_GAP,
    ),
    "gap-seconds": Kind("relative gap against time", GAP, "seconds", relative_gap, True, "", NO_GAP),
    "error-passes": Kind("test error against passes", ERROR, "passes", error, False, SHARE, NO_ERROR),
    "error-seconds": Kind("test error against time", ERROR, "seconds", error, False, SHARE, NO_ERROR),
}  # fmt: skip
PROFILE, SPARSITY, STRENGTHS = "profile", "sparsity", "error-C"
ALL = (*KINDS, PROFILE, SPARSITY, STRENGTHS)


def _panels(specs: list[Spec], beside: list[Spec], kind: Kind, runs: Runs) -> Drawn:
    """A panel for each problem of ``specs`` that has something to show, with ``beside`` in all of them."""
    if kind.x == "passes":
        specs, beside = (method_looks.counted(given) for given in (specs, beside))
    every = [*specs, *beside]
    names = method_looks.labels(every)
    look = method_looks.looks(names)
    x, x_label = kind.x, style.PASSES
    if kind.x == "seconds":
        x, x_label = method_looks.clock(every), f"{method_looks.clock_word(every)} seconds"
    shown, empty = [], []
    for problem, members in method_looks.problems(specs):
        present = [curves.own(run) for run in runs.present([*members, *beside])]
        best = curves.optimum(runs.present(members))
        there = [(curve[x].to_numpy(), np.isfinite(kind.y(curve, best))) for curve in present]
        if any((np.isfinite(at) & is_finite).any() for at, is_finite in there):
            shown.append((problem, members, best))
            continue
        why = kind.missing if present else "no run is finished"
        untimed = any(is_finite.any() for _, is_finite in there)
        empty.append(f"{problem.strength} ({UNTIMED if untimed else why})")
    left_out = "left out: " + "\n".join(empty)
    if not shown:
        return style.sentence(left_out)
    width = crowds.width([*look])
    columns = min(2 if len(shown) in (2, 4) or width > WIDE else 3, len(shown))
    figure, panels = style.panels(-(-len(shown) // columns), columns, height=3.0, width=width)
    for axes, (problem, members, best) in zip(panels.flat, shown, strict=False):
        named = {spec: names[spec] for spec in [*members, *beside]}
        lines = crowds.lines_by_name(axes, runs, named, look, lambda curve, best=best: kind.y(curve, best), x)
        axes.set(title=problem.strength, xlabel=x_label, ylabel=kind.label)
        scale(axes, kind.log)
        rank, poor = (crowds.by_level, crowds.POOR) if kind.log else (crowds.by_end, np.inf)
        crowds.label_best(axes, lines, rank, poor, crowds.own(named))
    for axes in panels.flat[len(shown) :]:
        axes.remove()
    if empty:
        figure.suptitle(left_out, fontsize=8.5, color="#777777")
    return figure


def scale(axes: Axes, log: bool) -> None:
    """Begin x at 0. Make y logarithmic, or leave out the first values where they would hide the rest."""
    axes.set_xlim(left=0)
    if log:
        style.log_ticks(axes.yaxis)
    else:
        early = EARLY * axes.get_xlim()[1]
        drawn = plotted.lines(axes)
        later = [y for line in drawn for y in line.y[line.x >= min(early, line.x[-1])]]
        least = min(line.y.min() for line in drawn)
        margin = 0.06 * (max(later) - least) or 1.0
        axes.set_ylim(max(0, least - margin), max(later) + margin)
