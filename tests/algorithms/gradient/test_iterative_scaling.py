"""Iterative scaling: its equation, the bound M, and that no iteration raises the objective."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from structbench.algorithms.gradient.iterative_scaling import change
from structbench.algorithms.runtime.errors import UserError
from tests.algorithms.oracle import case
from tests.algorithms.solvers import first

EXACT = Decimal("1e-12")  # relative error of a step


def powers(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers between these powers of 10, on a logarithmic scale."""
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


counts = powers(-3, 7)
far_apart = st.tuples(counts, st.one_of(counts, counts.map(lambda r: -r), st.just(0.0)))
offsets = powers(-15, -1).flatmap(lambda size: st.sampled_from([-size, size]))
close = st.tuples(counts, offsets).map(lambda drawn: (drawn[0], drawn[0] * (1 + drawn[1])))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.one_of(far_apart, close), powers(-8, 4), powers(0, 3))
@example((5e5, 5.0001e5), 1e-3, 100.0)
@example((5e5, 5.0001e5), 1e-5, 100.0)
@example((0.0, 3.0), 2.0, 100.0)
@example((1e-310, 1e7), 1e-8, 1.0)  # of exp(M delta) alone there is no number
def test_the_change_solves_its_equation(counts, C, M):
    """The left side rises with delta, so that the solution lies where its sign changes."""
    (delta,) = change(np.array([counts[0]]), np.array([counts[1]]), C, M)
    with localcontext(prec=60):
        E, r, c, m = map(Decimal, (*counts, C, M))
        near = [Decimal(float(delta)) * (1 + off) for off in (-EXACT, EXACT)]
        below, above = sorted(E * (m * x).exp() + c * x - r for x in near)
    assert below <= 0 <= above


@pytest.mark.parametrize("name", ["chain-binary", "segments-binary", "forest-binary", "dependency-binary"])
def test_the_primal_falls_and_m_is_the_largest_sum(name):
    small = case(name)
    run = first(30, "iterative-scaling", small.split, "log", 0.3)
    assert (np.diff([point.value.primal for point in run]) < 0).all()
    largest = max((e.outputs @ e.features.sum(axis=1)).max() for e in small.examples)
    assert run[-1].notes["M"] == pytest.approx(largest)
    assert [point.visits for point in run] == [0, *range(12, 6 * 31, 6)]


def test_negative_features_are_refused():
    for name in ("chain-dense", "multiclass-sparse"):
        with pytest.raises(UserError, match=r"iterative-scaling needs features of 0 or more.*is -\d"):
            first(2, "iterative-scaling", case(name).split, "log", 1.0)
