"""Reading files of the user: ours against python-crfsuite's append loop and scikit-learn's loader."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import datasets
from algorithms.structures import features as ft
from algorithms.structures import interface as parts
from bench.measure.row import Row
from bench.runs import catalogue, problems

REPEATS = 3  # of which the fastest counts
FASTER = {"crfsuite": 2.0, "svmlight": 1.0}  # than theirs


def rows() -> Iterator[Row]:
    """Read CoNLL-2000 in CRFsuite's format, MNIST in svmlight's: CPU seconds, from file to arrays."""
    for peer in ("crfsuite", "sklearn"):
        catalogue.require(peer)
    with tempfile.TemporaryDirectory() as folder:
        sequences, images = Path(folder, "train.crf"), Path(folder, "train.svm")
        write_sequences(sequences)
        write_images(images)
        yield _row("crfsuite", sequences, "python-crfsuite's Trainer.append", _append)
        yield _row("svmlight", images, "scikit-learn's load_svmlight_file", _load)


def _row(kind: str, file: Path, name: str, theirs: Callable[[Path], object]) -> Row:
    fastest = {"ours": np.inf, "theirs": np.inf}
    for _ in range(REPEATS):
        for who, read in (("ours", lambda: datasets.build(f"{kind}:{file}")), ("theirs", lambda: theirs(file))):
            started = time.process_time()
            read()
            fastest[who] = min(fastest[who], time.process_time() - started)
    ratio, wanted = fastest["theirs"] / fastest["ours"], FASTER[kind]
    what = f"read {file.stat().st_size / 1e6:.0f} MB of {kind}'s format, against {name}"
    ours = f"{fastest['ours']:.2f} s, {ratio:.2f} x faster"
    return Row("reading", what, ours, f"{fastest['theirs']:.2f} s", f"at least {wanted:g} x", ratio >= wanted)


def write_sequences(file: Path, data: str = "conll2000") -> None:
    """The training sentences of a chain: a token a line, its label, then its attributes, called a17, a18, ..."""
    import scipy.sparse as sp

    split = parts.label_sequences(problems.obtain(data)[0].train)
    x = sp.csr_array(ft.as_matrix(split.x))
    ends = set(split.starts[1:].tolist())
    with file.open("w", encoding="utf-8") as out:
        for t in range(x.shape[0]):
            columns = x.indices[x.indptr[t] : x.indptr[t + 1]]
            out.write("\t".join([f"y{split.y[t]}", *(f"a{column}" for column in columns)]) + "\n")
            if t + 1 in ends:
                out.write("\n")


def write_images(file: Path, data: str = "mnist") -> None:
    """The training images of a multiclass problem: a row a line, its class, then INDEX:VALUE pairs."""
    import scipy.sparse as sp

    split = parts.classes(problems.obtain(data)[0].train)
    x = sp.csr_array(ft.as_matrix(split.x))
    with file.open("w", encoding="utf-8") as out:
        for r in range(x.shape[0]):
            row = slice(x.indptr[r], x.indptr[r + 1])
            pairs = zip(x.indices[row], x.data[row], strict=True)
            out.write(
                " ".join([str(split.y[r]), *(f"{column + 1}:{value:.6g}" for column, value in pairs)]) + "\n"
            )


def _append(file: Path) -> object:
    """The loop of python-crfsuite's own example: lines are split, and items are lists of names."""
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    items: list[list[str]] = []
    labels: list[str] = []
    with file.open(encoding="utf-8") as lines:
        for line in lines:
            fields = line.rstrip("\n").split("\t")
            if fields == [""]:
                trainer.append(items, labels)
                items, labels = [], []
            else:
                labels.append(fields[0])
                items.append(fields[1:])
    return trainer


def _load(file: Path) -> object:
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(str(file))
