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

from functools import partial

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.drawing.draw import Figure
from structbench.bench.drawing.tables import Rows, table
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
    seeds = SEEDS[:1] if mode == "batch" else seeds_of(scale)
    return [make(_data(scale), loss, C, "eg", params, passes=passes, gap=GAP, seed=seed) for seed in seeds]


def seeds_of(scale: str) -> tuple[int, ...]:
    """Return the seeds of online EG."""
    return SEEDS[:2] if scale == "tiny" else SEEDS


def exact(scale: str, loss: str) -> Spec:
    """Return a run that knows the optimum."""
    algorithm = "lbfgs" if loss == "log" else "cutting-plane"
    return make(_data(scale), loss, C, algorithm, passes=1000.0, gap=1e-8)


def all_specs(scale: str) -> list[Spec]:
    """Return all runs of the table."""
    return [s for loss in LOSSES for s in (exact(scale, loss), *(s for m in MODES for s in specs(scale, loss, m)))]


def _data(scale: str) -> str:
    return f"mnist:train={N if scale != 'tiny' else 20},test=100"


def figure(scale: str) -> Figure:
    """Return Table 1, measured."""
    return table(
        "eg2008, Table 1, measured: visits to come within epsilon of the optimum, MNIST",
        "Examples visited by EG until its dual stays within epsilon of the optimum (epsilon as a share of the "
        "optimum), and the bounds of Table 1 with |A|, D[u*||u1] and Q* of the problem; step sizes as the "
        f"theory has them, from uniform u, C = {C:g}, the first images of MNIST. Online: the mean of the dual "
        "over seeds; > says that the runs ended before. The paper's table holds the formulas alone.",
        partial(_rows, scale),
    )


def _rows(scale: str, runs: Runs) -> Rows:
    rows = []
    for loss in LOSSES:
        best = _best(scale, loss, runs)
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
            row["batch / online"] = f"{ratio:.3g}" if np.isfinite(ratio) else "-"
            rows.append(row | {"n": f"{n}"})
    return rows


def _best(scale: str, loss: str, runs: Runs) -> float:
    """Return the optimum -Q*: the greatest dual value."""
    members = [s for s in all_specs(scale) if s.loss == loss]
    return curves.optimum(runs.present(members)).dual


def _distance(found: list[Run], best: float) -> tuple[np.ndarray, np.ndarray]:
    """Return visits and the mean of Q - Q* over runs, from the first u on."""
    later = [run.curve[run.curve["passes"] > 0] for run in found]
    visits = max((curve["visits"].to_numpy() for curve in later), key=len)
    duals = [np.interp(visits, curve["visits"], curve["dual"]) for curve in later]
    return visits - found[0].summary["num_examples"], best - np.mean(duals, axis=0)


def _visits(found: list[Run], best: float, level: float) -> float:
    visits, distance = _distance(found, best)
    return curves.settled(visits, curves.decades_above(distance, level * best))


def _constants(found: list[Run], best: float) -> tuple[int, float, float, float, float]:
    """Return n, |A|, D[u*||u1], Q(u1) - Q*, eta."""
    notes = found[0].summary["notes"]
    divergence = float(np.mean([run.summary["notes"]["divergence"] for run in found]))
    n = found[0].summary["num_examples"]
    return n, notes["A"], divergence, float(_distance(found, best)[1][0]), notes["eta"]


def _table1(found: list[Run], best: float, epsilon: float) -> float:
    """Return the entry of Table 1: the visits within which epsilon is reached."""
    n, A, D, first, _ = _constants(found, best)
    batch, log = (found[0].spec["params"]["mode"] == "batch"), found[0].spec["loss"] == "log"
    if log:
        return n * (1 + n * A) * np.log((1 + n * A) * D / epsilon) if batch else (
            n * (1 + A) * np.log(((1 + A) * D + first) / epsilon)
        )  # fmt: skip
    return n**2 / epsilon * A * D if batch else n / epsilon * (A * D + first)
