"""Kept kernels: what counts as an edit, whom it concerns, and what becomes of files that are damaged or contended.

The kernels of these tests are those of a little package written to a folder, imported again after each edit.
"""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from numba.core import event
from numba.core.errors import TypingError

from structbench.algorithms.coordinate_ascent import sdca, smo
from structbench.algorithms.gradient import sag, sgd
from structbench.algorithms.runtime import kernel_cache, settings, vector_math
from structbench.algorithms.runtime.arrays import Ints, Labels
from structbench.algorithms.runtime.files import is_locked
from structbench.algorithms.runtime.kernel import Kernel
from structbench.algorithms.structures import handles
from structbench.algorithms.structures.compiled import OPERATIONS
from structbench.algorithms.structures.multiclass import Classified, Multiclass
from structbench.bench.runs import algorithm_module, catalogue

ROOT = Path(__file__).resolve().parents[3]
HELPER = '''
"""A helper."""

from structbench.algorithms.runtime.kernel import kernel

FACTOR = 2.0


@kernel
def scaled(a):
    """a times the factor."""
    return FACTOR * a
'''
ONE = '''
from structbench.algorithms.runtime.kernel import kernel
from {package} import helper


@kernel
def one(a):
    """The helper's a, plus 1."""
    return helper.scaled(a) + 1.0
'''
OTHER = """
from structbench.algorithms.runtime.kernel import kernel


@kernel
def other(a):
    return a - 1.0
"""
PROCESS = """
import json
from {package}.one import one
from {package}.other import other
print(json.dumps([one(3.0), other(3.0)]))
"""


