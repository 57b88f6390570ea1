"""What users read in place of the ids of papers and grids."""

from structbench.bench.runs import catalogue
from structbench.bench.workflow.paper_modules import paper_module

GRID = "grid-"


def title(name: str) -> str:
    """``Collins et al. 2008 (EG)`` for ``eg2008``, ``grid mine`` for ``grid-mine``."""
    if name.startswith(GRID):
        return f"grid {name.removeprefix(GRID)}"
    return paper_module(name).NAME if name in catalogue.papers() else name
