"""Your own sentences in columns, ``columns:PATH``: words, whatever else describes them, and last a label; a chain.

A line is a token, its columns separated by blanks or tabs. An empty line ends a sentence. ``names`` are the names
of the columns. The first is the word. Attributes come from templates such as ``w[-1]|pos[0]``, the word before and
this token's pos: those of ``defaults``, or the lines of the file ``templates``, ours or CRF++'s.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.problem import Names, Problem, Unlabelled, Vocabulary
from structbench.datasets.text import characters, columns, ner, token_chains
from structbench.datasets.text import templates as made_from
from structbench.datasets.text.columns import written
from structbench.datasets.text.lines import decode, numbered_lines, opened
from structbench.datasets.text.token_chains import Templates

__all__ = ["encode", "example", "load", "written"]

LICENCE = "your own data"
STRUCTURE = "chain"
SCORES = ("chunks",)
PATHS = ("templates",)  # options that are files of the user's

NAME = re.compile(r"[A-Za-z]\w*")
CRFPP = re.compile(r"([UB])([^:[]*)(?::(.*))?")  # no bracket before the colon: that is a template of ours
CELL = re.compile(r"%x\[(-?\d{1,4}),(\d{1,4})\]")


LOOKS = ner.MORPHOLOGY | characters.OF_TOKEN  # of a word; ``characters.REPEATED`` are of a word and another

Features = Literal["words", "characters", "chinese"]


def load(
    files: Any,
    *,
    path: str,
    test: str | None = None,
    names: str = "",
    templates: str = "",
    features: Features = "words",
    least: Annotated[int, ">= 1"] = 1,
) -> Problem:
    """The problem of a training file and, maybe, a test file; ``files`` is not used.

    Args:
        names: Of the columns, separated by blanks, the label last; by default w, c2, c3 and so on.
        templates: A file with a template a line, ours or CRF++'s; by default those of ``defaults``.
        features: Which of ``defaults``.
        least: Leave out attributes that the training file has less often than this.

    Raises:
        UserError: A file cannot be read, a line is malformed, or there are fewer than two labels. Or an option is
            wrong.
    """
    called = _names(names, path)
    learn = _read(path, called)
    evaluate = None if test is None else _read(test, called)
    if len(set(learn.columns[called[-1]])) < 2:
        found = learn.columns[called[-1]][0]
        raise UserError(f"{path}: expected at least two labels in the last column, found only {found!r}")
    if templates and features != "words":
        raise UserError(f"features={features} and templates={templates} exclude each other: choose one of them")
    used = _templates(templates, called) if templates else Templates(defaults(called[:-1], features))
    return columns_problem(learn, evaluate, called, used, least)


def columns_problem(
    learn: columns.Sentences,
    evaluate: columns.Sentences | None,
    names: tuple[str, ...],
    used: Templates,
    least: int = 1,
) -> Problem:
    """The problem of sentences in columns of these names, the label last. Templates may name looks of words."""
    labels = tuple(dict.fromkeys(learn.columns[names[-1]]))
    all_used = used.nodes + used.edges
    given = described(learn, names, all_used), evaluate and described(evaluate, names, all_used)
    made = token_chains.chain_problem(*given, names[-1], labels, used, least)
    vocabulary = {"columns": [*names], "edges": Names()} | (made.vocabulary or {})
    vocabulary |= {"templates": [*used.nodes], "edge templates": [*used.edges], "padded": np.array(used.padded)}
    first = [ner.ARTICLE.match(word) is not None for word in learn.columns[names[0]]]
    documents = np.cumsum(first)[np.cumsum(learn.lengths) - learn.lengths]
    return made._replace(vocabulary=vocabulary, documents=documents if documents[0] < documents[-1] else None)


def encode(content: bytes, source: str, labels: tuple[str, ...], vocabulary: Vocabulary, **_: Any) -> Unlabelled:
    """New sentences: all columns but the label, which may be there and is not read.

    Raises:
        UserError: A line is malformed.
    """
    called = tuple(vocabulary["columns"])
    used = Templates(
        tuple(vocabulary["templates"]), tuple(vocabulary["edge templates"]), bool(vocabulary["padded"])
    )
    sentences = columns.read_unlabelled(decode(content, source), called, len(called) - 1, source)
    given = described(sentences, called, used.nodes + used.edges)
    return token_chains.encode_tokens(given, labels, vocabulary, used, sentences.written)


def example(vocabulary: Vocabulary, **_: Any) -> str:
    """Two tokens with a word each and x in all other cells."""
    return "".join(f"{word}{' x' * (len(vocabulary['columns']) - 2)}\n" for word in ("Hello", "world"))


def defaults(names: Sequence[str], features: Features = "words") -> tuple[str, ...]:
    """Templates for these columns, without the label's.

    They are the words around, with their neighbours, the looks of the word (``ner.MORPHOLOGY``), and the other
    columns around, alone and in pairs. In place of those of the word, ``characters`` has
    ``characters.CHARACTERS``, where a token is a character, and ``chinese`` has ``characters.WORDS``.
    """
    word, *others = names
    chosen = [word, *others] if features == "words" else others
    around = [f"{name}[{offset}]" for name in chosen for offset in (-2, -1, 0, 1, 2)]
    pairs = [f"{name}[{offset}]|{name}[{offset + 1}]" for name in chosen for offset in (-1, 0)]
    looks = [f"{word}_{name}[0]" for name in ner.MORPHOLOGY]
    if features != "words":
        own = characters.CHARACTERS if features == "characters" else characters.WORDS
        looks = [template.format(word) for template in own]
    return (*around, *pairs, *looks)


def _names(names: str, path: str) -> tuple[str, ...]:
    found = tuple(names.split())
    if not found:
        lines = ((number, line, columns.CELL.findall(line)) for number, line in numbered_lines(path))
        lines = (each for each in lines if each[2])
        number, begins, cells = next(lines, (0, "", ["", ""]))
        count = len(cells)
        if (
            cells[0].startswith("#")
            and (first := next((row for *_, row in lines if not row[0].startswith("#")), None))
            and len(first) != count
        ):
            raise UserError(
                f"{path}, line {number}: expected a token, found a comment, {' '.join(cells)[:60]!r}: leave such "
                "lines out"
            )
        if count < 2:
            raise UserError(
                f"{path}, line {number}: expected two columns or more, a word and a label, found {cells[0][:80]!r}"
                ": columns are separated by blanks or tabs"
            )
        if (tabs := len(begins.split("\t"))) > count and any(len(row) == tabs for *_, row in lines):
            raise UserError(f"{path}, line {number}: an empty cell in {begins[:80]!r}: expected a word in each")
        found = ("w", *(f"c{k}" for k in range(2, count)), "label")
    for name in found:
        if not NAME.fullmatch(name) or found.count(name) > 1:
            raise UserError(f"names={names}: expected a different word for each column, found {name!r}")
    ours = {f"{found[0]}_{look}" for look in (*LOOKS, *characters.REPEATED)}
    if taken := ours.intersection(found):
        raise UserError(f"names={names}: {min(taken)} is made of the word itself: choose another name")
    if len(found) < 2:
        raise UserError(f"names={names}: expected two columns or more, a word and a label, found {len(found)}")
    return found


def _read(path: str, names: tuple[str, ...]) -> columns.Sentences:
    with opened(path) as file:
        text = decode(file.read(), path)
    if not text.strip():
        raise UserError(
            f"{path} has no sentences: expected a word and a label a line, between them blanks or tabs"
        )
    return columns.read_columns(text, names, path)


def described(
    sentences: columns.Sentences, names: tuple[str, ...], templates: tuple[str, ...]
) -> columns.Sentences:
    """The sentences with those looks of their words that templates name."""
    word, cells = names[0], {name: sentences.columns[name] for name in names if name in sentences.columns}
    named = {*made_from.COLUMN.findall(" ".join(templates))}
    chosen = [look for look in (*LOOKS, *characters.REPEATED) if f"{word}_{look}" in named]
    words = sentences._replace(columns={"w": cells[word]})
    made: dict[str, list[Any]] = {
        **words.with_word_features(**{k: LOOKS[k] for k in chosen if k in LOOKS}).columns
    }
    for look in {*chosen} & {*characters.REPEATED}:
        made[look] = characters.repeated(words, characters.REPEATED[look])
    return sentences._replace(columns=cells | {f"{word}_{look}": made[look] for look in chosen})


def _templates(path: str, names: tuple[str, ...]) -> Templates:
    """Those of a file.

    Raises:
        UserError: A line is no template, or CRF++'s file has no line B.
    """
    lines = [(number, line.strip()) for number, line in numbered_lines(path)]
    lines = [(number, line) for number, line in lines if line and not line.startswith("#")]
    if not lines:
        raise UserError(f"{path} has no templates: expected lines such as {names[0]}[-1]|{names[0]}[0]")
    odd = [(number, line) for number, line in lines if not CRFPP.fullmatch(line)]
    if odd and any("%x[" in line for _, line in lines):
        number, line = odd[0]
        raise UserError(
            f"{path}, line {number}: expected a line of CRF++ such as U00:%x[0,0] or B, found {line[:60]!r}"
        )
    if odd:
        known = [*names[:-1], *(f"{names[0]}_{name}" for name in (*LOOKS, *characters.REPEATED))]
        for number, line in lines:
            try:
                made_from.parse(line, known)
            except UserError as error:
                raise UserError(f"{path}, line {number}: {error}") from None
        return Templates(tuple(dict.fromkeys(line for _, line in lines)))
    kinds: dict[str, list[str]] = {"U": [], "B": []}
    shared: dict[str, str] = {}  # a line without offsets -> the line
    for number, line in lines:
        kind, _, body = CRFPP.findall(line)[0]
        if (other := shared.setdefault(CELL.sub(r"%x[,\2]", line), line)) != line:
            raise UserError(
                f"{path}, line {number}: {line} and {other} share attributes in CRF++: give each a name of its "
                "own before the colon, such as U01"
            )
        cells = CELL.findall(body or "")
        if (not cells and kind == "U") or (body or "").count("%x") > len(cells):
            raise UserError(f"{path}, line {number}: expected %x[row,column], found {line[:60]!r}")
        for _, column in cells:
            if int(column) >= len(names) - 1:
                raise UserError(
                    f"{path}, line {number}: expected a column from 0 to {len(names) - 2}, found {column}"
                )
        kinds[kind].append("|".join(f"{names[int(column)]}[{row}]" for row, column in cells))
    if not kinds["B"]:
        raise UserError(f"{path} has no line B: a chain has weights of pairs of labels")
    return Templates(tuple(dict.fromkeys(kinds["U"])), tuple(filter(None, dict.fromkeys(kinds["B"]))), True)
