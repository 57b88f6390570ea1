"""Structures behind pointers: what is refused, in a sentence or when a kernel is compiled, what stays alive."""

import gc
import json
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from structbench.algorithms.runtime.arrays import Floats
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.kernel import kernel
from structbench.algorithms.structures import interface as parts
from structbench.algorithms.structures.compiled import capabilities, implements
from structbench.algorithms.structures.handles import StructureHandle
from tests.algorithms.oracle import case


class Shelf(NamedTuple):
    """A few operations, no more."""

    sizes: Floats

    id = "shelf"


@implements(Shelf)
def num_examples(shelf):
    return shelf.sizes.shape[0]


@implements(Shelf)
def scores(shelf, i, w, out):
    for r in range(out.shape[0]):
        out[r] = shelf.sizes[i] * w[r]


@implements(Shelf)
def k_best(shelf, i, s, Y, values):
    return 7


@implements(Shelf)
def squared_norm(shelf, i, mu):
    return np.inf


@implements(Shelf)
def add_features(shelf, i, c, mu, w):
    w[:] = np.inf


@implements(Shelf)
def add_features_if_short(shelf, i, c, mu, along, limit, w):
    return 5.0


@kernel
def added(split, w):
    return parts.add_features_if_short(split, 0, 1.0, w, 0.0, 1.0, w)


@kernel
def best(split, Y, s):
    return parts.k_best(split, 0, s, Y, s)


@kernel
def scored(split, i, w, out):
    parts.scores(split, i, w, out)
    return parts.num_examples(split)


@kernel
def asks_for_more(split, i, w, out):
    return scored(split, i, w, out) + parts.argmax(split, i, w, out) + parts.num_parts(split, i)


def shelf(*sizes: float) -> StructureHandle:
    return parts.compiled(Shelf(np.array(sizes)))


def test_a_structure_that_lacks_an_operation_is_refused_by_the_kernels_that_reach_it():
    out = np.empty(2)
    assert scored(shelf(2.0, 3.0), 1, np.array([1.0, 10.0]), out) == 2
    assert out.tolist() == [3.0, 30.0]
    with pytest.raises(TypeError, match=r"Shelf does not implement (argmax, num_parts|num_parts, argmax), which"):
        asks_for_more(shelf(2.0), 0, np.ones(2), out)
    assert capabilities(Shelf) == {"k-best"}


def test_kernels_are_compiled_once_for_all_structures():
    out = np.empty(3)
    scored(shelf(2.0, 3.0), 1, np.ones(3), out)
    other = case("multiclass-dense").split
    scored(parts.compiled(other), 0, np.ones(parts.num_weights(other)), out)
    np.testing.assert_allclose(out, np.full(3, other.x.dense[0].sum()))
    assert len(scored.dispatcher.overloads) == 1


def test_arrays_of_another_type_or_layout_are_refused():
    """As arguments, when a kernel is compiled, and in a structure."""
    right, wrong = np.ones(2), (np.ones(2, np.float32), np.ones(2, np.int64), np.ones((2, 1)), np.ones(4)[::2])
    for given in [*((each, right) for each in wrong), *((right, each) for each in (*wrong, 1.0))]:
        with pytest.raises(TypingError, match=r"scores: the argument must be array\(float64, 1d, C\)"):
            scored(shelf(2.0), 0, *given)
    for each in wrong:
        with pytest.raises(UserError, match=r"Shelf.sizes must be a contiguous float64 array of 1 dimensions"):
            parts.compiled(Shelf(each))


def test_the_arrays_live_as_long_as_the_split():
    w, out, made = np.ones(1), np.empty(1), [shelf(float(k)) for k in range(200)]
    w.flags.writeable = False  # as good as another
    gc.collect()
    for k, split in enumerate(made):
        np.full(1, -1.0)  # what freed memory would be used for
        scored(split, 0, w, out)
        assert out[0] == k


USES = """
import json, sys
import numpy as np
from structbench.algorithms.runtime import compiling
from tests.algorithms.runtime import test_indirect_calls
heard = set()
with compiling.heard(lambda name, done: heard.add(name)):
    split = test_indirect_calls.shelf(2.0, 3.0)
    test_indirect_calls.scored(split, 1, np.ones(2), np.empty(2))
    found = [test_indirect_calls.best(split, np.empty((1, 1)), np.ones(1)) for _ in sys.argv[1:]]
print(json.dumps([found, sorted(heard)]))
"""


def test_an_operation_is_compiled_for_the_first_kernel_that_asks_for_it_and_kept_for_other_processes(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("STRUCTBENCH_KERNELS", str(tmp_path))
    first, more, again = (process(USES, *words) for words in ((), ("best",), ("best", "best")))
    assert [found for found, _ in (first, more, again)] == [[], [7], [7, 7]]
    names = {name.rpartition(".")[2] for name in first[1]}
    assert "scores_of_Shelf" in names and "num_examples_of_Shelf" not in names  # the handle has the counts
    assert {name.rpartition(".")[2] for name in more[1]} == {"best", "k_best", "k_best_of_Shelf"}
    assert again[1] == []


ADDS = """
import json
import numpy as np
from structbench.algorithms.runtime import compiling
from tests.algorithms.runtime import test_indirect_calls
heard = set()
with compiling.heard(lambda name, done: heard.add(name)):
    square = test_indirect_calls.added(test_indirect_calls.shelf(2.0), np.ones(1))
print(json.dumps([square, sorted(heard)]))
"""


def test_what_only_a_default_calls_is_not_compiled_where_the_structure_replaces_the_default(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_KERNELS", str(tmp_path))
    square, heard = process(ADDS)
    assert square == 5.0
    entrances = {name.rpartition(".")[2] for name in heard if name.endswith("_of_Shelf")}
    assert entrances == {"add_features_if_short_of_Shelf"}


def process(script: str, *words: str) -> list:
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


FIRST = """
import importlib, json, sys
importlib.import_module(sys.argv[1])
import structbench.algorithms.search.problem, algorithms.structures.structure_types
from structbench.algorithms.structures.compiled import OPERATIONS
print(json.dumps([[each.slot, each.__name__] for each in OPERATIONS.values()]))
"""


def test_operations_have_the_same_places_whatever_is_imported_first():
    """Or else a process would not find the kernels that another one kept."""
    modules = ("search.problem", "structures.interface", "structures.forest")
    one, *others = (process(FIRST, f"structbench.algorithms.{module}") for module in modules)
    assert others == [one, one]
