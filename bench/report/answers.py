"""``docs/answers.md``: plain questions, answered by sentences with published numbers, or by contests."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Formatter
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.drawing.speed import bracketed
from structbench.bench.measure.compared import DEPENDS, Outcome
from structbench.bench.papers import wording
from structbench.bench.papers.claim_rows import tables
from structbench.bench.papers.evidence import Evidence
from structbench.bench.papers.verdicts import NOT_RUN
from structbench.bench.report import frozen, markdown, performance, published
from structbench.bench.runs import records
from structbench.bench.workflow.paper_modules import title

PAGE, RESULTS = Path("docs", "answers.md"), Path("docs", "results")  # of the project's folder
QUESTIONS = ROOT / "bench" / "papers" / "questions.toml"
MARKS = {
    "\\*": "from runs of earlier programs. The page that is linked has their numbers.",
    "†": f"a rule [changed](results/{frozen.LIST}) after its runs were seen.",
}
UNANSWERED = OPEN, NOT_MEASURED, OUTDATED = "open", "not measured yet", "to be read again"
Claims = Mapping[str, published.Published]  # by id


@dataclass(frozen=True)
class Cited:
    """Conditions of a published claim that a sentence names."""

    claim: str  # its id
    read: str  # what was published when a person last read the sentence: ``Numbers.summary``
    part: int | None = None  # of the claim; None for all
    choice: str = ""  # of ours, such as "from uniform u"; empty for the conditions that count
    where: Mapping[str, list[str | float]] = field(default_factory=dict)  # a setting's name -> the values to take


@dataclass(frozen=True)
class Question:
    """A question of a reader."""

    asks: str
    answer: str = ""  # in a few words
    says: str = ""  # sentences with slots: ``{name}`` for a range, ``{name:least}``, ``{name:greatest}``
    cites: Mapping[str, Cited] = field(default_factory=dict)  # name of a slot -> its conditions
    contests: tuple[str, ...] = ()  # that answer it, as ``part/words`` with words of the contest's description
    figure: str = ""  # ``paper/stem`` of one that shows it
    command: str = ""  # that a reader can try
    names: bool = False  # whether the contests' answer is the method that wins them, not whose it is


class Row(NamedTuple):
    """The answer to a question, and what stands beside it, as Markdown."""

    word: str = NOT_MEASURED
    said: str = ""
    see: str = ""
    marks: str = ""  # what speaks against reading it


class Numbers(NamedTuple):
    """The numbers of conditions, for a sentence that says their direction and unit."""

    verdict: str  # of the whole claim
    conditions: list[Evidence]

    @property
    def summary(self) -> str:
        """What a sentence rests on: the verdict, and how many conditions have which outcome; then the range."""
        counts = Counter(each.outcome for each in self.conditions)
        known = [*filter(wording.known, self.conditions)]
        counts["below 0"] = sum(each.certain < 0 for each in known)
        said = ", ".join([self.verdict, *(f"{word} {n}" for word, n in sorted(counts.items()) if n)])
        return f"{said}: {wording.spread(known, 'certain') if known else 'no number'}"

    def __format__(self, which: str) -> str:
        """The range, or the ``least`` or ``greatest`` distance from 0."""
        known = sorted(filter(wording.known, self.conditions), key=lambda each: abs(each.certain))
        if not which and len({each.certain < 0 for each in known}) != 1:
            raise UserError(f"a range across 0, or of nothing: {self.summary}")
        ends = [wording.in_digits(abs(at.certain), at).removeprefix("+") for at in (known[0], known[-1])]
        return {"": " to ".join(dict.fromkeys(ends)), "least": ends[0], "greatest": ends[1]}[which]


def questions(file: Path = QUESTIONS) -> list[Question]:
    """The questions of a file, in its order.

    Raises:
        UserError: A question has an unknown key or slot, or nothing answers it.
    """
    found = []
    for row in tables(file)["questions"]:
        slots = {name for _, name, *_ in Formatter().parse(row.get("says", "")) if name}
        cites = row.get("cites", {}).keys()
        if unknown := (row.keys() - Question.__dataclass_fields__.keys()) | (slots - cites):
            raise UserError(f"{file.name}, {row.get('asks')!r}: unknown {', '.join(sorted(unknown))}")
        if not cites and not row.get("contests"):
            raise UserError(f"{file.name}, {row.get('asks')!r}: give it cites or contests")
        found.append(records.made(Question, row))
    return found


def page(results: Path = RESULTS, asked: Iterable[Question] | None = None) -> str:
    """The page's text, from a folder of publications."""
    known, rows, marks = claims_by_id(results), {word: [] for word in ("answered", *UNANSWERED)}, ""
    found = [
        (each, _of_claims(each, known, results) if each.cites else _of_contests(each, results))
        for each in (questions() if asked is None else asked)
    ]
    of_papers = [row.marks for each, row in found if each.cites and row.word != NOT_MEASURED]
    shared = [mark for mark in MARKS if len(of_papers) > 1 and all(mark in each for each in of_papers)]
    for each, row in found:
        for mark in shared if each.cites else ():
            row = row._replace(marks=row.marks.replace(mark, ""))
        said = " ".join(filter(None, [row.said, each.command and f"Try `{each.command}`"]))
        see = "; ".join(filter(None, [row.see, _figure(results, each.figure)]))
        cells = (markdown.cell(each.asks), f"**{row.word}**{row.marks}", said, see)
        rows[row.word if row.word in UNANSWERED else "answered"].append(cells)
        marks += row.marks
    blocks = [
        markdown.prose("answers"),
        *(f"All answers that link a paper's results: {MARKS[mark]}" for mark in shared),
    ]
    blocks += [f"{mark}: {why}" for mark, why in MARKS.items() if mark in marks]
    for heading, cells in rows.items():
        table = markdown.table(("question", "answer", "what the runs say", "see"), cells)
        blocks += [f"## {heading.capitalize()}", table] if cells else []
    return markdown.document(*blocks)


