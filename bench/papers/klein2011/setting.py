"""The learners of klein2011, with each one's properties, of ``ways.toml``."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from structbench.bench.papers.claim_rows import tables

SAID = tables(Path(__file__).with_name("ways.toml"))
LEVEL = 0.01  # certified relative gap at which a minimum counts as reached
LATER = 0.5  # share of a run's passes after which a learner that settles has settled
BRACE = "brace"  # the word of the slides
LETTERS = 26
STOPLIGHTS, DOCUMENTS = "toy-stoplights", "toy-documents"


@dataclass(frozen=True)
class Way:
    """A learner of the family and its place in the overview."""

    name: str
    algorithm: str
    params: dict[str, Any] = field(hash=False, default_factory=dict)
    loss: str | None = None  # the loss that it minimises, as a run names it; None if it minimises no objective
    judged_by: str = ""  # this and the next three are its properties in the overview
    regularised: str = "no"
    form: str = "primal"
    inference: str = "argmax"
    penalty: str | None = None  # None for the first that the algorithm takes
    C: float = 10.0
    lists: bool = False  # whether it enumerates all outputs of an example. A word has too many
    longer: float = 1.0  # how many times the passes of others it may make until its gap is certified


def _said(name: str) -> dict[str, Any]:
    """Return what the file says of a learner, on top of what it says of the one that this is like."""
    own = {"name": name} | SAID["ways"][name]
    return (_said(own.pop("like")) if "like" in own else {}) | own


WAYS = {name: Way(**_said(name)) for name in SAID["ways"]}
GROUPS = {name: tuple(WAYS[each] for each in listed) for name, listed in SAID["groups"].items()}
PERCEPTRON, AVERAGED, MIRA, MIRA_LAST, CUTTING, LBFGS, HARD_MARGIN, DUAL, LINEAR = (
    WAYS[name]
    for name in (
        "perceptron", "averaged", "mira", "mira-last", "cutting", "lbfgs", "hard-margin", "dual", "linear"
    )
)  # fmt: skip
