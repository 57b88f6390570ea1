"""The config as jobs read it: one file of the whole, and one of each paper's and grid's own part.

A figure depends on its part only. What a config says of another paper or grid does not matter to it.
"""

import json
from pathlib import Path
from typing import Any

from structbench.bench.runs import results
from structbench.bench.workflow import batches, stamps
from structbench.bench.workflow.config import Config
from structbench.bench.workflow.names import GRID
from structbench.bench.workflow.paper_modules import paper_module


def whole(config: Config) -> Path:
    """The file of the whole config."""
    return results.root() / config.name / "config.json"


def part(config: Config, name: str) -> Path:
    """The file of what the config says of a paper, or of ``grid-NAME``."""
    return results.root() / config.name / "parts" / f"{name}.json"


def write(config: Config) -> None:
    """Write these files, and which runs are in which batch."""
    stamps.keep(whole(config), json.dumps(config.given) + "\n")
    for name in config.runs_of:
        stamps.keep(part(config, name), json.dumps(_of(config, name)) + "\n")
    stamps.keep(batches.cut_file(config.name), batches.cut_as_json(config.batches.values(), config.name))


def _of(config: Config, name: str) -> dict[str, Any]:
    same = {"name": config.name, "scale": config.scale}
    if name.startswith(GRID):
        (grid,) = (each for each in config.given["grids"] if f"{GRID}{each['name']}" == name)
        return same | {"grids": [grid], "without": {}}
    corpora = getattr(paper_module(name), "CORPORA", ())
    without = {data: why for data, why in config.without.items() if data in corpora}
    data = {name: config.data[name]} if name in config.data else {}
    return same | {"figures": [name], "data": data, "without": without}
