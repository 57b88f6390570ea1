"""Numbers that the rules on dependency parsing read off runs: passes and seconds until a level."""

import numpy as np

from structbench.bench.drawing import curves
from structbench.bench.papers.eg2008.parsing import EG, SVM, TABLE3_BEST_C, Parsing
from structbench.bench.papers.eg2008.read_off import Pick, settled
from structbench.bench.papers.eg2008.setting import NEAR, POINT
from structbench.bench.papers.judging import RATIOS
from structbench.bench.papers.readings import Reading, at_most, longer, said
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.store import Run

CERTAIN = NEAR / 10
LEVEL = 0.5 * POINT  # of errors: accuracies this close are level
HORIZON = 100.0  # passes, about those of Figure 15; runs make 110
LEAST_C = 1.0  # that is judged


def judged_Cs(task: Parsing) -> list[float]:
    """Return the C at which claims on the log loss are judged."""
    return [C for C in task.Cs if C >= LEAST_C]


def last(run: Run, column: str) -> float:
    return float(run.curve[column].iloc[-1])


def limit(run: Run, column: str = "passes") -> float:
    """Return where a run ended."""
    return float(run.curve[column].iloc[-1] - (run.curve[column].iloc[0] if column != "passes" else 0.0))


def distance(run: Run, best: curves.Optimum) -> float:
    """Return how far the last primal is above the optimum; NaN if unknown, or if cut short before it is near."""
    far = last(run, "primal") / best.primal - 1
    cut = run.summary["status"] == "passes" and limit(run) < HORIZON
    return far if best.relative_gap <= CERTAIN and (far <= NEAR or not cut) else np.nan


def until_there(task: Parsing, runs: Runs, run: Run, column: str = "passes") -> float:
    """Return passes, or seconds, until the primal stays near the optimum; infinity if never, NaN if not known."""
    best = task.optimum(runs, run.spec["C"])
    if not best.relative_gap <= CERTAIN:
        return np.nan
    far = curves.decades_above((run.curve["primal"] - best.primal).to_numpy(), NEAR * abs(best.primal))
    return settled(run, far, column)


def until_error(run: Run, goal: float, column: str) -> float:
    """Return passes, or seconds, until the error stays at or below a goal; infinity if it does not."""
    return settled(run, run.curve["test_error"].to_numpy() - goal, column)


def hinge_seconds(task: Parsing, runs: Runs, pick: Pick, C: float) -> tuple[float, float]:
    """Return the seconds until the certified distance stays small, for EG and for SVM-struct."""
    bound = curves.optimum(runs.present(task.hinge_problem(C))).dual
    return tuple(curves.seconds_to(pick(name, C).curve, bound, NEAR) for name in (EG, SVM))


def hinge_distance(task: Parsing, runs: Runs, run: Run) -> float:
    """Return the certified distance at the end."""
    bound = curves.optimum(runs.present(task.hinge_problem(run.spec["C"]))).dual
    return (last(run, "primal") - bound) / last(run, "primal")


def alike(name: str, values: list[float], limits: list[float]) -> Reading:
    """Read how many times as long the longer of two takes; it must not be considerably longer.

    It is not known if neither was reached, or if a limit came too soon to tell.
    """
    (a, b), (end_a, end_b) = values, limits
    ratios = [longer("", b, a, "considerably", end_b).value, longer("", a, b, "considerably", end_a).value]
    told, most = f"{said(a)} and {said(b)}", RATIOS["considerably"]
    return at_most(name, np.max(ratios), most / RATIOS["slower"], most, ratio=True, told=told)


def best_C(found: dict[float, Run], theirs: float) -> Reading:
    """Read whether the run with the best last accuracy is the one at the paper's C."""
    errors = {C: last(run, "test_error") for C, run in found.items()}
    behind = (errors[theirs] - min(error for C, error in errors.items() if theirs != C)) / POINT
    told = ", ".join(f"C={C:g}: {accuracy(run)}" for C, run in found.items())
    return at_most(f"C={theirs:g} behind the best other, points", behind, 0.0, LEVEL / POINT, told=told)


def at_their_best(steps: list[tuple[float, float]]) -> float:
    """Return the accuracy of a path at the best C of Table 3."""
    return next(accuracy for C, accuracy in steps if np.isclose(C, TABLE3_BEST_C, rtol=1e-3))


def accuracy(run: Run) -> str:
    """Format the last accuracy for a reader."""
    return f"{100 * (1 - last(run, 'test_error')):.2f}"
