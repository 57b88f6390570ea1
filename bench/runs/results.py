"""Where results lie: under one root, ``STRUCTBENCH_RESULTS`` or else ``results``.

What any config may use is shared: problems, runs, those of other hosts, batches, measurements of updates. What is
made of one config lies in the folder of its name: ``results/quick/figures``, ``claims``, ``report``.
"""

import os
from pathlib import Path

VARIABLE = "STRUCTBENCH_RESULTS"
SHARED = (
    "batches", "breakdown", "data", "export", "hosts", "kernels", "logs", "mlartifacts", "problems", "runs",
    "tracked",
)  # fmt: skip


def root() -> Path:
    """The folder of all results."""
    return Path(os.environ.get(VARIABLE) or "results")


def runs() -> Path:
    """A folder for each run, by its key."""
    return root() / "runs"


def hosts() -> Path:
    """``HOST/runs``: the runs of other machines."""
    return root() / "hosts"


def problems() -> Path:
    """The built problems."""
    return root() / "problems"


def batches() -> Path:
    """What each job of several runs has made."""
    return root() / "batches"


def breakdown() -> Path:
    """What an update costs, operation by operation, by data set."""
    return root() / "breakdown"


def export() -> Path:
    """All runs as tables, for other tools."""
    return root() / "export"


def figures(config: str) -> Path:
    """A folder for each paper, and each grid as ``grid-NAME``."""
    return root() / config / "figures"


def all_figures() -> dict[str, Path]:
    """Name -> the folder of figures, of every config that has drawn some."""
    found = (folder for folder in sorted(root().glob("*/figures")) if folder.is_dir())
    return {folder.parent.name: folder for folder in found if folder.parent.name not in SHARED}


def claims(config: str) -> Path:
    """A file of judged claims for each paper."""
    return root() / config / "claims"


def report(config: str) -> Path:
    """The pages of the report; it opens with ``index.html``."""
    return root() / config / "report"
