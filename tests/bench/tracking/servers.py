"""Servers for tests: MLflow's, and Debian's PostgreSQL, each on a free port of the loopback."""

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

SETTINGS = {
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class MlflowServer:
    """MLflow's server in front of a database; artifacts go through it into ``folder``."""

    def __init__(self, database: str, folder: Path) -> None:
        self.database, self.folder, self.port = database, folder, free_port()
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it; its database goes by the environment, as anybody may read the command lines of processes."""
        options = {"host": "127.0.0.1", "port": self.port, "workers": 1, "artifacts-destination": self.folder}
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        with (self.folder / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "mlflow", "server", *words],
                env=os.environ | SETTINGS | {"MLFLOW_BACKEND_STORE_URI": self.database},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        give_up = time.monotonic() + 120
        while not self._answers():
            assert self.process.poll() is None, (self.folder / "server.log").read_text()
            assert time.monotonic() < give_up
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(f"{self.address}/health", timeout=5).close()
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """With SIGKILL, as if the machine had crashed."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, how)
        self.process.wait(120)


@contextlib.contextmanager
def mlflow_server(database: str, folder: Path) -> Iterator[MlflowServer]:
    server = MlflowServer(database, folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def postgresql_programs() -> Path | None:
    """The folder of ``initdb`` and ``postgres``, of the latest version that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda file: float(file.parts[-3]))
    named = shutil.which("initdb")
    return found[-1].parent if found else Path(named).parent if named else None


class Postgresql:
    """A PostgreSQL server with a password that has all the characters that make trouble."""

    PASSWORD = "p@ss:w/rd?#%25 'zażółć\"\\"

    def __init__(self, programs: Path, folder: Path, account: dict[str, Any]) -> None:
        self.programs, self.folder, self.account, self.port = programs, folder, account, free_port()
        (folder / "password").write_text(self.PASSWORD, encoding="utf-8")
        self._run("initdb", "--username=me", "--auth=scram-sha-256", "--encoding=UTF8", "--no-sync", "--no-locale",
                  f"--pwfile={folder / 'password'}", f"--pgdata={folder / 'data'}")  # fmt: skip

    def _run(self, program: str, *words: str) -> None:
        done = subprocess.run(
            [self.programs / program, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False, **self.account,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c fsync=off"
        self._run("pg_ctl", "start", "-w", f"--pgdata={self.folder / 'data'}", f"--options={options}",
                  f"--log={self.folder / 'log'}")  # fmt: skip

    def stop(self) -> None:
        """At once, as in a crash: whoever is connected is cut off."""
        self._run("pg_ctl", "stop", "-w", "-m", "immediate", f"--pgdata={self.folder / 'data'}")

    def uri(self, database: str, password: str = PASSWORD) -> str:
        return f"postgresql://me:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"

    def query(self, database: str, sql: str) -> list[tuple]:
        import psycopg2

        with contextlib.closing(
            psycopg2.connect(host="127.0.0.1", port=self.port, dbname=database, user="me", password=self.PASSWORD)
        ) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else []

    def new_database(self, name: str) -> str:
        """The URI of a new, empty database."""
        self.query("postgres", f"CREATE DATABASE {name}")
        return self.uri(name)


@contextlib.contextmanager
def postgresql(programs: Path) -> Iterator[Postgresql]:
    """A server in a folder of its own. It refuses to run as root, who therefore runs it as somebody else."""
    folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
    account = {}
    if os.getuid() == 0:
        somebody = next(entry for entry in pwd.getpwall() if entry.pw_name in ("postgres", "nobody"))
        account = {"user": somebody.pw_uid, "group": somebody.pw_gid, "extra_groups": []}
        shutil.chown(folder, somebody.pw_uid, somebody.pw_gid)
    try:
        server = Postgresql(programs, folder, account)
        server.start()
        try:
            yield server
        finally:
            with contextlib.suppress(AssertionError):  # a test has stopped it
                server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
