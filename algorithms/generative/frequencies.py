"""Logarithms of smoothed relative frequencies: the weights of models that count."""

import numpy as np

LEAST = -700.0  # for a count of 0: its exp is still above 0


def log_shares(counts: np.ndarray, added: float) -> np.ndarray:
    """log of each entry's share of its row, after adding ``added`` to every entry; shape (rows, columns).

    A share of 0 gives ``LEAST``, also in a row without counts.
    """
    smoothed = counts + added
    return log(smoothed, smoothed.sum(axis=1, keepdims=True))


def log(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """log(part / whole); ``LEAST`` where the part is 0."""
    seen = part > 0
    whole = np.broadcast_to(whole, part.shape)
    return np.where(seen, np.log(np.where(seen, part, 1.0) / np.where(seen, whole, 1.0)), LEAST)
