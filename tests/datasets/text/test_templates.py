"""Templates: the fast extraction against the names that ``attributes`` spells out, token by token."""

import io
from collections import Counter

import numpy as np
import pytest
import scipy.sparse as sp

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.datasets.text import chunking, columns, templates


def drawn(rng, sentences):
    """Random sentences over few words, some of one token."""
    lines = []
    for length in rng.integers(1, 6, sentences):
        for _ in range(length):
            word, tag = f"w{rng.integers(6)}", f"t{rng.integers(3)}"
            lines.append(f"{word} {tag} {('O', 'B-X', 'I-X')[rng.integers(3)]}")
        lines.append("")
    return columns.read("\n".join(lines), chunking.COLUMNS, "drawn")


def numbering(train, used):
    """Name -> number of the attributes of the training sentences."""
    tokens = [token for sentence in templates.attributes(train, used) for token in sentence]
    return {name: k for k, name in enumerate(dict.fromkeys(name for token in tokens for name in token))}


def named(train, test, used):
    """The same matrices from the names; the columns in the order of first appearance."""
    number = numbering(train, used)

    def matrix(sentences):
        tokens = [token for sentence in templates.attributes(sentences, used) for token in sentence]
        made = np.zeros((len(tokens), len(number)))
        for row, token in enumerate(tokens):
            for name in token:
                if name in number:
                    made[row, number[name]] += 1
        return made

    return np.concatenate([matrix(train), matrix(test)])


@pytest.mark.parametrize("seed", [0, 1])
def test_rows_of_edges_are_those_of_tokens_but_for_the_first_and_the_marks(seed):
    rng = np.random.default_rng(seed)
    train, test = drawn(rng, 30), drawn(rng, 20)
    used = ("w[-2]", "w[-1]", "w[0]", "pos[-1]|pos[0]", "w[1]")
    first = np.concatenate([np.cumsum(lengths) - lengths for lengths in (train.lengths, test.lengths)])
    first[len(train.lengths) :] += len(train.lines)
    expected = named(train, test, used)
    marks = [k for k, name in enumerate(numbering(train, used)) if name.startswith("__")]
    expected = np.delete(expected, marks, axis=1)
    expected[first] = 0
    expected = expected[:, expected[: len(train.lines)].any(axis=0)]
    fast = [features.as_matrix(x).toarray() for x in templates.extract(train, test, used, edges=True)]
    np.testing.assert_array_equal(sorted_columns(np.concatenate(fast)), sorted_columns(expected))


def test_a_cell_that_is_none_gives_nothing():
    rng = np.random.default_rng(4)
    train, test = drawn(rng, 30), drawn(rng, 20)
    for sentences in (train, test):
        sentences.columns["w"][:] = [None if word == "w0" else word for word in sentences.columns["w"]]
    used = ("w[0]", "w[-1]|pos[0]", "w[0]|w[1]")
    assert not any("None" in name for name in numbering(train, used))
    fast = [features.as_matrix(x).toarray() for x in templates.extract(train, test, used)]
    np.testing.assert_array_equal(sorted_columns(np.concatenate(fast)), sorted_columns(named(train, test, used)))


def sorted_columns(matrix):
    return matrix[:, np.lexsort(matrix)]


@pytest.mark.parametrize("used", [chunking.TEMPLATES, ("w[0]",), ("w[-1]|pos[+1]", "pos[4]"), ()])
@pytest.mark.parametrize("seed", [0, 1])
def test_fast_extraction_gives_the_named_attributes(used, seed):
    rng = np.random.default_rng(seed)
    train, test = drawn(rng, 30), drawn(rng, 20)
    fast = [features.as_matrix(x).toarray() for x in templates.extract(train, test, used)]
    np.testing.assert_array_equal(sorted_columns(np.concatenate(fast)), sorted_columns(named(train, test, used)))


def test_frequent_attributes_come_first():
    rng = np.random.default_rng(2)
    x, _ = templates.extract(drawn(rng, 30), drawn(rng, 20), chunking.TEMPLATES)
    assert np.all(np.diff(x.counts) <= 0)
    assert x.counts[-1] > 0


def test_names():
    sentences = columns.read("a X O\nb Y O\n", chunking.COLUMNS, "x")
    assert list(templates.attributes(sentences, ("w[0]|pos[1]", "w[-1]"))) == [
        [["w[0]|pos[1]=a|Y", "__BOS__"], ["w[-1]=a", "__EOS__"]]
    ]


@pytest.mark.parametrize("template", ["w", "w[0]|", "x[0]", "w[0.5]", "", "w[0] pos[0]"])
def test_malformed_template(template):
    with pytest.raises(UserError, match=r"expected column\[offset\], joined by '\|', with the columns w, pos"):
        templates.parse(template, ["w", "pos"])


def test_what_crfsuite_reads_is_the_same_problem(written):
    rng = np.random.default_rng(3)
    texts = {name: drawn(rng, count) for name, count in (("train", 30), ("test", 20))}
    paths = {}
    for name, sentences in texts.items():
        file = io.StringIO()
        templates.write_crfsuite(sentences, chunking.TEMPLATES, "chunk", file)
        paths[name] = written(file.getvalue(), name)
    read = datasets.build(f"crfsuite:{paths['train']}", paths["test"])
    x, x_test = templates.extract(texts["train"], texts["test"], chunking.TEMPLATES)
    for split, made, sentences in ((read.train, x, texts["train"]), (read.test, x_test, texts["test"])):
        ours, theirs = features.as_matrix(made), features.as_matrix(split.x)
        assert ours.shape == theirs.shape
        np.testing.assert_array_equal((ours @ ours.T).toarray(), (theirs @ theirs.T).toarray())
        assert [read.labels[k] for k in split.y] == sentences.columns["chunk"]
        np.testing.assert_array_equal(np.diff(split.starts), sentences.lengths)


def test_colons_and_backslashes_survive_crfsuite_format(written):
    sentences = columns.read("a:1 \\ O\n\\: : B:X\n", chunking.COLUMNS, "x")
    file = io.StringIO()
    templates.write_crfsuite(sentences, ("w[0]", "pos[0]"), "chunk", file)
    problem = datasets.build(f"crfsuite:{written(file.getvalue())}")
    assert problem.labels == ("O", "B:X")
    x = problem.train.x
    assert x.kind == features.BINARY, "no attribute got a value"
    np.testing.assert_array_equal(sp.csr_array(features.as_matrix(x)).sum(axis=1), [3, 3])


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
    expected = np.array([[name in names for name in kept] for names in learn + rest], float)
    fast = [
        features.as_matrix(x).toarray()
        for x in templates.extract(train, test, used, marks=False, padded=True, least=least)
    ]
    assert len(kept) > 0 and (least == 1 or len(kept) < len(counts))
    np.testing.assert_array_equal(np.sort(np.concatenate(fast), axis=1).sum(axis=1), expected.sum(axis=1))
    assert Counter(map(bytes, np.concatenate(fast).T.copy())) == Counter(map(bytes, expected.T.copy()))
