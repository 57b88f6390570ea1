"""Which source files a run depends on, and a hash of what they say."""

import ast
import hashlib
from functools import cache
from pathlib import Path

import datasets
from bench import catalogue
from bench.spec import Spec

ROOT = Path(__file__).resolve().parent.parent
PROTOCOL = ("bench/run.py", "bench/chunks.py", "bench/memory.py")


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
    return _sorted(_imported(Path("bench/breakdown.py")) | _structure(data))


def _structure(data: str) -> set[Path]:
    """The structure and what it imports; how the data set was read and stored shows in its fingerprint."""
    own = {file for file in files_of_data(data) if file.parts[:2] == ("algorithms", "structures")}
    return own.union(*map(_imported, own))


def sha256(files: list[Path]) -> str:
    """Hash of the programs in these files: comments, docstrings and layout do not count."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.as_posix()}\n{_program(file)}\n".encode())
    return digest.hexdigest()


def _sorted(files: set[Path]) -> list[Path]:
    return sorted(file for file in files if file.name != "__init__.py")


@cache
def _tree(file: Path) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


@cache
def _program(file: Path) -> str:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return ast.dump(tree)


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
    names = []
    for node in ast.walk(_tree(file)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    paths = [Path(*name.split(".")).with_suffix(".py") for name in names]
    return tuple(p for p in paths if p.parts[0] in ("algorithms", "datasets") and (ROOT / p).is_file())
