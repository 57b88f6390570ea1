"""Made-up translations with known alignments, at any size: pairs of sentences of two languages of our own.

The language, fixed before any experiment with it:

- There are 1,500 source words of two to four syllables. The word of rank r is drawn with probability proportional
  to 1 / (r + 5). Each has two translations; a use takes the first with probability 0.75. The first translation of
  0.15 of the words begins with their first four letters.
- A sentence has from half to one and a half times the wanted number of words, each length equally likely.
- A word is left untranslated with probability 0.08, one of the 40 most frequent with 0.3. None has two partners.
- The order: Translations are sorted by the place of their source words plus normal noise of deviation 1. Then,
  with probability 0.3, a stretch of up to five words moves to the end.
- After each translation, one of 25 words that translate nothing follows with probability 0.12. If all is left
  untranslated, the first of them is the sentence.
"""

from itertools import accumulate
from random import Random

from structbench.datasets.text.bitext import Pair

CONSONANTS, VOWELS = ("bdfgklmnprstvz", "hjkmnpqrstwxyc"), ("aeiou", "aeiouy")
WORDS, NULLS = 1500, 25
FIRST, COGNATE = 0.75, 0.15
LEFT, LEFT_OFTEN, FREQUENT = 0.08, 0.3, 40
NOISE, MOVED, STRETCH = 1.0, 0.3, 5
NULL = 0.12


def pairs(count: int, words: int, seed: int, part: str) -> list[Pair]:
    """``count`` pairs with source sentences of ``words`` words on average; more of them begin with these.

    The two languages depend on the seed alone, so train and test (``part``) have the same ones.
    """
    rng = Random(f"toy-bitext {seed} languages")
    source = _lexicon(rng, WORDS, 0)
    target = _lexicon(rng, 2 * WORDS + NULLS, 1)
    for r, word in enumerate(source):
        if rng.random() < COGNATE:
            target[2 * r] = word[:4] + target[2 * r]
    weights = list(accumulate(1 / (r + 5) for r in range(WORDS)))
    return [_pair(Random(f"toy-bitext {seed} {part} {i}"), words, source, target, weights) for i in range(count)]


def _lexicon(rng: Random, size: int, side: int) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < size:
        syllables = rng.randrange(2, 5)
        found["".join(rng.choice(CONSONANTS[side]) + rng.choice(VOWELS[side]) for _ in range(syllables))] = None
    return list(found)


def _pair(rng: Random, words: int, source: list[str], target: list[str], weights: list[float]) -> Pair:
    length = rng.randint(max(1, words // 2), max(1, words + words // 2))
    ranks = rng.choices(range(WORDS), cum_weights=weights, k=length)
    placed = []
    for j, r in enumerate(ranks):
        if rng.random() >= (LEFT_OFTEN if r < FREQUENT else LEFT):
            placed.append((j + rng.gauss(0, NOISE), j, target[2 * r + (rng.random() >= FIRST)]))
    placed.sort()
    if len(placed) > 1 and rng.random() < MOVED:
        a = rng.randrange(len(placed) - 1)
        b = min(a + rng.randint(1, STRETCH), len(placed))
        placed = placed[:a] + placed[b:] + placed[a:b]
    made: list[str] = []
    links = []
    for _, j, word in placed:
        links.append((j, len(made)))
        made.append(word)
        if rng.random() < NULL:
            made.append(target[2 * WORDS + rng.randrange(NULLS)])
    return Pair([source[r] for r in ranks], made or [target[2 * WORDS]], sorted(links))
