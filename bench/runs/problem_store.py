"""The store of built problems: each is built once, and memory-mapped by all runs that use it."""

import hashlib
import json
import os
import stat
import sys
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from urllib.parse import quote

from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import locked, write_atomically
from structbench.algorithms.runtime.names import meant
from structbench.algorithms.runtime.options import defaults
from structbench.bench.runs import documents, loaded, programs, results, seals, seen
from structbench.datasets import DataRef, build
from structbench.datasets.problems import storage as stored
from structbench.datasets.problems.problem import Problem, Vocabulary
from structbench.datasets.references import file_names

FILES = ("problem.json", "vocabulary.npz")  # of a problem, whose hashes its note has
NOTE = {"made from": {str: str}, "written": {str: str}, "loaded": {str: str}}
SHARED = "costs", "validation"  # options of all data sets
DAMAGED = (OSError, ValueError, EOFError, TypeError, OverflowError)  # reading a damaged one: it is built again


def folder(data: DataRef, test: str | None = None) -> Path:
    """Where the problem of a data set, and a test file, is kept."""
    file = "" if test is None else f" test={file_names.short(file_names.absolute(test))}"
    name = quote(data.key + file, safe=":=, ")
    if len(name) > 200:
        name = f"{name[:150]}...{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return results.problems() / name


def note(data: DataRef, test: str | None = None) -> Path:
    """The file that says from what the problem was built; it is there when the problem is."""
    place = folder(data, test)
    return place.with_name(f"{place.name}.json")


def user_files(data: DataRef, test: str | None = None) -> list[str]:
    """The user's own files that the problem is built from. From a folder, the files that its data set reads.

    Raises:
        UserError: There is no such folder, or nothing in it; or as ``check_options``.
    """
    check_options(data)
    given = [each for each in (data.path, test and file_names.absolute(test)) if each is not None]
    files_in = getattr(data.module, "user_files", None)
    files = given if files_in is None else [file for folder in given for file in files_in(folder)]
    return [*files, *data.files.values()]


def check_options(data: DataRef) -> None:
    """Raise a UserError if there is no file of the user's by this name, but one whose name ends at a comma."""
    path = data.path or ""
    is_there = os.path.exists if hasattr(data.module, "user_files") else os.path.isfile
    ends = [k for k, letter in enumerate(path) if letter == "," and is_there(path[:k])]
    if not ends or os.path.exists(path):
        return
    behind = path[ends[-1] + 1 :]
    key = behind.partition("=")[0]
    known = [name for name in (*defaults(data.module.load), *SHARED) if name != "test"]
    if key in known:
        raise UserError(f"data set {data.name}: the value of an option has no comma: {behind!r}")
    if key == "test":
        raise UserError(f"data set {data.name}: {behind!r} is no option: give test by itself, as in --test FILE")
    raise UserError(f"data set {data.name} has no option {key!r}: {meant(key, known)}it has {', '.join(known)}")


def obtain(data: DataRef, test: str | None = None, names: bool = False) -> tuple[Problem, str]:
    """The problem and its fingerprint; it is built first if it is not there, or its code or files changed.

    Args:
        names: With its vocabulary, the names of features.

    Raises:
        UserError: See ``build`` and ``datasets.problems.storage.save``.
    """
    place = folder(data, test)
    today = made_from(data, test)

    def load() -> tuple[Problem, str]:
        found = stored.load(place)
        _check(place, found)
        found = found._replace(vocabulary=stored.vocabulary(place)) if names else found
        return found, stored.stored_fingerprint(place)

    def kept() -> tuple[Problem, str] | None:
        if _noted(data, test, names) == today:
            with suppress(*DAMAGED):
                return load()
        return None

    if found := kept():
        return found
    with ExitStack() as held:
        with write_or_explain(place.parent):  # keep other processes from building the same problem meanwhile
            held.enter_context(locked(place.with_name(f".{place.name}.lock")))
        if found := kept():  # another process has built it meanwhile
            return found
        before = frozenset(sys.modules)
        stored.save(build(data, test), place)
        beside = loaded.uncovered({*programs.of_data(data)}, before)
        written = {name: seals.file_sha256(place / name) for name in FILES if (place / name).exists()}
        made = {"made from": today, "written": written, "loaded": beside}
        write_atomically(note(data, test), json.dumps(made, indent=1) + "\n")
        return load()


def _check(place: Path, found: Problem) -> None:
    """Raise a ValueError unless arrays are those that were written; each version of them is read once."""
    version, changed = seen.version(sorted(place.glob("*.npy")))
    if not seen.is_sound(place, version):
        if stored.fingerprint(found) != stored.stored_fingerprint(place):
            raise ValueError(f"{place} is not as it was written")
        seen.note(place, version, changed)


