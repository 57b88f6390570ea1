"""``warm``: compile ahead, so that a first run or fit need not."""

import argparse

import numpy as np

from structbench.algorithms.runtime import compiling, own_folders
from structbench.algorithms.runtime.errors import OF_ANYBODY, Fault, Terminated, UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.bench.runs import ahead, anybodys_code, catalogue, driver, faults, problem_store
from structbench.bench.runs.algorithm_files import file_of
from structbench.bench.runs.news import Compiling
from structbench.bench.runs.spec import Spec
from structbench.bench.verbs.running import RUN, asked
from structbench.bench.verbs.saying import document, say
from structbench.bench.verbs.verb import verb
from structbench.datasets.problems.problem import Problem


@verb(*RUN, examples=("warm --data columns:train.txt --loss log --C 1 --algorithm eg",))
def do_warm(given: argparse.Namespace) -> int:
    """Compile what `run` with these arguments would, and what k best outputs and probabilities need."""
    spec = asked(given)
    catalogue.require(spec.algorithm)
    file = file_of(spec.algorithm)
    place = own_folders.place(file) if own_folders.owner(file) else None
    told = Compiling(spec.data.structure, say)
    with anybodys_code.away_from_stdout(), anybodys_code.watched(say, place), compiling.heard(told):
        problem = problem_store.obtain(spec.data, spec.test)[0]
        train = parts.compiled(problem.train)
        with ahead.second_process(spec, train):
            _warm_up(spec, problem._replace(train=train))
        first = parts.take(train, np.zeros(1, np.int64))
        weights = np.zeros(parts.num_weights(first))
        if parts.has(first, parts.k_best):
            prediction.k_best(first, weights, 1)
        if parts.has(first, parts.marginals):
            prediction.log_partitions(first, weights, 1.0)
    count = told.count
    told.over()
    return document({"compiled": count})


def _warm_up(spec: Spec, problem: Problem) -> None:
    try:
        driver.warm_up(spec, problem)
    except (UserError, Fault, ModuleNotFoundError, Terminated):
        raise
    except OF_ANYBODY as error:  # of any kind: the algorithm may be anybody's
        raise Fault(f"{spec.algorithm} failed with {faults.described(spec.algorithm, error)}") from error
