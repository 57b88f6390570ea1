"""Grids whose numbers are drawn, and grids of folds: both are lists once they are read."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import random_search
from structbench.bench.workflow.config import config_of

DATA = "toy-english:sentences=60,test_sentences=20"
RANGE = {"from": 0.01, "to": 100}


def specs(**grid):
    found = {
        "name": "g",
        "data": [DATA],
        "algorithms": {"eg": {"eta": {"from": "1e-1", "to": 1}}, "lbfgs": {}},
    } | grid
    return list(config_of({"grids": [found]}).specs)


def test_settings_are_drawn_on_a_log_scale_from_the_first_seed_the_same_C_for_all():
    made = specs(C=RANGE, random=200)
    Cs = {name: [spec.C for spec in made if spec.algorithm == name] for name in ("eg", "lbfgs")}
    assert len(Cs["eg"]) == 200 and {*Cs["eg"]} == {*Cs["lbfgs"]}
    assert min(Cs["eg"]) >= 0.01 and max(Cs["eg"]) <= 100 and abs(np.mean(np.log10(Cs["eg"]))) < 0.3
    etas = [dict(spec.params)["eta"] for spec in made if spec.algorithm == "eg"]
    assert min(etas) >= 0.1 and max(etas) <= 1 and len({*etas}) > 100
    assert made == specs(C=RANGE, random=200) != specs(C=RANGE, random=200, seeds=[1])


def test_settings_that_are_drawn_twice_are_said():
    grid = {"name": "g", "data": [DATA], "algorithms": {"lbfgs": {}}, "C": {"from": 1, "to": 1.01}, "random": 40}
    found = config_of({"grids": [grid]})
    said = f"grid g: random: 40 draws {len(found.specs)} different settings: numbers are rounded"
    assert len(found.specs) < 12 and f"{said}, to 3 digits or to whole numbers" in found.skipped


def test_whole_numbers_stay_whole():
    made = specs(random=5, algorithms={"laso": {"beam": {"from": 1, "to": 30}}})
    assert all(isinstance(dict(spec.params)["beam"], int) for spec in made)


def test_folds_are_data_sets_and_the_first_seed_deals_them():
    texts = [spec.data.text for spec in specs(C=[1], cv=3, seeds=[4], algorithms={"lbfgs": {}})]
    assert texts == [f"{DATA},validation={k}of3seed4" for k in (1, 2, 3)]


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ({"C": {"from": 100, "to": 0.01}, "random": 4}, "no range: from must be above 0 and below a finite to"),
        ({"C": {"from": 0, "to": 1}, "random": 4}, "C: 0 to 1 is no range"),
        ({"C": RANGE}, "C is a range: add random: 20"),
        ({"C": [1], "random": 4, "algorithms": {"lbfgs": {}}}, "random: 4 draws from ranges, and there is none"),
        ({"C": RANGE, "random": 0}, "random: must be 1 or more, not 0"),
        ({"C": {"from": 1}, "random": 4}, "C: the key 'to' is missing"),
        ({"C": {"from": 1, "to": "big"}, "random": 4}, "C.to: must be a number, such as 0.01, not 'big'"),
        ({"C": RANGE | {"to": float("inf")}, "random": 4}, "C: 0.01 to inf is no range"),
        ({"C": RANGE, "random": 10**9}, "random: 1000000000 settings are too many: 10000 at most"),
        ({"C": [1], "cv": 10**12}, "cross-validation takes 2 to 1000 folds, such as 5, not 1000000000000"),
        ({"C": [1], "name": "g" * 101}, "must be small letters, digits and hyphens, 100 at most"),
        ({"C": [1], "cv": 1}, "cv: must be 2 or more, not 1"),
        ({"C": RANGE, "random": 2, "cv": 5, "validation": 0.1}, "leave out validation: 0.1"),
        ({"C": RANGE, "random": 2, "cv": 5, "data": [f"{DATA},validation=0.1"]}, "drop validation=0.1"),
    ],
)  # fmt: skip
def test_what_is_no_range_or_no_fold_is_said(grid, says):
    with pytest.raises(UserError, match=says):
        specs(**grid)


def test_a_default_without_a_point_is_a_real_number_where_it_is_declared_so(monkeypatch):
    def solve(objective, model, *, step: float = 1, size: int = 1):
        """An algorithm of a user's."""

    monkeypatch.setattr(random_search.catalogue, "parameters", lambda name: {"step": 1, "size": 1})
    monkeypatch.setattr(random_search.catalogue, "solver", lambda name: solve)
    found = random_search._values("mine.step", {"from": 0.01, "to": 1}, 50, 0)
    whole = random_search._values("mine.size", {"from": 1, "to": 9}, 50, 0)
    assert len({*found}) > 40 and {*whole} <= {*range(10)}
