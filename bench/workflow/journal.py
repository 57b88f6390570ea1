"""A batch's journal: a line when a run begins, moves on or ends, for onlookers and to take over after a crash."""

import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BEGUN, COMPILING, NEWS, ENDED, FAILED = "begun", "compiling", "news", "ended", "failed"


@dataclass(frozen=True)
class Line:
    """What happened to a run.

    Attributes:
        at: When, in seconds since 1970.
        said: How far it is, how it ended or what went wrong.
        left: Seconds that it takes at most from then on, NaN if that is not known.
    """

    what: str
    key: str
    at: float
    said: str = ""
    left: float = math.nan


@dataclass(frozen=True)
class Journal:
    """The journal in a file; only one process at a time writes to it."""

    file: Path

    def begin(self) -> None:
        """An empty journal."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text("")

    def note(self, what: str, key: str, said: str = "", left: float = math.nan) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps([what, key, time.time(), said, left]) + "\n")

    def lines(self) -> list[Line]:
        """All whole lines; none if there is no journal."""
        return list(read(self.file)[0])

    @property
    def unfinished(self) -> str | None:
        """The run that has begun and not ended: the one at which a process died."""
        begun = None
        for line in self.lines():
            begun = line.key if line.what in (BEGUN, COMPILING, NEWS) else None
        return begun

    @property
    def over(self) -> dict[str, Line]:
        """Run -> its last line, of those that ended or failed."""
        return {line.key: line for line in self.lines() if line.what in (ENDED, FAILED)}


def read(file: Path, start: int = 0) -> tuple[Iterator[Line], int]:
    """The whole lines from a place on, and the place where the next ones will begin."""
    try:
        with file.open("rb") as opened:
            opened.seek(start)
            text = opened.read()
    except OSError:
        return iter(()), start
    whole, newline, _ = text.rpartition(b"\n")
    return _parsed(whole), start + len(whole) + len(newline)


def _parsed(text: bytes) -> Iterator[Line]:
    for line in text.splitlines():
        try:
            what, key, at, said, *left = json.loads(line)
            yield Line(str(what), str(key), float(at), str(said), *map(float, left[:1]))
        except (ValueError, TypeError):  # torn by a full disk
            continue
