"""What to be careful with in a table of methods: runs that ended too soon, held-out examples that tell little."""

from collections.abc import Iterator, Sequence

import numpy as np

from structbench.bench.drawing import speed

UNFINISHED = 0.01  # a gap at which a run's error may be far from that of the optimum
EASY, MORE = 3, 0.05  # a test error that is so many times the validation error, and so much more


def ended_far(names: Sequence[str], gaps: Sequence[float], passes: Sequence[float], chosen: bool) -> Iterator[str]:
    """Which methods ended far from the optimum, by their own certificates. ``chosen``: whether they chose a C."""
    far = [k for k, gap in enumerate(gaps) if UNFINISHED < gap < np.inf]
    if far:
        ends = [100 * some(gaps[k] for k in far) for some in (min, max)]
        shares = dict.fromkeys(f"{gap:,.0f}" if gap >= 10 else f"{gap:.2g}" for gap in ends)
        limits = {f"{passes[k]:{',.0f' if passes[k] >= 10 else 'g'}} passes" for k in far}
        its, bound, error = ("its", "bound", "error") if len(far) == 1 else ("their", "bounds", "errors")
        what = f"{error} and C are" if chosen else f"{error} {'is' if len(far) == 1 else 'are'}"
        yield (
            f"{speed.in_words([names[k] for k in far])} ended {' to '.join(shares)} % from {its} {bound}: {its} "
            f"{what} of {limits.pop() if len(limits) == 1 else 'the passes that they had'}, not of the optimum."
        )


def odd_split(name: str, held: float, tested: float) -> Iterator[str]:
    """Whether the examples held out say little of the test examples, by a method's errors on both."""
    if EASY * held < tested and tested - held > MORE:
        yield (
            f"{name} has a test error of {100 * tested:.2f} % and a validation error of {100 * held:.2f} %: the "
            "held-out part is much easier than the test set. Are these the first examples of a sorted file? Take "
            "more of them, or others."
        )
