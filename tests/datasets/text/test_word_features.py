"""Features of words, by hand; types of words and their parts of speech; WordNet's lists, malformed and real."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures.strings import Strings
from structbench.datasets.fetching import download
from structbench.datasets.text import chunking, columns, word_features, word_types, wordnet


def test_features_of_a_word():
    endings = {("running", "run"): "ning", ("went", "go"): "~nt", ("plan", "plan"): "", ("a", "be"): "~a"}
    assert {pair: word_features._ending(*pair) for pair in endings} == endings
    lists = {"stop": {"the"}, "city": {"Paris", "St."}}
    having = {"The": "stop", "Paris": "city", "paris": None, "U.S.": "abbreviation", ".": None, "...": None}
    having |= {"3.5": None, "St.": "city+abbreviation"}
    assert {word: word_features._memberships(word, lists) for word in having} == having
    cases = {"Mid-1990s": "Aa-0a", "USA": "A", "e.g.": "a-a-", "A0a": "A0a", "é": "-"}
    assert {word: word_features.case_pattern(word) for word in cases} == cases


def test_lists_of_training_sentences():
    text = "He saw Rome in Rome at Rome near Bob , an iPod B cat and Cat"
    lists = word_features.learn_lists(chunking.read_chunks(text.replace(" ", " X O\n") + " X O\n", "x"))
    assert (lists["name"], lists["place"]) == ({"Rome", "Bob"}, {"Rome"})
    assert lists["stop"] == {*text.lower().split(" ")} - {","}


# ---- types of words --------------------------------------------------------------------------------


LEARN = "a DT O\nb NN O\na NN O\n\nb VB O\nb VB O\na DT O\n"
NEW = "c NN O\nb NN O\n\nd DT O\ne XX O\n"


def spelt(split):
    assert isinstance(split, Strings)
    return ["".join(map(chr, part)) for part in np.split(split.characters, split.starts[1:-1])]


def test_each_type_has_its_most_frequent_part_of_speech_and_new_ones_are_tested():
    problem = word_types.words_problem(chunking.read_chunks(LEARN, "learn"), chunking.read_chunks(NEW, "new"))
    assert problem.labels == ("DT", "VB")
    assert (spelt(problem.train), problem.train.y.tolist()) == (["a", "b"], [0, 1])
    assert (spelt(problem.test), problem.test.y.tolist()) == (["d"], [0])  # no NN was learned


def test_rare_parts_of_speech_are_left_out():
    common = "".join(f"w{i} NN O\n" for i in range(150))
    problem = word_types.words_problem(
        chunking.read_chunks(common + "a DT O\n", "x"), chunking.read_chunks("q NN O\n", "y")
    )
    assert problem.labels == ("NN",)
    assert "a" not in spelt(problem.train)


# ---- WordNet ----------------------------------------------------------------------------------------


LEMMAS = {"plan": "nv", "big": "a", "party": "nv", "use": "nv", "fast": "anr", "late": "ar", "do": "v"}
CLASSES = """plan=n+v Plans=ns+vs planned=vd planning=vg parties=ns+vs partied=vd using=vg used=vd does=vs
bigger=ac fast=a+n+r fastest=at latest=at program-planning=-vg x-xyz=-None a--=-None"""
NOTHING = dict.fromkeys(["xyz", "s", "ing", "-", "--"])


def test_classes():
    given = (each.partition("=") for each in CLASSES.split())
    classes = {word: said for word, _, said in given} | NOTHING
    assert {word: wordnet.classes(word, LEMMAS) for word in classes} == classes
    sentences = columns.read_columns("Plans x\nxyz x\n\nplan x\n", ("w", "y"), "given")
    assert wordnet.add_column(sentences, LEMMAS).columns["wordnet"] == ["ns+vs", None, "n+v"]


@pytest.fixture
def files(tmp_path):
    """Small files in the form of WordNet's."""
    for letter, file in wordnet.FILES.items():
        lines = f"  1 a licence\nplan {letter} 1 0 1 0 00000001  \nonly_{letter} {letter} 1 0 1 0 00000002  \n"
        (tmp_path / file.name).write_text(lines)
    return lambda file: tmp_path / file.name


def test_load(files):
    assert {file.max_bytes for file in wordnet.FILES.values()} == {2**23}
    assert wordnet.load(files) == {"plan": "nvar", "only_n": "n", "only_v": "v", "only_a": "a", "only_r": "r"}
    files(wordnet.FILES["v"]).write_text("  1 a licence\nplan n 1\n")
    with pytest.raises(UserError, match=r"wordnet-index.verb, line 2: expected a lemma and 'v', .* 'plan n 1'"):
        wordnet.load(files)


@pytest.mark.corpus(*wordnet.FILES.values())
def test_real():
    with download.Fetcher() as files:
        lemmas = wordnet.load(files)
    assert sum("n" in letters for letters in lemmas.values()) == 117_798
    assert wordnet.classes("prudent", lemmas) == "a"
    assert wordnet.classes("deregulated", lemmas) == "vd"
