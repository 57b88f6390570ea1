"""Snakemake's lock of the working folder: taken away when the process that held it is gone.

Snakemake leaves its lock behind when it is killed, and does not write down whose it was. So each workflow notes
its process as it starts, and the next one looks whether that is still there.
"""

import json
import platform
from pathlib import Path

import psutil

from algorithms.runtime.errors import UserError
from algorithms.runtime.files import write_atomically

LOCKS = Path(".snakemake/locks")
HOLDER = Path(".snakemake/structbench.holder.json")


def hold() -> None:
    """Note that this process has the lock."""
    process = psutil.Process()
    holder = {"host": platform.node(), "process": process.pid, "started": process.create_time()}
    write_atomically(HOLDER, json.dumps(holder) + "\n")


def clear() -> bool:
    """Take away a lock whose process is gone; returns whether there was one.

    Raises:
        UserError: it belongs to a workflow that is running, here or on another machine.
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
        host, process, started = str(holder["host"]), int(holder["process"]), float(holder["started"])
    except (OSError, ValueError, KeyError, TypeError):  # killed before it noted itself
        return _snakemake_here()
    if host != platform.node():
        return f"on {host}; if that machine is down, delete {LOCKS}"
    try:
        there = abs(psutil.Process(process).create_time() - started) < 1
    except psutil.NoSuchProcess:
        there = False
    return f"process {process}" if there else _snakemake_here()


def _snakemake_here() -> str:
    """A process of Snakemake's that works in this folder, empty if there is none."""
    here = Path.cwd()
    for process in psutil.process_iter(["pid", "cmdline"]):
        words = process.info["cmdline"] or []
        if any(Path(word).name == "snakemake" for word in words[:4]):
            try:
                if Path(process.cwd()) == here:
                    return f"process {process.pid}"
            except (psutil.Error, OSError):  # it has just ended, or is another user's
                continue
    return ""
