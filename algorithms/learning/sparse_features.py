"""The sparse vector sum_r mu_r f(x_i, r) of one example, in time independent of the number of weights."""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import Sum, combine, empty_sum
from structbench.algorithms.structures import interface as parts


def room_for(split: Any) -> Sum:
    """An empty sum with room for the features of any part vector of one example."""
    return empty_sum(parts.num_weights(split), largest_support(split))


@kernel
def largest_support(split):
    """The most weights that any example's parts use, repeats counted; at least 1."""
    most = 1
    for i in range(parts.num_examples(split)):
        most = max(
            most, parts.feature_support(split, i, np.ones(parts.num_parts(split, i)), np.empty(0, np.int64))
        )
    return most


@kernel
def features_of(split, i, mu, total):
    """total = sum_r mu_r f(x_i, r), combined; returns its number of weights."""
    total.terms[0] = parts.feature_support(split, i, mu, total.keys)
    parts.add_features(split, i, 1.0, mu, total.dense)
    combine(total, 0.0)
    return total.terms[0]
