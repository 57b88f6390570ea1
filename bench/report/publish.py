"""Write ``docs/results``: what came of a config's runs, for a reader of the repository who runs nothing.

Each paper has a folder. ``README.md`` has every table, figure and claim, and ``runs.csv.gz`` every run.
``published.json`` says what figures and claims are of, and has the SHA-256 of every file there, and of the
paper's file in the explorer (``published_explorer``). A paper is published alone or with others. The index counts
the claims of all that are there. Other files stay. Only this program writes these files. ``published.altered``
finds files edited by hand. ``published.write_code_age`` writes on each page which of its runs are of older code.
"""

import itertools
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_file, atomic_folder, write_atomically
from structbench.bench.papers import judged, shown, verdicts
from structbench.bench.report import gathered, markdown, origin, published, published_explorer
from structbench.bench.report.gathered import Paper
from structbench.bench.report.published import CURVES, EVIDENCE, INDEX, RECORD, Record, papers_of, record
from structbench.bench.runs import records
from structbench.bench.runs.store import Run
from structbench.bench.workflow.names import title

OURS = b"written by `python -m bench publish`"  # is in the index
LARGEST = 15_000_000  # bytes of all files
LARGEST_SVG = 200_000  # of a larger one the PNG is shown
COORDINATES, LONG = re.compile(r' (?:d|x|y)="[^"]*"'), re.compile(r"-?\d+\.\d{3,}")


class Second(NamedTuple):
    """What a second machine's runs say.

    Attributes:
        verdicts: Of each claim, by its id.
        machine: Its processor and number of cores; empty if they are unknown.
    """

    verdicts: dict[str, str]
    machine: str

    def verdict(self, claim: gathered.Claim) -> str:
        """The verdict on a claim there, a hyphen if there is none."""
        return self.verdicts.get(claim.id, "-")

    def moved(self, claims: Iterable[gathered.Claim]) -> list[gathered.Claim]:
        """The claims with another verdict there."""
        return [each for each in claims if self.verdict(each) not in ("-", each.verdict)]


def publish(
    out: Path,
    runs: Iterable[Run],
    figures: Path,
    claims: Path,
    wanted: Collection[str],
    elsewhere: Path | None = None,
) -> Path:
    """Put the folders of these papers in place of those that ``out`` holds. Folders of other papers stay.

    If figures and claims lacked runs when they were made, they are there, and the page says how many.

    Args:
        figures, claims: The folders that hold what was drawn and judged.
        wanted: Papers, and grids as ``grid-NAME``.
        elsewhere: The claims folder of a second machine, or what it published. Its verdicts are shown, too.

    Raises:
        UserError: A figure or claim is broken, or of other runs than there are. All of it is too large. ``out``
            cannot be written, or holds something else where a page is to be.
    """
    known = {run.key: run for run in runs}
    papers = [paper for paper in gathered.papers(figures, claims) if paper.id in wanted and paper.users]
    _check_place(out, [paper.id for paper in papers])
    second = _second(elsewhere) if elsewhere else None
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch)
        published_explorer.keep(out, made, [paper.id for paper in papers])
        for paper in papers:
            _write_paper(made / paper.id, paper, known, second)
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
    """The table of all papers. For each, its folder, and how many of its claims have which verdict."""
    return markdown.filled_in("results.md.j2", papers=[_listed(*each) for each in sorted(folders.items())])


class Listed(NamedTuple):
    """A paper in the index: its tallies of verdicts, on its own data and on others, and how many runs it has."""

    id: str
    title: str
    said: Record
    own: str
    elsewhere: str
    bar: str
    runs: int
    curves: bool


def _listed(name: str, folder: Path) -> Listed:
    said = record(folder)
    tallies = {
        kind: ", ".join(f"{n} {verdict}" for verdict, n in found.items()) for kind, found in said.counts.items()
    }
    others = [f"{kind}: {tallies[kind]}" for kind in (origin.SUBSTITUTE, origin.GENERATED) if kind in tallies]
    bar = "verdicts.svg" if (folder / "verdicts.svg").exists() else ""
    own = tallies.get(origin.OWN, tallies.get(origin.OURS, ""))
    has_curves = any(CURVES in file for file in said.files)
    return Listed(name, title(name), said, own, "; ".join(others), bar, len(published.code(folder)), has_curves)


