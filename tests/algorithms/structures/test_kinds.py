"""Ids of structures, and what each can do."""

import pytest

from algorithms.structures import compiled, kinds
from algorithms.structures.compiled import OPERATIONS


def test_ids_are_the_names_of_files_and_folders():
    ours = {id: kind for id, kind in kinds.kinds().items() if kind.__module__.startswith("algorithms.structures.")}
    assert {"chain", "joint", "multiclass", "segments"} <= ours.keys()
    for id, kind in ours.items():
        assert kind.__module__.split(".")[2].replace("_", "-") == id


def test_two_structures_of_one_id_are_refused(monkeypatch):
    class Another:
        id = "chain"

    scores = OPERATIONS["scores"]
    monkeypatch.setattr(scores, "implementations", {**scores.implementations, Another: lambda: None})
    with pytest.raises(ValueError, match="two structures have the id chain"):
        kinds.kinds()


def test_a_capability_needs_all_of_its_operations(monkeypatch):
    multiclass = kinds.kinds()["multiclass"]
    assert "marginals" in compiled.capabilities(multiclass)
    assert "label sequences" not in compiled.capabilities(multiclass)
    monkeypatch.setattr(OPERATIONS["touched"], "implementations", {})
    monkeypatch.setattr(compiled, "capabilities", compiled.capabilities.__wrapped__)
    assert "parts" not in compiled.capabilities(multiclass)
