"""``docs/answers.md``: plain questions, answered by the published claims and contests."""

import json
import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.report import markdown, origin, published, published_claims
from structbench.bench.workflow.names import title

PAGE, RESULTS = Path("docs", "answers.md"), Path("docs", "results")  # of the project's folder
QUESTIONS = ROOT / "bench" / "papers" / "questions.toml"
CONTESTS, CHANGED = "contests.json", "changed-rules.md"  # files of the published results
YES, NO, DEPENDS, OPEN, NOT_MEASURED = "yes", "no", "it depends", "open", "not measured yet"
NOTHING = {"word": NOT_MEASURED, "number": "", "claim": None, "notes": [], "earlier": False}  # an empty row
WORDS = {"reproduced": YES, "not reproduced": NO, "at least in part": DEPENDS, "in part": DEPENDS}


@dataclass(frozen=True)
class Question:
    """A question of a reader.

    Attributes:
        claims: The claims that answer it, as ``paper/id`` of their rows. The first one gives the numbers.
        contests: The contests that answer it, as ``part/words`` with words of the contest's description.
        figure: ``paper/stem`` of a figure that shows it.
        command: What a reader can try.
        names: Whether the contests' answer is the method that wins them, not whose it is.
    """

    asks: str
    claims: tuple[str, ...] = ()
    contests: tuple[str, ...] = ()
    figure: str = ""
    command: str = ""
    names: bool = False


def questions(file: Path = QUESTIONS) -> list[Question]:
    """The questions of a file, in its order.

    Raises:
        UserError: A question has an unknown key, or neither claims nor contests.
    """
    found = []
    for row in _tables(file)["questions"]:
        if unknown := row.keys() - Question.__dataclass_fields__.keys():
            raise UserError(f"{file.name}, {row.get('asks')!r}: unknown {', '.join(sorted(unknown))}")
        if not row.get("claims") and not row.get("contests"):
            raise UserError(f"{file.name}, {row.get('asks')!r}: give it claims or contests")
        found.append(Question(**{name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}))
    return found


def _tables(file: Path = QUESTIONS) -> dict[str, Any]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def page(results: Path = RESULTS, asked: Iterable[Question] | None = None) -> str:
    """The page's text, from a folder of publications."""
    known = {name: _claims(results, name) for name in published.records(results)}
    file = results / CONTESTS
    contests = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    rows = [
        (_of_claims if question.claims else _of_contests)(question, known if question.claims else contests)
        | {"asks": question.asks, "command": question.command, "figure": _figure(results, question.figure)}
        for question in (questions() if asked is None else asked)
    ]
    return markdown.filled_in("answers.md.j2", {"parts": _parts(rows), "earlier": any(r["earlier"] for r in rows)})


