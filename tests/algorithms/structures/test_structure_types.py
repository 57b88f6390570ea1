"""Structures by their ids: named as their files are, with the capabilities that their operations give them."""

from types import SimpleNamespace

import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.algorithms.structures import compiled
from structbench.algorithms.structures.compiled import OPERATIONS, capabilities
from structbench.algorithms.structures.structure_types import structure_types

OWN = {name: kind for name, kind in structure_types().items() if kind.__module__.startswith("structbench.")}


def test_ids_are_the_names_of_files_or_folders():
    assert len(OWN) >= 4
    for name, kind in OWN.items():
        place = kind.__module__.split(".")[3]
        assert name == place.replace("_", "-")
        room = ROOT / "algorithms" / "structures"
        assert (room / f"{place}.py").is_file() or (room / place).is_dir()


def test_two_structures_of_one_id_are_told_apart(monkeypatch):
    first = OPERATIONS["num_examples"]
    twin = type("Twin", (SimpleNamespace,), {"id": "chain"})
    monkeypatch.setattr(first, "implementations", first.implementations | {twin: len})
    with pytest.raises(UserError, match="two structures have the id chain"):
        structure_types()


def test_capabilities_are_those_all_of_whose_operations_there_are_and_missing_ones_are_named(monkeypatch):
    chain = OWN["chain"]
    assert {"examples", "parts", "argmax", "marginals", "cliques", "search"} <= capabilities(chain)
    assert "single decisions" not in capabilities(chain)
    assert capabilities(OWN["joint"]) == {"examples", "search"}
    assert compiled.missing_operations(chain, "cliques") == compiled.missing_operations(chain, "choices") == []
    separators = OPERATIONS["separators"]
    less = {kind: made for kind, made in separators.implementations.items() if kind is not chain}
    monkeypatch.setattr(separators, "implementations", less)
    compiled.capabilities.cache_clear()
    try:
        assert "cliques" not in capabilities(chain) and "argmax" in capabilities(chain)
        assert compiled.missing_operations(chain, "cliques") == ["separators"]
    finally:
        compiled.capabilities.cache_clear()


def test_an_operation_with_a_default_is_that_of_all_structures_with_its_capability():
    both = OPERATIONS["add_features_if_short"]
    assert OWN["chain"] not in both.implementations and both.of(OWN["chain"]) is both.default
    assert both.of(OWN["dependency"]) is both.implementations[OWN["dependency"]] is not both.default
    assert "parts" not in capabilities(OWN["joint"]) and both.of(OWN["joint"]) is None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "Odd must have an id of small letters and hyphens, .*, not None"),
        ({"id": "My_Own"}, "not 'My_Own'"),
        ({"id": "odd"}, r"scores must take 4 arguments \(structure, i, w, out\), not \(m\)"),
        ({"id": "odd", "name": "entropies"}, "Odd: entropies is the name of no operation"),
    ],
)
def test_a_bad_id_name_or_signature_is_said(given, said):
    def scores(m):
        """Too few arguments."""

    scores.__name__ = given.get("name", "scores")
    with pytest.raises(UserError, match=said):
        compiled.implements(type("Odd", (), given))(scores)


def test_there_are_few_operations():
    """Derive a new one from those there are, by a kernel, or replace one."""
    assert len([each for each in OPERATIONS.values() if each.__module__.startswith("structbench.")]) <= 40
