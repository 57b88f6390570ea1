"""The user's own files: the same problem with comments, empty lines or tabs."""

import pytest

from structbench import datasets
from structbench.datasets.problems.storage import fingerprint

DOCSTART = "-DOCSTART- -X- -X- O\n\n"
TEXTS = {
    "svmlight": "1 1:0.5 3:2\n2 7:1\n10 3:-1\n",
    "crfsuite": "B\tx\ty:2\nI\tx\n\nO\tz:0.5\n",
    "conll2003": f"{DOCSTART}U.N. N I-NP I-ORG\né N I-NP O\n\n{DOCSTART}Rome N I-NP I-LOC\n",
    "conllu": "1\ta\t_\tN\tN\t_\t2\tx\t_\t_\n2\té\t_\tV\tV\t_\t0\tx\t_\t_\n\n1\tc\t_\tN\tN\t_\t0\tx\t_\t_\n",
}
SPELLINGS = [
    ("svmlight", "# a header\n\n1 1:0.5 3:2 # a comment\n\n2\t7:1\n\n10 3:-1\n"),
    ("crfsuite", "\n\nB\tx\ty:2\nI\tx\n\n\nO\tz:0.5\n\n\n"),
    ("conll2003", TEXTS["conll2003"].replace(" ", "\t")),
    ("conllu", f"# text\n1-2\taé{8 * chr(9)}\n{TEXTS['conllu']}1.1\tx\t_\t_\t_\t_\t_\t_\t1:x\t_\n"),
]


@pytest.mark.parametrize(("name", "other"), SPELLINGS, ids=[name for name, _ in SPELLINGS])
def test_the_same_problem_in_other_spellings(written, name, other):
    plain = datasets.build(f"{name}:{written(TEXTS[name])}", written(other, "test"))
    read = datasets.build(f"{name}:{written(other, 'other')}", written(TEXTS[name], "test"))
    assert fingerprint(plain) == fingerprint(read)
    assert datasets.data_ref(f"{name}:x").structure == read.train.id == read.test.id
    assert datasets.build(f"{name}:{written(other, 'other')}").test is None
