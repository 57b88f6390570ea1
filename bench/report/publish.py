"""Write ``docs/results``: what came of a config's runs, for a reader of the repository who runs nothing.

Each paper has a folder. ``README.md`` has every table, figure and claim, and ``runs.csv.gz`` every run.
``published.json`` has the claims' verdicts, and the SHA-256 of every file there, of the paper's file in the
explorer (``published_explorer``), and of itself. A paper is published alone or with others. The index counts
the claims of all that are there. Other files stay. Only this program writes these files. ``published.altered``
finds files edited by hand. ``published.write_code_age`` writes on each page which of its runs are of older code.
"""

import itertools
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_file, atomic_folder
from structbench.bench.report import (
    frozen,
    gathered,
    judged_twice,
    paper_pages,
    published,
    published_explorer,
    sealed,
)  # fmt: skip
from structbench.bench.report.gathered import Paper
from structbench.bench.report.markdown import prose, table
from structbench.bench.report.published import CURVES, INDEX, RECORD, papers_of, record
from structbench.bench.report.short_svg import short_svg
from structbench.bench.runs.store import Run
from structbench.bench.workflow.paper_modules import title

OURS = b"written by `python -m bench publish`"  # is in the index
TWICE = f"[Judged twice]({judged_twice.PAGE}) has verdicts on fresh seeds. "
LARGEST = 15_000_000  # bytes of all files
COLOURS = 256  # of images of pixels: a third of the bytes
ALL_PAPERS = "[All papers](../README.md)"
WHICH, HOW = (
    "[which algorithm to use](../../start/which-algorithm.md)",
    "[how we measure](../../reference/protocol.md)",
)
EARLIER = f"; some changed [after earlier runs were seen](../{frozen.LIST})"
RUNS_TABLE = (
    "Each run, with its objective, certified gap, seconds and hashes: [runs.csv.gz](runs.csv.gz), for "
    "`pandas.read_csv`."
)


def publish(
    out: Path,
    runs: Iterable[Run],
    figures: Path,
    claims: Path,
    wanted: Collection[str],
) -> Path:
    """Put the folders of these papers in place of those that ``out`` holds. Folders of other papers stay.

    If figures and claims lacked runs when they were made, they are there, and the page says how many.

    Args:
        figures, claims: The folders that hold what was drawn and judged.
        wanted: Papers, and grids as ``grid-NAME``.

    Raises:
        UserError: A figure or claim is broken, or of other runs than there are. A figure could not be drawn. All
            of it is too large. ``out`` cannot be written, or holds something else where a page is to be.
    """
    known = {run.key: run for run in runs}
    seen = {name.partition("/")[0] for name in frozen.changed_rules(out)}
    papers = [paper for paper in gathered.papers(figures, claims) if paper.id in wanted and paper.users]
    for figure in (each for paper in papers for each in paper.figures if each.failed):
        raise UserError(
            f"cannot publish the figure {figure.id}, which is not drawn: {figure.failed}. Mend it, and draw it "
            f"again (`python -m bench figures --only {figure.id}`)"
        )
    _check_place(out, [paper.id for paper in papers])
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch)
        published_explorer.keep(out, made, [paper.id for paper in papers])
        for paper in papers:
            _write_paper(made / paper.id, paper, known, paper.id in seen)
        folders = {name: out / name for name in papers_of(out)} | {name: made / name for name in papers_of(made)}
        size = sum(file.stat().st_size for folder in folders.values() for file in _files(folder))
        if size > LARGEST:
            raise UserError(f"cannot publish: {size:,} bytes, expected at most {LARGEST:,}: publish fewer papers")
        if shows_curves := (made / CURVES).exists():
            published_explorer.write_page(made)
        try:
            with ExitStack() as stack:  # all is written before anything takes its place
                stack.enter_context(atomic_file(out / INDEX)).write_text(index(folders), encoding="utf-8")
                for name in papers_of(made):
                    _copy(out / name, made / name, stack.enter_context(atomic_folder(out / name)))
                if shows_curves:
                    place = stack.enter_context(atomic_folder(out / CURVES))
                    shutil.copytree(made / CURVES, place, dirs_exist_ok=True)
        except OSError as error:
            raise UserError(f"cannot write {out} ({error.strerror}): make room and its folder writable") from error
    return out / INDEX


