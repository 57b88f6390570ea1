"""Figures of single slides: the stoplights, the documents, what the alphas are, kernels on more digits."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import plotted, style
from structbench.bench.drawing.tables import Rows
from structbench.bench.papers.klein2011 import setting as ways
from structbench.bench.papers.klein2011.runs import OVERLAPPING, Scale, spec_of
from structbench.bench.papers.panels import log
from structbench.bench.runs import problems
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run, weights_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

BOTH_RED, ONE_RED = (2.0, 0.0, 1.0), (1.0, 1.0, 1.0)
LIGHTS = {"both red": (BOTH_RED, "#D55E00"), "one red": (ONE_RED, "#0072B2")}
SLIDE = ((1, 1, -1, -2), (1, -1, 1, -2), (-2, -1, -1, 1))  # "Linear Models: Scoring": by class, words in order
LEARNERS = (ways.AVERAGED, ways.MIRA, ways.PLANE_SVM, ways.PLANE_LOG)  # of the documents
ZERO = 1e-6
ALPHAS = {"0 in the end": "#999999", "between 0 and 1 / C": "#D55E00", "1 / C in the end": "#0072B2"}
COLOURS = ("#333333", "#56B4E9", "#E69F00", "#D55E00", "#0072B2", "#009E73")
BY_SIZE = {  # fields of a run's summary, drawn against n
    "test error (%)": ("test_error", 100.0),
    "CPU seconds of learning": ("cpu_seconds", 1.0),
    "seconds to predict": ("test_seconds", 1.0),
}


def needed(scale: Scale) -> list[Spec]:
    """Return the runs of the stoplights, the documents and the alphas."""
    return [*_at_lights().values(), *_on_documents().values(), *_of_alphas(scale)]


def _at_lights() -> dict[str, Spec]:
    return {name: spec_of(way, ways.STOPLIGHTS, 0, 500.0, ways.LEVEL) for name, way in ways.LIGHTS.items()}


def _on_documents() -> dict[str, Spec]:
    return {way.name: spec_of(way, ways.DOCUMENTS, 0, 200.0, ways.LEVEL) for way in LEARNERS}


def _of_alphas(scale: Scale) -> list[Spec]:
    """Return runs of the same SVM on overlapping points; each continues where the one before it ends."""
    data = scale.plane(OVERLAPPING, 0)
    return [spec_of(ways.DUAL, data, 0, passes, 1e-6) for passes in scale.dual]


def on_digits(scale: Scale) -> list[Spec]:
    """Return all runs on more and more digits."""
    return [spec for way in ways.BY_SIZE for each in scale.by_size(way).values() for spec in each]


def posterior(run: Run, lights: tuple[float, ...]) -> float:
    """Return P(broken | lights) = exp(score) / sum of exp(scores) under the run's weights."""
    scores = np.array(lights) @ weights_of(run).reshape(len(lights), -1)
    shares = np.exp(scores - scores.max())
    return float(shares[1] / shares.sum())


def stoplights(scale: Scale, runs: Runs) -> "Drawn":
    """Draw P(broken) when both lights are red, and when one is, by naive Bayes and by other learners."""
    figure, ((axes,),) = style.panels(1, 1, height=3.3, width=6.4)
    present = {name: run for name, spec in _at_lights().items() if (run := runs[spec]) is not None}
    for side, (name, (lights, colour)) in zip((-0.19, 0.19), LIGHTS.items(), strict=True):
        heights = [posterior(run, lights) for run in present.values()]
        places = np.arange(len(heights)) + side
        bars = axes.bar(places, heights, 0.36, color=colour, label=f"P(broken | {name})")
        axes.bar_label(bars, [f"{height:.2f}" for height in heights], fontsize=8, padding=2)
    axes.axhline(0.5, color="#777777", linewidth=0.8, linestyle=style.DUAL, label="guess: broken above this")
    names = (f"naive Bayes,\n{n}" if n.startswith("P(b)") else n.replace(", ", ",\n") for n in present)
    axes.set_xticks(range(len(present)), [*names])
    axes.set(ylabel="P(broken | lights)", ylim=(0, 1.12))
    axes.margins(x=0.03)
    style.legend_above(figure)
    return figure


