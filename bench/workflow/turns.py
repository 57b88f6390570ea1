"""Timed batches take turns: one at a time on a machine, whichever checkout of this user's has them.

Each run's own measurements tell what other users do (``store.Run.disturbance``).
"""

import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked, write_atomically
from structbench.algorithms.runtime.modules import ROOT

FOLDER = Path("/tmp" if os.path.isdir("/tmp") else tempfile.gettempdir())  # whatever TMPDIR a shell has
PATIENCE = 1.0  # seconds to wait without a word


@contextmanager
def taken(say: Callable[[str], None]) -> Iterator[None]:
    """Have the turn while the block runs. Wait for another's turn to end, and tell ``say`` whose it is."""
    file = _own_folder() / "timed.lock"
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


def _own_folder() -> Path:
    """A folder outside of all checkouts that only this user may write to; raises a UserError if it is taken."""
    folder = FOLDER / f"structbench-{os.getuid()}"
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
        kinds = {stat.S_IFLNK: "a link", stat.S_IFREG: "a file"}
        kind = kinds.get(stat.S_IFMT(about.st_mode), f"of the user {about.st_uid}")
        raise UserError(f"{folder} is {kind}, not your folder: have it removed, since timed runs take turns there")
    folder.chmod(0o700)
    return folder
