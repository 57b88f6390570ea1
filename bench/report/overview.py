"""A report's first page, in Markdown."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from structbench.algorithms.runtime.names import plural
from structbench.bench.drawing.best import Best
from structbench.bench.drawing.measures import QUALITY
from structbench.bench.drawing.method_looks import dealt, problems
from structbench.bench.drawing.ranking import by_strength, merged, texts
from structbench.bench.drawing.refuted import refutations
from structbench.bench.drawing.speed import DISTURBED, Answer
from structbench.bench.drawing.standings import Table
from structbench.bench.papers.verdicts import IN_PART, LESS, NOT_REPRODUCED, REPRODUCED, VERDICTS
from structbench.bench.report import origin
from structbench.bench.report.confused import labels
from structbench.bench.report.gathered import Paper
from structbench.bench.report.markdown import bullets, cell, code, document, prose, quoted, sentence, slug, table
from structbench.bench.report.paper_pages import LISTED, anchor
from structbench.bench.report.published import INDEX
from structbench.bench.report.runs_page import NONE_FINISHED, RUNS, made_on, short
from structbench.bench.runs.store import Run

LEADS = 6  # answers that the first page of grids begins with
SHOWN = 20  # missing runs of one reason that the first page names
BEHIND = "behind the first: by how many points. An interval that holds 0 does not tell the two apart."
ORDER = "order gap"
SHAKEN = "disturbed: other processes ran while the run was timed."
BEST = 3  # methods of a grid that the first page of papers shows


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a report shows."""

    name: str
    runs: Sequence[Run]  # the finished ones
    missing: Mapping[str, str]  # why other runs are not there, by key
    papers: Sequence[Paper]
    listed: Sequence[Sequence[str]]  # a row of a table for each paper
    grids: Mapping[str, Best]  # which methods are best in each
    left_out: Sequence[str]  # sentences on what else is not shown
    warnings: Sequence[str]  # sentences on what to be careful with

    @property
    def only_grids(self) -> bool:
        """Whether there are no papers, but grids."""
        return bool(self.grids) and all(paper.id in self.grids for paper in self.papers)

    @property
    def verdicts(self) -> Counter[str]:
        """How many claims have which verdict."""
        return Counter(claim.verdict for paper in self.papers for claim in paper.claims)

    @property
    def title(self) -> str:
        """The first page's title."""
        runs = plural(len(self.runs), "run")
        if self.only_grids:
            return f"results of {self.name}, {runs}"
        return f"{runs}, {self.verdicts[REPRODUCED]} of {plural(self.verdicts.total(), 'claim')} reproduced"


def overview(report: Contents, pictures: Mapping[str, str]) -> str:
    """The first page: what is decided, a picture, warnings; then papers, their answers, and the best of grids.

    ``pictures``: An image for each grid, and one of all verdicts as "", in Markdown.
    """
    grids = [paper for paper in report.papers if paper.id in report.grids]
    if report.only_grids:
        said = [line for paper in grids for line in grid_findings(report.grids[paper.id])]
        decided, picture = document(*said[:LEADS]), pictures.get(grids[0].id, "")
    else:
        decided, picture = _decided(report.verdicts), pictures.get("", "")
    known = {run.key: run for run in report.runs}
    best, most = [NONE_FINISHED] * (not report.runs), None if report.only_grids else BEST
    for number, paper in enumerate(grids):
        best += [f"## [The best of {cell(paper.title)}]({paper.id}/{INDEX})"] * (len(report.papers) > 1)
        best.append(standing(report.grids[paper.id], "###", most, said=not report.only_grids))
        best.append("" if number else reading(report.grids.values()))
        best.append(labels(report.grids[paper.id], known, "###", of_chunks=True) if report.only_grids else "")
    answers = [block for paper in report.papers if paper.claims for block in _answers(paper)]
    answers += [] if any(paper.figures for paper in report.papers) else ["No figure has been drawn yet."]
    cautions = [quoted(sentence(each)) for each in report.warnings]
    return prose(
        "overview",
        cautions=document(*cautions),
        warnings=document(_missing(report.missing), _failed(report.papers), _refuted(report.runs)),
        title=f"Results of {cell(report.name)}" if report.only_grids else "What this run decides",
        decided=decided,
        picture=picture,
        written=_utc(datetime.now(UTC).timestamp()) + _made_of(report),
        origins=_by_origin(report.papers) if report.verdicts else "",
        papers="" if report.only_grids or not report.listed else table(LISTED, report.listed),
        grids=document(*best),
        answers=document(*answers),
        left_out=f"## What is left out\n\n{bullets(map(cell, report.left_out))}" if report.left_out else "",
    )


