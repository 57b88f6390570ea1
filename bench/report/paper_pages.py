"""Write the pages of a paper or grid in Markdown, with their images: in a report, and in ``docs/results``."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from xml.etree.ElementTree import ParseError

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.papers import shown, verdicts
from structbench.bench.papers.claim_rows import OURS
from structbench.bench.report import origin
from structbench.bench.report.gathered import Claim, Figure, Paper
from structbench.bench.report.markdown import bar, bullets, cell, code, document, prose, slug, table
from structbench.bench.report.published import BAR, CURVES, EVIDENCE, INDEX, Record
from structbench.bench.report.published import Claim as PublishedClaim
from structbench.bench.report.short_svg import short_svg
from structbench.bench.runs import records
from structbench.bench.runs.store import Run
from structbench.bench.workflow.paper_modules import GRID, title

FIGURES, EVIDENCE_PAGE = "figures.md", "evidence.md"
LARGEST_SVG = 200_000  # bytes; of a larger one the PNG is shown
LATE = " (rules changed after the runs)"
ORIGIN_NAMED = re.compile(r", (?:the data of the papers?|substitute data)$")  # at the end of a setting
SUBSTITUTE_NAMED = re.compile(r" \(substitute data: [^)]*\)$")  # at the end of a sentence, before its setting
SENTENCE = re.compile(r"(?<=[.!?]) (?=[A-Z])")
LISTED = ("paper", "scale", "verdicts, by data", "on other data", "readings of ours", "runs", "made")
PLOT = (
    "Each condition of each claim: the number with its interval, the size that the sentence needs, the paper's "
    "number"
)


@dataclass(frozen=True, kw_only=True)
class Page:
    """What the pages of a paper say."""

    paper: Paper
    known: Mapping[str, Run]  # finished runs, its own and others, by key
    links: Sequence[str]  # to other pages
    code: str = ""  # how old the code of its runs is
    facts: Sequence[str] = ()  # on its runs, after where and when they were made
    tables: str = ""  # which methods are best, in Markdown
    plot: str = ""  # the file of a plot of its evidence
    note: Callable[[Figure | Claim], str] = lambda user: ""  # what is said below a figure or a claim's evidence
    rules: str = ""  # the hash of its rules
    late: Collection[str] = ()  # claims whose rules changed after their runs were made

    @property
    def asked(self) -> set[str]:
        """The keys of the runs that figures and claims ask for."""
        return {key for user in self.paper.users for key in user.uses}

    @property
    def made(self) -> list[Run]:
        """Those that are finished."""
        return [self.known[key] for key in sorted(self.asked & self.known.keys())]

    def record(self) -> Record:
        """What is published of the paper and its runs; without the hashes of the files."""
        made = self.made
        provenance = [run.summary["provenance"] for run in made]
        machines = (f"{each['cpu']}, {each.get('cores', 'unknown')} cores" for each in provenance)
        days = sorted(each["started"] for each in provenance)
        claims = self.paper.claims
        return Record(
            scale=self.paper.scale,
            counts={kind: verdicts.count(some) for kind, some in by_origin(claims).items()},
            machines=[*Counter(machines).most_common()],
            commits=[*Counter(each["git_commit"] for each in provenance).most_common()],
            days=[*dict.fromkeys(day[:10] for day in (days[:1] + days[-1:]))],
            seconds=sum(run.summary["cpu_seconds"] or 0.0 for run in made),
            findings=[f"{claim.asks} {claim.answer}" for claim in shown.findings(claims)],
            claims={each.id: records.made(PublishedClaim, vars(each)) for each in claims},
            missing=sorted(self.asked - self.known.keys()),
            files={},
            rules=self.rules,
            late=sorted(self.late),
        )


def write_paper(folder: Path, page: Page, colours: int = 0) -> list[Path]:
    """Write the pages of a paper, their images, and the evidence as a table, into a folder. Returns the pages.

    Args:
        colours: Of images of pixels, to save bytes; 0: as they are.
    """
    paper, said = page.paper, page.record()
    images = {each.id: _image(folder, each.file, colours) for each in paper.figures if each.table is None}
    contents = {INDEX: _first(page, said)}
    if paper.figures:
        contents[FIGURES] = _figures(page, images)
    if own := [said.counts[kind] for kind in origin.NEAREST if kind in said.counts]:
        contents[BAR] = bar({verdict: sum(some.get(verdict, 0) for some in own) for verdict in verdicts.VERDICTS})
    if paper.claims:
        contents |= {EVIDENCE: shown.conditions_csv(paper.claims), EVIDENCE_PAGE: _evidence(page)}
    for name, content in contents.items():
        write_atomically(folder / name, content)
    return [folder / name for name in contents if name.endswith(".md")]


def listed(name: str, said: Record, runs: int) -> tuple[str, ...]:
    """A paper's row in a table of all; its folder lies beside the page."""
    found = by_origin(said.claims.values())
    nearest, others = (
        "; ".join(f"{kind}: {cell(verdicts.tally(found[kind]))}" for kind in kinds if kind in found)
        for kinds in (origin.NEAREST, (origin.SUBSTITUTE, origin.GENERATED, origin.OURS))
    )
    readings = verdicts.tally(each.verdict for each in said.claims.values() if each.by == OURS)
    is_drawn = any(CURVES in file for file in said.files)
    return (
        f"[{cell(title(name))}]({name}/{INDEX})",
        cell(said.scale or "-"),
        f"![verdicts]({name}/{BAR}) {nearest}" if nearest else "-",
        others or "-",
        cell(readings) or "-",
        f"[{runs}]({CURVES}/index.html#paper={name})" if is_drawn else str(runs),
        said.days[-1] if said.days else "-",
    )


