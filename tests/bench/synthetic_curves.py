"""Finished runs with curves that are known in closed form, for the tests of figures and claims."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from structbench.bench.runs import documents, programs, state, store, writing
from structbench.bench.runs.finished import Runs
from structbench.bench.runs.spec import Spec

BEST = 100.0  # the optimum of every problem
EXAMPLES = 59_000
ERRORS = {1000.0: 0.1011, 100.0: 0.0809, 10.0: 0.0744, 1.0: 0.0740}  # of eg2008's Table 2
PROVENANCE = {
    "data_sha256": "ab" * 32, "git_commit": "0123456", "cpu": "Some CPU", "alone": True, "host": "",
    "started": 0.0,
}  # fmt: skip


class Memory:
    """The folder of a run without files, from which its weights and its last predictions can be read."""

    def __init__(self, arrays: dict[str, np.ndarray]) -> None:
        self._arrays = arrays

    def is_relative_to(self, other: Path) -> bool:
        return False

    def __truediv__(self, name: str) -> io.BytesIO:
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **self._arrays)
        file.seek(0)
        return file


def put(runs: Runs, run: store.Run, key: str = "") -> None:
    """Have a run be finished, without files, maybe under the key of another."""
    runs._found[key or run.key] = state.Found(state.State.FINISHED, "", run)


def drop(runs: Runs, key: str) -> None:
    """Have a run be missing."""
    runs._found[key] = state.Found(state.State.MISSING, "it was not made yet", None)


def all_of(runs: Runs) -> list[store.Run]:
    """The runs that were put there or asked for."""
    return [found.run for found in runs._found.values() if found.run is not None]


def of(*made: store.Run) -> Runs:
    """These runs and no others, without files."""
    runs = Runs(Path("nowhere"))
    for run in made:
        put(runs, run)
    return runs


def write(
    root: Path | Runs,
    spec: Spec,
    *,
    rate: float = 1.0,
    gap0: float = 10.0,
    floor: float = 1e-8,
    error: float | None = None,
    second_per_pass: float = 0.1,
    status: str = "passes",
    eta0: float = 0.01,
    power: bool = False,
    dual: float | None = None,
    best: float = BEST,
    passes: np.ndarray | None = None,
    notes: dict[str, float] | None = None,
    host: str = "",
    haste: float | None = None,
    **kept: np.ndarray,
) -> store.Run:
    """A run whose gap is ``gap0 exp(-rate passes)``, or ``gap0 (1 + passes)^-rate``, and not below ``floor``.

    It is kept in the folder ``root``, or without files among the runs that ``of`` gave.

    In shares of BEST. The primal and the dual are half of the gap above and below ``best``; or the dual is
    ``dual`` throughout. Checkpoints at ``passes``, or at 40 from 0.1 to the spec's. The error is ``error`` + 0.5
    exp(-haste passes). ``kept``: see ``quality.to_keep``.
    """
    if passes is None:
        passes = np.concatenate([[0.0], np.geomspace(0.1, spec.passes, 40)])
    decay = (1 + passes) ** -rate if power else np.exp(-rate * passes)
    gap = BEST * np.maximum(gap0 * decay, floor)
    haste = haste or {"sgd": 6.0, "lbfgs": 2.0}.get(spec.algorithm, 3.0)
    last = ERRORS.get(spec.C, 0.075) if error is None else error
    curve = pd.DataFrame({"C": spec.C, "passes": passes, "visits": passes * EXAMPLES})
    curve["cpu_seconds"] = passes * second_per_pass
    curve["wall_seconds"] = 10 + curve["cpu_seconds"] * (1 + passes)  # others took more and more of the core
    curve["primal"], curve["dual"] = best + gap / 2, best - gap / 2 if dual is None else dual
    curve["gap"] = curve["primal"] - curve["dual"]
    curve["relative_gap"] = curve["gap"] / curve["primal"]
    curve["weight_norm"], curve["test_f1"] = 1.0, np.nan
    curve["updates"] = np.maximum(0, passes - 1) * EXAMPLES if spec.algorithm == "eg" else np.nan
    curve["test_error"] = last + 0.5 * np.exp(-haste * passes)
    summary = {"key": spec.key, "status": status, "message": "", "num_examples": EXAMPLES, "num_weights": 784}
    counted = {"updates": 1000, "retried": 80} if spec.algorithm == "eg" else {}
    told = {"eta0": eta0} if spec.algorithm == "sgd" else counted | (notes or {})
    summary |= {"notes": told, "provenance": PROVENANCE.copy()}
    if host:
        summary["provenance"] = PROVENANCE | {"host": host}
    return keep(root, spec, curve, summary, last=kept)


def keep(
    root: Path | Runs,
    spec: Spec,
    curve: pd.DataFrame,
    summary: dict,
    weights: np.ndarray | None = None,
    last: dict[str, np.ndarray] | None = None,
) -> store.Run:
    """A finished run with this curve and summary, and with these weights, if it matters."""
    summary = dict.fromkeys(documents.VALUES) | summary
    weights = np.zeros(2) if weights is None else weights
    if isinstance(root, Runs):
        folder: Any = Memory({"weights": weights} | (last or {}))
        run = store.Run(spec.key, folder, spec, summary)
        run.__dict__["curve"] = curve
        put(root, run)
        return run
    folder = root / spec.key
    summary["provenance"] = summary["provenance"] | {"code_sha256": programs.sha256_of_run(spec)}
    writing.write_run(folder, spec.as_dict(), curve, summary, weights)
    return store.read_run(folder)