def claims_by_id(results: Path) -> Claims:
    """The published claims of all papers."""
    return {each.id: each for name in published.papers_of(results) for each in published.claims(results, name)}


def outdated(question: Question, known: Claims) -> list[str]:
    """What a question's sentence rests on that has changed since a person last read the sentence."""
    return [
        f"{question.asks} Read its sentence again: {name} was {each.read!r}, and is {now!r}"
        for name, each in question.cites.items()
        if each.read.partition(":")[0] != (now := numbers(each, known).summary).partition(":")[0]
    ]


def numbers(cited: Cited, known: Claims) -> Numbers:
    """The conditions that a sentence names, as they are published."""
    claim = known.get(cited.claim)
    found = [
        each
        for each in (claim.conditions if claim else ())
        if (each.choice == cited.choice if cited.choice else each.counted)
        and cited.part in (None, each.part)
        and all(each.where.get(name) in values for name, values in cited.where.items())
    ]
    return Numbers(claim.verdict if claim else NOT_RUN, found)


def require_project() -> None:
    """Raise a UserError if the folder that the program is called in is not the project's."""
    if not RESULTS.is_dir():
        raise UserError(f"there is no {RESULTS} here: call this in the project's folder")


def write_pages() -> tuple[Path, ...]:
    """Bring this page and the one of performance up to date; raises as ``require_project``."""
    require_project()
    write_atomically(PAGE, page())
    write_atomically(performance.PAGE, performance.page(RESULTS))
    return PAGE, performance.PAGE


def _of_claims(question: Question, known: Claims, results: Path) -> Row:
    """The person's sentence with today's numbers. If outcomes changed, the claims' own answers take its place."""
    cited = {each.claim: known[each.claim] for each in question.cites.values() if each.claim in known}.values()
    if all(each.verdict == NOT_RUN for each in cited):
        names = {each.claim.partition("/")[0]: None for each in question.cites.values()}
        pages = [(name, Path("reference", f"{name}.md")) for name in names]
        links = [f"[{markdown.cell(title(name))}]({page.as_posix()})" for name, page in pages]
        there = (link for link, (_, page) in zip(links, pages, strict=True) if (results.parent / page).exists())
        return Row(said=markdown.cell(question.says), see=", ".join(there))
    papers = {each.paper: (results / each.paper / published.INDEX).read_text("utf-8") for each in cited}
    links = [f"[{markdown.cell(title(each))}](results/{each}/{published.INDEX})" for each in papers]
    see = ", ".join([*links, " and ".join(dict.fromkeys(markdown.cell(each.where) for each in cited))])
    is_older = any(f"{published.AGE}**frozen**" in text for text in papers.values())
    marks = "\\*" * is_older + "†" * any(frozen.is_changed(each.row, results) for each in cited)
    if outdated(question, known):
        said = " ".join(f"{each.answer.partition(';')[0].rstrip('.')}." for each in cited)
        return Row(OUTDATED, markdown.cell(said), see, marks)
    slots = {name: numbers(each, known) for name, each in question.cites.items()}
    return Row(question.answer, markdown.cell(question.says.format_map(slots)), see, marks)


def _of_contests(question: Question, results: Path) -> Row:
    """A sentence for each published contest: how many times the winner's number the other one has."""
    known = [each for each in performance.kept(results).contests if each.theirs]
    asked = [name.partition("/") for name in question.contests]
    used = [each for part, _, about in asked for each in known if each.part == part and about in each.what]
    if not used:
        return Row()
    said = " ".join(_compared(used))
    winners = {contest.winner for contest in used}
    word = winners.pop() if len(winners) == 1 else DEPENDS
    if question.names and word != DEPENDS:
        word = markdown.cell(" or ".join(dict.fromkeys(bracketed(getattr(each, word).method) for each in used)))
    stale = any(" stale: " in note for contest in used for note in contest.notes)
    return Row(word, markdown.cell(said), "[performance](reference/performance.md)", "\\*" * stale)


def _compared(contests: list[Outcome]) -> Iterator[str]:
    """A sentence for each two methods on a data set, with a number for each strength of the penalty."""
    found: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for contest in contests:
        quantity, name, *settings = contest.what.split(", ")
        *loss, strength = ", ".join(settings).rpartition(" = ")
        number = next(iter(re.findall(r"needs (.*) times", contest.sentence)), "")
        shape = contest.sentence.replace(number, "{}") if number else contest.sentence
        found.setdefault((quantity, name, shape, "".join(loss)), []).append((number, strength))
    last = ("", "")
    for (quantity, name, shape, loss), some in found.items():
        numbers, strengths = (
            " and ".join(each).replace(" and ", ", ", len(some) - 2) for each in zip(*some, strict=True)
        )
        on = f"on {tables(QUESTIONS)['words'].get(name, name)}"
        place = f"In {quantity} {on}, " if quantity != last[0] else f"O{on[1:]}, " if name != last[1] else ""
        yield f"{place}{shape.format(numbers)}: {loss}{strengths}."
        last = quantity, name


def _figure(results: Path, name: str) -> str:
    """A link to a figure; empty if it is not published."""
    files = sorted(file for end in ("svg", "png") if name and (file := results / f"{name}.{end}").exists())
    return f"[figure]({files[0].relative_to(results.parent).as_posix()})" if files else ""
