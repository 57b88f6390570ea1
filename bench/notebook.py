"""What ``import structbench`` offers a notebook: make a run, load its model, and read finished runs as tables."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from structbench.bench.drawing.problems import labels
from structbench.bench.runs import execute, results, state, store
from structbench.bench.runs.model import Model, load
from structbench.bench.runs.spec import check_name, make

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

__all__ = ["Model", "load", "plot_gaps", "run", "runs"]


def run(
    data: str,
    algorithm: str,
    *,
    loss: str | None = None,
    C: float | None = None,
    test: str | None = None,
    penalty: str | None = None,
    passes: float = 100.0,
    gap: float = 1e-6,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    **parameters: Any,
) -> store.Run:
    """The finished run of an algorithm on a data set; made under results/runs, or read if it is there and current.

    It has ``curve``, a DataFrame with a row a checkpoint, ``summary`` and ``spec``. ``load(run.folder)`` is its
    model.

    Args:
        data: As on the command line, such as ``"columns:train.txt"``.
        parameters: Those of the algorithm, such as ``eta=0.5``.

    Raises:
        UserError: A value is not allowed, or the data cannot be had.
    """
    spec = make(
        data, loss, C, algorithm, parameters, test=test, penalty=penalty, passes=passes, gap=gap,
        seconds=seconds, seed=seed, threads=threads,
    )  # fmt: skip
    check_name(spec)
    return execute.run_one(spec, results.runs() / spec.key, lambda line: None)


def runs(folder: str | Path | None = None) -> "pd.DataFrame":
    """All finished runs of a folder of results: a row each, by its key, with its spec and how it ended.

    Args:
        folder: By default that of ``STRUCTBENCH_RESULTS``, else ``results``.
    """
    import pandas as pd

    from structbench.bench.sharing import columns

    found = store.all_runs(results.runs() if folder is None else Path(folder) / "runs")
    rows = [columns.flat_spec(each.spec) | columns.outcome(each) for each in found]
    return pd.DataFrame(rows, index=pd.Index([each.key for each in found], name="run"))


def plot_gaps(made: Iterable[store.Run], x: str = "passes", axes: "Axes | None" = None) -> "Axes":
    """Draw the relative duality gap of runs of one problem against a column of their curves.

    Args:
        x: ``passes``, ``cpu_seconds`` or ``wall_seconds``.
        axes: Where to; by default axes of a figure of their own.
    """
    import matplotlib.pyplot as plt

    axes = plt.subplots()[1] if axes is None else axes
    of_spec = {state.spec_of(each): each for each in made}
    for spec, name in labels([*of_spec]).items():
        curve = of_spec[spec].curve
        axes.plot(curve[x], curve["relative_gap"], marker=".", label=name)
    axes.set(xlabel=x.replace("_", " "), ylabel="relative gap", yscale="log")
    axes.set_title("; ".join(sorted({f"{spec.data}, {spec.loss} loss, C = {spec.C:g}" for spec in of_spec})))
    axes.legend()
    return axes
