"""Timed batches take turns: one at a time on a machine, whichever checkout of this user's has them.

Each run's own measurements tell what other users do (``runs.disturbed``).
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from structbench.algorithms.runtime.files import locked, write_atomically
from structbench.algorithms.runtime.modules import ROOT

FOLDER = Path("/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir())  # whatever TMPDIR a shell has
PATIENCE = 1.0  # seconds to wait without a word


@contextmanager
def taken(say: Callable[[str], None]) -> Iterator[None]:
    """Have the turn while the block runs. Wait for another's turn to end, and tell ``say`` whose it is."""
    file = FOLDER / f"structbench-{os.getuid()}" / "timed.lock"  # outside of all checkouts
    holder = file.with_suffix(".holder")
    with ExitStack() as held:
        try:
            held.enter_context(locked(file, PATIENCE))
        except BlockingIOError:
            whose = holder.read_text(encoding="utf-8") if holder.exists() else "another process"
            say(f"{whose} times runs on this machine: waiting until its batch ends")
            held.enter_context(locked(file))
        write_atomically(holder, f"process {os.getpid()} of {ROOT}")
        yield
