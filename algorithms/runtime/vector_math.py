"""Vectorised exponential and logarithm for compiled loops, and dot product, log-sum-exp, softmax and the like.

Unlike numpy's, the exponential and the logarithm run in vector registers.
"""

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # the first times n is exact
LOG2_E = 1.4426950408889634
POWERS = 2.0 ** -np.arange(512)
LEAST = -708.0  # exp of less is no normal number
SQRT_HALF = np.int64(0x3FE6A09E667F3BCD)  # the bits of sqrt(1 / 2)
SHORT_HALF, SHORT_MANTISSA = np.int32(0x3F3504F3), np.int32(23)  # of float32; the bits of its mantissa


@kernel(fastmath={"contract"})
def exp(x):
    """exp(x) for -354 <= x <= 0, exact to some 2e-16.

    The caller must exclude every other x, also NaN: for these it reads past the end of a table.
    """
    n = np.int32(0.5 - x * LOG2_E)
    r = (x + n * LN2_HIGH) + n * LN2_LOW  # |r| <= log(2) / 2
    p = 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    return (p * r + 1.0) * POWERS[n]


@kernel
def exp_or_zero(x):
    """exp(x) for x <= 0. Below LEAST it is 0; for NaN it is NaN."""
    root = exp(0.5 * x if x > LEAST else 0.5 * LEAST)  # its table ends half-way
    return root * root if x > LEAST else (0.0 if x <= LEAST else x)


@kernel
def log(x):
    """log(x) of normal numbers x > 0, exact to some 2e-16."""
    bits = np.float64(x).view(np.int64)
    n = (bits - SQRT_HALF) >> 52
    m = np.int64(bits - (n << 52)).view(np.float64)  # x = 2^n m, m between sqrt(1 / 2) and sqrt(2)
    s = (m - 1.0) / (m + 1.0)  # log m = 2 artanh s
    z = s * s
    p = 1.0 / 21.0
    p = p * z + 1.0 / 19.0
    p = p * z + 1.0 / 17.0
    p = p * z + 1.0 / 15.0
    p = p * z + 1.0 / 13.0
    p = p * z + 1.0 / 11.0
    p = p * z + 1.0 / 9.0
    p = p * z + 1.0 / 7.0
    p = p * z + 1.0 / 5.0
    p = p * z + 1.0 / 3.0
    return n * LN2_HIGH + (2.0 * (s + s * z * p) + n * LN2_LOW)


@kernel
def short_log(x):
    """log(x) of a normal float32 x > 0, exact to some 1e-7; float32."""
    bits = np.float32(x).view(np.int32)
    n = np.int32(np.int32(bits - SHORT_HALF) >> SHORT_MANTISSA)
    r = np.int32(bits - np.int32(n << SHORT_MANTISSA)).view(np.float32) - np.float32(1.0)  # x = 2^n (1 + r)
    p = np.float32(7.0376836e-2)  # of the Cephes library's logf
    p = p * r - np.float32(1.1514610e-1)
    p = p * r + np.float32(1.1676999e-1)
    p = p * r - np.float32(1.2420141e-1)
    p = p * r + np.float32(1.4249323e-1)
    p = p * r - np.float32(1.6668058e-1)
    p = p * r + np.float32(2.0000715e-1)
    p = p * r - np.float32(2.4999994e-1)
    p = p * r + np.float32(3.3333331e-1)
    square = r * r
    return np.float32(n) * np.float32(LN2_HIGH) + (r + square * (p * r - np.float32(0.5)))


@kernel
def add_scaled(c, a, out):
    """out += c a, for two contiguous arrays of one shape. numba's own code compiles ten times as long."""
    x, y = a.reshape(a.size), out.reshape(out.size)
    for k in range(x.shape[0]):
        y[k] += c * x[k]


@kernel
def copy_to(a, out):
    """out = a, for two contiguous arrays of one shape."""
    x, y = a.reshape(a.size), out.reshape(out.size)
    for k in range(x.shape[0]):
        y[k] = x[k]


@kernel
def log_sum_exp(v):
    """log sum exp(v), minus infinity if all numbers are minus infinity."""
    top = finite_top(v)
    total = 0.0
    for k in range(v.shape[0]):
        total += np.exp(v[k] - top)
    return top + np.log(total)


@kernel
def normalise(v):
    """exp(v) / sum exp(v), in place; 0 if all numbers are minus infinity. Returns log sum exp(v)."""
    top = finite_top(v)
    total = 0.0
    for k in range(v.shape[0]):
        v[k] = np.exp(v[k] - top)
        total += v[k]
    if total == 0.0:
        return -np.inf
    for k in range(v.shape[0]):
        v[k] /= total
    return top + np.log(total)


@kernel
def finite_top(v):
    """The largest number of v, or 0 if that is minus infinity. So v minus it has no NaN."""
    top = v[0]
    for k in range(1, v.shape[0]):
        top = max(top, v[k])
    return 0.0 if top == -np.inf else top


@kernel(fastmath={"reassoc"})
def dot(a, b):
    """a . b. The compiler may reorder the sum, so that it runs in vector registers."""
    total = 0.0
    for r in range(a.shape[0]):
        total += a[r] * b[r]
    return total


@kernel
def total_score(s, mu):
    """s . mu of scores and a part vector. A part with mu_r = 0 counts 0 even if its score is minus infinity."""
    total = dot(s, mu)
    if np.isnan(total):
        total = 0.0
        for r in range(s.shape[0]):
            total += s[r] * mu[r] if mu[r] != 0.0 else 0.0
    return total
