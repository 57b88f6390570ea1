"""What the claims of eg2004 measure, and on what; ``claims.toml`` says what each number has to be.

EG is online, with a fixed step size, in the four settings of Figure 4. The paper's sentences are about one C,
which it does not give: that counts where EG's lead at the end is nearest to the 10 % that the paper gives.
Others are shown.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.claim_rows import OURS, PAPER, rows
from structbench.bench.papers.eg2004.runs import CRF, CS, FIXED, M3N, SMO_VISITS, THEIR_LEAD, Grammars, Task
from structbench.bench.papers.judging import Measure
from structbench.bench.papers.measured import last, over_seeds, shown_only
from structbench.bench.papers.terms import Claim, Evidence, Part, Registry, Run, Runs, Spec

FILE = Path(__file__).with_name("claims.toml")
EARLY = 3.0  # sweeps
CERTAIN = 0.01  # relative gap to which an optimum is known
OF_THE_BOUND = ("B", "lambda", "divergence", "first_Q")  # notes of a run; one that ended at once lacks some

Pick = Callable[[list[Spec]], Run]  # given one spec a seed, returns the run of one seed

measure = Registry()


def eg2004_claims(task: Task | None, trees: Grammars | None) -> list[Claim]:
    """Return the claims of Figure 4 on sentences, and ours on trees.

    Generated sentences do not show the paper's effects: nothing is judged on them.
    """
    places: dict[str, tuple[Measure, list[Spec], str]] = {}
    if task and task.corpus != "toy-english":
        places[PAPER] = partial(_over_C, task), [spec for C in CS for spec in task.problem(C)], task.name
    if trees:
        places[OURS] = partial(_on_trees, trees), grammar_models(trees), trees.name
    return [
        Claim(f"eg2004/{row.id}", row, measured, needs, [*row.figures], setting)
        for by, (measured, needs, setting) in places.items()
        for row in rows(FILE, measure)
        if row.by == by
    ]


def sweeps(run: Run) -> np.ndarray:
    """Return sweeps (updates / n) at the checkpoints; NaN before EG's first theta."""
    if run.spec.algorithm == "smo":
        return run.curve["passes"].to_numpy() / SMO_VISITS
    return run.curve["updates"].to_numpy() / run.summary["num_examples"]


def by_sweeps(run: Run) -> Run:
    """Copy a run with sweeps in place of passes, for a figure."""
    other = replace(run)
    other.__dict__["curve"] = run.curve.assign(passes=sweeps(run))
    return other


def _dual_after(run: Run, many: float, of: np.ndarray | None = None) -> float:
    """Return the dual after this many sweeps, or passes if ``of`` gives them; -infinity before the first known."""
    x, dual = sweeps(run) if of is None else of, run.curve["dual"].to_numpy()
    known = np.isfinite(x) & np.isfinite(dual)
    return float(np.interp(many, x[known], dual[known], left=-np.inf)) if known.any() else -np.inf


