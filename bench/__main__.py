"""``python -m bench``: the only command-line entry point, which turns errors into messages and exit codes."""

import faulthandler
import os
import signal
import sys
import threading

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.commands import as_called
from structbench.algorithms.runtime.errors import Fault, Terminated, UserError, of_the_disk
from structbench.algorithms.runtime.modules import not_installed
from structbench.bench.drawing.terminal import escaped, visible
from structbench.bench.runs import anybodys_code, results
from structbench.bench.verbs.command_line import parse_words

FAILED, MISTAKE, INTERRUPTED, TERMINATED = 1, 2, 130, 143
MOMENT = 0.05  # seconds


def main(arguments: list[str] | None = None) -> int:
    """Run a verb. Return 0, or 2 for a user's mistake, 130 for Ctrl-C, 1 for any other failure."""
    _mend_surroundings()
    given = None
    try:
        given = parse_words(arguments)
        results.use(getattr(given, "results", None), of_call=True)
        own_folders.use(getattr(given, "with", None) or ())
        signal.signal(signal.SIGTERM, _terminate)
        if sys.__stderr__ and not faulthandler.is_enabled():  # it says the line at which compiled code crashes
            faulthandler.enable(sys.__stderr__, all_threads=False)
        sys.unraisablehook = _dropped
        with escaped(), anybodys_code.staying():
            code = given.do(given)
            sys.stdout.flush()
        return code
    except UserError as error:
        return _said(f"error: {error}", MISTAKE)
    except Fault as error:  # an algorithm's, not the user's
        return _said(f"error: {error}", FAILED)
    except ModuleNotFoundError as error:
        said = not_installed(error) or (
            f"the package {error.name} is not installed for {sys.executable}: "
            "`make setup`, then use .venv/bin/python; elsewhere this command needs "
            "`pip install 'PATH_OF_A_CLONE[bench,workflow,mlflow,peers]'`"
        )
        return _said(f"error: {said}", MISTAKE)
    except KeyboardInterrupt:
        return _said(f"interrupted: {getattr(given, 'interrupted', 'what is finished is kept')}", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        _drop_output()
        return 0
    except UnicodeEncodeError as error:
        if "surrogates" not in error.reason:
            raise
        near = str(error.object)[max(0, error.start - 30) : error.end + 10]
        return _said(f"error: a path has {near!r}, which is not UTF-8: rename it", MISTAKE)
    except IsADirectoryError as error:
        return _said(f"error: {error.filename} is a folder, expected a file: put the file back", MISTAKE)
    except OSError as error:
        if gone := _of_this_folder():
            return _said(f"error: {gone}", MISTAKE)
        said = of_the_disk(error)
        if not said:
            raise
        if error.filename is None:
            _drop_output()
        return _said(f"error: {said}", MISTAKE)


def _mend_surroundings() -> None:
    """Set what no verb works without, or works badly with, in this process's environment and streams."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ["MPLBACKEND"] = "agg"  # no verb opens a window; a notebook's backend may not even be here
    if sys.stdout is None or sys.stderr is None:  # as of `bench list >&-`
        nowhere = open(os.devnull, "w")  # noqa: SIM115 - for as long as this process lives
        sys.stdout, sys.stderr = sys.stdout or nowhere, sys.stderr or nowhere


def _of_this_folder() -> str:
    """What to say if the folder that the program runs in was removed; else empty."""
    try:
        return os.getcwd()[:0]
    except OSError:
        return "the folder that you run this in is gone: change to another one"


def _terminate(*_: object) -> None:
    raise Terminated(TERMINATED)


def _dropped(what: "sys.UnraisableHookArgs", usual=sys.unraisablehook) -> None:
    """Have a signal come again whose exception Python dropped, as it came while an object was taken away."""
    number = {KeyboardInterrupt: signal.SIGINT, Terminated: signal.SIGTERM}.get(what.exc_type)
    if number is None:
        usual(what)
    else:
        again = threading.Timer(MOMENT, os.kill, (os.getpid(), number))
        again.daemon = True
        again.start()


def _drop_output() -> None:
    """Write what is left of the output nowhere, as Python would try once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _said(sentence: str, code: int) -> int:
    print(visible(as_called(sentence), sys.stderr), file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
