"""Figures and tables of laso2005: F1 by beam size, Tables 1 to 3, update rules, alpha, and Theorem 4's bound."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product

import numpy as np

from structbench.bench.drawing import colours, method_looks, plotted, style
from structbench.bench.drawing.intervals import percentiles
from structbench.bench.papers.laso2005 import runs as made
from structbench.bench.papers.laso2005 import scores
from structbench.bench.papers.laso2005.runs import BEAMS, CHUNKING, GROUPS, JOINT, SAID, WAYS, Task, matrix
from structbench.bench.papers.laso2005.scores import Trained
from structbench.bench.papers.panels import cell, log, widen
from structbench.bench.papers.terms import Drawn, Registry, Rows, Runs

draws = Registry()
_percent = partial(cell, form=".2f", scale=100)
TITLES = {CHUNKING: "chunking", JOINT: "joint tagging and chunking"}
UPDATES = {"perceptron": "perceptron updates", "alma": "large margin updates"}
COLOURS = {"perceptron": style.CYCLE[0], "alma": colours.colour("laso")}
POINTS = 2.0  # of F, the least that an axis shows: Table 1's range is 2
F = "F of chunks (percent)"
THEIR_THEOREM = ("sentences, theirs", "corrections, theirs", "bound, theirs")


@draws("f-against-beam")
def f_against_beam(task: Task, runs: Runs) -> Drawn:
    figure, panels = style.panels(2, 2, height=3.0, width=4.4)
    for (upper, lower), kind in zip(panels.T, TITLES, strict=True):
        beams = BEAMS[kind]
        for update, name in UPDATES.items():
            found = {k: Trained(task, runs, made.laso(update, beam), kind) for k, beam in enumerate(beams)}
            there = {k: one.choice.passes for k, one in found.items() if one.choice}
            seconds = [found[k].mean("cpu_seconds") / passes for k, passes in there.items()]
            look = {"marker": "s", "markersize": 4.5, "color": COLOURS[update], "label": name}
            if there:
                plotted.line(upper, [*there], [100 * found[k].mean("test_f1") for k in there], **look)
                _, low, high = np.transpose([percentiles(100 * found[k].f1_samples()) for k in there])
                if np.isfinite(high - low).all():
                    plotted.band(upper, [*there], low, high, name, color=COLOURS[update], alpha=style.BAND)
            if np.isfinite(seconds).any():
                plotted.line(lower, [*there], seconds, **look)
        for other in (made.SEMI_CRF, made.PERCEPTRON) if kind == CHUNKING else ():
            if (one := Trained(task, runs, other, kind)).choice:
                look = method_looks.look(other.algorithm) | {"label": other.name, "linestyle": style.REFERENCE}
                plotted.level(upper, 100 * one.mean("test_f1"), **look)
        upper.set(title=TITLES[kind], ylabel=F)
        lower.set(ylabel="CPU seconds a pass", xlabel="beam of training and of decoding")
        for axes in (upper, lower):
            plotted.ticks(axes.xaxis, range(len(beams)), ["∞" if beam == "inf" else str(beam) for beam in beams])
            axes.margins(x=0.05)
        widen(upper, POINTS)
        log(lower, "y")
    return style.legend_above(figure)


@draws("decoding")
def decoding(task: Task, runs: Runs) -> Drawn:
    figure, ((axes,),) = style.panels(1, 1, height=3.6, width=4.6)
    beams = task.matrix
    values = np.full((len(beams), len(beams)), np.nan)
    for (train, test), specs in matrix(task).items():
        values[beams.index(train), beams.index(test)] = 100 * scores.f1_after(runs, specs, task.matrix_passes)
    shown = plotted.cells(axes, values, cmap="viridis")
    middle = (np.nanmin(values) + np.nanmax(values)) / 2 if np.isfinite(values).any() else 0.0
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            ink = "white" if value < middle else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink, fontsize=8.5)
    for axis in (axes.xaxis, axes.yaxis):
        plotted.ticks(axis, range(len(beams)), [str(beam) for beam in beams])
    title = f"{F}, large margin updates"
    axes.set(xlabel="beam of decoding", ylabel="beam of training", title=title)
    axes.grid(visible=False)
    figure.colorbar(shown.artist, ax=axes, shrink=0.9)
    return figure


@draws("table1")
def table1(task: Task, runs: Runs) -> Rows:
    names = ("Pre", "Rec", "F")
    columns = ("test_precision", "test_recall", "test_f1")
    return _beside("table1", CHUNKING, names, task, runs, lambda one: map(one.mean, columns))


@draws("table2")
def table2(task: Task, runs: Runs) -> Rows:
    def read(one: Trained) -> Iterable[float]:
        return *(1 - one.mean(f"test_{name}error") for name in ("tag_", "chunk_", "")), one.mean("test_f1")

    return _beside("table2", JOINT, ("Tag", "Chn", "Jnt", "F"), task, runs, read)


def _beside(
    table: str, kind: str, names: tuple[str, ...], task: Task, runs: Runs,
    read: Callable[[Trained], Iterable[float]],
) -> Rows:  # fmt: skip
    """Return what was chosen for each way, seconds and these shares, ours and theirs; first who is theirs only."""
    theirs, heads = SAID[table], ("train", "test", *names)
    first = next(iter(theirs))
    for name, way in [(first, None), *((way.name, way) for way in GROUPS[table])]:
        row = {"model": name, "chosen": "-"}
        row |= {f"{head}, ours": "-" for head in heads}
        row |= dict(zip((f"{head}, theirs" for head in heads), theirs.get(name, "-" * len(heads)), strict=True))
        if way and (found := Trained(task, runs, way, kind)).choice:
            row["chosen"] = f"{found.choice.passes:g} passes" if way.loss is None else f"C = {found.choice.C:g}"
            row["train, ours"] = f"{found.mean('cpu_seconds'):.3g} CPU s"
            row["test, ours"] = f"{found.mean('test_seconds'):.2g} s of wall"
            row |= {f"{head}, ours": _percent(share) for head, share in zip(names, read(found), strict=True)}
        yield row


@draws("table3")
def table3(task: Task, runs: Runs) -> Rows:
    for train in task.matrix:
        ours = {test: scores.f1_after(runs, matrix(task)[train, test], task.matrix_passes) for test in task.matrix}
        theirs = dict(zip(BEAMS[JOINT], SAID["table3"][str(train)], strict=True))
        row = {"training": str(train)} | {f"{test}, ours": _percent(f1) for test, f1 in ours.items()}
        yield row | {f"{test}, theirs": theirs[test] for test in task.matrix}


@draws("table-updates")
def table_updates(task: Task, runs: Runs) -> Rows:
    for (kind, name), way in product({JOINT: "joint", CHUNKING: "chunking"}.items(), GROUPS["updates"]):
        if kind == JOINT or way is not WAYS["max-violation"]:
            found = Trained(task, runs, way, kind)
            f1, passes = (found.mean("test_f1"), found.choice.passes) if found.choice else (np.nan, np.nan)
            yield {"task": name, "update": way.name, "F": _percent(f1), "passes": cell(passes, "g")}


@draws("table-alpha")
def table_alpha(task: Task, runs: Runs) -> Rows:
    usual = WAYS["a5"]
    base = Trained(task, runs, usual, CHUNKING).f1_samples()
    for way in GROUPS["alphas"]:
        trained = Trained(task, runs, way, CHUNKING)
        apart = percentiles(trained.f1_samples() - base)
        told = apart.points() if np.isfinite(apart).all() and way != usual else "-"
        f1 = _percent(trained.mean("test_f1")) if trained.choice else "-"
        yield {"alpha": f"{way.params.get('alpha', 0.9):g}", "F": f1, "less 0.9": told}


@draws("table-theorem4")
def table_theorem4(task: Task, runs: Runs) -> Rows:
    for run in runs.present(task.settled()):
        notes, params = run.summary["notes"], dict(run.spec.params)
        margin, ended = notes.get("margin"), run.summary["status"] in ("finished", "stalled")
        most = scores.bound(margin, params["alpha"]) if margin and margin > 0 else np.nan
        row = {
            "beam": str(params["beam"]),
            "seed": str(run.spec.seed),
            "sentences": str(run.summary["num_examples"]),
            "passes": f"{run.summary['passes']:g}",
            "ended": "nothing left to correct" if ended else "at our limit",
            "corrections": str(notes["updates"]),
            "margin": "-" if margin is None else f"{margin:.3g}",
            "bound": cell(most, ".3g"),
        }
        yield row | dict(zip(THEIR_THEOREM, SAID["theorem4"].get(row["beam"], "---"), strict=True))
