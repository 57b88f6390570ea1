"""Reader of CoNLL columns: a token a line, its columns separated by blanks, an empty line between sentences."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError

WORD = re.compile(r"[^ \t\r\n]+")  # a cell that may be written
CELL = re.compile(r"[^ \t]+")  # str.split() would also split at no-break spaces, which are part of a word
TAB, NEWLINE, RETURN, BLANK = b"\t\n\r "
ODD = 300  # tokens of a file's only sentence, which may lack empty lines
LONGEST = 100_000  # tokens: a longer sentence is a file without empty lines


class Sentences(NamedTuple):
    """``columns``: name -> one string a token; ``lengths``: int64 (sentences,); ``lines``: a token's line.

    ``mark``: what separates cells that are written.
    """

    columns: dict[str, list[str]]
    lengths: np.ndarray
    lines: list[int]
    source: str
    mark: str = " "

    @property
    def first_tokens(self) -> set[int]:
        """The tokens that begin a sentence."""
        return set((np.cumsum(self.lengths) - self.lengths).tolist())

    def with_word_features(self, **of_word: Callable[[str], str | None]) -> "Sentences":
        """The sentences with further columns: what each function makes of the words ``w``, once for every word."""
        words = self.columns["w"]
        different = dict.fromkeys(words)
        made = {}
        for name, feature in of_word.items():
            value = {word: feature(word) for word in different}
            made[name] = [value[word] for word in words]
        return self._replace(columns=self.columns | made)

    @property
    def written(self) -> list[str]:
        """The cells of each token's line, with the mark behind each."""
        return [self.mark.join([*cells, ""]) for cells in zip(*self.columns.values(), strict=True)]

    def joined(self, count: int) -> "Sentences":
        """Each ``count`` sentences as one; the last may be of fewer."""
        return self._replace(lengths=np.add.reduceat(self.lengths, np.arange(0, len(self.lengths), count)))

    def part(self, which: slice) -> "Sentences":
        """These of the sentences."""
        tokens = slice(int(self.lengths[: which.start or 0].sum()), int(self.lengths[: which.stop].sum()))
        columns = {name: cells[tokens] for name, cells in self.columns.items()}
        return Sentences(columns, self.lengths[which], self.lines[tokens], self.source, self.mark)


def read_columns(text: str, names: tuple[str, ...], source: str) -> Sentences:
    """Sentences with these columns; line ends may be LF or CRLF, the last one may be missing.

    Raises:
        UserError: A line has another number of columns (names the file, the line and what was expected). A
            sentence is too long, or there is none at all.
    """
    cells, line = _cells(text)
    count = np.bincount(line)
    if not len(line):
        raise UserError(f"{source} has no sentences: expected lines of {len(names)} columns ({' '.join(names)})")
    given = np.flatnonzero(count)
    if wrong := given[count[given] != len(names)][:1].tolist():
        found = text.split("\n")[wrong[0]].removesuffix("\r")
        raise UserError(
            f"{source}, line {wrong[0] + 1}: expected {len(names)} columns ({' '.join(names)}), "
            f"found {count[wrong[0]]}: {found[:80].strip()!r}"
        )
    ends = np.flatnonzero(np.diff(given, append=given[-1] + 2) > 1) + 1
    lengths = np.diff(ends, prepend=0)
    refuse_longer(lengths, source, "sentence")
    columns = {name: cells[k :: len(names)] for k, name in enumerate(names)}
    return Sentences(columns, lengths, (given + 1).tolist(), source)


def _cells(text: str) -> tuple[list[str], np.ndarray]:
    """The cells of all lines, and the number of each one's line, from 0 on. Lines end with LF, or CR and LF."""
    data = np.frombuffer(f"{text}\n".encode(), np.uint8)
    ends = data == NEWLINE
    blank = ends | (data == BLANK) | (data == TAB)
    blank[:-1] |= ends[1:] & (data[:-1] == RETURN)
    first = ~blank
    first[1:] &= blank[:-1]
    cells = np.where(blank, np.uint8(NEWLINE), data).tobytes().decode().split("\n")
    return list(filter(None, cells)), np.cumsum(ends)[first]


