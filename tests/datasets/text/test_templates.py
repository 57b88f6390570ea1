"""Templates: the fast extraction against the names that ``attributes`` spells out, token by token."""

import io
from collections import Counter
from typing import Any

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets import crfsuite
from structbench.datasets.text import chunking, columns, templates
from tests.datasets.matrices import are_same, array_of
from tests.datasets.text.named_attributes import attributes, write_crfsuite


def drawn(rng, sentences):
    """Random sentences over few words, some of one token."""
    lines = []
    for length in rng.integers(1, 6, sentences):
        for _ in range(length):
            word, tag = f"w{rng.integers(6)}", f"t{rng.integers(3)}"
            lines.append(f"{word} {tag} {('O', 'B-X', 'I-X')[rng.integers(3)]}")
        lines.append("")
    return columns.read_columns("\n".join(lines), chunking.COLUMNS, "drawn")


def named(train, test, used):
    """The attributes' names in both splits' order, and the same matrix from them, token by token."""
    tokens = [token for part in (train, test) for sentence in attributes(part, used) for token in sentence]
    names = list(dict.fromkeys(name for token in tokens[: len(train.lines)] for name in token))
    return names, np.array([[token.count(name) for name in names] for token in tokens], float)


def check(splits, expected):
    """The same columns, in any order."""
    found = np.concatenate([array_of(x) for x in splits[:2]])
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found[:, np.lexsort(found)], expected[:, np.lexsort(expected)])


@pytest.mark.parametrize("seed", [0, 1])
def test_rows_of_edges_are_those_of_tokens_but_for_the_first_and_the_marks(seed):
    rng = np.random.default_rng(seed)
    train, test = drawn(rng, 30), drawn(rng, 20)
    used = ("w[-2]", "w[-1]", "w[0]", "pos[-1]|pos[0]", "w[1]")
    lengths = np.concatenate([train.lengths, test.lengths])
    names, expected = named(train, test, used)
    expected = expected[:, [not name.startswith("__") for name in names]]
    expected[np.cumsum(lengths) - lengths] = 0
    expected = expected[:, expected[: len(train.lines)].any(axis=0)]
    check(templates.extract(train, test, used, edges=True), expected)


USED = (chunking.TEMPLATES, ("w[0]",), ("w[-1]|pos[+1]", "pos[4]"), (), ("w[0]", "w[-1]|pos[0]", "w[0]|w[1]"))


@pytest.mark.parametrize("used", USED)
@pytest.mark.parametrize("nothing", ["", "w0"])
def test_fast_extraction_gives_the_named_attributes(used, nothing):
    """A cell that is None gives nothing. Frequent attributes come first."""
    rng = np.random.default_rng(len(nothing))
    no_cell: Any = None
    train, test = drawn(rng, 30), drawn(rng, 20)
    for sentences in (train, test):
        sentences.columns["w"][:] = [no_cell if word == nothing else word for word in sentences.columns["w"]]
    names, expected = named(train, test, used)
    assert not any("None" in name for name in names)
    fast = templates.extract(train, test, used)
    check(fast, expected)
    made = np.concatenate([array_of(x) for x in fast[:2]])
    np.testing.assert_array_equal(made, expected[:, [names.index(name) for name in fast.names]])
    new = templates.rows_of(test, used, fast.names)
    np.testing.assert_array_equal(array_of(new), made[len(train.lines) :])
    assert np.all(np.diff(fast[0].counts) <= 0) and fast[0].counts[-1] > 0


@pytest.mark.parametrize("given", [{}, {"marks": False}, {"edges": True}, {"padded": True, "marks": False}])
def test_few_tokens_and_many_have_the_same_rows(given, monkeypatch):
    rng = np.random.default_rng(7)
    train, test = drawn(rng, 60), drawn(rng, 20)
    no_cell: Any = None
    for sentences in (train, test):
        sentences.columns["w"][:] = [{"w0": no_cell, "w1": "a|b\\"}.get(w, w) for w in sentences.columns["w"]]
    used = (*(f"w[{k}]" for k in range(-6, 7)), "pos[-1]|w[0]|pos[2]", "pos[-2]|w[-1]", "w[1]|pos[1]")
    found = templates.extract(train, test, used, **given)
    for few in (0, len(test.lines)):
        monkeypatch.setattr(templates, "FEW", few)
        assert are_same(templates.rows_of(test, used, found.names, **given), found.test)
    assert features.as_matrix(found.test).sum() != 0


