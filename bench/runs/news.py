"""What is told of a run before it is made: how many kernels are compiled for it."""

import math
import time
from collections.abc import Callable

from structbench.bench.runs.spec import Spec


class Compiling:
    """Says what a run compiles: ``compiling for chain, once: 12 kernels so far``.

    Args:
        say: Is told as the first kernel is begun, and then every ``every`` seconds.
    """

    def __init__(self, spec: Spec, say: Callable[[str], None], every: float) -> None:
        self.spec, self.say, self.every = spec, say, every
        self.count, self.begun, self.said = 0, math.nan, -math.inf

    def __call__(self, name: str, done: bool) -> None:
        """numba begins, or is done with, a function."""
        now = time.monotonic()
        self.begun = now if math.isnan(self.begun) else self.begun
        self.count += done
        if now - self.said >= self.every:
            self.said = now
            structure = self.spec.data.structure
            self.say(f"compiling{f' for {structure}' if structure else ''}, once: {self.count} kernels so far")

    def over(self) -> None:
        """The run begins: say what was compiled for it, once."""
        if self.count:
            took = time.monotonic() - self.begun
            self.say(f"compiled {self.count} kernels in {took:.0f} s; the next run finds them")
            self.count = 0


def duration(seconds: float) -> str:
    """About so long, in words."""
    if seconds < 90:
        return f"{max(seconds, 0):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
