"""Weights of any solver, judged: their objective and errors, and its distance to the certified optimum."""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from structbench.algorithms.learning.objective import Model, Objective
from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import prediction
from structbench.algorithms.structures.compiled import capabilities
from structbench.bench.report import optima, weight_files
from structbench.bench.runs import problem_store
from structbench.bench.runs.quality import quality
from structbench.datasets import data_ref

ROUNDING = 1e-12  # of an objective: of sums in another order


class Judged(NamedTuple):
    """What weights come to. ``own_bound``: no objective is below it, by these weights alone; else NaN.

    ``optimum``: the certified one; None if none is known, and ``unknown`` says why. ``above``: the objective less
    the least known one, and less the lower bound, in shares of the objective: NaN without an optimum.
    """

    data: str
    loss: str
    penalty: str
    C: float
    num_weights: int
    num_nonzero: int
    objective: float
    own_bound: float
    train_error: float
    test_error: float
    test_f1: float
    above: tuple[float, float]
    optimum: optima.Optimum | None
    unknown: str

    @property
    def own_gap(self) -> float:
        """The share of the objective that these weights alone leave open."""
        return (self.objective - self.own_bound) / abs(self.objective)

    @property
    def verdict(self) -> str:
        """How far the objective is from the optimum, in a sentence."""
        if self.optimum is None:
            return self.unknown
        best, bound = self.above
        if bound < -ROUNDING:
            return (
                f"The objective is below the certified bound, so the run {self.optimum.bound_by.run} is refuted: "
                "tell us, with these weights."
            )
        known = self.optimum.objective, self.optimum.lower_bound
        if known[1] <= 0:  # no share of an optimum that may be 0
            over = self.objective - known[0]
            said = f"{over:.3g} above the least known one" if over > 0 else "not above any known one"
            return f"The objective is {said}. The bound is not above 0: no share of the optimum is certain."
        best, bound = (100 * each * abs(self.objective / by) for each, by in zip(self.above, known, strict=True))
        if best < 0:
            return f"No known objective is lower. It is at most {bound:.3g} % above the optimum."
        ends = dict.fromkeys((f"{best:.3g}", f"{bound:.3g}"))
        return f"The objective is {' to '.join(ends)} % above the optimum."


def judge_weights(
    file: Path, data: str, loss: str, C: float, penalty: str = "l2", test: str | None = None
) -> Judged:
    """Judge the weights in a file.

    Raises:
        UserError: The file, the data set, the loss, C or the penalty is wrong; or the weights do not fit the data.
    """
    ref = data_ref(data)
    ref.check_test(test)
    optima.check_objective(loss, C, penalty)
    named = weight_files.has_names(file)  # before the data are built
    problem, data_sha256 = problem_store.obtain(ref, test, names=named)
    kind, smooth = type(problem.train), family.named_loss(loss).temperature > 0
    needed = ("parts", "marginals" if smooth else "argmax")
    if lacking := [each for each in needed if each not in capabilities(kind)]:
        raise UserError(
            f"the {loss} loss needs {' and '.join(lacking)}, which {ref.structure} problems do not have"
        )
    w = weight_files.weights_of_file(file, problem)
    objective = Objective(problem.train, loss, C, penalty)
    problem, model = problem._replace(train=objective.split), Model(prediction.predictions)
    with np.errstate(all="ignore"):
        value = objective.evaluate(w, None)
    if not np.isfinite(value.primal):
        raise UserError(f"{file}: the objective of these weights is {value.primal}, which is not finite")
    found = quality(problem, model, problem.train, w, "train")
    found |= quality(problem, model, None if problem.test is None else parts.compiled(problem.test), w, "test")
    known, unknown, above = None, "", (np.nan, np.nan)
    try:
        known = optima.known_optimum(ref, loss, C, penalty, data_sha256, test)
        over, size = (value.primal - known.objective, value.primal - known.lower_bound), abs(value.primal)
        above = over[0] / size, over[1] / size
    except optima.UnknownOptimum as error:
        unknown = str(error)
    return Judged(
        data=ref.text,
        loss=loss,
        penalty=penalty,
        C=C,
        num_weights=len(w),
        num_nonzero=int(np.count_nonzero(w)),
        objective=value.primal,
        own_bound=value.dual,
        train_error=found["train_error"],
        test_error=found["test_error"],
        test_f1=found["test_f1"],
        above=above,
        optimum=known,
        unknown=unknown,
    )
