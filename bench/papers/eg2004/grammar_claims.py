"""What eg2004 states of weighted context-free grammars, and one sentence of ours, with the rules that judge them.

The paper derives EG for grammars and gives no number, figure or comparison of it: what can be tested is that the
sequence of duals converges and that the primal form makes the same steps. The rules were written down before the
runs that they judge; single runs on these trees with a smaller budget, of 40 and 100 passes at C = 1 and 10, had
been seen, and with them F1 of the log-linear model and of the PCFG. They are judged at each C.

======================  =========================================================================================
wcfg-converges          batch EG (Figure 2, steps that adapt): the last dual is within 1% of the greatest of all
                        runs of that C, whose certified distance from the optimum must be below 0.2%; not
                        reproduced if it is not after 1,000 passes or more (undecided after fewer)
wcfg-same-sequence      by parts and in primal form, with the same fixed step: duals at all steps within 1e-9,
                        relative (else not)
wcfg-above-pcfg         ours: last F1 on the test sentences of EG's log-linear and max-margin models, the best of
                        the C, each more than 0.5 points above the PCFG's; not reproduced if one is below it
======================  =========================================================================================
"""

from functools import partial

import numpy as np

from bench.drawing import curves
from bench.papers.eg2004 import rules
from bench.papers.eg2004.grammar import CRF, M3N, Grammars
from bench.papers.judging import INCONCLUSIVE, Claim, Judgement, graded, worst
from bench.runs.finished import Runs
from bench.runs.spec import Spec

NEAR, CERTAIN = 0.01, 0.002
ENOUGH = 1000.0  # passes
LEVEL = 0.005  # of F1
STEM = "fig-wcfg"
CONVERGES = (
    "EG for structured objects such as MRFs or WCFGs: the sequence of duals converges to the greatest one, with "
    "marginals by inside-outside."
)
SAME = "On a WCFG, too, the primal form, which stores no theta, makes the steps of EG by parts."
ABOVE = "Ours: the CRF and the M3N parse better than the PCFG of the same grammar, by F1."


def claims(task: Grammars) -> list[Claim]:
    """The claims of a scale."""
    each = (
        ("converges", "Section 3", CONVERGES, converges, [s for C in task.Cs for s in task.problem(C)], [STEM]),
        ("same-sequence", "Section 3", SAME, same_sequence, [s for C in task.Cs for s in task.forms(C)], []),
        ("above-pcfg", "ours", ABOVE, above_pcfg, _models(task), ["table-wcfg"]),
    )
    return [
        Claim(f"eg2004/wcfg-{name}", "eg2004", where, said, "", partial(check, task), specs, stems, task.name)
        for name, where, said, check, specs, stems in each
        if task.batch_passes or check is above_pcfg
    ]


def _models(task: Grammars) -> list[Spec]:
    eg = [s for C in task.Cs for loss in (CRF, M3N) for s in task.trained(loss, C) if s.algorithm == "eg"]
    return [*eg, *(spec for spec in task.unpenalised() if spec.algorithm == "pcfg")]


def converges(task: Grammars, runs: Runs) -> Judgement:
    verdicts, told, known = [], [], []
    for C in task.Cs:
        best = curves.optimum(runs.present(task.problem(C)))
        (run,) = runs.present(task.batch(C))
        below = 1 - float(curves.finite(run.curve["dual"])[-1]) / best.dual
        passes = float(run.curve["passes"].iloc[-1])
        sure = best.relative_gap <= CERTAIN
        verdicts.append(graded(sure and below <= NEAR, sure and below > NEAR and passes >= ENOUGH))
        told.append(f"C={C:g}: {below:.2%} below after {passes:.4g} passes")
        known.append(f"{best.relative_gap:.1g} at C={C:g}")
    return worst(verdicts), "; ".join(told), f"optimum known to {', '.join(known)}"


def same_sequence(task: Grammars, runs: Runs) -> Judgement:
    judged = {C: rules.same_sequence(runs.present(task.forms(C))) for C in task.Cs}
    told = ", ".join(f"C={C:g}: {numbers}" for C, (_, numbers, _) in judged.items())
    return worst([verdict for verdict, *_ in judged.values()]), told, ""


def above_pcfg(task: Grammars, runs: Runs) -> Judgement:
    last = {s: float(runs[s].curve["test_f1"].iloc[-1]) for s in _models(task)}
    pcfg = next(f1 for spec, f1 in last.items() if spec.algorithm == "pcfg")
    best = {loss: max(_mean(last, loss, C) for C in task.Cs) for loss in (CRF, M3N)}
    if np.isnan([pcfg, *best.values()]).any():
        return INCONCLUSIVE, "", "a run has no F1"
    more = [f1 - pcfg for f1 in best.values()]
    told = f"F1 CRF {best[CRF]:.1%}, M3N {best[M3N]:.1%}, PCFG {pcfg:.1%}"
    return graded(min(more) > LEVEL, min(more) < 0), told, ""


def _mean(last: dict[Spec, float], loss: str, C: float) -> float:
    """Over EG's orders and seeds."""
    return float(np.mean([f1 for spec, f1 in last.items() if spec.loss == loss and spec.C == C]))
