"""Remove Snakemake's lock of the working folder when the process that held it is gone.

A killed Snakemake leaves its lock, and the lock does not name its owner. So each workflow holds a lock of the
system while it lives, and notes where it runs. The containers of a machine share its system. So we see whether a
workflow in another container lives, whatever that container is called. A workflow on another machine cannot be
seen from here, and keeps its lock.
"""

import json
import os
import platform
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import is_locked, locked, write_atomically

LOCKS = Path(".snakemake/locks")
HOLDER = Path(".snakemake/structbench.holder.json")
ALIVE = Path(".snakemake/structbench.lock")  # locked for as long as the workflow lives
BOOT = Path("/proc/sys/kernel/random/boot_id")  # of a start of the system, the same in its containers

BATCH = ("-m", "bench", ("batch", "breakdown"))  # how a process is called that makes runs
SECONDS = 5.0  # that a batch has to end

_held = ExitStack()


def hold() -> int:
    """Note that this process has the lock, and hold the system's lock until this process ends.

    Returns:
        How many processes were ended that made runs for a killed workflow. They would disturb this one.
    """
    ended = 0
    with suppress(BlockingIOError):  # of a workflow beside this one: ``--nolock``
        _held.enter_context(locked(ALIVE, patience=0))
        ended = _end_batches()
    holder = {"host": platform.node(), "boot": _boot(), "process": os.getpid()}
    write_atomically(HOLDER, json.dumps(holder) + "\n")
    return ended


def _end_batches() -> int:
    """End the batches in this folder, of a workflow that is gone; what they have finished stays."""
    module, name, verbs = BATCH
    left = [
        process
        for process, words in _processes_here()
        if any(words[at : at + 2] == [module, name] and words[at + 2] in verbs for at in range(len(words) - 2))
    ]
    for process in left:
        with suppress(psutil.Error):
            process.terminate()
    for process in psutil.wait_procs(left, timeout=SECONDS)[1]:
        with suppress(psutil.Error):
            process.kill()
    return len(left)


def clear() -> bool:
    """Take away a lock whose process is gone; returns whether there was one.

    Raises:
        UserError: It belongs to a workflow that is running, here or on another machine.
    """
    left = sorted(LOCKS.glob("*")) if LOCKS.is_dir() else []
    if not left:
        return False
    if living := _living():
        raise UserError(f"a workflow is running in this folder ({living}): wait for it, or stop it")
    for file in left:
        file.unlink(missing_ok=True)
    HOLDER.unlink(missing_ok=True)
    return True


def _living() -> str:
    """Who holds the lock, empty if that process is gone."""
    try:
        holder = json.loads(HOLDER.read_text(encoding="utf-8"))
        host, boot, process = str(holder["host"]), str(holder["boot"]), int(holder["process"])
    except (OSError, ValueError, KeyError, TypeError):  # killed before it noted itself
        return _snakemake_here()
    here = host == platform.node()
    if is_locked(ALIVE):
        return f"process {process}" if here else f"process {process} on {host}"
    if here or boot == _boot():
        return _snakemake_here()
    return f"on {host}; if that machine is down, delete {LOCKS}"


def _boot() -> str:
    try:
        return BOOT.read_text(encoding="utf-8").strip()
    except OSError:
        return platform.node()


def _snakemake_here() -> str:
    """A process of Snakemake's that works in this folder; empty if there is no such process."""
    for process, words in _processes_here():
        if any(Path(word).name == "snakemake" for word in words[:4]):
            return f"process {process.pid}"
    return ""


def _processes_here() -> Iterator[tuple[psutil.Process, list[str]]]:
    """The processes that work in this folder, with their command lines."""
    here = Path.cwd()
    for process in psutil.process_iter(["cmdline"]):
        with suppress(psutil.Error, OSError):  # it has just ended, or is another user's
            if Path(process.cwd()) == here:
                yield process, process.info["cmdline"] or []
