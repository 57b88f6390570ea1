"""Numbers and truth values among a structure's fields, as kernels get them."""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.arrays import Floats
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import implements


class Scale(NamedTuple):
    """Fields of all scalar types."""

    sizes: Floats
    factor: float
    count: int
    double: bool

    id = "of-all-scalar-types"


@implements(Scale)
def num_examples(scale):
    return scale.sizes.shape[0]


@implements(Scale)
def scores(scale, i, w, out):
    out[0] = scale.sizes[i] * scale.factor
    out[1] = scale.count + (1 if scale.double else 0)


@kernel
def scored(split, i, w, out):
    parts.scores(split, i, w, out)


def test_numbers_of_a_structure_reach_kernels_as_they_are():
    out = np.empty(2)
    for factor, count, double in (
        (1.0, 3, True),
        (-0.1, -2, False),
        (2, 2**40, True),
        (np.float64(1e-300), 0, False),
    ):
        scored(parts.compiled(Scale(np.array([4.0, 5.0]), factor, count, double)), 1, np.empty(0), out)
        assert out.tolist() == [5.0 * factor, count + double]
