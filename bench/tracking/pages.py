"""The addresses of MLflow's pages: each experiment's table of runs, and its saved views with their charts."""

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.tracking import saved_views
from structbench.bench.tracking.mlflow_view import FAMILY

RUNS = "workflowType=machine_learning"  # the runs, not the traces of language models


def addresses(database: Path, server: str) -> list[tuple[str, str]]:
    """What there is to see, by experiment, each with its address; without MLflow, which takes seconds to import.

    Raises:
        UserError: The file is no database of MLflow.
    """
    try:
        with closing(sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute(
                "SELECT e.experiment_id, e.name, t.key "
                "FROM experiments e JOIN experiment_tags t USING (experiment_id) "
                "WHERE e.lifecycle_stage = 'active' AND (t.key = ? OR t.key LIKE ?) ORDER BY e.name",
                (FAMILY, f"{saved_views.TAG}%"),
            ).fetchall()
    except sqlite3.Error as error:
        raise UserError(
            f"{database} is no database of MLflow ({error}): `python -m bench track` makes one"
        ) from error
    found = []
    for number, name in dict.fromkeys((number, name) for number, name, key in rows if key == FAMILY):
        page = f"{server}/#/experiments/{number}/runs?{RUNS}"
        found.append((name, page))
        keys = [key.removeprefix(saved_views.TAG) for at, _, key in rows if at == number and key != FAMILY]
        for key in sorted(keys, key=saved_views.strength):
            view = f"{page}&compareRunsMode=CHART&viewStateShareKey={quote(key)}"
            found.append((f"  {saved_views.title(key)}", view))
    return found
