"""Run user code: prints go to stderr, ``os._exit`` is refused, calls that do not return are told or stopped."""

import ctypes
import math
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, nullcontext, redirect_stdout
from pathlib import Path
from typing import NoReturn

from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.runtime.modules import line_in

TICK = 1.0  # seconds between looks
ASKS = "checked"  # the function of ``referee`` that asks an algorithm for its next iterate
PATIENCE = 10.0  # seconds without news until the first line, then twice as many
LEAVE = os._exit
_LOCK, _blocks = threading.Lock(), 0  # how many blocks of ``staying`` run: threads may have one each


class _Overdue(BaseException):
    """Raised in a call that does not end: nobody suppresses it."""


@contextmanager
def staying() -> Iterator[None]:
    """While the block runs, ``os._exit`` raises a SystemExit: the program would end with code 0 and no word.

    A process that is forked within the block leaves as ever.
    """
    global _blocks
    own = os.getpid()

    def refused(status: int) -> NoReturn:
        if os.getpid() != own:
            LEAVE(status)
        raise SystemExit(f"it called os._exit({status}), which ends the whole program")

    with _LOCK:
        _blocks, os._exit = _blocks + 1, refused
    try:
        yield
    finally:
        with _LOCK:
            _blocks -= 1
            os._exit = os._exit if _blocks else LEAVE


@contextmanager
def away_from_stdout() -> Iterator[None]:
    """While the block runs, what this process and its children write to stdout goes to stderr."""
    sys.stdout.flush()
    stdout = os.dup(1)
    try:
        os.dup2(2, 1)
        yield
    finally:
        sys.stdout.flush()
        os.dup2(stdout, 1)
        os.close(stdout)


@contextmanager
def watched(
    say: Callable[[str], None], place: Path | None, most: float = math.inf
) -> Iterator[Callable[[str], None]]:
    """While the block runs, prints go to stderr. If no news come for long, ``say`` is told where the block is.

    Afterwards the working folder is as before: results may lie in a folder relative to it.

    Yields ``say``, whose lines are the news.

    Args:
        place: The user's folder or file, of which a line is named. None: it is nobody else's, and not watched.
        most: Wall seconds that a call into ``place`` may take. Compiled code goes on until it returns.

    Raises:
        Fault: A call took longer; says its line.
    """
    caller, news, over = threading.get_ident(), threading.Event(), threading.Event()
    ended = ""

    def told(line: str) -> None:
        news.set()
        say(line)

    def watch() -> None:
        nonlocal ended
        patience, heard, last = PATIENCE, time.monotonic(), None
        entered = heard
        while not over.wait(min(TICK, PATIENCE)):
            now = time.monotonic()
            stack = traceback.extract_stack(sys._current_frames()[caller])
            is_compiling = any("/numba/" in frame.filename for frame in stack)
            is_inside = any(place and Path(frame.filename).is_relative_to(place) for frame in stack)
            if is_inside:
                last = line_in(stack, place)
            if is_compiling or not is_inside:
                entered = now
            if is_compiling or news.is_set():
                news.clear()
                heard = now
            is_asked = any(frame.name == ASKS for frame in stack)  # between two iterates that are cheap
            line = (last if is_inside or is_asked else line_in(stack)) or "a line of others"
            if now - heard >= patience:
                say(f"no news for {patience:.0f} s: it is at {line}")
                heard, patience = now, 2 * patience
            if now - entered > most:
                ended = (
                    f"no iterate for {most:.0f} wall seconds: the run is ended, its curve kept; it was at {line}"
                )
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(caller), ctypes.py_object(_Overdue))

    # its name tells ``machine.facts`` that no earlier run has left it
    watcher = threading.Thread(target=watch, daemon=True, name="structbench watcher")
    with chdir("."), redirect_stdout(sys.stderr), staying() if place else nullcontext():
        if place:
            watcher.start()
        try:
            yield told
        except _Overdue:
            raise Fault(ended) from None
        finally:
            over.set()
            if place:
                watcher.join()
