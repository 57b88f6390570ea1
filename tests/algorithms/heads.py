"""Dependency trees, each the heads of its tokens, and their cliques, in plain Python."""


def is_tree(heads: tuple[int, ...]) -> bool:
    for m in range(1, len(heads) + 1):
        steps = 0
        while m and steps <= len(heads):
            m, steps = heads[m - 1], steps + 1
        if m:
            return False
    return True


def _below(heads: tuple[int, ...], h: int) -> set[int]:
    """A token and all that is below it."""
    found = {h}
    while True:
        more = {m for m, head in enumerate(heads, 1) if head in found} - found
        if not more:
            return found
        found |= more


def is_projective(heads: tuple[int, ...]) -> bool:
    """Whether what is below each token is a stretch of the sentence."""
    every = [_below(heads, m) for m in range(1, len(heads) + 1)]
    return all(max(each) - min(each) + 1 == len(each) for each in every)


def cliques_of_trees(T: int, single_root: bool) -> list[tuple]:
    """All cliques, in their order: ("between", s, t, q), ("right", s, t, r), ("left", s, t, r)."""
    found: list[tuple] = []
    for width in range(1, T + 1):
        for s in range(T + 1 - width):
            t = s + width
            found += [("between", s, t, q) for q in range(s, s + 1 if s == 0 and single_root else t)]
            if s > 0 or width == T or not single_root:
                found += [("right", s, t, r) for r in range(s + 1, t + 1)]
            if s > 0:
                found += [("left", s, t, r) for r in range(s, t)]
    return found


def cliques_of_tree(heads: tuple[int, ...]) -> list[tuple]:
    found: list[tuple] = []
    for m, h in enumerate(heads, 1):
        own = _below(heads, m)
        if h < m:
            found += [("right", h, max(own), m), ("between", h, m, min(own) - 1)]
        else:
            found += [("left", min(own), h, m), ("between", m, h, max(own))]
    return found
