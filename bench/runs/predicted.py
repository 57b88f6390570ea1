"""Read a run's stored last predictions (``quality.to_keep``), and its per-example counts for error and F1."""

from pathlib import Path

import numpy as np

from structbench.bench.runs import store

COLUMNS = {"error": [0, 1, 1], "f1": [2, 3, 4]}  # of the counts: right, predicted and gold


def last(run: store.Run, name: str) -> np.ndarray | None:
    """What ``quality.to_keep`` calls so; None if the run has no such thing, or no folder: a published one."""
    if run.folder == Path():
        return None
    with store.archive(run.folder) as file:
        return file[name].astype(np.int64) if name in file.files else None


def counts(run: store.Run, split: str, score: str) -> np.ndarray | None:
    """How much of each example is right, predicted and gold: decisions (``error``) or chunks (``f1``).

    Int (examples, 3). None if the run has no such counts.
    """
    found, columns = last(run, f"counts_{split}"), COLUMNS[score]
    return None if found is None or found.shape[1] <= max(columns) else found[:, columns]
