"""Logarithms of smoothed relative frequencies, the weights of models that count."""

import numpy as np

LEAST = -700.0  # of what was never counted: exp of it is still a number


def log_shares(counts: np.ndarray, added: float) -> np.ndarray:
    """log of each entry's share of its row, after ``added`` to every entry; shape (rows, columns).

    ``LEAST`` for a share of 0, also in a row of which nothing was counted.
    """
    smoothed = counts + added
    return log(smoothed, smoothed.sum(axis=1, keepdims=True))


def log(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """log(part / whole); ``LEAST`` where the part is 0."""
    seen = part > 0
    whole = np.broadcast_to(whole, part.shape)
    return np.where(seen, np.log(np.where(seen, part, 1.0) / np.where(seen, whole, 1.0)), LEAST)
