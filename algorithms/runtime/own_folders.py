"""Folders of the user's, whose modules are found like the project's own.

``STRUCTBENCH_WITH`` names them; child processes inherit it. ``DIR/algorithms/mine.py`` is then imported as
``structbench.algorithms.mine``, and ``DIR/structures/mine.py`` as ``structbench.algorithms.structures.mine``. A
file has one name everywhere, the one that it would have in the project: ``algorithms/structures/mine.py``.
"""

import keyword
import os
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from structbench.algorithms.runtime.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "STRUCTBENCH_WITH"
_of_runs: dict[str, str] = {}  # name of a file of the user's -> its folder
ROOMS = {  # of the project -> what they are called in a folder of the user's; a room within another comes first
    "algorithms/structures": "structures",
    "algorithms/losses": "losses",
    "algorithms": "algorithms",
    "datasets": "datasets",
    "bench/papers": "papers",
}
OF_IDS = {Path("algorithms/structures"), Path("algorithms/losses"), Path("datasets")}  # each file there has an id


def use(given: Iterable[str] = ()) -> None:
    """Use these folders, too, in this process and its children. Those of ``STRUCTBENCH_WITH`` are used anyhow.

    Raises:
        UserError: a folder is not there or has none of the rooms, two files have one name, or a name gives no id.
    """
    given = [*given]
    if odd := [each for each in given if os.pathsep in each]:
        raise UserError(f"the folder {odd[0]!r} has {os.pathsep!r} in its name, which parts folders: rename it")
    named = [*os.environ.get(VARIABLE, "").split(os.pathsep), *given]
    whole = (os.path.abspath(os.path.expanduser(each)) for each in named if each)
    if found := os.pathsep.join(dict.fromkeys(whole)):
        _checked(found)  # what is wrong with them spoils no later call
        os.environ[VARIABLE] = found
    extend_packages()


def extend_packages() -> None:
    """Let ``import`` find the user's modules in the packages of the project; raises as ``use``."""
    for folder in folders():
        _extend_packages(folder)


@cache
def _extend_packages(folder: Path) -> None:
    for room, own in ROOMS.items():
        for place in {folder / own, *(file.parent for file in _visible(folder / own, "**/*.py"))}:
            name = Path(room) / place.relative_to(folder / own)
            if (ROOT / name / "__init__.py").is_file():
                paths = import_module(".".join(("structbench", *name.parts))).__path__
                paths += [str(place)] * (str(place) not in paths)


def folders() -> tuple[Path, ...]:
    """The user's folders; raises as ``use``."""
    return _checked(os.environ.get(VARIABLE, ""))


@cache
def _checked(text: str) -> tuple[Path, ...]:
    found = tuple(dict.fromkeys(Path(each).expanduser().absolute() for each in text.split(os.pathsep) if each))
    for folder in found:
        if not folder.is_dir():
            raise UserError(f"there is no folder {folder}, which --with, with: or {VARIABLE} names")
        if not any((folder / each).is_dir() for each in ROOMS.values()):
            raise UserError(f"{folder} holds nothing to use: it needs a folder {', '.join(ROOMS.values())}")
    taken: dict[Path, Path] = {}
    for folder in found:
        for name, file in _names(folder):
            if name.parent in OF_IDS and not name.name.startswith("_"):  # which begins the names of helpers
                check_module_name(file)
            places = (ROOT / name).with_name(f"{name.name}.py"), ROOT / name
            theirs = next((each for each in places if each.exists()), taken.get(name))
            if theirs:
                raise UserError(f"{file} has the name of {shown(theirs)}: give it another")
            taken[name] = file
    return found


def listing() -> tuple[Path, ...]:
    """The modules and black boxes that there are now in the user's folders; raises as ``folders``."""
    return tuple(file for folder in folders() for _, file in _names(folder))


def look_again() -> None:
    """Forget what the user's folders held: the next call of ``use`` finds files that came since."""
    _checked.cache_clear()
    _extend_packages.cache_clear()


