"""A small made-up English: a grammar, and its sentences in columns of CoNLL-2000, -2002, or -X, or in brackets.

The language is always the same; a seed chooses the sentences. What makes chunking hard in newspaper text is here
on purpose. Words have several parts of speech, and tags as a fallible tagger would give them. Verbs take two
objects, or one. Noun phrases touch. Coordination is inside of chunks and between them. ``to``, ``that``, ``about``
and ``since`` have two or three uses each. Participles stand before nouns and after verbs.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import islice
from random import Random
from typing import TextIO, cast

from structbench.datasets.text import brackets
from structbench.datasets.text.trees import Leaf, Node, leaves
from structbench.datasets.toy.grammar import Grammar
from structbench.datasets.toy.heads import heads
from structbench.datasets.toy.lexicon import CLOSED, VERB_KINDS, lexicon

TAGGER_ERRORS = 0.12  # of the words that have several parts of speech

# A line that is indented goes on with the one above it. {n} stands for SG and PL, {v} for the kinds of verb.
# Each symbol's first right side leads to an end, so that no tree is infinite.
RULES = """
TEXT = 56: CLAUSE ./. | 8: PREFACE ,/, CLAUSE ./. | 5: PREFACE CLAUSE ./. | 9: CLAUSE ,/, but/CC CLAUSE ./.
  | 5: CLAUSE and/CC CLAUSE ./. | 6: ADJUNCT ,/, CLAUSE ./. | 8: CLAUSE ADJUNCT ./. | 3: But/CC CLAUSE ./.
CLAUSE = 50: NP-SG VP-SG | 42: NP-PL VP-PL | 4: BASE-there VERB-exist NP | 3: NP-SG ,/, ADVP ,/, VP-SG
PREFACE = 4: ADVP | 5: PP | 4: TIME
ADJUNCT = 6: COMP CLAUSE | 1: PREP-means VERB-ing NP
COMP = 5: because/IN | 4: if/IN | 4: while/IN | 3: although/IN | 4: as/IN | 2: since/IN | 3: after/IN
  | 3: before/IN | 1: until/IN | 1: even/RB if/IN
COMP-that = 1: that/IN

NP = 55: NP-SG | 45: NP-PL
NP-SG = 58: BASE-SG | 17: BASE-SG PP | 3: BASE-SG RELATIVE-SG | 3: BASE-SG ,/, BASE-SG ,/, | 3: BASE-SG REDUCED
  | 6: BASE GENITIVE-SG | 2: BASE-SG VERB-inf NP | 1: BASE-SG ADVP
NP-PL = 55: BASE-PL | 17: BASE-PL PP | 3: BASE-PL RELATIVE-PL | 3: BASE-PL REDUCED | 6: BASE GENITIVE-PL
  | 4: BASE and/CC BASE | 1: BASE ,/, BASE and/CC BASE
BASE = 1: BASE-SG | 1: BASE-PL
BASE-SG = 40: DT@SG NBAR-SG | 9: NBAR-SG | 6: PRP$@owner NBAR-SG | 16: NAME | 8: PRP@SG | 1: this/DT
  | 2: CD@number %/NN | 1: DT@SG VBG@in
BASE-PL = 24: NBAR-PL | 28: DT@PL NBAR-PL | 4: PRP$@owner NBAR-PL | 7: CD@number NBAR-PL | 8: PRP@PL
  | 2: about/IN CD@number NBAR-PL | 2: more/JJR than/IN CD@number NBAR-PL | 2: $/$ CD@number million/CD
  | 1: those/DT | 1: RB@degree all/DT NBAR-PL
BASE-object = 1: PRP@object
BASE-there = 1: there/EX
BASE-who = 1: who/WP
BASE-which = 3: that/WDT | 2: which/WDT
GENITIVE-{n} = 5: 's/POS NBAR-{n} | 1: 's/POS NNP@place NBAR-{n}
NBAR-SG = 34: NN@noun | 18: JJ@adj NN@noun | 9: NN@noun NN@noun | 3: JJ@adj NN@noun NN@noun | 2: VBG@in NN@noun
  | 3: VBN@tr NN@noun | 3: JJ@adj JJ@adj NN@noun | 2: RB@degree JJ@adj NN@noun | 2: NNP@place NN@noun
  | 2: JJ@adj and/CC JJ@adj NN@noun | 2: NN@noun and/CC NN@noun | 1: RB@manner VBN@tr NN@noun
