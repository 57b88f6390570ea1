"""What the claims of eg2004 measure; ``claims.toml`` says what each number has to be.

EG is online, with a fixed step size, in the four settings of Figure 4: eta 0.5 and 1 from theta = -4.5, eta 1 from
-2.7 and -3. "Early" is after 3 sweeps, the end after 99. The paper gives neither C nor the scale of the features.
Its sentences are about one C: all are judged at the C where EG's lead at the end is nearest to the one number that
the paper gives, 10 %; the other C are shown.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2004.grammar import CRF, M3N, Grammars
from structbench.bench.papers.eg2004.read_off import dual_after, dual_after_passes
from structbench.bench.papers.eg2004.runs import Task
from structbench.bench.papers.eg2004.setting import CS, FIXED, THEIR_LEAD
from structbench.bench.papers.measured import Estimate, Value, over_seeds
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run

EARLY = 3.0  # sweeps
CERTAIN = 0.01  # relative gap to which an optimum is known

Pick = Callable[[list[Spec]], Run]  # given one spec a seed, returns the run of one seed


def nearest_C(task: Task, runs: Runs) -> float:
    """Return the C at which the best EG's last dual over SMO's is nearest, as a ratio, to the paper's."""

    def off(C: float) -> float:
        smo = dual_after(runs.present(task.smo(C))[0], task.sweeps)
        best = max(_settings(task, C, lambda specs: runs.present(specs)[0], task.sweeps).values())
        return abs(math.log(best / smo / THEIR_LEAD)) if best > 0 else math.inf

    return min(CS, key=off)


def over_C(rule: Callable, task: Task, runs: Runs) -> list[Estimate]:
    """Measure what a rule says at each C, over seeds."""
    counted = nearest_C(task, runs)
    found: list[Estimate] = []
    for C in CS:
        by_seed = [[*rule(task, C, runs, lambda specs, k=k: runs[specs[k]])] for k in range(len(task.seeds))]
        aside = {} if counted == C else {"counted": False, "choice": "at other C"}
        found += [each._replace(**aside) for each in over_seeds(by_seed)]
    return found


def smo_early(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Value]:
    smo = pick(task.smo(C))
    yield Value({"C": C}, dual_after(smo, EARLY) / dual_after(smo, task.sweeps), "share")


def smo_below_optimum(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Value]:
    best = curves.optimum(runs.present(task.problem(C)))
    below = 1 - dual_after(pick(task.smo(C)), task.sweeps) / best.dual
    known = "" if best.relative_gap <= CERTAIN else "at least"
    yield Value({"C": C}, below, "share", bound=known, told=f"the optimum is known to {best.relative_gap:.1%}")


def eg_below_smo_early(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Value]:
    smo = dual_after(pick(task.smo(C)), EARLY)
    for name, dual in _settings(task, C, pick, EARLY).items():
        yield Value({"C": C, "": name}, 1 - dual / smo, "share", told=f"{dual:.4g}, SMO {smo:.4g}")


def eg_above_smo_at_end(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Value]:
    smo = dual_after(pick(task.smo(C)), task.sweeps)
    for name, dual in _settings(task, C, pick, task.sweeps).items():
        yield Value({"C": C, "": name}, dual / smo - 1, "share")


def best_eg_above_smo(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Value]:
    smo, eg = dual_after(pick(task.smo(C)), task.sweeps), _settings(task, C, pick, task.sweeps)
    best = max(eg, key=eg.__getitem__)
    yield Value({"C": C}, eg[best] / smo - 1, "share", told=best)


def hybrid_over_better(task: Task, C: float, runs: Runs, pick: Pick) -> Iterator[Value]:
    made, smo, eg = (
        dual_after_passes(pick(specs), task.sweeps) for specs in (task.hybrid(C), task.smo(C), task.eg(C))
    )
    yield Value({"C": C}, made / max(smo, eg), told=f"{made:.5g}; SMO {smo:.5g}, EG {eg:.5g}")


def _settings(task: Task, C: float, pick: Pick, sweeps: float) -> dict[str, float]:
    """Return EG's dual after so many sweeps, by the settings of Figure 4."""
    return {name: dual_after(pick(specs), sweeps) for name, specs in task.settings(C, FIXED).items()}


def grammar_models(task: Grammars) -> list[Spec]:
    """Return EG's runs of both losses, and the PCFG's."""
    eg = [s for C in task.Cs for loss in (CRF, M3N) for s in task.trained(loss, C) if s.algorithm == "eg"]
    return [*eg, *(spec for spec in task.unpenalised() if spec.algorithm == "pcfg")]


def above_pcfg(task: Grammars, runs: Runs) -> list[Estimate]:
    """Measure F1 of each model, mean over EG's orders, at its best C, less the PCFG's, in points."""
    last = {spec: float(runs[spec].curve["test_f1"].iloc[-1]) for spec in grammar_models(task)}
    pcfg = next(f1 for spec, f1 in last.items() if spec.algorithm == "pcfg")

    def mean(loss: str, C: float, seeds: tuple[int, ...]) -> float:
        return float(np.mean([f1 for s, f1 in last.items() if (s.loss, s.C) == (loss, C) and s.seed in seeds]))

    best = {loss: max(task.Cs, key=lambda C, loss=loss: mean(loss, C, task.seeds)) for loss in (CRF, M3N)}
    return over_seeds(
        [
            [
                Value({"": name}, 100 * (mean(loss, best[loss], (seed,)) - pcfg), "difference", "points of F1")
                for loss, name in ((CRF, "CRF"), (M3N, "M3N"))
            ]
            for seed in task.seeds
        ]
    )
