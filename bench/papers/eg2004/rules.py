"""The rules by which the claims of eg2004 are judged.

They were written down before any was applied to a run, but single runs on CoNLL-2002 had been seen. After
them the values of C, the reading of theta and the adaptive variants were chosen (see ``docs/eg2004.md``), and the
share in smo-starts-quickly was lowered from 80% to half; faster-than-bound is measured from the optimum, where
the distance from the last point had been seen to bend. The 0.1% in eg-overtakes came last: on generated
sentences both reach the optimum, and a difference of 1e-6 had counted.

Those on Figure 4 are judged for each C, on all seeds; where they disagree it is inconclusive. "Passes" are visits
over n. EG is online, in the four settings of Figure 4: eta 0.5 and 1 from theta = -4.5, eta 1 from -2.7 and -3;
its step size fixed, or, for ids that end in -adaptive, adaptive from there.

====================  ================================================================================
smo-starts-quickly    after 3 passes SMO's dual is above that of EG in all settings, fixed and adaptive, and
                      at least half of the greatest dual of all runs; not reproduced if EG in any is above it
smo-stalls            after all passes SMO's dual is more than 5% below the greatest dual of all runs; not
                      reproduced if by less than 1%
eg-overtakes          EG's dual is below SMO's after 3 passes and by over 0.1% above it at the end, in every
                      setting; not reproduced if at the end it is not above it in any
ten-percent           at the end EG's dual, of the best setting, is at least 1.10 times SMO's; not
                      reproduced below 1.05
hybrid                at all checkpoints up to pass 5 the hybrid's dual is at most 2% of the greatest dual of all
                      runs below SMO's, and at the end at most 1% below adaptive EG's (eta 1, theta = -4.5); not
                      reproduced if by more than 5%, or 3%
bound-respected       Theorem 2: Q(alpha^{T+1}) - Q* at most its bound at every checkpoint (else not)
faster-than-bound     log Q(alpha^{T+1}) - Q* against log T over the steps from T = 10 on to where it is 1% of
                      the first: a slope of -1 or steeper, the bound's; not reproduced above -0.9
monotone              Lemma 3: Q never rises from one checkpoint to the next, beyond 1e-9 of it (else not)
same-sequence         Theorem 1 and the primal form: duals of the three at all steps within 1e-9, relative (else
                      not)
====================  ================================================================================
"""

from collections.abc import Callable

import numpy as np

from bench.drawing import curves
from bench.papers.eg2004.runs import Task
from bench.papers.eg2004.setting import ADAPTIVE, FIXED
from bench.papers.judging import INCONCLUSIVE, Judgement, graded
from bench.runs.finished import Runs
from bench.runs.spec import Spec
from bench.runs.store import Run

EARLY = 3.0  # passes
HYBRID_EARLY = 5.0
SAME = 1e-9
LEVEL = 1e-3

Pick = Callable[[list[Spec]], Run]  # of the specs, one a seed, the run of one seed


def smo_starts_quickly(task: Task, C: float, runs: Runs, pick: Pick) -> Judgement:
    smo = _at(pick(task.smo(C)), EARLY)
    eg = {
        f"{name}{' adaptive' if adaptive else ''}": _at(pick(specs), EARLY)
        for adaptive in (FIXED, ADAPTIVE)
        for name, specs in task.settings(C, adaptive).items()
    }
    share = smo / _greatest(task, C, runs)
    ahead = all(smo > value for value in eg.values())
    numbers = f"dual after {EARLY:g} passes: SMO {smo:.4g}, EG at most {max(eg.values()):.4g}"
    detail = f"SMO at {share:.1%} of the greatest dual; EG {_named(eg)}"
    return graded(ahead and share >= 0.5, not ahead), numbers, detail


def smo_stalls(task: Task, C: float, runs: Runs, pick: Pick) -> Judgement:
    run = pick(task.smo(C))
    below = 1 - _last(run) / _greatest(task, C, runs)
    numbers = f"SMO's last dual is {below:.2%} below the greatest"
    detail = f"{_last(run):.5g} after {run.curve['passes'].iloc[-1]:.4g} passes"
    return graded(below > 0.05, below < 0.01), numbers, detail


def eg_overtakes(adaptive: bool, task: Task, C: float, runs: Runs, pick: Pick) -> Judgement:
    smo = pick(task.smo(C))
    egs = {name: pick(specs) for name, specs in task.settings(C, adaptive).items()}
    lags = [_at(run, EARLY) < _at(smo, EARLY) for run in egs.values()]
    ends = {name: _last(run) / _last(smo) for name, run in egs.items()}
    good = all(lags) and all(ratio > 1 + LEVEL for ratio in ends.values())
    bad = not any(ratio > 1 + LEVEL for ratio in ends.values())
    passes = {name: _overtaking(run, smo) for name, run in egs.items()}
    told = ", ".join(f"{name} {p:.3g}" if np.isfinite(p) else f"{name} never" for name, p in passes.items())
    return graded(good, bad), f"EG stays above SMO from pass: {told}", f"last dual over SMO's: {_named(ends)}"


