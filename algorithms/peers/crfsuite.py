"""CRFsuite (lbfgs, l2sgd, ap, pa, arow), a peer for chains without observed edges.

Its lbfgs and l2sgd minimise sum_i loss_i(w) + c2 ||w||^2 for the log loss, hence c2 = C / 2. As ours, it has a
weight for every attribute and label and for every pair of labels. The averaged perceptron (ap), passive-aggressive
(pa) and arow are online methods without C. The objective is evaluated at the weights that they return. For the
hinge the certificate is ours (``harness.HingeBound``). Okazaki, CRFsuite: a fast implementation of CRFs, 2007.
"""

import ctypes
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import Settings, algorithm
from structbench.algorithms.learning.objective import Hints, Iterate, Objective, require_labels
from structbench.algorithms.peers import harness
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts

# Not the online methods: they know no C, and so have no optimum whose distance could be compared.
REGULARISED = ("lbfgs", "l2sgd")
# All pairs; and a floor under the sum of an attribute's values, which could be below 0 where values are.
FEATURES = {"feature.possible_states": 1, "feature.possible_transitions": 1, "feature.minfreq": -1e100}
FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])  # of a model file
STATE = 0  # the kind of (attribute, label); the other one is (label, label)


@algorithm(
    label="CRFsuite",
    loss_with={"method": {"lbfgs": "log", "l2sgd": "log"}},
    needs=("label sequences",),
    random={"method": ("l2sgd", "ap", "pa", "arow")},
    packages={"pycrfsuite": "python-crfsuite"},
    settings=Settings(figures={"log": ({"method": "lbfgs"}, {"method": "l2sgd"})}),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    method: Literal["lbfgs", "l2sgd", "ap", "pa", "arow"] = "lbfgs",
) -> Iterator[Iterate]:
    """Run it from scratch for 1, 2, 3, 5, 8, ... iterations, until it stops by itself. Yields where each run ends.

    Seconds are of the optimisation only: generating features and writing the model do not count.

    Args:
        method: CRFsuite's training algorithm.

    Raises:
        UserError: the method does not minimise this loss, the data have observed edges, or a label was never seen.
    """
    if not objective.smooth and method in REGULARISED:
        raise UserError(f"crfsuite's {method} minimises the log loss, not 'hinge': choose ap, pa or arow for it")
    require_labels(objective.split, "crfsuite")
    split = parts.label_sequences(objective.split)
    if split.num_edge_features:
        raise UserError(
            f"crfsuite knows no observed edge features, but these data have {split.num_edge_features}: "
            "choose data whose edges are only pairs of labels"
        )
    trainer = _trainer(split, method, objective.C)
    n, seed = parts.num_examples(objective.split), int(rng.integers(2**31))
    notes = harness.note_of("python-crfsuite")
    yield harness.start(objective.split, notes)
    bound = harness.HingeBound(problem, objective, seed) if not objective.smooth else None
    before = 0
    for budget in harness.iterations():
        trainer.set("max_iterations", budget)
        log, weights = _train(trainer, seed, split)
        visits = log.visits(n, method)
        if visits > before:
            dual = bound.after(visits) if bound else None
            yield Iterate(weights, visits, dual, notes, hints=Hints(seconds=log.seconds))
        if log.iterations < budget:
            return
        before = visits


def _trainer(split: parts.LabelSequences, method: str, C: float) -> Any:
    """CRFsuite with the data; attributes and labels are named by their numbers.

    CRFsuite knows only the labels that it sees. So a label that does not occur gets a sequence of one token
    without attributes. Its loss is the same for all weights.
    """
    import pycrfsuite
    import scipy.sparse as sp

    trainer = pycrfsuite.Trainer(verbose=False)
    x = sp.csr_array(ft.as_matrix(split.x))
    names = [str(a) for a in range(x.shape[1])]
    for begin, end in zip(split.starts[:-1], split.starts[1:], strict=True):
        rows = [slice(x.indptr[t], x.indptr[t + 1]) for t in range(begin, end)]
        tokens = [dict(zip([names[a] for a in x.indices[row]], x.data[row].tolist(), strict=True)) for row in rows]
        trainer.append(tokens, [str(k) for k in split.y[begin:end]])
    for k in np.setdiff1d(np.arange(split.num_labels), split.y):
        trainer.append([{}], [str(k)])
    trainer.select(method)
    strength = {"c2": C / 2, "delta": 0.0} if method in REGULARISED else {}  # delta, epsilon: never stop early
    trainer.set_params(FEATURES | strength | ({} if method == "l2sgd" else {"epsilon": 0.0}))
    return trainer


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

    def visits(self, n: int, method: str) -> int:
        """Inference calls on the n sequences: L-BFGS's line searches, or epochs and the search for eta."""
        if method == "lbfgs":
            return n * (1 + self.line_search)
        return n * self.iterations + self.samples * self.calibration


def _train(trainer: Any, seed: int, split: parts.LabelSequences) -> tuple[_Log, np.ndarray]:
    """Run once. CRFsuite draws with the C library's ``rand``: only seeding makes runs repeatable."""
    trainer.message = log = _Log()
    ctypes.CDLL(None).srand(seed)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder, "model")
        trainer.train(str(model))
        return log, _weights(model.read_bytes(), split)


def _weights(model: bytes, split: parts.LabelSequences) -> np.ndarray:
    """The exact weights in a model file; weights that are not in it are 0.

    Its header says where the features, the names of labels and the names of attributes begin.
    """
    features, labels, attributes = (int(at) for at in np.frombuffer(model, "<u4", 3, offset=28))
    count = int(np.frombuffer(model, "<u4", 1, offset=features + 8)[0])
    learnt = np.frombuffer(model, FEATURE, count, offset=features + 12)
    label, attribute = _names(model, labels), _names(model, attributes)
    K = split.num_labels
    width = ft.shape(split.x)[1]
    weights = np.zeros((width + K) * K)
    state = learnt[learnt["kind"] == STATE]
    weights[attribute[state["source"]] * K + label[state["target"]]] = state["weight"]
    pair = learnt[learnt["kind"] != STATE]
    weights[(width + label[pair["source"]]) * K + label[pair["target"]]] = pair["weight"]
    return weights


def _names(model: bytes, begin: int) -> np.ndarray:
    """Read the names in one of a model's two dictionaries, which are numbers: int64, in the model's own order.

    A dictionary ends in the offsets of its records. A record is number, length and text of a name, which ends in a
    0.
    """
    count, offsets = (int(at) for at in np.frombuffer(model, "<u4", 2, offset=begin + 16))
    found = np.empty(count, np.int64)
    for k, at in enumerate(np.frombuffer(model, "<u4", count, offset=begin + offsets).tolist()):
        length = int.from_bytes(model[begin + at + 4 : begin + at + 8], "little")
        found[k] = int(model[begin + at + 8 : begin + at + 7 + length])
    return found
