"""Word alignment data: a frozen generator, features counted by hand, the user's files, scores and a run."""

import hashlib
import math

import numpy as np
import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features as ft
from structbench.bench.runs import driver
from structbench.bench.runs.spec import make
from structbench.datasets import pharaoh, toy_bitext
from structbench.datasets.problems.problem import Judged
from structbench.datasets.scores import alignments
from structbench.datasets.text.bitext import NAMES, Pair, alignment_problem
from structbench.datasets.toy.bitext import pairs
from tests.narrowing import UNUSED

SUMS = ["f2a75d272b0f9e5b", "c33f635d8015c3ef"]


def test_the_same_pairs_everywhere():
    """A change of the language changes every result on it: make it on purpose, and this sum with it."""
    drawn, test = pairs(50, 20, 0, "train"), pairs(50, 20, 0, "test")
    assert [hashlib.sha256(repr(part).encode()).hexdigest()[:16] for part in (drawn, test)] == SUMS
    assert pairs(30, 12, 3, "train")[:10] == pairs(10, 12, 3, "train")
    for pair in drawn:
        for side in (0, 1):
            linked = [link[side] for link in pair.links]
            assert len({*linked}) == len(linked) and max(linked) < len(pair[side])


def test_features_are_those_counted_by_hand():
    train = [
        Pair(["hausboot", "am", "see"], ["hausboat", "see"], [(0, 0), (2, 1)]),
        Pair(["see", "see", "am"], ["see"], [(0, 0)]),
    ]
    test = [Pair(["am", "neu"], ["hausboat", "see", "x"], [(0, 2)])]
    made = alignment_problem(train, test)
    edges = [1, 2, 4, 5, 7, 8]  # of the first pair; rows of no partner are empty
    rows = dict(zip(NAMES, ft.as_matrix(made.train.x)[edges].T, strict=True))
    two, half = 2 * 2 / 4, 2 * 1 / 3  # see-see and am-see in both pairs
    dice = [1.0, half, half, two, half, two]
    np.testing.assert_allclose(rows["dice"], dice)
    np.testing.assert_allclose(rows["best of both words"], [1, 0, 0, 1, 0, 1])
    np.testing.assert_allclose(rows["dice before"], [0, 0, 0, 1.0, 0, half])
    np.testing.assert_allclose(rows["dice after"], [two, 0, two, 0, 0, 0])
    np.testing.assert_allclose(rows["distance"], [0, 1 / 2, 1 / 3, 1 / 6, 2 / 3, 1 / 6])
    np.testing.assert_allclose(rows["distance squared"], rows["distance"] ** 2)
    np.testing.assert_allclose(rows["same word"], [0, 0, 0, 0, 0, 1])
    np.testing.assert_allclose(rows["same prefix"], [1, 0, 0, 0, 0, 1])
    log = math.log(3) - math.log(2)
    np.testing.assert_allclose(rows["difference of log frequencies"], [0, log, log, 0, log, 0])
    np.testing.assert_allclose(rows["bias"], 1)
    unseen = ft.as_matrix(made.test.x)[[1, 2, 3, 5, 6, 7]]
    np.testing.assert_allclose(unseen[:, NAMES.index("dice")], [half, two, 0, 0, 0, 0])
    assert [*made.test.y] == [3, 0]


def test_scores_count_all_links():
    x = [Pair(["a", "b"], ["x", "y", "z"], [(0, 0), (0, 1), (1, 2)]), Pair(["c"], ["u"], [])]
    judged = Judged(alignment_problem(x, None), "train", np.array([2, 0, 1]), UNUSED, UNUSED)
    scores = alignments.scores(judged)
    assert scores == pytest.approx((1 / 2, 1 / 3, 1 - 2 * 1 / 5))
    none = alignments.scores(judged._replace(predicted=np.zeros(3, int)))
    assert math.isnan(none.precision) and none.recall == 0 and none.alignment_error == 1


def test_a_run_learns_to_align():
    spec = make("toy-bitext:pairs=60,test_pairs=40", None, None, "perceptron", passes=5)
    result = driver.run(spec, datasets.build(spec.data))
    first, last = result.rows[0], result.rows[-1]
    assert last["test_alignment_error"] < 0.35 < first["test_alignment_error"]
    assert last["test_precision"] > 0.6 and last["test_recall"] > 0.5
    assert 0 < last["test_error"] < 0.4
    assert math.isnan(last["test_first_f1"])


def test_a_user_s_file(written):
    path = written("das Haus ||| the house ||| 0-0 1-1\nja ||| oh yes |||\n")
    made = pharaoh.load(None, path=path, test=path)
    assert [*made.train.y] == [1, 2, 0] and [*made.train.targets] == [2, 2]
    np.testing.assert_array_equal(made.test.links, [1, 0, 0, 1, 0, 0])
    assert pharaoh.load(None, path=written(f"{'a ' * 1000}||| b ||| 999-0")).train.links.sum() == 1


@pytest.mark.parametrize("option", ["pairs", "test_pairs", "words", "seed"])
def test_options_out_of_range_are_refused(option):
    least = 0 if option == "seed" else 1
    assert len(toy_bitext.load(None, pairs=1, test_pairs=1, words=1, seed=0).train.targets) == 1
    with pytest.raises(UserError, match=f"{option} must be at least {least}, not '{least - 1}'"):
        datasets.data_ref(f"toy-bitext:{option}={least - 1}")


def test_spaces_of_other_kinds_are_parts_of_the_words_of_a_pair():
    (pair,) = pharaoh._pairs([(1, "10\u00a0000 c ||| x y ||| 1-1")], "file")
    assert pair.source == ["10\u00a0000", "c"] and pair.links == [(1, 1)]


@pytest.mark.parametrize(
    ("pair", "wrong"),
    [
        (("das Haus", "the house"), "'das Haus' is no side of a pair"),
        ((["New York", "x"], ["y"]), "'New York' is no word of a pair"),
        ((["x"], ["a|||b"]), r"'a\|\|\|b' is no word"),
        ((["x"], [3]), "3 is no word"),
    ],
)
def test_pairs_that_a_line_cannot_hold(pair, wrong):
    with pytest.raises(UserError, match=wrong):
        pharaoh.written([pair])
