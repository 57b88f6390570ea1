"""Which runs a grid has: every combination that its algorithms have, once, and a sentence on what is left out."""

from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path

import pytest

from structbench import datasets
from structbench.algorithms.learning import declaration
from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import catalogue, grids
from structbench.bench.workflow import config, schema

CHAIN, SEGMENTS, JOINT, FOREST = (
    f"toy-english:task={task}" for task in ("chunks", "segments", "joint", "brackets")
)
SMOOTH = "log or smoothed-hinge-TAU or softmax-margin"


def grid(**keys):
    """A grid as the config of a user has it."""
    given = {"name": "mine", "data": ["mnist"], **keys}
    (checked,) = schema.checked_config({"scale": "tiny", "figures": [], "grids": [given]})["grids"]
    return grids.expand(checked)


SEED, PEER = "__seed=1", {"crfsuite": {"method": ["lbfgs", "pa"]}}
OBJECTIVES = [f"{loss}__C={C}" for loss in ("log", "hinge") for C in (1, 10)]
EXPANDED = {
    "all combinations of the lists": (
        {"data": ["mnist", "ocr"], "loss": ["log", "hinge"], "C": [1, 10], "algorithms": {"eg": {"eta": [1, 2]}}},
        [
            f"{data}__{loss}__C={C}__eg:eta={eta}"
            for eta, data, loss, C in product((1, 2), ("mnist", "ocr"), ("log", "hinge"), (1, 10))
        ],
        (),
    ),
    "a mistake-driven algorithm needs neither loss nor C": (
        {"data": ["toy-english"], "algorithms": {"laso": {"beam": [1, 5], "update": ["alma"]}}, "seeds": [0, 1]},
        [f"toy-english__none__laso:{beam}update=alma{end}" for beam in ("beam=1,", "") for end in ("", SEED)],
        (),
    ),
    "but may be given the loss none": (
        {"data": ["toy-english"], "loss": ["none"], "algorithms": {"laso": {}}},
        ["toy-english__none__laso"],
        (),
    ),
    "it joins a comparison once": (
        {"data": ["toy-english"], "loss": ["log", "hinge"], "C": [1, 10], "algorithms": {"laso": {}, "eg": {}}},
        ["toy-english__none__laso", *(f"toy-english__{x}__eg" for x in OBJECTIVES)],
        ("laso minimises no loss: it is run once, without loss and C",),
    ),
    "its own parameter C is a parameter": (
        {"data": ["ocr"], "algorithms": {"laso": {"C": [1, 2], "update": ["alma"]}}},
        ["ocr__none__laso:C=1,update=alma", "ocr__none__laso:C=2,update=alma"],
        (),
    ),
    "losses that an algorithm has not are left out": (
        {"loss": ["log", "hinge"], "C": [1], "algorithms": {"eg": {}, "smo": {}, "sgd": {}}},
        ["mnist__log__C=1__eg", "mnist__hinge__C=1__eg", "mnist__hinge__C=1__smo", "mnist__log__C=1__sgd"],
        (
            "smo minimises the hinge loss: left out with the loss log",
            f"sgd minimises the {SMOOTH} loss: left out with the loss hinge",
        ),
    ),
    "losses that it has with some parameters only": (
        {"data": "ocr", "loss": ["log", "hinge"], "C": [1], "algorithms": PEER},
        ["ocr__log__C=1__crfsuite", "ocr__log__C=1__crfsuite:method=pa", "ocr__hinge__C=1__crfsuite:method=pa"],
        ("crfsuite with method=lbfgs minimises the log loss: left out with the loss hinge",),
    ),
    "penalties that it has not": (
        {"penalty": ["l1", "l2"], "C": [1], "algorithms": {"owl-qn": {}, "lbfgs": {}}},
        ["mnist__log__C=1__owl-qn__penalty=l1", "mnist__log__C=1__owl-qn", "mnist__log__C=1__lbfgs"],
        ("lbfgs takes the penalty l2 or none: left out with the penalty l1",),
    ),
    "without a penalty there is no C": (
        {"penalty": ["none", "l2"], "C": [5, 10], "algorithms": {"lbfgs": {}}},
        ["mnist__log__C=1__lbfgs__penalty=none", "mnist__log__C=5__lbfgs", "mnist__log__C=10__lbfgs"],
        ("lbfgs has no C with the penalty none: it is run once",),
    ),
    "and none is asked for": (
        {"penalty": ["none"], "algorithms": {"lbfgs": {}}},
        ["mnist__log__C=1__lbfgs__penalty=none"],
        (),
    ),
    "settings that do not fit the data": (
        {"data": [JOINT, "ocr"], "algorithms": {"laso": {"beam": ["inf", 5]}}},
        ["ocr__none__laso:beam=inf", f"{JOINT}__none__laso", "ocr__none__laso"],
        (f"laso with beam=inf needs parts, argmax and marginals, which joint problems *: left out on {JOINT}",),
    ),
    "a sentence lists a few and counts the rest": (
        {"data": [f"mnist:train={n}" for n in range(10, 70, 10)] + ["ocr"], "algorithms": {"laso": {}}},
        ["ocr__none__laso"],
        (
            "laso needs search, which multiclass problems do not have but *: left out on mnist:train=10, "
            "mnist:train=20, mnist:train=30, mnist:train=40 and 2 more",
        ),
    ),
    "an algorithm that draws nothing has one seed": (
        {"C": [1], "seeds": [3, 4], "algorithms": {"lbfgs": {}, "sgd": {}}},
        ["mnist__log__C=1__lbfgs__seed=3", "mnist__log__C=1__sgd__seed=3", "mnist__log__C=1__sgd__seed=4"],
        ("lbfgs draws nothing at random: it has the seed 3 alone",),
    ),
    "each run is made once": (
        {
            "data": ["mnist", "mnist:train=59000"], "C": [1, 1.0, "1e0"], "seeds": [0, 0],
            "algorithms": {"eg": {"order": ["random", "random"]}},
        },
        ["mnist__log__C=1__eg"],
        (),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPANDED)
def test_which_runs_a_grid_has_and_what_is_said_of_the_others(name):
    keys, runs, said = EXPANDED[name]
    made = grid(**keys)
    assert [spec.key for spec in made.specs] == runs
    assert len(made.skipped) == len(said)
    for sentence, pattern in zip(made.skipped, said, strict=True):
        assert fnmatchcase(sentence, f"grid mine: {pattern}"), sentence


def test_data_that_an_algorithm_cannot_learn_are_left_out():
    algorithms = {"laso": {}, "smo": {}, "eg-qp": {}}
    made = grid(data=["mnist", CHAIN, SEGMENTS, JOINT], C=[1], algorithms=algorithms, loss="hinge")
    fit = {"laso": (CHAIN, SEGMENTS, JOINT), "smo": ("mnist", CHAIN, SEGMENTS), "eg-qp": ("mnist",)}
    assert {(spec.algorithm, spec.data) for spec in made.specs} == {
        (name, datasets.data_ref(each)) for name, data in fit.items() for each in data
    }
    assert len(made.skipped) == 1 + 1 + 1 + 3


def test_a_config_gathers_what_is_timed_and_what_its_grids_leave_out():
    """A grid is timed unless it says otherwise."""
    given = [
        {"name": f"grid-{C}", "data": "mnist", "C": C, "algorithms": {"sgd": {}}} | more
        for C, more in ((1, {}), (10, {"timed": True, "loss": ["log", "hinge"]}), (100, {"timed": False}))
    ]
    found = config.config_of({"scale": "tiny", "figures": [], "grids": given})
    assert sorted(spec.C for spec in found.timed) == [1, 10]
    assert found.skipped == [f"grid grid-10: sgd minimises the {SMOOTH} loss: left out with the loss hinge"]


ONE = {"algorithms": {"eg": {}}, "C": 1}


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"algorithms": {"laso": {}}}, "laso needs search, which multiclass problems do not have"),
        (ONE | {"algorithms": {"eg": {}, "laso": {}}}, "left out on mnist; nothing is left of it"),
        (ONE | {"algorithms": {"smo": {}}}, "left out with the loss log, which is compared"),
        (ONE | {"loss": "none"}, "or smoothed-hinge-TAU or softmax-margin loss: left out with the loss none;"),
        (ONE | {"penalty": "l1"}, "eg takes the penalty l2 or elastic-A: left out with the penalty l1;"),
        (
            {"algorithms": {"eg": {}}},
            "eg needs C, the strengths of the penalty to compare, such as C: [0.1, 1, 10]",
        ),
        (ONE | {"penalty": ["l2", "l3"]}, "unknown penalty 'l3': choose l2 or elastic-A or l1 or"),
        ({"algorithms": {"lsao": {}}}, "unknown algorithm 'lsao': did you mean 'laso'?"),
        (ONE | {"data": "minst"}, "unknown data set 'minst': did you mean 'mnist'?"),
        (ONE | {"threads": 5000}, "threads must be 1 or more and at most 1024, not 5000"),
        (ONE | {"C": [10**400]}, "C must be a number above 0, not inf"),
    ],
)
def test_what_cannot_be_is_refused(keys, sentence):
    with pytest.raises(UserError) as error:
        grid(**keys)
    assert str(error.value).startswith("config, grid 'mine': ")
    assert sentence in str(error.value)


