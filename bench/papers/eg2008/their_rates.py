"""The rates of the paper's SGD: on MNIST, numbers of a run that selected another rate are shown only."""

import math
from collections.abc import Sequence

from structbench.bench.papers.evidence import Evidence, Where

ETA0 = {1000.0: 0.001, 100.0: 0.01, 10.0: 0.01, 1.0: 0.01}  # by C
OTHER_RATE = "with another rate"  # a choice


def at_their_rates(found: Sequence[Evidence]) -> list[Evidence]:
    """Return the numbers, as shown only where SGD selected another rate than the paper's SGD at that C.

    Where each seed did, the setting stays, without a number.
    """
    read = [
        each if at_rate_of_theirs(each.where) else each._replace(counted=False, choice=OTHER_RATE)
        for each in found
    ]
    settings: dict[tuple, list[Evidence]] = {}
    for each in read:
        settings.setdefault(tuple(_without_rate(each.where).items()), []).append(each)
    for where, values in settings.items():
        if all(each.choice == OTHER_RATE for each in values):
            state = "seeds that select the paper's rate"
            read.append(Evidence(dict(where), math.nan, values[0].kind, values[0].unit, state=state))
    return read


def at_rate_of_theirs(where: Where) -> bool:
    """Tell whether a setting has no rate of SGD, or the paper's."""
    said = where.get("rates", "") if "over" in where else f"{where['rate']:g}" if "rate" in where else ""
    return not said or said == ", ".join(f"{ETA0[float(where[C])]:g}" for C in ("C", "over") if C in where)


def _without_rate(where: Where) -> Where:
    return {name: value for name, value in where.items() if name not in ("rate", "rates")}