def by_origin(claims: Iterable[PublishedClaim | Claim]) -> dict[str, list[str]]:
    """Origin of the data -> the verdicts of the paper's sentences, without readings of ours."""
    found: dict[str, list[str]] = defaultdict(list)
    for each in claims:
        if each.by != OURS:
            found[each.origin].append(each.verdict)
    return {kind: found[kind] for kind in origin.ORIGINS if kind in found}


def anchor(claim: Claim) -> str:
    """Where the evidence of a claim stands."""
    return f"{EVIDENCE_PAGE}#{slug(claim.name)}"


def _first(page: Page, said: Record) -> str:
    """The page of the paper, with its findings and claims."""
    paper, facts = page.paper, [*page.facts]
    if said.missing:
        lacking = f"**Not complete: {len(said.missing)} of {len(page.asked)} runs are missing**"
        facts.insert(0, f"{lacking}; the claims and figures that need them say so.")
    timed = [run for run in page.made if run.summary["provenance"].get("alone") is True]
    if shaken := sum(bool(run.disturbance) for run in timed):
        facts.append(f"Disturbed: {shaken} of {len(timed)} timed runs. The seconds of these mean little.")
    found = shown.findings(paper.claims)
    findings = [f"{cell(claim.asks)} {cell(claim.answer)} ({cell(claim.setting)})" for claim in found]
    links = [f"[all figures and tables]({FIGURES})"] * bool(paper.figures)
    links += [f"[all evidence]({EVIDENCE_PAGE})"] * bool(paper.claims)
    return prose(
        "grid" if paper.id.startswith(GRID) else "paper",
        title=cell(paper.title),
        about=cell(paper.about),
        links=", ".join([*page.links, *links]),
        code=page.code,
        machines=", ".join(f"{cell(name)} ({number} runs)" for name, number in said.machines),
        days=" to ".join(said.days),
        scale=code(paper.scale or "none"),
        minutes=f"{said.seconds / 60:.1f}",
        seconds=f"{said.seconds:.3g}",
        commits=", ".join(f"{code(name)} ({number})" for name, number in said.commits),
        facts=bullets(facts),
        tables=page.tables,
        findings=f"## Findings\n\n{bullets(findings)}" if findings else "",
        plot=f"![{PLOT}]({page.plot})" if page.plot else "",
        claims=document(*(block for kind in origin.ORIGINS for block in _claims(page, kind))),
    )


