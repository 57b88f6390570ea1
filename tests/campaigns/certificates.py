"""Algorithms that make a certificate false: is one believed?

    .venv/bin/python -m tests.campaigns.certificates --rounds 600 --seed 0

A round runs an algorithm that lies in one of these ways, on a small problem, at weights that are not optimal. It
is wrong if the run ends as converged and its dual value is above the optimum. It is wrong, too, if the weights
that are kept do not have the value that the last row says.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from structbench.algorithms.learning.declaration import algorithm
from structbench.algorithms.learning.objective import Dual, Hints, Iterate, Model, Objective, Value
from structbench.algorithms.runtime.errors import Fault
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.bench.runs import algorithm_module, catalogue, driver, referee, refusals
from tests.bench.runs.driven import problem, spec
from tests.campaigns import rounds
from tests.campaigns.rounds import Outcome

STRUCTURES = ("multiclass-dense", "chain-binary", "segments-dense")
GAP, CLOSE, STEPS = 1e-3, 5e-4, 30  # asked for, said by the liar, of gradient descent before it lies
CAUGHT = (Fault, ArithmeticError)


class Point:
    """Weights that are not optimal, and what a liar needs to know of them."""

    def __init__(self, objective: Objective, rng: random.Random) -> None:
        self.objective, self.n = objective, parts.num_examples(objective.split)
        self.w = np.zeros(parts.num_weights(objective.split))
        gradient = np.empty_like(self.w)
        for k in range(rng.randint(0, STEPS)):
            objective.value_and_gradient(self.w, gradient)
            self.w -= 0.3 / (1 + k) / objective.C * gradient / self.n
        self.primal = objective.value_and_gradient(self.w, gradient)
        self.of_u = gradient - objective.C * self.w  # -w(u); its sign does not matter

    def lie(self, of_u: np.ndarray) -> tuple[float, np.ndarray]:
        """A pair for this w(u) whose dual value is just below the primal value."""
        return (1 - CLOSE) * self.primal + float(of_u @ of_u) / (2 * self.objective.C), of_u

    def iterate(self, dual: Dual | None, **hints: Any) -> Iterate:
        return Iterate(self.w, self.n, dual, hints=Hints(evaluate_now=True, **hints))


class Judge(Model):
    """A model that judges itself."""

    def __init__(self, value: float) -> None:
        super().__init__(predictions)
        self.value = value

    def evaluate(self, *_: Any) -> Value:
        return Value(self.value, self.value)

    def dual_value(self, *_: Any) -> float:
        return self.value


def recomputed(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Point], Iterator[Iterate]]:
    """The lie of a w(u) that was changed so, recomputed as it is."""

    def lie(at: Point) -> Iterator[Iterate]:
        pair = at.lie(change(at.of_u))
        yield at.iterate(Dual(*pair, recompute=lambda: pair))

    return lie


def sums(at: Point) -> Iterator[Iterate]:
    yield at.iterate(Dual(*at.lie(at.of_u)))


def drift(at: Point) -> Iterator[Iterate]:
    """Sums that lie, and a recomputation that is loose: it gives the sums themselves."""
    pair = at.lie(at.of_u)
    for k in range(1, 4):
        yield Iterate(at.w, k * at.n, Dual(*pair, recompute=lambda: pair))


def value(at: Point) -> Iterator[Iterate]:
    yield at.iterate(None, value=lambda: Value(at.primal / 2, at.primal / 2))


def value_beside_recompute(at: Point) -> Iterator[Iterate]:
    pair = at.objective.conjugate, at.of_u
    dual = at.objective.dual_value(*pair)
    yield at.iterate(Dual(*pair, recompute=lambda: pair), value=lambda: Value(dual, dual))


def not_a_number(at: Point) -> Iterator[Iterate]:
    for wrong in (np.nan, np.inf, -np.inf):
        yield at.iterate(Dual(wrong, at.of_u, lambda wrong=wrong: (wrong, at.of_u)))


def aliasing(at: Point) -> Iterator[Iterate]:
    yield at.iterate(None)
    at.w += 100.0


def spoiling(at: Point) -> Iterator[Iterate]:
    def spoil() -> tuple[float, np.ndarray]:
        at.w[:] = 100.0
        return at.lie(at.of_u)

    yield at.iterate(Dual(*at.lie(at.of_u), recompute=spoil))


def judge(at: Point) -> Iterator[Iterate]:
    yield at.iterate(None, model=Judge(at.primal))


def objective(at: Point) -> Iterator[Iterate]:
    at.objective.C = 1e-12
    vars(at.objective)["evaluate"] = lambda *_: Value(1.0, 1.0)
    yield at.iterate(None)


KINDS: dict[str, Callable[[Point], Iterator[Iterate]]] = {
    "made-up sums": sums,
    "loose recomputation": drift,
    "wrong sign": recomputed(lambda of_u: -of_u),
    "half of the examples": recomputed(lambda of_u: of_u / 2),
    "more than probabilities": recomputed(lambda of_u: 1.3 * of_u),
    "no features": recomputed(np.zeros_like),
    "value of its own": value,
    "value beside an honest point": value_beside_recompute,
    "not a number": not_a_number,
    "aliasing": aliasing,
    "spoilt while judged": spoiling,
    "judge of itself": judge,
    "poisoned objective": objective,
}


def optimum(given: Any, loss: str, C: float) -> float:
    """The least primal value, from above."""
    found = driver.run(spec("eg", params=(("order", "gap"),), loss=loss, C=C, passes=3000.0, gap=1e-7), given)
    return min(row["primal"] for row in found.rows)


@contextmanager
def liar(lie: Callable[[Point], Iterator[Iterate]], seed: float) -> Iterator[None]:
    """While the block runs, every algorithm is this one, and the user's own."""

    @algorithm(needs=("parts",))
    def solve(problem, objective, rng):
        at = Point(objective, random.Random(seed))
        yield Iterate(np.zeros_like(at.w), 0)
        yield from lie(at)

    own = Path("algorithms/liar.py")
    with ExitStack() as held:
        held.enter_context(patch.object(algorithm_module, "algorithm", lambda name: SimpleNamespace(solve=solve)))
        for module in (algorithm_module, catalogue):
            held.enter_context(patch.object(module, "declaration", lambda name: solve.declaration))
        for name, given in (("file_of", own), ("shown", "liar.py"), ("owner", Path("mine"))):
            for module in (referee, refusals):
                held.enter_context(patch.object(module, name, lambda _, given=given: given))
        yield


def play(rng: random.Random) -> Outcome:
    """One lie."""
    name, structure = rng.choice([*KINDS]), rng.choice(STRUCTURES)
    loss, C = rng.choice(("log", "hinge")), 10 ** rng.uniform(-1, 1)
    given = problem(structure)
    with liar(KINDS[name], rng.random()):
        try:
            run = driver.run(spec("liar", loss=loss, C=C, passes=5.0, gap=GAP), given)
        except CAUGHT:
            return Outcome(name)
    row, about = run.rows[-1], f"{structure}, {loss}, C = {C:.3g}"
    true = Objective(given.train, loss, C).evaluate(run.weights, None).primal
    if abs(true - row["primal"]) > 1e-6 * abs(true):
        return Outcome(name, f"{about}: its last row says {row['primal']}, and the weights have {true}")
    if run.summary["status"] == "converged" and row["dual"] > (1 + 1e-6) * optimum(given, loss, C):
        return Outcome(name, f"{about}: a dual value of {row['dual']} is believed")
    return Outcome(name)


@contextmanager
def prepared(folder: Path) -> Iterator[rounds.Round]:
    """Nothing is needed."""
    yield play


if __name__ == "__main__":
    rounds.main(__doc__, prepared, 600)