def _names(folder: Path) -> Iterator[tuple[Path, Path]]:
    """The modules of a folder of the user's: name without ending, and the file; black boxes with their ending."""
    for room, own in ROOMS.items():
        for file in sorted(_visible(folder / own, "**/*.py")):
            below = file.relative_to(folder / own)
            name = below.parent if file.name == "__init__.py" else below.with_suffix("")
            if name.parts:
                yield Path(room) / name, file
    for file in sorted(_visible(folder / ROOMS["algorithms"], "**/*.yaml")):
        yield Path("algorithms") / file.relative_to(folder / ROOMS["algorithms"]), file


def _visible(folder: Path, pattern: str) -> Iterator[Path]:
    """The files below a folder that match a pattern, without hidden ones, which editors leave."""
    for file in folder.glob(pattern):
        if not any(part.startswith(".") for part in file.relative_to(folder).parts):
            yield file


def is_module_name(text: str) -> bool:
    """Whether a file may have this name, without ending: its id has hyphens for underscores."""
    return re.fullmatch("[a-z][a-z0-9]*(_[a-z0-9]+)*", text) is not None and not keyword.iskeyword(text)


def check_module_name(file: Path) -> None:
    """Raise a UserError that says what to call a file, or the folder of an ``__init__.py``, if it gives no id."""
    named = file.parent if file.name == "__init__.py" else file
    if is_module_name(named.stem):
        return
    better = re.sub("[^a-z0-9]+", "_", named.stem.lower()).strip("_")
    if not is_module_name(better):
        wanted = f"small letters, digits and _, a letter first, such as my_steps{named.suffix}"
        raise UserError(f"{shown(named)}: give it another name, of {wanted}")
    raise UserError(f"{shown(named)}: name it {better}{named.suffix}; its id is then {better.replace('_', '-')}")


def shown(file: str | Path) -> str:
    """A file's name in messages: relative to the project's folder if it lies there."""
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def rooms(room: str) -> list[Path]:
    """The folders that hold the files of a room: the project's, then the user's."""
    own = inside(Path(room))
    return [ROOT / room, *([folder / own for folder in folders()] if own else [])]


def files(room: str, *patterns: str) -> dict[Path, Path]:
    """The files of a room that match a pattern: name relative to the project's folder -> where it lies; sorted."""
    found = {
        Path(room) / file.relative_to(folder): file
        for folder in rooms(room)
        for pattern in patterns
        for file in _visible(folder, pattern)
        if file.is_file()
    }
    return dict(sorted(found.items()))


def place(file: str | Path) -> Path:
    """Where a file lies, whose name is relative to the project's folder. If there is none: where it would lie."""
    name = Path(file)
    own = None if (ROOT / name).exists() else inside(name)
    theirs = [folder / own for folder in folders()] if own else []
    return next((each for each in theirs if each.exists()), ROOT / name)


def name_of(file: str | Path) -> Path | None:
    """The name of a file relative to the project's folder; None if it is in none of the rooms."""
    path = Path(file)
    for folder in folders():  # which may lie within the project's
        for room, own in ROOMS.items():
            if path.is_relative_to(folder / own):
                return Path(room) / path.relative_to(folder / own)
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else None


def owner(file: str | Path) -> Path | None:
    """The user's folder that a file lies in, whose name is relative to the project's; None if it is not theirs."""
    if not (own := folders()):  # asked hundreds of times a run
        return None
    there = place(file)
    return next((folder for folder in own if there.is_relative_to(folder)), None)


def note(files: dict[str, str]) -> None:
    """Keep which files, in which folders, a run was made with that is read: see ``hint``."""
    _of_runs.update(files)


def hint(name: str) -> str:
    """What to say of an unknown name: which file of a run it was, or that its folder is not named."""
    for file, folder in _of_runs.items():
        own = inside(Path(file))
        if own and Path(file).stem == name.replace("-", "_") and Path(folder) not in folders():
            return f"; the run was made with {Path(folder, own)}: add --with {folder}"
    return "" if folders() else f"; if it is yours, name its folder: --with DIR, or {VARIABLE}=DIR"


def inside(name: Path) -> Path | None:
    """Where a file of this name lies within a folder of the user's."""
    for room, own in ROOMS.items():
        if name.is_relative_to(room):
            return Path(own) / name.relative_to(room)
    return None
