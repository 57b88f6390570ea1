"""Parts of a training split: drawn at random, the first ones, or without the last tenth."""

from typing import Annotated

import numpy as np

from structbench.algorithms.runtime.errors import UserError

Share = Annotated[int, ">= 1", "<= 100"]  # in percent


def drawn(count: int, share: int, draw: int) -> np.ndarray:
    """A random share, in percent, of ``count`` examples, one at least, in their order; int64.

    A larger share of the same draw contains the smaller ones.
    """
    order = np.random.default_rng([draw, count]).permutation(count)
    return np.sort(order[: max(1, round(count * share / 100))])


def first(there: int, count: int, source: str) -> slice:
    """The first ``count`` sentences of those that are there.

    Raises:
        UserError: There are fewer, or count is not positive.
    """
    if not 1 <= count <= there:
        raise UserError(f"{source} has {there} sentences: cannot take the first {count}")
    return slice(0, count)


def held_out(there: int, source: str) -> tuple[slice, slice]:
    """All but the last tenth of the sentences that are there, and that tenth, one at least.

    Raises:
        UserError: There is only one sentence.
    """
    if there < 2:
        raise UserError(f"{source} has 1 sentence: holding out a tenth needs 2 or more")
    kept = there - max(1, there // 10)
    return slice(0, kept), slice(kept, there)


def refuse_test(name: str, test_sentences: int) -> None:
    """Refuse ``test_sentences`` of a data set with ``tune``.

    Raises:
        UserError: They are given.
    """
    if test_sentences:
        raise UserError(f"data set {name}: with tune=true the test split is training sentences: no test_sentences")
