"""A row of the table that ``make bench`` prints."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One measurement; ``holds`` is whether the target is met, None where there is none."""

    part: str
    what: str
    ours: str
    theirs: str = ""
    target: str = ""
    holds: bool | None = None
