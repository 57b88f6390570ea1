"""Our one claim on weighted context-free grammars, and its rule.

The paper derives EG for grammars and gives no number, figure or comparison of it. Two statements are theorems: the
duals converge, and the primal form makes the same steps. Tests check them on forests, too (``test_runs.py``,
``test_eg_primal.py``).

======================  =========================================================================================
wcfg-above-pcfg         ours: last F1 on the test sentences of EG's log-linear and max-margin models, mean over
                        its orders, at the best C, each over 0.5 points above the PCFG's, by the 95 % interval over
                        seeds; not reproduced if one is below it
======================  =========================================================================================
"""

from functools import partial

import numpy as np

from structbench.bench.papers import readings
from structbench.bench.papers.eg2004.grammar import CRF, M3N, Grammars
from structbench.bench.papers.judging import INCONCLUSIVE, Claim, Judgement
from structbench.bench.papers.readings import at_least
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

LEVEL = 0.005  # of F1
ABOVE = "Ours: the CRF and the M3N parse better than the PCFG of the same grammar, by F1."


def claims(task: Grammars) -> list[Claim]:
    """Return the claim of a scale."""
    about = ("eg2004/wcfg-above-pcfg", "eg2004", "ours", ABOVE, "")
    return [Claim(*about, partial(above_pcfg, task), _models(task), ["table-wcfg"], task.name)]


def _models(task: Grammars) -> list[Spec]:
    eg = [s for C in task.Cs for loss in (CRF, M3N) for s in task.trained(loss, C) if s.algorithm == "eg"]
    return [*eg, *(spec for spec in task.unpenalised() if spec.algorithm == "pcfg")]


def above_pcfg(task: Grammars, runs: Runs) -> Judgement:
    last = {s: float(runs[s].curve["test_f1"].iloc[-1]) for s in _models(task)}
    if np.isnan([*last.values()]).any():
        return INCONCLUSIVE, "", "a run has no F1"
    pcfg = next(f1 for spec, f1 in last.items() if spec.algorithm == "pcfg")

    def mean(loss: str, C: float, seeds: tuple[int, ...]) -> float:
        return float(np.mean([f1 for s, f1 in last.items() if (s.loss, s.C) == (loss, C) and s.seed in seeds]))

    best = {loss: max(task.Cs, key=lambda C, loss=loss: mean(loss, C, task.seeds)) for loss in (CRF, M3N)}
    by_seed = [
        [at_least(f"{name}, points", 100 * (mean(loss, best[loss], (seed,)) - pcfg), 100 * LEVEL, 0.0)]
        for seed in task.seeds
        for loss, name in ((CRF, "CRF"), (M3N, "M3N"))
    ]
    verdict, numbers, _ = readings.judged(by_seed)
    return verdict, f"above the PCFG's {pcfg:.1%} by {numbers}", ""
