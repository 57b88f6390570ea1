"""CRFsuite (Okazaki, 2007) as a class: its exact weights, its inference calls, the seconds of its optimisation.

Its lbfgs and l2sgd minimise sum_i loss_i(w) + c2 ||w||^2 for the log loss, hence c2 = C / 2. With c1 = A lbfgs is
OWL-QN, and adds c1 ||w||_1. As ours, it has a weight for every attribute and label and for every pair of labels.
The averaged perceptron (ap), passive-aggressive (pa) and arow are online methods without C. Generating features
and writing the model do not count as its time.
"""

import ctypes
import importlib
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from structbench.algorithms.runtime.errors import UserError

REGULARISED = ("lbfgs", "l2sgd")
# All pairs; and a floor under the sum of an attribute's values, which could be below 0 where values are.
FEATURES = {"feature.possible_states": 1, "feature.possible_transitions": 1, "feature.minfreq": -1e100}
FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])  # of a model file
STATE, PAIR = 0, 1  # the kinds of features: (attribute, label) and (label, label)


class CRFsuite:
    """Trained from scratch, it has ``coef_``, a row for each of ``classes_``, and ``transitions_``."""

    package: Any = None  # imported at the first fit: its models can be read without it; compiled, without types
    given: Any = None  # the sequences that ``trainer`` has: copying them takes long
    trainer: Any = None
    tagger: Any = None

    def __init__(self, C: float, A: float, seed: int, limit: int, method: str) -> None:
        """``method``: CRFsuite's training algorithm.

        Raises:
            UserError: it has no l1 norm, and A is not 0.
        """
        if A and method != "lbfgs":
            raise UserError(f"crfsuite's {method} has no l1 norm, and A is {A:g}: take method=lbfgs")
        self.strengths = {"c2": C / 2, "delta": 0.0} if method in REGULARISED else {}
        self.strengths |= {"c1": A} if method == "lbfgs" else {}
        self.seed, self.limit, self.method = seed, limit, method

    def fit(self, x: list[list[dict[str, float]]], y: list[list[str]]) -> None:
        """Train. CRFsuite draws with the C library's ``rand``: only seeding makes runs repeatable."""
        if CRFsuite.given is not x:
            CRFsuite.package = importlib.import_module("pycrfsuite")
            CRFsuite.given, CRFsuite.trainer = x, self.package.Trainer(verbose=False)
            for tokens, labels in zip(x, y, strict=True):
                self.trainer.append(tokens, labels)
        self.trainer.select(self.method)
        options = FEATURES | self.strengths | {"max_iterations": self.limit}  # delta, epsilon: never stop early
        self.trainer.set_params(options if self.method == "l2sgd" else options | {"epsilon": 0.0})
        said: list[tuple[str, float, float]] = []
        self.trainer.message = lambda text: said.append((text.strip(), time.perf_counter(), time.process_time()))
        ctypes.CDLL(None).srand(self.seed)
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder, "model")
            self.trainer.train(str(model))
            self.model = model.read_bytes()
        self._read(self.model)
        self._count(said, len(x))

    def label_one(self, tokens: list[dict[str, float]]) -> list[str]:
        """What the model of the last fit gives a sequence."""
        if self.tagger is None:
            self.tagger = self.package.Tagger()
            self.tagger.open_inmemory(self.model)
        return self.tagger.tag(tokens)

    def _count(self, said: list[tuple[str, float, float]], n: int) -> None:
        """Iterations, inference calls on the n sequences, and seconds, from what CRFsuite printed and when."""

        def lines(start: str) -> list[tuple[str, float, float]]:
            return [line for line in said if line[0].startswith(start)]

        def total(start: str) -> int:
            return sum(int(text.partition(": ")[2]) for text, *_ in lines(start))

        self.n_iter_ = len(lines("***** "))
        calls = 1 + total("Line search trials: ") if self.method == "lbfgs" else self.n_iter_
        tried = len(lines("Initial loss: ")) + len(lines("Trial #"))
        self.visits_ = n * calls + total("calibration.samples: ") * tried
        _, *begun = lines("Number of features: ")[-1]
        _, *ended = lines("Total seconds required for training: ")[-1]
        self.seconds_ = ended[0] - begun[0], ended[1] - begun[1]

    def _read(self, model: bytes) -> None:
        """The exact weights in a model file; weights that are not in it are 0."""
        self.classes_, self.attributes_, learnt = read_features(model)
        K = len(self.classes_)
        self.coef_, self.transitions_ = np.zeros((K, len(self.attributes_))), np.zeros((K, K))
        state, pair = learnt[learnt["kind"] == STATE], learnt[learnt["kind"] == PAIR]
        self.coef_[state["target"], state["source"]] = state["weight"]
        self.transitions_[pair["source"], pair["target"]] = pair["weight"]


def read_features(model: bytes) -> tuple[list[str], list[str], np.ndarray]:
    """The names of labels and of attributes in a model file, and its features, of the type ``FEATURE``.

    Its header says how long it is, and where the features, the names of labels and the names of attributes begin.

    Raises:
        ValueError, LookupError: It is cut or damaged.
    """
    features, labels, attributes = (int(at) for at in np.frombuffer(model, "<u4", 3, offset=28))
    if (size := int.from_bytes(model[4:8], "little")) != len(model):
        raise ValueError(f"it has {len(model):,} bytes, not the {size:,} of its header")
    count = int(np.frombuffer(model, "<u4", 1, offset=features + 8)[0])
    learnt = np.frombuffer(model, FEATURE, count, features + 12)
    if odd := {*learnt["kind"].tolist()} - {STATE, PAIR}:
        raise ValueError(f"it has a feature of the kind {odd.pop()}")
    return _names(model, labels), _names(model, attributes), learnt


def _names(model: bytes, begin: int) -> list[str]:
    """The names in one of a model's two dictionaries, in the model's own order.

    A dictionary ends in the offsets of its records. A record is number, length and text of a name, which ends in a
    0.
    """
    count, offsets = (int(at) for at in np.frombuffer(model, "<u4", 2, offset=begin + 16))
    found = []
    for at in np.frombuffer(model, "<u4", count, offset=begin + offsets).tolist():
        length = int.from_bytes(model[begin + at + 4 : begin + at + 8], "little")
        found.append(model[begin + at + 8 : begin + at + 7 + length].decode())
    return found
