"""What a user's programs import, or read beside themselves, is looked at when somebody asks for the run."""

import json
import sys
from pathlib import Path

import pytest

from structbench.bench.runs import loaded, programs
from tests.bench.test_newcomers import ALGORITHM, DATA, changed
from tests.bench.test_own_folder import python, written

STEPS = changed(ALGORITHM, "import numpy as np\n", "import json\nfrom pathlib import Path\n\nimport numpy as np\n")
FILES = {
    "mine/algorithms/lib_steps.py": changed(STEPS, '    """Steps."""', '    """Steps."""\n    import mylib.steps')
    + """    w = np.full(parts.num_weights(objective.split), mylib.steps.STEP)
    w *= json.loads(Path(__file__).with_name("step.json").read_text())
    yield Iterate(w, parts.num_examples(objective.split))
""",
    "mine/algorithms/step.json": "2",
    "mine/algorithms/other.json": "2",
    "mine/datasets/lib_points.py": changed(DATA, "import numpy", "import mydata\nimport numpy"),
    "site/mylib/__init__.py": "",
    "site/mylib/steps.py": "from .deep import STEP\n",
    "site/mylib/deep.py": "STEP = 0.5  # a length\n",
    "site/mydata.py": "SIZE = 2\n",
    "site/unused.py": "SIZE = 2\n",
}
ASK = """
import sys
from pathlib import Path
from structbench.bench.runs import execute, results, spec, state
import unused
made = spec.make("lib-points", "log", 1.0, "lib-steps", passes=1)
ours = spec.make("lib-points", "log", 1.0, "lbfgs", passes=1)
if sys.argv[1:]:
    for each in (ours, made):
        run = execute.run_one(each, results.runs() / each.key, lambda line: None)
for each in (made, ours):
    print(state.of_spec(each, results.runs() / each.key)[:2])
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """A folder with two finished runs, and the environment in which to ask for them."""
    folder = written(tmp_path_factory.mktemp("loaded"), FILES)
    env = {
        "STRUCTBENCH_WITH": str(folder / "mine"),
        "STRUCTBENCH_RESULTS": str(folder),
        "PYTHONPATH": f"{folder / 'site'}:{Path(__file__).resolve().parents[3]}",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    assert python("-c", ASK, "make", **env).count("finished") == 2
    return folder, env


@pytest.mark.parametrize(
    ("file", "old", "new", "stale"),
    [
        ("site/mylib/deep.py", "0.5", "0.25", (True, False)),
        ("site/mylib/deep.py", "a length", "its length", (False, False)),
        ("mine/algorithms/step.json", "2", "7", (True, False)),
        ("mine/algorithms/other.json", "2", "7", (False, False)),
        ("site/mydata.py", "2", "3", (True, True)),
        ("site/unused.py", "2", "3", (False, False)),
    ],
)
def test_a_run_is_stale_if_what_it_loaded_changed(world, file, old, new, stale):
    folder, env = world
    before = (folder / file).read_text()
    (folder / file).write_text(changed(before, old, new))
    found = python("-c", ASK, **env).splitlines()
    (folder / file).write_text(before)
    assert tuple("stale" in line for line in found) == stale, found
    assert all(f"{folder / file}, which it loaded, changed" in line for line in found if "stale" in line)


def test_a_run_names_what_it_loaded(world):
    folder, _ = world
    (summary,) = folder.glob("runs/*lib-steps*/summary.json")
    names = json.loads(summary.read_text())["provenance"]["loaded"]
    assert {Path(name).relative_to(folder).as_posix() for name in names} == {
        "mine/algorithms/step.json", "site/mydata.py", "site/mylib/__init__.py", "site/mylib/deep.py",
        "site/mylib/steps.py",
    }  # fmt: skip


def test_a_file_that_changed_while_a_run_was_made_is_not_what_it_loaded(tmp_path, monkeypatch):
    file = tmp_path / "step.json"
    file.write_text("2")
    monkeypatch.setattr(loaded, "BEGAN", file.stat().st_mtime + 1)
    kept = loaded.uncovered(set(), frozenset(sys.modules), [file])
    assert loaded.changed(kept) == ""
    monkeypatch.setattr(loaded, "BEGAN", file.stat().st_mtime - 1)
    assert loaded.changed(loaded.uncovered(set(), frozenset(sys.modules), [file])) == str(file)
    file.unlink()
    assert loaded.changed(kept) == "", "a file that is gone tells nothing"


def test_hashes_that_another_program_made_are_not_believed(monkeypatch, tmp_path):
    monkeypatch.setattr(programs, "MEMORY", tmp_path / "hashes.json")
    programs._remembered.cache_clear()
    for by, known in ((programs._made_by(), {"a": ["b", []]}), ("an older one", {})):
        programs.MEMORY.write_text(json.dumps({"by": by, "known": {"a": ["b", []]}}))
        assert programs._remembered() == known
        programs._remembered.cache_clear()


def test_words_of_a_program_that_are_no_readable_file_do_no_harm(tmp_path, monkeypatch):
    file = tmp_path / "mine.py"
    file.write_text(f"LONG = '{'ACGT' * 100}'\nPLACE = 'none/x'\nGONE = 'gone.json'\n")
    monkeypatch.setattr(loaded, "ROOT", tmp_path / "elsewhere")
    assert loaded._named_in({file, tmp_path / "gone.py"}, {}) == set()
    kept = loaded.uncovered(set(), frozenset(sys.modules), [tmp_path / "gone.json"])
    assert kept == {str(tmp_path / "gone.json"): "gone meanwhile"} and loaded.changed(kept) == ""
    assert loaded.changed({str(tmp_path / ("x" * 400)): "b"}) == ""
