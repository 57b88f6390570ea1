"""What is declared of algorithms, with parameters and without; listings and checks read it."""

from dataclasses import replace

import pytest

from structbench import datasets
from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import algorithm_module, catalogue
from tests.algorithms.oracle import case
from tests.algorithms.searching import joint_case

SPLITS = {
    "joint": joint_case,
    "chain": lambda: case("chain-dense").split,
    "segments": lambda: case("segments-dense").split,
    "multiclass": lambda: case("multiclass-dense").split,
}
SEARCH = "choose from dagger, early-update"


@pytest.mark.parametrize(
    ("name", "params", "draws"),
    [
        ("sgd", {}, True),
        ("lbfgs", {}, False),
        ("subgradient", {}, True),
        ("subgradient", {"mode": "batch"}, False),
        ("crfsuite", {}, False),
        ("crfsuite", {"method": "l2sgd"}, True),
    ],
)
def test_some_draw_at_random_with_some_parameters_only(name, params, draws):
    assert catalogue.draws(name, params) == draws


def test_features_of_0_or_more_are_asked_for_where_they_are_declared(monkeypatch):
    split = datasets.build("toy-points:points=12").train
    catalogue.check_fit("lbfgs", {}, split)
    declared = replace(algorithm_module.declaration("lbfgs"), non_negative=True)
    monkeypatch.setattr(catalogue, "declaration", lambda name: declared)
    with pytest.raises(UserError, match=r"lbfgs.*0 or more"):
        catalogue.check_fit("lbfgs", {}, split)


def test_what_needs_raises_is_a_sentence(monkeypatch):
    declared = replace(algorithm_module.declaration("lbfgs"), needs=lambda **params: {}[params["memory"]])
    monkeypatch.setattr(catalogue, "declaration", lambda name: declared)
    with pytest.raises(UserError, match=r"^needs of lbfgs failed with KeyError: 3"):
        catalogue.check_structure("lbfgs", {"memory": 3}, "multiclass")


def test_some_minimise_a_loss_with_some_parameters_only():
    assert catalogue.losses("crfsuite") == catalogue.losses("crfsuite", {"method": "pa"}) == family.loss_names()
    assert catalogue.losses("crfsuite", {}) == ("log",)


@pytest.mark.parametrize(
    ("structure", "algorithm", "params", "lacking", "said"),
    [
        (
            "joint",
            "eg",
            {},
            ["parts", "argmax", "marginals"],
            "eg needs parts and argmax and marginals, which joint",
        ),
        ("joint", "lbfgs", {}, ["parts", "marginals"], f"which joint problems do not have: {SEARCH}"),
        (
            "joint",
            "laso",
            {"beam": "inf"},
            ["parts", "argmax", "marginals"],
            "laso, beam=inf needs parts and argmax",
        ),
        (
            "joint",
            "laso",
            {"beam": 5, "decode": "inf"},
            ["parts", "argmax"],
            "laso, beam=5, decode=inf needs parts",
        ),
        (
            "joint",
            "early-update",
            {"beam": 5, "decode": "a-star"},
            ["completion bounds"],
            "(with a number for beam and",
        ),
        ("multiclass", "laso", {"beam": 5}, ["search"], "which multiclass problems do not have"),
        ("multiclass", "perceptron", {"beam": "inf", "decode": 4}, ["search"], "decode=4 needs search"),
        (
            "multiclass",
            "perceptron",
            {"beam": "inf", "decode": "a-star"},
            ["search", "completion bounds"],
            "needs search",
        ),
        ("joint", "laso", {"beam": 5, "decode": "same", "compare_at": "steps"}, [], ""),
        ("joint", "laso", {"beam": 5, "decode": 9}, [], ""),
        ("chain", "laso", {"beam": "inf", "decode": "a-star"}, [], ""),
        ("segments", "max-violation", {"beam": 2, "decode": "inf"}, [], ""),
        ("multiclass", "perceptron", {"beam": "inf", "decode": "same"}, [], ""),
        ("multiclass", "eg", {}, [], ""),
    ],
)
def test_what_an_algorithm_lacks_depends_on_its_parameters(structure, algorithm, params, lacking, said):
    assert catalogue.lacking(algorithm, params, structure) == lacking
    if not lacking:
        return catalogue.check_fit(algorithm, params, SPLITS[structure]())
    with pytest.raises(UserError) as error:
        catalogue.check_fit(algorithm, params, SPLITS[structure]())
    assert said in str(error.value) and "choose from " in str(error.value)


def test_algorithms_of_its_own_losses_are_offered_first_and_the_others_counted():
    with pytest.raises(UserError) as error:
        catalogue.check_structure("crfsuite", {}, "multiclass")
    fit = catalogue.fitting("multiclass")
    offered = str(error.value).partition("choose from ")[2].partition(" (")[0].split(", ")
    assert len(offered) == catalogue.SHOWN and f"({len(fit) - catalogue.SHOWN} more: " in str(error.value)
    shared = [not {*catalogue.losses("crfsuite")}.isdisjoint(catalogue.losses(name)) for name in offered]
    assert all(shared) and set(offered) <= set(fit.values())
    assert catalogue.fitting("strings")["kernel-svm"].startswith("kernel-svm (kernel=")


def test_only_third_party_solvers_gain_nothing_from_threads_unless_they_say_so():
    declared = {name: algorithm_module.declaration(name) for name in catalogue.algorithms()}
    assert declared["eg"].threads and not declared["sgd"].threads
    assert {made.threads for made in declared.values() if made.black_box} == {False}


def test_an_unknown_algorithm_is_a_users_mistake():
    for reading in (algorithm_module.parameters, catalogue.losses, catalogue.label, algorithm_module.algorithm):
        with pytest.raises(UserError, match=r"unknown algorithm 'sdg': did you mean 'sgd'\?"):
            reading("sdg")


def test_structures_are_modules_and_folders():
    found = catalogue.structures()
    assert {"chain", "segments", "multiclass"} <= found.keys()
    assert "loopy marginals of wider ones certify nothing and are not built" in found["field"]
