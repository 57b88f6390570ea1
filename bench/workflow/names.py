"""What users read in place of the ids of papers and grids."""

import importlib

from structbench.bench.runs import catalogue

GRID = "grid-"


def title(name: str) -> str:
    """``Collins et al. 2008`` for ``eg2008``, ``grid mine`` for ``grid-mine``."""
    if name.startswith(GRID):
        return f"grid {name.removeprefix(GRID)}"
    return importlib.import_module(f"structbench.bench.papers.{name}").NAME if name in catalogue.papers() else name
