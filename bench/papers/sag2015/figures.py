"""Draw the objective minus its optimum, and the test error, of several methods against passes, by data set."""

from collections.abc import Sequence
from functools import partial

from structbench.bench.drawing import colours, method_looks, style
from structbench.bench.papers.measured import above_optimum
from structbench.bench.papers.panels import fit_y, later, log, percent
from structbench.bench.papers.sag2015.runs import METHODS, SECOND, Task
from structbench.bench.papers.terms import Drawn, Runs

SMALLEST = 1e-7  # an objective nearer to the optimum is not drawn
EARLY = 0.4  # of a line's points, where an error may leave the frame
OF_SAG = ("OEG", "SAG-NUS*", "L-BFGS", "SG", "ASG", "AdaGrad", "SAG-NUS", "Hybrid", "SAG", "Pegasos")
TUNED = ("SG", "ASG", "AdaGrad")
OF_ERRORS = ("SAG-NUS*", "L-BFGS", *TUNED, "Hybrid", *(f"{method}{SECOND}" for method in TUNED))
OF_SDCA = ("OEG", "SAG-NUS*", "SDCA", "SDCA, gap", "SDCA, gap+", "SDCA, importance", "SDCA, max")
HUES = [*colours.HUES.values()]  # one a line: nearly all methods are of two families
COLOURS: dict[str, str] = dict(zip(OF_SAG + OF_SDCA[2:], HUES[: len(OF_SAG)] + HUES[2:], strict=False))
OBJECTIVE, ERROR = "objective minus optimum", "test error, %"
SHOWN = {
    "fig01": (OF_SAG, OBJECTIVE),
    "fig02": (OF_ERRORS, ERROR),
    "sdca-objective": (OF_SDCA, OBJECTIVE),
    "sdca-error": (OF_SDCA, ERROR),
}


def draw(methods: Sequence[str], quantity: str, tasks: list[Task], runs: Runs) -> Drawn:
    figure, panels = style.panels(1, len(tasks), height=3.4)
    entries = {}
    for task, axes in zip(tasks, panels[0], strict=True):
        optimum = task.optimum(runs).dual
        for method in methods:
            if found := task.found(method, runs):
                n = found[0].summary["num_examples"]
                y = percent if quantity == ERROR else partial(above_optimum, optimum, n)
                name = method.removesuffix(SECOND)
                algorithm, params = METHODS[name]
                look = method_looks.look(algorithm, **params) | {"color": COLOURS[name]}
                look["linestyle"] = "-" if name == method else ":"
                line = style.line(axes, found, later(y, SMALLEST), label=method, **look)
                entries |= {method: line.artist} if line else {}
        axes.set(title=task.name, xlabel=style.PASSES, ylabel=quantity)
        if quantity == ERROR:
            fit_y(axes, skip=EARLY)
        else:
            log(axes, "y")
    return style.legend_below(figure, entries)
