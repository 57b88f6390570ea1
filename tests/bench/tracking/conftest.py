"""MLflow in SQLite and in PostgreSQL, for the tests of the collector."""

import shutil

import pytest

from structbench.bench.tracking.track import track
from tests.bench import fake_runs
from tests.bench.tracking import servers

PROGRAMS = servers.postgresql_programs()


@pytest.fixture(scope="session")
def postgresql():
    """A server of PostgreSQL."""
    pytest.importorskip("psycopg2", reason="psycopg2 is not installed: `uv pip install --group postgresql`")
    if PROGRAMS is None:
        pytest.skip("PostgreSQL's server is not installed")
    with servers.postgresql(PROGRAMS) as server:
        yield server


@pytest.fixture(scope="session")
def empty(tmp_path_factory):
    """A SQLite database with MLflow's tables and no run: making one takes seconds."""
    folder = tmp_path_factory.mktemp("empty")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STRUCTBENCH_RESULTS", str(folder))
        assert set(track([], f"sqlite:///{folder}/mlflow.db").values()) == {0}
    return folder / "mlflow.db"


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Results of this test's own."""
    monkeypatch.setenv("STRUCTBENCH_RESULTS", str(tmp_path / "results"))
    return tmp_path / "results"


@pytest.fixture
def database(tmp_path, empty):
    return shutil.copy(empty, tmp_path / "mlflow.db")


@pytest.fixture
def uri(database):
    return f"sqlite:///{database}"


@pytest.fixture
def run(results):
    return fake_runs.write(results / "runs", checkpoints=12)
