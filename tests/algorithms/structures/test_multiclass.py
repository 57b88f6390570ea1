"""What ``build`` refuses."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import multiclass


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([0], "2 feature rows but 1 labels"),
        ([0, 3], r"label of example 1 must lie in -1 \.\. 2, not 3"),
        ([-2, 0], r"label of example 0 must lie in -1 \.\. 2, not -2"),
    ],
)
def test_build_refuses_what_does_not_fit(y, message):
    with pytest.raises(UserError, match=message):
        multiclass.build(ft.dense(np.ones((2, 2))), np.array(y), 3)
