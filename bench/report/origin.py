"""Where data come from, in the eyes of a paper: its own, another corpus in their place, or generated here.

A paper names the data sets of its own experiments in ``OWN_DATA``. It is empty for a paper without data. One that
is generated is made by the paper's recipe: these are not the data that the paper had.
"""

from collections.abc import Iterable
from functools import cache

from structbench.bench.runs import catalogue
from structbench.bench.workflow.paper_modules import paper_module
from structbench.datasets import DataRef, is_generated

OWN, RECIPE, SUBSTITUTE, GENERATED, NONE, OURS = "own", "recipe", "substitute", "generated", "none", "ours"
ORIGINS = {
    OWN: "The paper's own data",
    RECIPE: "Data made here by the paper's recipe",
    NONE: "Data of our choice: the paper has none",
    SUBSTITUTE: "Substitute data, in place of the paper's",
    GENERATED: "Data generated here",
    OURS: "Comparison of ours",
}
NEAREST = (OWN, RECIPE, NONE)  # no data are nearer to the paper's


def origin(paper: str, data: Iterable[DataRef]) -> str:
    """The origin of the data sets that a figure or claim of a paper reads, one of ``ORIGINS``.

    It is ``own`` if all of them are the paper's, ``recipe`` if its recipe made them all, and ``generated`` if any
    other one is generated. It is ``ours`` for a grid, or a comparison of ours.
    """
    own, names = _own_data(paper), {each.name for each in data}
    others = names - {*(own or ())}
    if not own:
        return OURS if own is None else NONE
    if not others:
        return RECIPE if all(map(is_generated, names)) else OWN
    return GENERATED if any(is_generated(name) for name in others) else SUBSTITUTE


@cache  # hundreds of figures and claims ask for it
def _own_data(paper: str) -> tuple[str, ...] | None:
    return getattr(paper_module(paper), "OWN_DATA", None) if paper in catalogue.papers() else None
