"""Find non-projective arcs of dependency trees, and make trees projective (by lifting arcs) or single-rooted.

An arc is projective if all tokens between head and modifier are below the head. A tree is projective if all of its
arcs are (Nivre and Nilsson, Pseudo-projective dependency parsing, 2005, section 2).
"""

import numpy as np


def crossing(heads: np.ndarray) -> np.ndarray:
    """Whether the arc into each token is not projective, bool (tokens,).

    Args:
        heads: The head of each token, int (tokens,). It is 0 for the root, or a token from 1 on. They form a tree.

    Takes time and memory in the order of the square of the tokens.
    """
    modifiers = np.arange(1, len(heads) + 1)
    below = np.cumsum(_below(heads), axis=1)  # below[h, t]: how many of the tokens 0 .. t are below h
    left, right = np.minimum(heads, modifiers), np.maximum(heads, modifiers)
    return below[heads, right - 1] - below[heads, left] < right - 1 - left


def _below(heads: np.ndarray) -> np.ndarray:
    """[h, t]: whether h is t or above it. Bool, of the root and all tokens."""
    tokens = np.arange(len(heads) + 1)
    head = np.concatenate([[0], heads])
    found = np.eye(len(tokens), dtype=bool)
    above = head
    while above.any():
        found[above, tokens] = True
        above = head[above]
    found[0] = True
    return found


def lifted(heads: np.ndarray) -> np.ndarray:
    """The heads of a projective tree: while an arc is not projective, the head's head takes its modifier.

    The shortest such arc comes first. Of equally short ones it is the one with the leftmost modifier (Nivre and
    Nilsson, 2005, section 2). If one token is under the root, no other gets there: that token is above them all.
    """
    heads = heads.copy()
    while (wrong := np.flatnonzero(crossing(heads))).size:
        shortest = wrong[np.argmin(np.abs(heads[wrong] - (wrong + 1)))]
        heads[shortest] = heads[heads[shortest] - 1]
    return heads


def single_rooted(heads: np.ndarray) -> np.ndarray:
    """The heads of a tree with one token under the root: of several there, the first takes the others.

    A projective tree stays projective: what lies between the first and another is below one of those tokens.
    """
    roots = np.flatnonzero(heads == 0)
    heads = heads.copy()
    heads[roots[1:]] = roots[0] + 1
    return heads
