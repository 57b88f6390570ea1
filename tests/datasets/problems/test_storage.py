"""The problem store: what is read is what was written, and a failed or disturbed writing loses nothing."""

import errno
import os

import numpy as np
import pytest
import scipy.sparse as sp
from numba import typeof

from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.structures import features, joint, multiclass
from structbench.algorithms.structures.chain import model as chain
from structbench.datasets.constituency.problem import parsing_problem
from structbench.datasets.problems import storage as store
from structbench.datasets.problems.problem import Problem
from structbench.datasets.text import brackets
from tests.narrowing import not_none

KINDS = ("dense", "sparse", "binary")


def rows(kind, count, columns, rng):
    if kind == "dense":
        return features.dense(rng.normal(size=(count, columns)))
    values = np.where(rng.random((count, columns)) < 0.5, rng.normal(size=(count, columns)), 0)
    return features.sparse(sp.csr_array(values if kind == "sparse" else (values != 0).astype(float)))


def multiclass_problem(kind="sparse", seed=0):
    rng = np.random.default_rng(seed)
    train = multiclass.build(rows(kind, 6, 4, rng), rng.integers(0, 3, 6), 3)
    test = multiclass.build(rows(kind, 2, 4, rng), np.array([-1, 2]), 3)
    return Problem(train, test, ("a", "é", "c"))


def chain_problem(kind, observed):
    rng = np.random.default_rng(1)
    edges = None
    if observed:
        edges = np.ones((6, 2))
        edges[[0, 4]] = 0  # the first tokens
        edges = features.dense(edges)
    train = chain.build(rows(kind, 6, 3, rng), np.array([4, 2]), rng.integers(0, 2, 6), 2, edges)
    return Problem(train, None, ("B-X", "O"), scores=("chunks",))


def joint_problem():
    """Two tags, chunk tags B-X and O."""
    x = rows("binary", 6, 3, np.random.default_rng(2))
    train = joint.build(x, np.array([4, 2]), np.array([0, 1, 2, 3, 1, 0]), 2, 2, np.ones((3, 2), bool))
    return Problem(train, None, ("B-X", "O"), tags=("NN", "."))


def tree_problem():
    """Any structure will do: with punctuation beside it."""
    return multiclass_problem()._replace(labels=(), punctuation=np.arange(8) % 3 == 0)


PROBLEMS = {
    **{f"multiclass, {kind}": lambda kind=kind: multiclass_problem(kind) for kind in KINDS},
    **{f"chain, {kind}": lambda kind=kind: chain_problem(kind, False) for kind in KINDS},
    "chain, observed edges": lambda: chain_problem("dense", True),
    "joint": joint_problem,
    "trees": tree_problem,
    "brackets": lambda: parsing_problem(brackets.read_brackets("(S (NP (NN a)) (VP (VB b) (. .)))", "x"), None),
}


@pytest.fixture(params=PROBLEMS)
def problem(request):
    return PROBLEMS[request.param]()


def leaves(node, path=""):
    if fields := getattr(node, "_fields", ()):
        return {k: v for n in fields for k, v in leaves(getattr(node, n), f"{path}.{n}").items()}
    return {path: node}


def same(left, right):
    left, right = leaves(left), leaves(right)
    assert left.keys() == right.keys()
    for path, leaf in left.items():
        np.testing.assert_array_equal(leaf, right[path], err_msg=path)
        assert np.asarray(leaf).dtype == np.asarray(right[path]).dtype, path


