"""The rooms of the code: no import circles, floors that only look down, and a floor for every room.

All imports count, wherever in a file they stand. ``from a.b import c`` is an import of the file ``a/b/c.py`` if
there is one, else of ``a/b``.
"""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("algorithms", "bench", "datasets")

# From below. A room is on the floor of the longest of these that is its path or leads to it; it may import
# from the floors below, and from itself. Rooms of one tuple share a floor: they do not import each other.
FAMILIES = (
    "algorithms/exponentiated_gradient",
    "algorithms/coordinate_ascent",
    "algorithms/cutting_planes",
    "algorithms/gradient",
    "algorithms/sparse_margin",
    "algorithms/mistake_driven",
    "algorithms/kernel_methods",
    "algorithms/memory_based",
    "algorithms/generative",
    "algorithms/reductions",
    "algorithms/black_boxes",
)
FLOORS = {
    "algorithms": (
        ("algorithms/runtime",),
        ("algorithms/structures", "algorithms/search"),
        ("algorithms/losses",),
        ("algorithms/learning",),
        FAMILIES,
    ),
    "bench": (
        ("bench/runs",),
        ("bench/drawing", "bench/estimators"),
        ("bench/papers",),  # the files there, which papers share
        ("bench/papers/*",),  # each paper
        ("bench/workflow",),
        ("bench/measure",),
        ("bench/tracking", "bench/report", "bench/sharing"),
        ("bench/checks",),
        ("bench/verbs",),
        ("bench",),  # the command line
    ),
}
# What one package may import of another. An algorithm never knows where its data come from or who runs it.
ABROAD = {
    "algorithms": (),
    "datasets": ("algorithms/runtime", "algorithms/structures", "algorithms/search"),
    "bench": ("algorithms", "datasets"),
}
# Rooms that share a floor and import each other all the same, if not in circles.
NEIGHBOURS = (FAMILIES, ("algorithms/structures", "algorithms/search"))


def files(package: str, root: Path = ROOT) -> list[str]:
    """All modules of a package, as paths from ``root``."""
    return sorted(file.relative_to(root).as_posix() for file in (root / package).rglob("*.py"))


