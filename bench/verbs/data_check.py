"""``data check``: what a data set holds, and what is odd about it, before anything is learned."""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from structbench.algorithms.runtime.names import first_of
from structbench.algorithms.structures import features, prediction
from structbench.algorithms.structures import interface as parts
from structbench.bench.drawing.terminal import print_table
from structbench.bench.runs import odd_labels, problem_store
from structbench.datasets import build, data_ref
from structbench.datasets.problems.problem import Problem
from structbench.datasets.scores.labels import schemes

LARGE, WIDE = 10.0, 1000.0  # values of features: above the second, or that many times others and above the first
RARE = 1  # a label that training has this often cannot be learned
SIZES = ("examples", "decisions", "longest")  # of a split


class Split(NamedTuple):
    """What a split holds.

    unseen: Decisions whose labels training lacks. bare: Decisions without features; None if features are not of
    decisions. counts: How often it has each label.
    """

    examples: int
    decisions: int
    longest: int
    unseen: int
    bare: int | None
    counts: np.ndarray

    def record(self) -> dict[str, int]:
        """The numbers for other programs."""
        bare = {} if self.bare is None else {"without features": self.bare}
        return {name: getattr(self, name) for name in (*SIZES, "unseen")} | bare


class Checked(NamedTuple):
    """What a data set holds, and what is odd about it."""

    structure: str
    scheme: str  # of tags of chunks; empty if the labels are none
    weights: int
    splits: dict[str, Split]  # by name: train, and maybe validation and test
    labels: tuple[str, ...]
    odd: list[str]

    def rows(self) -> list[dict[str, str | int]]:
        """A row for each label, with its counts."""
        rows: list[dict[str, str | int]] = [{"label": label} for label in self.labels]
        for name, split in self.splits.items():
            for row, count in zip(rows, split.counts.tolist(), strict=True):
                row[name] = count
        return rows

    def record(self) -> dict[str, object]:
        """The same for other programs."""
        splits = dict.fromkeys(("train", "test")) | {name: of.record() for name, of in self.splits.items()}
        about = {"structure": self.structure, "scheme": self.scheme, "weights": self.weights}
        return {**about, **splits, "labels": self.rows(), "odd": self.odd}


def check_data(text: str, test: str | None) -> Checked:
    """Build a data set and say what it holds.

    Raises:
        UserError: As ``data_ref`` and ``build``; or a file of the user's is no regular one.
    """
    data = data_ref(text)
    problem_store.made_from(data, test)  # refuses what ``run`` refuses, such as a pipe, which is read only once
    made = build(data, test)
    every = {"train": made.train, "validation": made.validation, "test": made.test}
    splits = {name: split for name, split in every.items() if split is not None}
    labels = () if made.tags else made.labels  # of two labels in one, none is counted
    found: dict[str, Split] = {}
    for name, split in splits.items():
        found[name] = _split(split, labels, found.get("train") if made.brackets is not None else None)
    labels = tuple(dict.fromkeys(labels))  # tags of segments have O twice
    scheme, odd = _scheme(made) if "chunks" in made.scores else ("", [])
    odd = [*_odd(found, labels, made), *scales(made), *odd]
    odd += odd_labels.too_many_labels(len(labels), found["train"].decisions, data)
    return Checked(data.structure, scheme, parts.num_weights(made.train), found, labels, odd)


def _scheme(made: Problem) -> tuple[str, list[str]]:
    """The scheme of the tags of training, and what is odd about it."""
    scheme = schemes.scheme_of(made.labels)
    if scheme is None:
        return "", [schemes.why_none(made.labels)]
    *_, gold, starts = prediction.label_room(parts.compiled(made.train))
    other = schemes.scheme_of({*made.labels, *made.unseen})
    odd, which = [], "test" if made.validation is None else "validation or test"
    if other != scheme:
        said = f"the {which} labels are of {other.name}" if other else f"not all {which} labels are tags"
        odd.append(f"{said}, those of training of {scheme.name}: chunks are those of {scheme.name}")
    return schemes.variant(scheme, made.labels, gold, starts), odd


