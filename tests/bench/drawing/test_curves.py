"""What figures and claims read off curves, against curves that are known in closed form."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from structbench.bench.drawing import curves
from tests.narrowing import fake

PASSES = np.array([0.0, 0.5, 1, 2, 3, 4, 6, 8])


def run(primal: list[float], dual: list[float], C: list[float] | float = 1.0) -> Any:
    """A run at C = 1."""
    curve = pd.DataFrame({"C": C, "primal": primal, "dual": dual})
    return fake(spec=fake(C=1.0), curve=curve)


def test_the_optimum_lies_between_the_least_primal_and_the_greatest_dual_value_that_can_be_a_bound() -> None:
    """A dual value above a primal one overflowed; values at another C, on the way of a path, do not count."""
    runs = [run([9.0, 5.0], [np.nan, 3.0]), run([8.0, np.inf], [2.0, 700.0])]
    assert curves.optimum(runs) == (5.0, 3.0)
    assert curves.optimum([*runs, run([4.0, 6.0], [3.9, 1.0], [2.0, 1.0])]) == (5.0, 3.0)
    assert curves.optimum([*runs, run([7.0], [5.0 * (1 + 0.5 * curves.TIE)])]).dual > 5, "rounding is no overflow"
    assert curves.optimum(runs).relative_gap == pytest.approx(0.4)
    assert np.isnan(curves.optimum([])).all()


def test_settled_is_the_first_place_after_the_last_bad_one() -> None:
    positions = np.array([1.0, 2.0, 3.0, 4.0])
    assert curves.settled(positions, np.array([-1.0, 1, -3, -1])) == 2.25
    assert curves.settled(positions, np.array([-1.0, 1, 0, -1])) == 3
    assert curves.settled(positions, np.array([-1.0, np.inf, -3, -1])) == 3
    assert curves.settled(positions, np.array([-1.0, np.nan, -3, -1])) == 3
    assert curves.settled(positions, -np.ones(4)) == 1
    assert curves.settled(positions, np.array([-1.0, -1, -1, 1])) == np.inf


def test_distances_are_relative_or_in_decades_and_leave_rounding_out() -> None:
    curve = pd.DataFrame({"primal": [400.0, 100.0 + 1e-8, 100.0]})
    assert curves.distance(curve, 100.0) == pytest.approx([0.75, np.nan, np.nan], nan_ok=True)
    distances = np.array([np.inf, np.nan, 10.0, 1.0, 0.1, 1e-9, 0.0, -1.0])
    np.testing.assert_allclose(curves.decades_above(distances, 1.0), [np.inf, np.nan, 1, 0, -1, -3, -3, -3])


def test_seconds_to_a_level_are_of_the_processor() -> None:
    """The distance to the bound is 10 %, 1 % and 0.1 % of the primal."""
    primal = 1 / (1 - 10.0 ** -np.arange(1, 4))
    curve = pd.DataFrame({"wall_seconds": [10.0, 20, 30], "cpu_seconds": [1.0, 2, 3], "primal": primal})
    assert curves.seconds_to(curve, 1.0, 0.01) == pytest.approx(2)
    assert curves.seconds_to(curve, 1.0, 10**-2.5) == pytest.approx(2.5)
    assert curves.seconds_to(curve, 1.0, 1e-4) == np.inf
    assert np.isnan(curves.seconds_to(curve.assign(cpu_seconds=[np.nan, 2, 3]), 1.0, 0.01))


def test_a_gap_is_the_run_s_own_and_any_clock_tells_when_it_is_small() -> None:
    curve = pd.DataFrame({"passes": [1.0, 2, 4], "cpu_seconds": [3.0, 5, 9], "relative_gap": [1.0, 0.1, 0.01]})
    curve = curve.assign(primal=1.0, gap=1.0, visits=0.0)
    assert curves.to_gap(curve, 0.1) == 2 and curves.to_gap(curve, 0.01, "cpu_seconds") == 9
    assert curves.to_gap(curve, 10**-1.5) == pytest.approx(3) and curves.to_gap(curve, 1e-3) == np.inf


def test_seconds_of_a_pass_leave_out_what_comes_before_the_first() -> None:
    curve = pd.DataFrame({"passes": [0.0, 2, 4], "cpu_seconds": [5.0, 6, 8], "wall_seconds": [5.0, 9, 11]})
    assert curves.seconds_per_pass(curve) == 0.75
    assert curves.seconds_per_pass(curve, "wall_seconds") == 1.5
    assert np.isnan(curves.seconds_per_pass(curve.head(1)))


def test_one_curve_overtakes_another_once_it_stays_below_or_level() -> None:
    def falling(primal: list[float] | np.ndarray) -> pd.DataFrame:
        return pd.DataFrame({"passes": [0.0, 1, 2, 4], "primal": primal})

    other = falling([9.0, 8, 6, 5])
    assert curves.overtakes(falling([9.0, 9, 5, 4]), other) == pytest.approx(1.5, rel=1e-5)
    assert curves.overtakes(other, other) == 1, "before the first update all are level"
    level = np.array([9.0, 8, 6, 5]) * (1 + 0.5 * curves.TIE)
    assert curves.overtakes(falling(level), other) == 1
    assert curves.overtakes(falling(level + 2 * curves.TIE * 9), other) == np.inf


def test_the_share_that_a_line_explains_tells_an_exponential_from_a_power_law() -> None:
    straight, bent = np.log(np.exp(-PASSES)), np.log((1 + PASSES) ** -2)
    assert curves.r2(PASSES, straight) == pytest.approx(1)
    assert curves.r2(PASSES, bent) < 0.95 < curves.r2(np.log(1 + PASSES), bent)
    assert curves.r2(PASSES, np.zeros(len(PASSES))) == 0.0
