"""CRFsuite (Okazaki, 2007) as a class: its exact weights, its inference calls, the seconds of its optimisation.

Its lbfgs and l2sgd minimise sum_i loss_i(w) + c2 ||w||^2 for the log loss, hence c2 = C / 2. As ours, it has a
weight for every attribute and label and for every pair of labels. The averaged perceptron (ap), passive-aggressive
(pa) and arow are online methods without C. Generating features and writing the model do not count as its time.
"""

import ctypes
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pycrfsuite

REGULARISED = ("lbfgs", "l2sgd")
# All pairs; and a floor under the sum of an attribute's values, which could be below 0 where values are.
FEATURES = {"feature.possible_states": 1, "feature.possible_transitions": 1, "feature.minfreq": -1e100}
FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])  # of a model file
STATE = 0  # the kind of (attribute, label); the other one is (label, label)


class CRFsuite:
    """Trained from scratch, it has ``coef_``, a row for each of ``classes_``, and ``transitions_``."""

    given: Any = None  # the sequences that ``trainer`` has: copying them takes long
    trainer: Any = None

    def __init__(self, C: float, seed: int, limit: int, method: str) -> None:
        """``method``: CRFsuite's training algorithm."""
        self.C, self.seed, self.limit, self.method = C, seed, limit, method

    def fit(self, x: list[list[dict[str, float]]], y: list[list[str]]) -> None:
        """Train. CRFsuite draws with the C library's ``rand``: only seeding makes runs repeatable."""
        if CRFsuite.given is not x:
            CRFsuite.given, CRFsuite.trainer = x, pycrfsuite.Trainer(verbose=False)
            for tokens, labels in zip(x, y, strict=True):
                self.trainer.append(tokens, labels)
        self.trainer.select(self.method)
        options: dict[str, float] = FEATURES | {"max_iterations": self.limit}
        if self.method in REGULARISED:
            options |= {"c2": self.C / 2, "delta": 0.0}  # delta, epsilon: never stop early
        self.trainer.set_params(options | ({} if self.method == "l2sgd" else {"epsilon": 0.0}))
        self.trainer.message = log = _Log()
        ctypes.CDLL(None).srand(self.seed)
        with tempfile.TemporaryDirectory() as folder:
            model = Path(folder, "model")
            self.trainer.train(str(model))
            self._read(model.read_bytes())
        self.n_iter_, self.seconds_ = log.iterations, log.seconds
        calls = 1 + log.line_search if self.method == "lbfgs" else log.iterations
        self.visits_ = len(x) * calls + log.samples * log.calibration

    def _read(self, model: bytes) -> None:
        """The exact weights in a model file; weights that are not in it are 0.

        Its header says where the features, the names of labels and the names of attributes begin.
        """
        features, labels, attributes = (int(at) for at in np.frombuffer(model, "<u4", 3, offset=28))
        count = int(np.frombuffer(model, "<u4", 1, offset=features + 8)[0])
        learnt = np.frombuffer(model, FEATURE, count, offset=features + 12)
        self.classes_, self.attributes_ = _names(model, labels), _names(model, attributes)
        K = len(self.classes_)
        self.coef_, self.transitions_ = np.zeros((K, len(self.attributes_))), np.zeros((K, K))
        state, pair = learnt[learnt["kind"] == STATE], learnt[learnt["kind"] != STATE]
        self.coef_[state["target"], state["source"]] = state["weight"]
        self.transitions_[pair["source"], pair["target"]] = pair["weight"]


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


class _Log:
    """Work and time, read from what CRFsuite prints during a run."""

    def __init__(self) -> None:
        self.iterations = self.line_search = self.calibration = self.samples = 0
        self.begun = self.seconds = (0.0, 0.0)

    def __call__(self, message: str) -> None:
        what, _, value = message.strip().partition(": ")
        if what.startswith("***** "):
            self.iterations += 1
        elif what == "Line search trials":
            self.line_search += int(value)
        elif what == "calibration.samples":
            self.samples = int(value)
        elif what == "Initial loss" or what.startswith("Trial #"):
            self.calibration += 1
        elif what == "Number of features":
            self.begun = time.perf_counter(), time.process_time()
        elif what == "Total seconds required for training":
            self.seconds = time.perf_counter() - self.begun[0], time.process_time() - self.begun[1]
