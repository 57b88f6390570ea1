"""What a drawn figure says of itself: ``STEM.json`` beside its images."""

from dataclasses import dataclass, field
from pathlib import Path

from structbench.bench.runs import records


@dataclass(frozen=True, kw_only=True)
class Sidecar:
    """A drawn figure: what it shows, and of what it was made."""

    title: str
    caption: str
    paper: str = ""
    images: list[str] = field(default_factory=lambda: ["svg"])  # kinds of files
    runs: list[str]  # this and the next three: keys
    missing: list[str]
    stale: list[str] = field(default_factory=list)
    disturbed: list[str] = field(default_factory=list)  # whose seconds are shown and mean little
    commit: str
    data_sha256: dict[str, str]
    table: list[dict[str, str]] | None = None  # the rows of a table, each from heading to text
    failed: str | None = None  # why it cannot be drawn: its images hold a sentence

    def record(self) -> dict[str, object]:
        """The figure as its file holds it."""
        return {name: value for name, value in records.plain(self).items() if value is not None}


def load(file: Path) -> Sidecar:
    """Raises:
    UserError: It is broken.
    """
    return records.read_record(Sidecar, file, "draw it again (`python -m bench figures`)")
