"""``docs/answers.md``: plain questions, answered by the published claims and contests."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.drawing.speed import bracketed
from structbench.bench.measure.compared import DEPENDS, Outcome
from structbench.bench.papers.claim_rows import tables
from structbench.bench.papers.verdicts import IN_PART, LESS, NOT_REPRODUCED, NOT_RUN, REPRODUCED
from structbench.bench.report import markdown, origin, performance, published
from structbench.bench.report.published import Published
from structbench.bench.runs import records
from structbench.bench.workflow.names import title

PAGE, RESULTS = Path("docs", "answers.md"), Path("docs", "results")  # of the project's folder
QUESTIONS = ROOT / "bench" / "papers" / "questions.toml"
CHANGED = "changed-rules.md"  # a file of the published results
EARLIER = (
    "\\*: the answer is of an earlier version of our rules or programs. The page that is linked has its numbers."
)
OF_CONTESTS = "[performance](reference/performance.md)"
UNDECIDED = "Our rules do not decide these yet. The numbers say what the runs have shown."
YES, YES_LESS, NO, OPEN, NOT_MEASURED = "yes", "yes, but less", "no", "open", "not measured yet"
WORDS = {REPRODUCED: YES, NOT_REPRODUCED: NO, LESS: YES_LESS, IN_PART: DEPENDS}


@dataclass(frozen=True)
class Question:
    """A question of a reader."""

    asks: str
    claims: tuple[str, ...] = ()  # that answer it, as ``paper/id`` of their rows; the first one gives the numbers
    contests: tuple[str, ...] = ()  # that answer it, as ``part/words`` with words of the contest's description
    figure: str = ""  # ``paper/stem`` of one that shows it
    command: str = ""  # that a reader can try
    names: bool = False  # whether the contests' answer is the method that wins them, not whose it is


@dataclass(frozen=True)
class Row:
    """A row of the page: a question with its answer."""

    word: str = NOT_MEASURED
    number: str = ""
    claim: Published | None = None  # that answers it
    notes: tuple[str, ...] = ()  # sentences behind the number
    earlier: bool = False  # whether the answer is of earlier rules or programs
    question: Question = Question("")
    figure: str = ""

    @property
    def heading(self) -> str:
        """The part of the page that it belongs to."""
        return {OPEN: "Open", NOT_MEASURED: "Not measured yet"}.get(self.word, "Answered")

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The row as Markdown."""
        number = [self.number, *self.notes, self.question.command and f"Try `{self.question.command}`"]
        where = [OF_CONTESTS * bool(self.number and not self.claim), self.figure and f"[figure]({self.figure})"]
        if self.claim:
            page = f"[{markdown.cell(title(self.claim.paper))}](results/{self.claim.paper}/{published.INDEX})"
            where[0] = ", ".join(filter(None, [page, markdown.cell(self.claim.where)]))
        asks, word = markdown.cell(self.question.asks), f"**{self.word}**{EARLIER[:2] * self.earlier}"
        return asks, word, " ".join(filter(None, number)), "; ".join(filter(None, where))


class Told(NamedTuple):
    """A published claim, with what speaks against reading it: its code is older, or its rule changed."""

    claim: Published
    older: bool
    disputed: bool

    @property
    def word(self) -> str:
        """The answer in a word."""
        return WORDS.get(self.claim.verdict, OPEN)

    @property
    def place(self) -> str:
        """What tells the claim from others of its question, in words: its data, else its own name."""
        about = self.claim.id.removeprefix(self.claim.row).strip("-") or self.claim.row.partition("/")[2]
        return tables(QUESTIONS)["words"].get(about, f"on {about}")


def questions(file: Path = QUESTIONS) -> list[Question]:
    """The questions of a file, in its order.

    Raises:
        UserError: A question has an unknown key, or neither claims nor contests.
    """
    found = []
    for row in tables(file)["questions"]:
        if unknown := row.keys() - Question.__dataclass_fields__.keys():
            raise UserError(f"{file.name}, {row.get('asks')!r}: unknown {', '.join(sorted(unknown))}")
        if not row.get("claims") and not row.get("contests"):
            raise UserError(f"{file.name}, {row.get('asks')!r}: give it claims or contests")
        found.append(records.made(Question, row))
    return found


def page(results: Path = RESULTS, asked: Iterable[Question] | None = None) -> str:
    """The page's text, from a folder of publications."""
    known = {name: _claims(results, name) for name in published.papers_of(results)}
    contests = [each for each in performance.kept(results).contests if each.theirs]
    rows = []
    for question in questions() if asked is None else asked:
        row = _of_claims(question, known) if question.claims else _of_contests(question, contests)
        rows.append(replace(row, question=question, figure=_figure(results, question.figure)))
    blocks = [markdown.prose("answers"), EARLIER * any(row.earlier for row in rows)]
    for heading in ("Answered", "Open", "Not measured yet"):
        if said := [row.cells for row in rows if row.heading == heading]:
            blocks += [f"## {heading}", UNDECIDED * (heading == "Open")]
            blocks.append(markdown.table(("question", "answer", "how much", "see"), said))
    return markdown.document(*blocks)


