"""The rules by which eg2008's claims about EG against SGD and L-BFGS are judged; ``rules`` defines the words.

======================  ======================================================================================
overtakes-sgd +         C = 1000, 100, 10: after n updates each SGD's primal is below EG's (else not), and EG's
                        stays below SGD's from pass 10, around 5, or earlier
overtakes-sgd-C1 +      the same for C = 1
converges-before-sgd +  C = 1000, 100, 10: SGD's passes until close to the optimum are much more than EG's
more-pronounced +       SGD's primal less EG's, over the optimum, where the shortest of these runs of SGD ends: for
                        each next smaller C more, by a factor 1.2
sgd-lead-in-error +     the first pass at which the least error of SGD's, over Figure 9's C, is not below EG's at
                        C = 10, or level with it, is around 5; and from pass 10 on EG's error is in the mean over
                        checkpoints at most 0.2 points above that least one (else not)
sgd-alike-small-C       errors of SGD at C = 1 and at 0.1, and at 1 and 0.01: |difference|, mean over checkpoints
                        from pass 1 on, level (else not)
eta0-selected           SGD's selected eta0 is theirs at every C (else not)
eta0-post-hoc           C = 1: last primal with eta0 = 0.1 over that with the selected one, below 1 (else not);
                        not known if 0.1 was selected
decay-beats-fixed       primal of SGD with a fixed rate, selected alike, over that with decay, where the shorter
                        run ends: above 1 at each C (else not)
beats-lbfgs +           passes until near and until close to the optimum: L-BFGS considerably more at each C
beats-conjugate +       passes until near the optimum, C = 100 and 10: conjugate gradient more than EG
conjugate-below-lbfgs   the same: conjugate gradient more than L-BFGS
lbfgs-error +           the most that L-BFGS, at any C and pass from 1 on, is below EG at C = 10: level (else not)
cost-sgd                CPU seconds an update, line search included, EG over SGD at C = 10: at most 1.1; not
                        reproduced above 1.2
cost-lbfgs              the same, over L-BFGS's seconds an example and evaluation
fastest-in-seconds +    seconds until near and until close to the optimum at C = 10: L-BFGS and SGD more than EG
sgd-quick-in-accuracy + C = 10: SGD's seconds until its error stays level with EG's last or below are at most
                        EG's (not above 1.5 times), and those until near the optimum very much more
======================  ======================================================================================
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.read_off import (
    SECONDS,
    Pick,
    after_updates,
    last,
    passes_of,
    passes_to,
    settled,
)
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import (
    ALIKE_CS,
    CLOSE,
    CONJUGATE_CS,
    CS,
    FIXED_RATE,
    LEVEL,
    NEAR,
    POINT,
    POST_HOC,
    SGD_ERROR_CS,
)
from structbench.bench.papers.judging import RATIOS
from structbench.bench.papers.readings import Reading, at_least, at_most, near
from structbench.bench.runs.finished import Runs

ETA0 = {1000.0: 0.001, 100.0: 0.01, 10.0: 0.01, 1.0: 0.01}
AROUND_5 = 5.0
COST, TOO_DEAR = 1.1, RATIOS["slower"]


def overtakes_sgd(Cs: tuple[float, ...], task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in Cs:
        eg, sgd = pick("eg", C), pick("sgd", C)
        lead = after_updates(eg, "primal") / float(curves.at(sgd.curve, "primal", 1.0))
        yield at_least(f"C={C:g}, EG's primal over SGD's after n updates", lead, 1.0, 1.0, ratio=True)
        passes = curves.overtakes(eg.curve, sgd.curve)
        most = RATIOS["around"] * AROUND_5
        yield at_most(f"C={C:g}, EG below from pass", passes, most, RATIOS["slower"] * most, ratio=True)


def converges_before_sgd(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CS[:3]:
        yield passes_to(task, runs, C, CLOSE, pick("sgd", C), pick("eg", C), "much")


def more_pronounced(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    apart, end = {}, min(passes_of(pick("sgd", C)) for C in CS)
    for C in CS:
        sgd, eg = (float(curves.at(pick(name, C).curve, "primal", end)) for name in ("sgd", "eg"))
        apart[C] = (sgd - eg) / task.optimum(runs, C).primal
    for C, smaller in pairwise(CS):
        told = f"{apart[smaller]:.2%} / {apart[C]:.2%}"
        ratio = max(apart[smaller], 0.0) / apart[C] if apart[C] > 0 else np.nan
        yield at_least(f"C={smaller:g} over {C:g}", ratio, RATIOS["slower"], 1.0, ratio=True, told=told)


def sgd_lead_in_error(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    eg, sgds = pick("eg", 10.0).curve, [pick("sgd", C).curve for C in SGD_ERROR_CS]
    end = min(curve["passes"].iloc[-1] for curve in sgds)
    passes = eg["passes"].to_numpy()
    passes = np.union1d(passes[(passes >= 1) & (passes <= end)], end)
    mine = curves.at(eg, "test_error", passes)
    least = np.min([curves.at(curve, "test_error", passes) for curve in sgds], axis=0)
    level = np.flatnonzero(mine <= least + LEVEL)
    yield near("SGD ahead until pass", passes[level[0]] if len(level) else np.inf, AROUND_5, "around")
    later = passes >= RATIOS["around"] * AROUND_5
    behind = float(np.mean((mine - least)[later])) / POINT if later.any() else np.nan
    yield at_most("EG above from pass 10 on, points", behind, LEVEL / POINT, LEVEL / POINT)


def sgd_alike_small_C(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    first, *others = (pick("sgd", C).curve for C in ALIKE_CS)
    passes = first["passes"].to_numpy()
    passes = passes[passes >= 1]
    for C, other in zip(ALIKE_CS[1:], others, strict=True):
        apart = curves.at(other, "test_error", passes) - curves.at(first, "test_error", passes)
        yield at_most(f"C=1 and {C:g}, points", np.mean(np.abs(apart)) / POINT, LEVEL / POINT, LEVEL / POINT)


def eta0_selected(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C, theirs in ETA0.items():
        ours = float(pick("sgd", C).summary["notes"]["eta0"])
        yield at_most(f"C={C:g}, decades off", abs(np.log10(ours / theirs)), 0.01, 0.01, told=f"{ours:g}")


def eta0_post_hoc(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    selected, other = pick("sgd", 1.0), pick("sgd", 1.0, **POST_HOC)
    eta0 = float(selected.summary["notes"]["eta0"])
    ratio = np.nan if eta0 == POST_HOC["eta0"] else last(other, "primal") / last(selected, "primal")
    yield at_most("primal over that of the selected", ratio, 1.0, 1.0, ratio=True, told=f"selected: {eta0:g}")


def decay_beats_fixed(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CS:
        fixed, decay = pick("sgd", C, **FIXED_RATE), pick("sgd", C)
        rates = " and ".join(f"{run.summary['notes']['eta0']:g}" for run in (fixed, decay))
        end = min(passes_of(fixed), passes_of(decay))
        ratio = float(curves.at(fixed.curve, "primal", end) / curves.at(decay.curve, "primal", end))
        yield at_least(f"C={C:g}, primal", ratio, 1.0, 1.0, ratio=True, told=f"rates {rates}")


def beats_lbfgs(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CS:
        for level in (NEAR, CLOSE):
            yield passes_to(task, runs, C, level, pick("lbfgs", C), pick("eg", C), "considerably")


def beats_conjugate(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CONJUGATE_CS:
        yield passes_to(task, runs, C, NEAR, pick("conjugate-gradient", C), pick("eg", C), "slower")


def conjugate_below_lbfgs(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CONJUGATE_CS:
        pair = pick("conjugate-gradient", C), pick("lbfgs", C)
        yield passes_to(task, runs, C, NEAR, *pair, "slower", exact=True)


def lbfgs_error(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    eg, leads = pick("eg", 10.0).curve, {}
    for C in CS:
        curve = pick("lbfgs", C).curve
        curve = curve[curve["passes"] >= 1]
        ahead = curves.at(eg, "test_error", curve["passes"].to_numpy()) - curve["test_error"].to_numpy()
        leads[f"C={C:g}, pass {curve['passes'].iloc[ahead.argmax()]:.3g}"] = float(ahead.max())
    where = max(leads, key=leads.get)
    yield at_most("at best below EG by, points", leads[where] / POINT, LEVEL / POINT, LEVEL / POINT, told=where)


def cost(other: str, task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    eg, rival = pick("eg", 10.0), pick(other, 10.0)
    n, updates = eg.summary["num_examples"], last(eg, "updates") or np.nan
    seconds = [(last(run, "cpu_seconds") - float(run.curve["cpu_seconds"].iloc[0])) for run in (eg, rival)]
    # the pass that computes w of the first u is no update
    mine = (seconds[0] - curves.at(eg.curve, "cpu_seconds", 1.0) + eg.curve["cpu_seconds"].iloc[0]) / updates
    theirs = seconds[1] / (n * (passes_of(rival) - float(rival.curve["passes"].iloc[0])))
    told = f"{1e6 * mine:.3g} / {1e6 * theirs:.3g} microseconds"
    yield at_most("times as long", mine / theirs, COST, TOO_DEAR, ratio=True, told=told)


def fastest_in_seconds(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    eg = pick("eg", 10.0)
    for name in ("lbfgs", "sgd"):
        for level in (NEAR, CLOSE):
            yield passes_to(task, runs, 10.0, level, pick(name, 10.0), eg, "slower", SECONDS, f"{name}, ")


def sgd_quick_in_accuracy(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    eg, sgd = pick("eg", 10.0), pick("sgd", 10.0)
    goal = last(eg, "test_error") + LEVEL
    mine, its = (settled(run, run.curve["test_error"].to_numpy() - goal, SECONDS) for run in (eg, sgd))
    ratio, told = its / mine if mine > 0 else np.nan, f"{its:.3g} / {mine:.3g}"
    yield at_most("seconds until the error, SGD over EG", ratio, 1.0, RATIOS["significantly"], True, told=told)
    yield passes_to(task, runs, 10.0, NEAR, sgd, eg, "very", SECONDS)
