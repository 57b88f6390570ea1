"""Read a plain svmlight file, lines of ``label index:value index:value ...``, at once in compiled code.

Plain: ASCII, without comments or anything but digits before a colon. Values of up to 15 digits become the nearest
floating-point number, since numerator and power of ten are exact (Clinger, How to read floating point numbers
accurately, 1990). Python reads the others.
"""

from typing import NamedTuple

import numpy as np

from structbench.algorithms.runtime.kernel import kernel

LONGEST = 18  # digits of an index
EXACT_DIGITS = 15  # integers of so many digits are exact, and powers of ten up to 10^22
POWERS = np.array([10.0**k for k in range(EXACT_DIGITS + 1)])
ODD = -1
TAB, NEWLINE, RETURN, SPACE, HASH, MINUS, DOT, ZERO, NINE, COLON = (ord(c) for c in "\t\n\r #-.09:")
UNDERSCORE = ord("_")


class Pairs(NamedTuple):
    """Rows; ``labels``: where each label begins and ends in the file, int64 (rows, 2). ``line``: its number."""

    labels: np.ndarray
    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    line: np.ndarray


def read(data: bytes) -> Pairs | None:
    """The rows of a plain file; None if it is not one, or is malformed."""
    text = np.frombuffer(data, np.uint8)
    rows, pairs = int(np.count_nonzero(text == NEWLINE)) + 1, int(np.count_nonzero(text == COLON))
    labels, line = np.empty((rows, 2), np.int64), np.empty(rows, np.int64)
    indptr, indices, values = np.zeros(rows + 1, np.int64), np.empty(pairs, np.int64), np.empty(pairs)
    long = np.empty((pairs, 3), np.int64)
    found, count = _read(text, POWERS, labels, line, indptr, indices, values, long)
    if found == ODD:
        return None
    try:
        for k, begin, end in long[:count].tolist():
            values[k] = float(data[begin:end])
    except ValueError:
        return None
    size = indptr[found]
    return Pairs(labels[:found], indptr[: found + 1], indices[:size], values[:size], line[:found])


@kernel
def _read(text, powers, labels, line, indptr, indices, values, long):
    """How many rows there are, and how many values are left to Python: number, first byte, byte after the last."""
    size, rows, pairs, count, number, p = text.shape[0], 0, 0, 0, 1, 0
    while p < size:
        p = _past_blanks(text, p)
        if p < size and text[p] == NEWLINE:
            p += 1
            number += 1
            continue
        if p == size:
            break
        labels[rows, 0] = p
        while p < size and _is_of_a_word(text[p]):
            p += 1
        labels[rows, 1] = p
        if labels[rows, 0] == p:
            return ODD, 0
        line[rows] = number
        while True:
            if p < size and text[p] != NEWLINE and not _is_blank(text[p]):
                return ODD, 0
            p = _past_blanks(text, p)
            if p == size or text[p] == NEWLINE:
                break
            begin, index = p, 0
            while p < size and ZERO <= text[p] <= NINE and p - begin < LONGEST:
                index = 10 * index + (text[p] - ZERO)
                p += 1
            if p in (begin, size) or text[p] != COLON:
                return ODD, 0
            indices[pairs] = index
            p += 1
            begin = p
            values[pairs], p, is_exact = _number(text, p, powers)
            if not is_exact or (p < size and _is_of_a_word(text[p])):
                while p < size and _is_of_a_word(text[p]):
                    p += 1
                long[count, 0], long[count, 1], long[count, 2] = pairs, begin, p
                count += 1
            pairs += 1
        rows += 1
        indptr[rows] = pairs
    return rows, count


@kernel(inline=True)
def _number(text, p, powers):
    """A number of few digits, the byte after it, and whether it is exact; an exponent is not read."""
    size, sign = text.shape[0], 1.0
    if p < size and text[p] == MINUS:
        sign = -1.0
        p += 1
    first, digits, behind, dot = p, np.int64(0), 0, False
    while p < size and (ZERO <= text[p] <= NINE or (text[p] == DOT and not dot)):
        if text[p] == DOT:
            dot = True
        elif p - first <= EXACT_DIGITS:
            digits = 10 * digits + (text[p] - ZERO)
            behind += 1 if dot else 0
        p += 1
    length = p - first - (1 if dot else 0)
    return sign * (digits / powers[min(behind, EXACT_DIGITS)]), p, 0 < length <= EXACT_DIGITS


@kernel(inline=True)
def _past_blanks(text, p):
    """The first place from p on that is no blank."""
    while p < text.shape[0] and _is_blank(text[p]):
        p += 1
    return p


@kernel(inline=True)
def _is_blank(byte):
    return byte in (SPACE, TAB, RETURN)


@kernel
def _is_of_a_word(byte):
    """Neither white nor a colon nor what only the other way to read these files understands."""
    return SPACE < byte < 127 and byte != COLON and byte != HASH and byte != UNDERSCORE
