"""What people write into a config: meant well and taken, or refused in a sentence that says what is right."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from jsonschema import Draft202012Validator

from structbench.algorithms.runtime.errors import UserError
from structbench.bench.drawing import comparison
from structbench.bench.workflow import schema

TOP = ("scale", "figures", "grids", "mirror", "results")
SCHEMA = yaml.safe_load(schema.FILE.read_text())
GRID = {"name": "mine", "data": ["mnist"], "C": [10], "algorithms": {"eg": {"order": ["random"]}}}


def of(**changes):
    """A config with one grid: keys of ``TOP`` are the config's, all others the grid's."""
    config = {"scale": "tiny", "figures": [], "grids": [dict(GRID)]}
    for name, value in changes.items():
        (config if name in TOP else config["grids"][0])[name] = value
    return config


def grid(**changes):
    return schema.checked_config(of(**changes))["grids"][0]


def test_a_config_without_slips_is_taken_as_it_is():
    config = of(seeds=[0, 1], passes=3, gap=1e-4, loss=["log"], timed=False, mirror="somewhere")
    assert schema.checked_config(config) == config
    assert schema.checked_config({"scale": "tiny", "figures": []}) == {"scale": "tiny", "figures": []}


def test_the_kinds_of_figures_are_those_that_can_be_drawn():
    kinds = SCHEMA["properties"]["grids"]["items"]["properties"]["figures"]["items"]["enum"]
    assert sorted(kinds) == sorted(comparison.ALL)


@pytest.mark.parametrize(
    ("changes", "meant"),
    [
        ({"data": "mnist"}, {"data": ["mnist"]}),
        ({"loss": "log"}, {"loss": ["log"]}),
        ({"penalty": "l1"}, {"penalty": ["l1"]}),
        ({"C": 10}, {"C": [10]}),
        ({"algorithms": {"eg": {"order": "random"}}}, {"algorithms": {"eg": {"order": ["random"]}}}),
        ({"algorithms": {"eg": {"adaptive": False}}}, {"algorithms": {"eg": {"adaptive": [False]}}}),
        ({"algorithms": {"eg": None}}, {"algorithms": {"eg": None}}),
    ],
)
def test_one_value_stands_for_a_list_of_one(changes, meant):
    assert grid(**changes) == GRID | meant


def test_a_dict_of_python_may_have_tuples_arrays_and_paths():
    given = {"data": (Path("a"), "b"), "C": np.logspace(-1, 1, 3), "seeds": range(2), "passes": np.int64(3)}
    found = grid(**given, test=Path("test.txt"), algorithms={"eg": {"eta": (np.float64(0.5), 1)}})
    wanted = {"data": ["a", "b"], "C": [0.1, 1.0, 10.0], "seeds": [0, 1], "passes": 3, "test": "test.txt"}
    assert repr(found) == repr(GRID | wanted | {"algorithms": {"eg": {"eta": [0.5, 1]}}})


def test_a_number_that_yaml_reads_as_text_is_a_number_and_a_whole_one_is_whole():
    config = of(
        **yaml.safe_load("{C: [1e-3, 5E1], gap: 1e-6, passes: 1e2, seconds: '60', seeds: [1.0], threads: 2.0}")
    )
    (read,) = schema.checked_config(config)["grids"]
    assert (read["C"], read["gap"], read["passes"], read["seconds"]) == ([0.001, 50.0], 1e-6, 100.0, 60.0)
    assert [type(read["seeds"][0]), type(read["threads"])] == [int, int]


def test_a_key_with_nothing_behind_it_is_none():
    """``grids:`` above grids that are commented out."""
    config = yaml.safe_load("scale: tiny\nfigures: []\ngrids:\n#  - name: mine\ndata:\nmirror:\n")
    assert schema.checked_config(config) == {"scale": "tiny", "figures": []}
    assert grid(seconds=None, test=None) == GRID


SUCH = "such as {eg: {order: [random, cyclic]}, lbfgs: {}}"
IN_A_GRID = [  # a key of a grid, its value, and what is wrong
    (
        "name",
        "My Grid",
        "config, grid 'My Grid', name: must be small letters, digits and hyphens, 100 at most, such as my-digits",
    ),
    ("name", 3, "config, grid 1, name: must be text, such as my-digits, not 3"),
    ("algorithm", {"eg": {}}, "config, grid 'mine': there is no key 'algorithm': did you mean 'algorithms'?"),
    ("c", [1], "config, grid 'mine': there is no key 'c': "),
    ("seeds", 3, "config, grid 'mine', seeds: must be a list, such as [0, 1, 2], not 3"),
    ("seeds", [-1], "seeds: must be 0 or more, not -1"),
    ("seeds", [0.5], "seeds: must be a whole number, not 0.5"),
    ("seeds", [], "seeds: is empty: give at least one, such as [0, 1, 2]"),
    ("data", [{"svmlight": "x"}], "data: must be text, such as svmlight:digits.txt, not {'svmlight': 'x'}"),
    ("C", [0], "C: must be above 0, not 0"),
    ("C", "ten", "C: must be a number, not 'ten'"),
    ("C", True, "C: must be a number, not True"),
    ("C", [[1]], "C: must be a number, not [1]"),
    ("threads", 10**400, "threads: must be a whole number, not inf"),
    ("threads", 0, "threads: must be 1 or more, not 0"),
    ("timed", "maybe", "timed: must be true or false, not 'maybe'"),
    ("algorithms", ["eg", "lbfgs"], f"algorithms: must be keys and values, {SUCH}, not ['eg', 'lbfgs']"),
    ("algorithms", {}, f"config, grid 'mine', algorithms: is empty: give at least one, {SUCH}"),
    ("algorithms", {"eg": ["order"]}, "algorithms.eg: must be keys and values, such as {order: [random, cyclic]}"),
    (
        "algorithms",
        {"eg": {"order": []}},
        "algorithms.eg.order: is empty: give at least one, such as [first, second]",
    ),
    (
        "algorithms",
        {"eg": {"order": None}},
        "algorithms.eg.order: must be a list or keys and values, such as [first, second], not None",
    ),
    ("algorithms", {1: {}}, "config, grid 'mine', algorithms: must be text, not 1"),
]
MISTAKES = [
    (None, "config: must be keys and values, not None"),
    (of(algorithms=["eg"] * 1000), "config, grid 'mine', algorithms: must be keys and values"),
    (["scale"], "config: must be keys and values, not ['scale']"),
    (of(scale="huge"), "config, scale: must be one of tiny, quick, paper, not 'huge'"),
    (of() | {"grid": []}, "config: there is no key 'grid': did you mean 'grids'? the keys are name,"),
    (of(figures=["eg2004", "eg2004"]), "config, figures: must have each value once: ['eg2004', 'eg2004']"),
    (of(grids={"name": "mine"}), "config, grids: must be a list, such as [{name: my-digits, data: [mnist],"),
    (of(grids=["mine"]), "config, grid 1: must be keys and values, such as {name: my-digits,"),
    (
        of(grids=[GRID, {"data": "mnist"}]),
        "config, grid 2: the key 'name' is missing: what the grid's figures are",
    ),
    *((of(**{key: value}), said) for key, value, said in IN_A_GRID),
]


@pytest.mark.parametrize(("config", "sentence"), MISTAKES)
def test_a_mistake_is_refused_in_a_sentence(config, sentence):
    with pytest.raises(UserError) as error:
        schema.checked_config(config)
    assert str(error.value).startswith("config")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250, "a long value is cut"


def test_whatever_is_written_is_taken_or_refused():
    rng = random.Random(0)
    values = [None, True, 0, -1, 2.5, float("nan"), float("inf"), 10**400, "", "x", "1e-3"]
    values += [[], [[]], [None], {}, {"x": 1}, {2: 3}]
    for _ in range(100):
        config = of()
        for _ in range(rng.randint(1, 3)):
            place = rng.choice([config, *[each for each in (config.get("grids"),) if isinstance(each, dict)]])
            grids = config.get("grids")
            if isinstance(grids, list) and grids and isinstance(grids[0], dict):
                place = rng.choice([place, grids[0]])
            key: Any = rng.choice([*SCHEMA["properties"], *GRID, "seeds", "passes", "loss", "x", 7])
            place[key] = rng.choice(values)
        try:
            Draft202012Validator(SCHEMA).validate(schema.checked_config(config))
        except UserError as error:
            assert "\n" not in str(error)


def test_every_key_is_described_and_examples_are_right():
    def each(part):
        yield part
        for name in ("items", "additionalProperties", "properties"):
            inner = part.get(name)
            for below in (inner.values() if name == "properties" else [inner]) if isinstance(inner, dict) else ():
                yield from each(below)

    Draft202012Validator.check_schema(SCHEMA)
    for part in each(SCHEMA):
        for example in part.get("examples", ()):
            Draft202012Validator(part).validate(example)
        for named in part.get("properties", {}).values():
            assert named["description"]
