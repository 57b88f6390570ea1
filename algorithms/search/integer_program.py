"""Decoding as integer linear programming, by HiGHS: slow, but it takes any linear constraint on the output.

Where dynamic programming or a matching finds the same output, it is faster (klein2011, "Efficient Primal
Decoding"). The program of a hypergraph is a flow: one edge goes into the goal. As many edges go into each other
node as edges choose it for a tail (Martin, Rardin and Campbell, Polyhedral characterization of discrete dynamic
programming, 1990). Scores are finite; minus infinity forbids a part.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from structbench.algorithms.runtime.errors import UserError


class Constraint(NamedTuple):
    """low <= rows . y <= high, row by row: (constraints, parts) or (parts,), and numbers or (constraints,)."""

    rows: Any
    low: Any
    high: Any


def best_derivation(
    first: np.ndarray, tails: np.ndarray, theta: np.ndarray, constraints: Sequence[Constraint] = ()
) -> tuple[float, np.ndarray]:
    """The largest theta . y of a derivation of a hypergraph that keeps the constraints, and y, (edges,).

    ``first``, ``tails`` and ``theta`` are as in ``structures.hypergraph``. Minus infinity and zeros without such a
    derivation.

    Raises:
        UserError: the scores or constraints are no program, or HiGHS gives up.
    """
    import scipy.sparse as sp

    nodes, edges = len(first) - 1, len(tails)
    into = np.repeat(np.arange(nodes), np.diff(first))
    number = np.arange(edges)
    entries = [(into, number, np.ones(edges))]
    for side in (0, 1):
        chosen = tails[:, side] >= 0
        entries.append((tails[chosen, side], number[chosen], -np.ones(chosen.sum())))
    rows, columns, values = (np.concatenate(each) for each in zip(*entries, strict=True))
    balance = sp.csr_array((values, (rows, columns)), shape=(nodes, edges))
    flow = np.zeros(nodes)
    flow[-1] = 1
    return _maximised(theta, [Constraint(balance, flow, flow), *constraints])


def best_alignment(
    gains: np.ndarray, source_fertility: int = 1, target_fertility: int = 1, constraints: Sequence[Constraint] = ()
) -> tuple[float, np.ndarray]:
    """The largest value of links between J and K words, and the links: (J, K), 0 or 1.

    Args:
        gains: the value of each link, (J, K). A link of negative value is made only if a constraint asks for it.
        source_fertility, target_fertility: how many links a word of either side may have.
        constraints: on the links in the order of ``gains.ravel()``.

    Raises:
        UserError: a fertility is negative, the gains or constraints are no program, or HiGHS gives up.
    """
    import scipy.sparse as sp

    for name, value in (("source_fertility", source_fertility), ("target_fertility", target_fertility)):
        if value < 0:
            raise UserError(f"{name} must be 0 or more, not {value}")
    J, K = gains.shape
    of_source = sp.kron(sp.eye_array(J), np.ones((1, K)), format="csr")
    of_target = sp.kron(np.ones((1, J)), sp.eye_array(K), format="csr")
    limits = [Constraint(of_source, 0, source_fertility), Constraint(of_target, 0, target_fertility)]
    value, links = _maximised(gains.ravel(), [*limits, *constraints])
    return value, links.reshape(J, K)


def _maximised(scores: np.ndarray, constraints: Sequence[Constraint]) -> tuple[float, np.ndarray]:
    """max scores . y over 0/1 vectors y that keep the constraints. Minus infinity and zeros without such a y."""
    from scipy.optimize import LinearConstraint, milp

    allowed = scores > -np.inf
    wild = scores[np.isnan(scores) | (scores == np.inf)]
    if len(wild):
        raise UserError(f"integer programs take finite scores, or minus infinity, not {wild[0]:g}")
    costs = np.where(allowed, -scores, 0.0)
    try:
        found = milp(
            costs,
            integrality=np.ones(len(costs)),
            bounds=(0, allowed.astype(float)),
            constraints=[LinearConstraint(*each) for each in constraints],
            options={"mip_rel_gap": 0.0},
        )
    except ValueError as error:
        raise UserError(f"the constraints do not fit {len(costs)} parts: {error}") from error
    if found.status == 2:  # infeasible
        return -np.inf, np.zeros(len(costs))
    if found.status != 0:
        raise UserError(f"HiGHS finds no best output: {found.message}")
    y = np.round(found.x)
    return float(scores[y > 0] @ y[y > 0]), y
