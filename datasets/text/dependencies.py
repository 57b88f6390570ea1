"""Reader of dependency trees in CoNLL-X or CoNLL-U: a token a line, its columns separated by tabs.

Buchholz and Marsi, CoNLL-X shared task on multilingual dependency parsing, 2006; Nivre et al., Universal
Dependencies v2, 2020.
"""

import re
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems import sampling
from structbench.datasets.text import columns
from structbench.datasets.text.lines import numbered_lines

Style = Literal["conllx", "conllu"]
WIDTHS = {"conllx": (8, 10), "conllu": (10,)}  # CoNLL-X may do without PHEAD and PDEPREL
NO_WORD = re.compile(r"[0-9]+[-.][0-9]+")  # CoNLL-U: a range of tokens written as one, or an empty node
HEAD_COLUMN, RELATION_COLUMN = 6, 7
HEAD = re.compile(r"[0-9]{1,9}")
LONGEST = 1_000  # tokens: a sentence has as many pairs of head and modifier as the square of it


class Sentence(NamedTuple):
    """A sentence and its tree, each tuple with a cell a token.

    ``coarse``, ``tags``: parts of speech, coarse and fine; ``morphology``: as written, gen=f|num=p or _;
    ``heads``: int32 (tokens,), the number of each token's head, from 1 on, or 0 under the root; ``relations``: to
    these.
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    coarse: tuple[str, ...]
    tags: tuple[str, ...]
    morphology: tuple[str, ...]
    heads: np.ndarray
    relations: tuple[str, ...] = ()


def read_file(path: str, style: Style, count: int = 0, single_root: bool = False) -> list[Sentence]:
    """The first ``count`` sentences (0: all) of a file that the user names; for the rest see ``read_trees``.

    Raises:
        UserError: It cannot be read, see ``lines.numbered_lines`` and ``read_trees``. It has fewer sentences.
    """
    sentences = read_trees("\n".join(line for _, line in numbered_lines(path)), path, style, single_root)
    return sampling.first(sentences, count, path)


def read_trees(
    text: str, source: str, style: Style = "conllx", single_root: bool = False, labelled: bool = True
) -> list[Sentence]:
    """All sentences of a text; line ends may be LF or CRLF, the last one may be missing.

    If a fine part of speech is missing (_), the coarse one counts. In CoNLL-U, lines of comments, of several
    tokens at once (1-2) and of empty nodes (1.1) are left out.

    Args:
        single_root: Refuse a sentence with two tokens under the root.
        labelled: If not, heads are not read; all are 0.

    Raises:
        UserError: A line is malformed, heads are no tree, a sentence is too long, or there is none at all. Names
            ``source``, the line and what was expected.
    """
    sentences: list[Sentence] = []
    rows: list[list[str]] = []
    numbers: list[int] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        line = line.removesuffix("\r")
        if not line.strip(" \t"):
            if rows:
                sentences.append(_sentence(rows, numbers, source, single_root))
                rows, numbers = [], []
        elif not (style == "conllu" and line.startswith("#")):
            cells = line.split("\t")
            if len(cells) not in WIDTHS[style]:
                widths = " or ".join(map(str, WIDTHS[style]))
                raise UserError(
                    f"{source}, line {number}: expected {widths} columns separated by tabs, found {len(cells)}: "
                    f"{line[:80].strip()!r}"
                )
            if style == "conllu" and NO_WORD.fullmatch(cells[0]):
                continue
            if not labelled:
                cells[6] = "0"
            _check(cells, len(rows) + 1, f"{source}, line {number}")
            rows.append(cells)
            numbers.append(number)
    if not sentences:
        raise UserError(f"{source} has no sentences: expected a token a line")
    columns.refuse_longer(np.array([len(each.words) for each in sentences]), source, "sentence", LONGEST)
    return sentences


def around(text: str, style: Style, column: int) -> tuple[list[str], list[str]]:
    """What is before and behind each token's cell of a column, of a well-formed text.

    Comments and lines of no token stay beside the next token of their sentence, or its last one.
    """
    before: list[str] = []
    after: list[str] = []
    waiting: list[str] = []
    inside = False  # of a sentence, behind its first token
    for line in (each.removesuffix("\r") for each in text.split("\n")):
        cells = line.split("\t")
        no_word = style == "conllu" and (line.startswith("#") or NO_WORD.fullmatch(cells[0]))
        if len(cells) in WIDTHS[style] and line.strip(" \t") and not no_word:
            before.append("".join(f"{each}\n" for each in waiting) + "\t".join([*cells[:column], ""]))
            after.append("\t".join(["", *cells[column + 1 :]]))
            waiting, inside = [], True
        elif line.strip(" \t"):
            waiting.append(line)
        else:
            if inside:  # what is behind the last token belongs to its sentence
                after[-1] += "".join(f"\n{each}" for each in waiting)
                waiting = []
            inside = False
    if after and waiting:
        after[-1] += "".join(f"\n{each}" for each in waiting)
    return before, after


def _check(cells: list[str], number: int, where: str) -> None:
    """Nothing, if these are the cells of the token of that number."""
    if cells[0] != str(number):
        hint = "; an empty line ends a sentence" if cells[0] == "1" else ""
        raise UserError(f"{where}: expected token {number} of the sentence, found {cells[0][:60]!r}{hint}")
    if not cells[1]:
        raise UserError(f"{where}: expected a word in the second column, found nothing")
    if not HEAD.fullmatch(cells[6]):
        raise UserError(f"{where}: expected the number of a head in the seventh column, found {cells[6][:60]!r}")


def _sentence(rows: list[list[str]], numbers: list[int], source: str, single_root: bool) -> Sentence:
    _, words, lemmas, coarse, tags, morphology, written, relations, *_ = zip(*rows, strict=False)
    heads = [int(head) for head in written]
    check_tree(heads, lambda token: f"{source}, line {numbers[token - 1]}", single_root)
    fine = tuple(tag if tag != "_" else other for tag, other in zip(tags, coarse, strict=True))
    return Sentence(words, lemmas, coarse, fine, morphology, np.array(heads, np.int32), relations)


def check_tree(heads: list[int], where: Callable[[int], str], single_root: bool = False) -> None:
    """Nothing, if the heads of a sentence's tokens are a tree; ``where`` names the place of a token, from 1 on.

    Raises:
        UserError: They are not; or there are two roots, though ``single_root``.
    """
    for token, head in enumerate(heads, 1):
        if not 0 <= head <= len(heads):
            raise UserError(
                f"{where(token)}: expected a head from 0 to {len(heads)}, the tokens of the sentence, found {head}"
            )
    roots = [token for token, head in enumerate(heads, 1) if head == 0]
    if not roots:
        raise UserError(f"{where(1)}: expected a token with head 0 in this sentence")
    if single_root and len(roots) > 1:
        raise UserError(
            f"{where(roots[1])}: expected one token with head 0, found tokens {' and '.join(map(str, roots))}"
        )
    if token := _on_a_cycle(heads):
        raise UserError(
            f"{where(token)}: expected a tree, found a cycle: from token {token} its heads lead back to it"
        )


def _on_a_cycle(heads: list[int]) -> int:
    """A token that is its own head's head and so on; 0 if there is none."""
    reached_from = [0] * (len(heads) + 1)
    for start in range(1, len(heads) + 1):
        token = start
        while token and not reached_from[token]:
            reached_from[token] = start
            token = heads[token - 1]
        if token and reached_from[token] == start:
            return token
    return 0
