"""CoNLL-X and CoNLL-U: what is understood, and what a malformed file is told."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.datasets.problems import sampling
from structbench.datasets.text import dependencies


def conllx(*rows: str, width: int = 10) -> str:
    """A sentence of rows such as "1 El d 2": number, word, fine part of speech and head."""
    lines = []
    for row in rows:
        number, word, tag, head = row.split(" ")
        cells = [number, word, word.lower(), tag[:1], tag, "gen=m", head, "x", "_", "_"]
        lines.append("\t".join(cells[:width]))
    return "\n".join(lines) + "\n\n"


TEXT = conllx("1 El da 2", "2 niño nc 3", "3 come vm 0", "4 . Fp 3") + conllx("1 Sí rg 0")
UNIVERSAL = """# sent_id = 1
# text = Dámelo ya.
1-3\tDámelo\t_\t_\t_\t_\t_\t_\t_\t_
1\tDa\tdar\tVERB\tvm\tMood=Imp\t0\troot\t_\t_
2\tme\tyo\tPRON\t_\t_\t1\tiobj\t_\t_
3\tlo\tél\tPRON\tpp\t_\t1\tobj\t_\t_
3.1\t_\t_\t_\t_\t_\t_\t_\t1:x\t_
4\ta ya\ta ya\tADV\t_\t_\t1\tadvmod\t_\t_
5\t1\u00a0000\t_\tNUM\t_\t_\t1\tnummod\t_\t_

# sent_id = 2
1\tNo\tno\tINTJ\t_\t_\t0\troot\t_\t_
"""


def same(left, right):
    assert len(left) == len(right)
    for ours, theirs in zip(left, right, strict=True):
        assert ours._replace(heads=None) == theirs._replace(heads=None)
        np.testing.assert_array_equal(ours.heads, theirs.heads)


def test_conllx():
    first, second = dependencies.read_trees(TEXT, "x")
    assert first.words == ("El", "niño", "come", ".")
    assert first.lemmas == ("el", "niño", "come", ".")
    assert first.coarse == ("d", "n", "v", "F")
    assert first.tags == ("da", "nc", "vm", "Fp")
    assert first.morphology == ("gen=m",) * 4
    assert first.relations == ("x",) * 4
    assert (first.heads.tolist(), first.heads.dtype) == ([2, 3, 0, 3], np.int32)
    assert (second.words, second.heads.tolist()) == (("Sí",), [0])
    narrow, wide = (dependencies.read_trees(conllx("1 a NN 2", "2 b VB 0", width=width), "x") for width in (8, 10))
    same(narrow, wide)


def test_conllu():
    first, second = dependencies.read_trees(UNIVERSAL, "x", "conllu")
    assert first.words == ("Da", "me", "lo", "a ya", "1\u00a0000"), "blanks are parts of words"
    assert first.coarse == ("VERB", "PRON", "PRON", "ADV", "NUM")
    assert first.tags == ("vm", "PRON", "pp", "ADV", "NUM"), "the universal one where there is no other"
    assert first.heads.tolist() == [0, 1, 1, 1, 1]
    assert (second.words, second.lemmas) == (("No",), ("no",))
    assert first.relations[3:] == ("advmod", "nummod")


@pytest.mark.parametrize("style", ["conllx", "conllu"])
def test_the_same_sentences_in_other_spellings(style):
    text = TEXT if style == "conllx" else UNIVERSAL
    plain = dependencies.read_trees(text, "x", style)
    for other in (text.replace("\n", "\r\n"), f"\n\n{text.rstrip()}", text.replace("\n\n", "\n\n\n") + "\n \t\n"):
        same(dependencies.read_trees(other, "x", style), plain)


def test_several_roots():
    text = conllx("1 a x 0", "2 b x 1", "3 c x 0", "4 d x 0")
    (sentence,) = dependencies.read_trees(text, "x")
    assert sentence.heads.tolist() == [0, 1, 0, 0]
    message = "^x, line 3: expected one token with head 0, found tokens 1 and 3 and 4$"
    with pytest.raises(UserError, match=message):
        dependencies.read_trees(text, "x", single_root=True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (TEXT.replace("\n\n", "\n", 1), "5: expected token 5 of the sentence, found '1'; an empty line ends"),
        (TEXT.replace("m\t0", "m\t1"), "1: expected a token with head 0 in this sentence"),
        (TEXT + conllx("1 a x 1"), "8: expected a token with head 0 in this sentence"),
        (TEXT.replace("da\tgen=m\t2", "da\tgen=m\t1"), "1: expected a tree, found a cycle: from token 1"),
        (conllx("1 a x 0", "2 b x 4", "3 c x 2", "4 d x 3", "5 e x 4"), "2: expected a tree, .* token 2 its"),
        (conllx("1 a x 2", "2 b x 3", "3 c x 2", "4 d x 0"), "2: expected a tree, .* from token 2 its"),
    ],
)
def test_heads_that_are_no_tree(text, message):
    with pytest.raises(UserError, match=f"file, line {message}"):
        dependencies.read_trees(text, "file")


def test_the_length_of_a_sentence():
    def chain(count):
        return conllx("1 a x 0", *(f"{t} a x {t - 1}" for t in range(2, count + 1)))

    assert len(dependencies.read_trees(chain(1000), "x")[0].words) == 1000
    with pytest.raises(UserError, match=r"x has a sentence of 1,001 tokens: expected at most 1,000"):
        dependencies.read_trees(chain(1001), "x")


def test_parts_of_a_file(written):
    path, plain = written(TEXT * 11), dependencies.read_trees(TEXT * 11, "x")
    same(dependencies.read_file(path, "conllx"), plain)
    same(dependencies.read_file(path, "conllx", 21), plain[:21])
    same(dependencies.read_file(path, "conllx", 22), plain)
    for count in (23, -1):
        with pytest.raises(UserError, match=f"data has 22 sentences: cannot take the first {count}"):
            dependencies.read_file(path, "conllx", count)
    for count, held_out in ((22, 2), (19, 1), (2, 1)):
        kept, held = sampling.held_out(plain[:count], "x")
        assert len(held) == held_out
        same([*kept, *held], plain[:count])
    with pytest.raises(UserError, match="x has 1 sentence: holding out a tenth needs 2 or more"):
        sampling.held_out(plain[:1], "x")


@pytest.mark.parametrize(("style", "width"), [("conllx", 8), ("conllx", 10), ("conllu", 10)])
def test_a_row_of_tabs_ends_a_sentence_and_has_no_head(style, width):
    rows = [conllx("1 El da 0", width=width).strip(), "\t" * (width - 1), conllx("1 Sí rg 0", width=width).strip()]
    text = "\n".join(rows)
    assert len(dependencies.read_trees(text, "x", style)) == 2
    before, after = dependencies.around(text, style, 6)
    assert [each.split("\t")[1] for each in before] == ["El", "Sí"] and len(after) == 2
