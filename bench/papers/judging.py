"""Judge a paper's claims on our curves; the rules stand in the paper's module, beside its claims."""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import write_atomically
from structbench.bench.runs import disturbed
from structbench.bench.runs.finished import Runs, machines
from structbench.bench.runs.spec import Spec

REPRODUCED, NOT_REPRODUCED, INCONCLUSIVE = VERDICTS = ("reproduced", "not reproduced", "inconclusive")

# From which ratio on an adverb of a paper's is true of what takes longer, or less long, than something else; for
# all papers; "around" is up to which one a number of theirs is met.
RATIOS = {
    "slightly": 1.0,  # and below "significantly"
    "slower": 1.2,  # or faster: the spacing of checkpoints, as passes and seconds are known no better
    "significantly": 1.5,
    "around": 2.0,
    "much": 2.0,
    "considerably": 2.0,
    "very": 5.0,  # "extremely" and "dominated by", too
}

Judgement = tuple[str, str, str]  # verdict, our numbers, the rest that a reader wants to know


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper and a check on the runs it needs.

    Attributes:
        where: figure, table or section of the paper.
        theirs: the paper's numbers, empty if it gives none.
        check: is called only when all of ``runs`` are finished and none diverged.
        figures: stems of the figures that show it.
        setting: on what it is judged, such as the paper's own data set or another; groups a table of claims.
        data: data sets that it is about beside those of its runs.
    """

    id: str
    paper: str
    where: str
    claim: str
    theirs: str
    check: Callable[[Runs], Judgement]
    runs: list[Spec]
    figures: list[str]
    setting: str = ""
    data: tuple[str, ...] = ()


def judge(claims: list[Claim], runs: Runs) -> list[dict[str, Any]]:
    """Every claim with its verdict, as it is written to the claims file.

    A claim is inconclusive, unchecked, while a run that it needs is missing or diverged, and where it compares
    seconds of several machines.
    """
    return [_judged(claim, runs) for claim in claims]


def write(paper: str, scale: str, judged: list[dict[str, Any]], folder: Path) -> Path:
    """Write ``folder/<paper>.json``; returns its path.

    Raises:
        UserError: it cannot be written.
    """
    file = Path(folder) / f"{paper}.json"
    content = {"paper": paper, "scale": scale, "claims": judged}
    try:
        write_atomically(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"cannot write {file} ({error.strerror}): make room and its folder writable") from error
    return file


def worst(verdicts: list[str]) -> str:
    """The verdict on a sentence that must hold in every one of several cases."""
    if NOT_REPRODUCED in verdicts:
        return NOT_REPRODUCED
    return INCONCLUSIVE if INCONCLUSIVE in verdicts or not verdicts else REPRODUCED


def graded(good: bool, bad: bool) -> str:
    """Reproduced if good, not if bad, else undecided."""
    return REPRODUCED if good else NOT_REPRODUCED if bad else INCONCLUSIVE


def takes_longer(other: float, mine: float, adverb: str, limit: float) -> str:
    """The verdict on "``other`` takes longer than ``mine``, by the adverb's ratio", both in seconds or in passes.

    Infinite is what was not reached within ``limit``. It is undecided where the ratio falls short by less than the
    spacing of checkpoints, where neither got there, and where the limit came too soon to tell.
    """
    least = RATIOS[adverb]
    if math.isinf(mine):
        return INCONCLUSIVE if math.isinf(other) else NOT_REPRODUCED
    if math.isinf(other):
        return REPRODUCED if limit >= least * mine else INCONCLUSIVE
    return graded(other >= least * mine, RATIOS["slower"] * other < least * mine)


def unanimous(verdicts: list[str]) -> str:
    """The verdict over repetitions with other seeds: what they agree on."""
    return verdicts[0] if len(set(verdicts)) == 1 else INCONCLUSIVE


def _judged(claim: Claim, runs: Runs) -> dict[str, Any]:
    found = {spec.key: runs[spec] for spec in claim.runs}
    missing = [key for key, run in found.items() if run is None]
    diverged = [key for key, run in found.items() if run is not None and run.summary["status"] == "diverged"]
    if missing:
        verdict, ours, detail = INCONCLUSIVE, "", f"{len(missing)} of {len(found)} runs missing: {missing[0]} ..."
    elif diverged:
        verdict, ours, detail = INCONCLUSIVE, "", f"diverged: {', '.join(diverged)}"
    else:
        verdict, ours, detail = claim.check(runs)
        hosts = machines(found.values())
        if len(hosts) > 1 and claim.check(runs.timed_on(None)) != (verdict, ours, detail):  # it reads seconds
            verdict, ours = INCONCLUSIVE, ""
            detail = f"its runs are of {len(hosts)} machines, whose seconds do not compare"
        shaken = [key for key, run in found.items() if disturbed.why(run)]
        if shaken and claim.check(runs.undisturbed()) != (verdict, ours, detail):
            verdict, ours = INCONCLUSIVE, ""
            detail = f"{len(shaken)} of its {len(found)} runs were not timed alone, or disturbed: {shaken[0]} ..."
    stale = set(runs.stale).intersection(found)
    if stale:
        detail = f"stale: {len(stale)} of {len(found)} runs are of other programs, data or settings; {detail}"
    if verdict not in VERDICTS:
        raise ValueError(f"claim {claim.id}: {verdict!r} is no verdict")
    return {
        "id": claim.id,
        "paper": claim.paper,
        "where": claim.where,
        "setting": claim.setting,
        "claim": claim.claim,
        "theirs": claim.theirs,
        "ours": ours,
        "verdict": verdict,
        "detail": detail,
        "runs": list(found),
        "data": sorted({spec.data for spec in claim.runs}.union(claim.data)),
        "figures": claim.figures,
    }


def tally(verdicts: Iterable[str]) -> str:
    """``2 reproduced, 1 inconclusive``."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
