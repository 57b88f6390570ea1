"""A model: the weights of a finished run with all that it takes to label new examples.

An exported model is a folder of its own: ``model.json`` says what it is, ``vocabulary.npz`` names its features,
``weights.npz`` has the weights. A run needs its stored problem for the vocabulary.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Union

import numpy as np

from structbench.algorithms.learning.declaration import NO_LOSS
from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError, write_or_explain
from structbench.algorithms.runtime.files import atomic_folder
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.bench.runs import (
    algorithm_module,
    documents,
    hosts,
    problem_store,
    seals,
    state,
    store,
    tables,
    writing,
)
from structbench.bench.runs.arguments import well_typed
from structbench.bench.runs.driver import predictor
from structbench.bench.runs.spec import Spec
from structbench.datasets.problems import new_examples, storage
from structbench.datasets.problems.problem import Unlabelled, Vocabulary

if TYPE_CHECKING:
    import pandas as pd

ABOUT = "model.json"
FILES = frozenset({ABOUT, "vocabulary.npz", "weights.npz"})
FORMAT = 1  # of model.json
MOST = 10_000  # outputs of an example
SHAPE = {
    **{"format": int, "key": str, "sha256": {str: str}},
    **{"labels": [str], "provenance": dict, "spec": documents.SPEC},
}
FEATURES = "features"  # what a summary says that weights are of
Examples = Union[str, Path, Sequence[Any], "pd.DataFrame"]


class _Exported(dict[str, Any]):
    """The vocabulary of an exported model, which may lack what the data set asks for."""

    def __missing__(self, name: str) -> Any:
        raise UserError(f"the exported model is broken (its vocabulary has no {name!r}): export it again")


class Output(NamedTuple):
    """A possible output of an example: its labels, its score, and its probability, NaN if the loss gives none."""

    labels: list[Any]
    score: float
    probability: float


@dataclass(frozen=True)
class Model:
    """What labels new examples.

    Attributes:
        spec: Of the run that learned it.
        labels: Their names.
        weights: float64 (num_weights,).
        vocabulary: By which the data set encodes new examples; None if it encodes none.
        about: Where it comes from: the run's key, the data's hash, versions.
        stale: Why the run is stale; empty if it is not.
    """

    spec: Spec
    labels: tuple[str, ...]
    weights: np.ndarray
    vocabulary: Vocabulary | None
    about: documents.Json
    stale: str = ""

    def __repr__(self) -> str:
        return f"Model({self.spec.key}, {len(self.weights):,} weights)"

    @well_typed
    def predict(self, examples: Examples) -> list[Any]:
        """The best labels of new examples: a list of labels each, or one label where an example is one decision.

        Args:
            examples: The path of a file in the format of the data that the model learned from; labels in it are
                not read. Or a list of examples, as the data set's ``written`` takes them. For data in columns:
                sentences of words or of tuples, or a DataFrame such as training has, maybe without labels. For
                ``crfsuite``: sequences of dicts of attributes. For ``svmlight``: dicts of values by index, or rows
                of numbers, the first with index 1 (missing columns are 0, more are left out).

        Raises:
            UserError: The file cannot be read or a line is malformed; or the model labels no new examples.
        """
        new = self.encode(examples)
        found = self.best(new)
        return [labels[0] for labels in found] if new.single else found

    @well_typed
    def best(self, new: Unlabelled) -> list[list[str]]:
        """The labels of the best output of each example."""
        predicted, _, starts = predictor(self.spec)(new.split, self.weights)
        if new.labelled is None:
            found = self._named(new, 0, predicted)
            return [found[begin:end] for begin, end in pairwise(starts.tolist())]
        return [self._named(new, i, each) for i, each in enumerate(np.split(predicted, starts[1:-1]))]

    @well_typed
    def predict_probabilities(self, examples: Examples | Unlabelled) -> list[np.ndarray]:
        """The probabilities of all labels at each decision of each example: (decisions, labels) each.

        Raises:
            UserError: As ``predict``; or there are none for this loss or structure.
        """
        new = self.encode(examples)
        split = new.split
        self._check_exact()
        if math.isnan(self._temperature):
            raise UserError(f"a model of the loss {self.spec.loss} has no probabilities: learn with the log loss")
        if not prediction.begins_with_labels(split) or new.labelled is not None:
            of = f"the structure {split.id}" if new.labelled is None else f"the task of {self.spec.data}"
            raise UserError(f"{of} has no probabilities of single labels: take its k best")
        found = prediction.label_probabilities(split, self.weights, self._temperature, len(self.labels))
        return np.split(found, prediction.label_room(parts.compiled(split))[2][1:-1])

    @well_typed
    def k_best(self, examples: Examples | Unlabelled, k: int) -> list[list[Output]]:
        """At most ``k`` outputs of each example, the best first.

        Raises:
            UserError: As ``predict``; or k is below 1, or the structure finds only the best output.
        """
        new = self.encode(examples)
        split = new.split
        self._check_exact()
        if not 1 <= k <= MOST:
            raise UserError(f"expected a number of outputs from 1 to {MOST:,}, found {k}")
        if not parts.has(split, parts.k_best):
            raise UserError(f"the structure {split.id} finds only the best output, not {k}")
        found, scores = prediction.k_best(split, self.weights, k)
        partitions = np.full(scores.shape[1], math.nan)
        if parts.has(split, parts.marginals) and not math.isnan(self._temperature):
            partitions = prediction.log_partitions(split, self.weights, self._temperature)
        with np.errstate(invalid="ignore"):  # of an example without outputs both are -inf
            chances = np.exp(scores / self._temperature - partitions)
        starts = prediction.label_room(parts.compiled(split))[2]
        return [
            [
                Output(self._named(new, i, found[r, begin:end]), float(scores[r, i]), float(chances[r, i]))
                for r in range(k)
                if scores[r, i] > -math.inf
            ]
            for i, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
        ]

    def encode(self, examples: Examples | Unlabelled) -> Unlabelled:
        """New examples as a split, if they are none yet; raises as ``predict``."""
        if isinstance(examples, Unlabelled):
            return examples
        if isinstance(examples, str | Path):
            source = str(examples)
            try:
                content = Path(examples).expanduser().read_bytes()
            except OSError as error:
                raise UserError(f"cannot read {source}: {error.strerror}") from error
        else:
            if tables.is_table(examples):
                examples = self._of_table(examples)
            source, content = "the list of examples", new_examples.written(self.spec.data, examples)
        return self.encode_text(content, source)

    def _of_table(self, table: "pd.DataFrame") -> "pd.DataFrame | list[list[tuple[str, ...]]]":
        """The sentences of a table of tokens; any other table is returned unchanged, such as rows of numbers."""
        if self.spec.data.name == "columns" and self.vocabulary is not None:
            return tables.sentences(table, [*self.vocabulary["columns"][:-1]])
        if self.spec.data.name == "svmlight" or tables.SENTENCE not in table.columns:
            return table
        each = f"[g.word.tolist() for _, g in table.groupby({tables.SENTENCE!r})]"
        raise UserError(f"a model of {self.spec.data} labels no DataFrame: give lists of words, such as {each}")

    def encode_text(self, content: bytes, source: str) -> Unlabelled:
        """The bytes of a file as a split; ``source``: what messages call them. Raises as ``predict``."""
        found = new_examples.encode(self.spec.data, content, source, self.labels, self.vocabulary)
        wanted = parts.num_weights(parts.unwrap(found.split))
        if len(self.weights) != wanted and not self._predicts_itself:
            raise UserError(f"{self.spec.key} is not whole: it has {len(self.weights):,} weights, not {wanted:,}")
        self._check_finite()
        return found

    def _check_finite(self) -> None:
        if not self._is_finite:
            raise UserError(f"the run {self.spec.key} diverged: its weights label nothing")

    @well_typed
    def write(self, folder: str | Path) -> Path:
        """Write the model to a folder of its own and return it.

        Raises:
            UserError: The folder holds something other than a model, or it cannot be written. Or the run diverged.
        """
        self._check_finite()
        folder = Path(os.path.expanduser(folder))
        there = store.names(folder) if folder.is_dir() else {""} if folder.exists() else set()
        if there and not {ABOUT} <= there <= FILES:
            raise UserError(f"{folder} holds something other than a model: choose another --out")
        about = {"format": FORMAT, "spec": self.spec.as_dict(), "labels": self.labels} | self.about
        with write_or_explain(folder), atomic_folder(folder.absolute()) as partial:
            if self.vocabulary is not None:
                storage.save_vocabulary(self.vocabulary, partial)
            np.savez(partial / "weights.npz", **writing.packed(self.weights))
            about |= {"sha256": _hashes(partial)}
            (partial / ABOUT).write_text(documents.to_json(about), encoding="utf-8")
        return folder

    def _named(self, new: Unlabelled, i: int, found: np.ndarray) -> list[str]:
        """The labels of example i by its decisions; where labels have no names, such as heads, their numbers."""
        if new.labelled is not None:
            return new.labelled(i, found)
        return [self.labels[k] if self.labels else str(k) for k in found.tolist()]

    @cached_property
    def _is_finite(self) -> bool:
        """Whether all weights are; looked at once, as it takes longer than to label a sentence."""
        return bool(np.isfinite(self.weights).all())

    @property
    def _predicts_itself(self) -> bool:
        """Whether the algorithm predicts by other means than exact inference."""
        return algorithm_module.declaration(self.spec.algorithm).predict is not None

    def _check_exact(self) -> None:
        """Raise a UserError if the algorithm predicts by other means than exact inference."""
        if self._predicts_itself:
            raise UserError(f"{self.spec.algorithm} predicts in its own way, the best output alone")

    @property
    def _temperature(self) -> float:
        """That of the loss; NaN where scores are no logarithms of probabilities."""
        found = math.nan if self.spec.loss == NO_LOSS else family.named_loss(self.spec.loss).temperature
        return found or math.nan


@well_typed
def load(place: str | Path) -> Model:
    """The model of a run (its folder or key), or of the folder of an exported one.

    Raises:
        UserError: There is none, it is not whole, or its data cannot be had any more as they were.
    """
    if str(place) and (Path(place) / ABOUT).is_file():
        return _exported(Path(place))
    run = hosts.find_run(str(place))
    found = state.of_folder(run.folder)
    if found.run is None:
        raise UserError(f"{place} has no model, it is {found.state}: {found.reason}")
    try:
        spec = state.spec_of(run)
    except TypeError as error:
        raise UserError(f"{place} is of a program that is no more ({error}): make it again") from error
    if run.summary.get("weights_of", FEATURES) != FEATURES:
        raise UserError(f"{place} is of {spec.algorithm}, which keeps no weights of features: it labels no text")
    made = run.summary["provenance"]
    labels, vocabulary = problem_store.labels_and_vocabulary(spec.data, spec.test, spec.key, made)
    about = {"key": run.key, "provenance": made}
    return Model(spec, labels, store.weights_of(run), vocabulary, about, "" if found.is_finished else found.reason)


def _hashes(folder: Path) -> dict[str, str]:
    return {file.name: seals.file_sha256(file) for file in sorted(folder.glob("*.npz"))}


def _exported(folder: Path) -> Model:
    about = documents.content(folder / ABOUT, SHAPE, "export it again")
    try:
        if about["format"] != FORMAT:
            raise ValueError(f"format {about['format']}, not {FORMAT}")
        found, said = _hashes(folder), about["sha256"]
        if odd := sorted(name for name in said.keys() | found.keys() if said.get(name) != found.get(name)):
            raise ValueError(f"{', '.join(odd)} not as written")
        spec = Spec.from_dict(about["spec"])
        rest = {name: about[name] for name in ("key", "provenance")}
        with store.archive(folder) as file:
            weights = store.unpacked(file)
        names = storage.vocabulary(folder)
        return Model(spec, tuple(about["labels"]), weights, None if names is None else _Exported(names), rest)
    except store.BROKEN as error:
        raise UserError(f"{folder} holds a broken model ({error}): export it again") from error