def _decided(verdicts: Counter[str]) -> str:
    """How many of the papers' sentences hold, in a sentence."""
    if not verdicts:
        return "No claim has been judged yet."
    holds, less, partly, fails = (verdicts[each] for each in (REPRODUCED, LESS, IN_PART, NOT_REPRODUCED))
    decided = f"{holds + less + partly + fails} of {plural(verdicts.total(), 'sentence')} of the papers"
    counts = f"{holds} hold, {less} hold with a lesser effect, {partly} in part, {fails} do not"
    return f"{decided}: {counts}. The others are open or not run."


def grid_findings(best: Best) -> Iterator[str]:
    """What a grid answers: of each data set the best method if several C were tried, and how fast methods are."""
    for each in best.tables:
        if each.is_measured and (each.chosen or not each.answers or each.rows[0].folds > 1):
            first, name = texts(each)[0], problems([each.rows[0].on_everything])[0][0].title
            name_of = cell(each.told(each.rows[0]))
            at = f" at C = {first['C']}" if first.get("C", "-") != "-" else ""
            heading, percent = each.heading(each.by), " %" if each.by in QUALITY else ""
            what = heading.removesuffix(percent)
            by = what + _in_folds(each)
            said = f"{name_of}{at} has the best {by}, {first[heading]}{percent}."
            others = each.sentences
            if each.is_open:
                finding, *others = others
                value = "" if each.tied[1:] else f", with {first[heading]}{percent}"
                said = f"By {by}, {sentence(finding)} {name_of}{at} stands first{value}."
            also = {head: first.get(head, "-") for head in map(each.heading, QUALITY) if head != heading}
            also = [f"{head.removesuffix(' %')} {value} %" for head, value in also.items() if value != "-"]
            said += f" It has {', '.join(also)}." if also else ""
            yield " ".join([f"**{cell(name)}:** {said}", *map(sentence, others)])
        for where, text in merged(_of_first(each) if each.chosen else each.answers):
            problem = each.answers[0].problem  # its setting has the fold, too
            title = problem.title.replace(f", {problem.fold}", "") if problem.fold else problem.title
            yield f"**{cell(title)}, {cell(where)}:** {cell(text)}"


def _in_folds(table: Table) -> str:
    """That a table is of cross-validation, of how many folds, and how many of them the first method has."""
    made, (_, folds, seed) = table.rows[0].folds, dealt(table.rows[0].runs[0].data)
    if not folds or table.problem:
        return ""
    by = f", dealt by seed {seed}" if seed else ""
    some = f" ({made} of {folds} folds finished)" if made < folds else ""
    return f" in {folds}-fold cross-validation{by}{some}"


def _of_first(table: Table) -> list[Answer]:
    """What is said of the problem that the first method solves."""
    first = table.rows[0]
    return [each for each in table.answers if each.problem[2:] == (first.loss, first.penalty, first.C)]


def _answers(paper: Paper) -> Sequence[str]:
    """The questions that a paper's claims answer."""
    rows = []
    for claim in paper.asked:
        question = f"[{cell(claim.asks)}]({paper.id}/{anchor(claim)}) {cell(claim.setting)}"
        rows.append((f"**{cell(claim.verdict)}**", question, cell(claim.answer)))
    answered = table(("verdict", "question", "answer"), rows) if rows else ""
    return f"## [{cell(paper.title)}]({paper.id}/{INDEX})", cell(paper.about), answered


def _missing(missing: Mapping[str, str]) -> str:
    """A warning that runs are missing, with the reasons."""
    if not missing:
        return ""
    why: dict[str, list[str]] = defaultdict(list)
    for key, reason in missing.items():
        why[reason].append(key)
    blocks = [f"**{plural(len(missing), 'run')} missing: all else is made of the others**"]
    for reason, keys in why.items():
        more = [f"and {len(keys) - SHOWN} more: [all runs]({RUNS})"] if len(keys) > SHOWN else []
        many = f"{plural(len(keys), 'run')}: " if len(keys) > 1 else ""
        blocks += [f"{many}{cell(reason)}", bullets([*map(code, keys[:SHOWN]), *more])]
    return quoted(*blocks)


