"""Modules that cannot be read or imported: a sentence says why, with file and line."""

from pathlib import Path

import pytest

from structbench.algorithms.runtime import modules, own_folders
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import split_options
from tests.narrowing import not_none


@pytest.fixture
def module(tmp_path, monkeypatch):
    """``module(text)``: the name of a new module that holds it."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str, name: str = "newcomer") -> str:
        (tmp_path / f"{name}.py").write_bytes(text.encode())
        return name

    return write


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a = 1\ndef f(:\n", "cannot be read: {}:2: invalid syntax"),
        ("a = 1\n  b = 2\n", "cannot be read: {}:2: unexpected indent"),
        ("a = 1\nb = a / 0\n", "cannot be imported: "),
        ("from structbench.algorithms.runtime.names import nothing\n", "cannot be imported: "),
        ("import structbench.algorithms.nowhere\n", "cannot be imported: "),
        ("import algorithms\n", "newcomer imports algorithms: write structbench.algorithms"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(module, tmp_path, text, sentence):
    name = module(text)
    with pytest.raises(UserError) as error:
        modules.imported(name)
    assert str(error.value).startswith(sentence.format(tmp_path / "newcomer.py"))
    if "read" in sentence:
        with pytest.raises(UserError) as parsed:
            modules.parsed(tmp_path / "newcomer.py")
        assert str(parsed.value) == str(error.value)


def test_a_module_without_mistakes_is_imported_and_a_package_that_is_not_installed_another_matter(module):
    assert modules.imported(module("found = 3\n", "a_good_one")).found == 3
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        modules.imported(module("import no_such_package\n"))


def test_the_line_is_the_last_one_in_the_file_that_is_asked_for():
    assert modules.shown("/elsewhere/bench.py") == "/elsewhere/bench.py"
    with pytest.raises(UserError) as caught:
        split_options("a")
    file = modules.ROOT / "algorithms" / "runtime" / "options.py"
    found = not_none(modules.line_of(caught.value, file))
    assert found.startswith("algorithms/runtime/options.py:") and found.endswith('of the form name=value")')
    assert modules.line_of(caught.value, None, ("datasets",)) is None


def test_a_folder_of_the_users_may_lie_within_the_projects(monkeypatch):
    folder = modules.ROOT / "mine"
    monkeypatch.setattr(own_folders, "folders", lambda: (folder,))
    assert own_folders.name_of(folder / "algorithms" / "steps.py") == Path("algorithms/steps.py")
