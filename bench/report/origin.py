"""Where data come from, in the eyes of a paper: its own, another corpus in their place, or generated here.

A paper names the data sets of its own experiments in ``OWN_DATA``. One that is a recipe, which draws new data,
counts as the paper's own where it is the paper's recipe.
"""

from collections.abc import Iterable
from functools import cache

from structbench.bench.runs import catalogue
from structbench.bench.workflow.paper_modules import paper_module
from structbench.datasets import DataRef, is_generated

OWN, SUBSTITUTE, GENERATED, OURS = "own", "substitute", "generated", "ours"
ORIGINS = {
    OWN: "The paper's own data",
    SUBSTITUTE: "Substitute data, in place of the paper's",
    GENERATED: "Data generated here",
    OURS: "Comparison of ours",
}


def origin(paper: str, data: Iterable[DataRef]) -> str:
    """The origin of the data sets that a figure or claim of a paper reads, one of ``ORIGINS``.

    It is ``own`` if all of them are the paper's, and ``generated`` if any other one is generated. It is ``ours``
    for a grid, a comparison of ours, or any paper without data of its own.
    """
    own = _own_data(paper)
    others = {each.name for each in data} - {*own}
    if not own:
        return OURS
    if not others:
        return OWN
    return GENERATED if any(is_generated(name) for name in others) else SUBSTITUTE


@cache  # hundreds of figures and claims ask for it
def _own_data(paper: str) -> tuple[str, ...]:
    return getattr(paper_module(paper), "OWN_DATA", ()) if paper in catalogue.papers() else ()