def _failed(papers: Sequence[Paper]) -> str:
    """A warning that figures could not be drawn, with the reasons."""
    failed = [figure for paper in papers for figure in paper.figures if figure.failed]
    lines = [f"[{cell(one.id)}]({one.paper}/figures.md#{slug(one.heading)}): {cell(one.failed)}" for one in failed]
    return quoted(f"**{plural(len(failed), 'figure')} not drawn**", bullets(lines)) if failed else ""


def _refuted(runs: Sequence[Run]) -> str:
    """A warning that certificates are false, with the runs that show it."""
    found = [cell(str(one)) for one in refutations(runs)]
    return quoted(f"**{plural(len(found), 'certificate')} refuted**", bullets(found)) if found else ""


def _made_of(report: Contents) -> str:
    """When, at which scale, of what and where the runs were made."""
    said = ""
    if report.runs:
        began, *_, ended = [*sorted({_utc(run.started) for run in report.runs})] * 2
        seconds = duration(sum(run.summary["cpu_seconds"] or 0.0 for run in report.runs))
        until = f" to {ended}" if ended != began else ""
        said += f", from {plural(len(report.runs), 'run')} of {began}{until}, {seconds} of CPU time in solvers"
    scales = sorted({paper.scale for paper in report.papers} - {""})
    said += f", scale {' and '.join(map(cell, scales))}" if scales else ""
    if report.runs:
        cpus = " and ".join(cell(cpu) for cpu, _ in made_on("cpu", report.runs))
        commits = ", ".join(code(short(commit)) for commit, _ in made_on("git_commit", report.runs))
        said += f", on {cpus}, commit {commits}"
    return said


def _by_origin(papers: Sequence[Paper]) -> str:
    """A table of how many claims on data of each origin have which verdict."""
    claims = [claim for paper in papers for claim in paper.claims]
    verdicts = [*dict.fromkeys([*VERDICTS, *sorted({claim.verdict for claim in claims})])]
    rows = []
    for kind, name in origin.ORIGINS.items():
        counts = Counter(claim.verdict for claim in claims if claim.origin == kind)
        if counts:
            rows.append((name, counts.total(), *(counts[verdict] or "-" for verdict in verdicts)))
    return table(("data", "claims", *map(cell, verdicts)), rows)


def standing(best: Best, level: str, most: int | None = None, said: bool = True) -> str:
    """Which methods of a grid are best: a table for each data set, or each problem.

    Args:
        level: Of the headings: ``##`` or ``###``.
        most: Rows of a table that are shown.
        said: Whether sentences below a table say what it means.
    """
    blocks = []
    for each in best.tables:
        if each.rows:
            rows = texts(each)
            name = problems([each.rows[0].on_everything])[0][0].title
            blocks += [f"{level} {cell(each.title(name))}", quoted(sentence(each.warning)) if each.warning else ""]
            blocks.append("" if each.is_measured else "The order means nothing: no run has a value of that.")
            blocks.append(table(map(cell, rows[0]), [[*map(cell, row.values())] for row in rows[:most]]))
            blocks.append(f"The best {most} of {len(rows)}." if most and len(rows) > most else "")
            blocks.append(document(*map(sentence, each.sentences)) if said else "")
            if each.chosen and not said:
                others = [one for one in each.answers if one not in _of_first(each)]
                blocks += [f"**{cell(where)}:** {cell(text)}" for where, text in merged(others)]
            if not most and (against := by_strength(each)):
                blocks.append(f"**{cell(each.heading(each.by))} against C**")
                blocks.append(table(map(cell, against[0]), [[*map(cell, row.values())] for row in against]))
    return document(*blocks)


def reading(grids: Iterable[Best]) -> str:
    """How to read the tables of these grids."""
    grids = [*grids]
    tables = [table for best in grids for table in best.tables]
    notes = dict.fromkeys(note for best in grids for note in best.notes)
    if any(any(table.behind) for table in tables):
        notes |= {BEHIND: None}
    if any(ORDER in row.method for table in tables for row in table.rows):
        notes |= {f"{ORDER}: examples with a larger gap are visited more often.": None}
    if any(DISTURBED in answer.text for table in tables for answer in table.answers):
        notes |= {SHAKEN: None}
    return document("**How to read the tables**", bullets(map(cell, notes))) if notes else ""


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, whichever can be grasped."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _utc(seconds: float) -> str:
    """The date and minute of seconds since 1970."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