def test_names():
    sentences = columns.read_columns("a X O\nb Y O\n", chunking.COLUMNS, "x")
    assert list(attributes(sentences, ("w[0]|pos[1]", "w[-1]"))) == [
        [["w[0]|pos[1]=a|Y", "__BOS__"], ["w[-1]=a", "__EOS__"]]
    ]


@pytest.mark.parametrize("template", ["w", "w[0]|", "x[0]", "w[0.5]", "", "w[0] pos[0]"])
def test_malformed_template(template):
    with pytest.raises(UserError, match=r"expected column\[offset\], joined by '\|', with the columns w, pos"):
        templates.parse(template, ["w", "pos"])


def test_what_crfsuite_reads_is_the_same_problem(written):
    rng = np.random.default_rng(3)
    splits = drawn(rng, 30), drawn(rng, 20)
    paths = []
    for k, sentences in enumerate(splits):
        file = io.StringIO()
        write_crfsuite(sentences, chunking.TEMPLATES, "chunk", file)
        paths.append(written(file.getvalue(), str(k)))
    read = crfsuite.load(None, path=paths[0], test=paths[1])
    check((read.train.x, read.test.x), named(*splits, chunking.TEMPLATES)[1])
    for split, sentences in zip((read.train, read.test), splits, strict=True):
        assert [read.labels[k] for k in split.y] == sentences.columns["chunk"]
        np.testing.assert_array_equal(np.diff(split.starts), sentences.lengths)


def test_colons_and_backslashes_survive_crfsuite_format(written):
    sentences = columns.read_columns("a:1 \\ O\n\\: : B:X\n", chunking.COLUMNS, "x")
    file = io.StringIO()
    write_crfsuite(sentences, ("w[0]", "pos[0]"), "chunk", file)
    problem = crfsuite.load(None, path=written(file.getvalue()))
    assert problem.labels == ("O", "B:X")
    assert problem.train.x.kind == features.BINARY, "no attribute got a value"
    assert features.as_matrix(problem.train.x).sum(axis=1).tolist() == [3, 3]


@pytest.mark.parametrize("least", [1, 3])
def test_padded_sentences_have_cells_outside(least):
    """As CRF++ names them: _B-1 is the place before the first token, _B+1 the one after the last."""
    rng = np.random.default_rng(5)
    train, test = drawn(rng, 30), drawn(rng, 20)
    used = ("w[-2]", "w[-1]|w[0]", "pos[0]|pos[1]|pos[2]", "pos[2]")

    def named_cells(sentences):
        found, start = [], 0
        for length in sentences.lengths.tolist():
            for t in range(length):
                names = set()
                for template in used:
                    cells = []
                    for name, offset in templates.parse(template, list(sentences.columns)):
                        at, column = t + offset, sentences.columns[name][start : start + length]
                        outside = f"_B{at}" if at < 0 else f"_B+{at - length + 1}"
                        cells.append(column[at] if 0 <= at < length else outside)
                    names.add(f"{template}={'|'.join(cells)}")
                found.append(names)
            start += length
        return found

    learn, rest = named_cells(train), named_cells(test)
    counts = Counter(name for names in learn for name in names)
    kept = [name for name in counts if counts[name] >= least]
    assert len(kept) > 0 and (least == 1 or len(kept) < len(counts))
    expected = np.array([[name in names for name in kept] for names in learn + rest], float)
    found = templates.extract(train, test, used, marks=False, padded=True, least=least)
    check(found, expected)
    new = templates.rows_of(test, used, found.names, marks=False, padded=True)
    assert are_same(new, found.test)


def test_names_of_cells_with_bars_are_told_apart():
    train = columns.read_columns("a|b c O\na b|c O\n\\ | O\n", chunking.COLUMNS, "x")
    test = columns.read_columns("a b|c O\na|b c O\nb a O\n\\ | O\n", chunking.COLUMNS, "x")
    found = templates.extract(train, test, ("w[0]|pos[0]",), marks=False)
    new = templates.rows_of(test, ("w[0]|pos[0]",), found.names, marks=False)
    assert array_of(new).tolist() == array_of(found.test).tolist()
    assert features.as_matrix(new).sum(axis=1).tolist() == [1, 1, 0, 1]
