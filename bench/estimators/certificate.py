"""What a fit of an estimator proves."""

import math
from typing import NamedTuple


class Certificate(NamedTuple):
    """What is known of the weights: the optimum lies between ``dual`` and ``primal``.

    ``gap`` is their difference, ``relative_gap`` that over ``primal``. All are NaN if the algorithm has no
    objective, or lowers C step by step and ended before the C that is asked for. Without a penalty nothing bounds
    the optimum, and all but ``primal`` are NaN. Where ``fit`` warns that nothing recomputes the algorithm's sums,
    ``dual`` is what it says, and not proven.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float

    def __repr__(self) -> str:
        if math.isnan(self.primal):
            return "no certificate: the algorithm has no objective, or did not come to C"
        return f"Certificate({', '.join(f'{name}={value!r}' for name, value in self._asdict().items())})"
