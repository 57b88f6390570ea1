"""Table 1 of eg2008, measured: visits until the dual is within epsilon of the optimum, and the bounds.

So few images are used that the bounds are computed exactly. The step sizes are the largest that Theorems 1 and 2
admit: 1 / (1 + n |A|) and 1 / (1 + |A|) for the log loss, 1 / (n |A|) and 1 / |A| for the hinge. EG starts from
uniform u. Q = -D is the negated dual. Q* comes from all our runs of that loss, D[u*||u1] from a run's last u. The
mean over seeds estimates the expectation over online EG's draws. Visits are examples processed by updates; the
first pass, which computes w of the first u, has none.

Theorems say that the bounds hold, that online EG's have a factor n less, and that those for the log loss are
logarithmic in 1 / epsilon. Tests check them (``test_visits_of_table_1_suffice``), not claims. The theory's steps
are n apart, so the factor would show whatever the algorithms did.
"""

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.tables import Rows
from structbench.bench.papers.panels import cell
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec, make
from structbench.bench.runs.store import Run

N = 100
C = 100.0
LEVELS = (0.1, 0.03, 0.01)  # epsilon as a share of the optimum
LOSSES = ("log", "hinge")
MODES = ("batch", "online")
SEEDS = (0, 1, 2, 3, 4)
PASSES = {"batch": 20_000.0, "online": 1000.0}
GAP = 1e-5


def specs(scale: str, loss: str, mode: str) -> list[Spec]:
    """Return EG with the step size of the theory: one spec, or, if online, one a seed."""
    params = {"mode": mode, "start": 0.0, "eta": 0.0, "adaptive": False, "divergence": True}
    passes = PASSES[mode] / (20 if scale == "tiny" else 1)
    seeds = SEEDS[: 1 if mode == "batch" else 2 if scale == "tiny" else None]
    return [make(_data(scale), loss, C, "eg", params, passes=passes, gap=GAP, seed=seed) for seed in seeds]


def exact(scale: str, loss: str) -> Spec:
    """Return a run that knows the optimum."""
    algorithm = "lbfgs" if loss == "log" else "cutting-plane"
    return make(_data(scale), loss, C, algorithm, passes=1000.0, gap=1e-8)


def all_specs(scale: str) -> list[Spec]:
    """Return all runs of the table."""
    return [s for loss in LOSSES for s in (exact(scale, loss), *(s for m in MODES for s in specs(scale, loss, m)))]


def _data(scale: str) -> str:
    return f"mnist:train={N if scale != 'tiny' else 20},test=100"


def table1(scale: str, runs: Runs) -> Rows:
    """Return Table 1, measured."""
    rows = []
    for loss in LOSSES:
        members = [spec for spec in all_specs(scale) if spec.loss == loss]
        best = curves.optimum(runs.present(members)).dual  # -Q*
        both = {mode: runs.present(specs(scale, loss, mode)) for mode in MODES}
        for level in LEVELS if all(both.values()) else ():
            n = both["batch"][0].summary["num_examples"]
            found = {mode: _visits(both[mode], best, level) for mode in MODES}
            row = {"loss": loss, "epsilon, of the optimum": f"{level:.0%}"}
            for mode in MODES:
                ends = f">{both[mode][0].curve['visits'].iloc[-1]:,.0f}"
                row[f"{mode}, visits"] = f"{found[mode]:,.0f}" if np.isfinite(found[mode]) else ends
                row[f"{mode}, bound"] = f"{_table1(both[mode], best, level * best):,.0f}"
            ratio = found["batch"] / found["online"] if found["online"] else np.nan
            rows.append(row | {"batch / online": cell(ratio, ".3g"), "n": f"{n}"})
    return rows


def _distance(found: list[Run], best: float) -> tuple[np.ndarray, np.ndarray]:
    """Return visits and the mean of Q - Q* over runs, from the first u on."""
    later = [run.curve[run.curve["passes"] > 0] for run in found]
    visits = max((curve["visits"].to_numpy() for curve in later), key=len)
    duals = [np.interp(visits, curve["visits"], curve["dual"]) for curve in later]
    return visits - found[0].summary["num_examples"], best - np.mean(duals, axis=0)


def _visits(found: list[Run], best: float, level: float) -> float:
    visits, distance = _distance(found, best)
    return curves.settled(visits, curves.decades_above(distance, level * best))


def _table1(found: list[Run], best: float, epsilon: float) -> float:
    """Return the entry of Table 1: the visits within which epsilon is reached."""
    spec, n, A = found[0].spec, found[0].summary["num_examples"], found[0].summary["notes"]["A"]
    D = float(np.mean([run.summary["notes"]["divergence"] for run in found]))  # D[u*||u1]
    first = float(_distance(found, best)[1][0])  # Q(u1) - Q*
    batch = spec["params"]["mode"] == "batch"
    if spec["loss"] == "hinge":
        return n**2 / epsilon * A * D if batch else n / epsilon * (A * D + first)
    if batch:
        return n * (1 + n * A) * np.log((1 + n * A) * D / epsilon)
    return n * (1 + A) * np.log(((1 + A) * D + first) / epsilon)
