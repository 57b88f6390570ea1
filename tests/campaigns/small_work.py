"""A small workflow in a folder of its own, started as ``make run`` does; what it made, and what it left behind."""

import json
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import uuid
from base64 import urlsafe_b64decode
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil

from structbench.algorithms.runtime.files import is_locked
from structbench.bench.runs import store
from tests.campaigns.rounds import ROOT

MARK = "STRUCTBENCH_CAMPAIGN"  # in the environment of all that is started here
TICK = 0.02  # seconds
WAIT = 60.0  # seconds of looks until what was ended must be gone
SNAKEMAKE = (
    *(
        "snakemake",
        "-s",
        str(ROOT / "Snakefile"),
        "--workflow-profile",
        "none",
        "--keep-going",
        "--rerun-triggers",
        "mtime",
        "--rerun-incomplete",
    ),
    *("--quiet", "host", "--scheduler", "greedy", "--logger", "structbench", "--cores", "2"),
)
GRID = {"name": "mine", "C": [1, 10], "algorithms": {"eg": {}, "lbfgs": {}}, "passes": 20, "gap": 0}
CONFIG = {
    "scale": "tiny",
    "figures": [],
    "grids": [
        GRID | {"data": ["synthetic:sequences=60", "toy-points"], "figures": ["gap-passes"], "timed": False}
    ],
}
RUNS = 8


class Work:
    """Commands in a folder, as of a user with programs elsewhere."""

    def __init__(self, folder: Path, config: dict[str, Any] = CONFIG) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder, self.results, self.mark = folder, folder / "results", uuid.uuid4().hex
        self.env = dict(os.environ) | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'workflow' / 'plugins'}",
            MARK: self.mark,
        }
        for name in ("MLFLOW_TRACKING_URI", "STRUCTBENCH_RESULTS"):
            self.env.pop(name, None)
        self.said = folder.parent / f"{self.mark}.said"  # beside the folder, whose disk may be full
        self.limit: int | None = None  # on the bytes of a file
        self.sessions: set[int] = set()  # of processes without the mark in their environment
        self.write(config)

    def write(self, config: dict[str, Any]) -> None:
        """Write another config."""
        (self.folder / "mine.yaml").write_text(json.dumps(config))

    def start(self, *words: str, said: Path | None = None) -> subprocess.Popen:
        """Start ``python -m WORDS``, in a session of its own; its output goes to a file."""
        with (said or self.said).open("w") as out:
            return subprocess.Popen(
                [sys.executable, "-m", *words], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                stdout=out, stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=self._begin,
            )  # fmt: skip

    def _begin(self) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
        if self.limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self.limit, self.limit))

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code and output."""
        code = self.start(*words).wait()
        return code, self.said.read_text(errors="replace")

    def make(self, *more: str) -> tuple[int, str]:
        """What ``make run`` does."""
        return self.run(*SNAKEMAKE, "--configfile", "mine.yaml", *more)

    def processes(self) -> list[psutil.Process]:
        """All that live of what was started here."""
        found = []
        for process in psutil.process_iter():
            with suppress(psutil.Error, ProcessLookupError):
                is_ours = os.getsid(process.pid) in self.sessions or process.environ().get(MARK) == self.mark
                if is_ours and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        return found

    def kill(self) -> None:
        """End all of it at once."""
        for process in self.processes():
            with suppress(psutil.Error):
                process.send_signal(signal.SIGKILL)

    def numbers(self) -> dict[str, tuple]:
        """Run -> all bits of what it gave, without seconds."""
        return numbers(self.results / "runs")

    def left(self) -> list[str]:
        """What should not be there when nothing runs: processes, partial files, locks."""
        wait_until(lambda: not self.processes())
        found = [f"process {' '.join(process.cmdline()[:6])}" for process in self.processes()]
        found += [f"partial {file.name}" for file in self.results.rglob("*.partial")]
        found += [f"locked {file.name}" for file in self.results.rglob("*.lock") if is_locked(file)]
        found += [f"lock {file.name}" for file in self.folder.glob(".snakemake/locks/*")]
        left = self.folder.glob(".snakemake/incomplete/*")
        incomplete = [urlsafe_b64decode(file.name).decode() for file in left]
        # nobody asks for a killed batch again: batches of other names make its remaining runs
        found += [f"incomplete {name}" for name in incomplete if not name.endswith(".journal")]
        return found


def numbers(runs: Path) -> dict[str, tuple]:
    """Run -> all bits of what it gave, without seconds."""
    found = {}
    for run in store.all_runs(runs):
        curve = run.curve.drop(columns=[name for name in run.curve if name.endswith("_seconds")])
        bits = (store.weights_of(run).tobytes(), [*curve], curve.to_numpy().tobytes())
        found[run.key] = (run.spec, run.summary["status"], run.summary["primal"], *bits)
    return found


def logged(database: Path) -> list[tuple]:
    """What MLflow's SQLite shows of each run: key, status, parameters and points, without seconds."""
    with closing(sqlite3.connect(database)) as opened:

        def rows(sql: str) -> list[tuple]:
            return opened.execute(sql).fetchall()

        keys = dict(rows("SELECT run_uuid, value FROM tags WHERE key = 'run_key'"))
        found = []
        for run, status in rows("SELECT run_uuid, status FROM runs WHERE lifecycle_stage = 'active'"):
            params = rows(f"SELECT key, value FROM params WHERE run_uuid = '{run}' ORDER BY key")
            points = rows(
                "SELECT key, step, value, is_nan FROM metrics "
                f"WHERE run_uuid = '{run}' AND key NOT LIKE '%seconds%' ORDER BY key, step, value"
            )
            found.append((keys.get(run, ""), status, tuple(params), tuple(points)))
    return sorted(found)


def wait_until(condition: Callable[[], bool], seconds: float = WAIT) -> bool:
    """Whether it comes true within so many seconds, counted by looks: none while this process is stopped."""
    for _ in range(int(seconds / TICK)):
        if condition():
            return True
        time.sleep(TICK)
    return condition()


def copied(work: Work, folder: Path) -> Work:
    """The same in another folder, with what is made by now."""
    shutil.copytree(work.folder, folder, symlinks=True)
    return type(work)(folder, json.loads((work.folder / "mine.yaml").read_text()))
