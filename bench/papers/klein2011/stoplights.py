"""The stoplights: P(broken) by naive Bayes, as counted and with a boosted prior, and by other learners."""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.papers.klein2011.runs import spec_of
from structbench.bench.papers.klein2011.setting import LEVEL, LIGHTS, STOPLIGHTS
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run, weights_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

PASSES = 500.0
BOTH_RED, ONE_RED = (2.0, 0.0, 1.0), (1.0, 1.0, 1.0)
MARKS = {"both red": (BOTH_RED, "#D55E00"), "one red": (ONE_RED, "#0072B2")}


def specs() -> list[Spec]:
    """Return a run for each way to weigh."""
    return [spec_of(way, STOPLIGHTS, 0, PASSES, LEVEL) for way in LIGHTS.values()]


def posterior(run: Run, lights: tuple[float, ...]) -> float:
    """Return P(broken | lights) = exp(score) / sum of exp(scores) under the run's weights."""
    scores = np.array(lights) @ weights_of(run).reshape(len(lights), -1)
    shares = np.exp(scores - scores.max())
    return float(shares[1] / shares.sum())


def draw(runs: Runs) -> "Drawn":
    """Draw P(broken) when both lights are red, and when one is."""
    figure, panels = style.panels(1, 1, height=3.3, width=6.4)
    axes = panels[0, 0]
    present = [(name, run) for name, spec in zip(LIGHTS, specs(), strict=True) if (run := runs[spec]) is not None]
    for side, (name, (lights, colour)) in zip((-0.19, 0.19), MARKS.items(), strict=True):
        heights = [posterior(run, lights) for _, run in present]
        places = np.arange(len(heights)) + side
        bars = axes.bar(places, heights, 0.36, color=colour, label=f"P(broken | {name})")
        axes.bar_label(bars, [f"{height:.2f}" for height in heights], fontsize=8, padding=2)
    axes.axhline(0.5, color="#777777", linewidth=0.8, linestyle=style.DUAL, label="guess: broken above this")
    axes.set_xticks(range(len(present)), [_named(name) for name, _ in present])
    axes.set(ylabel="P(broken | lights)", ylim=(0, 1.12))
    axes.margins(x=0.03)
    style.legend_above(figure)
    return figure


def _named(name: str) -> str:
    return f"naive Bayes,\n{name}" if name.startswith("P(b)") else name.replace(", ", ",\n")
