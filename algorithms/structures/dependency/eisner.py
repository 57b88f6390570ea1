"""Sums over all projective trees, after Eisner (1996), and their derivatives.

Positions are 0, the root, and the tokens 1 .. T. Each arc has a weight W[h, m]. There are three sums over trees
within the positions s .. t:

    C>(s, t)  trees below s whose last token is t:  sum_r  I>(s, r) C>(r, t),  s < r <= t
    C<(s, t)  trees below t whose first token is s: sum_r  C<(s, r) I<(r, t),  s <= r < t
    U(s, t)   two of them side by side:             sum_q  C>(s, q) C<(q + 1, t),  s <= q < t

where I>(s, r) = W[s, r] U(s, r) and I<(r, t) = W[t, r] U(r, t). The total is C>(0, T). If the root has one child
only, U(0, t) has the one term q = 0. Each tree is one way of choosing q and r.

``inside`` and ``outside`` are written once for two kinds of numbers, whose arithmetic they take as arguments
(``semirings``). Plain numbers need no exponential in the loops. Logarithms are for sums that underflow or
overflow. Sums run along rows of arrays, so that they pass through vector registers. Sums along the first position
use a second, transposed copy. Time: T^3 / 2 products, and T^3 for the derivatives.
"""

from structbench.algorithms.runtime.kernel import kernel

# What the layers of ``memory`` hold, each (T + 1, T + 1). The other way round is [t, s].
UNITED, RIGHT, RIGHT_T, LEFT, LEFT_T, OVER, UNDER_T = range(7)  # U, C>, its transpose, C<, its transpose, I>, I<
LAYERS = 7


@kernel
def inside(W, single_root, memory, one, times, dot):
    """The sums, in the upper triangles of ``memory`` (transposes: the lower ones); returns C>(0, T).

    Args:
        W: (T + 1, T + 1), the weights of arcs.
        memory: (LAYERS, T + 1, T + 1).
        one, times, dot: of the numbers: one, a product, and a sum of products of two rows.
    """
    n = W.shape[0]
    U, right, right_t = memory[UNITED], memory[RIGHT], memory[RIGHT_T]
    left, left_t, over, under = memory[LEFT], memory[LEFT_T], memory[OVER], memory[UNDER_T]
    for s in range(n):
        right[s, s] = right_t[s, s] = left[s, s] = left_t[s, s] = one
    for width in range(1, n):
        for s in range(n - width):
            t = s + width
            last = s + 1 if s == 0 and single_root else t
            u = dot(right[s, s:last], left_t[t, s + 1 : last + 1])
            U[s, t] = u
            over[s, t] = times(W[s, t], u)
            if s > 0:
                under[t, s] = times(W[t, s], u)
                found = dot(left[s, s:t], under[t, s:t])
                left[s, t] = left_t[t, s] = found
            found = dot(over[s, s + 1 : t + 1], right_t[t, s + 1 : t + 1])
            right[s, t] = right_t[t, s] = found
    return right[0, n - 1]


@kernel
def outside(W, single_root, memory, slopes, zero, one, times, plus, spread):
    """The derivatives of C>(0, T) with respect to the sums that ``inside`` left in ``memory``.

    Args:
        slopes: (LAYERS, T + 1, T + 1), in the layout of ``memory``; for C> and C<, add up both layouts.
        zero, one, times, plus, spread: of the numbers. spread(c, a, b, to_a, to_b) passes the derivative c of a
            ``dot`` on to those of its two rows.
    """
    n = W.shape[0]
    right, right_t = memory[RIGHT], memory[RIGHT_T]
    left, left_t, over, under = memory[LEFT], memory[LEFT_T], memory[OVER], memory[UNDER_T]
    to_U, to_right, to_right_t = slopes[UNITED], slopes[RIGHT], slopes[RIGHT_T]
    to_left, to_left_t, to_over, to_under = slopes[LEFT], slopes[LEFT_T], slopes[OVER], slopes[UNDER_T]
    slopes[:] = zero
    to_right[0, n - 1] = one
    for width in range(n - 1, 0, -1):
        for s in range(n - width):
            t = s + width
            c = plus(to_right[s, t], to_right_t[t, s])
            if c != zero:
                a, b = over[s, s + 1 : t + 1], right_t[t, s + 1 : t + 1]
                spread(c, a, b, to_over[s, s + 1 : t + 1], to_right_t[t, s + 1 : t + 1])
            to_right[s, t] = c
            u = times(W[s, t], to_over[s, t])
            if s > 0:
                c = plus(to_left[s, t], to_left_t[t, s])
                if c != zero:
                    spread(c, left[s, s:t], under[t, s:t], to_left[s, s:t], to_under[t, s:t])
                to_left[s, t] = c
                u = plus(u, times(W[t, s], to_under[t, s]))
            to_U[s, t] = u
            if u != zero:
                last = s + 1 if s == 0 and single_root else t
                a, b = right[s, s:last], left_t[t, s + 1 : last + 1]
                spread(u, a, b, to_right[s, s:last], to_left_t[t, s + 1 : last + 1])