def bound(run: Run, exact: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return steps T from 1 on, Q(alpha^{T+1}) - Q*, and Theorem 2's bound on it.

    The bound is for the last point u, whose D(u, u1) is known, plus Q(u) - Q*. The run ``exact`` knows the
    optimum. The first pass computes alpha^1.
    """
    curve, notes = run.curve.loc[run.curve["passes"] >= 2], run.summary["notes"]
    T, Q = curve["passes"].to_numpy() - 1, -curve["dual"].to_numpy()
    least = -curves.optimum([run, exact]).dual
    B, strongest, divergence, first = np.array([notes.get(name) for name in OF_THE_BOUND], float)
    rate = 2.5 * (B + strongest) * divergence
    return T, Q - least, rate / T + 1.5 * (first - Q) / T + Q[-1:] - least


def _nearest_C(task: Task, runs: Runs) -> float:
    """Return the C at which the best EG's last dual over SMO's is nearest, as a ratio, to the paper's."""

    def off(C: float) -> float:
        smo = _dual_after(runs.present(task.smo(C))[0], task.sweeps)
        best = max(_settings(task, C, lambda specs: runs.present(specs)[0], task.sweeps).values())
        return abs(math.log(best / smo / THEIR_LEAD)) if best > 0 else math.inf

    return min(CS, key=off)


def _over_C(task: Task, part: Part, runs: Runs) -> list[Evidence]:
    """Measure a part at each C, over seeds."""
    part.takes()
    counted, found = _nearest_C(task, runs), []
    for C in CS:
        by_seed = [
            [*measure[part.measure](task, C, runs, lambda specs, k=k: runs.finished(specs[k]))]
            for k in range(len(task.seeds))
        ]
        found += over_seeds(by_seed) if counted == C else shown_only(over_seeds(by_seed), "at other C")
    return found


def _on_trees(trees: Grammars, part: Part, runs: Runs) -> list[Evidence]:
    part.takes()
    return [*measure[part.measure](trees, runs)]


@measure("smo_early")
def smo_early(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    smo = pick(task.smo(C))
    yield Evidence({"C": C}, _dual_after(smo, EARLY) / _dual_after(smo, task.sweeps), "share")


@measure("smo_below_optimum")
def smo_below_optimum(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    best = curves.optimum(runs.present(task.problem(C)))
    below = 1 - _dual_after(pick(task.smo(C)), task.sweeps) / best.dual
    known = "" if best.relative_gap <= CERTAIN else "at least"
    yield Evidence({"C": C}, below, "share", bound=known, told=f"the optimum is known to {best.relative_gap:.1%}")


@measure("eg_below_smo_early")
def eg_below_smo_early(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    smo = _dual_after(pick(task.smo(C)), EARLY)
    for name, dual in _settings(task, C, pick, EARLY).items():
        yield Evidence({"C": C, "": name}, 1 - dual / smo, "share", told=f"{dual:.4g}, SMO {smo:.4g}")


@measure("eg_above_smo_at_end")
def eg_above_smo_at_end(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    smo = _dual_after(pick(task.smo(C)), task.sweeps)
    for name, dual in _settings(task, C, pick, task.sweeps).items():
        yield Evidence({"C": C, "": name}, dual / smo - 1, "share")


@measure("best_eg_above_smo")
def best_eg_above_smo(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    smo, eg = _dual_after(pick(task.smo(C)), task.sweeps), _settings(task, C, pick, task.sweeps)
    best = max(eg, key=eg.__getitem__)
    yield Evidence({"C": C}, eg[best] / smo - 1, "share", told=best)


@measure("hybrid_over_better")
def hybrid_over_better(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    """Measure duals after as many passes, not sweeps."""
    picked = [pick(specs) for specs in (task.hybrid(C), task.smo(C), task.eg(C))]
    made, smo, eg = (_dual_after(run, task.sweeps, run.curve["passes"].to_numpy()) for run in picked)
    yield Evidence({"C": C}, made / max(smo, eg), told=f"{made:.5g}; SMO {smo:.5g}, EG {eg:.5g}")


def _settings(task: Task, C: float, pick: Pick, many: float) -> dict[str, float]:
    """Return EG's dual after so many sweeps, by the settings of Figure 4."""
    return {name: _dual_after(pick(specs), many) for name, specs in task.settings(C, FIXED).items()}


def grammar_models(task: Grammars) -> list[Spec]:
    """Return EG's runs of both losses, and the PCFG's."""
    eg = [s for C in task.Cs for loss in (CRF, M3N) for s in task.trained(loss, C) if s.algorithm == "eg"]
    return [*eg, *(spec for spec in task.unpenalised() if spec.algorithm == "pcfg")]


@measure("above_pcfg")
def above_pcfg(task: Grammars, runs: Runs) -> list[Evidence]:
    """Measure F1 of each model, mean over EG's orders, at its best C, less the PCFG's, in points."""
    ends = {spec: last(runs.finished(spec), "test_f1") for spec in grammar_models(task)}
    pcfg = next(f1 for spec, f1 in ends.items() if spec.algorithm == "pcfg")

    def mean(loss: str, C: float, seeds: Sequence[int]) -> float:
        return float(np.mean([f1 for s, f1 in ends.items() if (s.loss, s.C) == (loss, C) and s.seed in seeds]))

    def values(seed: int) -> Iterator[Evidence]:
        for loss, name in ((CRF, "CRF"), (M3N, "M3N")):
            best = max(task.Cs, key=lambda C: mean(loss, C, task.seeds))
            yield Evidence({"": name}, 100 * (mean(loss, best, (seed,)) - pcfg), "difference", "points of F1")

    return over_seeds([values(seed) for seed in task.seeds])