def _claims(page: Page, kind: str) -> Sequence[str]:
    """The claims on data of an origin."""
    claims = [claim for claim in page.paper.claims if claim.origin == kind]
    if not claims:
        return ()
    name, rows = origin.ORIGINS[kind], []
    links = {one.stem: f"[{cell(one.stem)}]({FIGURES}#{slug(one.stem)})" for one in page.paper.figures}
    for claim in claims:
        setting = ORIGIN_NAMED.sub("", claim.setting)  # the heading says it
        about = [claim.where, *(["a reading of ours"] if claim.by == OURS else []), setting]
        rows.append(
            (
                f"**{cell(claim.verdict)}**{LATE if claim.id in page.late else ''}",
                f"{cell(SUBSTITUTE_NAMED.sub('', claim.claim))} ({'; '.join(map(cell, about))})",
                cell(claim.answer),
                f"[{claim.holds} of {claim.of}]({anchor(claim)})",
                " ".join(links.get(stem, f"{cell(stem)} (not drawn)") for stem in claim.figures),
            )
        )
    heads = ("verdict", "sentence", "answer", "holds", "figures")
    theirs, ours = (
        verdicts.tally(claim.verdict for claim in claims if (claim.by == OURS) == is_ours)
        for is_ours in (False, True)
    )
    counts = [theirs and f"{theirs}.", ours and f"Readings of ours: {ours}."]
    return (
        f"## Claims: {name[0].lower()}{name[1:]}",
        cell(" ".join(filter(None, counts))),
        table(heads, rows),
    )


def _figures(page: Page, images: Mapping[str, str]) -> str:
    """The page of figures and tables."""
    blocks = ["# Figures and tables"]
    blocks.append(f"[The {'answers' if page.paper.claims else 'runs'}]({INDEX}).")
    for figure in page.paper.figures:
        missing = f"*{len(figure.missing)} of its runs are missing.* " if figure.missing else ""
        called = [] if figure.paper.startswith(GRID) else [f"**{cell(figure.title)}.**"]  # of a grid its heading
        first, *sentences = [*called, *map(cell, SENTENCE.split(figure.caption))]
        blocks += [f"## {cell(figure.heading)}", "\n".join([missing + first, *sentences])]
        if figure.table is None:
            blocks.append(f"![{cell(figure.title)}]({images[figure.id]})")
        elif figure.table:
            blocks.append(table(map(cell, figure.table[0]), [[*map(cell, row.values())] for row in figure.table]))
        blocks.append(page.note(figure))
    return document(*blocks)


def _evidence(page: Page) -> str:
    """The page of all evidence, a table a claim."""
    blocks = [prose("evidence", paper=cell(page.paper.title))]
    for claim in page.paper.claims:
        note, rows = page.note(claim), [shown.row(each) for each in claim.conditions]
        if not rows and not note:
            continue
        theirs = f" The paper: {cell(claim.theirs)}." if claim.theirs else ""
        blocks.append(f"## {cell(claim.name)}")
        blocks.append(f"{cell(claim.claim)} ({cell(claim.where)}){theirs} On: {cell(claim.setting)}.")
        blocks.append(f"**{cell(claim.verdict)}.** {cell(claim.answer)}")
        blocks += [table(rows[0], [[*map(cell, row.values())] for row in rows])] if rows else []
        blocks.append(note)
    return document(*blocks)


def _image(folder: Path, sidecar: Path, colours: int) -> str:
    """Put a figure into the folder; returns its name."""
    source = sidecar.with_suffix(".svg")
    try:
        drawn = short_svg(source.read_text(encoding="utf-8")) if source.exists() else ""
        if 0 < len(drawn) <= LARGEST_SVG:
            (folder / source.name).write_text(drawn, encoding="utf-8")
            return source.name
        source = source.with_suffix(".png")
        if colours:
            from PIL import Image

            with Image.open(source) as image:
                image.convert("RGB").quantize(colours).save(folder / source.name, optimize=True)
        else:
            copyfile(source, folder / source.name)
    except (OSError, UnicodeDecodeError, ParseError) as error:  # ParseError: the drawing is torn
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"cannot read {source} ({reason}): draw the figures again") from error
    return source.name
