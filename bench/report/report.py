"""The report: pages for a reader in a hurry. They need no other file and no network.

The index says what could not be made, what the papers' sentences came to on the papers' own data, apart from
substitute and generated data, and which methods are best in each grid. Each paper and each grid has a page: its
claims with their evidence, and its figures. Another page lists runs, data sets and the environment. The explorer
of all curves lies in the same folder. Each page is Markdown, too. The same results give the same pages, except for
their date.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlencode

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_folder
from structbench.bench.drawing.best import Best
from structbench.bench.drawing.draw import plural
from structbench.bench.report import explorer, gathered, overview, pages, paper_pages
from structbench.bench.report.gathered import Claim, Figure, Paper
from structbench.bench.report.markdown import cell, code
from structbench.bench.report.published import INDEX
from structbench.bench.runs.store import Run

PAGE = "index.html"
READING = (
    "A heading of a table sorts; a claim opens its evidence. A rule is written before its outcome is known; open "
    "says that the runs do not decide it."
)


def write_report(
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

    Returns:
        The page to begin with.

    Raises:
        UserError: A sidecar or a claims file is broken, an image is missing, or the pages cannot be written.
    """
    runs = sorted(runs, key=lambda run: run.key)
    everywhere, grids = [*runs, *elsewhere], grids or {}
    papers_shown = _papers(Path(figures_folder), Path(claims_folder), papers, grids)
    figures = [figure for paper in papers_shown for figure in paper.figures]
    curves, unreadable = explorer.contents(everywhere, figures)
    missing = {**(missing or {}), **{run.key: reason for run, reason in unreadable if run in runs}}
    known = {run.key: run for run in runs if run.key not in missing}
    asked = {key for paper in papers_shown for user in paper.users for key in user.uses}
    missing |= dict.fromkeys(sorted(asked - known.keys() - missing.keys()), overview.MEANING[overview.MISSING])
    shown = [_page(paper, known, grids) for paper in papers_shown]
    rows = [paper_pages.listed(page.paper.id, page.record(), len(page.made)) for page in shown]
    versions = explorer.data_versions(everywhere)
    said = overview.Contents(
        name=name, runs=[*known.values()], missing=missing, versions=versions, papers=papers_shown, listed=rows,
        grids=grids, left_out=[*left_out],
    )  # fmt: skip
    users = {user.id: user.uses for paper in papers_shown for user in paper.users}
    links = [("structbench", PAGE), *((paper.title, f"{paper.id}/{PAGE}") for paper in papers_shown)]
    links += [("Runs and data", "runs.html"), ("Explorer", explorer.NAME)]
    try:
        with atomic_folder(Path(folder)) as made:
            pages.write_explorer(made / explorer.NAME, curves)
            (made / INDEX).write_text(overview.overview(said), encoding="utf-8")
            (made / overview.RUNS).write_text(overview.runs_page(said), encoding="utf-8")
            pages.write(made / PAGE, said.title, [made / INDEX], links)
            pages.write(made / "runs.html", "Runs and data", [made / overview.RUNS], links, users)
            for page in shown:
                below = made / page.paper.id
                below.mkdir()
                parts = paper_pages.write_paper(below, page)
                pages.write(below / PAGE, page.paper.title, parts, [(title, f"../{to}") for title, to in links])
    except OSError as error:
        raise UserError(f"cannot write the report to {folder} ({error.strerror}): make room there") from error
    return Path(folder) / PAGE


def _page(paper: Paper, known: Mapping[str, Run], grids: Mapping[str, Best]) -> paper_pages.Page:
    """What a paper's pages say in a report."""

    def note(user: Figure | Claim) -> str:
        runs = f"[{plural(len(user.uses), 'run')}](../{overview.RUNS}#of:{quote(user.id)})"
        if isinstance(user, Claim):
            return f"{runs}, {cell(user.id)}"
        view = urlencode({"figure": user.id})
        made = [f"commit {code(overview.short(each))}" for each in user.commit.split(", ")]
        made += [f"{cell(data)} {code(sha[:10])}" for data, sha in sorted(user.data_sha256.items())]
        return f"{runs}, [explore](../{explorer.NAME}#{view}), {', '.join(made)}"

    figures = [
        replace(figure, caption=f"Out of date: {old} of its runs are no longer current. {figure.caption}")
        if (old := sum(key not in known for key in figure.runs))
        else figure
        for figure in paper.figures
    ]
    return paper_pages.Page(
        paper=replace(paper, figures=figures),
        known=known,
        links=[f"[All papers](../{INDEX})"],
        facts=[READING] if paper.claims else [],
        tables=overview.standing(grids[paper.id], "##") if paper.id in grids else "",
        note=note,
    )


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
