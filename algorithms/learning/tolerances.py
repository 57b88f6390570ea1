"""A factor that shrinks tolerances of hinge solvers where the objective is tiny, as with a hard margin.

There u is the gold outputs, except for a mass of about C. What is negligible beside a probability of 1 is then not
negligible beside the objective.
"""

LITTLE = 1e-5  # of E_{u_i}[e_i] in the mean, from which on tolerances shrink with it
ROUNDING = 2.3e-16  # relative: below it nothing is told from nothing


def shrunk(conjugate: float, n: int) -> float:
    """What to multiply tolerances by: 1, or less if E_u[e] of n examples is little. At the gold outputs, 1."""
    return min(1.0, conjugate / (LITTLE * n)) if conjugate > 0 else 1.0
