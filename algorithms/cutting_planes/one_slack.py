"""Cutting planes for the hinge with one slack: a plane per round, made of all examples' worst outputs.

Joachims, Finley, Yu: *Cutting-plane training of structural SVMs*, Machine Learning 2009, Algorithm 3 (margin
rescaling). Inference at the weights v on every example, yhat_i = argmax_y e_i(y) + v . f(x_i, y), makes the plane

    a_t = sum_i f(x_i, y_i) - f(x_i, yhat_i),    b_t = sum_i e_i(yhat_i),    sum_i loss_i(w) >= b_t - w . a_t,

exact at v. The next weights are v = w(alpha) / C, w(alpha) = sum_t alpha_t a_t, of the quadratic program

    max  sum_t alpha_t b_t - ||w(alpha)||^2 / (2 C)    over alpha_t >= 0, sum_t alpha_t = 1.

alpha stands for u_i = sum_t alpha_t [y = yhat_i of plane t], the same mixture for all examples.
"""

from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import piqp

from algorithms.cutting_planes.working_sets import initial, weights
from algorithms.learning.objective import Iterate, Objective
from algorithms.runtime.errors import UserError
from algorithms.structures import interface as parts

LOSSES = ("hinge",)
NEEDS = ("parts", "argmax")
LABEL = "1-slack cutting planes"
DRAWS = False
PRECISION = 1e-11  # of the quadratic program, relative to the largest b_t
INACTIVE = 1e-12  # an alpha as small as the inner point leaves of 0
ROUNDING = 1e-12  # of the loss


def solve(
    problem: Any,
    objective: Objective,
    rng: np.random.Generator,
    *,
    epsilon: Annotated[float, "> 0"] = 1e-9,
    patience: Annotated[int, ">= 1"] = 50,
) -> Iterator[Iterate]:
    """Run 1-slack cutting planes; a round is n visits and a yield.

    Args:
        epsilon: the run ends when the newest plane lies at most n epsilon above all others at the weights it was
            made at: the mean of the losses is then at most epsilon above the slack, and P - D <= n epsilon.
        patience: planes whose alpha was 0 in so many rounds in a row are dropped.

    Raises:
        UserError: the quadratic program does not converge.
    """
    split, C, n = objective.split, objective.C, parts.num_examples(objective.split)
    w = np.zeros(parts.num_weights(split))
    yield Iterate(w, 1 / C, 0, None, {})
    right = initial(split)
    a = weights(split, right)
    planes = _Planes(C, patience)
    planes.add(a, float(right.losses.sum()))  # the constraint xi >= 0: a and b are 0 if all labels are known
    slack, visits = -np.inf, 0
    while True:
        losses, risks = objective.losses_and_conjugates(w / C, a)
        np.negative(a, out=a)
        visits += n
        loss = float(losses.sum())
        violated = loss - slack > max(n * epsilon, ROUNDING * loss)
        if violated:
            planes.add(a, float(risks.sum()))
            slack = planes.optimise(w)
        yield Iterate(w, 1 / C, visits, float(planes.alpha @ planes.b), {"planes": float(len(planes.b))})
        if not violated:
            return


class _Planes:
    """Planes (a_t, b_t), their inner products a_s . a_t and their alpha.

    Only what is not 0 in a_t is kept, 12 bytes a number.
    """

    def __init__(self, C: float, patience: int) -> None:
        self.C, self.patience = C, patience
        self.a: list[tuple[np.ndarray, np.ndarray]] = []  # indices, values
        self.b, self.alpha = np.empty(0), np.empty(0)
        self.idle = np.empty(0, np.int64)
        self.gram = np.empty((0, 0))

    def add(self, a: np.ndarray, b: float) -> None:
        where = np.flatnonzero(a).astype(np.int32)
        self.a.append((where, a[where]))
        products = np.array([values @ a[indices] for indices, values in self.a])
        self.gram = np.block([[self.gram, products[:-1, None]], [products]])
        self.b, self.alpha, self.idle = np.append(self.b, b), np.append(self.alpha, 0.0), np.append(self.idle, 0)

    def optimise(self, w: np.ndarray) -> float:
        """Solve the quadratic program, drop idle planes and set w to w(alpha); returns max_t b_t - w . a_t / C."""
        alpha = solve_simplex_program(self.gram / self.C, self.b)
        slack = float((self.b - self.gram @ alpha / self.C).max())
        self.idle = np.where(alpha > 0, 0, self.idle + 1)
        keep = np.flatnonzero(self.idle < self.patience)
        self.a = [self.a[t] for t in keep]
        self.b, self.alpha, self.idle = self.b[keep], alpha[keep], self.idle[keep]
        self.gram = self.gram[np.ix_(keep, keep)]
        w[:] = 0.0
        for share, (indices, values) in zip(self.alpha, self.a, strict=True):
            if share > 0:
                w[indices] += share * values
        return slack


def solve_simplex_program(Q: np.ndarray, b: np.ndarray, algorithm: str = "one-slack") -> np.ndarray:
    """argmax of b . alpha - alpha . Q alpha / 2 over alpha >= 0, sum_t alpha_t = 1; Q (k, k) may be singular.

    Raises:
        UserError: the solver does not converge.
    """
    scale = float(np.abs(b).max()) or 1.0
    solver = piqp.DenseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = PRECISION
    settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = PRECISION
    settings.num_threads = 1
    k = len(b)
    solver.setup(np.asfortranarray(Q / scale), -b / scale, np.ones((1, k), order="F"), np.ones(1), x_l=np.zeros(k))
    status = solver.solve()
    if status != piqp.PIQP_SOLVED:
        raise UserError(
            f"{algorithm}: the quadratic program over {k} planes does not converge ({status.name} after "
            f"{solver.result.info.iter} iterations): choose a larger C or a larger epsilon"
        )
    alpha = np.array(solver.result.x)
    alpha[alpha <= INACTIVE] = 0.0
    return alpha / alpha.sum()