def _split(split: Any, labels: tuple[str, ...], train: Split | None) -> Split:
    """What a split holds; ``train``: what that of training holds, if labels that it lacks have numbers."""
    _, gold, starts = prediction.label_room(parts.compiled(split))
    sizes = np.diff(starts)
    x = _matrix(split)
    bare = None if x is None else int(np.count_nonzero(np.diff(x.indptr) == 0))
    names = [*dict.fromkeys(labels)]
    place = np.array([names.index(label) for label in labels], int)
    counts = np.bincount(place[gold[gold >= 0]] if labels else place, minlength=len(names))
    unseen = int(np.count_nonzero(gold < 0) + (0 if train is None else counts[train.counts == 0].sum()))
    return Split(len(sizes), int(starts[-1]), int(sizes.max(initial=0)), unseen, bare, counts)


def _matrix(split: Any) -> sp.csr_array | None:
    """The features of decisions; None if features are not of decisions."""
    return sp.csr_array(features.as_matrix(parts.rows(split))) if parts.has(split, parts.rows) else None


def scales(made: Problem) -> list[str]:
    """What is odd about the scale of the features of training: no solver converges fast if they are far apart."""
    x = _matrix(made.train)
    if x is None or not x.nnz:
        return []
    most = np.zeros(features.shape(parts.rows(made.train))[1])
    np.maximum.at(most, x.indices, np.abs(x.data))
    largest, least = int(most.argmax()), int(np.where(most > 0, most, np.inf).argmin())
    if WIDE > most[largest] > 1 / WIDE and (most[largest] <= LARGE or most[largest] < WIDE * most[least]):
        return []
    known = (each for each in (made.vocabulary or {}).values() if isinstance(each, list))
    names = next((each for each in known if len(each) == len(most)), range(len(most)))
    said = ", ".join(dict.fromkeys(f"{names[k]} reaches {most[k]:.3g}" for k in (largest, least)))
    return [f"features on scales on which solvers are slow: {said}: divide each by its greatest value"]


def _odd(splits: dict[str, Split], labels: tuple[str, ...], made: Problem) -> list[str]:
    """Sentences on what a user may not expect."""
    odd = []
    for name, found in splits.items():
        if found.bare:
            odd.append(f"{name}: {found.bare:,} decisions have no features")
    if "test" not in splits:
        of = "training and validation" if "validation" in splits else "training"
        odd.append(f"there is no test split: errors are of {of} examples only")
    trained, told = splits["train"].counts, set[str]()
    for name in ("validation", "test"):
        if name in splits and (count := splits[name].unseen):
            if made.brackets is None:
                these = made.unseen[-count:] if name == "test" else made.unseen[:count]  # of validation first
            else:  # new constituents have numbers all the same
                new = (trained == 0) & (splits[name].counts > 0)
                these = tuple(label for label, is_new in zip(labels, new, strict=True) if is_new)
            odd.append(odd_labels.unseen_labels(name, count, these))
            told |= {*these}
    if made.brackets is not None:
        told.add(labels[0])  # it says that a span is no constituent
    rare = [label for label, count in zip(labels, trained, strict=True) if count <= RARE and label not in told]
    if rare:
        odd.append(f"labels that training has at most once: {first_of(rare, odd_labels.SHOWN)}")
    return odd


def show(name: str, found: Checked) -> None:
    """Print what ``check_data`` found."""
    tags = f", tags of {found.scheme}" if found.scheme else ""
    print(f"{name}: {found.structure}, {found.weights:,} weights{tags}")
    rows = [[each, *(f"{getattr(split, size):,}" for size in SIZES)] for each, split in found.splits.items()]
    print_table(["split", *SIZES], rows)
    if labels := found.rows():
        print_table([*labels[0]], [[*map(str, each.values())] for each in labels])
    print(*(found.odd or ["nothing is odd"]), sep="\n")
