"""Find false certificates: a dual value above a primal value of any run on the same problem."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.bench.drawing.curves import TIE
from structbench.bench.runs.store import Run


class Refutation(NamedTuple):
    """A run whose dual value is above the primal value of another: its gap means nothing."""

    run: Run
    witness: Run

    def __str__(self) -> str:
        dual, primal = self.run.summary["dual"], self.witness.summary["primal"]
        return (
            f"REFUTED: {self.run.key} says that no value is below {dual:.9g}, and {self.witness.key} has "
            f"{primal:.9g}. The gap of the first means nothing."
        )


def refutations(runs: Iterable[Run]) -> list[Refutation]:
    """Those among runs, by their last values at their own C; the witness is the run of the least primal value."""
    problems: dict[tuple, list[Run]] = defaultdict(list)
    for run in runs:
        spec, summary = run.spec, run.summary
        if spec.loss != NO_LOSS and run.came_to_its_C:
            data = spec.data, spec.test, summary["provenance"]["data_sha256"]
            problems[*data, spec.loss, spec.penalty, spec.C].append(run)
    found = []
    for members in problems.values():
        known = [run for run in members if run.summary.get("primal") is not None]
        if not known:
            continue
        witness = min(known, key=lambda run: run.summary["primal"])
        primal = witness.summary["primal"]
        above = (run for run in members if (run.summary.get("dual") or primal) > primal + TIE * abs(primal))
        found += [Refutation(run, witness) for run in above]
    return found
