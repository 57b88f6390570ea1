"""What is told of a run while it is made: a line for people, and what it says for programs."""

import math


class News(str):
    """A line.

    left: Seconds that the run takes at most from now on, NaN if it does not say. compiling: Whether the line is
    about kernels that are compiled before the run begins.
    """

    left: float
    compiling: bool

    def __new__(cls, line: str, left: float = math.nan, compiling: bool = False) -> "News":
        made = super().__new__(cls, line)
        made.left, made.compiling = left, compiling
        return made


def duration(seconds: float) -> str:
    """About so long, in words."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
