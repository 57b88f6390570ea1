"""Report progress while numba compiles the kernels of a run, and format durations as text."""

import logging
import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from structbench.algorithms.runtime import compiling

Say = Callable[[str], None]
EVERY = 5.0  # seconds between two lines
LOGGER = logging.getLogger("structbench")  # whose level says whether programs want the lines
LOGGER.setLevel(logging.INFO)


class Compiling:
    """Says what a run compiles: ``compiling for chain, once: 12 kernels so far``.

    Args:
        say: Is told as the first kernel is begun, and then every ``EVERY`` seconds.
    """

    def __init__(self, structure: str, say: Say) -> None:
        self.structure, self.say = structure, say
        self.count, self.begun, self.said = 0, math.nan, -math.inf

    def __call__(self, name: str, done: bool) -> None:
        """numba begins, or is done with, a function."""
        now = time.monotonic()
        self.begun = now if math.isnan(self.begun) else self.begun
        self.count += done
        if now - self.said >= EVERY:
            self.said = now
            whose = f" for {self.structure}" if self.structure else ""
            self.say(f"compiling{whose}, once: {self.count} kernels so far")

    def over(self) -> None:
        """The run begins: say what was compiled for it, once."""
        if self.count:
            took = time.monotonic() - self.begun
            self.say(f"compiled {self.count} kernels in {took:.0f} s; the next run finds them")
            self.count = 0


@contextmanager
def on_stderr() -> Iterator[Compiling]:
    """Say on stderr what the block compiles, as the command line does, unless ``LOGGER`` is set to less."""

    def say(line: str) -> None:
        if LOGGER.isEnabledFor(logging.INFO):
            print(line, file=sys.stderr, flush=True)

    told = Compiling("", say)
    with compiling.heard(told):
        yield told
    told.over()


def duration(seconds: float) -> str:
    """About so long, in words."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
