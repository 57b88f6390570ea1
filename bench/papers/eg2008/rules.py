"""The rules by which eg2008's claims about EG alone, in section 7.1, are judged on our curves.

``rules_against`` has those that compare EG with SGD and L-BFGS. What follows holds for both.

The rules replace earlier ones, which had been applied to runs of one seed. Each now judges the quantity that its
claim is about. Adverbs have the ratios of ``judging.RATIOS``: "much" and "considerably" 2, "significantly" 1.5,
"around" and "roughly" 2, "very" 5, any other comparative 1.2, the spacing of checkpoints. The intervals of
``bench.papers.readings`` decide: with three seeds or more, a reading counts if its 95 % interval lies on one side
as a whole. Between the two thresholds of a rule a claim is undecided. No run with these limits and seeds had been
made then.

"Passes" are effective iterations. They include EG's first, which computes w of the first u; only for who leads
first are EG's updates counted. A value is reached at the first checkpoint from which on it holds. Near the optimum
is within 1%, close to it within 0.1%, of the least primal value of our runs of that C, if that is certified to a
tenth of this. Errors within 0.2 points are level. A claim about several C must hold at all. If EG's start matters
(marked +), a claim is judged from both starts, and decided if they agree.

======================  ======================================================================================
linear-gap +            unexplained variance of log10(gap), from the first pass on, by a line in log10(passes)
                        over that by a line in passes: above 1, and the line falls; not reproduced below 1
same-value +            last relative gap of EG is at most 0.1% at each C; not reproduced above 0.2% after 200
                        passes, those of Figure 14
faster-larger-C +       passes to a relative gap of 0.1%: at each C slower than at the next larger one
random-order +          passes until the gap is 1% of the optimum, C = 1: deterministic much more than randomized
error-C10-C1            errors close to the optimum: C = 10 and 1 level (else not), and both below those at 1000
                        and 100 and not level with them; not if above
table2-passes +         passes to a relative gap of 0.1% at C = 1000 within a factor 1.5 of theirs
online-beats-batch +    passes until near the optimum, C = 10: batch EG, steps adapting, much more than online EG
few-retries +           updates of EG that tried more than one step size: at most 10% at each C (else not)
linear-in-C +           passes to a relative gap of 1%, C = 1 over C = 10: around 10
slow-low-C +            passes to a relative gap of 1%: at C = 0.1 considerably more than at C = 1
anneal-faster +         C = 1: passes until near the optimum, regular significantly more than annealed
======================  ======================================================================================
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.read_off import Pick, last, passes_of, passes_to
from structbench.bench.papers.eg2008.runs import Task
from structbench.bench.papers.eg2008.setting import ANNEALED, CLOSE, CS, LEVEL, NEAR, POINT, SLOW_C
from structbench.bench.papers.judging import RATIOS
from structbench.bench.papers.readings import Reading, at_least, at_most, longer, near
from structbench.bench.runs.finished import Runs

TABLE2_PASSES = 11.0
RETRIES = 0.1
HORIZON = 199.0  # passes; a run ends within one pass of its limit


def linear_gap(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CS:
        fit = curves.log_gap_fit(pick("eg", C).curve)
        if fit is None:
            yield at_least(f"C={C:g}", np.nan, 1.0, 1.0, told="too few checkpoints")
            continue
        ratio = (1 - fit.r2_power) / max(1 - fit.r2, 1e-12) if fit.slope < 0 else 0.0
        yield at_least(f"C={C:g}", ratio, 1.0, 1.0, ratio=True, told=f"{fit.slope:.2g} decades a pass")


def same_value(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CS:
        run = pick("eg", C)
        gap, passes = last(run, "relative_gap"), passes_of(run)
        told = f"{gap:.2g} after {passes:.3g} passes"
        yield at_most(
            f"C={C:g}", gap if gap <= CLOSE or passes >= HORIZON else np.nan, CLOSE, 2 * CLOSE, told=told
        )


def faster_larger_C(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    passes = {C: curves.to_gap(pick("eg", C).curve, CLOSE) for C in CS}
    for C, smaller in pairwise(CS):
        limit = passes_of(pick("eg", smaller))
        yield longer(f"C={smaller:g} over {C:g}", passes[smaller], passes[C], "slower", limit)


def random_order(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    best = task.optimum(runs, 1.0).primal
    found = [pick("eg", 1.0, order="cyclic"), pick("eg", 1.0)]
    cyclic, random = (
        curves.settled(
            run.curve["passes"].to_numpy(), curves.decades_above(run.curve["gap"].to_numpy(), NEAR * best)
        )
        for run in found
    )
    yield longer("C=1", cyclic, random, "much", passes_of(found[0]))


def error_C10_C1(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    ends = {C: pick("eg", C) for C in CS}
    error = {C: last(r, "test_error") if last(r, "relative_gap") <= CLOSE else np.nan for C, r in ends.items()}
    told = ", ".join(f"{value:.4f} at C={C:g}" for C, value in error.items())
    level = LEVEL / POINT
    yield at_most("C=10 and 1 apart, points", abs(error[10] - error[1]) / POINT, level, level, told=told)
    ahead = np.min([error[1000], error[100]]) - np.max([error[10], error[1]])
    yield at_least("ahead of 1000 and 100, points", ahead / POINT, level, 0.0)


def table2_passes(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    passes = curves.to_gap(pick("eg", 1000.0).curve, CLOSE)
    yield near("off by a factor", passes, TABLE2_PASSES, "significantly")


def online_beats_batch(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    yield passes_to(task, runs, 10.0, NEAR, pick("eg", 10.0, mode="batch"), pick("eg", 10.0), "much")


def few_retries(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    for C in CS:
        notes = pick("eg", C).summary["notes"]
        share = notes["retried"] / notes["updates"] if notes.get("updates") else np.nan
        yield at_most(f"C={C:g}, share", share, RETRIES, RETRIES)


def linear_in_1_over_C(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    slow, quick = (curves.to_gap(pick("eg", C).curve, NEAR) for C in (1.0, 10.0))
    ratio = slow / quick if np.isfinite(slow) and np.isfinite(quick) else np.nan
    off = max(ratio / 10, 10 / ratio)
    told = f"{slow:.3g} and {quick:.3g} passes"
    yield at_most(
        "off 10 by a factor", off, RATIOS["around"], RATIOS["slower"] * RATIOS["around"], True, told=told
    )


def slow_low_C(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    slow, quick = (pick("eg", C) for C in (SLOW_C, 1.0))
    passes = [curves.to_gap(run.curve, NEAR) for run in (slow, quick)]
    yield longer(f"C={SLOW_C:g} over 1", *passes, "considerably", passes_of(slow))


def anneal_faster(task: Task, runs: Runs, pick: Pick) -> Iterator[Reading]:
    regular, annealed = pick("eg", 1.0), pick("eg", 1.0, **ANNEALED)
    yield passes_to(task, runs, 1.0, NEAR, regular, annealed, "significantly")
