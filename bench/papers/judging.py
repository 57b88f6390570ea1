"""Judge a paper's claims by our runs: the conditions of each, its verdict and its answer."""

import json
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from pathlib import Path

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.papers.claim_rows import Part, Row
from structbench.bench.papers.evidence import HOLDS, NOT_COMPARED, ONE_MACHINE, TIMED_ALONE, Evidence
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.sentences import answer
from structbench.bench.papers.verdicts import NOT_RUN, UNDECIDED, deciding, verdict
from structbench.bench.runs.finished import Runs, machines
from structbench.bench.runs.merged import is_merged
from structbench.bench.runs.spec import Spec
from structbench.bench.runs.store import Run
from structbench.datasets import DataRef

Measure = Callable[[Part, Runs], Iterable[Evidence]]


@dataclass(frozen=True)
class Claim:
    """A row of a paper's claims on one data set, with the runs it needs.

    ``measure`` measures a part of the row. It is called only when all of ``runs`` are finished and none diverged,
    apart from those in ``may_diverge``.
    """

    id: str  # the paper and the row, such as ``eg2008/beats-lbfgs-mnist``
    row: Row
    measure: Measure
    runs: list[Spec]
    figures: list[str]  # stems of those that show it
    setting: str = ""  # what it is judged on, such as the paper's data set or another; tables group claims by it
    data: tuple[DataRef, ...] = ()  # that it is about, apart from the data of its runs
    may_diverge: Container[Spec] = ()  # those among which a constant is chosen by the objective

    def __post_init__(self) -> None:
        object.__setattr__(self, "runs", list(dict.fromkeys(self.runs)))  # each once

    @property
    def paper(self) -> str:
        """The claim's paper."""
        return self.id.partition("/")[0]

    def conditions(self, runs: Runs) -> list[Evidence]:
        """Measure all parts, and set each number against the sentence."""
        return [
            part.condition(found, place)
            for place, part in enumerate(self.row.parts)
            for found in self.measure(part, runs)
        ]


def judge(claims: list[Claim], runs: Runs) -> list[Judged]:
    """Return every claim with its conditions, verdict and answer.

    A claim is not judged while a run that it needs is missing. It is open if its rule divides by 0, as it may
    where all errors are 0. A condition is open if it depends on seconds of several machines, of merged runs
    or of disturbed ones. A rule that fails in another way is a ``UserError``.
    """
    return [_judged(claim, runs) for claim in claims]


def write_claims(paper: str, scale: str, judged: list[Judged], folder: Path) -> Path:
    """Write the judged claims to ``folder/<paper>.json`` and return its path."""
    file = Path(folder) / f"{paper}.json"
    content = {"paper": paper, "scale": scale, "claims": [each.record() for each in judged]}
    try:
        write_atomically(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"cannot write {file} ({error.strerror}): make room and its folder writable") from error
    return file


def _judged(claim: Claim, runs: Runs) -> Judged:
    runs = runs.joined(claim.runs)
    found = {spec.key: runs[spec] for spec in claim.runs}
    made = [run for run in found.values() if run is not None]
    missing = [key for key, run in found.items() if run is None]
    failed = [run for run in made if run.summary["status"] == "diverged"]
    diverged = [run.key for run in failed if run.spec not in claim.may_diverge]
    conditions: list[Evidence] = []
    if missing:
        said, text = NOT_RUN, f"Not run: {len(missing)} of {len(found)} runs are missing."
    elif diverged:
        said, text = UNDECIDED, f"Open: {len(diverged)} of {len(found)} runs diverged."
    else:
        conditions, fault = _measured(claim, runs, made)
        said = verdict(conditions, claim.row.quantifier)
        text = fault or answer(conditions, said, claim.row.quantifier)
    counted = [each for each in deciding(conditions, claim.row.quantifier)[0] if each.counted]
    of_row = {name: getattr(claim.row, name) for name in ("where", "by", "asks", "theirs", "quantifier")}
    return Judged(
        **of_row,
        id=claim.id,
        paper=claim.paper,
        setting=claim.setting,
        claim=claim.row.text,
        verdict=said,
        answer=text,
        holds=sum(each.outcome == HOLDS for each in counted),
        of=len(counted),
        conditions=conditions,
        missing=missing,
        diverged=diverged,
        stale=sorted(set(runs.stale).intersection(found)),
        runs=list(found),
        data=sorted(each.text for each in {spec.data for spec in claim.runs}.union(claim.data)),
        figures=claim.figures,
    )


def _measured(claim: Claim, runs: Runs, made: list[Run]) -> tuple[list[Evidence], str]:
    """The claim's conditions, or none and why; those that read seconds that do not compare say so."""
    folder = own_folders.place(f"bench/papers/{claim.paper}")
    try:
        conditions = claim.conditions(runs)
        if len(machines(made)) > 1 or any(map(is_merged, made)):
            conditions = _spoiled(conditions, claim.conditions(runs.timed_on(None)), ONE_MACHINE)
        if any(run.disturbance for run in made):
            conditions = _spoiled(conditions, claim.conditions(runs.undisturbed()), TIMED_ALONE)
        return conditions, ""
    except UserError:
        raise
    except ArithmeticError as error:
        return [], f"Open: its rule fails on the numbers of these runs with {modules.failure(error, folder)}."
    except Exception as error:  # of any kind: the rule may be anybody's
        name = claim.id.partition("/")[2]
        raise UserError(f"claim {name} of {claim.paper} failed with {modules.failure(error, folder)}") from error


def _spoiled(conditions: list[Evidence], others: list[Evidence], state: str) -> list[Evidence]:
    """The conditions; those that are not the same among ``others``, without some seconds, get this state."""
    same = [each.record() for each in others]
    return [
        each if each.state in NOT_COMPARED or each.record() in same else each._replace(state=state)
        for each in conditions
    ]
