"""The string kernel: how many subsequences two strings have in common, gaps counting for less.

Lodhi, Saunders, Shawe-Taylor, Cristianini and Watkins, Text classification using string kernels, JMLR 2002, with
lambda = ``decay``. Each string u is a feature. Its value for s is the sum of lambda^(j_m - j_1 + 1) over the
places j_1 < ... < j_m at which u stands in s. Theirs has u of one length. Here all lengths m = 1 .. ``length``
count, so that short words have features, too. By their recursion (Definition 2), in m |s| |t| steps,

    K'_0 = 1,    K'_m(s c, t) = lambda K'_m(s, t) + K''_m(s c, t),
    K''_m(s c, t d) = lambda K''_m(s c, t) + [c = d] lambda^2 K'_{m-1}(s, t),
    K_m(s, t) = the sum of lambda^2 K'_{m-1}(s before a, t before b) over places a, b with s_a = t_b,

normalised: K(s, t) / sqrt(K(s, s) K(t, t)), which is 0 for the empty string.
"""

import numpy as np

from structbench.algorithms.kernel_methods.normalised import Normalised, largest, normalised
from structbench.algorithms.runtime.arrays import frozen, ranges, starts_of
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


def points(strings: parts.Strings, length: int, decay: float) -> Normalised:
    """The strings as this kernel compares them; raises as ``normalised``."""
    items = parts.Strings(frozen(strings.characters, np.int32), frozen(strings.starts, np.int64))
    return normalised(items, _chosen, _compare, "a string of {} characters", length=length, decay=decay)


def _chosen(strings: parts.Strings, chosen: np.ndarray) -> parts.Strings:
    characters = strings.characters[ranges(strings.starts, chosen)]
    return parts.Strings(frozen(characters, np.int32), starts_of(np.diff(strings.starts)[chosen]))


@kernel
def _compare(first, last, mine, others, own, length, decay, out):
    """See ``normalised``."""
    memory = np.empty((2, largest(mine.starts) + 1, largest(others.starts) + 1))
    for i in range(first, last):
        s = mine.characters[mine.starts[i] : mine.starts[i + 1]]
        for j in range(out.shape[1]):
            other = i if own else j
            t = others.characters[others.starts[other] : others.starts[other + 1]]
            out[i, j] = common_subsequences(s, t, length, decay, memory)


@kernel
def common_subsequences(s, t, length, decay, memory):
    """K_1 + ... + K_length of two strings, not normalised; ``memory``: (2, |s| + 1, |t| + 1) or more."""
    before, after = memory[0], memory[1]  # K'_{m-1} and K'_m of the beginnings of a and b characters
    before[: s.shape[0] + 1, : t.shape[0] + 1] = 1.0
    square, total = decay * decay, 0.0
    for _ in range(length):
        after[0, : t.shape[0] + 1] = 0.0
        for a in range(s.shape[0]):
            after[a + 1, 0] = 0.0
            ending = 0.0  # K''_m
            for b in range(t.shape[0]):
                ending *= decay
                if s[a] == t[b]:
                    new = square * before[a, b]
                    total += new
                    ending += new
                after[a + 1, b + 1] = decay * after[a, b + 1] + ending
        before, after = after, before
    return total
