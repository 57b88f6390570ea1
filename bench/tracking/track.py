"""Log finished runs, figures and models to MLflow, whose pages browse, filter and compare them.

Run folders are the truth and MLflow a view of them. Collecting again mends whatever went wrong.
"""

import sys
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results
from structbench.bench.runs.store import Run
from structbench.bench.tracking import address
from structbench.bench.tracking.opening import explained, opened

PATIENCE = 120.0  # seconds
NEWS = 200  # runs between two lines of progress
MOST_CURVES = 5000  # runs: of more only the last values are logged, unless curves are asked for


def track(
    runs: Iterable[Run],
    uri: str | None = None,
    *,
    families: Mapping[str, list[str]] = MappingProxyType({}),
    config: str = "",
    drawn: Mapping[str, Collection[str]] | None = None,
    models: Mapping[str, Run] = MappingProxyType({}),
    curves: bool = False,
    patience: float = PATIENCE,
) -> dict[str, int]:
    """Log finished runs, so that MLflow shows what their folders hold; count runs by what was done, and models.

    Args:
        uri: The tracking URI. By default ``MLFLOW_TRACKING_URI``, else the SQLite file results/mlflow.db.
        families: Run key -> the figure families that use the run. The first one that ever used it is its
            experiment. A run that none uses is in ``<data>-<loss>``.
        config: The name of a config whose drawn figures and judged claims are logged, too, a run for each paper.
        drawn: The config's papers and grids, each with the stems of its figures. By default, all that its folder
            holds: some may be of an earlier text of the config.
        models: Those of ``runs`` whose models MLflow is to have; each by what it is, such as the best of a grid.
        curves: Log the curves of more than ``MOST_CURVES`` runs, too, not only their last values.
        patience: Seconds to wait for a database that another process has locked.

    Raises:
        UserError: The place is no URI, or cannot be written. No message holds a password.
    """
    place, given = address.address_of(uri), list(runs)

    def collect() -> dict[str, int]:
        with opened(place, patience) as client:
            from structbench.bench.tracking.collector import Collector

            collector = Collector(client, place, curves or len(given) <= MOST_CURVES)
            if not collector.curves:
                how = "their last values alone are logged; `mlflow_curves: true` in the config logs curves"
                print(f"track: {len(given):,} runs: {how}", file=sys.stderr)
            for done, run in enumerate(given):
                if done and not done % NEWS:
                    print(f"track: {done:,} of {len(given):,} runs", file=sys.stderr)
                collector.add_run(run, families.get(run.key, []))
            for folder in sorted(results.figures(config).glob("*/")) if config else ():
                stems = None if drawn is None else drawn.get(folder.name, ())
                collector.add_figures(folder, config, results.claims(config) / f"{folder.name}.json", stems)
            for what, run in models.items():
                try:
                    collector.add_model(run, what)
                except UserError as error:  # its data have changed, for example
                    print(f"track: no model of {run.key}: {error}", file=sys.stderr)
            return collector.counts

    return explained(place, collect)