@cache
def imports(file: str, root: Path = ROOT) -> frozenset[str]:
    """The files of the three packages that a file imports."""
    found = set()
    for node in ast.walk(ast.parse((root / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {_file(alias.name, root) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{file}: write imports in full, without leading dots"
            for alias in node.names:
                found.add(_file(f"{node.module}.{alias.name}", root) or _file(node.module or "", root))
    return frozenset(found - {None})


def _file(module: str, root: Path) -> str | None:
    package, *parts = module.split(".")
    if package == "structbench" and parts:
        path = Path(*parts)
        for found in (path.with_suffix(".py"), path / "__init__.py"):
            if (root / found).is_file():
                return found.as_posix()
    return None


def circles(graph: dict[str, frozenset[str]]) -> list[list[str]]:
    """Sets of files each of which imports itself through the others (Tarjan 1972)."""
    number: dict[str, int] = {}
    least: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(file: str) -> None:
        number[file] = least[file] = len(number)
        stack.append(file)
        for other in graph[file] & graph.keys():
            if other not in number:
                visit(other)
                least[file] = min(least[file], least[other])
            elif other in stack:
                least[file] = min(least[file], number[other])
        if least[file] == number[file]:
            at = stack.index(file)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for file in graph:
        if file not in number:
            visit(file)
    return [sorted(circle) for circle in found if len(circle) > 1 or circle[0] in graph[circle[0]]]


def room_of(file: str) -> str:
    """The room that a file is in: its folder, of a package's own files the package."""
    return Path(file).parent.as_posix()


def floor_of(file: str) -> tuple[int, str]:
    """The number of a file's floor, and the room there that the file belongs to.

    Raises:
        LookupError: nobody gave its room a floor.
    """
    room = room_of(file)
    package = room.partition("/")[0]
    if room == package and Path(file).name == "__init__.py":  # holds nothing
        return -1, package
    best: tuple[int, int, str] | None = None
    for number, rooms in enumerate(FLOORS[package]):
        for one in rooms:
            owner = _owner(room, one, package)
            if owner and (best is None or len(one) > best[0]):
                best = (len(one), number, owner)
    if best is None:
        raise LookupError(f"{room} has no floor: give it one in FLOORS of tests/test_rooms.py")
    return best[1:]


def _owner(room: str, pattern: str, package: str) -> str | None:
    """The part of ``room`` that a pattern of ``FLOORS`` names, if it does; ``/*`` names each folder there."""
    if pattern == package:  # its own files, not its rooms
        return room if room == package else None
    if pattern.endswith("/*"):
        above = pattern.removesuffix("*")
        return above + room.removeprefix(above).partition("/")[0] if room.startswith(above) else None
    return pattern if room == pattern or room.startswith(f"{pattern}/") else None


def fits(file: str, other: str) -> bool:
    """Whether the floors let a file import another of the same package."""
    (mine, room), (theirs, next_door) = floor_of(file), floor_of(other)
    if mine != theirs or room == next_door:
        return theirs <= mine
    return any({room, next_door} <= set(rooms) for rooms in NEIGHBOURS)


def package_of(file: str) -> str:
    return file.partition("/")[0]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_two_files_import_each_other(package):
    assert circles({file: imports(file) for file in files(package)}) == []


def test_no_packages_import_each_other():
    everything = {file: imports(file) for package in PACKAGES for file in files(package)}
    assert circles(everything) == []


@pytest.mark.parametrize("package", FLOORS)
def test_every_room_has_a_floor(package):
    for file in files(package):
        floor_of(file)


@pytest.mark.parametrize("package", FLOORS)
def test_nothing_imports_upwards(package):
    upwards = [
        f"{file} imports {other}"
        for file in files(package)
        for other in sorted(imports(file))
        if package_of(other) == package and not fits(file, other)
    ]
    assert not upwards, "\n".join(upwards)


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_import_only_what_lies_below_them(package):
    strangers = [
        f"{file} imports {other}"
        for file in files(package)
        for other in sorted(imports(file))
        if package_of(other) != package and not other.startswith(tuple(f"{room}/" for room in ABROAD[package]))
    ]
    assert not strangers, "\n".join(strangers)


@pytest.mark.parametrize("room", ["algorithms/quantum", "bench/astrology"])
def test_a_new_room_without_a_floor_is_named(room):
    with pytest.raises(LookupError, match=f"{room} has no floor: give it one in FLOORS"):
        floor_of(f"{room}/one.py")


def test_a_new_paper_has_the_floor_of_papers():
    assert floor_of("bench/papers/new2026/runs.py") == floor_of("bench/papers/new2026/deep/runs.py")
    assert fits("bench/papers/new2026/runs.py", "bench/papers/new2026/setting.py")
    assert fits("bench/papers/new2026/runs.py", "bench/papers/judging.py")
    assert not fits("bench/papers/judging.py", "bench/papers/new2026/runs.py")
    assert not fits("bench/papers/new2026/runs.py", "bench/papers/eg2008/runs.py")
    assert not fits("bench/papers/new2026/runs.py", "bench/report/report.py")


def test_imports_are_seen_wherever_they_stand(tmp_path):
    folder = tmp_path / "bench" / "runs"
    folder.mkdir(parents=True)
    (tmp_path / "bench" / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("")
    (folder / "one.py").write_text("def late():\n    from structbench.bench.runs import two\n")
    (folder / "two.py").write_text("if True:\n    import structbench.bench.runs.three\n")
    both = ("from structbench.bench.runs.one import late", "from structbench.bench.runs import NAME", "")
    (folder / "three.py").write_text("\n".join(both))
    found = {file: imports(file, tmp_path) for file in files("bench", tmp_path)}
    assert found["bench/runs/three.py"] == {"bench/runs/one.py", "bench/runs/__init__.py"}
    assert circles(found) == [["bench/runs/one.py", "bench/runs/three.py", "bench/runs/two.py"]]


MOST_LINES = 300


@pytest.mark.parametrize("package", PACKAGES)
def test_a_file_is_short(package):
    found = {file: (ROOT / file).read_text(encoding="utf-8").count("\n") for file in files(package)}
    long = {file: lines for file, lines in found.items() if lines > MOST_LINES}
    assert not long, f"divide what has more than one idea: {long}"