NBAR-PL = 34: NNS@noun | 18: JJ@adj NNS@noun | 9: NN@noun NNS@noun | 3: JJ@adj NN@noun NNS@noun
  | 2: VBG@in NNS@noun | 3: VBN@tr NNS@noun | 3: JJ@adj JJ@adj NNS@noun | 2: JJR@adj NNS@noun
  | 2: JJ@adj and/CC JJ@adj NNS@noun | 5: NNS@noun and/CC NNS@noun | 1: RB@manner VBN@tr NNS@noun
NAME = 4: PERSON | 3: PLACE | 4: FIRM
PERSON = 4: NNP@first NNP@last | 3: Mr./NNP NNP@last | 2: NNP@last
PLACE = 1: NNP@place
FIRM = 3: NNP@firm Corp./NNP | 3: NNP@firm | 1: NNP@last and/CC NNP@last | 2: NNP@place NNP@firm
RELATIVE-{n} = 3: BASE-who VP-{n} | 4: BASE-which VP-{n} | 2: BASE-SG VERB-tr-SG | 2: BASE-PL VERB-tr-PL
REDUCED = 5: VERB-past PP | 2: VERB-ing NP | 2: VERB-past

VP-{n} = 26: VERB-tr-{n} NP | 9: VERB-tr-{n} NP PP | 5: VERB-tr-{n} NP TIME | 3: VERB-tr-{n} NP VERB-inf NP
  | 3: VERB-tr-{n} BASE-object | 9: VERB-in-{n} | 9: VERB-in-{n} PP | 4: VERB-in-{n} ADVP | 4: VERB-in-{n} TIME
  | 6: VERB-di-{n} NP NP | 3: VERB-di-{n} BASE-object NP | 6: VERB-cl-{n} COMP-that CLAUSE | 6: VERB-cl-{n} CLAUSE
  | 7: VERB-be-{n} PRED | 2: VERB-be-{n} PRED PP | 4: VERB-be-{n} NP | 2: VERB-be-{n} PP | 6: VERB-passive-{n} PP
  | 2: VERB-passive-{n} | 3: VERB-pt-{n} PARTICLE NP | 2: VERB-pt-{n} NP PARTICLE | 3: VP-{n} and/CC VP-{n}
  | 2: ADVP VERB-tr-{n} NP
VERB-{v}-{n} = 40: VBD@{v} | 16: PRESENT-{v}-{n} | 4: RB@manner VBD@{v} | 8: MD@modal VB@{v}
  | 2: MD@modal not/RB VB@{v} | 2: MD@modal RB@sentence VB@{v} | 5: HAVE-{n} VBN@{v} | 4: BE-{n} VBG@{v}
  | 3: did/VBD not/RB VB@{v} | 3: VBD@co to/TO VB@{v} | 1: PRESENT-co-{n} to/TO VB@{v}
  | 1: VBD@{v} and/CC VBD@{v}
VERB-be-{n} = 9: BE-{n} | 2: MD@modal be/VB | 1: HAVE-{n} been/VBN | 1: BE-{n} not/RB | 1: BE-{n} RB@sentence
VERB-passive-{n} = 6: BE-{n} VBN@tr | 2: MD@modal be/VB VBN@tr | 2: HAVE-{n} been/VBN VBN@tr
  | 2: BE-{n} RB@manner VBN@tr | 1: BE-{n} being/VBG VBN@tr
