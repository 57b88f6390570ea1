"""Lists of best outputs and matchings, in units of p: the time of one online EG pass over MNIST, beside them."""

import time
from collections.abc import Iterator

import numpy as np

from algorithms.runtime.kernel import kernel
from algorithms.structures import interface as parts
from bench.measure import passes
from bench.measure.row import Row
from bench.runs import algorithm_module, problems

K, MOST_LISTS = 100, 60  # k-best Viterbi on the test sentences of CoNLL-2000
PAIRS, MOST_MATCHINGS = "toy-bitext:pairs=10000", 20  # a pass over pairs of 20 words
PASSES = 3


def rows() -> Iterator[Row]:
    """Lists of best outputs and matchings: CPU seconds against their budgets."""
    from datasets.text import first_stage

    p = passes.costs("mnist", 10.0)[0]

    def row(what: str, seconds: float, most: float) -> Row:
        said = f"{seconds:.2f} s = {seconds / p:.1f} p"
        return Row("lists", what, said, "", f"at most {most:g} p", seconds <= most * p)

    chunks = problems.obtain("conll2000")[0]
    w, test = first_stage.trained(chunks.train), parts.compiled(chunks.test)
    n = parts.num_examples(test)
    _list(test, w, K, 3)
    started = time.process_time()
    found = _list(test, w, K, n)
    what = f"the {K} best labellings of {n} sentences, {found} in all, scores included"
    yield row(what, time.process_time() - started, MOST_LISTS)
    yield row("a pass of the perceptron over 10,000 sentence pairs of 20 words", _matching(), MOST_MATCHINGS)


def _matching() -> float:
    """CPU seconds of a pass, the mean of the first ``PASSES``; the first visits, which may compile, left out."""
    from algorithms.learning.objective import Objective

    problem = problems.obtain(PAIRS)[0]
    n = parts.num_examples(problem.train)
    objective = Objective(problem.train, "none", 0.0)
    solver = algorithm_module.solver("perceptron")(problem, objective, np.random.default_rng(0))
    next(solver)
    before = next(solver).visits
    started = time.process_time()
    visits = next(iterate.visits for iterate in solver if iterate.visits >= PASSES * n)
    return (time.process_time() - started) / (visits - before) * n


@kernel
def _list(split, w, k, count):
    """How many outputs the first examples have, at most k each."""
    found = 0
    for i in range(count):
        m = parts.num_parts(split, i)
        s, Y, values = np.empty(m), np.empty((k, m)), np.empty(k)
        parts.scores(split, i, w, s)
        found += parts.k_best(split, i, s, Y, values)
    return found
