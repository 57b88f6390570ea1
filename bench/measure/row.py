"""A row of the table that ``bench measure`` prints."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measurement. ``holds``: Whether the target is met, None without a target. ``note``: On its runs."""

    part: str
    what: str
    ours: str
    theirs: str = ""
    target: str = ""
    holds: bool | None = None
    ratio: str = ""
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The row under ``HEADING``."""
        met = {True: "yes", False: "**no**", None: ""}[self.holds]
        return self.part, self.what, self.ours, self.theirs, self.ratio, self.target, met, self.note


HEADING = ("part", "what", "ours", "theirs", "ratio", "target", "met", "runs")
