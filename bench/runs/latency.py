"""Measure latency: the median CPU seconds to label one sentence, by our code or a program of others.

A sentence is what CRFsuite takes: a dict of attributes by name for each token. ``memory`` imports this file by its
name, so runs do not depend on it.
"""

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from structbench.algorithms.black_boxes import examples
from structbench.algorithms.runtime.arrays import starts_of
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.chain import model as chain
from structbench.bench.runs.driver import Result, predictor
from structbench.bench.runs.spec import Spec
from structbench.datasets.problems.problem import Problem

SENTENCES = 200
Sentence = list[dict[str, float]]


def seconds_of_one(spec: Spec, problem: Problem, result: Result) -> float | None:
    """The median over the first test sentences; None if there are none, or edges are observed."""
    test = problem.test
    if test is None or not parts.has(test, parts.label_sequences) or parts.label_sequences(test).num_edge_features:
        return None
    sentences = examples.sequences(problem, test, learn=False)[0][:SENTENCES]
    return of_calls(result.label_one or _ours(spec, problem, result.weights), sentences)


def of_calls(label: Callable[[Sentence], Any], sentences: list[Sentence]) -> float:
    """The median CPU seconds of a call, each sentence having been labelled before."""
    seconds = []
    for each in [*sentences, *sentences]:
        begun = time.process_time()
        label(each)
        seconds.append(time.process_time() - begun)
    return median(seconds[len(sentences) :])


def _ours(spec: Spec, problem: Problem, weights: np.ndarray) -> Callable[[Sentence], list[str]]:
    """Look attributes up, build a chain, predict, and name its labels, as estimators do."""
    import scipy.sparse as sp

    columns = ft.shape(parts.label_sequences(problem.test).x)[1]
    names = examples.label_names(problem, problem.test)
    place, predict = {str(k + 1): k for k in range(columns)}, predictor(spec)

    def label(tokens: Sentence) -> list[str]:
        known = [place[name] for token in tokens for name in token]
        values = [value for token in tokens for value in token.values()]
        rows = sp.csr_array((values, known, starts_of([*map(len, tokens)])), shape=(len(tokens), columns))
        one = chain.build(ft.sparse(rows, counted=False), np.array([len(tokens)]), None, len(names))
        return [names[k] for k in predict(one, weights)[0].tolist()]

    return label
