"""A batch's journal: a line when a run begins, moves on or ends, for onlookers and to take over after a crash."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

BEGUN, NEWS, ENDED, FOUND, FAILED = "begun", "news", "ended", "found", "failed"  # found: it was made before


class Line(NamedTuple):
    """What happened to a run, when, in seconds since 1970, and how far it is, how it ended or what went wrong."""

    what: str
    key: str
    at: float
    said: str

    @property
    def is_end(self) -> bool:
        """Whether a run ended, well or not, or had done so before."""
        return self.what in (ENDED, FOUND, FAILED)


@dataclass(frozen=True)
class Journal:
    """The journal in a file; only one process at a time writes to it."""

    file: Path

    def begin(self) -> None:
        """An empty journal."""
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text("")

    def note(self, what: str, key: str, said: str = "") -> None:
        """Add a line."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps([what, key, time.time(), said]) + "\n")

    def lines(self) -> list[Line]:
        """All whole lines; none if there is no journal."""
        found = []
        try:
            text = self.file.read_bytes()
        except OSError:
            return []
        for line in text.splitlines():
            try:
                what, key, at, said = json.loads(line)
                found.append(Line(str(what), str(key), float(at), str(said)))
            except (ValueError, TypeError):  # not yet whole, or torn by a full disk
                continue
        return found

    @property
    def unfinished(self) -> str | None:
        """The run that has begun and not ended: the one at which a process died."""
        last = self.lines()[-1:]
        return last[0].key if last and not last[0].is_end else None

    @property
    def over(self) -> dict[str, Line]:
        """Run -> its last line, of those that ended or failed."""
        return {line.key: line for line in self.lines() if line.is_end}
