"""Write a finished run: what it measured, as its folder keeps it (``store``)."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from structbench.algorithms.runtime.files import atomic_folder
from structbench.bench.runs import seals, store
from structbench.bench.runs.documents import Json
from structbench.bench.runs.jsonable import to_json

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def write_run(
    folder: Path,
    spec: Json,
    curve: "Mapping[str, Sequence[float]] | pd.DataFrame",
    summary: Json,
    weights: np.ndarray,
    chunks: np.ndarray | None = None,
    last: Mapping[str, np.ndarray] = MappingProxyType({}),
) -> None:
    """Write a finished run to ``folder``, in place of what was there.

    ``curve`` is column -> values, ``last`` name -> whole numbers.

    Everything is first written next to ``folder`` and takes its name when complete. A crash or a full disk leaves
    no half run. Non-finite numbers become null in the JSON files.

    Raises:
        UserError: The disk is full, or the folder cannot be written.
    """
    import pyarrow.parquet as pq

    folder = store.writable(folder)
    with store.run_written(folder), atomic_folder(folder) as partial:
        (partial / "spec.json").write_text(to_json(spec))
        pq.write_table(_arrow(curve), partial / "curve.parquet")
        arrays = packed(weights)
        if chunks is not None:
            arrays["chunks"] = chunks.astype(np.min_scalar_type(chunks.max(initial=0)))
        for name, numbers in last.items():
            ends = (np.min_scalar_type(int(end)) for end in (numbers.min(initial=0), numbers.max(initial=0)))
            arrays[name] = numbers.astype(np.result_type(*ends))
        np.savez(partial / "weights.npz", **arrays)
        (partial / "summary.json").write_text(to_json(seals.sealed(partial, summary)))


def packed(full: np.ndarray) -> dict[str, Any]:
    """The weights as stored, in float32. If few are not 0, only these, with their places."""
    places = np.flatnonzero(full)
    with np.errstate(over="ignore"):  # a run that diverged may have larger ones
        short = full.astype(np.float32)
    if 2 * len(places) > len(full):
        return {"weights": short}
    return {"size": len(full), "places": places.astype(np.min_scalar_type(len(full))), "values": short[places]}


def _arrow(curve: "Mapping[str, Sequence[float]] | pd.DataFrame") -> "pa.Table":
    """The curve as an Arrow table, made from buffers. Any other way imports pandas, a third of a run's start."""
    import pyarrow as pa

    columns = {name: np.ascontiguousarray(curve[name], np.float64) for name in curve}
    arrays = [pa.Array.from_buffers(pa.float64(), len(x), [None, pa.py_buffer(x)]) for x in columns.values()]
    return pa.Table.from_arrays(arrays, names=[*columns])
