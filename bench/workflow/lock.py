"""One workflow at a time makes results: it holds a lock of the system, which ends with its process.

Containers and, where the file system has locks, machines share such a lock. So whoever holds it may take away what
a killed workflow left: Snakemake's own lock, which names no owner, and batches that still make runs.
"""

import os
import platform
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import locked
from structbench.bench.runs import results
from structbench.bench.workflow import interrupt

SNAKEMAKE, HERE = Path(".snakemake/locks"), Path(".snakemake/structbench.lock")  # of the working folder
JOBS = (["-m", "bench", "batch", "--out"], ["-m", "bench", "breakdown", "--out"])  # that make runs, or time
SECONDS = 5.0  # that a batch has to end

_held = ExitStack()


def take() -> list[str]:
    """Hold the lock of the results until this process ends; return what was left behind, a sentence each.

    Raises:
        UserError: Another workflow holds it, or it cannot be written.
    """
    file = results.root() / results.LOCK
    holder = file.with_suffix(".holder")
    try:
        _held.enter_context(locked(file, patience=0))
        holder.write_text(f"process {os.getpid()} on {platform.node()}", encoding="utf-8")
    except BlockingIOError as error:
        whose = f" ({holder.read_text(encoding='utf-8')})" if holder.exists() else ""
        raise UserError(f"a workflow makes {results.root()} already{whose}: wait for it, or stop it") from error
    except OSError as error:
        raise UserError(f"cannot lock {file} ({error.strerror}): make its folder writable") from error
    said = []
    with suppress(BlockingIOError), _explained():  # of a workflow here that makes other results
        _held.enter_context(locked(HERE, patience=0))
        for number, left in enumerate(SNAKEMAKE.glob("*")):
            left.unlink(missing_ok=True)
            said += ["the workflow before was killed: it goes on from there"] if number == 0 else []
    if orphans := list(_orphans()):
        interrupt.end(orphans, SECONDS)
        said.append(f"ended {len(orphans)} processes that a killed workflow left running")
    return said


@contextmanager
def _explained() -> Iterator[None]:
    """Say in a UserError that the working folder cannot be written."""
    try:
        yield
    except BlockingIOError:
        raise
    except OSError as error:
        said = f"cannot write {HERE.parent} in {os.getcwd()} ({error.strerror}), where Snakemake keeps its notes"
        raise UserError(f"{said}: call `snakemake -s .../Snakefile -d FOLDER`, a folder to write in") from error


def _orphans() -> Iterator[psutil.Process]:
    """The processes that make something for these results; their workflow is gone, as this one has the lock."""
    folders = {folder.resolve() for folder in (results.batches(), results.breakdown())}
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):  # it has just ended, or is another user's
            words = process.cmdline()
            outs = [words[at + 4] for at in range(len(words) - 4) if words[at : at + 4] in JOBS]
            if any(Path(process.cwd(), out).resolve().parent in folders for out in outs):
                yield process
