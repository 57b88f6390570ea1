"""``warm``: compile ahead, so that a first run or fit need not."""

import argparse

import numpy as np

from structbench.algorithms.runtime import compiling
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.bench.runs import ahead, catalogue, driver, problem_store
from structbench.bench.runs.news import Compiling
from structbench.bench.verbs.running import RUN, asked
from structbench.bench.verbs.saying import document, say
from structbench.bench.verbs.verb import verb


@verb(*RUN, examples=("warm --data columns:train.txt --loss log --C 1 --algorithm eg",))
def do_warm(given: argparse.Namespace) -> int:
    """Compile what `run` with these arguments would, and what k best outputs and probabilities need."""
    spec = asked(given)
    catalogue.require(spec.algorithm)
    told = Compiling(spec.data.structure, say)
    with compiling.heard(told):
        problem = problem_store.obtain(spec.data, spec.test)[0]
        train = parts.compiled(problem.train)
        with ahead.second_process(spec, train):
            driver.warm_up(spec, problem._replace(train=train))
        first = parts.take(train, np.zeros(1, np.int64))
        weights = np.zeros(parts.num_weights(first))
        if parts.has(first, parts.k_best):
            prediction.k_best(first, weights, 1)
        if parts.has(first, parts.marginals):
            prediction.log_partitions(first, weights, 1.0)
    count = told.count
    told.over()
    return document({"compiled": count})