def _parts(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Heading -> its rows: what has an answer comes first."""
    parts = {"Answered": [], "Open": [], "Not measured yet": []}
    for row in rows:
        parts[{OPEN: "Open", NOT_MEASURED: "Not measured yet"}.get(row["word"], "Answered")].append(row)
    return {heading: members for heading, members in parts.items() if members}


def write() -> Path:
    """Bring the page of the folder that the program is called in up to date.

    Raises:
        UserError: It is not the project's.
    """
    if not RESULTS.is_dir():
        raise UserError(f"there is no {RESULTS} here: call this in the project's folder")
    write_atomically(PAGE, page())
    return PAGE


def _claims(results: Path, paper: str) -> list[dict[str, Any]]:
    """A paper's published claims, each with its paper, its data's origin, and what speaks against reading it."""
    origins = published_claims.origins(results, paper)
    index = (results / paper / published.INDEX).read_text(encoding="utf-8")
    changed = _changed(results / CHANGED)
    older = f"{published.AGE}**frozen**" in index
    return [
        claim
        | {
            "paper": paper,
            "origin": origins[claim["id"]],
            "older": older,
            "disputed": claim["row"] in changed,
            "former": claim["answer"] == published_claims.NONE,
        }
        for claim in published_claims.of(results, paper)
    ]


def _changed(file: Path) -> set[str]:
    """The claims whose rules changed after their runs were seen: ``paper/id, id`` in a table's first cells."""
    found = set()
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        paper, slash, names = line.removeprefix("|").partition("|")[0].strip().partition("/")
        found |= {f"{paper}/{name}" for name in names.split(", ")} if slash and line.startswith("|") else set()
    return found


def _of_claims(question: Question, known: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """What the published claims say: on the paper's own data, or where it has none, on other data."""
    found = [
        claim
        for row in question.claims
        for claim in known.get(row.partition("/")[0], ())
        if claim["row"] == row and claim["verdict"] != "not run"
    ]
    own = [claim for claim in found if claim["origin"] in (origin.OWN, origin.OURS)]
    read = own or found
    if not read:
        return NOTHING
    first, words = read[0], {_word(claim) for claim in read}
    notes = [] if own else ["On other data than the paper's."]
    notes += [f"By data: {_where(read)}."] if len(words) > 1 else []
    if len(read) > len(words) == 1:
        notes.append(f"The same {' and '.join(dict.fromkeys(map(_place, read[1:])))}.")
    others = [claim for claim in found if claim not in read and _word(claim) != OPEN]
    notes += [f"Other data: {_where(others)}."] if others else []
    notes += (
        [f"Its rule [changed](results/{CHANGED}) after its runs were seen."]
        if first["disputed"] and not first["former"]
        else []
    )
    word = words.pop() if len(words) == 1 else DEPENDS
    verdict, colon, number = first["answer"].partition(": ")
    before = [_place(first)] if len(read) > 1 and first["id"] != first["row"] else []
    before += [verdict.lower()] if colon and verdict.lower() != word else []
    number = ": ".join(filter(None, [", ".join(before), number if colon else first["answer"]]))
    return {
        "word": word,
        "number": "" if first["former"] else markdown.cell(number[:1].upper() + number[1:]),
        "claim": first | {"title": title(first["paper"])},
        "notes": notes,
        "earlier": first["former"] or first["older"],
    }


def _where(claims: list[dict[str, Any]]) -> str:
    """Which word is true where: ``yes on digits; open on trees and on chunks``."""
    by_word = {}
    for claim in claims:
        by_word.setdefault(_word(claim), []).append(_place(claim))
    return "; ".join(f"{word} {' and '.join(dict.fromkeys(places))}" for word, places in by_word.items())


def _word(claim: dict[str, Any]) -> str:
    return WORDS.get(claim["verdict"], OPEN)


def _place(claim: dict[str, Any]) -> str:
    """What tells a claim from others of its question, in words: its data, else its own name."""
    about = claim["id"].removeprefix(claim["row"]).strip("-") or claim["row"].partition("/")[2]
    return _tables()["words"].get(about, f"on {about}")


def _of_contests(question: Question, known: list[dict[str, Any]]) -> dict[str, Any]:
    """What the published contests say: how many times the winner's number the other one has, and its range."""
    said: list[str] = []
    used: list[dict[str, Any]] = []
    before: list[str] = []
    for name in question.contests:
        part, _, about = name.partition("/")
        for contest in known:
            if contest["part"] == part and about in contest["what"] and contest["theirs"]:
                where = contest["what"].split(", ")
                news = [place for k, place in enumerate(where) if [place] != before[k : k + 1]]
                said.append(f"{', '.join(news)}: {_compared(contest)}")
                used.append(contest)
                before = where
    if not used:
        return NOTHING
    winners = {_winner(contest) for contest in used}
    word = winners.pop() if len(winners) == 1 else DEPENDS
    if question.names and word != DEPENDS:
        word = markdown.cell(" or ".join(dict.fromkeys(_method(contest[word]) for contest in used)))
    stale = any(" stale: " in note for contest in used for note in contest["notes"])
    return NOTHING | {"word": word, "number": markdown.cell("; ".join(said) + "."), "earlier": stale}


def _winner(contest: dict[str, Any]) -> str:
    """Whose number is less, whichever repeats are compared: ``ours`` or ``theirs``."""
    finished = {side: math.isfinite(median(contest[side]["values"])) for side in ("ours", "theirs")}
    if not finished["ours"]:
        return "theirs" if finished["theirs"] else DEPENDS
    _, low, high = contest["ratio"]
    return "ours" if high < 1 else "theirs" if low > 1 and finished["theirs"] else DEPENDS


def _compared(contest: dict[str, Any]) -> str:
    ours, theirs = _method(contest["ours"]), _method(contest["theirs"])
    unfinished = math.isinf(median(contest["theirs"]["values"]))
    if not contest["ratio"]:
        return f"{ours} does not get there" + (f", nor does {theirs}" if unfinished else f", {theirs} does")
    middle, low, high = contest["ratio"]
    if unfinished:
        return f"{theirs} does not get there, given {_factor(1 / middle)} times as many as {ours} needs"
    if high < 1:
        return f"{theirs} needs {_factor(1 / middle, 1 / high, 1 / low)} times as many as {ours}"
    return f"{ours} needs {_factor(middle, low, high)} times as many as {theirs}"


def _method(side: dict[str, Any]) -> str:
    """A method's name with its parameters in brackets: ``EG (order gap)``."""
    name, comma, parameters = str(side["method"]).partition(", ")
    return f"{name} ({parameters})" if comma else name


def _factor(middle: float, low: float = 1.0, high: float = 1.0) -> str:
    middle_, low_, high_ = (f"{each:.2g}" if each < 99.5 else f"{each:.0f}" for each in (middle, low, high))
    return f"{middle_} ({low_} to {high_})" if high > low else middle_


def _figure(results: Path, name: str) -> str:
    """A figure's file, relative to ``docs``; empty if it is not published."""
    files = sorted(file for end in ("svg", "png") if name and (file := results / f"{name}.{end}").exists())
    return files[0].relative_to(results.parent).as_posix() if files else ""
