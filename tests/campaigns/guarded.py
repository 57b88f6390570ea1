"""Work in a process that is forked from this one, so that imports and kernels are there; maybe with limits."""

import faulthandler
import os
import re
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

CPU_SECONDS = 60  # at most; compiling the kernels of a module takes 9, and more on slow machines
TICK = 0.005  # seconds between two looks
PATIENCE = 240.0  # seconds of looks; others use the machine, too. While this process is stopped, none passes.
MEMORY = 2 << 30  # bytes
TRACEBACK = "Traceback (most recent call last)"
SENTENCE = re.compile(
    r"^(error: |FAILED |refused |left out: |\w[^\n]* (is|are|has|was|cannot|not) )", re.MULTILINE
)


class Ended(NamedTuple):
    """How work ended: its exit code, negative for a signal; its output; and what it took."""

    code: int
    said: str
    cpu_seconds: float
    bytes: int

    @property
    def wrong(self) -> str:
        """What a user should not have seen; empty if nothing."""
        last = " | ".join(self.said.strip().splitlines()[-4:])[-600:]
        if self.cpu_seconds > CPU_SECONDS - 1:
            return f"hung for {self.cpu_seconds:.0f} CPU seconds: {last}"
        if self.code < 0:
            return f"killed by {signal.Signals(-self.code).name}: {last}"
        if TRACEBACK in self.said:
            return f"a traceback: {last}"
        if self.bytes > MEMORY:
            return f"took {self.bytes / 2**30:.1f} GB: {last}"
        if self.code not in (0, 1, 2):
            return f"ended with {self.code}: {last}"
        if self.code and not SENTENCE.search(self.said):
            return f"ended with {self.code} and no sentence: {last}"
        return ""


class Forked:
    """Work that was begun in a process of its own, and a session of its own; as a ``subprocess.Popen``.

    Args:
        work: Returns an exit code.
        said: The file that its output goes to.
        limited: Whether it is held to the limits.
    """

    def __init__(self, work: Callable[[], int], said: Path, limited: bool = False) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.returncode: int | None = None
        with said.open("wb") as out:
            self.pid = os.fork()
            if not self.pid:
                os._exit(_done(work, out.fileno(), limited))

    def poll(self) -> int | None:
        """The exit code; None while it goes on."""
        if self.returncode is None:
            done, status, self.usage = os.wait4(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if done else None
        return self.returncode

    def wait(self) -> int:
        while (code := self.poll()) is None:
            time.sleep(TICK)
        return code

    def send_signal(self, number: signal.Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


def call(work: Callable[[], int], said: Path) -> Ended:
    """Do the work, which returns an exit code, in a process of its own. What it says goes to the file ``said``."""
    process, looks = Forked(work, said, limited=True), PATIENCE / TICK
    while process.poll() is None:
        looks -= 1
        if looks < 0:
            process.send_signal(signal.SIGKILL)
        time.sleep(TICK)
    with suppress(ProcessLookupError, PermissionError):  # what it started and left behind
        os.killpg(process.pid, signal.SIGKILL)
    text = said.read_text(encoding="utf-8", errors="replace")
    waited = f"\nwaited for {PATIENCE:g} s" if looks < 0 else ""
    seconds = process.usage.ru_utime + process.usage.ru_stime
    return Ended(process.wait(), text + waited, seconds, process.usage.ru_maxrss * 1024)


def _done(work: Callable[[], int], place: int, limited: bool) -> int:
    """The exit code of the work, in the new process."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    os.dup2(place, 1)
    os.dup2(place, 2)
    if limited:
        faulthandler.enable(place)
        faulthandler.register(signal.SIGXCPU, place, chain=True)  # says where it was, and ends it
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 2))
        most = _data() + MEMORY
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    try:
        return work()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException:  # what a user would see
        traceback.print_exc()
        return 99
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()


def _data() -> int:
    """The bytes that this process has by now, of those that the limit counts."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmData"))
