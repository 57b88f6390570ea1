"""The collector against a real PostgreSQL server, directly and through MLflow's server in front of it."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest
from mlflow import MlflowClient

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.tracking import servers
from tests.bench.tracking.logged import killed_while_tables_are_made, models
from tests.narrowing import not_none

ROOT = Path(__file__).parents[3]
COLLECTOR = """
import sys
from pathlib import Path
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import store
from structbench.bench.tracking.track import track
try:
    print(track(store.all_runs(Path(sys.argv[1]))))
except UserError as error:
    sys.exit(f"error: {error}")
"""

pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def results(tmp_path, monkeypatch):
    """This test's own, as of another machine than those of the collectors that it starts."""
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))


@pytest.fixture(scope="module")
def both(postgresql, tmp_path_factory):
    """What two collectors say that open an empty database at once, for the runs of two machines."""
    uri, folder = postgresql.new_database("race"), tmp_path_factory.mktemp("race")
    roots = [fake_runs.write(folder / host / "runs", host=host, checkpoints=12).folder.parent for host in "ab"]
    heard = [said(process) for process in [collector(root, uri) for root in roots]]
    postgresql.query("postgres", "CREATE DATABASE empty TEMPLATE race")
    postgresql.query("empty", "TRUNCATE experiments CASCADE")
    return heard


@pytest.fixture
def database(postgresql, both, request):
    """The URI of a database with MLflow's tables and nothing in them."""
    name = request.node.name[:40]
    postgresql.query("postgres", f"CREATE DATABASE {name} TEMPLATE empty")
    return postgresql.uri(name)


def collector(runs, uri):
    """A process that collects the runs of a folder, whose results lie beside it."""
    return subprocess.Popen(
        [sys.executable, "-c", COLLECTOR, str(runs)],
        cwd=ROOT,
        env=os.environ | {"MLFLOW_TRACKING_URI": uri, "STRUCTBENCH_RESULTS": str(runs.parent)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def said(process):
    output = process.communicate(timeout=300)[0].strip()
    assert not any(piece in output for piece in ("ss:w", "40ss", "ż", "Traceback"))
    return process.returncode, output


def logged(uri):
    """All runs that MLflow has."""
    experiments = [experiment.experiment_id for experiment in MlflowClient(uri).search_experiments()]
    return list(MlflowClient(uri).search_runs(experiments, max_results=1000))


def test_two_collectors_at_once_make_the_schema_once_and_log_all_runs(postgresql, both):
    assert both == [(0, "{'logged': 1, 'replaced': 0, 'kept': 0, 'models': 0}")] * 2
    assert sorted(run.data.tags["host"] for run in logged(postgresql.uri("race"))) == ["a", "b"]
    assert postgresql.query("race", "SELECT count(*) FROM experiments WHERE name = 'mnist-log'") == [(1,)]


def test_a_collector_killed_while_mlflow_makes_its_tables_is_no_trouble_to_the_next(postgresql, tmp_path):
    uri = postgresql.new_database("half")
    killed_while_tables_are_made(uri, tmp_path / "said")
    assert track([fake_runs.write(tmp_path / "runs")], uri)["logged"] == len(logged(uri)) == 1


@pytest.mark.parametrize(
    ("name", "password", "said"),
    [
        ("race", "wröng'pass\"/@:%", "authentication failed"),
        ("nowhere", servers.Postgresql.PASSWORD, 'database "nowhere" does not exist; no finished run is lost'),
    ],
)
def test_what_is_wrong_is_a_sentence_without_a_password(postgresql, tmp_path, name, password, said):
    with pytest.raises(UserError) as caught:
        track([fake_runs.write(tmp_path / "runs")], postgresql.uri(name, password))
    assert str(caught.value).startswith(f"cannot log to postgresql://127.0.0.1:{postgresql.port}/{name}: ")
    assert said in str(caught.value) and 'pass"' not in str(caught.value)


def test_the_database_stops_half_way_and_collecting_goes_on_where_it_was(postgresql, database, tmp_path):
    runs = [fake_runs.write(tmp_path / "runs", seed=seed, checkpoints=12) for seed in range(12)]
    with ThreadPoolExecutor(1) as pool:
        collecting = pool.submit(track, runs, database)
        wait_until(lambda: complete(postgresql, database) >= 3, collecting)
        postgresql.stop()
        try:
            assert_said_in_a_sentence(collecting.exception(120))
        finally:
            postgresql.start()
    before = complete(postgresql, database)
    counts = track(runs, database)
    assert counts["kept"] == before and sum(counts.values()) == len(runs)
    assert sorted(run.data.params["seed"] for run in logged(database)) == sorted(map(str, range(12)))


def test_a_server_killed_half_way_and_two_collectors_through_it(postgresql, database, tmp_path):
    runs, _ = (
        [fake_runs.write(tmp_path / host / "runs", seed=seed, checkpoints=12, host=host) for seed in range(12)]
        for host in ("one", "two")
    )
    with servers.mlflow_server(database, tmp_path) as server, ThreadPoolExecutor(1) as pool:
        collecting = pool.submit(track, runs, server.address)
        wait_until(lambda: complete(postgresql, database) >= 3, collecting)
        server.stop(signal.SIGKILL)
        assert_said_in_a_sentence(collecting.exception(120))
        before = complete(postgresql, database)

        server.start()
        other = collector(tmp_path / "two" / "runs", server.address)
        wait_until(lambda: complete(postgresql, database) > before, other)
        counts = track(runs, server.address)
        assert said(other) == (0, "{'logged': 12, 'replaced': 0, 'kept': 0, 'models': 0}")
        assert counts["kept"] == before and sum(counts.values()) == len(runs)

        seen = logged(server.address)
        assert {run.info.status for run in seen} == {"FINISHED"}
        assert sorted((run.data.tags["host"], int(run.data.params["seed"])) for run in seen) == [
            (host, seed) for host in ("one", "two") for seed in range(12)
        ]
        assert all(not_none(run.info.artifact_uri).startswith("mlflow-artifacts:") for run in seen)
        mine = next(run for run in seen if run.data.tags["run_key"] == runs[0].key)
        assert track(runs, server.address, models={"best": runs[0]})["models"] == 1
        (model,) = models(server.address)
        assert {metric.key: metric.value for metric in not_none(model.metrics)} == mine.data.metrics
        copy = MlflowClient(server.address).download_artifacts(mine.info.run_id, "spec.json", str(tmp_path))
        assert Path(copy).read_text() == (runs[0].folder / "spec.json").read_text()


def assert_said_in_a_sentence(error):
    assert isinstance(error, UserError), error
    assert "no finished run is lost" in str(error) and "\n" not in str(error)


def complete(postgresql, uri):
    """How many runs are logged completely: the hash of their files comes before their end does."""
    there = "SELECT count(*) FROM runs JOIN tags USING (run_uuid) WHERE key = 'files_sha'"
    ended = "lifecycle_stage = 'active' AND status <> 'RUNNING'"
    return postgresql.query(uri.rpartition("/")[2], f"{there} AND {ended}")[0][0]


def wait_until(condition, work):
    """``work``, a process or a future, must not be over before."""
    give_up = time.monotonic() + 120
    while not condition():
        over = work.done() if isinstance(work, Future) else work.poll() is not None
        assert not over and time.monotonic() < give_up
        time.sleep(0.02)
