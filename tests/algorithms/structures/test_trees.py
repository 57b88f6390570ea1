"""Dependency trees of more tokens than can be written out: counts, determinants, logarithms, long sentences."""

from fractions import Fraction
from functools import partial
from itertools import product
from math import comb, log

import numpy as np
import pytest

from structbench.algorithms.structures import dependency, nonprojective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.dependency import semirings
from structbench.algorithms.structures.nonprojective import wide_numbers
from structbench.bench.checks.operations import cliques, operations
from structbench.datasets.text.projectivity import crossing
from tests.algorithms.heads import is_projective, is_tree

LONGEST = 143  # in the Spanish training data
BUILD = {"projective": dependency.build, "nonprojective": nonprojective.build}
kinds = pytest.mark.parametrize("kind", BUILD)
roots = pytest.mark.parametrize("single_root", [False, True])


def sentence(kind: str, T: int, single_root: bool):
    """One sentence without features, each token below the one before it."""
    return BUILD[kind](ft.dense(np.zeros((T * T, 1))), np.array([T]), np.arange(T), single_root=single_root)


def answers(kind: str, T: int, single_root: bool, s: np.ndarray):
    return operations(sentence(kind, T, single_root), 0, np.zeros(1), s, np.zeros(T * T))


def number(kind: str, T: int, single_root: bool) -> int:
    """How many trees there are."""
    if kind == "projective":
        return comb(3 * T - 2, T - 1) // T if single_root else comb(3 * T, T) // (2 * T + 1)
    return T ** (T - 1) if single_root else (T + 1) ** (T - 1)


@kinds
@roots
@pytest.mark.parametrize("T", [1, 2, 7, 40, 400])
def test_log_z_of_scores_of_0_counts_the_trees(kind, single_root, T):
    if T == 400 and kind == "nonprojective":
        T = 200
    got = answers(kind, T, single_root, np.zeros(T * T))
    assert got.log_z == pytest.approx(log(number(kind, T, single_root)), rel=1e-12)


