"""Where a run of yours ranks among published runs of its problem: a row for each method, the median over seeds."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from structbench.bench.drawing import curves, method_looks
from structbench.bench.report.published_runs import PublishedRun
from structbench.bench.runs.store import Run

LEVELS = {f"passes_to_{level:g}": level for level in (1e-4, 1e-3, 1e-2, 1e-1)}  # distances to the optimum


def ranked_beside(run: Run, others: list[PublishedRun]) -> list[dict[Hashable, Any]]:
    """The run and the published methods, by passes to the finest level that each reaches, then by distance."""
    import pandas as pd

    bound = curves.optimum([run, *others]).dual
    given = [("yours", run), *((each.paper, each) for each in others)]
    names = method_looks.labels([each.spec for _, each in given])
    told = method_looks.limits((each.spec, (names[each.spec], of)) for of, each in given)
    rows = [
        {"method": names[each.spec] + told.get(each.spec, ""), "of": of} | _numbers(each, bound)
        for of, each in given
    ]
    methods = pd.DataFrame(rows).groupby(["method", "of"])
    found = methods.median(skipna=False)
    found.insert(0, "seeds", methods.size())
    order = found.fillna(np.inf).sort_values([*LEVELS, "distance"]).index
    return found.loc[order].reset_index().to_dict("records")


def _numbers(run: Run, bound: float) -> dict[str, float]:
    """Passes and seconds to distances, NaN of a run without a curve, and where it ends."""
    curve = curves.own(run)
    numbers = {name: curves.seconds_to(curve, bound, level, "passes") for name, level in reversed(LEVELS.items())}
    numbers["cpu_seconds_to_0.001"] = curves.seconds_to(curve, bound, 1e-3, run.clock)
    if len(curve) == 1:
        numbers = dict.fromkeys(numbers, np.nan)
    end = curve.iloc[-1]
    distance = np.maximum(0.0, (end["primal"] - bound) / abs(end["primal"]))  # NaN stays, unlike with max
    return numbers | {"distance": distance, "test_error": end["test_error"]}
