"""Reading files of the user: ours against python-crfsuite's append loop and scikit-learn's loader."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from structbench import datasets
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.bench.measure.row import Row
from structbench.bench.runs import catalogue, problems

REPEATS = 3  # of which the fastest counts


def rows() -> Iterator[Row]:
    """Read CoNLL-2000 in CRFsuite's format, MNIST in svmlight's: CPU seconds, from file to arrays."""
    for peer in ("crfsuite", "sklearn"):
        catalogue.require(peer)
    from sklearn.datasets import load_svmlight_file

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "train.txt")
        _write(
            file,
            parts.label_sequences(problems.obtain("conll2000")[0].train),
            "y{}",
            "\t",
            lambda columns, _: [f"a{k}" for k in columns],
        )
        yield _row("crfsuite", file, "python-crfsuite's Trainer.append", _append, 0.5)
        _write(file, parts.classes(problems.obtain("mnist")[0].train), "{}", " ", _values)
        yield _row("svmlight", file, "scikit-learn's load_svmlight_file", load_svmlight_file, 1.0)


def _row(kind: str, file: Path, name: str, load: Callable[[str], object], most: float) -> Row:
    """Ours over theirs, which is to be ``most``."""

    def seconds(read: Callable[[], object]) -> float:
        started = time.process_time()
        read()
        return time.process_time() - started

    reads = (lambda: datasets.build(f"{kind}:{file}")), (lambda: load(str(file)))
    ours, theirs = (min(each) for each in zip(*(map(seconds, reads) for _ in range(REPEATS)), strict=True))
    what = f"CPU seconds of reading {file.stat().st_size / 1e6:.0f} MB of {kind}'s format, against {name}"
    ratio, target = f"{ours / theirs:.2g} x", f"at most {most:g} x"
    return Row("reading", what, f"{ours:.2f} s", f"{theirs:.2f} s", target, ours <= most * theirs, ratio)


def _values(columns: list[int], values: list[float]) -> list[str]:
    return [f"{column + 1}:{value:.6g}" for column, value in zip(columns, values, strict=True)]


def _write(file: Path, split: Any, label: str, separator: str, fields: Callable) -> None:
    """A row a line, its label and its fields; an empty line ends a sequence."""
    x, ends = sp.csr_array(ft.as_matrix(split.x)), {*getattr(split, "starts", [0])[1:]}
    with file.open("w", encoding="utf-8") as out:
        for r, y in enumerate(split.y):
            row = slice(x.indptr[r], x.indptr[r + 1])
            line = [label.format(y), *fields(x.indices[row].tolist(), x.data[row].tolist())]
            out.write(separator.join(line) + ("\n\n" if r + 1 in ends else "\n"))


def _append(file: str) -> object:
    """The loop of python-crfsuite's own example: lines are split, and items are lists of names."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    items: list[list[str]] = []
    labels: list[str] = []
    with open(file, encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if fields == [""]:
                trainer.append(items, labels)
                items, labels = [], []
            else:
                labels.append(fields[0])
                items.append(fields[1:])
    return trainer
