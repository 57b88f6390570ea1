"""Your own dependency trees in the format of CoNLL-U, ``conllu:PATH``, projective or not.

Nivre et al., Universal Dependencies v2, 2020. A line is a token in 10 columns separated by tabs. They are number,
word, lemma, universal and own part of speech, morphology, head, relation, and two unused ones. An empty line ends
a sentence. Comments, words of several tokens (1-2) and empty nodes (1.1) are left out. If the language's own part
of speech is missing (_), the universal one counts. One token is under the root.
"""

from functools import partial

from structbench.datasets.text import examples, parsing

LICENCE = "your own data"
REFERENCES = ("nivre2020",)
structure = parsing.structure_id
SCORES = parsing.SCORES
encode = partial(parsing.encode, style="conllu")
example = examples.arcs
load = parsing.loader("conllu", single_root=True)
