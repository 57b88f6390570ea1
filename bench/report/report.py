"""The report: pages for a reader in a hurry. They need no other file and no network.

The index says what could not be made, what the papers' sentences came to on the papers' own data, apart from
substitute and generated data, and which methods are best in each grid. Each paper and each grid has a page: its
claims, each with the figures that it reads. Another page lists runs, data sets and the environment. The explorer
of all curves lies in the same folder. The same results give the same pages, except for their date.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_folder
from structbench.bench.drawing.best import Best
from structbench.bench.drawing.ranking import texts
from structbench.bench.report import explorer, gathered, images, origin, pages
from structbench.bench.report.contents import MEANING, contents
from structbench.bench.report.gathered import Paper
from structbench.bench.runs.store import Run

INDEX = "index"


class Part(NamedTuple):
    """A page, or a part of the one page: a paper's, or another."""

    id: str
    title: str
    paper: Paper | None = None


def write(
    folder: Path,
    runs: Iterable[Run],
    figures_folder: Path,
    claims_folder: Path,
    papers: Mapping[str, Collection[str]] | None = None,
    missing: Mapping[str, str] | None = None,
    left_out: Iterable[str] = (),
    elsewhere: Iterable[Run] = (),
    name: str = "",
    grids: Mapping[str, Best] | None = None,
    one_file: bool = False,
) -> Path:
    """Write the pages of finished runs, drawn figures and judged claims to ``folder``, in place of what it held.

    Curves are read one at a time, so their number hardly matters for memory. A run whose curve cannot be read is
    said to be missing.

    Args:
        figures_folder: Holds a folder per paper with, for each figure, a sidecar and its images.
        claims_folder: Holds one JSON file per paper.
        papers: What to show: papers, and grids as ``grid-NAME``, each with the stems of its figures. By default,
            all that have figures or claims.
        missing: Runs that could not be made, by key, each with the reason as a sentence.
        left_out: Sentences on what else is not shown, and what would change that.
        elsewhere: Runs of other machines. Only the explorer shows them.
        name: Of the config.
        grids: ``grid-NAME`` -> which methods are best. If there are no papers, the report begins with them.
        one_file: Whether one page holds all of them, with the images, except for the explorer.

    Returns:
        The page to begin with.

    Raises:
        UserError: A sidecar or a claims file is broken, an image is missing, or the pages cannot be written.
    """
    runs = sorted(runs, key=lambda run: run.key)
    everywhere = [*runs, *elsewhere]
    made_of = _papers(Path(figures_folder), Path(claims_folder), papers, grids or {})
    figures = [figure for paper in made_of for figure in paper.figures]
    curves, unreadable = explorer.contents(everywhere, figures)
    missing = {**(missing or {}), **{run.key: reason for run, reason in unreadable if run in runs}}
    versions = explorer.data_versions(everywhere)
    said = contents(name, runs, made_of, grids or {}, left_out, missing, versions)
    parts = [Part(INDEX, "Overview"), *(Part(paper.id, paper.title, paper) for paper in made_of)]
    parts.append(Part("runs", "Runs and data"))
    try:
        with atomic_folder(Path(folder)) as made:
            shared = {
                "report": said,
                "meaning": MEANING,
                "origins": origin.ORIGINS,
                "contents": parts,
                "images": images.Images(None if one_file else made / "images"),
                "texts": texts,
            }
            pages.write(made / explorer.NAME, "explorer.html.j2", **curves._asdict())
            for page, some in [(INDEX, parts)] if one_file else [(part.id, [part]) for part in parts]:
                to = partial(_address, "" if one_file else page)
                pages.write(made / f"{page}.html", "page.html.j2", **shared, parts=some, to=to)
    except OSError as error:
        raise UserError(f"cannot write the report to {folder} ({error.strerror}): make room there") from error
    return Path(folder) / f"{INDEX}.html"


def _address(here: str, page: str, anchor: str = "") -> str:
    """Where a link from the page ``here`` leads; from "", which holds all pages, to an anchor in it."""
    if page == explorer.ID:
        return explorer.NAME + (anchor and f"#{anchor}")
    if here in ("", page):
        return f"#{anchor or page}"
    return f"{page}.html" + (anchor and f"#{anchor}")


def _papers(
    figures: Path, claims: Path, wanted: Mapping[str, Collection[str]] | None, grids: Iterable[str]
) -> list[Paper]:
    """Papers and grids with their claims and figures: of those that are wanted, the figures that are."""
    found = gathered.papers(figures, claims)
    if wanted is not None:
        found = [
            replace(paper, figures=[each for each in paper.figures if each.stem in wanted[paper.id]])
            for paper in found
            if paper.id in wanted
        ]
    there = {paper.id for paper in found}
    return [*found, *(Paper(id=grid) for grid in grids if grid not in there)]
