"""Builders refuse what inference cannot produce and numbers out of range, in one sentence, whatever is wrong."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import dependency, nonprojective
from structbench.algorithms.structures import features as ft
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.prediction import predictions
from structbench.algorithms.structures.structure_types import structure_types
from tests.algorithms.builders import BUILDERS
from tests.algorithms.building import Arguments, Builder, rows, with_entry

every_builder = pytest.mark.parametrize("name", BUILDERS)
some = settings(max_examples=15, deadline=None, derandomize=True)
seeds = st.integers(0, 2**32 - 1).map(np.random.default_rng)
NO_INDEX = (-7, 2**31, 2**32, -(2**32), 2**40 + 1, 0.5, np.nan, np.inf)  # 2^32 is 0 in 32 bits


def test_every_structure_has_its_builders_tried():
    own = {each.id for each in structure_types().values() if each.__module__.startswith("structbench.")}
    assert own <= {name.removesuffix("-pieces").removesuffix("-learned") for name in BUILDERS}


@every_builder
@some
@given(seeds)
def test_what_is_drawn_is_taken(name, rng):
    BUILDERS[name].build(**BUILDERS[name].drawn(rng))


@every_builder
def test_no_examples_are_an_empty_structure_and_others_than_there_are_none(name):
    builder = BUILDERS[name]
    split = builder.build(**builder.drawn(np.random.default_rng(0)))
    if not parts.has(split, parts.take):
        return
    for none in ([], np.empty(0), np.empty(0, np.int64)):
        taken = parts.take(split, none)
        assert type(taken) is type(split)
        assert parts.num_examples(taken) == parts.num_examples(parts.take(taken, none)) == 0
        assert parts.num_weights(taken) == parts.num_weights(split)
    if parts.has(split, parts.offsets):
        w = np.ones(parts.num_weights(split))
        assert parts.offsets(taken).tolist() == [0]
        parts.add_expected_features(taken, parts.offsets(taken), np.empty(0), w)
        assert (w == 1).all()
        assert [len(each) for each in predictions(taken, w)] == [0, 0, 1]
    for wrong in (-1, parts.num_examples(split), 0.5):
        with pytest.raises(UserError, match=f"number of chosen example 1 .* not {wrong}"):
            parts.take(split, [0, wrong])
    with pytest.raises(UserError, match="numbers, not flags"):
        parts.take(split, np.ones(parts.num_examples(split), bool))


def refused(builder: Builder, arguments: Arguments) -> str:
    with pytest.raises(UserError) as error:
        builder.build(**arguments)
    return str(error.value)


@every_builder
@some
@given(seeds, st.data())
def test_a_number_out_of_its_range_is_refused_by_its_value(name, rng, data):
    builder = BUILDERS[name]
    arguments = builder.drawn(rng)
    ranges = {which: each for which, each in builder.ranges(arguments).items() if np.size(arguments[which])}
    which = data.draw(st.sampled_from(sorted(ranges)))
    array = np.array(arguments[which])
    at = np.unravel_index(data.draw(st.integers(0, array.size - 1)), array.shape)
    least, most = (np.broadcast_to(bound, array.shape)[at] for bound in ranges[which])
    value = data.draw(st.sampled_from([least - 1, most + 1, *NO_INDEX]))
    message = refused(builder, arguments | {which: with_entry(array, at, value)})
    assert str(value) in message or which == "first"  # that of a hypergraph has to rise as a whole


@every_builder
@some
@given(seeds, st.data())
def test_arrays_of_other_lengths_or_dimensions_are_refused(name, rng, data):
    builder = BUILDERS[name]
    arguments = builder.drawn(rng)
    if "x" in arguments:
        refused(builder, arguments | {"x": rows(ft.shape(arguments["x"])[0] + 1)})
    for which in builder.counted:
        array = np.array(arguments[which])
        others = [np.concatenate([array, array[-1:]]), array[:-1], array[None], array[..., None]]
        refused(builder, arguments | {which: data.draw(st.sampled_from([each for each in others if each.size]))})


@pytest.mark.parametrize("name", [name for name, builder in BUILDERS.items() if builder.lengths])
@some
@given(seeds, st.data())
def test_lengths_that_do_not_fit_are_refused(name, rng, data):
    builder = BUILDERS[name]
    arguments = builder.drawn(rng)
    for which in builder.lengths:
        lengths = np.array(arguments[which])
        i = data.draw(st.integers(0, len(lengths) - 1))
        other = (i + 1) % len(lengths)
        one_more = with_entry(lengths, i, lengths[i] + 1)
        same_sum = with_entry(with_entry(lengths, i, lengths[i] + lengths[other] + 1), other, -1)
        wild = with_entry(lengths, i, data.draw(st.sampled_from(NO_INDEX)))
        for wrong in (one_more, same_sum, wild, lengths[:-1], lengths[None]):
            refused(builder, arguments | {which: wrong})


faults = [(name, fault) for name, builder in BUILDERS.items() for fault in builder.spoilt]


@pytest.mark.parametrize(("name", "fault"), faults)
def test_what_no_output_is(name, fault):
    builder = BUILDERS[name]
    for seed in range(3):
        refused(builder, builder.spoilt[fault](builder.drawn(np.random.default_rng(seed))))


def test_trees_that_inference_cannot_produce_may_be_what_errors_are_counted_against():
    """A test split holds such; losses count against ``training_heads``."""
    crossing, two_roots = np.array([3, 4, 0, 3]), np.array([0, 0, 2])
    split = dependency.build(rows(16), [4], crossing, training_heads=np.array([3, 3, 0, 3]))
    assert split.y.tolist() == [3, 4, 0, 3]
    assert nonprojective.build(rows(16), [4], crossing).training_heads.tolist() == [3, 4, 0, 3]
    for build in (dependency.build, nonprojective.build):
        assert build(rows(9), [3], two_roots, training_heads=np.array([0, 1, 2])).y.tolist() == [0, 0, 2]
        assert build(rows(9), [3], two_roots, single_root=False).training_heads.tolist() == [0, 0, 2]
    with pytest.raises(UserError, match=r"training_heads of sentence 0 must be projective, .* 3 -> 1 and 4 -> 2"):
        dependency.build(rows(16), [4], crossing, training_heads=crossing)