def _write_paper(folder: Path, paper: Paper, known: dict[str, Run], second: Second | None) -> None:
    """A paper's page with its images, its runs, and the record of them. Tables are written out."""
    folder.mkdir()
    _check_runs(paper, known)
    asked = {key for user in paper.users for key in user.uses}
    made = [known[key] for key in sorted(asked & known.keys())]
    findings = shown.findings(paper.claims)
    said = _record(paper, made, findings, sorted(asked - known.keys()))
    own = [claim.verdict for claim in paper.claims if claim.origin in (origin.OWN, origin.OURS)]
    fill_in = partial(
        markdown.filled_in,
        paper=paper,
        said=said,
        asked=len(asked),
        findings=findings,
        origins=origin.ORIGINS,
        second=second,
        curves=published_explorer.write_curves(folder, paper, known),
        plot=_plot(folder, paper.claims),
        images={each.id: _image(folder, each.file) for each in paper.figures if each.table is None},
    )
    contents = {INDEX: fill_in("paper.md.j2")}
    if paper.figures:
        contents["figures.md"] = fill_in("figures.md.j2")
    if own:
        contents["verdicts.svg"] = markdown.bar(verdicts.count(own))
    if paper.claims:
        contents |= {EVIDENCE: shown.table(paper.claims), "evidence.md": fill_in("evidence.md.j2")}
    for name, content in contents.items():
        write_atomically(folder / name, content)
    published.write_runs(folder, made)
    said = replace(said, files=published.hashes(folder))
    write_atomically(folder / RECORD, json.dumps(records.plain(said)) + "\n")


def _record(paper: Paper, made: list[Run], findings: list[gathered.Claim], absent: list[str]) -> Record:
    """What is published of a paper and its runs; without the hashes of the files."""
    provenance = [run.summary["provenance"] for run in made]
    machines = (f"{each['cpu']}, {each.get('cores', 'unknown')} cores" for each in provenance)
    days = sorted(each["started"] for each in provenance)
    verdict_of = Counter((claim.origin, claim.verdict) for claim in paper.claims)
    kinds = [kind for kind in origin.ORIGINS if any(kind == each for each, _ in verdict_of)]
    place = {run.key: k for k, run in enumerate(made)}

    def uses(user: gathered.Figure | gathered.Claim) -> published.Uses:
        return [place.get(key, key) for key in user.uses]

    return Record(
        scale=paper.scale,
        counts={
            kind: {v: verdict_of[kind, v] for v in verdicts.VERDICTS if verdict_of[kind, v]} for kind in kinds
        },
        machines=[*Counter(machines).most_common()],
        commits=[*Counter(each["git_commit"] for each in provenance).most_common()],
        days=[*dict.fromkeys(day[:10] for day in (days[:1] + days[-1:]))],
        seconds=sum(run.summary["cpu_seconds"] or 0.0 for run in made),
        findings=[f"{claim.asks} {claim.answer}" for claim in findings],
        figures={figure.stem: uses(figure) for figure in paper.figures},
        claims={one.id: records.made(published.Claim, vars(one) | {"runs": uses(one)}) for one in paper.claims},
        missing=absent,
        files={},
    )


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


def _plot(folder: Path, claims: list[gathered.Claim]) -> str:
    """Draw the conditions of all claims; returns the file's name, empty if there are none."""
    import matplotlib.pyplot as plt

    from structbench.bench.drawing import style
    from structbench.bench.papers import evidence_plot

    if (figure := evidence_plot.draw(claims)) is None:
        return ""
    with style.context():  # its salt gives the same ids each time
        figure.savefig(folder / "evidence.svg", metadata={"Date": None})
    plt.close(figure)
    return "evidence.svg"


def _image(folder: Path, sidecar: Path) -> str:
    """Put a figure into the folder; returns its name."""
    from PIL import Image

    source = sidecar.with_suffix(".svg")
    try:
        drawn = _short(source.read_text(encoding="utf-8")) if source.exists() else ""
        if 0 < len(drawn) <= LARGEST_SVG:
            (folder / source.name).write_text(drawn, encoding="utf-8")
        else:
            source = source.with_suffix(".png")
            with Image.open(source) as image:  # of 256 colours: a third of the bytes
                image.convert("RGB").quantize().save(folder / source.name, optimize=True)
    except OSError as error:
        raise UserError(f"cannot read {source} ({error.strerror}): draw the figures again") from error
    return source.name


def _short(svg: str) -> str:
    """The drawing with the coordinates of its lines to a hundredth of a point."""
    return COORDINATES.sub(lambda line: LONG.sub(lambda one: f"{float(one[0]):.2f}", line[0]), svg)


def _second(folder: Path) -> Second:
    """A second machine's verdicts, from its claims folder, or from all or one paper of what it published."""
    found, machines = {}, set()
    papers = sorted(file.parent for file in (*folder.glob(RECORD), *folder.glob(f"*/{RECORD}")))
    for said in map(record, papers):
        found |= {name: claim.verdict for name, claim in said.claims.items()}
        machines |= {str(name) for name, _ in said.machines}
    for file in () if papers else sorted(folder.glob("*.json")):
        found |= {claim.id: claim.verdict for claim in judged.read(file).claims}
    if not found:
        raise UserError(
            f"there are no claims in {folder}: give --second the claims folder of a finished config, or what was "
            "published of one"
        )
    return Second(found, " and ".join(sorted(machines)))
