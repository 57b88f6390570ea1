"""A copy of the project in a temporary folder, with the session's downloads."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    "algorithms", "bench", "config", "datasets", "structbench", "workflow", "Snakefile", "environment.yml",
    "environment.post-deploy.sh", "requirements.lock",
)  # fmt: skip


class Checkout:
    """Commands in a copy of the project; ``env`` adds to their environment."""

    def __init__(self, folder: Path) -> None:
        self.program = self.folder = folder  # where the project is, and where commands run
        self.env = dict(os.environ) | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "STRUCTBENCH_DATA": os.environ.get("STRUCTBENCH_DATA", str(ROOT / "results" / "data")),
        }
        for name in ("MLFLOW_TRACKING_URI", "STRUCTBENCH_RESULTS"):
            self.env.pop(name, None)

    def start(self, *words: str) -> subprocess.Popen:
        return subprocess.Popen(
            words, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            start_new_session=True,
        )  # fmt: skip

    @contextmanager
    def running(self, *words: str) -> Iterator[subprocess.Popen]:
        """A command that is killed at the end of the block, if it is still there."""
        process = self.start(*words)
        try:
            yield process
        finally:
            if process.poll() is None:
                kill(process)

    def run(self, *words: str) -> tuple[int, str]:
        """Exit code, and what was said on stdout and stderr."""
        done = subprocess.run(
            words, cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    def bench(self, *words: str) -> tuple[int, str]:
        return self.run(sys.executable, "-m", "bench", *words)

    def snakemake(self, *words: str) -> tuple[int, str]:
        return self.run(sys.executable, "-m", "snakemake", "--cores", "2", *words)

    def runs(self) -> dict[str, int]:
        """Finished runs -> when they were made, in nanoseconds."""
        found = sorted(self.folder.glob("results/runs/[!.]*/summary.json"))  # not those that are being written
        return {file.parent.name: file.stat().st_mtime_ns for file in found}


def kill(process: subprocess.Popen) -> None:
    """SIGKILL for a process and all that it started."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def copy_project(folder: Path) -> Path:
    """A fresh copy in a new folder, without results. Its byte code saves the first start half a second."""
    folder.mkdir()
    for name in CODE:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, True, ignore=shutil.ignore_patterns("*.pyc.*"))
        else:
            shutil.copy2(source, folder / name)
    (folder / "profiles").symlink_to("workflow/profiles")
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A fresh copy, without results."""
    return Checkout(copy_project(tmp_path / "structbench"))
