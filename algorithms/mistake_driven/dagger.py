"""DAgger: a greedy policy that learns from an expert in the states that it comes to itself.

Ross, Gordon and Bagnell 2011. In pass k (0, 1, ...) the policy of a step is the expert with probability beta^k,
else the learner's best operator: by default the first pass imitates, and later ones go the learner's own way. In
each state the expert says what is best from there on (``search.good_moves``). Let S be the states of one search in
which the learner's operator m(s) is not among these, and m*(s) the best of these by score. Then

    w <- w + sum_{s in S} f(s, m*(s)) - f(s, m(s)).

The paper trains a classifier on all states so far. Here the perceptron learns from them online, a search a round.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Iterate, Objective
from structbench.algorithms.mistake_driven import epochs
from structbench.algorithms.mistake_driven.averaging import Averaged, perceptron_step, visited
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.sparse_sum import empty_sum
from structbench.algorithms.search import beam as bm
from structbench.algorithms.search import decoding
from structbench.algorithms.search import problem as search
from structbench.algorithms.structures import interface as parts


def greedy(split: Any, w: np.ndarray, **_: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As ``decoding.predictions``, by the best operator of each state."""
    return decoding.predictions(split, w, beam=1, decode="same", compare_at="steps")


@algorithm(
    label="DAgger",
    loss="none",
    needs=(search.SEARCH,),
    threads=False,
    predict=greedy,
    references=("ross2011",),
)
def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    beta: Annotated[float, ">= 0", "<= 1"] = 0.0,
    average: Literal["uniform", "none"] = "uniform",
) -> Iterator[Iterate]:
    """Run DAgger from w = 0, passing over the examples in a new order each time.

    Args:
        beta: in pass k, from 0 on, each step is the expert's with probability beta^k. 0: only in the first pass.
            1: always, which is imitation.
        average: predict with the mean of the weights after each example; ``none``: with the last.
    """
    split = objective.split
    n, total = parts.num_examples(split), empty_sum(parts.num_weights(split))

    def visit(tick: np.ndarray, w: Averaged) -> int:
        share = beta ** int(w.now[0]["examples"] // n)
        draws = rng.random(int(np.sum(parts.num_decisions(split, tick))))
        return _visit_examples(split, tick, draws < share, w, total)

    yield from epochs.learn(split, rng, visit, "dagger", average, ticks=epochs.TICKS)


@kernel
def _visit_examples(problem, examples, by_expert, w, total):
    """Learn from these examples; see ``epochs.Visit``. ``by_expert``: bool, whose operator each step takes."""
    sizes, steps = search.sizes(problem, examples[0]), 0
    state, scores, good = np.empty(sizes.state, np.int64), np.empty(sizes.moves), np.empty(sizes.moves, np.int64)
    for i in examples:
        known, flags = bm.memory(problem, i)
        search.start(state)
        while not search.is_goal(problem, i, state):
            own, most = -1, -np.inf
            if state[0] < parts.num_decisions(problem, i):
                search.move_scores(problem, i, state, w.v, known, flags, scores)
                for m in range(scores.shape[0]):
                    if scores[m] > most:
                        own, most = m, scores[m]
            if own < 0 and total.terms[0] == 0:
                return i
            if own < 0:  # a dead end: a mistake led there
                break
            expert, most = own, -np.inf  # the learner itself where none can be applied
            count = search.good_moves(problem, i, state, good)
            for m in good[:count]:
                if scores[m] > most or (m == own and scores[m] == most):
                    expert, most = m, scores[m]
            if expert != own:
                search.add_step(problem, i, state, expert, 1.0, total)
                search.add_step(problem, i, state, own, -1.0, total)
            search.after(problem, i, state, expert if by_expert[steps] else own, state)
            steps += 1
        if total.terms[0] > 0:
            perceptron_step(w, total)
        visited(w)
    return -1
