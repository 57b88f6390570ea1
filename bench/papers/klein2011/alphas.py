"""The figure of an SVM's dual variables (alphas) during training, read from the weights of kernel SVM runs.

klein2011, "What are the Alphas?": one constraint each, 0 if it is inactive, positive on the support vectors.
"""

from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import plotted, style
from structbench.bench.papers.klein2011.runs import OVERLAPPING, Scale, spec_of
from structbench.bench.papers.klein2011.setting import DUAL
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import weights_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

ZERO = 1e-6
KINDS = {"0 in the end": "#999999", "between 0 and 1 / C": "#D55E00", "1 / C in the end": "#0072B2"}


def specs(scale: Scale) -> list[Spec]:
    """Return runs of the same SVM on overlapping points; each continues where the one before it ends."""
    data = scale.plane(OVERLAPPING, 0)
    return [spec_of(DUAL, data, 0, passes, 1e-6) for passes in scale.dual]


def draw(scale: Scale, runs: Runs) -> "Drawn":
    """Draw each point's alpha and the number of support vectors against passes."""
    figure, panels = style.panels(1, 2, height=3.3, width=4.4)
    left, right = panels[0]
    found = runs.present(specs(scale))
    if found:
        passes = [run.summary["passes"] for run in found]
        each = np.array([np.abs(weights_of(run).reshape(-1, 2)).max(axis=1) for run in found])
        bound = 1.0 / DUAL.C
        last = each[-1]
        kinds = np.where(last <= ZERO * bound, 0, np.where(last < (1 - 1e-3) * bound, 1, 2))
        for k, (name, colour) in enumerate(KINDS.items()):
            for rank, values in enumerate(each[:, kinds == k].T):
                label = name if rank == 0 else plotted.OF + name
                left.plot(passes, values, color=colour, linewidth=0.9, label=label if rank == 0 else f"_{label}")
        right.plot(passes, (each > ZERO * bound).sum(axis=1), marker="o", markersize=3.6, color="#0072B2",
                   label="support vectors")  # fmt: skip
        style.log_ticks(left.xaxis)
        style.log_ticks(right.xaxis)
        right.set_ylim(bottom=0)
        right.margins(x=0.04)
    left.set(xlabel="passes", ylabel="alpha of each point", title="dual variables")
    right.set(xlabel="passes", ylabel="points with alpha above 0", title="support vectors")
    style.legend_above(figure)
    return figure
