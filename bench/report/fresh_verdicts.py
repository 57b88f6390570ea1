"""Compare the verdicts on a paper's claims with those by the same rules on new random seeds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers.judged import Judged
from structbench.bench.papers.verdicts import NOT_RUN
from structbench.bench.report import frozen, published

SAME = "the same runs"


@dataclass(frozen=True, kw_only=True)
class FreshVerdict:
    """A sentence with its verdict, and that on fresh seeds."""

    claim: str
    verdict: str
    fresh: str  # ``SAME`` if none of its runs has another seed
    stays: str  # what its numbers are over, besides seeds
    answer: str = ""  # on fresh seeds

    @property
    def compares(self) -> bool:
        """Whether there are both verdicts, of different runs."""
        return self.fresh != SAME and NOT_RUN not in (self.verdict, self.fresh)


def published_verdicts(paper: str, scale: str) -> dict[str, str] | None:
    """Claim -> its published verdict; None if the paper is not published.

    Raises:
        UserError: It is of other rules than today's, or from before rules had a hash, or of another scale.
    """
    folder = published.RESULTS / paper
    if not (folder / published.RECORD).is_file():
        return None
    said = published.record(folder)
    if said.rules != frozen.rules_sha256(paper):
        why = "are not those of its published verdicts" if said.rules else "had no hash when it was published"
        raise UserError(
            f"the rules of {paper} {why}: publish it by these rules "
            "(`python -m bench publish`), then judge fresh seeds, once"
        )
    if said.scale != scale:
        raise UserError(
            f"{paper} is published at the scale {said.scale!r}, not {scale!r}: give a --config of that"
        )
    return {name: claim.verdict for name, claim in said.claims.items()}


def beside(
    former: Mapping[str, str], usual: Mapping[str, set[str]], fresh: Iterable[Judged]
) -> list[FreshVerdict]:
    """Put verdicts side by side.

    Args:
        former: Claim -> its verdict.
        usual: Claim -> the keys of the runs that this verdict is of.
    """
    return [
        FreshVerdict(
            claim=each.id,
            verdict=former.get(each.id, NOT_RUN),
            fresh=SAME if usual[each.id] == {*each.runs} else each.verdict,
            stays=", ".join(sorted({one.source for one in each.conditions if one.counted} - {"seeds"})),
            answer=each.answer,
        )
        for each in fresh
    ]


def share(verdicts: Iterable[FreshVerdict]) -> str:
    """How many verdicts stay, as in ``31 of 39 verdicts stay (79 %)``."""
    known = [each for each in verdicts if each.compares]
    kept = sum(each.verdict == each.fresh for each in known)
    return f"{kept} of {len(known)} verdicts stay" + (f" ({100 * kept / len(known):.0f} %)" if known else "")