@kinds
@roots
@pytest.mark.parametrize("scale", [1, 400, 14_000])  # 14,000 log 2 is some 1e4
@pytest.mark.parametrize("forbidden", [0.0, 0.2, 0.5])
def test_all_trees_of_five_tokens_at_any_scale_and_with_forbidden_arcs(kind, single_root, scale, forbidden):
    """Weights that are powers of 2, and sums in whole numbers."""
    T, rng = 5, np.random.default_rng(scale)
    powers = rng.integers(-scale, scale + 1, size=T * T)
    allowed = rng.random(T * T) >= forbidden
    trees = [heads for heads in product(range(T + 1), repeat=T) if is_tree(heads)]
    trees = [heads for heads in trees if kind == "nonprojective" or is_projective(heads)]
    trees = [heads for heads in trees if not single_root or heads.count(0) == 1]
    assert len(trees) == number(kind, T, single_root)
    s = np.where(allowed, powers * log(2), -np.inf)
    got, total, of_arc, best = answers(kind, T, single_root, s), 0, [0] * (T * T), -np.inf
    for heads in trees:
        arcs = [m * T + h - (h > m + 1) for m, h in enumerate(heads)]
        if allowed[arcs].all():
            weight = 1 << int(T * scale + powers[arcs].sum())
            total, best = total + weight, max(best, powers[arcs].sum() * log(2))
            for r in arcs:
                of_arc[r] += weight
    assert got.top == pytest.approx(best, rel=1e-12)
    if not total:
        assert got.log_z == -np.inf and not got.mu.any()
        return
    assert got.log_z == pytest.approx(log(total) - T * scale * log(2), rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(got.mu, [each / total for each in of_arc], atol=1e-11)


@kinds
@roots
@pytest.mark.parametrize("scale", [0.0, 1.0, 30.0, 1e4])
def test_the_longest_sentence(kind, single_root, scale):
    T = LONGEST
    s = scale * np.random.default_rng(0).normal(size=T * T)
    got = answers(kind, T, single_root, s)
    np.testing.assert_allclose(got.mu.reshape(T, T).sum(axis=1), 1.0, atol=1e-9)
    assert got.mu.min() >= 0
    assert got.mu.max() <= 1 + 1e-9
    heads = got.best_labels
    assert got.best @ s == pytest.approx(got.top)
    assert got.top <= got.log_z * (1 + 1e-12) + 1e-9
    assert not (single_root and np.count_nonzero(heads == 0) > 1)
    assert not (kind == "projective" and crossing(heads).any())
    if scale == 1e4:  # all the probability is the best tree's
        assert got.log_z == pytest.approx(got.top, rel=1e-9)
        np.testing.assert_allclose(got.mu, got.best, atol=1e-6)


@pytest.mark.parametrize("far", [-np.inf, -1e17, -1e4, -400.0, -353.0, -300.0])
def test_a_token_that_has_no_other_head_than_the_root(far):
    """With the arc 1 -> 2 out of the way, a root with one child leaves one tree of two tokens."""
    got = answers("nonprojective", 2, True, np.array([0.3, 0.2, 0.5, far]))
    assert got.log_z == pytest.approx(0.2 + 0.5, rel=1e-9)
    np.testing.assert_allclose(got.mu, [0, 1, 1, 0], atol=1e-12)
    if far == -np.inf:  # and the only tree may have an arc that is worth next to nothing
        assert answers("nonprojective", 2, True, np.array([0.0, -1e15, 0.0, far])).log_z == pytest.approx(-1e15)


@kinds
@roots
@pytest.mark.parametrize(
    "far", [(2000.0, 2000.0), (352.0, 356.0)]
)  # of exp(-352) and exp(-356) the second counts as 0
def test_where_the_best_arcs_are_a_cycle_another_arithmetic_takes_over(kind, single_root, far):
    """Two arcs, far better than all others, of which a tree can have one: Z is the sum over those with either."""
    T, s, of_either = 30, 0.1 * np.random.default_rng(1).normal(size=(30, 30)), []
    s[:2, 1] += far
    assert far[0] < 2000 or not semirings.enough(np.exp(-far[0]), T)
    for token in (0, 1):  # 1 -> 2 and 2 -> 1: the second place in both rows
        only = s.copy()
        only[token] = -1e6
        only[token, 1] = s[token, 1]
        of_either.append(answers(kind, T, single_root, only.ravel()).log_z)
    got = answers(kind, T, single_root, s.ravel())
    assert got.log_z == pytest.approx(np.logaddexp(*of_either), rel=1e-9)
    np.testing.assert_allclose(got.mu[1], np.exp(of_either[0] - got.log_z), rtol=1e-7)
    np.testing.assert_allclose(got.mu.reshape(T, T).sum(axis=1), 1.0, atol=1e-9)


@roots
@pytest.mark.parametrize("T", [1, 2, 25])
def test_cliques_are_a_distribution_over_trees(single_root, T):
    """Entropy by the cliques is log Z less the expected score; the cliques of a tree have none."""
    s = np.random.default_rng(T).normal(size=T * T)
    split = sentence("projective", T, single_root)
    ask = partial(cliques, split, 0)
    got = ask(s, np.zeros(T * T), 1.0, 0.0)
    mu = answers("projective", T, single_root, s).mu
    np.testing.assert_allclose(got.mu, mu, atol=1e-12)
    assert got.entropy == pytest.approx(got.log_z - mu @ s, abs=1e-9)
    assert got.one.sum() == 2 * T
    assert parts.num_parts(split, 0) == T * T


def test_numbers_of_almost_any_size():
    """Operations on m 2^(512 e) beside fractions."""
    rng = np.random.default_rng(0)

    def fraction(m: float, e: int) -> Fraction:
        return Fraction(m) * Fraction(2) ** (512 * e) if m else Fraction(0)

    for _ in range(300):
        (a, b), (p, q) = (2.0 ** rng.uniform(-256, 256, size=2)).tolist(), rng.integers(-2, 1, size=2).tolist()
        a, p = (a, p) if rng.random() < 0.9 else (0.0, wide_numbers.OF_ZERO)
        x, y = fraction(a, p), fraction(b, q)
        for name, want in (("plus", x + y), ("minus", max(x - y, 0)), ("times", x * y), ("over", x / y)):
            m, e = getattr(wide_numbers, name)(a, p, b, q)
            assert m == 0 or wide_numbers.LOW <= m < wide_numbers.HIGH
            assert abs(fraction(m, e) - want) <= want / 2**51, name
        assert q < -1 or wide_numbers.float_of(b, q) == float(y)
    for x in -np.geomspace(1e-3, 1e6, 100):
        m, e = wide_numbers.exponential(x)
        assert log(m) + e * wide_numbers.UNIT == pytest.approx(x, rel=1e-13)
