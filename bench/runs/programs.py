"""Find the source files that a run's results depend on, by following imports, and hash their code.

Their imports find them. The first ones are the run's algorithm, loss, structure and scores, and the protocol.
``NEUTRAL`` names files on which no number depends, each with the reason. What counts of a file: ``program_text``.
"""

import ast
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from structbench.algorithms.learning import declaration
from structbench.algorithms.losses import family
from structbench.algorithms.runtime import kernel_folder
from structbench.algorithms.runtime.files import write_atomically
from structbench.algorithms.runtime.own_folders import folders, owner, place
from structbench.bench.runs import algorithm_files, program_text
from structbench.bench.runs.spec import Spec
from structbench.datasets import DataRef

MEMORY = kernel_folder.home() / "program_hashes.json"
PROTOCOL = (
    "bench/runs/driver.py",
    "bench/runs/machine.py",
    "bench/runs/memory.py",
    "bench/runs/writing.py",
    "datasets/problems/storage.py",
)
NEUTRAL = {
    "it is about files and locks": (
        "algorithms/runtime/files.py",
        "algorithms/runtime/kernel_cache.py",  # its stamps say what a kernel computes
        "algorithms/runtime/kernel_folder.py",
        "algorithms/runtime/own_folders.py",
        "bench/runs/ahead.py",
        "bench/runs/documents.py",
        "bench/runs/hosts.py",
        "bench/runs/results.py",
        "bench/runs/seals.py",
        "bench/runs/store.py",
        "bench/runs/unfinished.py",
        "structbench/__init__.py",
    ),
    "it is about texts that people read": (
        "algorithms/runtime/commands.py",
        "algorithms/runtime/compiling.py",
        "algorithms/runtime/errors.py",
        "algorithms/runtime/names.py",
        "bench/drawing/",
        "bench/runs/anybodys_code.py",
        "bench/runs/faults.py",
        "bench/runs/news.py",
        "bench/runs/odd_labels.py",
    ),
    "it makes the spec, which is compared": (
        "algorithms/runtime/modules.py",
        "algorithms/runtime/options.py",
        "bench/__main__.py",
        "bench/runs/algorithm_files.py",
        "bench/runs/aliases.py",
        "bench/runs/catalogue.py",
        "bench/runs/execute.py",
        "bench/runs/objective_names.py",
        "bench/runs/patches.py",
        "bench/runs/spec.py",
        "bench/verbs/",
    ),
    "its calls end a run, or do nothing": ("algorithms/learning/refusals.py", "bench/runs/refusals.py"),
    "it makes the problem, whose fingerprint is compared": ("bench/runs/problem_store.py", "datasets/"),
    "it says what a run was made with, and whether it is current": (
        "bench/runs/left_threads.py",
        "bench/runs/loaded.py",
        "bench/runs/program_text.py",
        "bench/runs/programs.py",
        "bench/runs/provenance.py",
        "algorithms/runtime/settings.py",
        "bench/runs/seen.py",
        "bench/runs/state.py",
        "requirements.lock",
    ),
}
FETCHING = ("availability", "download", "mirror", "network", "sources")  # in datasets/fetching
BLACK_BOX = "algorithms/black_boxes/declared.py"  # reads the YAML file of a black box
WORD = re.compile(r"(?:\{folder\}/)?([\w./-]+)")  # in it, maybe the name of a file beside it
REFERENCES = re.compile(r"^references:.*\n", re.MULTILINE)  # in it: no number depends on them


@cache  # hundreds of kinds of runs ask for it
def is_neutral(file: Path) -> bool:
    """Whether no number of a run depends on a file, given relative to the project's folder."""
    name = file.as_posix()
    if name in PROTOCOL or name == "datasets/problems/problem.py" or name.startswith("datasets/scores/"):
        return False
    listed = [*itertools.chain(*NEUTRAL.values())]
    return name in listed or name.startswith(tuple(each for each in listed if each.endswith("/")))


def of_data(data: DataRef) -> list[Path]:
    """The files that make a data set's problem, relative to the project's folder."""
    return _of_data(data.name)


@cache  # thousands of runs ask for it
def _of_data(name: str) -> list[Path]:
    own = Path("datasets", f"{name.replace('-', '_')}.py")
    return _closed([own, Path(PROTOCOL[-1])], _makes_no_problem)


def _makes_no_problem(file: Path) -> bool:
    """Whether no problem depends on a file. Downloads are checked by their SHA-256, whatever fetched them."""
    if file.parts[0] == "datasets":
        return file.parts[1] == "fetching" and file.stem in FETCHING
    return file.parts[0] == "bench" or is_neutral(file)


def of_run(spec: Spec) -> list[Path]:
    """The files that decide a run's numbers once its problem is given, relative to the project's folder."""
    return _of_kind(*_kind(spec))


def _kind(spec: Spec) -> tuple[str, str, tuple[str, ...], tuple[Path, ...]]:
    """What decides which programs a run has: its algorithm, loss, scores and the structure's files."""
    return spec.algorithm, family.kind(spec.loss), spec.data.scores, _of_structure(spec.data)


@cache
def _of_kind(algorithm: str, loss: str, scores: tuple[str, ...], structure: tuple[Path, ...]) -> list[Path]:
    start = [algorithm_files.file_of(algorithm), *map(Path, PROTOCOL)]
    start += [] if loss == declaration.NO_LOSS else [family.file_of(loss)]
    start += [Path("datasets", "scores", f"{name}.py") for name in scores]
    return _closed([*start, *structure], is_neutral)


