"""The papers behind a config: those of its methods, its data sets and its figures, as BibTeX.

``references.bib`` beside this file has the entries. A folder of the user's may have its own ``references.bib``.
"""

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from structbench import datasets
from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.names import meant
from structbench.bench.runs import algorithm_module
from structbench.bench.workflow import paper_modules
from structbench.bench.workflow.config import Config

NAME = "references.bib"
OURS = "structbench"  # the key of the project itself
ENTRY = re.compile(r"^[ \t]*@(?!comment\b)\w+\s*\{\s*([^,\s]+)\s*,", re.MULTILINE | re.IGNORECASE)  # its beginning
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
PLACES = ("journal", "booktitle", "publisher", "institution", "howpublished")
MARKS = re.compile(r"\\[a-z`'^\"~]+ ?|[{}]")  # of LaTeX
ACCENT = re.compile(r"\\(['`^]|[cv] )(\w)")
COMBINING = {"'": "\u0301", "`": "\u0300", "^": "\u0302", "c ": "\u0327", "v ": "\u030c"}


class Cited(NamedTuple):
    """``uses``: Key -> what is run that names it. ``unnamed``: What is run and names no reference."""

    uses: dict[str, list[str]]
    unnamed: list[str]


def entries() -> dict[str, str]:
    """Key -> entry, as it is written; raises a UserError if a file cannot be read, or has a key again."""
    found: dict[str, str] = {}
    for file in (Path(__file__).with_name(NAME), *(folder / NAME for folder in own_folders.folders())):
        try:
            text = file.read_text(encoding="utf-8") if file.exists() else ""
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{file} cannot be read as BibTeX: {error}") from None
        for key, entry in _entries(text, file):
            if key in found:
                raise UserError(f"{file} has {key} a second time: give this entry another key")
            found[key] = entry
    return found


def _entries(text: str, file: Path) -> Iterator[tuple[str, str]]:
    """Key and text of each entry: it ends where its first brace does."""
    end = 0
    while begun := ENTRY.search(text, end):
        depth, end = 0, begun.start()
        for brace in re.finditer(r"[{}]", text[begun.start() :]):
            depth += 1 if brace[0] == "{" else -1
            if depth == 0:
                end = begun.start() + brace.end()
                break
        if depth:
            raise UserError(f"{file}: the entry {begun[1]} has no closing brace")
        yield begun[1], text[begun.start() : end].strip()


def cited(config: Config) -> Cited:
    """What a config runs, by the references that it names; raises a UserError if one has no entry."""
    known, uses = entries(), {OURS: ["all of this"]}
    named = dict(_named(config))
    for what, keys in named.items():
        for key in keys:
            if key not in known:
                hint = f"{meant(key, known)}write its entry into a {NAME} in your folder"
                raise UserError(f"{what} names the reference {key!r}, which has no entry: {hint}")
            uses.setdefault(key, []).append(what)
    return Cited(uses, [what for what, keys in named.items() if not keys])


def _named(config: Config) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is run, and the keys that it names. A paper's folder is its key, if it names no other."""
    for paper in config.papers:
        keys = getattr(paper_modules.paper_module(paper), "REFERENCES", (paper,))
        if keys:  # the figures of all methods are of no paper
            yield f"paper {paper}", keys
    for name in sorted({spec.algorithm for spec in config.specs}):
        yield f"algorithm {name}", algorithm_module.declaration(name).references
    for name in sorted({spec.data.name for spec in config.specs}):
        keys = getattr(datasets.module(name), "REFERENCES", ())
        if keys or datasets.sources(name):  # generated data, and formats of files, need none
            yield f"data set {name}", keys


def bibtex(uses: dict[str, list[str]]) -> str:
    """The entries, each below a line that says what names it."""
    known = entries()
    return "\n".join(f"% {', '.join(of)}\n{known[key]}\n" for key, of in uses.items())


def plain(key: str) -> str:
    """An entry as a line of text: authors, title, place and year."""
    field = dict(FIELD.findall(entries()[key]))
    place = next(field[name] for name in PLACES if name in field)
    text = f"{field['author'].replace(' and ', ', ')}: {field['title']}. {place}, {field['year']}."
    accented = ACCENT.sub(lambda found: found[2] + COMBINING[found[1]], text)
    return unicodedata.normalize("NFC", MARKS.sub("", accented))
