"""What the claims of eg2004 measure, and on what; ``claims.toml`` says what each number has to be.

The paper's sentences are about one C, which it does not give, and it says little of EG's steps. So each C is a
condition, with fixed and with adaptive steps where EG is in it. EG is online. It has each eta of Figure 4a from
each theta of Figure 4b, as the paper does not say from which theta Figure 4a starts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.claim_rows import OURS, PAPER, rows
from structbench.bench.papers.eg2004.runs import CRF, M3N, SMO_VISITS, STEPS, Grammars, Task
from structbench.bench.papers.judging import Measure
from structbench.bench.papers.measured import last, over_seeds
from structbench.bench.papers.terms import Claim, Evidence, Part, Registry, Run, Runs, Spec

FILE = Path(__file__).with_name("claims.toml")
EARLY = 3.0  # sweeps
STARTS_AS = 0.9  # of SMO's dual after them: it has SMO's start
APART = 1.01  # the ratio of two duals from which on they differ
CERTAIN = 0.01  # relative gap to which an optimum is known
OF_THE_BOUND = ("B", "lambda", "divergence", "first_Q")  # notes of a run; one that ended at once lacks some

Pick = Callable[[list[Spec]], Run]  # given one spec a seed, returns the run of one seed

measure = Registry()


def eg2004_claims(task: Task | None, trees: Grammars | None) -> list[Claim]:
    """Return the claims of Figure 4 on sentences, and ours on trees.

    Generated sentences do not show the paper's effects: nothing is judged on them.
    """
    places: dict[str, tuple[Measure, list[Spec], str]] = {}
    if task and task.data.name != "toy-english":
        places[PAPER] = partial(_over_C, task), [spec for C in task.Cs for spec in task.problem(C)], task.name
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


def _over_C(task: Task, part: Part, runs: Runs) -> Iterator[Evidence]:
    """Measure a part at each C, over seeds."""
    part.takes()
    picks = [lambda specs, k=k: runs.finished(specs[k]) for k in range(len(task.seeds))]
    for C in task.Cs:
        yield from over_seeds([measure[part.measure](task, C, runs, pick) for pick in picks])


def _on_trees(trees: Grammars, part: Part, runs: Runs) -> list[Evidence]:
    part.takes()
    return measure[part.measure](trees, runs)


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


@measure("eg_overtakes")
def eg_overtakes(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    """Measure EG's lead at the end, or if that is less, what it lags early: this many reach in most settings."""
    smo = pick(task.smo(C))
    early, end = _dual_after(smo, EARLY), _dual_after(smo, task.sweeps)
    for steps, settings in _by_steps(task, C, pick).items():
        both = [
            (min(1 - _dual_after(eg, EARLY) / early, _dual_after(eg, task.sweeps) / end - 1), name)
            for name, eg in settings.items()
        ]
        value, name = sorted(both, reverse=True)[len(both) // 2]
        yield Evidence({"C": C, "": steps}, value, "share", told=name)


@measure("best_eg_above_smo")
def best_eg_above_smo(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    smo = _dual_after(pick(task.smo(C)), task.sweeps)
    for steps, settings in _by_steps(task, C, pick).items():
        best, name = max((_dual_after(eg, task.sweeps), name) for name, eg in settings.items())
        yield Evidence({"C": C, "": steps}, best / smo - 1, "share", told=name)


def _by_steps(task: Task, C: float, pick: Pick) -> dict[str, dict[str, Run]]:
    """Return EG in all settings by name, for each kind of steps."""
    return {
        name: {setting: pick(specs) for setting, specs in task.settings(C, steps).items()}
        for steps, name in STEPS.items()
    }


@measure("hybrid_benefits")
def hybrid_benefits(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Evidence]:
    """Measure the lesser of two ratios: to a share of SMO's early dual, and to the best last dual, by visits.

    Where EG and SMO end alike, a hybrid could hardly be worse: there it is only shown.
    """

    def after(run: Run, visits: float) -> float:
        return _dual_after(run, visits, run.curve["passes"].to_numpy())

    hybrid, smo, *egs = map(pick, (task.hybrid(C), *(both := [task.smo(C), *task.from_thetas(C)])))
    early = after(hybrid, SMO_VISITS * EARLY), after(smo, SMO_VISITS * EARLY)
    ends = [after(hybrid, task.sweeps), after(smo, task.sweeps), max(after(eg, task.sweeps) for eg in egs)]
    means = [np.mean([after(run, task.sweeps) for run in runs.present(specs)]) for specs in both]
    least, most = sorted([means[0], max(means[1:])])
    alike = most <= APART * least
    yield Evidence(
        {"C": C}, min(early[0] / (STARTS_AS * early[1]), ends[0] / max(ends[1:])), counted=not alike,
        choice="where SMO and EG end alike" if alike else "",
        told="after 3 sweeps {:.4g}, SMO {:.4g}; at the end {:.5g}, SMO {:.5g}, EG {:.5g}".format(*early, *ends),
    )  # fmt: skip


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
