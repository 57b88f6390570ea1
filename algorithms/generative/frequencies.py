"""Logarithms of relative frequencies, the weights of generative models, with a finite value for a count of 0."""

import numpy as np

LEAST = -700.0  # for a count of 0: its exp is still above 0


def log_frequencies(counts: np.ndarray, of: np.ndarray) -> np.ndarray:
    """log of each count's share among the counts that have the same number in ``of``, int64; (k,), as both."""
    return log(counts, np.bincount(of, counts)[of] if len(of) else counts)


def log(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """log(part / whole); ``LEAST`` where the part is 0."""
    seen = part > 0
    whole = np.broadcast_to(whole, part.shape)
    return np.where(seen, np.log(np.where(seen, part, 1.0) / np.where(seen, whole, 1.0)), LEAST)
