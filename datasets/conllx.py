"""Your own dependency trees in the format of CoNLL-X, ``conllx:PATH``, projective or not.

Buchholz and Marsi 2006. A line is a token in 8 or 10 columns separated by tabs. They are number, word, lemma,
coarse and fine part of speech, morphology, head and relation. The last two are not used. An empty line ends a
sentence. Several tokens may be under the root.
"""

from structbench.datasets.text import examples, parsing

LICENCE = "your own data"
REFERENCES = ("buchholz2006",)
structure = parsing.structure_id
SCORES, encode, example = parsing.SCORES, parsing.encode, examples.arcs
load = parsing.loader("conllx")
