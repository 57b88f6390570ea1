"""Do work in a new process, and in another one after each crash."""

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable

from structbench.algorithms.runtime.errors import of_the_disk

KILLED = 128 + signal.SIGKILL  # the exit code if memory ran out


def surviving(work: Callable[[], int], crashed: Callable[[str], None]) -> int:
    """Do the work in a process of its own, and in a new one after each crash. Return its exit code.

    If one was killed by SIGKILL, the code is ``KILLED``, although the rest went well.

    Args:
        work: Is called in the new process. It skips what was done before.
        crashed: Is told what ended a process, such as ``killed by SIGSEGV``. It sees to it that ``work`` does not
            meet the same crash again.
    """
    killed = False
    while True:
        sys.stdout.flush()
        sys.stderr.flush()
        ended, over = os.pipe()  # the child says so if it comes to its end: a program's os._exit does not
        child = os.fork()
        if not child:
            code = _result(work)
            os.write(over, b".")
            os._exit(code)
        os.close(over)
        former = {
            signal.SIGTERM: signal.signal(signal.SIGTERM, lambda number, _, child=child: os.kill(child, number)),
            signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),  # a terminal sends it to both
        }
        try:
            status = os.waitpid(child, 0)[1]
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
        code = os.waitstatus_to_exitcode(status)
        os.set_blocking(ended, False)  # a process that the child started, and that goes on, has the other end open
        with open(ended, "rb", buffering=0) as pipe:
            came_to_its_end = bool(pipe.read(1))
        if code >= 0 and came_to_its_end:
            return KILLED if killed and code == 0 else code
        if code >= 0:
            crashed(f"ended by os._exit({code}) or the like")
            continue
        if -code in (signal.SIGTERM, signal.SIGINT):
            return 128 - code
        killed |= -code == signal.SIGKILL
        guess = ", as the system does when memory runs out" if -code == signal.SIGKILL else ""
        crashed(f"killed by {signal.Signals(-code).name}{guess}")


def _result(work: Callable[[], int]) -> int:
    """The exit code of the new process."""
    try:
        if sys.platform == "linux":  # stop with the parent; elsewhere a process finishes its work
            ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
        return work()
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BaseException as error:  # nothing may leave this process, which is a copy of the other
        said = of_the_disk(error) if isinstance(error, OSError) else ""
        if said:
            print(f"error: {said}", file=sys.stderr)
        else:
            traceback.print_exc()
        return 2 if said else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