def read_unlabelled(
    text: str, names: tuple[str, ...], used: int, source: str, labels: Collection[str] = ()
) -> Sentences:
    """Sentences without the last of these columns, the label, be it in the text or not; with tabs if it has some.

    Args:
        used: The number of columns that features are made of; more may be missing than the label.
        labels: The model's. If columns are missing, and the last one there has labels alone, it is the label's.

    Raises:
        UserError: As ``read_columns``; or there are fewer columns.
    """
    lines = enumerate((CELL.findall(line.removesuffix("\r")) for line in text.split("\n")), 1)
    number, first = next((each for each in lines if each[1]), (0, []))
    wanted = f"{used} columns ({' '.join(names[:used])}), maybe with {' '.join(names[used:])}"
    if not first:
        raise UserError(f"{source} has no sentences: expected lines of {wanted}")
    if not used <= len(first) <= len(names):
        raise UserError(
            f"{source}, line {number}: expected {wanted}, found {len(first)}: {' '.join(first)[:80]!r}"
        )
    found = read_columns(text, names[: len(first)], source)
    last = names[len(first) - 1]
    if used < len(first) < len(names) and labels and set(labels).issuperset(found.columns[last]):
        del found.columns[last]
    kept = {name: found.columns[name] for name in names[:-1] if name in found.columns}
    return found._replace(columns=kept, mark="\t" if "\t" in text else " ")


def written(sentences: Iterable[Iterable[str | tuple[str, ...]]]) -> str:
    """Sentences as text: a token is its word, or a tuple of its cells.

    Raises:
        UserError: A sentence, a token or a cell is empty, or a cell has a blank. Or a sentence or a token has no
            order, as dicts and sets have none.
    """
    lines = []
    for number, given in enumerate(sentences):
        if isinstance(given, str | dict | set | frozenset):
            raise UserError(f"{given!r:.60} is no sentence: expected a list of tokens")
        sentence = list(given)
        refuse_empty(sentence, number)
        for token in sentence:
            cells = (token,) if isinstance(token, str) else token
            if not isinstance(cells, tuple | list | np.ndarray) or not len(cells):
                raise UserError(
                    f"example {number} has the token {token!r:.60}: expected a word, or a tuple of cells"
                )
            for cell in cells:
                if not (isinstance(cell, str) and WORD.fullmatch(cell)):
                    raise UserError(
                        f"{cell!r} is no cell of a token: expected a word without blanks and line ends"
                    )
            lines.append(" ".join(cells))
        lines.append("")
    return "\n".join(lines)


def refuse_empty(example: list[Any], number: int) -> None:
    """Nothing, if the example of this number has something to label.

    Raises:
        UserError: It has not.
    """
    if not example:
        raise UserError(f"example {number} is empty: expected a token or more")


def numbered_cells(cells: Sequence[str | None]) -> np.ndarray:
    """The cells as numbers from 0 on, equal where they are equal; -1 where they are None."""
    numbers: dict[str | None, int] = {None: -1}
    return np.array([numbers.setdefault(cell, len(numbers) - 1) for cell in cells], np.int64)


def refuse_longer(lengths: np.ndarray, source: str, what: str, longest: int = LONGEST) -> None:
    """Nothing, if a kernel can take sentences of these lengths. Says so if a single one is a whole file.

    Raises:
        UserError: A sentence, or ``what`` it is called, is longer than ``longest``.
    """
    if lengths.max() > longest:
        raise UserError(
            f"{source} has a {what} of {lengths.max():,} tokens: expected at most {longest:,}; "
            f"an empty line ends a {what}"
        )
    if len(lengths) == 1 and lengths[0] >= ODD:
        said = f"structbench: {source} is a single {what} of {lengths[0]:,} tokens: an empty line ends a {what}"
        print(said, file=sys.stderr)
