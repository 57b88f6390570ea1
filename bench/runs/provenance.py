"""What a run was made with: the source files it depends on and a hash of what they say, commit and machine."""

import ast
import hashlib
import json
import platform
import re
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import datasets
from algorithms.runtime.files import write_atomically
from bench.runs import catalogue, machine
from bench.runs.spec import Spec

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
MEMORY = ROOT / "results" / "kernels" / "programs.json"
IMPORT = re.compile(r"^[ \t]*from ((?:algorithms|datasets)[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
SCORES = sorted(file.name for file in Path(__file__).parent.glob("*_scores.py"))
PROTOCOL = tuple(f"bench/runs/{name}" for name in ("driver.py", "memory.py", "quality.py", *SCORES))


def files_of_data(data: str) -> list[Path]:
    """The data set's module and all that it imports of this project, relative to the project's folder."""
    module = datasets.parse(data).name.replace("-", "_")
    return _sorted(_imported(Path("datasets", f"{module}.py")) | _imported(Path("datasets/problems/storage.py")))


def files_of_run(spec: Spec) -> list[Path]:
    """The algorithm, the structure, and the driver: what decides a run's numbers once its data are given."""
    return _sorted(
        _imported(catalogue.file_of(spec.algorithm)) | _structure(spec.data) | {Path(name) for name in PROTOCOL}
    )


def files_of_breakdown(data: str) -> list[Path]:
    """The structure and the loops: what decides the measured cost of an update."""
    return _sorted(
        _imported(Path("bench/measure/breakdown.py")) | {Path("bench/runs/update_costs.py")} | _structure(data)
    )


def _structure(data: str) -> set[Path]:
    """The structure and what it imports; how the data set was read and stored shows in its fingerprint.

    If the structure is no file of its name, all structures that the data set's module imports.
    """
    place = Path("algorithms", "structures", datasets.structure(data))
    own = [file for file in (place.with_suffix(".py"), place / "__init__.py") if (ROOT / file).is_file()]
    if not own:
        own = [file for file in files_of_data(data) if file.parts[:2] == ("algorithms", "structures")]
    return set().union(*map(_imported, own))


def sha256(files: list[Path]) -> str:
    """Hash of the programs in these files: comments, docstrings and layout do not count."""
    digest = hashlib.sha256()
    for file, program in zip(files, _programs(files), strict=True):
        digest.update(f"{file.as_posix()} {program}\n".encode())
    return digest.hexdigest()


def _programs(files: list[Path]) -> list[str]:
    """Hash of each file's program; looked up for texts that were parsed before, half a second sooner."""
    texts = [_text(file) for file in files]
    names = [hashlib.sha256(text.encode()).hexdigest() for text in texts]
    known = _remembered()
    new = {name: _program(text) for name, text in zip(names, texts, strict=True) if name not in known}
    if new:
        with suppress(OSError):  # a memory of what can be found again
            write_atomically(MEMORY, json.dumps(known | new))
        known |= new
    return [known[name] for name in names]


def _remembered() -> dict[str, str]:
    try:
        return json.loads(MEMORY.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def _program(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _sorted(files: set[Path]) -> list[Path]:
    return sorted(file for file in files if file.name != "__init__.py")


@cache
def _text(file: Path) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


@cache
def _imported(file: Path) -> frozenset[Path]:
    """The file and those of ``algorithms`` and ``datasets`` that it imports, directly or not."""
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += _direct(file)
    return frozenset(found)


@cache
def _direct(file: Path) -> tuple[Path, ...]:
    """What a file imports, and the ``__init__.py`` of the rooms on the way there, which are run first."""
    modules = []
    for package, names in IMPORT.findall(_text(file)):
        words = (name.split(" as ")[0].split("#")[0].strip(" ()\n") for name in names.split(","))
        modules += [package, *(f"{package}.{name}" for name in words if name)]
    paths = [Path(*module.split(".")) for module in modules]
    rooms = dict.fromkeys(room for path in paths for room in (path, *path.parents) if len(room.parts) > 1)
    found = [path.with_suffix(".py") for path in paths] + [room / "__init__.py" for room in rooms]
    return tuple(path for path in found if (ROOT / path).is_file())


def environment(threads: int, alone: bool | None) -> dict[str, Any]:
    """Commit, machine and versions that a run which begins now is made with.

    Args:
        alone: whether nothing else is run beside it; None where that is not known.
    """
    return {
        "git_commit": _commit(),
        **machine.facts(),
        "alone": alone,
        "threads": threads,
        "python": platform.python_version(),
        **_versions(),
        "lock_sha256": _lock_sha256(),
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
    }


@cache
def _versions() -> dict[str, str]:
    return {name: version(name) for name in ("numba", "numpy", "scipy")}


@cache
def _lock_sha256() -> str | None:
    """Hash of the pins of everything that is installed; None in a copy of the project without them."""
    try:
        return hashlib.sha256(LOCK.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


@cache  # a process has the programs that it began with, and the runs of a batch are many
def _commit() -> str:
    """The commit of the checkout, with a + where its programs or new ones differ; ``unknown`` outside of one."""
    git = ["git", "-C", str(ROOT)]
    try:
        said = [
            subprocess.run([*git, *words], capture_output=True, text=True, check=True).stdout.strip()
            for words in (["rev-parse", "HEAD"], ["status", "--porcelain", "algorithms", "bench", "datasets"])
        ]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return said[0] + ("+" if said[1] else "")
