"""The report: pages for a reader in a hurry. They need no other file and no network.

The index says what could not be made, and which methods are best in each grid. It says what the papers' sentences
came to on the papers' own data, apart from substitute and generated data. Each paper and each grid has a page: its
claims with their evidence, and its figures. Another page lists runs, data sets and the environment. The explorer
of all curves lies in the same folder. Each page is Markdown, too. The same results give the same pages, except for
their date.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, urlencode

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_folder
from structbench.algorithms.runtime.names import plural
from structbench.bench.drawing import crowds
from structbench.bench.drawing.best import Best
from structbench.bench.drawing.comparison import STRENGTHS
from structbench.bench.drawing.standings import Table
from structbench.bench.report import explorer, gathered, overview, pages, paper_pages, runs_page
from structbench.bench.report.confused import confusions
from structbench.bench.report.gathered import Claim, Figure, Paper
from structbench.bench.report.markdown import bar, cell, code, document
from structbench.bench.report.published import BAR, INDEX
from structbench.bench.runs.merged import is_merged
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

PAGE = "index.html"
BY_SECONDS = {"y": "distance", "x": "seconds", "level": "1e-3"}  # of the explorer
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
    warnings: Iterable[str] = (),
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
        elsewhere: Runs of other machines. Figures and claims count merged ones; only the explorer lists them.
        name: Of the config.
        grids: ``grid-NAME`` -> which methods are best. If there are no papers, the report begins with them.
        warnings: Sentences on what to be careful with.

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
    versions = explorer.data_versions(everywhere)
    if all(paper.id in grids for paper in papers_shown):
        curves["begin"] = _begin([*grids.values()], known, versions)
    users = [user for paper in papers_shown for user in paper.users]
    there = {*known, *(run.key for run in elsewhere if is_merged(run))}
    lacking = {key for user in users for key in user.missing} - known.keys()
    drawn = {key for user in users for key in user.runs} - there - lacking
    missing |= dict.fromkeys(sorted(lacking - missing.keys()), runs_page.MEANING[runs_page.MISSING])
    missing |= dict.fromkeys(sorted(drawn - missing.keys()), runs_page.OUTDATED)
    shown = [_page(paper, known, there, grids) for paper in papers_shown]
    listed = [page for page in shown if page.paper.id not in grids]
    said = overview.Contents(
        name=name, runs=[*known.values()], missing=missing, papers=papers_shown, grids=grids,
        listed=[paper_pages.listed(page.paper.id, page.record(), len(page.made)) for page in listed],
        left_out=[*left_out], warnings=[*warnings],
    )  # fmt: skip
    used = {user.id: user.uses for user in users}
    links = [("structbench", PAGE), *((paper.title, f"{paper.id}/{PAGE}") for paper in papers_shown)]
    links += [("Runs and data", "runs.html"), ("Explorer", explorer.NAME)]
    try:
        with atomic_folder(Path(folder)) as made:
            pages.write_explorer(made / explorer.NAME, curves)
            for page in shown:
                below = made / page.paper.id
                below.mkdir()
                parts = paper_pages.write_paper(below, page)
                pages.write(below / PAGE, page.paper.title, parts, [(title, f"../{to}") for title, to in links])
            (made / INDEX).write_text(overview.overview(said, _pictures(made, said)), encoding="utf-8")
            (made / runs_page.RUNS).write_text(
                runs_page.runs_page(said.runs, missing, versions, _grids_of(papers_shown, grids)), encoding="utf-8"
            )
            pages.write(made / PAGE, said.title, [made / INDEX], links)
            pages.write(made / "runs.html", "Runs and data", [made / runs_page.RUNS], links, used)
    except OSError as error:
        raise UserError(f"cannot write the report to {folder} ({error.strerror}): make room there") from error
    return Path(folder) / PAGE


def _grids_of(papers: Iterable[Paper], grids: Collection[str]) -> dict[str, str]:
    """The grid of each run that is of one."""
    shown = [paper for paper in papers if paper.id in grids]
    return {key: paper.id.removeprefix("grid-") for paper in shown for user in paper.users for key in user.uses}


def _begin(grids: Sequence[Best], known: Mapping[str, Run], versions: explorer.Versions) -> dict[str, str]:
    """What the explorer shows at first: the problem on which the report's first sentence says who was soonest.

    Without such a sentence, or with one method there of several, the page chooses by itself.
    """
    for table in (table for best in grids for table in best.tables if table.rows):
        run = known.get(table.rows[0].runs[0].key)
        said = next((each for each in table.answers if run and each.problem[2:] == _minimises(run.spec)), None)
        is_alone = bool(run) and _methods_on(table, run.spec) == 1 < len(table.rows)
        if run and said and said.text.startswith("Within 0.1 %") and not is_alone:
            by = BY_SECONDS | ({"x": "passes"} if said.clock == "passes" else {})
            return explorer.view(run, versions) | by
    return {}


def _minimises(spec: Spec) -> tuple:
    """Its problem, but for the data."""
    return spec.loss, spec.penalty, spec.C


def _methods_on(table: Table, spec: Spec) -> int:
    """How many methods of a table have a run on the problem of this one of its data."""
    solved = ({(row.loss, row.penalty, C) for C, row in by_C.items()} for by_C in table.by_C)
    return sum(_minimises(spec) in each for each in solved)


def _pictures(made: Path, report: overview.Contents) -> dict[str, str]:
    """The first figure of each grid, and a bar of all verdicts, which is written, in Markdown."""
    found = {}
    for paper in report.papers:
        if paper.id in report.grids and (
            drawn := [each for each in paper.figures if not each.failed and each.table is None]
        ):
            first = _most_telling(drawn, report.grids[paper.id])
            shown = [first]
            shown = [*(each for each in drawn if each.stem == STRENGTHS and each not in shown), *shown]
            images = [next((made / paper.id).glob(f"{each.stem}.[ps][nv]g")).name for each in shown]
            pairs = zip(shown, images, strict=True)
            found[paper.id] = "\n".join(f"![{cell(each.title)}]({paper.id}/{image})" for each, image in pairs)
            if grey := [said for said in re.split(r"(?<=\.) ", first.caption) if "grey" in said]:
                found[paper.id] += f"\n\n{cell(' '.join(grey))}"
    if report.verdicts:
        (made / BAR).write_text(bar(report.verdicts), encoding="utf-8")
        found[""] = f"![The verdicts]({BAR})"
    return found


def _most_telling(drawn: Sequence[Figure], best: Best) -> Figure:
    """The figure against seconds, or passes if sentences count these, in which most methods come near the optimum.

    If none does, one of the error.
    """
    x = "-passes" if any(each.clock == "passes" for each in best.answers) else "-seconds"
    rows = [row for table in best.tables for by_C in table.by_C for row in by_C.values()]
    near = {spec.key: row.method for row in rows if row.mean("distance") < crowds.POOR for spec in row.runs}

    def rank(each: Figure) -> tuple[bool, bool, int]:
        return x not in each.stem, "-error-" in each.stem, -len({near.get(key) for key in each.runs} - {None})

    first = min(drawn, key=rank)
    errors = [each for each in drawn if "-error-" in each.stem]
    return errors[0] if errors and not near.keys() & {*first.runs} else first


def _page(
    paper: Paper, known: Mapping[str, Run], there: Collection[str], grids: Mapping[str, Best]
) -> paper_pages.Page:
    """What a paper's pages say in a report. ``there``: The keys of all finished runs, also of other machines."""

    def note(user: Figure | Claim) -> str:
        runs = f"[{plural(len(user.uses), 'run')}](../{runs_page.RUNS}#of:{quote(user.id)})"
        if isinstance(user, Claim):
            return f"{runs}, {cell(user.id)}"
        view = urlencode({"figure": user.id})
        made = [f"commit {code(runs_page.short(each))}" for each in user.commit.split(", ")]
        made += [f"{cell(data)} {code(sha[:10])}" for data, sha in sorted(user.data_sha256.items())]
        return f"{runs}, [explore](../{explorer.NAME}#{view}), {', '.join(made)}"

    figures = [
        replace(figure, caption=f"Out of date: {old} of its runs do not count today. {figure.caption}")
        if (old := sum(key not in there for key in figure.runs))
        else figure
        for figure in paper.figures
    ]
    return paper_pages.Page(
        paper=replace(paper, figures=figures),
        known=known,
        links=[f"[First page](../{INDEX})"],
        facts=[READING] if paper.claims else [],
        tables=document(
            overview.standing(grids[paper.id], "##"),
            overview.reading([grids[paper.id]]),
            confusions(grids[paper.id], known),
        )
        if paper.id in grids
        else "",
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
