"""Features as arrays, to be looked at."""

import numpy as np
import scipy.sparse as sp

from structbench.algorithms.structures import features
from structbench.algorithms.structures.features import Features


def array_of(x: Features) -> np.ndarray:
    """Return features of any kind as a dense array."""
    found = features.as_matrix(x)
    return found if isinstance(found, np.ndarray) else found.toarray()


def are_same(one: Features, other: Features) -> bool:
    """Say whether two matrices have the same values, without making them dense."""
    assert features.shape(one) == features.shape(other)
    return sp.csr_array(features.as_matrix(one) - features.as_matrix(other)).count_nonzero() == 0
