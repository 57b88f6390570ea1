"""Kernels without compilation, and the cache of compiled kernels after an edit."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from algorithms.runtime.kernel_cache import kernel_hash
from algorithms.structures import interface as parts
from tests.algorithms import tiny
from tests.algorithms.oracle import STRUCTURES

ROOT = Path(__file__).resolve().parents[2]
DOUBLED_LOSS = """

@implements(Multiclass)
def add_losses(m, i, c, out):
    for k in range(m.num_labels):
        if k != m.y[i]:
            out[k] += 2 * c
"""


def run(folder: Path, *structures: str, **environment: str) -> dict[str, list[float]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.algorithms.tiny", *structures],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_kernels_compute_the_same_without_compilation():
    plain = run(ROOT, *STRUCTURES, NUMBA_DISABLE_JIT="1")
    compiled = tiny.results(list(STRUCTURES))
    assert len(compiled) == len(STRUCTURES) * len(tiny.RUNS)
    assert plain.keys() == compiled.keys()
    for name, values in compiled.items():
        assert plain[name] == pytest.approx(values, rel=1e-6, abs=1e-9, nan_ok=True), name  # L-BFGS keeps float32


@pytest.fixture
def copy(tmp_path):
    """The code in a folder of its own, with a kernel cache of its own."""
    for folder in ("algorithms", "bench", "datasets", "tests/algorithms"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.slow
def test_an_edit_of_a_structure_reaches_the_cached_kernels_of_algorithms(copy):
    """numba looks only at the file of the kernel that it caches; the folder of the cache does the rest."""
    environment = {"STRUCTBENCH_KERNELS": str(copy / "kernels")}
    before = run(copy, "multiclass-dense", **environment)
    assert run(copy, "multiclass-dense", **environment) == before
    assert len(list((copy / "kernels").iterdir())) == 1
    with open(copy / "algorithms/structures/multiclass.py", "a") as file:
        file.write(DOUBLED_LOSS)
    after = run(copy, "multiclass-dense", **environment)
    for name in before:
        if name.endswith("hinge"):
            assert after[name] != before[name], name
    assert after["multiclass-dense lbfgs log"] == before["multiclass-dense lbfgs log"]
    assert len(list((copy / "kernels").iterdir())) == 2


def test_implementations_bear_the_names_of_their_operations():
    """Or else a process links cached kernels to the wrong ones, in some orders of compilation."""
    for call, operation in parts._operations.items():
        assert {f.__qualname__ for f in operation.implementations.values()} == {call.__name__}


def test_every_source_file_counts(copy):
    folder = copy / "algorithms"
    seen = {kernel_hash(folder)}
    for edited in ("eg.py", "structures/chain.py"):
        with open(folder / edited, "a") as file:
            file.write("# another line\n")
        seen.add(kernel_hash(folder))
    (folder / "structures/another.py").write_text("")
    seen.add(kernel_hash(folder))
    assert len(seen) == 4
    (folder / "structures/notes.txt").write_text("no kernel")
    assert kernel_hash(folder) in seen
