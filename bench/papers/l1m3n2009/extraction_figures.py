"""Draw Figure 7 of l1m3n2009 on generated records, on relations of words, and on the controls."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import style
from structbench.bench.drawing.draw import Figure
from structbench.bench.papers.l1m3n2009.extraction import MEASURES, Extraction, Source
from structbench.bench.papers.l1m3n2009.extraction_rules import interval, table
from structbench.bench.papers.l1m3n2009.figures import look
from structbench.bench.papers.l1m3n2009.setting import MODELS
from structbench.bench.runs.finished import Runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawn

SIZE = "num_nonzero"
THEIRS = "The paper's axes end at 0.86 and 0.95 for the F1, at 0.74 and 0.90 for the accuracy."


def figures(chosen: Extraction) -> dict[str, Figure]:
    """Return a figure for each source, by file stem."""
    return {
        f"fig07-{source.stem}": Figure(
            f"l1m3n2009, Figure 7, {source.name}",
            f"{source.about} Mean F1 of the attributes and share of examples with all key attributes right, "
            "against the percentage of the training examples that is learned from; bars: 95 % intervals over "
            f"{chosen.draws_of(source)} draws. Right: weights other than zero. Constants were chosen on other "
            f"data. {THEIRS}",
            partial(draw, chosen, source),
        )
        for source in chosen.sources
    }


def draw(chosen: Extraction, source: Source, runs: Runs) -> "Drawn":
    """Draw two measures, and how sparse the models are."""
    figure, panels = style.panels(1, 3, height=3.0, width=3.3)
    names = (*MEASURES.values(), "weights other than zero")
    for axes, measure, name in zip(panels[0], (*MEASURES, SIZE), names, strict=True):
        values = table(chosen, source, runs, measure)
        for rank, way in enumerate(MODELS):
            m = np.array(chosen.shares_of(source)) * (1 + 0.012 * (rank - len(MODELS) / 2))  # bars side by side
            ends = np.array([interval(row) if len(row) > 2 else (row.mean(),) * 3 for row in values[way]])
            there = np.isfinite(ends[:, 0])
            if there.any():
                mean, low, high = ends[there].T
                bars = {"yerr": [mean - low, high - mean], "capsize": 2, "elinewidth": 0.8}
                axes.errorbar(m[there], mean, **bars, **look(way.model))
        axes.set(xlabel="% of the training examples", ylabel=name)
        axes.margins(x=0.06)
    style.log_ticks(panels[0, 2].yaxis)
    style.legend_above(figure)
    return figure
