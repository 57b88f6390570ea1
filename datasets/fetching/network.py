"""Requests and download commands that fail within seconds if no server answers.

Without a network, programs that download try again for minutes, in silence. So the first answer must come within
seconds. Only then a download may take its time. The seconds in which a program starts do not count: on a busy
machine they are many.
"""

import ssl
import subprocess
import tempfile
import threading
import time
import urllib.error
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

PATIENCE = 8.0  # seconds until a server must have answered
START_SECONDS = 120.0  # until a program that downloads must have said something
COMMAND_SECONDS = 900.0  # that a download may take
LOOK = 0.05  # seconds between two looks at what it says
# what npm and pip say where no server can be reached
UNREACHABLE = ("EAI_AGAIN", "ENOTFOUND", "ECONNREFUSED", "ENETUNREACH", "ETIMEDOUT", "connection broken by")
T = TypeVar("T")


class NoNetwork(OSError):
    """No server answered."""


def in_time(ask: Callable[[], T]) -> T:
    """What a question to a server returns or raises.

    Raises:
        NoNetwork: There was no answer in ``PATIENCE`` seconds, or no server can be reached.
    """
    given: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            given.append(ask())
        except BaseException as error:  # raised again by the thread that asked
            failed.append(error)

    # The system can look for a host's name for longer than any timeout: a thread is left to it.
    waiting = threading.Thread(target=work, daemon=True)
    waiting.start()
    waiting.join(PATIENCE)
    if given:
        return given[0]
    if not failed:
        raise NoNetwork(f"no answer in {PATIENCE:g} s")
    reason = failed[0].reason if isinstance(failed[0], urllib.error.URLError) else None
    if isinstance(reason, OSError) and not isinstance(reason, ssl.SSLError):  # no server can be reached
        raise NoNetwork(str(reason)) from failed[0]
    raise failed[0]


def run(command: list[str], answered: str) -> tuple[int, str]:
    """Exit code and output of a program that downloads.

    Args:
        command: A program that prints something before it asks a server: ``PATIENCE`` begins then.
        answered: What it prints as soon as a server has answered.

    Raises:
        NoNetwork: There was no answer in ``PATIENCE`` seconds, or the program says that it reaches no server.
        TimeoutError: It prints nothing in ``START_SECONDS``, or is not done within ``COMMAND_SECONDS``.
    """
    name = Path(command[0]).name
    with tempfile.TemporaryFile("w+", errors="replace") as out:

        def said() -> str:
            out.seek(0)
            return out.read()

        with subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT) as process:
            try:
                if not _in_time(process, said, START_SECONDS):
                    raise TimeoutError(f"{name} said nothing for {START_SECONDS:g} s")
                if not _in_time(process, lambda: answered in said(), PATIENCE):
                    raise NoNetwork(f"no answer in {PATIENCE:g} s")
                process.wait(COMMAND_SECONDS)
            except subprocess.TimeoutExpired:
                raise TimeoutError(f"{name} was not done after {COMMAND_SECONDS:g} s") from None
            finally:
                process.kill()  # nothing, if it has ended
        text = said()
    if process.returncode and (reason := next((word for word in UNREACHABLE if word in text), "")):
        line = next(line for line in reversed(text.splitlines()) if reason in line)
        raise NoNetwork(line.strip()[-200:])
    return process.returncode, text


def _in_time(process: subprocess.Popen[bytes], is_so: Callable[[], object], seconds: float) -> bool:
    """Whether it is so within these seconds, or the process has ended by then."""
    end = time.monotonic() + seconds
    while process.poll() is None and not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(LOOK)
    return True
