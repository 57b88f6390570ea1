"""Draw Figure 1 of bcfw2013, and below each panel the test errors of Figures 3 and 4."""

from functools import partial
from typing import Any

from structbench.bench.drawing import colours, style
from structbench.bench.papers.bcfw2013.runs import ERROR, TITLES, WAYS, Panel
from structbench.bench.papers.measured import above_optimum
from structbench.bench.papers.panels import later, log
from structbench.bench.papers.terms import Drawn, Registry, Runs

draws = Registry()
MOST = {"ocr-large": 1.0, "ocr-middle": 10.0, "ocr-small": 10.0, "conll-small": 5.0}  # of the paper's axes
ERRORS = 2.2  # times the least error: there the paper's axes end
HUES = {  # method -> the family whose hue it has: FW has the one of batch methods, to stand apart from BCFW
    "BCFW": "coordinate_ascent",
    "SSG": "gradient",
    "online": "exponentiated_gradient",
    "FW": "batch",
    "cutting plane": "cutting_planes",
}
DASHES = {"wavg": (0, (5, 1.5)), "avg": (0, (1, 1))}  # of averages; last weights have a whole line


@draws("fig01")
def fig01(panels: dict[str, Panel], runs: Runs) -> Drawn:
    figure, axes = style.panels(2, len(panels), height=3.2, width=3.6)
    for (name, panel), (upper, lower) in zip(panels.items(), axes.T, strict=True):
        optimum, ends = panel.optimum(runs).dual, []
        for way in WAYS:
            made, look = runs.present(panel.of(way)), _look(way)
            n = made[0].summary["num_examples"] if made else 1
            style.line(upper, made, later(partial(above_optimum, optimum, n), 0.0), **look)
            line = style.line(lower, made, later(lambda curve: 100 * curve[ERROR]), **look)
            ends += [line.y.min()] if line else []
        upper.set(title=TITLES[name], ylabel="objective above the optimum", xlabel=style.PASSES)
        lower.set(ylabel="test error (percent)", xlabel=style.PASSES)
        log(upper, "y")
        if ends:
            upper.set_ylim(top=MOST[name])
        if least := min(ends, default=0.0):
            lower.set_ylim(0.95 * least, ERRORS * least)
        for each in (upper, lower) if name.startswith("conll") else ():
            log(each, "x")
    return style.legend_above(figure)


def _look(way: str) -> dict[str, Any]:
    """A hue for each method, and a dash for each average of its weights."""
    method, _, average = way.partition("-")
    return {"label": way, "color": colours.HUES[HUES[method]], "linestyle": DASHES.get(average, "-")}