def labels_and_vocabulary(
    data: DataRef, test: str | None, key: str, made: documents.Json
) -> tuple[tuple[str, ...], Vocabulary | None]:
    """Labels and vocabulary of the problem that a run learned from. It is built again if need be.

    Args:
        key: Of the run.
        made: What it was made of, its provenance.

    Raises:
        UserError: The data are no longer the same; or as ``obtain``.
    """
    place = folder(data, test)

    def kept() -> tuple[tuple[str, ...], Vocabulary | None] | None:
        if _is_of(data, test, made):
            with suppress(*DAMAGED):
                return stored.load(place).labels, stored.vocabulary(place)
        return None

    found = kept()
    if found is None:
        again = obtain(data, test, names=True)[1]
        found = kept() if again == made["data_sha256"] else None
    if found is None:
        raise UserError(f"{data} is no longer what the run {key} learned from: make the run again (`bench run`)")
    return found


def _is_of(data: DataRef, test: str | None, made: documents.Json) -> bool:
    """Whether the stored problem is of a run's numbers and files: names of features are in the files alone."""
    noted, place = _noted(data, test, names=True), folder(data, test)
    if noted is None or stored.stored_fingerprint(place) != made["data_sha256"]:
        return False
    both = noted, made.get("data_from", {})
    files = [{name: sha for name, sha in each.items() if name != "code"} for each in both]
    return files[0] == files[1] and stored.is_whole(place)


def fingerprint(data: DataRef, test: str | None = None) -> str | None:
    """The fingerprint of the stored problem. None if no problem of today's programs and files is stored."""
    try:
        today = _noted(data, test) == made_from(data, test)
        return stored.stored_fingerprint(folder(data, test)) if today else None
    except UserError:  # a file of the user's is gone
        return None


def stored_labels(data: DataRef, test: str | None = None) -> tuple[str, ...]:
    """The labels of the stored problem; empty if it has none, or none of today's programs and files is stored."""
    return obtain(data, test)[0].labels if fingerprint(data, test) else ()


@cache
def known_hashes(data: DataRef, test: str | None, data_sha256: str) -> tuple[str, ...]:
    """The hashes that published runs may have of a problem: its own and, if it is stored here, an earlier one.

    That one is without the names of labels that training never saw. No objective depends on these.
    """
    if fingerprint(data, test) != data_sha256:
        return (data_sha256,)
    return data_sha256, stored.fingerprint(stored.load(folder(data, test))._replace(unseen=()))


def made_from(data: DataRef, test: str | None) -> dict[str, str]:
    """What decides the problem: the code, and the user's files; published ones have pinned checksums."""
    made = {"code": programs.sha256_of_data(data)}
    return made | {path: _file_sha256(path) for path in user_files(data, test)}


def changed_files(made: dict[str, str]) -> list[str]:
    """The user's files that are not as in ``made``, of ``made_from``. One that is gone tells nothing."""
    changed = []
    for path in made.keys() - {"code"}:
        with suppress(UserError):
            changed += [path] * (_file_sha256(path) != made[path])
    return changed


def _file_sha256(path: str) -> str:
    try:
        file = Path(path).expanduser()
        found = file.stat()
        if not stat.S_ISREG(found.st_mode):
            raise ValueError("it is no regular file")
        return _sha256(file, found.st_mtime_ns, found.st_size, found.st_ino)
    except (OSError, ValueError) as error:  # ValueError: also a path with a NUL byte
        here = isinstance(error, FileNotFoundError) and Path(path).absolute().is_relative_to(Path.cwd())
        hint = ": paths are relative to the folder you run this in" if here else ""
        raise UserError(f"cannot read {path!r}: {getattr(error, 'strerror', None) or error}{hint}") from error


@cache
def _sha256(file: Path, *version: int) -> str:
    """Hash of a file; once for each version of it."""
    return seals.file_sha256(file)


def _noted(data: DataRef, test: str | None, names: bool = False) -> dict[str, str] | None:
    """What the stored problem was made from. None if there is none, or if it is not as it was written.

    Args:
        names: Its vocabulary is looked at, too.
    """
    try:
        said = json.loads(note(data, test).read_text(encoding="utf-8"))
        if documents.differs(said, NOTE):
            return None
        made, written = said["made from"], said["written"]
        place, looked_at = folder(data, test), FILES if names else FILES[:1]
        whole = all(seals.file_sha256(place / name) == written[name] for name in looked_at if name in written)
        return made if whole and FILES[0] in written and not loaded.changed(said["loaded"]) else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
