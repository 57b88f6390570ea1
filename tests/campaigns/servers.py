"""PostgreSQL and MLflow's server, ended and started again while runs are logged: is each run there, and once?

    .venv/bin/python -m tests.campaigns.servers --rounds 50 --seed 0

All rounds log to one database, through MLflow's server or not. Each round logs the same runs, as of a results
folder of its own, and ends a server at a random moment. Then it logs again. All runs of this folder must then be
there once, as when nothing disturbs. All other runs, of former rounds and of a colleague, must be as before.
"""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

from mlflow import MlflowClient

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import results
from structbench.bench.runs.store import Run
from structbench.bench.tracking.collector import results_id
from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.tracking import servers
from tests.campaigns import rounds
from tests.campaigns.rounds import Outcome
from tests.narrowing import not_none

RUNS = 12
TABLES = ("runs", "tags", "params", "metrics", "latest_metrics")
BACKENDS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = 'all_runs'"
)


class Database:
    """The database that all log to."""

    def __init__(self, server: servers.Postgresql) -> None:
        self.server, self.uri = server, server.new_database("all_runs")

    def _query(self, sql: str) -> list[tuple]:
        return self.server.query("all_runs", sql)

    def of(self, results_id: str) -> list[tuple]:
        """What is shown of each run of a results folder, without seconds."""
        mine = f"SELECT run_uuid FROM tags WHERE key = 'results' AND value = '{results_id}'"
        keys = dict(
            self._query(f"SELECT run_uuid, value FROM tags WHERE key = 'run_key' AND run_uuid IN ({mine})")
        )
        found = []
        for run, status in self._query(
            f"SELECT run_uuid, status FROM runs WHERE lifecycle_stage = 'active' AND run_uuid IN ({mine})"
        ):
            own = f"WHERE run_uuid = '{run}'"
            params = self._query(f"SELECT key, value FROM params {own} ORDER BY key")
            points = self._query(
                f"SELECT key, step, value FROM metrics {own} AND key NOT LIKE '%seconds%' ORDER BY 1, 2, 3"
            )
            whole = self._query(f"SELECT count(*) FROM tags {own} AND key = 'files_sha'")
            found.append((keys[run], status, tuple(params), tuple(points), tuple(whole)))
        return sorted(found)

    def others(self, results_id: str) -> list[list[tuple]]:
        """A hash of each table's rows of all other runs."""
        mine = f"SELECT run_uuid FROM tags WHERE key = 'results' AND value = '{results_id}'"
        rows = "SELECT count(*), md5(string_agg(t::text, ' ' ORDER BY t::text))"
        return [self._query(f"{rows} FROM {table} t WHERE run_uuid NOT IN ({mine})") for table in TABLES]


def _end(
    database: Database, server: servers.MlflowServer | None, rng: random.Random
) -> tuple[str, Callable[[], None]]:
    """End a server, or its connections. Return what was done, and what starts it again."""
    if server is not None and rng.random() < 0.6:
        how = rng.choice([signal.SIGKILL, signal.SIGTERM])
        server.stop(how)
        return f"MLflow's server, {how.name}", server.start
    if rng.random() < 0.3:
        database.server.query("postgres", BACKENDS)
        return "PostgreSQL's connections", lambda: None
    database.server.stop()
    return "PostgreSQL", database.server.start


def _play(database: Database, server: servers.MlflowServer | None, runs: list[Run], normal: dict, folder: Path,
          rng: random.Random) -> Outcome:  # fmt: skip
    os.environ[results.VARIABLE] = str(folder / f"results-{rng.randrange(2**40):x}")
    mine = results_id()
    before = database.others(mine)
    uri = server.address if server else database.uri
    with ThreadPoolExecutor(1) as pool:
        collecting = pool.submit(track, runs, uri)
        time.sleep(rng.random() * normal["seconds"][server is not None])
        tried, start = _end(database, server, rng)
        at_once = rng.random() < 0.5
        if at_once:
            start()
        error = collecting.exception(300)
        if not at_once:
            start()
    tried = f"{'through a server' if server else 'directly'}, {tried}{', started at once' if at_once else ''}"
    if error is not None and not isinstance(error, UserError):
        return Outcome(tried, f"{type(error).__name__}: {error}")
    if error is not None and "no finished run is lost" not in str(error):
        return Outcome(tried, f"said: {error}")
    try:
        counts = track(runs, uri)
    except UserError as still:
        return Outcome(tried, f"logging again: {still}")
    if sum(counts.values()) != len(runs):
        return Outcome(tried, f"counted {counts}")
    if database.of(mine) != normal["shown"]:
        return Outcome(tried, "other runs are shown than without a disturbance")
    return Outcome(tried, "" if database.others(mine) == before else "runs of others are changed")


def _colleague(database: Database, folder: Path) -> None:
    """Runs that a colleague logged, and one made by hand."""
    os.environ[results.VARIABLE] = str(folder / "colleague")
    track(
        [fake_runs.write(folder / "colleague" / "runs", seed=seed, host="theirs") for seed in range(3)],
        database.uri,
    )
    client = MlflowClient(database.uri)
    by_hand = client.create_run(not_none(client.get_experiment_by_name("mnist-log")).experiment_id)
    client.log_metric(by_hand.info.run_id, "primal", 1.0)


@contextmanager
def prepared(folder: Path) -> Iterator[Callable[[random.Random], Outcome]]:
    """The servers, the colleague's runs, and what an undisturbed collector logs."""
    programs = servers.postgresql_programs()
    if programs is None:
        raise SystemExit("error: PostgreSQL's server is not installed: apt-get install postgresql")
    before = dict(os.environ)
    runs = [fake_runs.write(folder / "runs", seed=seed, checkpoints=12) for seed in range(RUNS)]
    try:
        with servers.postgresql(programs) as server:
            database = Database(server)
            _colleague(database, folder)
            with servers.mlflow_server(database.uri, folder) as through:
                seconds = {}
                for is_server, uri in ((False, database.uri), (True, through.address)):
                    os.environ[results.VARIABLE] = str(folder / f"undisturbed-{is_server}")
                    started = time.monotonic()
                    track(runs, uri)
                    seconds[is_server] = time.monotonic() - started
                normal = {"seconds": seconds, "shown": database.of(results_id())}

                def one(rng: random.Random) -> Outcome:
                    used = through if rng.random() < 0.5 else None
                    return _play(database, used, runs, normal, folder, rng)

                with suppress(AssertionError):
                    yield one
    finally:
        os.environ.clear()
        os.environ.update(before)


if __name__ == "__main__":
    rounds.main(__doc__, prepared, 50)
