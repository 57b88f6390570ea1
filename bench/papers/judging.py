"""Judge a paper's claims by our runs; the rules are in the paper's package, with its claims."""

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

# The least ratio at which an adverb holds, such as "much longer"; the same for all papers. "around" is the largest
# factor between a number of ours and theirs.
RATIOS = {
    "slightly": 1.0,  # and less than "significantly"
    "slower": 1.2,  # or faster: the spacing of checkpoints, which limits how well passes and seconds are known
    "significantly": 1.5,
    "around": 2.0,
    "much": 2.0,
    "considerably": 2.0,
    "very": 5.0,  # "extremely" and "dominated by", too
}

Judgement = tuple[str, str, str]  # verdict, our numbers, details


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper and a check on the runs it needs.

    Attributes:
        where: The figure, table or section of the paper.
        theirs: The paper's numbers, empty if it gives none.
        check: The rule. It is called only when all of ``runs`` are finished and none diverged.
        figures: Stems of the figures that show it.
        setting: What it is judged on, such as the paper's data set or another. Tables group claims by it.
        data: Data sets that it is about, apart from those of its runs.
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
    """Return every claim with its verdict, as the claims file holds it.

    A claim is inconclusive, unchecked, while a run that it needs is missing or diverged. It is inconclusive, too,
    if it depends on seconds of several machines or of disturbed runs.
    """
    return [_judged(claim, runs) for claim in claims]


def write(paper: str, scale: str, judged: list[dict[str, Any]], folder: Path) -> Path:
    """Write the judged claims to ``folder/<paper>.json`` and return its path.

    Raises:
        UserError: The file cannot be written.
    """
    file = Path(folder) / f"{paper}.json"
    content = {"paper": paper, "scale": scale, "claims": judged}
    try:
        write_atomically(file, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"cannot write {file} ({error.strerror}): make room and its folder writable") from error
    return file


def worst(verdicts: list[str]) -> str:
    """Return the verdict on a claim that must hold in each of several cases."""
    if NOT_REPRODUCED in verdicts:
        return NOT_REPRODUCED
    return INCONCLUSIVE if INCONCLUSIVE in verdicts or not verdicts else REPRODUCED


def graded(good: bool, bad: bool) -> str:
    """Return reproduced if good, not reproduced if bad, else inconclusive."""
    return REPRODUCED if good else NOT_REPRODUCED if bad else INCONCLUSIVE


def takes_longer(other: float, mine: float, adverb: str, limit: float) -> str:
    """Judge whether ``other`` takes longer than ``mine`` by the adverb's ratio, both in seconds or in passes.

    Infinite means not reached within ``limit``. The verdict is inconclusive if the ratio falls short by less than
    the spacing of checkpoints. So it is if neither was reached, or if the limit came too soon to tell.
    """
    least = RATIOS[adverb]
    if math.isinf(mine):
        return INCONCLUSIVE if math.isinf(other) else NOT_REPRODUCED
    if math.isinf(other):
        return REPRODUCED if limit >= least * mine else INCONCLUSIVE
    return graded(other >= least * mine, RATIOS["slower"] * other < least * mine)


def unanimous(verdicts: list[str]) -> str:
    """Return the verdict that repetitions with other seeds agree on, else inconclusive."""
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
    """Count the verdicts, as in ``2 reproduced, 1 inconclusive``."""
    counts = Counter(verdicts)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
