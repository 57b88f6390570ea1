"""The explorer of published runs, ``docs/results/explorer``: one page, and a file of curves for each paper.

Any server of files can serve the folder, and its page opens from a disk. Browsers refuse to fetch then, so a file
is a script that hands its data to the page. It has the runs whose curves the paper's figures draw.
"""

import json
import shutil
from collections.abc import Collection, Mapping
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import plotted
from structbench.bench.report import explorer, pages
from structbench.bench.report.gathered import Paper
from structbench.bench.report.published import CURVES, curves_of
from structbench.bench.runs.store import Run
from structbench.bench.workflow.paper_modules import title

PAGE = "index.html"
LARGEST = 2_900_000  # bytes of the files of all papers: with the page, 3 MB
THIN_FROM = 500_000  # bytes of a paper's file: of a larger one, runs have fewer checkpoints
POINTS = (explorer.MOST_POINTS, 45, 32, 24, 20, explorer.FEWEST_POINTS)  # checkpoints of a run, at most


def keep(out: Path, made: Path, papers: Collection[str]) -> None:
    """Copy the explorer of ``out`` to ``made``, without the curves of papers that are published again."""
    if (out / CURVES).exists():
        shutil.copytree(out / CURVES, made / CURVES)
    for name in papers:
        curves_of(made / name).unlink(missing_ok=True)


def write_curves(folder: Path, paper: Paper, known: Mapping[str, Run]) -> bool:
    """Write the curves that a paper's figures draw, thinned until they fit. Returns whether there are any.

    Args:
        folder: The paper's; those of the other papers lie beside it.
        known: The runs, by key.

    Raises:
        UserError: They do not fit beside the curves of other papers, or a run cannot be read.
    """
    figures = [one for one in paper.figures if plotted.has_curves(one.file.with_suffix(".csv"))]
    drawn = [known[key] for key in sorted({key for figure in figures for key in figure.runs})]
    if not drawn:
        return False
    file = curves_of(folder)
    file.parent.mkdir(exist_ok=True)
    room = LARGEST - sum(each.stat().st_size for each in file.parent.glob("*.js"))
    for points in POINTS:
        found, unreadable = explorer.contents(drawn, figures, points)
        if unreadable:
            raise UserError(f"cannot publish: {unreadable[0][1]}")
        data = {"paper": paper.id} | found
        said = f"begin({json.dumps(data, separators=(',', ':'), allow_nan=False)});\n".encode()
        if len(said) <= min(room, THIN_FROM):
            break
    if len(said) > room:
        raise UserError(
            f"cannot publish: the curves of {paper.id} take {len(said):,} bytes with {points} checkpoints a "
            f"run, expected at most {room:,}: publish fewer papers to one folder"
        )
    file.write_bytes(said)
    return True


def write_page(out: Path) -> None:
    """Write the page that lists the papers of which there are curves in ``out``."""
    page = out / CURVES / PAGE
    papers = [(file.stem, title(file.stem)) for file in sorted(page.parent.glob("*.js"))]
    pages.write_explorer(page, papers=papers)
