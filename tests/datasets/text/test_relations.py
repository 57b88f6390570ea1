"""Relations on given trees: the order of nodes, their labels and features, and what is refused."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.text import relations
from structbench.datasets.text.dependencies import Sentence

# "El aumento fortaleció al Banco ayer": the verb is the root
WORDS = ("El", "aumento", "fortaleció", "al", "Banco", "ayer")
HEADS = (2, 3, 0, 3, 4, 3)
RELATIONS = ("_", "SUJ", "ROOT", "CD", "_", "CC")


def sentence(words=WORDS, heads=HEADS, labels=RELATIONS):
    tags = tuple(word[0].lower() for word in words)
    lemmas = tuple(map(str.lower, words))
    return Sentence(words, lemmas, tags, tags, ("_",) * len(words), np.array(heads, np.int32), labels)


def short(labels=("SUJ", "ROOT")):
    return sentence(("Juan", "duerme"), (2, 0), labels)


def test_nodes_are_in_the_order_of_levels():
    assert relations.top_down(np.array(HEADS)) == [2, 1, 3, 5, 0, 4]
    one = relations.problem([sentence(), short()], [short()])
    assert one.labels == ("CC", "CD", "ROOT", "SUJ", "_")
    np.testing.assert_array_equal(one.train.starts, [0, 6, 8])
    np.testing.assert_array_equal(one.train.parents, [-1, 0, 0, 0, 1, 2, -1, 0])
    assert [one.labels[k] for k in one.train.y] == ["ROOT", "SUJ", "CD", "CC", "_", "_", "ROOT", "SUJ"]
    assert [one.labels[k] for k in one.attributes] == ["CC", "CD", "ROOT", "SUJ"]
    assert [one.labels[k] for k in one.key_attributes] == ["SUJ", "CD"]


def test_the_same_problems_everywhere():
    """A change of a problem changes every result on it: make it on purpose, and this sum with it."""
    made = relations.problem([sentence(), short()], [short(), sentence()])
    assert fingerprint(made).startswith("80a0df36478b2288")


def test_a_relation_that_training_never_saw():
    one = relations.problem([sentence()], [short(("VOC", "ROOT"))])
    assert one.test.y.tolist() == [one.labels.index("ROOT"), -1]
    assert relations.problem([sentence()], None).test is None


def test_two_tokens_under_the_root_are_refused():
    with pytest.raises(UserError, match="one token under the root: found tokens 2 and 4 there"):
        relations.problem([sentence(heads=(2, 0, 2, 0, 4, 4))], None)


def test_what_is_known_of_a_token_is_of_the_token_its_neighbours_its_head_and_its_heads_head():
    lemmas, coarse, tags, morphology = (tuple(f"{kind}{at}" for at in range(6)) for kind in "lcpm")
    cells = relations._cells(WORDS, lemmas, coarse, tags, morphology, 4, np.array(HEADS))
    assert cells == {
        "w": "banco", "l": "l4", "c": "c4", "p": "p4", "m": "m4", "suffix": "nco",
        "bp": "p3", "ap": "p5", "bl": "l3", "al": "l5",
        "hl": "l3", "hp": "p3", "hc": "c3", "hm": "m3", "gp": "p2",
        "side": "right", "far": str(sum(least < 1 for least in relations.FAR)), "first": "first", "last": "last",
    }  # fmt: skip
    root = relations._cells(WORDS, lemmas, coarse, tags, morphology, 2, np.array(HEADS))
    assert {name: root[name] for name in ("hl", "hp", "gp", "side", "far", "suffix")} == {
        "hl": None, "hp": None, "gp": None, "side": None, "far": None, "suffix": "ció",
    }  # fmt: skip
    last = relations._cells(WORDS, lemmas, coarse, tags, morphology, 5, np.array(HEADS))
    assert (last["ap"], last["al"], last["first"], last["last"]) == (None, None, None, "last")
    below = relations._cells(WORDS, lemmas, coarse, tags, morphology, 1, np.array((3, 1, 0, 3, 4, 3)))
    assert (below["hp"], below["gp"]) == ("p0", "p2"), "below the first token"
