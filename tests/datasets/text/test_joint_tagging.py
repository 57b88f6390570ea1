"""Parts of speech and chunks at once: as one decision a token, or as factorial chains; what words tell of them."""

import pytest
import scipy.sparse as sp

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures import joint
from structbench.bench.runs import driver, spec
from structbench.datasets import conll2000
from structbench.datasets.text import chunking, factorial_chains, joint_tagging, word_features, wordnet
from structbench.datasets.text.factorial_chains import ACROSS, OF_CHUNKS, OF_TAGS
from structbench.datasets.text.joint_tagging import joint_problem
from tests.datasets.matrices import are_same, array_of

TRAIN = "The DT B-NP\nMid-1990s NN I-NP\n. . O\n\nThey PRP B-NP\nrun VBP B-VP\n"
TEST = "It PRP B-NP\nruns VBZ B-VP\nbig JJ B-ADJP\n. . O\n"
TAGS, LABELS = (".", "DT", "NN", "PRP", "VBP"), ("B-NP", "B-VP", "I-NP", "O")


def read(text, source="given"):
    return chunking.read_chunks(text, source)


def test_codes_and_names():
    problem = joint_problem(read(TRAIN), read(TEST))
    assert isinstance(problem.train, joint.Joint)
    assert (problem.tags, problem.labels) == (TAGS, LABELS)
    assert problem.train.starts.tolist() == [0, 3, 5]
    assert problem.train.y.tolist() == [1 * 4 + 0, 2 * 4 + 2, 0 * 4 + 3, 3 * 4 + 0, 4 * 4 + 1]
    assert problem.test.y.tolist() == [12, -1, -1, 3], "unknown tag, unknown tag and chunk tag"
    assert (problem.train.num_tags, problem.train.num_chunk_tags) == (5, 4)
    assert parts.num_weights(problem.train) == parts.num_weights(problem.test)
    assert joint_problem(read(TRAIN), read("It PRP B-ADJP\n")).test.y.tolist() == [-1], "an unknown chunk tag"


def test_which_tag_continues_which():
    found = joint_tagging.continues(("B-A", "B-B", "I-A", "O"))
    assert found[:, 2].tolist() == [True, False, True, False, False]
    assert found[:, [0, 1, 3]].all()


def test_parts_of_speech_of_test_sentences_are_no_features():
    other = TEST.replace(" JJ ", " NN ").replace(" PRP ", " DT ")
    left, right = (joint_problem(read(TRAIN), read(text)).test.x for text in (TEST, other))
    assert are_same(left, right)


def test_features_that_occur_once_are_left_out():
    once, twice = (joint_problem(read(text), read(TEST)).train.x for text in (TRAIN, TRAIN + "\n" + TRAIN))
    assert ft.shape(once)[1] < ft.shape(twice)[1] / 4
    assert min(once.counts) == min(twice.counts) == 2


def test_lists_are_those_of_the_training_sentences():
    """A test word that only the test sentences would list has no feature of it."""
    listed = TRAIN + "\nof IN B-PP\nNorfolk NNP B-NP\n\nof IN B-PP\nNorfolk NNP B-NP\n"
    known, unknown = (joint_problem(read(text), read("in IN O\nNorfolk NNP B-NP\n")) for text in (listed, TRAIN))
    assert ft.as_matrix(known.test.x).sum() > ft.as_matrix(unknown.test.x).sum()


def test_lexicon():
    """Only words that are frequent enough, and only their usual parts of speech; case and ending of others."""
    usual, rare, error = "plan NN B-NP\n" * 59, "plan VB B-NP\n" * 2, "plan DT B-NP\n"
    learn = read(usual + rare + error + "run NN B-NP\nrun VB B-NP\n" + "Bank NNP B-NP\n" * 3)
    lexicon = word_features.learn_lexicon(learn)
    assert lexicon == {"plan": "NN+VB", "Bank": "NNP"}
    sentences = wordnet.add_column(read("Bank X O\nrun X O\nplan X O\nMid-90s X O\n"), {"run": "nv"})
    column = word_features.add_lexicon(sentences, lexicon).columns["lexicon"]
    assert column == ["NNP", "a~un~n+v", "NN+VB", "Aa-0a~0s~-None"]


def test_wordnet_tells_of_new_words():
    plain = read(TRAIN + "\n" + TRAIN)
    learn, evaluate = (wordnet.add_column(s, {"run": "v", "walk": "v"}) for s in (plain, read("walk VBP B-VP\n")))
    known, unknown = joint_problem(learn, evaluate).test.x, joint_problem(plain, evaluate).test.x
    assert ft.as_matrix(known).sum() > ft.as_matrix(unknown).sum()


