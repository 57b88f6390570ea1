"""Timed batches take turns: one at a time on a machine, whichever checkout of this user's has them.

Each run's own measurements tell what other users do (``runs.disturbed``).
"""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from structbench.algorithms.runtime.files import locked

FOLDER = Path("/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir())  # whatever TMPDIR a shell has
PATIENCE = 1.0  # seconds to wait without a word


@contextmanager
def taken(say: Callable[[str], None]) -> Iterator[None]:
    """Have the turn while the block runs. Wait for another's turn to end, and tell ``say`` so."""
    file = FOLDER / f"structbench-{os.getuid()}" / "timed.lock"  # outside of all checkouts
    with ExitStack() as held:
        try:
            held.enter_context(locked(file, PATIENCE))
        except BlockingIOError:
            say("another checkout times runs on this machine: waiting until its batch ends")
            held.enter_context(locked(file))
        yield