def _check_place(out: Path, papers: list[str]) -> None:
    """See that pages take the place of earlier ones at most.

    Raises:
        UserError: They would not.
    """
    page = out / INDEX
    others = [out / name for name in papers if (out / name).exists() and not (out / name / RECORD).is_file()]
    others += [page] if page.exists() and OURS not in page.read_bytes() else []
    others += [out] if out.exists() and not out.is_dir() else []
    if others:
        raise UserError(f"{others[0]} is not of published results: choose another --out, or move it away")


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def _copy(former: Path, made: Path, place: Path) -> None:
    """Copy a paper's new folder, and what others put into the former one."""
    ours = record(former).files if former.exists() else {}
    theirs = [file for file in _files(former) if str(file.relative_to(former)) not in (*ours, RECORD)]
    for source, file in [*((former, file) for file in theirs), *((made, file) for file in _files(made))]:
        target = place / file.relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)


def index(folders: Mapping[str, Path]) -> str:
    """The table of all papers. For each, its folder, and how many of its claims have which verdict.

    A paper of this repository without a folder is named below.
    """
    rows = [
        paper_pages.listed(name, record(folder), len(published.code(folder)))
        for name, folder in sorted(folders.items())
    ]
    others = ", ".join(f"[{title(name)}](../reference/{name}.md)" for name in published.not_run(folders))
    waiting = f"Not run yet at the paper's size: {others}." if others else ""
    twice = any((folder.parent / judged_twice.RECORD).exists() for folder in folders.values())
    return prose("results", papers=table(paper_pages.LISTED, rows), waiting=waiting, twice=TWICE * twice)


def _write_paper(folder: Path, paper: Paper, known: dict[str, Run], seen: bool) -> None:
    """A paper's pages, its runs, and the record of them.

    Args:
        seen: Whether rules changed after earlier runs were seen.
    """
    folder.mkdir()
    _check_runs(paper, known)
    links = [ALL_PAPERS, WHICH, HOW]
    if paper.claims:
        links[1:] = [f"[what the paper leaves open and what we decided](../../reference/{paper.id}.md)"]
    facts, rules, late = [RUNS_TABLE], "", set()
    if paper.claims:
        rules, late = frozen.rules_sha256(paper.id), _late(paper, known)
        changed = f"They changed after the runs of {len(late)} claims" if late else "None changed after these runs"
        facts.append(f"Hash of the rules: `{rules}`. {changed}{EARLIER * seen}.")
    if published_explorer.write_curves(folder, paper, known):
        explorer = f"[explorer](../{CURVES}/index.html#paper={paper.id})"
        facts.append(f"The curves that figures draw, to choose, zoom and save: the {explorer}, in a browser.")
    page = paper_pages.Page(
        paper=paper,
        known=known,
        links=links,
        code="Code: that of the checkout when this was published.",
        facts=facts,
        plot=_plot(folder, paper.claims),
        rules=rules,
        late=late,
    )
    paper_pages.write_paper(folder, page, COLOURS)
    published.write_runs(folder, page.made)
    sealed.write_record(folder / RECORD, replace(page.record(), files=published.hashes(folder)))


def _check_runs(paper: Paper, known: Mapping[str, Run]) -> None:
    """See that figures and claims are of the runs that there are.

    Raises:
        UserError: One is not.
    """
    decided = [claim.runs for claim in paper.claims if not claim.missing]
    if gone := sorted(set(itertools.chain(*decided, *(each.runs for each in paper.figures))) - known.keys()):
        why = "of a figure or claim is gone or stale: make it again, and draw"
        raise UserError(f"cannot publish: the run {gone[0]} {why}")
    if late := sorted({key for figure in paper.figures for key in figure.missing} & known.keys()):
        raise UserError(f"cannot publish: a figure was drawn before the run {late[0]} was made: draw again")


def _late(paper: Paper, known: Mapping[str, Run]) -> set[str]:
    """The claims with a run of a commit at which the paper's rules were others."""
    commits = {
        key: known[key].summary["provenance"]["git_commit"]
        for key in {*itertools.chain(*(each.runs for each in paper.claims))} & known.keys()
    }
    changed = frozen.changed_since(paper.id, commits.values())
    late = {key for key, commit in commits.items() if commit in changed}
    return {claim.id for claim in paper.claims if not late.isdisjoint(claim.runs)}


def _plot(folder: Path, claims: list[gathered.Claim]) -> str:
    """Draw the conditions of all claims; returns the file's name, empty if there are none."""
    from matplotlib import rc_context

    from structbench.bench.drawing import style
    from structbench.bench.papers import evidence_plot

    if (figure := evidence_plot.draw_evidence(claims)) is None:
        return ""
    # its salt gives the same ids each time; words as text halve the file
    with style.context(), rc_context({"svg.fonttype": "none"}):
        figure.savefig(file := folder / "evidence.svg", metadata={"Date": None})
    file.write_text(short_svg(file.read_text(encoding="utf-8")), encoding="utf-8")
    return "evidence.svg"
