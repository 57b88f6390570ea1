"""Draw Figure 1 of bcfw2013, and below each panel the test errors of Figures 3 and 4."""

from functools import partial

from structbench.bench.drawing import colours, method_looks, style
from structbench.bench.papers.bcfw2013.runs import ERROR, TITLES, WAYS, Panel
from structbench.bench.papers.measured import above_optimum
from structbench.bench.papers.panels import later, log
from structbench.bench.papers.terms import Drawn, Registry, Runs

draws = Registry()
MOST = {"ocr-large": 1.0, "ocr-middle": 10.0, "ocr-small": 10.0, "conll-small": 5.0}  # of the paper's axes
ERRORS = 2.2  # times the least error: there the paper's axes end


@draws("fig01")
def fig01(panels: dict[str, Panel], runs: Runs) -> Drawn:
    figure, axes = style.panels(2, len(panels), height=3.2, width=3.6)
    coloured = colours.picture_colours(algorithm for algorithm, _ in WAYS.values())
    for (name, panel), (upper, lower) in zip(panels.items(), axes.T, strict=True):
        optimum, ends = panel.optimum(runs).dual, []
        for way, (algorithm, params) in WAYS.items():
            made, about = runs.present(panel.of(way)), {"color": coloured[algorithm], "label": way}
            look = method_looks.look(algorithm, **params) | about
            n = made[0].summary["num_examples"] if made else 1
            style.line(upper, made, later(partial(above_optimum, optimum, n), 0.0), **look)
            line = style.line(lower, made, later(lambda curve: 100 * curve[ERROR]), **look)
            ends += [line.y.min()] if line else []
        upper.set(title=TITLES[name], ylabel="suboptimality of problem (1)", xlabel=style.PASSES)
        lower.set(ylabel="test error (percent)", xlabel=style.PASSES)
        log(upper, "y")
        if ends:
            upper.set_ylim(top=MOST[name])
        if least := min(ends, default=0.0):
            lower.set_ylim(0.95 * least, ERRORS * least)
        for each in (upper, lower) if name.startswith("conll") else ():
            log(each, "x")
    return style.legend_above(figure)
