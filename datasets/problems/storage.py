"""Problems as folders of files, memory-mapped when read, so that parallel runs share their pages."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.files import atomic_folder
from structbench.algorithms.structures.inner_products import Products
from structbench.algorithms.structures.structure_types import structure_type
from structbench.datasets.problems.problem import Names, Problem, Vocabulary

ARRAYS = ("train", "test", "punctuation", "brackets", "validation")
VOCABULARY = "vocabulary.npz"  # apart: a run does not need it
NUMBERS = ("tags", "attributes", "key_attributes")


def save(problem: Problem, folder: Path) -> None:
    """Write the problem to ``folder``, which takes its name only when complete.

    Raises:
        UserError: It cannot be written (the disk is full, say); what ``folder`` held before is still there.
    """
    try:
        with atomic_folder(folder) as partial:
            described = {name: _describe(getattr(problem, name), name, partial) for name in ARRAYS}
            described |= {name: getattr(problem, name) for name in ("labels", "scores", "unseen", *NUMBERS)}
            described["sha256"] = fingerprint(problem)
            described["has vocabulary"] = problem.vocabulary is not None
            if problem.vocabulary is not None:
                save_vocabulary(problem.vocabulary, partial)
            (partial / "problem.json").write_text(json.dumps(described, indent=1), encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"cannot write the problem {folder}: {error.strerror or f'the disk is full ({error})'}"
        ) from error


def load(folder: Path) -> Problem:
    """Read a stored problem without its vocabulary; its arrays are memory-mapped, read-only.

    Raises:
        FileNotFoundError: There is no complete problem in ``folder``.
    """
    described = _read(folder)
    arrays = {name: _restore(described.get(name), folder) for name in ARRAYS}
    numbers = {name: tuple(described[name]) for name in ("labels", "scores", "unseen", *NUMBERS)}
    return Problem(**numbers, **arrays)


def vocabulary(folder: Path) -> Vocabulary | None:
    """The vocabulary that a folder holds; None if it has none."""
    try:
        with np.load(folder / VOCABULARY) as file:
            found = {name: file[name] for name in file}
    except FileNotFoundError:
        return None
    read = {name: json.loads(text.tobytes()) for name, text in found.items() if text.dtype == np.uint8}
    return found | {name: Names(each) if isinstance(each, list) else each for name, each in read.items()}


def is_whole(folder: Path) -> bool:
    """Whether a stored problem has its vocabulary, if it ever had one."""
    return _read(folder).get("has vocabulary") == (folder / VOCABULARY).is_file()


def save_vocabulary(vocabulary: Vocabulary, folder: Path) -> None:
    """Write a vocabulary to a folder: arrays as they are, lists of names as the bytes of their JSON."""
    arrays: dict[str, Any] = {
        name: each if isinstance(each, np.ndarray) else np.frombuffer(json.dumps(each).encode(), np.uint8)
        for name, each in vocabulary.items()
    }
    np.savez(folder / VOCABULARY, **arrays)


def stored_fingerprint(folder: Path) -> str:
    """The fingerprint with which a stored problem was written."""
    return _read(folder)["sha256"]


def _read(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "problem.json").read_text(encoding="utf-8"))


def fingerprint(problem: Problem) -> str:
    """SHA-256 of all arrays and labels: two problems with the same one are the same."""
    optional = [getattr(problem, name) for name in (*NUMBERS, "unseen")]
    labels = problem.labels
    were_tags = all(label == "O" or label[:2] in ("B-", "I-") for label in labels)
    were_tags = were_tags and any(label.startswith("B-") for label in labels)
    named = (labels, were_tags, *filter(None, optional))  # as in the runs that name it
    digest = hashlib.sha256(repr(named).encode())
    nodes = {"train": "", "test": ""} | {name: name for name in ARRAYS[2:]}
    for node, name in nodes.items():
        for path, leaf in _leaves(getattr(problem, node), name):
            array, path = np.asarray(leaf), path.replace("part_starts", "arc_starts")  # also as in these runs
            digest.update(f"{path}{array.dtype}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _leaves(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(node, tuple):
        node = node.as_floats() if isinstance(node, Products) else node  # also as in these runs
        for name, child in _fields(node).items():
            yield from _leaves(child, f"{path}.{name}")
    elif node is not None:
        yield path, node


def _fields(node: Any) -> dict[str, Any]:
    """A structure's fields that are not at their defaults. So a new field changes no other problem's hash."""
    defaults = node._field_defaults
    return {
        name: child
        for name, child in node._asdict().items()
        if not (name in defaults and np.array_equal(child, defaults[name]))
    }


def _describe(node: Any, path: str, folder: Path) -> Any:
    """``node`` in JSON, with its arrays in files of ``folder``."""
    if node is None or isinstance(node, int):
        return node
    if isinstance(node, np.ndarray):
        np.save(folder / f"{path}.npy", node)
        return {"array": path}
    fields = {name: _describe(child, f"{path}.{name}", folder) for name, child in _fields(node).items()}
    return {"structure": getattr(node, "id", None), "fields": fields}


def _restore(described: Any, folder: Path, declared: Any = None) -> Any:
    """What was described; of the structure that it names, or else of the type that its place declares."""
    if described is None or isinstance(described, int):
        return described
    if "array" in described:
        mapped = np.load(folder / f"{described['array']}.npy", mmap_mode="r")
        return np.asarray(mapped)  # a view of plain type, the one that kernels are compiled for
    made = structure_type(described["structure"]) if described["structure"] else declared
    hints = get_type_hints(made)
    return made(**{name: _restore(child, folder, hints[name]) for name, child in described["fields"].items()})
