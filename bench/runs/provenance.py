"""What a run was made with: commit, machine, versions, settings."""

import hashlib
import platform
import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

from structbench.algorithms.runtime import settings
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.runs import documents, machine

LOCK = ROOT / "requirements.lock"


def environment(threads: int, alone: bool | None, packages: Iterable[str] = ()) -> documents.Json:
    """Commit, machine and versions that a run which begins now is made with.

    Args:
        packages: Of a third-party solver; their versions are kept, too.
        alone: Whether nothing else runs meanwhile. None if that is not known.
    """
    return {
        "git_commit": _commit(),
        **machine.facts(),
        "alone": alone,
        "threads": threads,
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numba", "numpy", "scipy", *packages)},
        "settings": settings.given(),
        "lock_sha256": _lock_sha256(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


_version = cache(version)  # a process keeps what it imported, and reading it takes a millisecond


@cache
def _lock_sha256() -> str | None:
    """Hash of the pins of everything that is installed; None in a copy of the project without them."""
    try:
        return hashlib.sha256(LOCK.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


@cache  # a process has the programs that it began with, and the runs of a batch are many
def _commit() -> str:
    """The commit of the checkout, with a + where its programs or new ones differ; ``unknown`` outside of one."""
    git = ["git", "-C", str(ROOT)]
    try:
        said = [
            subprocess.run([*git, *words], capture_output=True, text=True, check=True).stdout.strip()
            for words in (
                ["rev-parse", "--show-toplevel"],
                ["rev-parse", "HEAD"],
                ["status", "--porcelain", "algorithms", "bench", "datasets"],
            )
        ]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    top, commit, changes = said
    is_ours = Path(top).resolve() == ROOT.resolve()  # an installed copy may lie in another project's checkout
    return commit + ("+" if changes else "") if is_ours else "unknown"
