"""Draw Figure 16 of eg2008, and measure its claim, from timed operations of an SGD and an online EG update.

The paper's figure is pseudocode; ``bench.workflow.breakdown`` times its lines several times.
"""

from collections.abc import Sequence

import numpy as np

from structbench.bench.drawing import colours, curves, plotted, style
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.seeds import Seed
from structbench.bench.papers.measured import together_of
from structbench.bench.papers.terms import Drawn, Evidence, Registry, Runs
from structbench.bench.runs import catalogue, results, update_costs

draws, of_all = Registry(), Registry()
ALGORITHMS = ("lbfgs", "sgd", "eg")  # from the bottom up
COLOURS = {
    "inner products": "#0072B2", "marginals": "#56B4E9", "addition": "#009E73", "dual update": "#D55E00",
    "entropy": "#E69F00", "norm": "#CC79A7",
}  # fmt: skip


def _measured(task: Task, runs: Runs, of: str = "microseconds") -> dict[str, np.ndarray] | None:
    """Return the microseconds of each operation of EG, or ``of`` SGD, one value a measurement."""
    found = update_costs.read_update_costs(task.data, runs.root.parent / results.breakdown().name)
    if found is None:
        return None
    return {name: np.atleast_1d(each) for name, each in found.get(of, found["microseconds"]).items()}


@draws("fig16")
def fig16(task: Task, runs: Runs) -> Drawn:
    figure, ((left, right),) = style.panels(1, 2, height=2.0, width=4.4)
    parts = {}
    if _measured(task, runs) is None:
        left.text(0.5, 0.5, "not measured", transform=left.transAxes, ha="center", color="#777777")
    else:
        for name, operations in (("SGD", update_costs.SHARED), ("EG", update_costs.OPERATIONS)):
            parts[name], measured = 0.0, _measured(task, runs, name.lower()) or {}
            for operation in sorted(operations, key=lambda operation: operation not in update_costs.SHARED):
                mean = float(measured[operation].mean())
                look = {"label" if name == "EG" else "name": operation, "color": COLOURS[operation], "height": 0.6}
                plotted.bars(left, name, mean, start=parts[name], lying=True, **look)
                parts[name] += mean
            left.text(parts[name], name, f" {parts[name]:.3g}", va="center", color=style.INK)
        left.set_xlim(0, 1.15 * max(parts.values()))
    left.set(title="an update, by operation", xlabel="CPU microseconds an example")
    for algorithm in ALGORITHMS:
        made = runs.present(task.specs(algorithm, 10.0))
        whole = [1e6 * curves.seconds_per_pass(run.curve) / run.summary["num_examples"] for run in made]
        if found := [*filter(np.isfinite, whole)]:
            name, mean = catalogue.label(algorithm), float(np.mean(found))
            plotted.bars(right, name, mean, name, lying=True, color=colours.colour(algorithm), height=0.6)
            if len(found) > 1:
                spread = [[mean - min(found)], [max(found) - mean]]
                look = {"color": style.INK, "linewidth": 1, "capsize": 3}
                plotted.error_bars(right, mean, name, name, xerr=spread, **look)
            share = f"; parts {parts[name] / mean:.0%}" if name in parts else ""
            right.text(max(found), name, f"  {mean:.3g}{share}", va="center", color=style.INK)
    right.margins(x=0.4)
    right.locator_params(axis="x", nbins=5)
    right.set_xlim(left=0)
    right.set(title="whole runs", xlabel="CPU microseconds an example")
    for axes in (left, right):
        axes.grid(axis="y", visible=False)
    return style.legend_above(figure)


@of_all("shared_over_extra")
def shared_over_extra(seeds: Sequence[Seed]) -> list[Evidence]:
    """Measure the time of the three operations that SGD and EG share over that of EG's two loops.

    It is over measurements. Norms are no loop: a step size changes them in constant time.
    """
    measured = _measured(seeds[0].task, seeds[0].runs)
    if measured is None:
        return [Evidence({}, np.nan, state="the cost of an update measured")]
    shared, extra = (
        np.sum([measured[name] for name in names], axis=0) for names in (update_costs.SHARED, update_costs.LOOPS)
    )
    told = ", ".join(f"{name} {each.mean():.3g}" for name, each in measured.items())
    found = together_of([Evidence({}, ratio, told=f"microseconds an example: {told}") for ratio in shared / extra])
    return [found._replace(source="measurements")]