VERB-exist = 4: is/VBZ | 3: was/VBD | 2: were/VBD | 1: may/MD be/VB
VERB-inf = 6: to/TO VB@tr | 1: to/TO VB@in
VERB-ing = 1: VBG@tr
VERB-past = 1: VBN@tr
PRESENT-{v}-SG = 1: VBZ@{v}
PRESENT-{v}-PL = 1: VBP@{v}
HAVE-SG = 2: has/VBZ | 1: had/VBD
HAVE-PL = 2: have/VBP | 1: had/VBD
BE-SG = 3: is/VBZ | 2: was/VBD
BE-PL = 3: are/VBP | 2: were/VBD

PRED = 5: JJ@adj | 3: RB@degree JJ@adj | 2: VBN@tr | 1: JJR@adj | 1: RB@manner JJ@adj
PARTICLE = 1: RP@particle
ADVP = 4: RB@manner | 4: RB@sentence | 2: RB@degree RB@manner
ADVP-ago = 2: ago/RB | 1: later/RB | 1: earlier/RBR
PP = 19: PREP NP | 1: PREP BASE-object
PREP = 28: of/IN | 20: in/IN | 9: for/IN | 8: to/TO | 8: on/IN | 7: with/IN | 6: by/IN | 6: at/IN | 6: from/IN
  | 3: as/IN | 3: about/IN | 2: over/IN | 2: since/IN | 2: after/IN | 2: before/IN | 1: than/IN
  | 2: because/IN of/IN | 1: out/IN of/IN | 1: such/JJ as/IN | 1: according/VBG to/TO
PREP-means = 3: by/IN | 2: without/IN | 1: after/IN | 1: before/IN
PREP-in = 4: in/IN | 2: since/IN | 1: until/IN
TIME = 6: BASE-time | 2: BASE-span ADVP-ago | 2: PREP-in BASE-time
BASE-time = 4: last/JJ NN@period | 2: next/JJ NN@period | 3: this/DT NN@period | 3: NNP@weekday | 2: yesterday/NN
  | 2: NNP@month | 1: NNP@month CD@number