def of_breakdown(data: DataRef) -> list[Path]:
    """The files that decide the measured cost of an update."""
    start = [Path("bench/workflow/breakdown.py"), Path("bench/runs/update_costs.py")]
    return _closed([*start, *_of_structure(data)], is_neutral)


@cache
def _of_structure(data: DataRef) -> tuple[Path, ...]:
    """The structure's file or room. If it lies elsewhere: all structures that the data set imports."""
    module = Path("algorithms", "structures", data.structure.replace("-", "_"))
    own = [file for file in (module.with_suffix(".py"), module / "__init__.py") if place(file).is_file()]
    elsewhere = (file for file in of_data(data) if file.parts[:2] == ("algorithms", "structures"))
    return tuple(own) or tuple(elsewhere)


def sha256(files: Iterable[Path]) -> str:
    """Hash of the programs in these files."""
    with _memory():
        lines = [f"{file.as_posix()} {_read(file)[0]}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def sha256_of_run(spec: Spec) -> str:
    """Hash of the programs that decide a run's numbers; fast for the thousandth run of a kind."""
    return _sha256_of_kind(*_kind(spec))


@cache
def _sha256_of_kind(*kind: Any) -> str:
    return sha256(_of_kind(*kind))


def sha256_of_data(data: DataRef) -> str:
    """Hash of the programs that make a data set's problem."""
    return sha256(of_data(data))


def own_files(spec: Spec) -> dict[str, str]:
    """The files of the user's folders that decide a run's problem or numbers -> their folder."""
    found = {file: owner(file) for file in (*of_data(spec.data), *of_run(spec))}
    return {file.as_posix(): str(folder) for file, folder in sorted(found.items()) if folder}


def _closed(start: Iterable[Path], is_left_out: Callable[[Path], bool]) -> list[Path]:
    """These files and those that they import, directly or not; not beyond what is left out."""
    found: set[Path] = set()
    waiting = [*start]
    inits = {room / "__init__.py" for file in waiting for room in file.parents}
    waiting += [each for each in inits if place(each).is_file()]
    with _memory():
        while waiting:
            file = waiting.pop()
            if file not in found and not is_left_out(file):
                found.add(file)
                waiting += _read(file)[1]
    return sorted(found)


@contextmanager
def _memory() -> Iterator[None]:
    """Keep what is found out meanwhile."""
    known = len(_remembered())
    yield
    if len(_remembered()) > known:
        with suppress(OSError):  # a memory of what can be found again
            write_atomically(MEMORY, json.dumps({"by": _made_by(), "known": _remembered()}))


def own_of(specs: Iterable[Spec]) -> list[Path]:
    """The files of the user's folders that decide these runs; fast for thousands of a kind."""
    if not folders():
        return []
    kinds = {(spec.algorithm, family.kind(spec.loss), spec.data.name): spec for spec in specs}
    return sorted({Path(name) for spec in kinds.values() for name in own_files(spec)})


def remember(file: Path) -> None:
    """Remember what a file says before it is imported, if it can be read."""
    with suppress(OSError, SyntaxError, ValueError):
        _read(file)


def is_edited(file: Path) -> bool:
    """Whether a file says something else than when this process first read it."""
    try:
        return _read(file)[0] != _read_now(file)[0]
    except (OSError, SyntaxError, ValueError):
        return True


@cache
def _read(file: Path) -> tuple[str, tuple[Path, ...]]:
    """As ``_read_now`` when this process first read it: its module is imported once."""
    return _read_now(file)


def _read_now(file: Path) -> tuple[str, tuple[Path, ...]]:
    """Hash of a file's program, and the files of this project that it imports; both are remembered by its text."""
    content = place(file).read_bytes()  # a module says its encoding itself
    if file.suffix not in (".py", algorithm_files.YAML):  # a program of a black box
        return hashlib.sha256(content).hexdigest(), ()
    if file.suffix == algorithm_files.YAML:
        return _of_black_box(content.decode(), file)
    name, known = hashlib.sha256(f"{file.parent} ".encode() + content).hexdigest(), _remembered()
    if name not in known:
        tree = ast.parse(content)
        imports = program_text.imports(tree, file)
        known[name] = [program_text.sha256(tree), imports]
    program, imported = known[name]
    return program, tuple(each for each in map(_file, imported) if each)


@cache
def _file(name: str) -> Path | None:
    """The file of this name, if there is one."""
    return Path(name) if place(name).is_file() else None


def _of_black_box(text: str, file: Path) -> tuple[str, tuple[Path, ...]]:
    """Hash of what a black box's file declares, and the files beside it that it names, or that these import."""
    import yaml

    waiting, beside = [file.parent / each for each in WORD.findall(text)], set()
    while waiting:
        each = waiting.pop()
        if each != file and each not in beside and place(each).is_file():
            beside.add(each)
            if each.suffix == ".py":
                own = program_text.beside(place(each).read_text(encoding="utf-8", errors="replace"))
                waiting += [folder / name for folder in {each.parent, file.parent} for name in own]
    said = json.dumps(yaml.safe_load(REFERENCES.sub("", text)), sort_keys=True, default=str)
    return hashlib.sha256(said.encode()).hexdigest(), (Path(BLACK_BOX), *sorted(beside))


@cache
def _remembered() -> dict[str, list]:
    """Hash of a text -> hash of its program, and what it imports; parsing takes half a second."""
    try:
        found = json.loads(MEMORY.read_text(encoding="utf-8"))
        known = found["known"] if found["by"] == _made_by() else {}
        return {name: [str(program), [*map(str, files)]] for name, (program, files) in known.items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return {}


def _made_by() -> str:
    """Hash of the programs that make the hashes: what others made is not believed."""
    files = (Path(__file__), Path(program_text.__file__))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
