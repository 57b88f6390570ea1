"""Which runs a grid has: every combination that its algorithms have, once, and a sentence on what is left out."""

from pathlib import Path

import pytest

from structbench import datasets
from structbench.algorithms.learning import declaration
from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import catalogue
from structbench.bench.workflow import config, grids, schema

CHAIN, SEGMENTS, JOINT, FOREST = (
    f"toy-english:task={task}" for task in ("chunks", "segments", "joint", "brackets")
)
SMOOTH = "log or smoothed-hinge-TAU or softmax-margin"


def grid(**keys):
    """A grid as the config of a user has it."""
    given = {"name": "mine", "data": ["mnist"], **keys}
    (checked,) = schema.checked({"scale": "tiny", "figures": [], "grids": [given]})["grids"]
    return grids.expand(checked)


def keys_of(made):
    return [spec.key for spec in made.specs]


def test_all_combinations_of_the_lists():
    made = grid(
        data=["mnist", "ocr"], loss=["log", "hinge"], C=[1, 10], algorithms={"eg": {"order": ["random", "cyclic"]}}
    )
    assert len({spec.key for spec in made.specs}) == 2 * 2 * 2 * 2
    assert made.skipped == ()


def test_a_mistake_driven_algorithm_needs_neither_loss_nor_C():
    made = grid(data=["toy-english"], algorithms={"laso": {"beam": [1, 5], "update": ["alma"]}}, seeds=[0, 1])
    assert keys_of(made) == [
        "toy-english__none__laso:beam=1,update=alma",
        "toy-english__none__laso:beam=1,update=alma__seed=1",
        "toy-english__none__laso:update=alma",
        "toy-english__none__laso:update=alma__seed=1",
    ]
    assert made.skipped == ()
    assert keys_of(grid(data=["toy-english"], loss=["none"], algorithms={"laso": {}})) == [
        "toy-english__none__laso"
    ]


def test_a_mistake_driven_algorithm_joins_a_comparison_once():
    made = grid(
        data=["toy-english"], loss=["log", "hinge"], penalty=["l2"], C=[1, 10], algorithms={"laso": {}, "eg": {}}
    )
    assert [key for key in keys_of(made) if "laso" in key] == ["toy-english__none__laso"]
    assert len(made.specs) == 1 + 4
    assert made.skipped == ("grid mine: laso minimises no loss: it is run once, without loss, penalty and C",)


def test_its_own_parameter_C_is_a_parameter():
    made = grid(data=["ocr"], algorithms={"laso": {"C": [1, 2], "update": ["alma"]}})
    assert [dict(spec.params)["C"] for spec in made.specs] == [1, 2]
    assert {spec.C for spec in made.specs} == {1.0}


def test_losses_that_an_algorithm_has_not_are_left_out():
    made = grid(loss=["log", "hinge"], C=[1, 10], algorithms={"eg": {}, "smo": {}, "sgd": {}})
    assert sorted({(spec.algorithm, spec.loss) for spec in made.specs}) == [
        ("eg", "hinge"),
        ("eg", "log"),
        ("sgd", "log"),
        ("smo", "hinge"),
    ]
    assert made.skipped == (
        "grid mine: smo minimises the hinge loss: left out with the loss log",
        f"grid mine: sgd minimises the {SMOOTH} loss: left out with the loss hinge",
    )


def test_losses_that_an_algorithm_has_with_some_parameters_only():
    made = grid(data=["ocr"], loss=["log", "hinge"], C=[1], algorithms={"crfsuite": {"method": ["lbfgs", "pa"]}})
    assert sorted((dict(spec.params)["method"], spec.loss) for spec in made.specs) == [
        ("lbfgs", "log"),
        ("pa", "hinge"),
        ("pa", "log"),
    ]
    assert made.skipped == (
        "grid mine: crfsuite with method=lbfgs minimises the log loss: left out with the loss hinge",
    )


def test_penalties_that_an_algorithm_has_not_are_left_out():
    made = grid(penalty=["l1", "l2"], C=[1], algorithms={"owl-qn": {}, "lbfgs": {}})
    assert [(spec.algorithm, spec.penalty) for spec in made.specs] == [
        ("owl-qn", "l1"),
        ("owl-qn", "l2"),
        ("lbfgs", "l2"),
    ]
    assert made.skipped == ("grid mine: lbfgs takes the penalty l2 or none: left out with the penalty l1",)