BASE-span = 4: CD@number NNS@period | 2: a/DT NN@period | 1: about/IN CD@number NNS@period
"""

# The chunk that a symbol is, by the part of its name before the hyphen; the outermost one counts.
CHUNKS = {
    "BASE": "NP",
    "GENITIVE": "NP",
    "VERB": "VP",
    "PREP": "PP",
    "COMP": "SBAR",
    "ADVP": "ADVP",
    "PRED": "ADJP",
    "PARTICLE": "PRT",
}
ENTITIES = {"PERSON": "PER", "PLACE": "LOC", "FIRM": "ORG"}  # likewise
# The constituent that a symbol is in brackets; what has none leaves its children to the one above.
CONSTITUENTS = {
    "TEXT": "S",
    "CLAUSE": "S",
    "ADJUNCT": "SBAR",
    "NP": "NP",
    "BASE": "NP",
    "NBAR": "NX",
    "RELATIVE": "SBAR",
    "REDUCED": "VP",
    "VP": "VP",
    "PRED": "ADJP",
    "PARTICLE": "PRT",
    "ADVP": "ADVP",
    "PP": "PP",
}
CALENDAR = frozenset(f"{CLOSED['NNP@weekday']} {CLOSED['NNP@month']}".split())


@cache
def grammar() -> Grammar:
    """The grammar of the language; its start symbol is TEXT."""
    filled = []
    for rule in filter(None, RULES.replace("\n ", " ").splitlines()):
        numbers = ("SG", "PL") if "{n}" in rule else ("",)
        kinds = VERB_KINDS if "{v}" in rule else ("",)
        filled += [rule.replace("{n}", n).replace("{v}", v) for n in numbers for v in kinds]
    return Grammar(filled, lexicon(re.findall(r"(\S+)/\S", RULES)))


@cache
def _tags_of_words() -> dict[str, list[str]]:
    return grammar().tags()


def trees(seed: int, part: str) -> Iterator[Node]:
    """Sentences without end, as trees; another ``part``, say train or test, has other sentences."""
    rng = Random(f"{seed} {part} trees")
    while True:
        yield cast(Node, grammar().draw("TEXT", rng))


def chunks(tree: Node | Leaf) -> list[str]:
    """The chunk tag of every token: O, B-type or I-type."""
    return _tags(tree, CHUNKS, "")


def entities(tree: Node | Leaf) -> list[str]:
    """The entity tag of every token: O, B-type or I-type.

    A place that qualifies a noun is MISC, as nationalities are in CoNLL-2003. Of the proper nouns that are
    not in a name, all others are days and months.
    """
    tags = _tags(tree, ENTITIES, "")
    for t, leaf in enumerate(leaves(tree)):
        if leaf.tag == "NNP" and tags[t] == "O" and leaf.word not in CALENDAR:
            tags[t] = "B-MISC"
    return tags


def _tags(tree: Node | Leaf, kinds: Mapping[str, str], inside: str) -> list[str]:
    """Tags of the outermost nodes that have one of the kinds; ``inside``: of which there is one above."""
    if isinstance(tree, Leaf):
        return [f"I-{inside}" if inside else "O"]
    own = "" if inside else kinds.get(tree.label.partition("-")[0], "")
    tags = [tag for child in tree.children for tag in _tags(child, kinds, inside or own)]
    if own:
        tags[0] = f"B-{own}"
    return tags


def _write(file: TextIO, sentences: int, seed: int, part: str, spans: Callable[[Node | Leaf], list[str]]) -> None:
    """Write word, part of speech and tag, a token a line, and an empty line after every sentence.

    The parts of speech are those of a fallible tagger. A longer text with the same seed and part begins with
    this one.
    """
    tagger = Random(f"{seed} {part} tags")
    for tree in islice(trees(seed, part), sentences):
        for (word, tag), span in zip(_tagged(tree, tagger), spans(tree), strict=True):
            file.write(f"{word} {tag} {span}\n")
        file.write("\n")


write_conll2000, write_conll2002 = partial(_write, spans=chunks), partial(_write, spans=entities)


def write_conllx(file: TextIO, sentences: int, seed: int, part: str) -> None:
    """Write the same words and parts of speech in the columns of CoNLL-X, with the heads of ``heads``.

    The coarse part of speech is the first two characters of the fine one.
    """
    tagger = Random(f"{seed} {part} tags")
    for tree in islice(trees(seed, part), sentences):
        for number, ((word, tag), head) in enumerate(zip(_tagged(tree, tagger), heads(tree), strict=True), 1):
            relation = "_" if head else "ROOT"
            file.write(
                "\t".join([str(number), word, "_", tag[:2], tag, "_", str(head), relation, "_", "_"]) + "\n"
            )
        file.write("\n")


def write_brackets(file: TextIO, sentences: int, seed: int, part: str) -> None:
    """Write the trees of the same sentences in Penn Treebank brackets, one a line, with gold parts of speech."""
    for tree in islice(trees(seed, part), sentences):
        (root,) = _constituents(tree)
        word = next(leaves(root)).word
        line = brackets.written(root).replace(f" {word})", f" {word[0].upper()}{word[1:]})", 1)
        file.write(f"{line}\n")


def _constituents(tree: Node | Leaf) -> tuple[Node | Leaf, ...]:
    """A node in brackets. If it holds only a constituent of the same name, that constituent."""
    if isinstance(tree, Leaf):
        return (tree,)
    children = tuple(found for child in tree.children for found in _constituents(child))
    label = CONSTITUENTS.get(tree.label.partition("-")[0])
    if label is None or (len(children) == 1 and isinstance(children[0], Node) and children[0].label == label):
        return children
    return (Node(label, children),)


def _tagged(tree: Node, tagger: Random) -> Iterator[tuple[str, str]]:
    """The words of a sentence as they are written, and the parts of speech that a fallible tagger gives them."""
    known = _tags_of_words()
    for position, (word, tag) in enumerate(leaves(tree)):
        others = [other for other in known[word] if other != tag]
        if others and tagger.random() < TAGGER_ERRORS:
            tag = others[int(tagger.random() * len(others))]
        yield word[0].upper() + word[1:] if position == 0 else word, tag
