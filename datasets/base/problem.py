"""A problem: a data set as arrays for one structure, stored so that parallel runs share its pages."""

import errno
import hashlib
import itertools
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.structures import chain, features, multiclass

TYPES = {
    t.__name__: t
    for t in (features.Dense, features.Sparse, features.Binary, multiclass.Multiclass, chain.Chain)
}


class Problem(NamedTuple):
    """A training split, a split on which errors are reported (or None), and the names of the labels.

    ``bio``: the labels are B-, I- and O tags, so that chunk F1 is reported too.
    """

    train: Any
    test: Any
    labels: tuple[str, ...]
    bio: bool = False


def is_bio(labels: list[str] | tuple[str, ...]) -> bool:
    """Whether all labels are O, B-something or I-something, with at least one B-."""
    tags = all(label == "O" or label[:2] in ("B-", "I-") for label in labels)
    return tags and any(label.startswith("B-") for label in labels)


def save(problem: Problem, folder: Path) -> None:
    """Write the problem to ``folder``, which takes its name only when complete.

    Raises:
        OSError: it cannot be written (the disk is full, say); what ``folder`` held before is still there.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as scratch:
        complete = Path(scratch, "complete")
        complete.mkdir()
        described = {name: _describe(getattr(problem, name), name, complete) for name in ("train", "test")}
        described |= {"labels": problem.labels, "bio": problem.bio, "sha256": fingerprint(problem)}
        (complete / "problem.json").write_text(json.dumps(described, indent=1))
        for attempt in itertools.count():
            try:
                os.replace(complete, folder)
                return
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
            with suppress(FileNotFoundError):  # another process may have moved it
                os.replace(folder, Path(scratch, f"before{attempt}"))


def load(folder: Path) -> Problem:
    """Read a stored problem; its arrays are memory-mapped, read-only.

    Raises:
        FileNotFoundError: there is no complete problem in ``folder``.
    """
    described = json.loads((folder / "problem.json").read_text())
    splits = (_restore(described[name], folder) for name in ("train", "test"))
    return Problem(*splits, tuple(described["labels"]), described["bio"])


def stored_fingerprint(folder: Path) -> str:
    """The fingerprint with which a stored problem was written."""
    return json.loads((folder / "problem.json").read_text())["sha256"]


def fingerprint(problem: Problem) -> str:
    """SHA-256 of all arrays and labels: two problems with the same one are the same."""
    digest = hashlib.sha256(repr((problem.labels, problem.bio)).encode())
    for split in (problem.train, problem.test):
        for path, leaf in _leaves(split, ""):
            array = np.asarray(leaf)
            digest.update(f"{path}{array.dtype}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _leaves(node: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(node, tuple):
        for name, child in zip(node._fields, node, strict=True):
            yield from _leaves(child, f"{path}.{name}")
    elif node is not None:
        yield path, node


def _describe(node: Any, path: str, folder: Path) -> Any:
    if node is None or isinstance(node, int):
        return node
    if isinstance(node, np.ndarray):
        np.save(folder / f"{path}.npy", node)
        return {"array": path}
    children = zip(node._fields, node, strict=True)
    return {"type": type(node).__name__} | {n: _describe(child, f"{path}.{n}", folder) for n, child in children}


def _restore(described: Any, folder: Path) -> Any:
    if described is None or isinstance(described, int):
        return described
    if "array" in described:
        mapped = np.load(folder / f"{described['array']}.npy", mmap_mode="r")
        return np.asarray(mapped)  # a view of plain type, the one that kernels are compiled for
    cls = TYPES[described["type"]]
    return cls(**{name: _restore(described[name], folder) for name in cls._fields})
