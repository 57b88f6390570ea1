"""The latency of labelling one sentence: how often a model is asked, and what the labels are that are timed."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.black_boxes import examples
from structbench.algorithms.structures import prediction
from structbench.bench.runs import driver, latency, memory
from structbench.bench.runs.spec import make
from tests.narrowing import not_none

SENTENCES = "toy-english:sentences=40,test_sentences=9"


def test_each_sentence_is_labelled_once_before_its_seconds_count(monkeypatch):
    """The clock stands still but in calls: the first takes a hundred, the second its sentence's length."""
    clock, calls = [0.0], []

    def label(tokens):
        clock[0] += len(tokens) if tokens in calls else 100.0
        calls.append(tokens)

    monkeypatch.setattr(latency.time, "process_time", lambda: clock[0])
    sentences = [[{"1": 1.0}] * length for length in (1, 2, 7)]
    assert latency.of_calls(label, sentences) == 2.0
    assert calls == [*sentences, *sentences]


@pytest.mark.parametrize(("algorithm", "params"), [("lbfgs", {}), ("crfsuite", {"method": "lbfgs"})])
def test_the_labels_that_are_timed_are_those_of_the_run(algorithm, params, monkeypatch):
    problem = datasets.build(SENTENCES)
    spec = make(SENTENCES, "log", 1.0, algorithm, params, passes=20.0)
    result, asked = driver.run(spec, problem), []
    monkeypatch.setattr(latency, "of_calls", lambda label, sentences: asked.extend(map(label, sentences)) or 0.5)
    assert latency.seconds_of_one(spec, problem, result) == 0.5
    assert (result.label_one is None) == (algorithm == "lbfgs")
    names = examples.label_names(problem, problem.test)
    predicted, _, starts = prediction.predictions(not_none(problem.test), result.weights)
    assert asked == [[names[k] for k in each] for each in np.split(predicted, starts[1:-1])] and len(asked) == 9
    assert latency.seconds_of_one(spec, problem._replace(test=None), result) is None


@pytest.mark.skipif(not memory.STATUS.exists(), reason="the system does not tell")
def test_a_run_whose_memory_is_measured_has_its_latency():
    found = memory.of_run(make(SENTENCES, "log", 1.0, "lbfgs", passes=2.0))
    assert found["sentence_seconds"] is not None
