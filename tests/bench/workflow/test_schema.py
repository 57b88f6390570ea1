"""What people write into a config: meant well and taken, or refused in a sentence that says what is right."""

import random

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
    return schema.checked(of(**changes))["grids"][0]


def test_a_config_without_slips_is_taken_as_it_is():
    config = of(seeds=[0, 1], passes=3, gap=1e-4, loss=["log"], timed=False, mirror="somewhere")
    assert schema.checked(config) == config
    assert schema.checked({"scale": "tiny", "figures": []}) == {"scale": "tiny", "figures": []}


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


def test_a_number_that_yaml_reads_as_text_is_a_number():
    (read,) = schema.checked(of(**yaml.safe_load("{C: [1e-3, 5E1], gap: 1e-6, passes: 1e2, seconds: '60'}")))[
        "grids"
    ]
    assert (read["C"], read["gap"], read["passes"], read["seconds"]) == ([0.001, 50.0], 1e-6, 100.0, 60.0)


def test_whole_numbers_are_whole():
    read = grid(seeds=[1.0], threads=2.0)
    assert [type(read["seeds"][0]), type(read["threads"])] == [int, int]


def test_a_key_with_nothing_behind_it_is_none():
    """``grids:`` above grids that are commented out."""
    config = yaml.safe_load("scale: tiny\nfigures: []\ngrids:\n#  - name: mine\ndata:\nmirror:\n")
    assert schema.checked(config) == {"scale": "tiny", "figures": []}
    assert grid(seconds=None, test=None) == GRID


MISTAKES = [
    (None, "config: must be keys and values, not None"),
    (["scale"], "config: must be keys and values, not ['scale']"),
    (of(scale="huge"), "config, scale: must be one of tiny, quick, paper, not 'huge'"),
    (
        of() | {"grid": []},
        "config: there is no key 'grid': did you mean 'grids'? the keys are name,",
    ),
    (of(figures=["eg2004", "eg2004"]), "config, figures: must have each value once: ['eg2004', 'eg2004']"),
    (of(grids={"name": "mine"}), "config, grids: must be a list, such as [{name: my-digits, data: [mnist],"),
    (of(grids=["mine"]), "config, grid 1: must be keys and values, such as {name: my-digits,"),
    (
        of(grids=[GRID, {"data": "mnist"}]),
        "config, grid 2: the key 'name' is missing: what the grid's figures are",
    ),
    (
        of(name="My Grid"),
        "config, grid 'My Grid', name: must be small letters, digits and hyphens, such as my-digits",
    ),
    (of(name=3), "config, grid 1, name: must be text, such as my-digits, not 3"),
    (of(algorithm={"eg": {}}), "config, grid 'mine': there is no key 'algorithm': did you mean 'algorithms'?"),
    (of(seed=[1]), "config, grid 'mine': there is no key 'seed': did you mean 'seeds'?"),
    (of(c=[1]), "config, grid 'mine': there is no key 'c': "),
    (of(seeds=3), "config, grid 'mine', seeds: must be a list, such as [0, 1, 2], not 3"),
    (of(seeds=[-1]), "config, grid 'mine', seeds: must be 0 or more, not -1"),
    (of(seeds=[0.5]), "config, grid 'mine', seeds: must be a whole number, not 0.5"),
    (of(seeds=[]), "config, grid 'mine', seeds: is empty: give at least one, such as [0, 1, 2]"),
    (of(data=[]), "config, grid 'mine', data: is empty: give at least one, such as [mnist, 'conll2000:"),
    (of(data=[{"svmlight": "x"}]), "data: must be text, such as svmlight:digits.txt, not {'svmlight': 'x'}"),
    (of(C=-1), "config, grid 'mine', C: must be above 0, not -1"),
    (of(C=[0]), "config, grid 'mine', C: must be above 0, not 0"),
    (of(C="ten"), "config, grid 'mine', C: must be a number, not 'ten'"),
    (of(C=True), "config, grid 'mine', C: must be a number, not True"),
    (of(C=[[1]]), "config, grid 'mine', C: must be a number, not [1]"),
    (of(threads=10**400), "config, grid 'mine', threads: must be a whole number, not inf"),
    (of(passes=0), "config, grid 'mine', passes: must be above 0, not 0"),
    (of(passes="many"), "config, grid 'mine', passes: must be a number, not 'many'"),
    (of(gap=-1), "config, grid 'mine', gap: must be 0 or more, not -1"),
    (of(threads=0), "config, grid 'mine', threads: must be 1 or more, not 0"),
    (of(threads=1.5), "config, grid 'mine', threads: must be a whole number, not 1.5"),
    (of(timed="maybe"), "config, grid 'mine', timed: must be true or false, not 'maybe'"),
    (
        of(algorithms=["eg", "lbfgs"]),
        "config, grid 'mine', algorithms: must be keys and values, such as "
        "{eg: {order: [random, cyclic]}, lbfgs: {}}, not ['eg', 'lbfgs']",
    ),
    (
        of(algorithms="eg"),
        "algorithms: must be keys and values, such as {eg: {order: [random, cyclic]}, lbfgs: {}}",
    ),
    (of(algorithms={}), "config, grid 'mine', algorithms: is empty: give at least one, such as {eg: "),
    (
        of(algorithms={"eg": ["order"]}),
        "algorithms.eg: must be keys and values, such as {order: [random, cyclic]}",
    ),
    (
        of(algorithms={"eg": {"order": []}}),
        "algorithms.eg.order: is empty: give at least one, such as [first, second]",
    ),
    (
        of(algorithms={"eg": {"order": None}}),
        "algorithms.eg.order: must be a list, such as [first, second], not None",
    ),
    (of(algorithms={1: {}}), "config, grid 'mine', algorithms: must be text, not 1"),
]


@pytest.mark.parametrize(("config", "sentence"), MISTAKES)
def test_a_mistake_is_refused_in_a_sentence(config, sentence):
    with pytest.raises(UserError) as error:
        schema.checked(config)
    assert str(error.value).startswith("config")
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_long_value_is_cut():
    with pytest.raises(UserError) as error:
        schema.checked(of(algorithms=["eg"] * 1000))
    assert len(str(error.value)) < 250


def test_whatever_is_written_is_taken_or_refused():
    rng = random.Random(0)
    values = [
        None,
        True,
        0,
        -1,
        2.5,
        float("nan"),
        float("inf"),
        10**400,
        "",
        "x",
        "1e-3",
        [],
        [[]],
        [None],
        {},
        {"x": 1},
        {2: 3},
    ]
    for _ in range(300):
        config = of()
        for _ in range(rng.randint(1, 3)):
            place = rng.choice([config, *[each for each in (config.get("grids"),) if isinstance(each, dict)]])
            grids = config.get("grids")
            if isinstance(grids, list) and grids and isinstance(grids[0], dict):
                place = rng.choice([place, grids[0]])
            place[rng.choice([*SCHEMA["properties"], *GRID, "seeds", "passes", "loss", "x", 7])] = rng.choice(
                values
            )
        try:
            Draft202012Validator(SCHEMA).validate(schema.checked(config))
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