def test_paths_are_those_of_the_folder_that_one_is_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("config").mkdir()
    Path("config", "digits.txt").write_text("a 1:1\nb 2:1\n")
    given = {"C": [1], "algorithms": {"eg": {}}}
    with pytest.raises(UserError) as error:
        grid(data=["svmlight:digits.txt"], **given)
    assert "there is no file 'digits.txt': did you mean 'config/digits.txt'? paths are" in str(error.value)
    with pytest.raises(UserError, match=r"there is no file 'none\.txt': paths are relative"):
        grid(data=["svmlight:config/digits.txt"], test="none.txt", **given)
    made = grid(data=["svmlight:config/digits.txt"], test="config/digits.txt", **given)
    file = f"{tmp_path}/config/digits.txt"
    assert [(spec.data.text, spec.test) for spec in made.specs] == [(f"svmlight:{file}", file)]


@pytest.mark.parametrize("algorithm", [name for name in catalogue.algorithms() if name != "lapm3n"])
def test_every_algorithm_has_its_place_in_a_grid(algorithm):
    """With all losses and penalties there are, on a problem of every structure."""
    penalties = [penalty.replace("-A", "-0.50") for penalty in declaration.PENALTIES if "LAMBDA" not in penalty]
    data = ["mnist", CHAIN, SEGMENTS, JOINT, FOREST]
    losses = [*family.loss_names(), "none"]
    losses[2] = "smoothed-hinge-0.50"
    made = grid(data=data, loss=losses, penalty=penalties, C=[1, 2], algorithms={algorithm: {}})
    assert {family.kind(spec.loss) for spec in made.specs} == {*catalogue.losses(algorithm, {})}
    assert {declaration.numberless(spec.penalty) for spec in made.specs} == {*catalogue.penalties(algorithm)}


def test_more_folds_than_a_small_file_has_examples_are_refused_before_any_run(tmp_path):
    file = tmp_path / "digits.txt"
    file.write_text("a 1:1\nb 2:1\n" * 5)
    with pytest.raises(UserError, match="99 folds of 10 training examples: choose 2 to 10 folds"):
        grid(data=[f"svmlight:{file}"], C=[1], algorithms={"eg": {}}, cv=99)
    assert len(grid(data=[f"svmlight:{file}"], C=[1], algorithms={"eg": {}}, cv=10).specs) == 10
