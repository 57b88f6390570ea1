"""Positive numbers and 0 of almost any size, for sums of products that no float holds.

A number is a float m and an integer e and means m 2^(512 e), with m from 2^-256 up to 2^256; 0 has the least e.
Operations round as on floats: unlike logarithms, numbers keep all digits however large exponents are.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.runtime.vector_math import LN2_HIGH, LN2_LOW

UP, DOWN = 2.0**512, 2.0**-512
HIGH, LOW = 2.0**256, 2.0**-256
OF_ZERO = -(2**62)
UNIT_HIGH, UNIT_LOW = 512 * LN2_HIGH, 512 * LN2_LOW
UNIT = UNIT_HIGH + UNIT_LOW  # log 2^512


@kernel
def normal(m, e):
    """The number m 2^(512 e), for 0 <= m < 2^512, m = 0 or at least 2^-768."""
    if m >= HIGH:
        return m * DOWN, e + 1
    if m >= LOW:
        return m, e
    return (m * UP, e - 1) if m > 0.0 else (0.0, OF_ZERO)


@kernel
def exponential(x):
    """exp(x) of x <= 0 and finite."""
    e = np.int64(x / UNIT)
    return normal(np.exp((x - e * UNIT_HIGH) - e * UNIT_LOW), e)


@kernel
def float_of(m, e):
    """The number as a float, 0 if it is below 2^-768; e is not above 0."""
    return m if e == 0 else (m * DOWN if e == -1 else 0.0)


@kernel
def plus(a, p, b, q):
    """a 2^(512 p) + b 2^(512 q)."""
    if p < q:
        a, p, b, q = b, q, a, p
    if p == q:
        return normal(a + b, p)
    return normal(a + b * DOWN, p) if p == q + 1 else (a, p)


@kernel
def minus(a, p, b, q):
    """The difference, or 0 if it is negative."""
    if p == q + 1:
        b, q = b * DOWN, p
    elif q == p + 1:
        a, p = a * DOWN, q
    if p > q:
        return a, p
    return normal(a - b, p) if p == q and a > b else (0.0, OF_ZERO)


@kernel
def times(a, p, b, q):
    """The product."""
    return normal(a * b, p + q)


@kernel
def over(a, p, b, q):
    """The quotient; b is not 0."""
    return normal(a / b, p - q)
