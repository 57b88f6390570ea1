"""What is measured at the end of a run, and how tables write it."""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.learning import declaration
from structbench.bench.drawing import curves
from structbench.bench.drawing.method_looks import clock, problems
from structbench.bench.drawing.refuted import refutations
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

Measured = dict[Spec, dict[str, float]]  # each run's measures at its end


class Measure(NamedTuple):
    """What is measured at the end of a run: how a table calls it and writes its values."""

    heading: str
    form: str
    scale: float = 1.0
    greatest: bool = False


MEASURES = {
    "validation_error": Measure("validation error %", ".2f", 100),
    "validation_f1": Measure("validation F1 %", ".2f", 100, greatest=True),
    "test_error": Measure("test error %", ".2f", 100),
    "test_f1": Measure("test F1 %", ".2f", 100, greatest=True),
    "gap": Measure("gap", ".1e"),
    "distance": Measure("distance", ".1e"),
    "primal": Measure("primal", ".8g"),
    "nonzero": Measure("nonzero weights", ",.0f"),
    "seconds_to_level": Measure("{clock} s to {level:g} %", ".3g"),
    "passes_to_level": Measure("passes to {level:g} %", ".3g"),
    "seconds": Measure("{clock} s", ".3g"),
    "passes": Measure("passes", ".3g"),
}
QUALITY = ("validation_error", "validation_f1", "test_error", "test_f1")


def measures_of(specs: list[Spec], runs: Runs, level: float) -> Measured:
    """Each run's measures at its end."""
    column = clock(specs)
    found: Measured = {}
    refuted = {each.run.key for each in refutations(runs.present(specs))}
    for _, members in problems(specs):
        bound = curves.optimum(runs.present(members)).dual if members[0].loss != declaration.NO_LOSS else np.nan
        for spec in members:
            run = runs.finished(spec)
            values = dict.fromkeys(MEASURES, np.nan) | _last(run, column)
            if run.key in refuted:
                values["gap"] = np.nan
            if run.came_to_its_C and np.isfinite(bound):
                above = max(0.0, values["primal"] - bound)  # a value below 0 is rounding
                values["distance"] = above / abs(values["primal"]) if above else 0.0
                for name, own in (("seconds_to_level", column), ("passes_to_level", "passes")):
                    values[name] = curves.seconds_to(curves.own(run), bound, level, own)
            found[spec] = values
    return found


def _last(run: Run, column: str) -> dict[str, float]:
    """What a run's summary says of its end. If it did not come to its C, only passes and seconds."""
    fields = {"passes": "passes", "seconds": column}
    if run.came_to_its_C:
        fields |= {name: name for name in (*QUALITY, "primal")}
        fields |= {"gap": "relative_gap", "nonzero": "num_nonzero"}
    given = {measure: run.summary.get(field) for measure, field in fields.items()}
    return {measure: np.nan if value is None else float(value) for measure, value in given.items()}
