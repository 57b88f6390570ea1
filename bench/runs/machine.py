"""The machine that makes a run: what it is, how much of it the process may use, how busy it is."""

import os
import platform
import threading
import time
from pathlib import Path

from structbench.bench.runs import documents

ROOT = Path("/")


class Watch:
    """What others do on this machine while something is measured."""

    def __init__(self) -> None:
        self._since, self._busy, self._own = time.perf_counter(), _busy(), sum(os.times()[:4])

    def others(self) -> float | None:
        """How many other processes ran at once, in the mean; None where the system does not say."""
        busy = _busy()
        if busy is None or self._busy is None:
            return None
        own = sum(os.times()[:4]) - self._own
        return round(max(0.0, busy - self._busy - own) / (time.perf_counter() - self._since), 3)


def _busy() -> float | None:
    """Seconds that all cores of the machine have worked since it was started."""
    for line in _lines(ROOT / "proc/stat"):
        if line.startswith("cpu "):
            user, nice, system, _, _, *interrupts = map(int, line.split()[1:8])
            return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    return None


def facts() -> documents.Json:
    """What a run's seconds depend on, apart from its programs.

    ``cores`` are the machine's. This process may run on ``affinity``. Its control groups let it use ``cpu_limit``
    cores (None: all). ``load`` is the average number of processes, this one included, that ran or waited in the
    last minute. ``threads_left`` are Python's threads besides the one that makes runs: in the record of a run,
    ``execute`` puts in its place how many of them earlier runs have left.
    """
    others = [each for each in threading.enumerate() if each is not threading.current_thread()]
    return {
        "host": platform.node(),
        "cpu": _cpu(),
        "os": platform.platform(),
        "cores": os.cpu_count(),
        # macOS does not say how many of them this process may run on
        "affinity": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "cpu_limit": cpu_limit(),
        "load": round(os.getloadavg()[0], 2),
        "threads_left": sum(not each.name.startswith("structbench") for each in others),
    }


def _cpu() -> str:
    found = (line.partition(": ")[2] for line in _lines(ROOT / "proc/cpuinfo") if line.startswith("model name"))
    return next(found, platform.processor() or platform.machine())


def cpu_limit(root: Path = ROOT) -> float | None:
    """How many cores' time the control groups of this process let it use; None where they set no limit.

    A group has at most what the groups above it have. Only groups of version 2 are read.
    """
    limits: list[float] = []
    for group in [Path(line.removeprefix("0::/")) for line in _lines(root / "proc/self/cgroup") if "0::/" in line]:
        for folder in (group, *group.parents):
            for line in _lines(root / "sys/fs/cgroup" / folder / "cpu.max"):
                quota, period = line.split()
                limits += [] if quota == "max" else [int(quota) / int(period)]
    return min(limits, default=None)


def _lines(file: Path) -> list[str]:
    """The lines of a file of the system; none where it has no such file."""
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