def test_patterns():
    patterns = {"Bank": "initial", "IBM": "several+capitals", "A": "capital+capitals", "McDonald": "mixed"}
    patterns |= {"90s": "digit", "mid-90s": "digit+hyphen", "``": "punctuation", "--": "punctuation"}
    patterns |= {"-": "punctuation", "a-é": "hyphen", "of": None}
    sentences = word_features.add_patterns(read("".join(f"{word} X O\n" for word in patterns)))
    assert sentences.columns["patterns"] == [*patterns.values()]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Mid-1990s NN I-NP", "x NN I-VP", "line 2: chunk tag I-VP continues nothing: expected B-VP or .*B-NP is"),
        ("They PRP B-NP", "They PRP I-NP", "line 5: chunk tag I-NP continues nothing.* but the sentence begins"),
        (". . O", ". . O\n, , I-NP", "line 4: chunk tag I-NP continues nothing: .* but O is before it"),
    ],
)
def test_tags_that_break_bio(old, new, message):
    good, broken = read(TRAIN), read(TRAIN.replace(old, new), "broken.txt")
    for splits in ((good, broken), (broken, good)):
        with pytest.raises(UserError, match=f"broken.txt, {message}"):
            joint_problem(*splits)
    with pytest.raises(UserError, match=r"bare.txt: expected chunk tags O, B-type and I-type with at least one B"):
        joint_problem(read("a DT O\n", "bare.txt"), good)


@pytest.mark.corpus(*conll2000.SOURCES)
def test_real():
    problem = datasets.build("conll2000:task=joint")
    assert (len(problem.train.y), len(problem.test.y)) == (211_727, 47_377)
    assert (len(problem.tags), len(problem.labels)) == (44, 22)
    assert ft.shape(problem.train.x)[1] == 479_480
    assert (problem.test.y == -1).sum() == 2


# ---- factorial chains -------------------------------------------------------------------------------


def made(tagset: factorial_chains.Tagset = "full", **options):
    return factorial_chains.factorial_problem(read(TRAIN), read(TEST), tagset=tagset, **options)


def test_a_part_of_speech_and_a_chunk_tag_in_turn():
    one = made()
    assert (one.tags, one.labels) == (TAGS, LABELS)
    assert one.train.y.reshape(-1, 2).tolist() == [[1, 0], [2, 2], [0, 3], [3, 0], [4, 1]]
    assert one.test.y.reshape(-1, 2).tolist() == [[3, 0], [-1, 1], [-1, -1], [0, 3]]
    assert one.train.counts.tolist() == [5, 4] * 5 and one.train.num_labels == 5
    assert one.train.starts.tolist() == [0, 6, 10]


def test_the_ladder_of_a_sentence():
    ends, kinds = factorial_chains.ladder(3)
    found = {tuple(pair): kind for pair, kind in zip(ends.tolist(), kinds.tolist(), strict=True)}
    along = {(0, 2): OF_TAGS, (2, 4): OF_TAGS, (1, 3): OF_CHUNKS, (3, 5): OF_CHUNKS}
    assert found == along | {(0, 1): ACROSS, (2, 3): ACROSS, (4, 5): ACROSS}
    assert [len(part) for part in factorial_chains.ladder(1)] == [1, 1]
    assert made().train.num_kinds == 3


def test_each_chain_has_weights_of_its_own():
    rows = array_of(factorial_chains.apart(ft.sparse(sp.csr_array([[1.0, 0, 1], [0, 0, 0], [0, 1, 0]]))))
    assert rows[:2].tolist() == [[1, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 1]] and not rows[2:4].any()
    assert rows[4:].tolist() == [[0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 0]]
    joined = joint_problem(read(TRAIN), read(TEST)).train.x
    assert are_same(factorial_chains.apart(joined), made().train.x)


def test_classes_of_tags():
    tags = ["DT", "NNPS", "VBZ", "MD", "WRB", "PRP$", "WP$", "EX", "TO", "-LRB-", "$", "CD", "JJR"]
    text = "".join(f"x {tag} O\n" for tag in tags)
    wanted = ["DET", "NOUN", "VERB", "VERB", "ADV", "PRON", "PRON", "DET", "PRT", ".", ".", "NUM", "ADJ"]
    assert factorial_chains.coarse(read(text)).columns["pos"] == wanted
    assert made("universal").tags == (".", "DET", "NOUN", "PRON", "VERB")


def test_a_width_over_the_limit_is_refused_with_the_number():
    with pytest.raises(UserError, match="graph 0, of 6 nodes, has width 2: expected at most 1"):
        made(max_width=1)


def test_both_are_learned_and_scored_as_joint_problems_are():
    data = "toy-english:sentences=15,test_sentences=8,task=factorial,tagset=universal"
    result = driver.run(spec.make(data, "log", 1.0, "sgd", passes=3), datasets.build(data))
    first, last = result.rows[0], result.rows[-1]
    assert all(last[name] < first[name] for name in ("test_tag_error", "test_chunk_error"))
    assert last["test_error"] >= max(last["test_tag_error"], last["test_chunk_error"])
    assert last["test_f1"] > first["test_f1"] >= 0