def write_pages() -> tuple[Path, ...]:
    """Bring this page and the one of performance up to date, in the folder that the program is called in.

    Raises:
        UserError: It is not the project's.
    """
    if not RESULTS.is_dir():
        raise UserError(f"there is no {RESULTS} here: call this in the project's folder")
    write_atomically(PAGE, page())
    write_atomically(performance.PAGE, performance.page(RESULTS))
    return PAGE, performance.PAGE


def _claims(results: Path, paper: str) -> list[Told]:
    """A paper's published claims, each with what speaks against reading it."""
    index = (results / paper / published.INDEX).read_text(encoding="utf-8")
    changed = _changed(results / CHANGED)
    older = f"{published.AGE}**frozen**" in index
    return [Told(claim, older, claim.row in changed) for claim in published.claims(results, paper)]


def _changed(file: Path) -> set[str]:
    """The claims whose rules changed after their runs were seen: ``paper/id, id`` in a table's first cells."""
    found = set()
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        paper, slash, names = line.removeprefix("|").partition("|")[0].strip().partition("/")
        found |= {f"{paper}/{name}" for name in names.split(", ")} if slash and line.startswith("|") else set()
    return found


def _of_claims(question: Question, known: dict[str, list[Told]]) -> Row:
    """What the published claims say: on the paper's own data, or where it has none, on other data."""
    asked = [
        told for row in question.claims for told in known.get(row.partition("/")[0], ()) if told.claim.row == row
    ]
    found = [told for told in asked if told.claim.verdict != NOT_RUN]
    own = [told for told in found if told.claim.origin in (*origin.NEAREST, origin.OURS)]
    read = own or found
    if not read:
        return Row()
    first, words = read[0], {told.word for told in read}
    notes = [] if own else ["On other data than the paper's."]
    notes += [f"By data: {_where(read)}."] if len(words) > 1 else []
    if len(read) > len(words) == 1:
        notes.append(f"The same {' and '.join(dict.fromkeys(told.place for told in read[1:]))}.")
    others = [told for told in found if told not in read and told.word != OPEN]
    notes += [f"Other data: {_where(others)}."] if others else []
    notes += [f"Its rule [changed](results/{CHANGED}) after its runs were seen."] if first.disputed else []
    word = words.pop() if len(words) == 1 else DEPENDS
    verdict, colon, number = first.claim.answer.partition(": ")
    before = [first.place] if len(read) > 1 and first.claim.id != first.claim.row else []
    before += [verdict.lower()] if colon and verdict.lower() != word else []
    number = ": ".join(filter(None, [", ".join(before), number if colon else first.claim.answer]))
    shown = markdown.cell(number[:1].upper() + number[1:])
    return Row(word, shown, first.claim, tuple(notes), first.older)


def _where(claims: list[Told]) -> str:
    """Which word is true where: ``yes on digits; open on trees and on chunks``."""
    by_word: dict[str, list[str]] = {}
    for told in claims:
        by_word.setdefault(told.word, []).append(told.place)
    return "; ".join(f"{word} {' and '.join(dict.fromkeys(places))}" for word, places in by_word.items())


def _of_contests(question: Question, known: list[Outcome]) -> Row:
    """What the published contests say: how many times the winner's number the other one has, and its range."""
    said: list[str] = []
    used: list[Outcome] = []
    before: list[str] = []
    for name in question.contests:
        part, _, about = name.partition("/")
        for contest in known:
            if contest.part == part and about in contest.what:
                where = contest.what.split(", ")
                news = [place for k, place in enumerate(where) if [place] != before[k : k + 1]]
                said.append(f"{', '.join(news)}: {contest.sentence}")
                used.append(contest)
                before = where
    if not used:
        return Row()
    winners = {contest.winner for contest in used}
    word = winners.pop() if len(winners) == 1 else DEPENDS
    if question.names and word != DEPENDS:
        word = markdown.cell(" or ".join(dict.fromkeys(bracketed(getattr(each, word).method) for each in used)))
    stale = any(" stale: " in note for contest in used for note in contest.notes)
    return Row(word, markdown.cell("; ".join(said) + "."), earlier=stale)


def _figure(results: Path, name: str) -> str:
    """A figure's file, relative to ``docs``; empty if it is not published."""
    files = sorted(file for end in ("svg", "png") if name and (file := results / f"{name}.{end}").exists())
    return files[0].relative_to(results.parent).as_posix() if files else ""
