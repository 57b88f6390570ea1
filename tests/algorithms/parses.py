"""All trees of a sentence under a small grammar, each a list of rules in place.

<A -> B C> is (first token, middle, end, A, B, C). <A -> token t> is (t, t, t + 1, A). (A,) makes A the root.
``lexicon``: the symbols of each token. ``makes``: by (B, C) the symbols A with <A -> B C>.
"""

from itertools import product

import numpy as np

Symbols = dict[tuple[int, int], int]  # first token, end -> symbol
Tree = tuple[Symbols, list[tuple[int, ...]]]  # its constituents, and its rules in place: see ``trees``


def head(rule: tuple[int, ...], T: int) -> tuple[int, ...]:
    """The node that a rule in place makes, (length, first token, symbol); short ones sort first, the goal last."""
    return (T + 1,) if len(rule) == 1 else (rule[2] - rule[0], rule[0], rule[3])


def tails_of(rule: tuple[int, ...], T: int) -> list[tuple[int, ...]]:
    """The nodes that it makes it of."""
    if len(rule) == 1:
        return [(T, 0, rule[0])]
    s, m, e, _, *children = rule
    return [(end - begin, begin, A) for (begin, end), A in zip(((s, m), (m, e)), children, strict=False)]


def trees(A: int, s: int, e: int, lexicon: dict, makes: dict, K: int) -> list[Tree]:
    """All trees of symbol A over the tokens s .. e - 1."""
    if e == s + 1:
        return [({(s, e): A}, [(s, s, e, A)])] if A in lexicon[s] else []
    return [
        ({(s, e): A} | left | right, [(s, m, e, A, B, C), *rules, *others])
        for m in range(s + 1, e)
        for B, C in product(range(K), repeat=2)
        if A in makes[B, C]
        for left, rules in trees(B, s, m, lexicon, makes, K)
        for right, others in trees(C, m, e, lexicon, makes, K)
    ]


def drawn_tree(s: int, e: int, lexicon: dict, makes: dict, rng: np.random.Generator, free: int) -> Tree:
    """A tree at random, of the grammar or, with ``free`` symbols, of any rules."""
    if e == s + 1:
        A = int(rng.choice(range(free) if free else sorted(lexicon[s])))
        return {(s, e): A}, [(s, s, e, A)]
    m = int(rng.integers(s + 1, e))
    (left, rules), (right, others) = (drawn_tree(*part, lexicon, makes, rng, free) for part in ((s, m), (m, e)))
    B, C = left[s, m], right[m, e]
    A = int(rng.choice(range(free) if free else sorted(makes[B, C])))
    return {(s, e): A} | left | right, [(s, m, e, A, B, C), *rules, *others]
