"""Structures by their ids: named as their files are, with the capabilities that their operations give them."""

from types import SimpleNamespace
from typing import Any, NamedTuple, cast, get_type_hints

import numpy as np
import pytest

from structbench.algorithms.runtime.arrays import Floats, Ints
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.modules import ROOT
from structbench.algorithms.structures import compiled, handles, layouts
from structbench.algorithms.structures.compiled import OPERATIONS, capabilities
from structbench.algorithms.structures.kernel_only import KernelOnly
from structbench.algorithms.structures.part_rows import PartRows
from structbench.algorithms.structures.structure_types import structure_types
from tests.algorithms.oracle import STRUCTURES, case
from tests.narrowing import not_none

SPLITS = {name: case(name).split for name in STRUCTURES}
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


def test_structures_share_the_operations_of_their_layouts():
    """Each with one entry of machine code, and without a layout's name among the structures."""
    kinds = OWN["tree"], OWN["field"], OWN["chain"]
    for name, names in {"scores": ["Labelled"], "argmax": ["Graph", "Chain"]}.items():
        assert {not_none(OPERATIONS[name].owner(kind)).__name__ for kind in kinds} == {*names}
    assert not layouts.LAYOUTS & {*structure_types().values()}


def test_a_layout_that_does_not_fit_is_said():
    rows, other = (get_type_hints(kind, include_extras=True) for kind in (PartRows, KernelOnly))
    for fields, its, said in (
        ({"x": Floats, "y": Ints}, (PartRows,), "Odd must have all fields of PartRows, of the same types"),
        (rows | {"x": Floats}, (PartRows,), "of the same types"),
        (rows | other, (PartRows, KernelOnly), "one of its layouts must have all fields of the others, and first"),
    ):
        odd: Any = NamedTuple("Odd", fields.items())
        odd.layouts = its
        with pytest.raises(UserError, match=said):
            layouts.lineage(odd)


def test_kept_machine_code_is_of_one_order_of_fields():
    """A layout changes where a structure's fields lie in memory, although their declaration stays."""
    fields = [("x", Floats), ("y", Ints)]
    plain, laid, last = (cast(Any, NamedTuple("Odd", each)) for each in (fields, fields, fields[1:]))
    laid.layouts = (last,)
    assert layouts.declared(plain) == layouts.declared(laid)
    assert handles.in_memory(plain) != handles.in_memory(laid)


def test_counts_are_those_of_one_example_for_arrays_of_examples():
    for name, split in SPLITS.items():
        handle = handles.StructureHandle(split)
        for each in compiled.COUNTS[1:]:
            if each.of(type(split)):
                one_by_one = [each(split, i) for i in range(OPERATIONS["num_examples"](split))]
                rows = handle._counts[each.slot : each.slot + each.width]
                assert rows.T.tolist() == np.reshape(one_by_one, rows.T.shape).tolist(), (name, each.__name__)


def test_an_operation_with_a_default_is_that_of_all_structures_with_its_capability():
    both = OPERATIONS["add_features_if_short"]
    assert OWN["segments"] not in both.implementations and both.of(OWN["segments"]) is both.default
    assert both.of(OWN["dependency"]) is both.implementations[PartRows] is not both.default
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
    ours = [name for name, each in OPERATIONS.items() if each.__module__.startswith("structbench.")]
    storage = {"prefetch", "in_float32", "with_threshold", "num_packed", "pack", "unpack"}  # they find nothing
    assert len({*ours} - storage) <= 40
