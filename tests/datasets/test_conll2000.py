"""The corpora of CoNLL-2000 and -2002, and what is made of them: archives of the same shape, and the real ones."""

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features
from structbench.algorithms.structures import interface as parts
from structbench.datasets import bottou, conll2000, conll2002, conll2002_skip
from structbench.datasets.text import ner

CHUNKS = "He PRP B-NP\nsleeps VBZ B-VP\n\nThéy PRP B-NP\nsleep VBP B-VP\nnow RB B-ADVP\n\n"
ENTITIES = "Español AQ B-ORG\n. Fp O\n\nÉn SP O\nMadrid NC B-LOC\n( Fpa O\n\n"
CORPORA = {
    conll2000: (CHUNKS, "conll2000/train.txt", "conll2000/test.txt"),
    conll2002: (ENTITIES, *map(conll2002.MEMBERS["spanish"].format, ("train", "testb"))),
}


@pytest.fixture
def load(load_zipped):
    """``load(data_set, **options)`` reads an archive; ``train=...`` takes the place of the training file."""

    def build(data_set, **options):
        text, train, test = CORPORA[conll2000 if data_set in (conll2000, bottou) else conll2002]
        members = {train: options.pop("train", text), test: text}
        return load_zipped(data_set, members, **options)

    return build


@pytest.mark.parametrize("spell", [str, lambda text: "\ufeff" + text.replace("\n", "\r\n")])
def test_splits_and_labels(load, spell):
    problem = load(conll2000, train=spell(CHUNKS), test_sentences=1)
    assert problem.labels == ("B-ADVP", "B-NP", "B-VP")
    assert problem.train.starts.tolist() == [0, 2, 5]
    assert problem.train.y.tolist() == [1, 2, 1, 2, 0]
    assert problem.test.y.tolist() == [1, 2]
    problem = load(conll2002, train=spell(ENTITIES), test_sentences=1)
    assert problem.labels == ner.LABELS
    assert problem.train.starts.tolist() == [0, 2, 5]
    assert [problem.labels[y] for y in problem.train.y] == ["B-ORG", "O", "O", "B-LOC", "O"]
    assert [problem.labels[y] for y in problem.test.y] == ["B-ORG", "O"]
    assert (conll2000.CORPUS.max_bytes, conll2002.CORPUS.max_bytes) == (2**20, 2**21)


def test_entities_in_dutch_and_without_observed_edges(load_zipped):
    text, names = f"-DOCSTART- - O\n{ENTITIES}", map(conll2002.MEMBERS["dutch"].format, ("train", "testb"))
    members = dict.fromkeys(names, text)
    seen, tied = (load_zipped(conll2002, members, language="dutch", edges=edges) for edges in (True, False))
    assert tied.train.starts.tolist() == seen.train.starts.tolist() == [0, 2, 5]
    assert (tied.train.y == seen.train.y).all()
    nodes, pairs = len(tied.vocabulary["nodes"]), len(ner.LABELS) ** 2
    assert parts.num_weights(tied.train) == nodes * len(ner.LABELS) + pairs
    assert parts.num_weights(seen.train) == parts.num_weights(tied.train) + len(seen.vocabulary["edges"]) * pairs
    new = ner.encode(b"\xc3\x89n\nMadrid\n\n", "new", ner.LABELS, tied.vocabulary)
    assert parts.num_weights(new.split) == parts.num_weights(tied.train)


@pytest.mark.parametrize("data_set", CORPORA)
def test_the_first_sentences(load, data_set):
    problem = load(data_set, sentences=1)
    assert problem.train.starts.tolist() == [0, 2]
    assert problem.labels == (("B-NP", "B-VP") if data_set is conll2000 else ner.LABELS)
    for option, count in (("sentences", 3), ("test_sentences", -2)):
        with pytest.raises(
            UserError, match=f"{data_set.CORPUS.name}:.* has 2 sentences: cannot take the first {count}"
        ):
            load(data_set, **{option: count})


