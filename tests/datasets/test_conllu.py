"""The user's own trees in CoNLL-U."""

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError

pytestmark = pytest.mark.usefixtures("kept_trees")

TRAIN = """# text = du café
1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_
1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_
2\tle\tle\tDET\tD\t_\t3\tdet\t_\t_
3\tcafé\tcafé\tNOUN\tN\t_\t0\troot\t_\t_

1\tOui\toui\tINTJ\t_\t_\t0\troot\t_\t_
1.1\tx\t_\t_\t_\t_\t_\t_\t1:x\t_
2\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_
"""


def test_files(written):
    problem = datasets.build(f"conllu:{written(TRAIN)},test_sentences=1", written(TRAIN, "test"))
    assert [each.words for each in problem.train.arcs.sentences] == [("de", "le", "café"), ("Oui", ".")]
    assert [each.tags for each in problem.train.arcs.sentences] == [("ADP", "D", "N"), ("INTJ", "PUNCT")]
    assert problem.train.heads.tolist() == [3, 3, 0, 0, 1]
    assert problem.test.heads.tolist() == [3, 3, 0]
    assert problem.punctuation.tolist() == [False] * 4 + [True] + [False] * 3


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("# text =\n\n", "data has no sentences"),
        (
            TRAIN.replace("\t1\tpunct", "\t0\tpunct"),
            "data, line 9: expected one token with head 0, found tokens 1 and 2",
        ),
        (TRAIN.replace("1.1\t", "1.a\t"), "data, line 8: expected token 2 of the sentence, found '1.a'"),
        (TRAIN.encode("latin-1"), "data, line 1: expected UTF-8 text, found byte 0xe9"),
    ],
    ids=["empty", "two roots", "number", "latin-1"],
)
def test_malformed(written, data, message):
    with pytest.raises(UserError, match=message):
        datasets.build(f"conllu:{written(data)}")
    with pytest.raises(UserError, match=message):
        datasets.build(f"conllu:{written(TRAIN, 'train')}", written(data))
