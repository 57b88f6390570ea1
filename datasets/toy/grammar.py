"""Probabilistic context-free grammars that are written as text and drawn from.

A rule is ``SYMBOL = weight: right side | weight: right side ...``. A right side holds symbols, which have rules of
their own, literal tokens ``word/TAG``, and drawn words ``TAG@class``. A drawn word is any word that the lexicon
lists under that name. Earlier words in the list are drawn more often, after Zipf.
"""

import itertools
from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from random import Random

from structbench.datasets.text.trees import Leaf, Node

DEEPEST = 20  # below this many levels each symbol takes its first right side


class Grammar:
    """A grammar ready to draw trees from.

    Args:
        rules: One for each symbol.
        lexicon: Words by ``TAG@class``, in falling order of frequency.

    Raises:
        ValueError: A rule is malformed, or names a symbol without rules or words.
    """

    def __init__(self, rules: Iterable[str], lexicon: Mapping[str, Sequence[str]]) -> None:
        self._words = {
            name: (tuple(words), _shares([1 / (rank + 3) for rank in range(len(words))]))
            for name, words in lexicon.items()
        }
        self._rules: dict[str, tuple[list[tuple], list[float]]] = {}
        for rule in rules:
            symbol, equals, sides = rule.partition("=")
            weighted = [side.partition(":") for side in sides.split(" | ")]
            if not equals or not all(colon for _, colon, _ in weighted):
                raise ValueError(f"expected SYMBOL = weight: right side | ..., found {rule!r}")
            weights = [float(weight) for weight, _, _ in weighted]
            self._rules[symbol.strip()] = [tuple(side.split()) for *_, side in weighted], _shares(weights)
        right_sides = {name for sides, _ in self._rules.values() for side in sides for name in side}
        self._literals = {n: Leaf(*n.rsplit("/", 1)) for n in right_sides if "/" in n}
        if missing := right_sides - self._rules.keys() - self._words.keys() - self._literals.keys():
            raise ValueError(f"no rule and no words for {', '.join(sorted(missing))}")

    def draw(self, symbol: str, rng: Random, depth: int = 0) -> Node | Leaf:
        """A tree below ``symbol``."""
        if symbol in self._literals:
            return self._literals[symbol]
        if symbol in self._words:
            words, shares = self._words[symbol]
            return Leaf(words[bisect(shares, rng.random())], symbol.partition("@")[0])
        sides, shares = self._rules[symbol]
        side = sides[bisect(shares, rng.random())] if depth < DEEPEST else sides[0]
        return Node(symbol, tuple([self.draw(child, rng, depth + 1) for child in side]))

    def tags(self) -> dict[str, list[str]]:
        """All words that the grammar knows, with the tags that each may have, sorted."""
        tags: dict[str, set[str]] = {}
        for word, tag in self._literals.values():
            tags.setdefault(word, set()).add(tag)
        for name, (words, _) in self._words.items():
            for word in words:
                tags.setdefault(word, set()).add(name.partition("@")[0])
        return {word: sorted(found) for word, found in tags.items()}


def _shares(weights: Sequence[float]) -> list[float]:
    """Upper ends of the parts of [0, 1) that belong to each weight, without the last end, which is 1."""
    total = sum(weights)
    return [part / total for part in itertools.accumulate(weights)][:-1]