def test_without_a_penalty_there_is_no_C():
    made = grid(penalty=["none", "l2"], C=[5, 10], algorithms={"lbfgs": {}})
    assert [(spec.penalty, spec.C) for spec in made.specs] == [("none", 1.0), ("l2", 5.0), ("l2", 10.0)]
    assert made.skipped == ("grid mine: lbfgs has no C with the penalty none: it is run once",)
    assert keys_of(grid(penalty=["none"], algorithms={"lbfgs": {}})) == ["mnist__log__C=1__lbfgs__penalty=none"]


def test_data_that_an_algorithm_cannot_learn_are_left_out():
    made = grid(
        data=["mnist", CHAIN, SEGMENTS, JOINT],
        C=[1],
        algorithms={"laso": {}, "smo": {}, "eg-qp": {}},
        loss="hinge",
    )
    assert sorted((spec.algorithm, spec.data) for spec in made.specs) == sorted(
        [
            *(("laso", datasets.canonical(data)) for data in (CHAIN, SEGMENTS, JOINT)),
            *(("smo", datasets.canonical(data)) for data in ("mnist", CHAIN, SEGMENTS)),
            ("eg-qp", "mnist"),
        ]
    )
    assert len(made.skipped) == 1 + 1 + 1 + 3
    begins = "grid mine: laso needs search, which multiclass problems do not have but "
    assert any(said.startswith(begins) and said.endswith("left out on mnist") for said in made.skipped)


def test_settings_that_do_not_fit_the_data_are_left_out_by_name():
    made = grid(data=[JOINT, "ocr"], algorithms={"laso": {"beam": ["inf", 5]}})
    assert [(spec.data, dict(spec.params)["beam"]) for spec in made.specs] == [
        ("ocr", "inf"),
        (JOINT, 5),
        ("ocr", 5),
    ]
    (said,) = made.skipped
    assert said.startswith("grid mine: laso with beam=inf needs parts, argmax and marginals, which joint problems")
    assert said.endswith(f": left out on {JOINT}")


def test_a_sentence_lists_a_few_and_counts_the_rest():
    made = grid(data=[f"mnist:train={n}" for n in range(10, 70, 10)] + ["ocr"], algorithms={"laso": {}})
    (said,) = made.skipped
    assert said.endswith("left out on mnist:train=10, mnist:train=20, mnist:train=30, mnist:train=40 and 2 more")


def test_an_algorithm_that_draws_nothing_has_one_seed():
    made = grid(C=[1], seeds=[3, 4], algorithms={"lbfgs": {}, "sgd": {}})
    assert [(spec.algorithm, spec.seed) for spec in made.specs] == [("lbfgs", 3), ("sgd", 3), ("sgd", 4)]
    assert made.skipped == ("grid mine: lbfgs draws nothing at random: it has the seed 3 alone",)


def test_each_run_is_made_once():
    made = grid(
        data=["mnist", "mnist:train=59000"],
        C=[1, 1.0, "1e0"],
        seeds=[0, 0],
        algorithms={"eg": {"order": ["random", "random"]}},
    )
    assert keys_of(made) == ["mnist__log__C=1__eg"]


def test_a_grid_is_timed_unless_it_says_otherwise():
    grids = [
        {"name": f"grid-{C}", "data": "mnist", "C": C, "algorithms": {"eg": {}}} | more
        for C, more in ((1, {}), (10, {"timed": True}), (100, {"timed": False}))
    ]
    timed = config.of({"scale": "tiny", "figures": [], "grids": grids}).timed
    assert sorted(spec.C for spec in timed) == [1, 10]


