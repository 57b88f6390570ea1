"""Table 1 of eg2008, measured: visits until the dual is within epsilon of the optimum, and the bounds.

The step sizes are the largest that Theorems 1 and 2 admit: 1 / (1 + n |A|) and 1 / (1 + |A|) for the log loss,
1 / (n |A|) and 1 / |A| for the hinge. Q = -D is the negated dual. Q* comes from all our runs of that loss,
D[u*||u1] from a run's last u. The mean over seeds estimates the expectation over online EG's draws. Visits are
examples processed by updates. Tests check the theorems (``tests/theorems``), not claims.
"""

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.grid_runs import grids, where
from structbench.bench.papers.panels import cell
from structbench.bench.papers.terms import Rows, Run, Runs, Spec

LEVELS = (0.1, 0.03, 0.01)  # epsilon as a share of the optimum
MODES = ("batch", "online")


def all_specs(scale: str) -> list[Spec]:
    """Return all runs of the table."""
    return [spec for specs in grids(__file__, scale).values() for spec in specs]


def specs(scale: str, loss: str, mode: str) -> list[Spec]:
    """Return EG with the step size of the theory: one spec, or, if online, one a seed."""
    return where(all_specs(scale), {"mode": mode}, loss=loss, algorithm="eg")


def table1_mnist(scale: str, runs: Runs) -> Rows:
    for loss in ("log", "hinge"):
        best = curves.optimum(runs.present(where(all_specs(scale), loss=loss))).dual  # -Q*
        both = {
            mode: [run for run in runs.present(specs(scale, loss, mode)) if run.summary["notes"].get("divergence")]
            for mode in MODES
        }
        for level in LEVELS if best > 0 and all(both.values()) else ():
            n = both["batch"][0].summary["num_examples"]
            found = {}
            for mode in MODES:
                visits, distance = _distance(both[mode], best)
                found[mode] = curves.settled(visits, curves.decades_above(distance, level * best))
            row = {"loss": loss, "epsilon, of the optimum": f"{level:.0%}"}
            for mode in MODES:
                ends = f">{both[mode][0].curve['visits'].iloc[-1]:,.0f}"
                row[f"{mode}, visits"] = f"{found[mode]:,.0f}" if np.isfinite(found[mode]) else ends
                row[f"{mode}, bound"] = f"{_table1(both[mode], best, level * best):,.0f}"
            ratio = found["batch"] / found["online"] if found["online"] else np.nan
            yield row | {"batch / online": cell(ratio, ".3g"), "n": f"{n}"}


def _distance(found: list[Run], best: float) -> tuple[np.ndarray, np.ndarray]:
    """Return visits and the mean of Q - Q* over runs, from the first u on."""
    later = [run.curve.loc[run.curve["passes"] > 0] for run in found]
    visits = max((curve["visits"].to_numpy() for curve in later), key=len)
    duals = [np.interp(visits, curve["visits"], curve["dual"]) for curve in later]
    return visits - found[0].summary["num_examples"], best - np.mean(duals, axis=0)


def _table1(found: list[Run], best: float, epsilon: float) -> float:
    """Return the entry of Table 1: the visits within which epsilon is reached."""
    spec, n, A = found[0].spec, found[0].summary["num_examples"], found[0].summary["notes"]["A"]
    D = float(np.mean([run.summary["notes"]["divergence"] for run in found]))  # D[u*||u1]
    first = float(_distance(found, best)[1][0])  # Q(u1) - Q*
    batch = dict(spec.params)["mode"] == "batch"
    if spec.loss == "hinge":
        return n**2 / epsilon * A * D if batch else n / epsilon * (A * D + first)
    if batch:
        return n * (1 + n * A) * np.log((1 + n * A) * D / epsilon)
    return n * (1 + A) * np.log(((1 + A) * D + first) / epsilon)
