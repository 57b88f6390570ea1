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

from structbench.algorithms.kernel_methods.norms import require_finite
from structbench.algorithms.runtime import parallel
from structbench.algorithms.runtime.arrays import frozen, ranges
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts


class Words:
    """Strings, with the kernel's parameters; ``norms``: sqrt(K(s, s)) of each."""

    def __init__(self, strings: parts.Strings, length: int, decay: float, norms: np.ndarray) -> None:
        self._strings = parts.Strings(frozen(strings.characters, np.int32), frozen(strings.starts, np.int64))
        self._length, self._decay, self._norms = length, decay, frozen(norms, np.float64)

    @classmethod
    def of(cls, strings: parts.Strings, length: int, decay: float) -> "Words":
        """The strings with their norms.

        Raises:
            UserError: a norm is too large for a number.
        """
        norms = np.empty(len(strings.starts) - 1)
        made = cls(strings, length, decay, norms)
        parallel.for_each(_norms, len(norms), *made._strings, length, decay, norms)
        settings = f"length={length}, decay={decay:g}"
        sizes = np.diff(strings.starts)
        require_finite(norms, sizes, "a string of {} characters", settings, "length or decay")
        return made

    def __len__(self) -> int:
        return len(self._norms)

    def take(self, chosen: np.ndarray) -> "Words":
        characters, starts = self._strings
        ends = np.concatenate([[0], np.cumsum(np.diff(starts)[chosen])])
        some = parts.Strings(characters[ranges(starts, chosen)], ends)
        return Words(some, self._length, self._decay, self._norms[chosen])

    def against(self, others: "Words") -> np.ndarray:
        found = np.empty((len(self), len(others)))
        given = *self._strings, self._norms, *others._strings, others._norms
        parallel.for_each(_compare, len(self), *given, self._length, self._decay, found)
        return found


@kernel
def _norms(first, last, characters, starts, length, decay, norms):
    """The square roots of K of each of these strings with itself."""
    memory = np.empty((2, _longest(starts) + 1, _longest(starts) + 1))
    for i in range(first, last):
        s = characters[starts[i] : starts[i + 1]]
        norms[i] = np.sqrt(common_subsequences(s, s, length, decay, memory))


@kernel
def _compare(
    first, last, characters, starts, norms, their_characters, their_starts, their_norms, length, decay, out
):
    """out[i, j] = K of the normalised strings, for these i and all j."""
    memory = np.empty((2, _longest(starts) + 1, _longest(their_starts) + 1))
    for i in range(first, last):
        s = characters[starts[i] : starts[i + 1]]
        for j in range(their_starts.shape[0] - 1):
            t = their_characters[their_starts[j] : their_starts[j + 1]]
            norm = norms[i] * their_norms[j]
            out[i, j] = common_subsequences(s, t, length, decay, memory) / norm if norm > 0.0 else 0.0


@kernel
def _longest(starts):
    most = 0
    for i in range(starts.shape[0] - 1):
        most = max(most, starts[i + 1] - starts[i])
    return most


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
