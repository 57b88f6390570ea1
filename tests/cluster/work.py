"""Work for a cluster: a config, and which of its runs share a batch. Short runs would all be in one."""

import json

from structbench.bench.workflow import config as configs
from tests.workflow.conftest import Checkout

OPTIONS = ("--profile", "workflow/profiles/slurm", "--configfile", "config/mine.yaml")  # of Snakemake


def give(checkout: Checkout, grid: dict, size: int, more: dict | None = None) -> None:
    """Write a config of one grid, whose batches have this many runs each, in the order of data and algorithms.

    more: Other keys of the config.
    """
    config = {"scale": "tiny", "figures": [], "grids": [grid], **(more or {})}
    specs = sorted(configs.of({"name": "mine", **config}).specs, key=lambda spec: (spec.data, spec.algorithm))
    cut = {start: [spec.key for spec in specs[start : start + size]] for start in range(0, len(specs), size)}
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(config))
    folder = checkout.folder / "results" / "mine"
    folder.mkdir(parents=True)
    (folder / "batches.json").write_text(json.dumps(cut))
