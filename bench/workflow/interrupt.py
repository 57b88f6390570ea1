"""On Ctrl-C and SIGTERM, end all that a workflow started within seconds, and keep what is finished.

By itself Snakemake waits until its jobs are done, on SIGTERM and on a SIGINT that reaches it alone. A job may be
deep in a kernel, where Python handles no signal. So what does not end in time is killed. A half-made run is made
again.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import psutil

from structbench.bench.workflow import messages

GRACE = 2.0  # seconds to end by oneself
KEPT = "what is finished is kept. The same command goes on from there."


def before_jobs() -> None:
    """Until jobs run, a signal just ends this process; Snakemake takes its lock away as it goes."""

    def end(number: int, frame: FrameType | None) -> None:
        print(f"Interrupted: {KEPT}", file=sys.stderr)
        sys.exit(128 + number)

    _on_signals(end)


def with_jobs(told: Callable[[], None]) -> None:
    """From now on a signal ends the jobs, then Snakemake; ``told`` is called first."""

    def end(number: int, frame: FrameType | None) -> None:
        _on_signals(signal.SIG_IGN)  # once is enough
        messages.SILENT.set()
        told()
        end_children()
        raise KeyboardInterrupt

    _on_signals(end)


def last_words() -> str:
    """What a workflow that did not succeed ends with."""
    return f"Interrupted: {KEPT}" if messages.SILENT.is_set() else f"W{KEPT[1:]}"


def _on_signals(handler: Callable | signal.Handlers) -> None:
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, handler)


def end_children() -> None:
    """End all processes that this one started, and their children."""
    end(_descendants(), GRACE)
    end(_descendants(), 0.0)


def end(found: list[psutil.Process], grace: float) -> None:
    """End processes with SIGTERM, and those that live on for this many seconds with SIGKILL."""
    for process in found:
        with suppress(psutil.Error):  # it has just ended
            process.terminate()
    until = time.monotonic() + grace
    while any(map(_lives, found)) and time.monotonic() < until:
        time.sleep(0.05)
    for process in found:
        with suppress(psutil.Error):
            process.kill()


def _descendants() -> list[psutil.Process]:
    return psutil.Process(os.getpid()).children(recursive=True)


def _lives(process: psutil.Process) -> bool:
    """Whether it runs. Its parent, who may be a thread of this process, learns of its end by itself."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
