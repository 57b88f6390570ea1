"""MLflow in SQLite and in PostgreSQL, for the tests of the collector."""

import pytest

from structbench.bench.tracking.track import track
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
