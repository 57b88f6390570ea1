"""Parts of a training split, drawn at random."""

import numpy as np

from structbench.algorithms.runtime.errors import UserError


def drawn(count: int, share: int, draw: int) -> np.ndarray:
    """A random share, in percent, of ``count`` examples, one at least, in their order; int64.

    A larger share of the same draw contains the smaller ones.

    Raises:
        UserError: The share or the draw is out of range.
    """
    if not 1 <= share <= 100:
        raise UserError(f"share={share}: expected percent of the training examples, 1 to 100")
    if draw < 0:
        raise UserError(f"draw={draw}: expected the number of a draw, 0 or more")
    order = np.random.default_rng([draw, count]).permutation(count)
    return np.sort(order[: max(1, round(count * share / 100))])
