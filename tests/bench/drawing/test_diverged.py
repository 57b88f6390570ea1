"""The distance of a run without a last objective: it is not known, and not 0."""

import numpy as np

from structbench.bench.drawing import best
from structbench.bench.report import ranked
from structbench.bench.report.published_runs import PublishedRun
from tests.bench.drawing.made_up import eg, lbfgs, runs_of


def test_the_distance_of_a_run_that_diverged_is_not_known():
    made = [(lbfgs(10), 0.0, {}), (eg(10), 0.0, {"status": "diverged"})]
    runs = runs_of(*made)
    good, bad = (runs.finished(spec) for spec, *_ in made)
    bad.summary["primal"] = bad.curve.loc[bad.curve.index[-1], "primal"] = np.nan
    (table,) = best.best([spec for spec, *_ in made], runs, "distance").tables
    assert [row.method for row in table.rows] == ["L-BFGS", "EG"]
    assert np.isnan(table.rows[1].mean("distance"))
    points = {str(name): values.to_numpy() for name, values in good.curve.items()}
    others = [PublishedRun(good.key, good.folder, good.spec, good.summary, "x", points)]
    rows = {row["of"]: row["distance"] for row in ranked.ranked_beside(bad, others)}
    assert np.isnan(rows["yours"]) and rows["x"] >= 0
