"""The user's own files of every format: spellings of the same file, files that cannot be read, their structure."""

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems.storage import fingerprint

DOCSTART = "-DOCSTART- -X- -X- O\n\n"
TEXTS = {
    "svmlight": "1 1:0.5 3:2\n2 7:1\n10 3:-1\n",
    "crfsuite": "B\tx\ty:2\nI\tx\n\nO\tz:0.5\n",
    "conll2003": f"{DOCSTART}U.N. N I-NP I-ORG\né N I-NP O\n\n{DOCSTART}Rome N I-NP I-LOC\n",
    "penn": "( (S (NP-SBJ (NN café)) (VP (VBD sat))) )\n(S (NP (NN a))\n (VP (VBD b)))\n",
    "conllx": "1\ta\t_\tN\tN\t_\t2\tx\n2\té\t_\tV\tV\t_\t0\tx\n\n1\tc\t_\tN\tN\t_\t0\tx\n",
    "conllu": "1\ta\t_\tN\tN\t_\t2\tx\t_\t_\n2\té\t_\tV\tV\t_\t0\tx\t_\t_\n\n1\tc\t_\tN\tN\t_\t0\tx\t_\t_\n",
    "pharaoh": "das Haus ||| the house ||| 0-0 1-1\nja ||| oh yes |||\n",
}
SPELLINGS = {
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "BOM": lambda text: f"\ufeff{text}",
    "no last line end": lambda text: text.rstrip("\n"),
}
OTHERS = [
    ("svmlight", "# a header\n\n1 1:0.5 3:2 # a comment\n\n2\t7:1\n\n10 3:-1\n"),
    ("crfsuite", "\n\nB\tx\ty:2\nI\tx\n\n\nO\tz:0.5\n\n\n"),
    ("conll2003", TEXTS["conll2003"].replace(" ", "\t")),
    ("conllu", f"# text\n1-2\taé{8 * chr(9)}\n{TEXTS['conllu']}1.1\tx\t_\t_\t_\t_\t_\t_\t1:x\t_\n"),
]


@pytest.mark.parametrize(
    ("name", "other"),
    [*((name, spell(text)) for name, text in TEXTS.items() for spell in SPELLINGS.values()), *OTHERS],
    ids=[*(f"{name}, {spelling}" for name in TEXTS for spelling in SPELLINGS), *(name for name, _ in OTHERS)],
)
def test_the_same_problem_in_other_spellings(written, name, other):
    plain = datasets.build(f"{name}:{written(TEXTS[name])}", written(other, "test"))
    read = datasets.build(f"{name}:{written(other, 'other')}", written(TEXTS[name], "test"))
    assert fingerprint(plain) == fingerprint(read)
    assert datasets.data_ref(f"{name}:x").structure == read.train.id == read.test.id
    assert datasets.build(f"{name}:{written(other, 'other')}").test is None


@pytest.mark.parametrize("name", TEXTS)
def test_files_that_cannot_be_read_are_the_ones_named(written, tmp_path, name):
    data = f"{TEXTS[name]}é".encode("latin-1")
    good, latin = written(TEXTS[name]), written(data, "latin")
    number = data[: data.index(b"\xe9")].count(b"\n") + 1
    for path, message in (
        (str(tmp_path / "none"), "there is no such file"),
        (str(tmp_path), "expected a readable text file, but: Is a directory"),
        (latin, f"line {number}: expected UTF-8 text, found byte 0xe9"),
    ):
        for train, test in ((path, None), (good, path)):
            with pytest.raises(UserError, match=message) as caught:
                datasets.build(f"{name}:{train}", test)
            assert str(caught.value).startswith(path)
