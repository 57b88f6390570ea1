"""The file of a paper's judged claims, as ``judging.write`` leaves it, read."""

from pathlib import Path
from types import NoneType
from typing import Any

from structbench.bench.papers.evidence import NUMBERS
from structbench.bench.runs import documents

CONDITION = {"where": dict, "says": str, "kind": str, "claimed": str, "source": str, "count": int} | dict.fromkeys(
    NUMBERS, (int, float, str, NoneType)
)
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
    return documents.read(file, SHAPE, "judge again (`python -m bench claims`)")