def test_a_config_gathers_what_its_grids_leave_out():
    given = {"name": "mine", "data": "mnist", "loss": ["log", "hinge"], "C": 1, "algorithms": {"sgd": {}}}
    found = config.of({"scale": "tiny", "figures": [], "grids": [given]})
    assert found.skipped == [f"grid mine: sgd minimises the {SMOOTH} loss: left out with the loss hinge"]


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"algorithms": {"laso": {}}}, "laso needs search, which multiclass problems do not have"),
        ({"algorithms": {"laso": {}}}, "left out on mnist; nothing is left of it"),
        ({"algorithms": {"eg": {}, "laso": {}}, "C": 1}, "; nothing is left of it"),
        (
            {"algorithms": {"smo": {}}, "C": 1},
            "smo minimises the hinge loss: left out with the loss log, which is compared",
        ),
        (
            {"algorithms": {"eg": {}}, "loss": "none"},
            "or smoothed-hinge-TAU or softmax-margin loss: left out with the loss none;",
        ),
        (
            {"algorithms": {"eg": {}}, "penalty": "l1", "C": 1},
            "eg takes the penalty l2: left out with the penalty l1;",
        ),
        (
            {"algorithms": {"eg": {}}},
            "eg needs C, the strengths of the penalty to compare, such as C: [0.1, 1, 10]",
        ),
        ({"algorithms": {"eg": {}}, "penalty": ["l2", "l3"], "C": 1}, "unknown penalty 'l3': choose l2 or l1 or"),
        ({"algorithms": {"lapm3n": {}}, "loss": "hinge", "C": 1}, "needs a number above 0, such as laplace-100"),
        ({"algorithms": {"eg": {}}, "loss": "lag", "C": 1}, "unknown loss 'lag': did you mean 'log'?"),
        ({"algorithms": {"lsao": {}}}, "unknown algorithm 'lsao': did you mean 'laso'?"),
        ({"algorithms": {"laso": {"baem": [1]}}}, "algorithm laso has no option 'baem': did you mean 'beam'?"),
        ({"algorithms": {"laso": {"beam": [0]}}}, "algorithm laso: beam (or inf) must be at least 1, not '0'"),
        (
            {"algorithms": {"eg": {"order": ["rndm"]}}, "C": 1},
            "order must be one of random, permuted, cyclic, gap, not",
        ),
        ({"algorithms": {"eg": {}}, "C": 1, "data": "minst"}, "unknown data set 'minst': did you mean 'mnist'?"),
        ({"algorithms": {"eg": {}}, "C": 1, "data": "mnist:trian=5"}, "did you mean 'train'?"),
        (
            {"algorithms": {"eg": {}}, "C": 1, "test": "x"},
            "data set mnist has its own test split: it takes no test file",
        ),
        (
            {"algorithms": {"eg": {}}, "C": 1, "threads": 5000},
            "threads must be 1 or more and at most 1024, not 5000",
        ),
        ({"algorithms": {"eg": {}}, "C": 1, "passes": float("inf")}, "passes must be above 0, not inf"),
        ({"algorithms": {"eg": {}}, "C": [10**400]}, "C must be a number above 0, not inf"),
        (
            {"algorithms": {"one-slack": {"patience": 10**400}}, "C": 1, "loss": "hinge"},
            "patience must be finite, not",
        ),
        ({"algorithms": {"eg": {}}, "C": [float("inf")]}, "C must be a number above 0, not inf"),
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
    assert "there is no file 'digits.txt': did you mean 'config/digits.txt'? paths are relative to" in str(
        error.value
    )
    with pytest.raises(UserError, match=r"there is no file 'none\.txt': paths are relative"):
        grid(data=["svmlight:config/digits.txt"], test="none.txt", **given)
    made = grid(data=["svmlight:config/digits.txt"], test="config/digits.txt", **given)
    assert [(spec.data, spec.test) for spec in made.specs] == [("svmlight:config/digits.txt", "config/digits.txt")]


@pytest.mark.parametrize("algorithm", [name for name in catalogue.algorithms() if name != "lapm3n"])
def test_every_algorithm_has_its_place_in_a_grid(algorithm):
    """With all losses and penalties there are, on a problem of every structure."""
    penalties = [penalty for penalty in declaration.PENALTIES if "LAMBDA" not in penalty]
    data = ["mnist", CHAIN, SEGMENTS, JOINT, FOREST]
    losses = [*family.names(), "none"]
    losses[2] = "smoothed-hinge-0.50"
    made = grid(data=data, loss=losses, penalty=penalties, C=[1, 2], algorithms={algorithm: {}})
    assert {family.kind(spec.loss) for spec in made.specs} == {*catalogue.losses(algorithm, {})}
    assert {spec.penalty for spec in made.specs} == {*catalogue.penalties(algorithm)}
