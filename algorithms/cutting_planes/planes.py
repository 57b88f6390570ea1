"""Planes below a sum of losses, and the quadratic program over them, for 1-slack methods.

A plane (a_t, b_t) says that sum_i loss_i(w) >= b_t - w . a_t. Take the least sum of ||w||^2 C / 2 and the largest
plane. With w(alpha) = sum_t alpha_t a_t, its dual is

    max  sum_t alpha_t b_t - ||w(alpha)||^2 / (2 C)    over alpha_t >= 0, sum_t alpha_t = 1,

and w(alpha) / C are the weights (Joachims, Finley, Yu: *Cutting-plane training of structural SVMs*, Machine
Learning 2009).
"""

import numpy as np
import piqp

from structbench.algorithms.learning import tolerances

PRECISION = 1e-11  # of the quadratic program, relative to the largest b_t
INACTIVE = 1e-12  # an alpha that the interior-point method leaves where the solution is 0
ROUNDING = 1e-12  # of the terms of a violation
LITTLE, MOST = 1e-9, 1e6  # a sum of alpha that is told from 0 only on its own scale; its limit on that scale


class Planes:
    """Planes (a_t, b_t), their inner products a_s . a_t and their alpha.

    Only nonzero entries of a_t are kept, 12 bytes each. ``slack``: the largest plane at the last weights.
    """

    def __init__(self, C: float) -> None:
        self.C, self.slack = C, -np.inf
        self.a: list[tuple[np.ndarray, np.ndarray]] = []  # indices, values
        self.b, self.alpha = np.empty(0), np.empty(0)
        self.idle = np.empty(0, np.int64)  # in how many solutions in a row alpha was 0
        self.gram = np.empty((0, 0))

    def add(self, a: np.ndarray, b: float) -> None:
        """Add the plane of a, (weights,), and b, with alpha 0."""
        where = np.flatnonzero(a).astype(np.int32)
        self.a.append((where, a[where]))
        products = np.array([values @ a[indices] for indices, values in self.a])
        self.gram = np.block([[self.gram, products[:-1, None]], [products]])
        self.b, self.alpha, self.idle = np.append(self.b, b), np.append(self.alpha, 0.0), np.append(self.idle, 0)

    def shifted(self, by: np.ndarray) -> "Planes":
        """The planes (a_t + by, b_t), ``by`` of shape (weights,), with alpha 0."""
        moved = Planes(self.C)
        for (indices, values), b in zip(self.a, self.b, strict=True):
            a = by.copy()
            a[indices] += values
            moved.add(a, b)
        return moved

    def optimise(self, w: np.ndarray) -> bool:
        """Solve the quadratic program; w becomes w(alpha). False, and nothing changes, if it does not converge."""
        alpha = solve_simplex_program(self.gram / self.C, self.b)
        if alpha is None:
            return False
        self.alpha = alpha
        self.slack = float((self.b - self.gram @ self.alpha / self.C).max())
        self.idle = np.where(self.alpha > 0, 0, self.idle + 1)
        self.sum_to(w)
        return True

    def sum_to(self, w: np.ndarray) -> None:
        """w becomes w(alpha)."""
        w[:] = 0.0
        for share, (indices, values) in zip(self.alpha, self.a, strict=True):
            if share > 0:
                w[indices] += share * values

    def dual_point(self, size: int) -> tuple[float, np.ndarray]:
        """alpha . b and w(alpha), (size,), from the stored planes."""
        w = np.empty(size)
        self.sum_to(w)
        return float(self.alpha @ self.b), w

    def drop(self, patience: int) -> None:
        """Drop the planes whose alpha was 0 in this many solutions in a row."""
        keep = np.flatnonzero(self.idle < patience)
        if len(keep) < len(self.b):
            self.a = [self.a[t] for t in keep]
            self.b, self.alpha, self.idle = self.b[keep], self.alpha[keep], self.idle[keep]
            self.gram = self.gram[np.ix_(keep, keep)]

    def below(self, loss: float, tolerance: float, size: float, n: int) -> bool:
        """Whether all planes lie below ``loss``, at the last weights, by more than ``tolerance`` and rounding.

        ``size``: of the terms of the sum ``loss``, over n examples. Both shrink with a hard margin.
        """
        shrunk = tolerances.shrunk(float(self.alpha @ self.b), n)
        rounding = max(ROUNDING * shrunk, tolerances.ROUNDING)
        return loss - self.slack > max(tolerance * shrunk, rounding * (size + self.b.max(initial=0.0)))


def solve_simplex_program(Q: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """argmax of b . alpha - alpha . Q alpha / 2 over alpha >= 0, sum_t alpha_t = 1; Q (k, k) may be singular.

    None if the solver does not converge.
    """
    curvature, scale = float(Q.diagonal().max()), float(np.abs(b).max()) or 1.0
    nothing = np.flatnonzero((Q.diagonal() == 0) & (b == 0))  # planes that may have what the others lack
    mass = scale / curvature if curvature > 0 and len(nothing) else 1.0
    if mass < LITTLE:  # a hard margin
        alpha, others = np.zeros(len(b)), np.delete(np.arange(len(b)), nothing[0])
        scaled = _solved(Q[np.ix_(others, others)] * mass, b[others], MOST)
        if scaled is None:
            return None
        alpha[others] = mass * scaled
        alpha[nothing[0]] = 1 - alpha.sum()
        return alpha
    alpha = _solved(Q, b, None)
    return None if alpha is None else alpha / alpha.sum()


def _solved(Q: np.ndarray, b: np.ndarray, most: float | None) -> np.ndarray | None:
    """The solution for alpha >= 0 whose sum is 1, or at most ``most``; None if the solver does not converge."""
    scale, k = float(np.abs(b).max()) or 1.0, len(b)
    solver = piqp.DenseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = PRECISION
    settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = PRECISION
    settings.num_threads = 1
    P, c, ones = np.asfortranarray(Q / scale), -b / scale, np.ones((1, k), order="F")
    if most is None:
        solver.setup(P, c, ones, np.ones(1), x_l=np.zeros(k))
    else:
        solver.setup(P, c, G=ones, h_u=np.full(1, most), x_l=np.zeros(k))
    if solver.solve() != piqp.PIQP_SOLVED:
        return None
    alpha = np.array(solver.result.x)
    alpha[alpha <= INACTIVE] = 0.0
    return alpha