def test_what_is_read_is_what_was_written(problem, tmp_path, monkeypatch):
    """Arrays are mapped, each file once. Kernels see one type: else they would be compiled a second time."""
    folder, files, load = tmp_path / "deep" / "p", [], np.load
    store.save(problem, folder)
    monkeypatch.setattr(store.np, "load", lambda path, **options: files.append(path.name) or load(path, **options))
    read = store.load(folder)
    apart = ["problem.json", *([store.VOCABULARY] if problem.vocabulary else [])]
    assert sorted([*files, *apart]) == sorted(os.listdir(folder))
    assert os.listdir(tmp_path / "deep") == ["p"]
    same(problem._replace(vocabulary=None), read)  # which is apart
    assert typeof(read.train) == typeof(problem.train)
    assert type(read.train) is type(problem.train)
    for path, leaf in leaves(read.train).items():
        default = path in (".costs", ".edge_starts") or (path.endswith(".small") and not len(leaf))
        if isinstance(leaf, np.ndarray) and not default:
            assert isinstance(leaf.base, np.memmap), path
            assert not leaf.flags.writeable, path
    assert store.fingerprint(read) == store.stored_fingerprint(folder) == store.fingerprint(problem)


def test_fingerprint_tells_problems_apart():
    problem = multiclass_problem()
    other_y = problem.train._replace(y=problem.train.y[::-1].copy())
    other_x = problem.train._replace(x=problem.train.x._replace(values=problem.train.x.values + 1e-9))
    all_of_them = [
        problem,
        problem._replace(train=other_y),
        problem._replace(train=other_x),
        problem._replace(train=problem.train._replace(num_labels=4)),
        problem._replace(test=None),
        problem._replace(test=problem.train, train=problem.test),
        problem._replace(labels=("a", "b", "c")),
        problem._replace(tags=("NN",)),
        problem._replace(punctuation=np.zeros(8, bool)),
        problem._replace(punctuation=np.ones(8, bool)),
        multiclass_problem(seed=1),
    ]
    assert len({store.fingerprint(p) for p in all_of_them}) == len(all_of_them)
    assert store.fingerprint(multiclass_problem()) == store.fingerprint(problem)


# ---- bad luck --------------------------------------------------------------------------------------


def test_saving_again_replaces(tmp_path):
    store.save(multiclass_problem(seed=0), tmp_path / "p")
    before = store.load(tmp_path / "p")
    store.save(multiclass_problem(seed=1), tmp_path / "p")
    same(store.load(tmp_path / "p"), multiclass_problem(seed=1))
    same(before, multiclass_problem(seed=0))
    assert os.listdir(tmp_path) == ["p"]
    with pytest.raises(FileNotFoundError):
        store.load(tmp_path / "q")


@pytest.mark.parametrize("owner", [(store.np, "save"), (store.Path, "write_text")])
@pytest.mark.parametrize("former", [True, False])
@pytest.mark.parametrize(
    "fault", [OSError(errno.ENOSPC, "No space left on device"), OSError("930 requested and 496 written")]
)  # the latter is what NumPy says
def test_full_disk(tmp_path, monkeypatch, owner, former, fault):
    if former:
        store.save(multiclass_problem(), tmp_path / "p")

    def full(*_, **__):
        raise fault

    with monkeypatch.context() as patch:
        patch.setattr(*owner, full)
        with pytest.raises(UserError, match=r"cannot write the problem .*p: (No space|the disk is full \(930)"):
            store.save(multiclass_problem(seed=1), tmp_path / "p")
    assert os.listdir(tmp_path) == ["p"] * former
    if former:
        same(store.load(tmp_path / "p"), multiclass_problem())


def test_a_vocabulary_lies_apart_and_a_problem_that_lost_it_is_not_whole(tmp_path):
    known = {"words": ["a", "é"], "columns": np.array([2, 0])}
    for given in (None, known):
        store.save(multiclass_problem()._replace(vocabulary=given), tmp_path / "one")
        assert store.is_whole(tmp_path / "one")
        assert (store.vocabulary(tmp_path / "one") is None) == (given is None)
    (tmp_path / "one" / store.VOCABULARY).unlink()
    assert not store.is_whole(tmp_path / "one")
    store.save_vocabulary(known, tmp_path / "one")
    found = not_none(store.vocabulary(tmp_path / "one"))
    assert store.is_whole(tmp_path / "one") and found.keys() == known.keys()
    assert found["words"] == ["a", "é"] and found["columns"].tolist() == [2, 0]
