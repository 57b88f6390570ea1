"""Builders refuse what inference cannot produce and numbers out of range, in one sentence, whatever is wrong."""

import numpy as np
import pytest

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import dependency, nonprojective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.algorithms.structures.structure_types import structure_types
from tests.algorithms.builders import BUILDERS, HEADS, rows

every_builder = pytest.mark.parametrize("name", BUILDERS)
NO_INDEX = (-7, 2**31, 2**32, -(2**32), 2**40 + 1, 0.5, np.nan, np.inf)  # 2^32 is 0 in 32 bits


def built(name: str, **changed):
    """From what is given for the builder, but for what is given in its place; lists become arrays."""
    given = BUILDERS[name].given | changed
    return BUILDERS[name].build(
        **{which: np.array(each) if isinstance(each, list) else each for which, each in given.items()}
    )


def refused(name: str, **changed) -> str:
    with pytest.raises(UserError) as error:
        built(name, **changed)
    return str(error.value)


def with_entry(given, at, value) -> np.ndarray:
    changed = np.array(given, np.result_type(np.array(given), np.asarray(value)))
    changed[at] = value
    return changed


def test_every_structure_has_its_builders_tried():
    own = {each.id for each in structure_types().values() if each.__module__.startswith("structbench.")}
    assert own <= {name.removesuffix("-pieces").removesuffix("-learned") for name in BUILDERS}


@every_builder
def test_no_examples_are_an_empty_structure_and_others_than_there_are_none(name):
    split = built(name)
    if not parts.has(split, parts.take):
        return
    for none in ([], np.empty(0), np.empty(0, np.int64)):
        taken = parts.take(split, none)
        assert type(taken) is type(split)
        assert parts.num_examples(taken) == parts.num_examples(parts.take(taken, none)) == 0
        assert parts.num_weights(taken) == parts.num_weights(split)
    if parts.has(split, parts.add_expected_features):
        w = np.ones(parts.num_weights(split))
        assert parts.offsets(taken).tolist() == [0]
        parts.add_expected_features(taken, 0, parts.offsets(taken), np.empty(0), w)
        assert (w == 1).all()
        assert [len(each) for each in predictions(taken, w)] == [0, 0, 1]
    for wrong in (-1, parts.num_examples(split), 0.5):
        with pytest.raises(UserError, match=f"number of chosen example 1 .* not {wrong}"):
            parts.take(split, [0, wrong])
    with pytest.raises(UserError, match="numbers, not flags"):
        parts.take(split, np.ones(parts.num_examples(split), bool))


@every_builder
def test_a_number_out_of_its_range_is_refused_by_its_value(name):
    builder = BUILDERS[name]
    for which, (least, most) in builder.ranges.items():
        given = np.array(builder.given[which])
        bounds = (np.broadcast_to(bound, given.shape) for bound in (least, most))
        for at, low, high in zip(np.ndindex(given.shape), *(each.ravel() for each in bounds), strict=True):
            for value in (low - 1, high + 1, *NO_INDEX):
                message = refused(name, **{which: with_entry(given, at, value)})
                assert str(value) in message or which == "first"  # that of a hypergraph has to rise as a whole


@every_builder
def test_arrays_of_other_lengths_or_dimensions_are_refused(name):
    builder = BUILDERS[name]
    if "x" in builder.given:
        refused(name, x=rows(ft.shape(builder.given["x"])[0] + 1))
    for which in builder.counted:
        given = np.array(builder.given[which])
        for other in (np.concatenate([given, given[-1:]]), given[:-1], given[None], given[..., None]):
            refused(name, **{which: other})
    for which in builder.lengths:
        lengths = np.array(builder.given[which])
        for i in range(len(lengths)):
            same_sum = with_entry(with_entry(lengths, i, lengths.sum() + 1), i - 1, -1)
            wild = [with_entry(lengths, i, value) for value in NO_INDEX]
            for wrong in (with_entry(lengths, i, lengths[i] + 1), same_sum, *wild, lengths[:-1], lengths[None]):
                refused(name, **{which: wrong})


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [(name, *each) for name, builder in BUILDERS.items() for each in builder.refused],
)
def test_what_is_no_output_is_refused_with_its_place(name, changed, message):
    with pytest.raises(UserError, match=message):
        built(name, **changed)


def test_trees_that_inference_cannot_produce_may_be_what_errors_are_counted_against():
    """A test split holds such; losses count against ``training_heads``."""
    for name in ("dependency-learned", "nonprojective-learned"):
        split = built(name)
        assert split.y.tolist() == BUILDERS[name].given["heads"]
        assert split.training_heads.tolist() == HEADS
    crossing, two_roots = np.array([3, 4, 0, 3]), np.array([0, 0, 2])
    assert nonprojective.build(rows(16), np.array([4]), crossing).training_heads.tolist() == [*crossing]
    for build in (dependency.build, nonprojective.build):
        assert build(rows(9), np.array([3]), two_roots, single_root=False).training_heads.tolist() == [*two_roots]
