"""Labelled segments stored as tags of tokens (B-k, I-k, O): checks, the costs of segments, and gold parts.

Tag 2 k is for the first token of a segment with label k and 2 k + 1 for its others: B-k and I-k. The label
``outside``, O, has segments of one token only, hence one tag. -1 is a tag that training never saw.
"""

from typing import Any

import numpy as np

from structbench.algorithms.runtime.arrays import frozen
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import checks
from structbench.algorithms.structures.segments.rows import rows_before


def tag_names(labels: list[str] | tuple[str, ...], outside: int) -> tuple[str, ...]:
    """The names of all tags: B- and I- with each label's name, and O for both of the label ``outside``."""
    names = []
    for k, label in enumerate(labels):
        names += ["O", "O"] if k == outside else [f"B-{label}", f"I-{label}"]
    return tuple(names)


def first_tokens(y: np.ndarray) -> np.ndarray:
    """For every token the first one of its segment, from tags (tokens,); tokens without a tag are on their own."""
    begins = (y < 0) | (y % 2 == 0)
    return np.maximum.accumulate(np.where(begins, np.arange(len(y)), 0))


def checked_tags(y: np.ndarray, tokens: checks.Places, num_labels: int, outside: int) -> np.ndarray:
    """The tags (tokens,), int32, if they are those of segments of sequences.

    Raises:
        UserError: there are more or fewer tags than tokens, a tag is out of range, or one continues no segment or
            one with the label ``outside``. That must be -1 or a label.
    """
    if not (-1 <= outside < checks.number("num_labels", num_labels, 1) and outside % 1 == 0):
        raise UserError(f"outside must be a label in 0 .. {num_labels - 1}, or -1 for none, not {outside}")
    tokens.agree(tags=len(y))
    y = frozen(tokens.integers("tag", y, -1, 2 * num_labels - 1), np.int32)
    inside = (y >= 0) & (y % 2 == 1)
    if outside >= 0 and (y == 2 * outside + 1).any():
        token = int(np.argmax(y == 2 * outside + 1))
        raise UserError(
            f"{tokens.name(token)}: tag {2 * outside + 1} continues a segment of the label outside, {outside}"
        )
    before = np.concatenate([[-1], y])[:-1]
    before[tokens.starts[:-1]] = -1
    broken = inside & (before != y) & (before != y - 1)
    if broken.any():
        token = int(np.argmax(broken))
        found = f"the tag before is {before[token]}"
        raise UserError(f"{tokens.name(token)}: tag {y[token]} continues no segment: {found}")
    return y


def cut(y: np.ndarray, max_length: int) -> np.ndarray:
    """The tags, with segments of more than ``max_length`` tokens cut into such of that length and a rest."""
    place = np.arange(len(y)) - first_tokens(y)
    return np.where((place > 0) & (place % max_length == 0), y - 1, y)


def num_too_long(split: Any) -> int:
    """How many gold segments of a split are longer than its ``max_length``, hence cut."""
    return len(np.unique(first_tokens(split.y)[split.y != split.target]))


@kernel
def add_costs(tags, max_length, outside, weight, out):
    """out[r, k] += weight * the number of wrong tags that candidate r with label k gives its tokens."""
    T, K = tags.shape[0], out.shape[1]
    right = np.empty(K)  # how many tokens of a candidate have a gold tag, by its label
    row = 0
    for t in range(T):
        right[:] = 0.0
        for n in range(min(max_length, T - t)):
            tag = tags[t + n]
            if tag >= 0 and tag % 2 == (1 if n > 0 else 0):
                right[tag // 2] += 1.0
            for k in range(K):
                if n == 0 or k != outside:
                    out[row, k] += weight * (n + 1 - right[k])
            row += 1


@kernel
def add_chunk_costs(tags, max_length, outside, weight, out):
    """out[r, k] += weight * the share of candidate r with label k in an output's wrong and missed chunks.

    Chunks are all segments except those of ``outside``. A missed chunk costs 1: the segment that covers its first
    token has this cost.
    """
    T, K = tags.shape[0], out.shape[1]
    row = 0
    for t in range(T):
        begun, label = 0, -2  # chunks that begin in the candidate; the label of that at its first token
        for n in range(min(max_length, T - t)):
            tag = tags[t + n]
            if tag >= 0 and tag % 2 == 0 and tag // 2 != outside:
                begun += 1
                if n == 0:
                    label = tag // 2
            ends = t + n + 1 == T or tags[t + n + 1] < 0 or tags[t + n + 1] % 2 == 0
            right = label if ends and begun == 1 and tag // 2 == label else -1
            for k in range(K):
                if k == right:
                    out[row, k] += weight * (begun - 1)
                elif n == 0 or k != outside:
                    out[row, k] += weight * (begun + (k != outside))
            row += 1


@kernel
def gold(tags, max_length, segments, transitions):
    """The parts of the segmentation that has these tags; tokens without a tag are in no segment."""
    T = tags.shape[0]
    segments[:] = 0.0
    transitions[:] = 0.0
    t, before = 0, -1
    while t < T:
        if tags[t] < 0:
            t, before = t + 1, -1
            continue
        label, end = tags[t] // 2, t + 1
        while end < T and tags[end] == 2 * label + 1:
            end += 1
        segments[rows_before(t, T, max_length) + end - t - 1, label] = 1.0
        if before >= 0:
            transitions[before, label] += 1.0
        t, before = end, label


@kernel
def fill(segments, max_length, out):
    """out[t] = the tag of token t in the segmentation whose parts are these, 0 if they are no segmentation's."""
    T, K = out.shape[0], segments.shape[1]
    out[:] = 0
    row = 0
    for t in range(T):
        for n in range(min(max_length, T - t)):
            for k in range(K):
                if segments[row, k] > 0.5:
                    out[t] = 2 * k
                    out[t + 1 : t + n + 1] = 2 * k + 1
            row += 1
