"""What to be careful with in a table of methods: runs that ended too soon, held-out examples that tell little."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from structbench.bench.drawing import speed
from structbench.bench.drawing.measures import QUALITY

if TYPE_CHECKING:
    from structbench.bench.drawing.standings import Table

UNFINISHED = 0.01  # a gap at which a run's error may be far from that of the optimum
EASY, MORE = 3, 0.05  # a test error that is so many times the validation error, and so much more


def unfinished(table: "Table") -> Iterator[str]:
    """Which methods ended far from the optimum, by their own certificates."""
    far = [row for row in table.rows if UNFINISHED < row.mean("gap") < np.inf] if table.by in QUALITY else []
    if far:
        gaps = sorted(100 * row.mean("gap") for row in far)
        ends = dict.fromkeys(f"{gap:,.0f}" if gap >= 10 else f"{gap:.2g}" for gap in (gaps[0], gaps[-1]))
        passes = {f"{row.mean('passes'):.3g} passes" for row in far}
        its, bound, error = ("its", "bound", "error") if len(far) == 1 else ("their", "bounds", "errors")
        what = f"{error} and C are" if table.chosen else f"{error} {'is' if len(far) == 1 else 'are'}"
        names = speed.in_words([*map(table.told, far)])
        yield (
            f"{names} ended {' to '.join(ends)} % from {its} {bound}: {its} {what} "
            f"of {passes.pop() if len(passes) == 1 else 'the passes that they had'}, not of the optimum."
        )


def easy(table: "Table") -> Iterator[str]:
    """Whether the examples held out say little of the test examples."""
    first = table.rows[0]
    held, tested = (first.mean(f"{split}_error") for split in ("validation", "test"))
    if table.by in QUALITY and EASY * held < tested and tested - held > MORE:
        yield (
            f"{table.told(first)} has a test error of {100 * tested:.2f} % and a validation error of "
            f"{100 * held:.2f} %: the held-out part is much easier than the test set. Are these the first "
            "examples of a sorted file? Take more of them, or others."
        )
