"""Hash the modules and files that a run or a problem loaded and that no hash of programs covers.

A user's algorithm imports a package of the user's, or reads a file beside itself. ``programs`` finds neither: it
follows names of structbench. So they are looked for when a run ends, and the run keeps a hash of each. The next
time that somebody asks for the run, they are looked at again.

The standard library and installed packages do not count: a run notes the versions of packages. Packages that are
installed for editing do, and so do structbench's own files, installed or not.
"""

import ast
import hashlib
import re
import site
import sys
import sysconfig
import time
from collections.abc import Iterable
from functools import cache
from os.path import isfile  # a Path's raises for a name that is too long, or a folder that may not be read
from pathlib import Path

from structbench.algorithms.runtime.own_folders import ROOT, name_of, owner, place
from structbench.bench.runs import algorithm_module, program_text, programs
from structbench.bench.runs.algorithm_files import file_of
from structbench.bench.runs.spec import Spec

WORD = re.compile(r"[\w./-]+")  # in a file of the user's, maybe the name of a module, or of a file beside it

BEGAN = time.time()  # what was loaded since may be older than what a file holds now


def by_run(spec: Spec, before: frozenset[str]) -> dict[str, str]:
    """What a run loaded, as ``uncovered``; with the files that its algorithm declares."""
    beside = place(file_of(spec.algorithm)).parent
    declared = {beside / name for name in algorithm_module.declaration(spec.algorithm).files}
    return uncovered({*programs.of_run(spec), *programs.of_data(spec.data)}, before, declared)


def uncovered(covered: set[Path], before: frozenset[str], declared: Iterable[Path] = ()) -> dict[str, str]:
    """File -> hash, of what was loaded and is not covered.

    A process makes many runs. So a module counts if it was loaded meanwhile, or if files of the user's name it.

    Args:
        covered: The files that another hash covers.
        before: The modules that were loaded when the work began.
        declared: Files that count in any case.
    """
    places = {name: file for name in [*sys.modules] if (file := _file(name))}
    meanwhile = {file for name, file in places.items() if name not in before}
    own = {place(file) for file in covered if owner(file)}
    found = {*meanwhile, *declared, *_named_in(own | meanwhile, places)}
    return {str(file): _as_loaded(file) for file in sorted(found) if not _is_known(file, covered)}


def _as_loaded(file: Path) -> str:
    """The hash of what was loaded, unless the file was changed or taken away since."""
    try:
        return sha256(file) if file.stat().st_mtime < BEGAN else "changed meanwhile"
    except OSError:
        return "gone meanwhile"


def changed(given: dict[str, str]) -> str:
    """The first of these files that is not as it was; empty if all are. One that is gone tells nothing."""
    for name, known in given.items():
        file = Path(name)
        if isfile(file) and sha256(file) != known:
            return name
    return ""


def sha256(file: Path) -> str:
    """Hash of what a program says, or of the content of another file."""
    about = file.stat()
    return _sha256(file, about.st_mtime_ns, about.st_size, about.st_ino)


@cache
def _sha256(file: Path, *version: int) -> str:
    content = file.read_bytes()
    if file.suffix == ".py":
        try:
            return program_text.sha256(ast.parse(content))
        except (SyntaxError, ValueError):  # it is for another Python
            pass
    return hashlib.sha256(content).hexdigest()


def _is_known(file: Path, covered: set[Path]) -> bool:
    name = name_of(file)
    return name is not None and (name in covered or programs.is_neutral(name))


def _named_in(files: set[Path], places: dict[str, Path]) -> set[Path]:
    """What the user's files among these name, and what these name in turn.

    Args:
        places: Loaded module -> its file, of those that are not installed. Files beside one count, too.
    """
    names = {file: name for name, file in places.items()}
    waiting, found = [file for file in files if not file.is_relative_to(ROOT)], set[Path]()
    while waiting:
        file = waiting.pop()
        try:
            words = {*WORD.findall(file.read_text(encoding="utf-8", errors="replace"))}
        except OSError:  # its program was loaded before it was taken away
            continue
        above = [f"{package}." for package in _beginnings(names.get(file, ""))]
        named = {file.parent / word for word in words if isfile(file.parent / word)}
        for word in words:
            for name in _beginnings(word.strip(".")):
                named |= {places[each] for each in (name, *(prefix + name for prefix in above)) if each in places}
        new = {each for each in named - found - {file} if not each.is_relative_to(ROOT)}
        found |= new
        waiting += [each for each in new if each.suffix == ".py"]
    return found


def _beginnings(word: str) -> list[str]:
    """``a``, ``a.b`` and ``a.b.c`` for ``a.b.c``."""
    parts = word.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _file(name: str) -> Path | None:
    """The file of a loaded module that is neither of the standard library nor installed."""
    module = sys.modules.get(name)
    if name == "__main__" or not isinstance(text := getattr(module, "__file__", None), str):
        return None
    return _outside(text)


@cache
def _outside(text: str) -> Path | None:
    file = Path(text)
    if file.is_relative_to(ROOT) and not file.is_relative_to(ROOT / ".venv"):
        return file
    return file if isfile(file) and not any(file.is_relative_to(each) for each in _installed()) else None


@cache
def _installed() -> tuple[Path, ...]:
    found = (sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    return tuple(Path(each) for each in {*found, *site.getsitepackages(), site.getusersitepackages()})
