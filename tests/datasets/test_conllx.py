"""The user's own trees in CoNLL-X and in CoNLL-U."""

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets import conllu, conllx

pytestmark = pytest.mark.usefixtures("kept_trees")


def line(number, word, head, width=10):
    return "\t".join([str(number), word, "_", "N", "NN", "_", str(head), "x", "_", "_"][:width]) + "\n"


# the second sentence has two roots, the third is not projective
TRAIN = line(1, "café", 2) + line(2, "b", 0) + "\n" + line(1, "c", 0) + line(2, "d", 0) + "\n"
TRAIN += line(1, "e", 3) + line(2, "f", 0) + line(3, "g", 2) + "\n"
TEST = line(1, "x", 0, 8) + line(2, ".", 1, 8)
UNIVERSAL = """# text = du café
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\tD\t_\t3\tdet\t_\t_
3\tcafé\tcafé\tNOUN\tN\t_\t0\troot\t_\t_

1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_
1.1\tx\t_\t_\t_\t_\t_\t_\t1:x\t_
2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_
"""


def test_files(written):
    problem = conllx.load(None, path=written(TRAIN), test=written(TEST, "test"))
    assert problem.train.id == problem.test.id == "dependency"
    assert problem.train.heads.tolist() == [2, 0, 0, 0, 3, 0, 2]
    assert problem.train.learned.tolist() == [2, 0, 0, 0, 2, 0, 2]
    assert problem.test.heads.tolist() == [0, 1]
    assert problem.punctuation.tolist() == [False] * 8 + [True]
    assert problem.train.arcs.templates == "mcdonald"
    problem = conllu.load(None, path=written(UNIVERSAL), test=written(UNIVERSAL, "test"), test_sentences=1)
    assert [each.words for each in problem.train.arcs.sentences] == [("de", "le", "café"), ("Oui", ".")]
    assert [each.tags for each in problem.train.arcs.sentences] == [("ADP", "D", "N"), ("INTJ", "PUNCT")]
    assert problem.train.heads.tolist() == [3, 3, 0, 0, 1]
    assert problem.test.heads.tolist() == [3, 3, 0]
    assert problem.punctuation.tolist() == [False] * 4 + [True] + [False] * 3


@pytest.mark.parametrize(("module", "text"), [(conllx, TRAIN), (conllu, UNIVERSAL)])
def test_options(written, module, text):
    path, test = written(text), written(text, "test")
    problem = module.load(None, path=path, test=test, features="rich", sentences=1, test_sentences=2)
    assert (len(problem.train.lengths), len(problem.test.lengths)) == (1, 2)
    assert problem.train.arcs.templates == "rich"
    whole = module.load(None, path=path)
    assert module.load(None, path=path, nonprojective="drop").train.lengths.tolist() == [*whole.train.lengths[:2]]
    problem = module.load(None, path=path, structure="nonprojective")
    assert (problem.train.id, problem.test) == ("nonprojective", None)
    assert problem.train.learned.tolist() == whole.train.heads.tolist()
    name = module.__name__.rpartition(".")[2]
    assert datasets.data_ref(f"{name}:{path},structure=nonprojective").structure == "nonprojective"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("sentences=4", "data has 3 sentences: cannot take the first 4"),
        ("features=all", "data set conllx: features must be one of mcdonald, rich, not 'all'"),
        ("structure=tree", "structure must be one of projective, nonprojective, not 'tree'"),
        ("nonprojective=drop,structure=nonprojective", "is an option of structure=projective only"),
    ],
)
def test_options_out_of_range(written, options, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"conllx:{written(TRAIN)},{options}")


def test_in_conllu_one_token_is_under_the_root(written):
    bad = written(UNIVERSAL.replace("1\tpunct", "0\tpunct"))
    with pytest.raises(UserError, match="data, line 9: expected one token with head 0, found tokens 1 and 2"):
        conllu.load(None, path=bad)
