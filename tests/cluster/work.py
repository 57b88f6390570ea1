"""Work for a cluster: a config, and how many of its runs share a batch. Short runs would all be in one."""

import json

from tests.workflow.conftest import Checkout

OPTIONS = ("--profile", "workflow/profiles/slurm", "--configfile", "config/mine.yaml")  # of Snakemake


def give(checkout: Checkout, grid: dict, size: int, more: dict | None = None) -> None:
    """Write a config of one grid, whose batches have this many runs each.

    more: Other keys of the config.
    """
    config = {"scale": "tiny", "figures": [], "grids": [grid], **(more or {})}
    (checkout.folder / "config" / "mine.yaml").write_text(json.dumps(config))
    file = checkout.folder / "bench" / "workflow" / "batches.py"
    text, usual = file.read_text(), "\nMAX_RUNS = 100"
    assert usual in text
    file.write_text(text.replace(usual, f"\nMAX_RUNS = {size}"))
