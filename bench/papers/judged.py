"""The file of a paper's judged claims, as ``judging.write`` leaves it, read."""

from pathlib import Path
from types import NoneType
from typing import Any

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.papers.evidence import NUMBERS, restored
from structbench.bench.runs import documents

CONDITION = {
    **{"where": dict, "says": str, "kind": str, "claimed": str, "source": str, "count": int, "part?": int},
    **dict.fromkeys(("unit?", "bound?", "state?", "choice?", "told?"), str),
    **dict.fromkeys(NUMBERS, (int, float, str, NoneType)),
}
WORDS = ("id", "paper", "where", "setting", "claim", "by", "theirs", "verdict", "answer", "quantifier")
CLAIM = dict.fromkeys(WORDS, str) | {
    "holds": int,
    "of": int,
    "conditions": [CONDITION],
    "missing": [str],
    "runs": [str],
    "figures": [str],
}
SHAPE = {"scale": str, "claims": [CLAIM]}


def read(file: Path) -> dict[str, Any]:
    """Raises:
    UserError: It is broken.
    """
    remedy = "judge again (`python -m bench claims`)"
    found = documents.read(file, SHAPE, remedy)
    for claim in found["claims"]:
        try:
            all(restored(each).outcome for each in claim["conditions"])
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            raise UserError(f"{file} is broken (a condition of {claim['id']!r}: {error}): {remedy}") from error
    return found
