"""Import modules that users add. If one cannot be read or imported, a sentence says why and where."""

import ast
import importlib
import re
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.errors import OF_ANYBODY, Terminated, UserError
from structbench.algorithms.runtime.own_folders import ROOT, shown

PACKAGES = ("algorithms", "bench", "datasets")


def about(text: str) -> str:
    """The first line of a module's docstring; the module may hold mistakes."""
    found = re.match(r'\s*"""(.*?)(?:"""|\n)', text)
    return found[1] if found else ""


def parsed(file: Path) -> ast.Module:
    """The syntax tree of a module, without importing it.

    Raises:
        UserError: the file holds no Python; says file and line.
    """
    try:
        return ast.parse(file.read_bytes(), filename=str(file))
    except (SyntaxError, ValueError) as error:
        raise _unreadable(error, file) from None


def imported(name: str) -> ModuleType:
    """Import the module of this name, such as ``structbench.algorithms.gradient.sgd``.

    Raises:
        UserError: it holds no Python, raises an exception while it is imported, or imports ``algorithms`` or
            ``datasets`` without ``structbench``, or a file of the user's needs a package that is not installed.
            The sentence says file and line.
        ModuleNotFoundError: a package that the project needs is not installed.
    """
    own_folders.extend_packages()
    try:
        before = set(sys.modules)
        with redirect_stdout(sys.stderr):  # what it prints is no result
            found = importlib.import_module(name)
        for stray in {"algorithms", "datasets"} & sys.modules.keys() - before:  # they would be copies of our own
            if Path(sys.modules[stray].__file__ or "").is_relative_to(ROOT):
                del sys.modules[name], sys.modules[stray]
                raise UserError(f"{name} imports {stray}: write structbench.{stray}")
        return found
    except SyntaxError as error:
        raise _unreadable(error, Path(error.filename or name)) from None
    except (UserError, Terminated):
        raise
    except OF_ANYBODY as error:  # of any kind: the module may be anybody's
        if isinstance(error, ModuleNotFoundError) and str(error.name).partition(".")[0] != "structbench":
            parts = name.split(".")[1:]  # none of a module outside of this project
            beside = own_folders.place(Path(*parts).with_name(f"{error.name}.py")) if parts else None
            if beside and beside.is_file():
                said = f"{shown(beside)} lies beside it: write from .{error.name} import ..., with a dot"
                raise UserError(f"cannot be imported: {line_of(error) or name}: {said}") from None
            if said := not_installed(error):
                raise UserError(f"cannot be imported: {said}") from None
            raise
        frames = [Path(frame.filename) for frame in traceback.extract_tb(error.__traceback__)]
        theirs = [each for each in own_folders.folders() if any(file.is_relative_to(each) for file in frames)]
        line = line_of(error, theirs[-1] if theirs else None)  # theirs may misuse a function of ours
        raise UserError(f"cannot be imported: {line or name}: {type(error).__name__}: {error}") from error


def _unreadable(error: Exception, file: Path) -> UserError:
    line = f":{error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
    return UserError(f"cannot be read: {shown(file)}{line}: {getattr(error, 'msg', error)}")


def failure(error: BaseException, file: Path | None = None) -> str:
    """An exception in words: its kind, its text, and where it was raised, as ``line_of`` says it."""
    said, line = f"{type(error).__name__}: {error}".partition("\n")[0].rstrip(": "), line_of(error, file)
    return said + (f" at {line}" if line else "")


def line_of(error: BaseException, file: Path | None = None, packages: tuple[str, ...] = PACKAGES) -> str | None:
    """Where an exception was raised, as ``algorithms/gradient/bad.py:41: step = 1 / 0``.

    It is the last line of the traceback in ``file``, a file or a folder, else the last one in these packages. None
    if neither exists.
    """
    return line_in(traceback.extract_tb(error.__traceback__), file, packages)


def line_in(
    stack: traceback.StackSummary, file: Path | None = None, packages: tuple[str, ...] = PACKAGES
) -> str | None:
    """As ``line_of``, of the calls of a stack."""
    found = _last(stack, file, packages)
    return f"{shown(found.filename)}:{found.lineno}: {found.line}" if found else None


def not_installed(error: ModuleNotFoundError) -> str:
    """What to say of a package that a file of the user's imports in vain; empty if the project itself needs it."""
    last = _last(traceback.extract_tb(error.__traceback__), None, PACKAGES)
    if not last or not any(Path(last.filename).is_relative_to(each) for each in own_folders.folders()):
        return ""
    return f"{line_of(error)}: {error}: install it for {sys.executable}, or correct the name"


def _last(
    stack: traceback.StackSummary, file: Path | None, packages: tuple[str, ...]
) -> traceback.FrameSummary | None:
    frames = [frame for frame in stack if _package(frame.filename) in packages]
    found = [frame for frame in frames if file and Path(frame.filename).is_relative_to(file)] or frames
    return found[-1] if found else None


def _package(file: str) -> str:
    """The package that a file is in, or would be in. Empty for this file, through which others are imported."""
    name = own_folders.name_of(file) if file != __file__ else None
    return name.parts[0] if name else ""
