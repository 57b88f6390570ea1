"""The largest resident memory of this process since a given moment, as Linux counts it."""

import os
import re
from contextlib import suppress
from pathlib import Path

RESET = Path("/proc/self/clear_refs")
STATUS = Path("/proc/self/status")


def forget_peak() -> None:
    """Begin to measure afresh, where the system can and may."""
    with suppress(OSError):
        RESET.write_text("5")


def peak() -> int | None:
    """Bytes resident at most since ``forget_peak``; None where the system does not tell, or could not forget."""
    if not os.access(RESET, os.W_OK):
        return None
    found = re.search(r"^VmHWM:\s+(\d+) kB$", STATUS.read_text(), re.MULTILINE)
    return int(found[1]) * 1024 if found else None
