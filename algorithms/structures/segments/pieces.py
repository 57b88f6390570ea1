"""Candidate segments whose features are sums of pieces that they share.

Candidates of a sequence overlap. Most features of one are features of others: of all longer ones with the same
first token, or of all with the same last token. The features of candidate (s, n), the n tokens from s on, are

    f(s, n) = sum_{m <= n} sum_g x[grown[(s, m), g]] + sum_h x[own[(s, n), h]]:

``grown`` pieces come with the candidate's last token and stay as it grows; ``own`` pieces belong to it alone.
Candidates are rows in the order of ``segment_rows``, pieces rows of x. ``grown`` (candidates, G) and ``own``
(candidates, H) count pieces from the sequence's first one on; -1 is none. ``assemble`` passes scores of pieces on
to candidates. ``spread``, its transpose, passes weights of candidates on to pieces.
"""

import numpy as np

from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks


@kernel
def add_pieces(z, numbers, out):
    """out += the sum of the rows of z with these numbers; -1 is none."""
    for g in range(numbers.shape[0]):
        p = numbers[g]
        if p >= 0:
            for k in range(out.shape[0]):
                out[k] += z[p, k]


@kernel
def assemble(z, grown, own, T, max_length, out):
    """out[r] = the sum of z (pieces, K) over the pieces of candidate r; a sequence of T tokens."""
    running = np.empty(out.shape[1])
    row = 0
    for t in range(T):
        running[:] = 0.0
        for _ in range(min(max_length, T - t)):
            add_pieces(z, grown[row], running)
            out[row] = running
            add_pieces(z, own[row], out[row])
            row += 1


@kernel
def spread(mu, grown, own, T, max_length, mass):
    """mass[p] = the sum of mu (candidates, K) over the candidates that have piece p, as often as they have it."""
    K = mu.shape[1]
    mass[:] = 0.0
    longer = np.empty(K)  # the sum over the candidates that are at least as long
    row = mu.shape[0]
    for t in range(T - 1, -1, -1):
        longer[:] = 0.0
        empty = True
        for _ in range(min(max_length, T - t)):
            row -= 1
            here = False
            for k in range(K):
                here |= mu[row, k] != 0.0
                longer[k] += mu[row, k]
            empty &= not here
            if here:
                for h in range(own.shape[1]):
                    if own[row, h] >= 0:
                        for k in range(K):
                            mass[own[row, h], k] += mu[row, k]
            if not empty:
                for g in range(grown.shape[1]):
                    if grown[row, g] >= 0:
                        for k in range(K):
                            mass[grown[row, g], k] += longer[k]


@kernel
def spread_all(first, last, c, begin, offsets, mu, mass):
    """``spread`` of the part vectors mu of the sequences begin + first .. begin + last - 1 of a split c.

    ``offsets``, and ``mass``, (pieces, K): from sequence ``begin`` on.
    """
    K = c.num_labels
    for i in range(begin + first, begin + last):
        a, b = c.row_starts[i], c.row_starts[i + 1]
        segments = mu[offsets[i - begin] : offsets[i - begin] + (b - a) * K].reshape((-1, K))
        p, q = c.piece_starts[i] - c.piece_starts[begin], c.piece_starts[i + 1] - c.piece_starts[begin]
        T = c.starts[i + 1] - c.starts[i]
        spread(segments, c.grown[a:b], c.own[a:b], T, c.max_length, mass[p:q])


Pieces = tuple[np.ndarray, np.ndarray, np.ndarray]


def whole(row_starts: np.ndarray) -> Pieces:
    """grown, own and piece_starts of candidates that share nothing: one piece each."""
    own = np.arange(row_starts[-1]) - np.repeat(row_starts[:-1], np.diff(row_starts))
    return np.empty((len(own), 0), np.int32), own[:, None], row_starts


def checked_pieces(
    grown: np.ndarray, own: np.ndarray, piece_starts: np.ndarray, row_starts: np.ndarray, rows: int
) -> Pieces:
    """The pieces of sequences whose candidates begin at ``row_starts``, as kernels want them; x has ``rows`` rows.

    Raises:
        UserError: their shapes or numbers do not fit the candidates or the rows.
    """
    starts = checks.integers("piece start", piece_starts, -checks.MOST)
    if starts.shape != row_starts.shape or starts[0] != 0 or starts[-1] != rows or (np.diff(starts) < 0).any():
        raise UserError(
            f"piece_starts must be {len(row_starts)} numbers that rise from 0 to the {rows} rows of features"
        )
    candidates = checks.Places(row_starts, "candidate", "sequence")
    last = np.repeat(np.diff(starts), candidates.lengths) - 1
    found = []
    for name, numbers in (("grown", np.asarray(grown)), ("own", np.asarray(own))):
        if numbers.ndim != 2 or len(numbers) != row_starts[-1]:
            raise UserError(
                f"{name} must have a row of piece numbers for each of the {row_starts[-1]} candidates, "
                f"not the shape {numbers.shape}"
            )
        for column in numbers.T:
            candidates.integers(f"piece in {name}", column, -1, last)
        found.append(frozen(numbers, np.int32))
    return found[0], found[1], frozen(starts, np.int64)