class Package:
    """The little package, and what one use of it gives and compiles."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder / name, name
        self.folder.mkdir()
        for file, text in (("__init__", ""), ("helper", HELPER), ("one", ONE), ("other", OTHER)):
            (self.folder / f"{file}.py").write_text(text.format(package=name))

    def edit(self, file: str, before: str, after: str) -> None:
        path = self.folder / f"{file}.py"
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def use(self) -> tuple[list[float], set[str]]:
        """one(3) and other(3) of newly imported modules, and the names of the kernels that were compiled."""
        for module in [each for each in sys.modules if each.partition(".")[0] == self.name]:
            del sys.modules[module]
        importlib.invalidate_caches()
        with event.install_recorder("numba:compile") as heard:
            one, other = (importlib.import_module(f"{self.name}.{each}") for each in ("one", "other"))
            found = [one.one(3.0), other.other(3.0)]
        return found, {each.data["dispatcher"].py_func.__name__ for _, each in heard.buffer if each.is_start}

    def kept(self, ending: str) -> list[Path]:
        return sorted(kernel_cache.folder().glob(f"*.{ending}"))


@pytest.fixture
def package(tmp_path, monkeypatch) -> Iterator[Package]:
    """Used once, so that its kernels are kept, in a folder of their own."""
    monkeypatch.setenv("STRUCTBENCH_KERNELS", str(tmp_path / "kernels"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    made = Package(tmp_path, f"kept_{abs(hash(tmp_path))}")
    assert made.use() == ([7.0, 2.0], {"one", "scaled", "other"})
    yield made
    for module in [each for each in sys.modules if each.partition(".")[0] == made.name]:
        del sys.modules[module]


EDITS = [
    ("other", "a - 1.0", "a - 2.0", [7.0, 1.0], {"other"}),
    ("helper", "FACTOR * a", "FACTOR * a * a", [19.0, 2.0], {"one", "scaled"}),  # all that reach it
    ("helper", "FACTOR = 2.0", "FACTOR = 6.0", [19.0, 2.0], {"one", "scaled"}),
    ("other", "@kernel", '@kernel(fastmath={"reassoc"})', [7.0, 2.0], {"other"}),
    ("other", "@kernel", "@kernel(inline=True)", [7.0, 2.0], {"other"}),
    ("other", "@kernel", "@kernel(fastmath=())", [7.0, 2.0], set()),
    ("helper", '"""a times the factor."""', '"""Another docstring."""', [7.0, 2.0], set()),
    ("helper", "    return FACTOR", "    # a comment\n    return FACTOR", [7.0, 2.0], set()),
    ("helper", "@kernel", "# lines above it\n\n@kernel", [7.0, 2.0], set()),
    ("helper", "FACTOR = 2.0\n", "FACTOR = 2.0\nUNUSED = 3.0\n", [7.0, 2.0], set()),
]


def test_an_edit_concerns_the_kernels_that_it_changes(package):
    assert package.use() == ([7.0, 2.0], set())
    for file, before, after, *expected in EDITS:
        package.edit(file, before, after)
        assert [*package.use()] == expected, after
        package.edit(file, after, before)
        assert package.use() == ([7.0, 2.0], set()), "what was kept before the edit is still good"


def test_other_settings_of_numba_and_other_calls_of_operations_concern_all(package, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "1")
    assert package.use() == ([7.0, 2.0], {"one", "scaled", "other"})
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "0")  # the usual
    assert package.use() == ([7.0, 2.0], set())
    monkeypatch.setattr(kernel_cache, "_calls_through_pointers", lambda: "otherwise")
    assert package.use() == ([7.0, 2.0], {"one", "scaled", "other"})
    (tmp_path / ".numba_config.yaml").write_text("opt: 1\nboundscheck: 1\n")  # the environment comes before it
    monkeypatch.chdir(tmp_path)
    assert settings.given() == {"NUMBA_OPT": "1"}
    (tmp_path / ".numba_config.yaml").write_text("- {")
    assert settings.given() == {}


def test_what_cannot_be_kept_is_compiled_for_each_process(tmp_path):
    """Without optimisation numba keeps no kernel that has pointers."""
    env = os.environ | {"NUMBA_OPT": "0", "STRUCTBENCH_KERNELS": str(tmp_path)}
    program = "from structbench.algorithms.runtime import vector_math as v; v.log_sum_exp(v.np.ones(3))"
    words = [sys.executable, "-W", "ignore", "-c", program]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_types_of_the_fields_of_a_record_count():
    """Kernels read the arrays of a structure by their types, wherever its fields are declared."""

    def stamp(record: type) -> str:
        return kernel_cache.stamp(lambda: record)

    inner = [NamedTuple("Inner", [("y", kind)]) for kind in (Ints, Labels)]
    records = [NamedTuple("Record", [("x", kind)]) for kind in (Ints, Labels, *inner)]
    assert len({stamp(each) for each in records}) == 4
    assert stamp(NamedTuple("Record", [("x", Ints)])) == stamp(records[0])


DAMAGE = (
    lambda content: b"",
    lambda content: content[: len(content) // 2],
    lambda content: b"cgone.module\nname\n.",
)


def test_damaged_files_count_as_missing(package):
    """Empty, half of what was written, or of a module that has moved."""
    for ending, damage in product(("nbi", "nbc"), DAMAGE):
        for file in package.kept(ending):
            file.write_bytes(damage(file.read_bytes()))
        found, compiled = package.use()
        assert found == [7.0, 2.0]
        assert compiled >= {"one", "other"}
        assert package.use() == ([7.0, 2.0], set()), "mended"


def test_a_folder_that_cannot_be_written_costs_a_line_not_the_run(package, tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STRUCTBENCH_KERNELS", str(tmp_path / "file"))
    assert package.use()[0] == [7.0, 2.0]
    assert "cannot keep compiled kernels in" in capsys.readouterr().err


def test_no_one_waits_for_a_kernel_that_cannot_be_compiled(package):
    package.edit("helper", "FACTOR * a", "FACTOR * a.missing")
    for _ in range(2):  # the second time it would wait for itself
        with pytest.raises(TypingError):
            package.use()
        locks = list(kernel_cache.folder().glob(".*.lock"))
        assert locks and not any(map(is_locked, locks))


def test_two_processes_at_once_keep_what_a_third_need_not_compile(package, tmp_path, monkeypatch):
    monkeypatch.setenv("STRUCTBENCH_KERNELS", str(tmp_path / "others"))
    words = [sys.executable, "-c", PROCESS.format(package=package.name)]
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{ROOT}")
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for process in running:
        said, _ = process.communicate()
        assert process.returncode == 0
        assert json.loads(said) == [7.0, 2.0]
    assert package.use() == ([7.0, 2.0], set())


def test_an_edit_of_a_kernel_of_the_project_concerns_those_that_reach_it(monkeypatch):
    modules = [algorithm_module.algorithm(name) for name in catalogue.algorithms()]
    kernels = {each for module in modules for each in vars(module).values() if isinstance(each, Kernel)}
    assert len(kernels) > 20

    def stamps() -> dict[str, str]:
        return {f"{each.__module__}.{each.__qualname__}": kernel_cache.stamp(each) for each in kernels}

    for edited in (sgd._visit_examples, vector_math.dot):
        before = stamps()
        monkeypatch.setattr(edited, "python", lambda *arguments: -1.0)
        found = {name for name, stamp in stamps().items() if stamp != before[name]}
        if edited is vector_math.dot:
            ours = {each for each in (sdca, sag, sgd, smo) if any(f"{each.__name__}." in name for name in found)}
            assert ours == {sdca, sag, smo}
        else:
            assert found == {"structbench.algorithms.gradient.sgd._visit_examples"}


def test_an_edit_of_an_operation_concerns_the_operations_of_the_structure_that_call_it(monkeypatch):
    names = ("scores", "squared_norm", "add_features", "add_features_if_short")

    def stamps() -> dict[str, str]:
        return {
            name: kernel_cache.stamp(handles._entrance.__wrapped__(Multiclass, OPERATIONS[name].of(Multiclass)))
            for name in names
        }

    def squared_norm(c, i, mu):
        return -1.0

    before = stamps()
    monkeypatch.setitem(OPERATIONS["squared_norm"].implementations, Classified, squared_norm)
    changed = {name for name, stamp in stamps().items() if stamp != before[name]}
    assert changed == {"squared_norm", "add_features_if_short"}