def ten_percent(adaptive: bool, task: Task, C: float, runs: Runs, pick: Pick) -> Judgement:
    smo = _last(pick(task.smo(C)))
    ratios = {name: _last(pick(specs)) / smo for name, specs in task.settings(C, adaptive).items()}
    most = max(ratios.values())
    return (
        graded(most >= 1.10, most < 1.05),
        f"EG's last dual, at best, is {most - 1:+.2%} of SMO's",
        _named(ratios),
    )


def hybrid(task: Task, C: float, runs: Runs, pick: Pick) -> Judgement:
    made, smo, eg = pick(task.hybrid(C)), pick(task.smo(C)), pick(task.eg(C))
    greatest = _greatest(task, C, runs)
    curve = made.curve[made.curve["dual"].notna() & (made.curve["passes"] <= HYBRID_EARLY)]
    behind = [(_at(smo, p) - dual) / greatest for p, dual in zip(curve["passes"], curve["dual"], strict=True)]
    early = max([0.0, *(value for value in behind if np.isfinite(value))])
    late = 1 - _last(made) / _last(eg)
    numbers = f"up to pass {HYBRID_EARLY:g} at most {early:.2%} below SMO, at the end {-late:+.2%} of EG"
    detail = f"last dual: hybrid {_last(made):.5g}, EG {_last(eg):.5g}, SMO {_last(smo):.5g}"
    return graded(early <= 0.02 and late <= 0.01, early > 0.05 or late > 0.03), numbers, detail


def bound(run: Run, exact: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Steps T, Q(alpha^{T+1}) - Q*, and its bound, from T = 1 on; ``exact`` knows the optimum.

    The bound is Theorem 2's for the last point u, D(u, u1) of which is known, and Q(u) - Q*. The first pass
    computes alpha^1.
    """
    curve, notes = run.curve[run.curve["passes"] >= 2], run.summary["notes"]
    T, Q = curve["passes"].to_numpy() - 1, -curve["dual"].to_numpy()
    least = -curves.optimum([run, exact]).dual
    rate = 2.5 * (notes["B"] + notes["lambda"]) * notes["divergence"]
    return T, Q - least, rate / T + 1.5 * (notes["first_Q"] - Q) / T + Q[-1] - least


def bound_respected(run: Run, exact: Run) -> Judgement:
    T, distance, allowed = bound(run, exact)
    share = float(np.max(distance / allowed))
    return graded(share <= 1, share > 1), f"largest share of the bound {share:.3g}", f"{len(T)} checkpoints"


def faster_than_bound(run: Run, exact: Run) -> Judgement:
    T, distance, _ = bound(run, exact)
    inside = (T >= 10) & (distance >= 0.01 * distance[0])
    if inside.sum() < curves.FEWEST_POINTS:
        return INCONCLUSIVE, "", "too few checkpoints"
    slope = float(np.polyfit(np.log(T[inside]), np.log(distance[inside]), 1)[0])
    last = np.diff(np.log(distance[inside]))[-1] / np.diff(np.log(T[inside]))[-1]
    detail = f"T from {T[inside][0]:.4g} to {T[inside][-1]:.4g}, where it is {last:.3g}"
    return graded(slope <= -1, slope > -0.9), f"slope {slope:.3g}", detail


def monotone(run: Run, exact: Run) -> Judgement:
    Q = -curves.finite(run.curve["dual"])
    rise = float(np.max(np.diff(Q) / np.abs(Q[1:])))
    return graded(rise <= SAME, rise > SAME), f"largest relative rise {max(rise, 0):.2g}", ""


def same_sequence(found: list[Run]) -> Judgement:
    stepped = [run.curve[run.curve["dual"].notna()] for run in found]
    passes = sorted(set.intersection(*(set(curve["passes"]) for curve in stepped)))
    duals = np.array([curve.set_index("passes")["dual"].loc[passes].to_numpy() for curve in stepped])
    apart = float(np.max(np.ptp(duals, axis=0) / np.abs(duals[0])))
    return (
        graded(apart <= SAME, apart > SAME),
        f"at most {apart:.2g} apart, relative",
        f"{len(passes)} checkpoints",
    )


def _greatest(task: Task, C: float, runs: Runs) -> float:
    return curves.optimum(runs.present(task.problem(C))).dual


def _at(run: Run, passes: float) -> float:
    """The dual after so many passes; -infinity before the first."""
    return float(_duals_at(run, passes))


def _duals_at(run: Run, passes: np.ndarray | float) -> np.ndarray:
    curve = run.curve[run.curve["dual"].notna()]
    return np.interp(passes, curve["passes"], curve["dual"], left=-np.inf)


def _last(run: Run) -> float:
    return float(curves.finite(run.curve["dual"])[-1])


def _overtaking(run: Run, other: Run) -> float:
    """Passes from which on the dual of a run stays above that of the other."""
    passes = np.union1d(run.curve["passes"], other.curve["passes"])
    passes = passes[passes >= 1]
    return curves.settled(passes, _duals_at(run, passes) > _duals_at(other, passes))


def _named(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())