@pytest.mark.parametrize("data_set", CORPORA)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: None, "has no member {}"),
        (lambda text: text + "x y\n", "{}, line 8: expected 3 columns .* found 2"),
        (lambda text: text.encode("latin-1"), "{}, line [14]: expected UTF-8 text, found byte 0xe9"),
        (lambda text: text + " " * 2**23, "{} in conll200..zip is larger than the 8388608 bytes"),
    ],
)
def test_malformed(load, data_set, change, message):
    text, member, _ = CORPORA[data_set]
    with pytest.raises(UserError, match=message.format(member)):
        load(data_set, train=change(text.replace("ñ", "é")))


def test_attributes_of_bottou_that_occur_less_than_three_times_are_left_out(load):
    """Of three sentences of two tokens each attribute occurs three times, of two none."""
    for count, columns in ((3, 38), (2, 0)):
        problem = load(bottou, train=3 * CHUNKS[: CHUNKS.index("T")], sentences=count)
        assert parts.num_weights(problem.train) == 2 * columns + 4
        assert problem.labels == ("B-NP", "B-VP")


def test_skip_chains_of_the_same_sentences(load):
    one, chains = (load(data_set) for data_set in (conll2002_skip, conll2002))
    for skips, plain in zip(one[:2], chains[:2], strict=True):
        np.testing.assert_array_equal(skips.y, plain.y)
        np.testing.assert_array_equal(skips.starts, plain.starts)
    assert one.train.num_node_features == chains.train.num_node_features
    with pytest.raises(UserError, match="max_width must be at least 1, not '0'"):
        datasets.data_ref("conll2002-skip:max_width=0")


@pytest.mark.corpus
def test_the_real_chunks():
    problem = datasets.build("conll2000")
    assert (len(problem.train.starts) - 1, len(problem.test.starts) - 1) == (8_936, 2_012)
    assert (len(problem.train.y), len(problem.test.y), len(problem.labels)) == (211_727, 47_377, 22)
    assert features.shape(problem.train.x)[1] == 335_674
    assert parts.num_weights(problem.train) == 335_674 * 22 + 22 * 22
    assert (problem.test.y == -1).sum() == 2, "tags that training never saw"
    problem = datasets.build("bottou")
    assert parts.num_weights(problem.train) == 1_679_700  # 76,328 attributes x 22 tags + 22 x 22
    assert (parts.num_examples(problem.train), parts.num_examples(problem.test)) == (8936, 2012)


@pytest.mark.corpus(conll2002.CORPUS)
def test_the_real_entities():
    problem = datasets.build("conll2002")
    assert (len(problem.train.starts) - 1, len(problem.test.starts) - 1) == (8_323, 1_517)
    assert (len(problem.train.y), len(problem.test.y)) == (264_715, 51_533)
    tags = np.bincount(problem.train.y)  # one I-LOC of the file begins a chunk, and is a B-LOC here
    assert dict(zip(problem.labels, tags.tolist(), strict=True)) == {
        "O": 231_920, "B-PER": 4_321, "I-PER": 3_903, "B-ORG": 7_390, "I-ORG": 4_992,
        "B-LOC": 4_914, "I-LOC": 1_890, "B-MISC": 2_173, "I-MISC": 3_212,
    }  # fmt: skip
    train = datasets.build("conll2002:sentences=1000,test_sentences=10").train
    assert (len(train.y), train.num_node_features, train.num_edge_features) == (31_924, 30_121, 33_152)
    assert parts.num_weights(train) == 30_121 * 9 + 81 + 33_152 * 81 == 2_956_482
    skips = datasets.build("conll2002-skip:sentences=60,test_sentences=20").train
    assert (skips.kinds == 1).sum() > 0 and skips.id == datasets.data_ref("conll2002-skip").structure == "field"
