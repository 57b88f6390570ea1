"""What the catalogue reads of modules without importing them is what importing them gives."""

import ast

import pytest

from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import defaults
from structbench.bench.runs import algorithm_files, algorithm_module, catalogue

DECLARED = ("LOSS", "LOSS_WITH", "PENALTIES", "REQUIRES", "LABEL", "DRAWS", "COMPARED", "CONTENDS")


@pytest.mark.parametrize("name", catalogue.algorithms())
def test_modules_declare_what_they_hold(name):
    module = algorithm_module.algorithm(name)
    assert catalogue.parameters(name) == defaults(module.solve)
    for what in DECLARED:
        assert catalogue.declared(name, what, "nothing") == getattr(module, what, "nothing")


@pytest.mark.parametrize("name", catalogue.algorithms())
def test_settings_are_of_parameters_and_losses_that_there_are(name):
    known = catalogue.parameters(name)
    settings = [given for loss in catalogue.losses(name) for given in catalogue.compared(name, loss)]
    for given in (*settings, *catalogue.declared(name, "CONTENDS", ())):
        assert given.keys() <= known.keys()
    when = catalogue.declared(name, "DRAWS", True)
    assert isinstance(when, bool) or when.keys() <= known.keys()


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


@pytest.mark.parametrize("name", catalogue.algorithms())
def test_parameters_only_narrow_the_losses(name):
    for parameter, fewer in catalogue.declared(name, "LOSSES_WITH", {}).items():
        for value, losses in fewer.items():
            assert catalogue.losses(name, {parameter: value}) == losses
            assert {*losses} < {*catalogue.losses(name)}


def test_some_minimise_a_loss_with_some_parameters_only():
    assert catalogue.losses("crfsuite") == catalogue.losses("crfsuite", {"method": "pa"}) == family.names()
    assert catalogue.losses("crfsuite", {}) == ("log",)


def test_what_an_algorithm_lacks_depends_on_its_parameters():
    assert catalogue.lacking("laso", {"beam": 5}, "multiclass") == ["search"]
    assert catalogue.lacking("laso", {"beam": "inf"}, "multiclass") == []
    assert catalogue.lacking("laso", {"beam": "inf"}, "joint") == ["parts", "argmax", "marginals"]
    assert catalogue.lacking("eg", {}, "chain") == []


def test_a_constant_that_is_computed_is_not_taken_for_none(monkeypatch):
    monkeypatch.setattr(algorithm_files, "_module", lambda name: ast.parse("LOSS = str('log')"))
    with pytest.raises(UserError, match=r"algorithms/gradient/sgd\.py:1: LOSS must be written out"):
        catalogue.declared("sgd", "LOSS")


def test_an_unknown_algorithm_is_a_users_mistake():
    for reading in (catalogue.parameters, catalogue.losses, catalogue.label, algorithm_module.algorithm):
        with pytest.raises(UserError, match=r"unknown algorithm 'sdg': did you mean 'sgd'\?"):
            reading("sdg")


def test_structures_are_modules_and_folders():
    assert {"chain", "segments", "multiclass"} <= catalogue.structures().keys()


def test_the_catalogue_says_why_there_are_no_loopy_fields():
    assert "loopy marginals of wider ones certify nothing and are not built" in catalogue.structures()["field"]