def documents(scale: Scale, runs: Runs) -> Rows:
    """Return the scores of the first document and the class that wins, for each weight vector."""
    found = {name: run for name, spec in _on_documents().items() if (run := runs[spec]) is not None}
    problem, _ = problems.obtain(ways.DOCUMENTS)
    x = problem.train.x.dense[0]
    weights = {"the slide's weights": np.array(SLIDE, float).T}
    weights |= {name: weights_of(run).reshape(len(x), -1) for name, run in found.items()}
    rows = []
    for name, W in weights.items():
        scores = x @ W
        told = {label: f"{score:.3g}" for label, score in zip(problem.labels, scores, strict=True)}
        rows.append({"learner": name} | told | {"predicted": problem.labels[int(scores.argmax())]})
    return rows


def alphas(scale: Scale, runs: Runs) -> "Drawn":
    """Draw each point's alpha and the number of support vectors against passes.

    klein2011, "What are the Alphas?": one constraint each, 0 if it is inactive, positive on the support vectors.
    """
    figure, ((left, right),) = style.panels(1, 2, height=3.3, width=4.4)
    if found := runs.present(_of_alphas(scale)):
        passes = [run.summary["passes"] for run in found]
        each = np.array([np.abs(weights_of(run).reshape(-1, 2)).max(axis=1) for run in found])
        last, bound = each[-1], 1.0 / ways.DUAL.C
        kinds = np.where(last <= ZERO * bound, 0, np.where(last < (1 - 1e-3) * bound, 1, 2))
        for k, (name, colour) in enumerate(ALPHAS.items()):
            for rank, values in enumerate(each[:, kinds == k].T):
                label = f"_{plotted.OF}{name}" if rank else name
                left.plot(passes, values, color=colour, linewidth=0.9, label=label)
        look = {"marker": "o", "markersize": 3.6, "color": "#0072B2", "label": "support vectors"}
        right.plot(passes, (each > ZERO * bound).sum(axis=1), **look)
        log(left, "x")
        log(right, "x")
        right.set_ylim(bottom=0)
        right.margins(x=0.04)
    left.set(xlabel="passes", ylabel="alpha of each point", title="dual variables")
    right.set(xlabel="passes", ylabel="points with alpha above 0", title="support vectors")
    style.legend_above(figure)
    return figure


def kernels(scale: Scale, runs: Runs) -> "Drawn":
    """Draw error, training seconds and prediction seconds against the number of training images."""
    figure, panels = style.panels(1, len(BY_SIZE), height=3.4, width=3.6)
    for axes, (label, (name, unit)) in zip(panels[0], BY_SIZE.items(), strict=True):
        for way, colour in zip(ways.BY_SIZE, COLOURS, strict=True):
            found = {n: runs.present(each) for n, each in scale.by_size(way).items()}
            values = {n: [unit * run.summary[name] for run in each] for n, each in found.items() if each}
            if not values or not np.isfinite([v for each in values.values() for v in each]).all():
                continue
            if name == "cpu_seconds" and way.algorithm == "nearest-neighbours":
                continue  # it trains nothing: its seconds are for prediction
            dashed = way is ways.KERNELS["linear"]  # which makes the same mistakes as the primal perceptron
            look = {"color": colour, "label": way.name, "linestyle": style.DUAL if dashed else "-"}
            axes.plot([*values], [np.mean(each) for each in values.values()], marker="o", markersize=3.6, **look)
            ends = np.array([(min(each), max(each)) for each in values.values()]).T
            axes.fill_between([*values], *ends, color=colour, alpha=0.22, linewidth=0, label=plotted.OF + way.name)
        axes.set(xlabel="training images", ylabel=label)
        log(axes, "xy")
        if axes.lines:
            axes.margins(x=0.05)
    style.legend_above(figure)
    return figure


DRAWN = {"stoplights": stoplights, "table-documents": documents, "alphas": alphas, "kernels": kernels}
