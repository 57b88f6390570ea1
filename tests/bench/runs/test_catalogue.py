"""What is declared of algorithms, with parameters and without; listings and checks read it."""

import pytest

from structbench.algorithms.losses import family
from structbench.algorithms.runtime.errors import UserError
from structbench.bench.runs import algorithm_module, catalogue


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


def test_some_minimise_a_loss_with_some_parameters_only():
    assert catalogue.losses("crfsuite") == catalogue.losses("crfsuite", {"method": "pa"}) == family.names()
    assert catalogue.losses("crfsuite", {}) == ("log",)


def test_what_an_algorithm_lacks_depends_on_its_parameters():
    assert catalogue.lacking("laso", {"beam": 5}, "multiclass") == ["search"]
    assert catalogue.lacking("laso", {"beam": "inf"}, "multiclass") == []
    assert catalogue.lacking("laso", {"beam": "inf"}, "joint") == ["parts", "argmax", "marginals"]
    assert catalogue.lacking("eg", {}, "chain") == []


def test_only_third_party_solvers_gain_nothing_from_threads_unless_they_say_so():
    assert catalogue.uses_threads("eg") and not catalogue.uses_threads("sgd")
    assert not any(
        catalogue.uses_threads(name) for name in catalogue.algorithms() if algorithm_module.is_peer(name)
    )


def test_an_unknown_algorithm_is_a_users_mistake():
    for reading in (algorithm_module.parameters, catalogue.losses, catalogue.label, algorithm_module.algorithm):
        with pytest.raises(UserError, match=r"unknown algorithm 'sdg': did you mean 'sgd'\?"):
            reading("sdg")


def test_structures_are_modules_and_folders():
    assert {"chain", "segments", "multiclass"} <= catalogue.structures().keys()


def test_the_catalogue_says_why_there_are_no_loopy_fields():
    assert "loopy marginals of wider ones certify nothing and are not built" in catalogue.structures()["field"]
