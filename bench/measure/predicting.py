"""Labelling new sentences with learned weights: ours against CRFsuite's tagger, through its Python package."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from algorithms.structures import features as ft
from algorithms.structures import interface as parts
from algorithms.structures import prediction
from bench.measure.row import Row
from bench.runs import catalogue, problems

DATA = "conll2000"
EPOCHS = 3  # of CRFsuite's averaged perceptron, whose weights both predict with
REPEATS = 5  # of which the fastest counts
FASTER = 10.0


def rows() -> Iterator[Row]:
    """Predict the test sentences of CoNLL-2000 with one model: CPU seconds, features ready in memory."""
    catalogue.require("crfsuite")
    import pycrfsuite

    problem = problems.obtain(DATA)[0]
    train, test = parts.label_sequences(problem.train), parts.label_sequences(problem.test)
    with tempfile.TemporaryDirectory() as folder:
        model = str(Path(folder, "model"))
        trainer = pycrfsuite.Trainer(verbose=False)
        for items, labels in _sequences(train):
            trainer.append(items, labels)
        trainer.select("ap")
        trainer.set_params({"feature.possible_states": 1, "feature.possible_transitions": 1})
        trainer.set("max_iterations", EPOCHS)
        trainer.train(model)
        tagger = pycrfsuite.Tagger()
        tagger.open(model)
        w = _weights(tagger.info(), train)
        ready = [pycrfsuite.ItemSequence(items) for items, _ in _sequences(test)]
        theirs, ours = np.inf, np.inf
        for _ in range(REPEATS):
            started = time.process_time()
            tagged = [tagger.tag(items) for items in ready]
            theirs = min(theirs, time.process_time() - started)
            started = time.process_time()
            predicted = prediction.predictions(problem.test, w)[0]
            ours = min(ours, time.process_time() - started)
    same = np.mean(predicted == np.array([int(label) for labels in tagged for label in labels]))
    what = f"predict {len(tagged)} sentences of {DATA}; {100 * same:.2f} % of labels the same"
    said = f"{ours:.3f} s, {theirs / ours:.1f} x faster"
    yield Row("predicting", what, said, f"{theirs:.3f} s", f"at least {FASTER:g} x", theirs >= FASTER * ours)


def _sequences(split: parts.LabelSequences) -> Iterator[tuple[list[list[str]], list[str]]]:
    """Attributes and labels of each sequence, called by their numbers."""
    import scipy.sparse as sp

    x = sp.csr_array(ft.as_matrix(split.x))
    names = [str(a) for a in range(x.shape[1])]
    for begin, end in zip(split.starts[:-1], split.starts[1:], strict=True):
        items = [[names[a] for a in x.indices[x.indptr[t] : x.indptr[t + 1]]] for t in range(begin, end)]
        yield items, [str(k) for k in split.y[begin:end]]


def _weights(info: object, split: parts.LabelSequences) -> np.ndarray:
    """Those of a model of CRFsuite's, as a chain has them: (columns, K), then (K, K)."""
    K, width = split.num_labels, ft.shape(split.x)[1]
    w = np.zeros((width + K, K))
    for (attribute, label), weight in info.state_features.items():
        w[int(attribute), int(label)] = weight
    for (before, label), weight in info.transitions.items():
        w[width + int(before), int(label)] = weight
    return w.ravel()
