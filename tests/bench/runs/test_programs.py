"""The programs that decide a run's numbers: all that a run's process loads, and nothing else."""

import ast
import hashlib
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from structbench.algorithms.runtime import own_folders
from structbench.algorithms.runtime.modules import ROOT
from structbench.bench.runs import program_text, programs
from structbench.bench.runs.quality import QUALITY
from structbench.bench.runs.spec import make, parse
from structbench.datasets import DataRef, data_ref

SCORES = Path("datasets/scores")
TOY = "toy-english:sentences=30"
KEYS = [  # a run of each structure, and of each kind of algorithm
    "toy-documents__log__C=1__eg__passes=1",
    "toy-points__hinge__C=1__kernel-svm__passes=1",
    f"{TOY}__log__C=1__lbfgs__passes=1",
    f"{TOY},task=segments__hinge__C=1__smo__passes=1",
    f"{TOY},task=joint__none__laso__passes=1",
    f"{TOY},task=dependencies__log__C=1__sdca__passes=1",
    f"{TOY},task=brackets,test_sentences=20__log__C=1__sgd__passes=1",
    f"{TOY},task=skip-chains,test_sentences=15__none__perceptron__passes=1",
    "toy-bitext__hinge__C=1__subgradient__passes=1",
    "toy-clusters__none__latent-svm__passes=1",
    "web-records:share=5,test_records=60__hinge__C=1__lapm3n__penalty=laplace-10__passes=1",
]
LOADED = """
import json, os, sys
from pathlib import Path
import filelock, numba, numpy, pandas, pyarrow.parquet, scipy.sparse, snowballstemmer, threadpoolctl  # once
numba.njit("i8(i8)")(lambda x: x)  # numba loads half of itself to compile
root = Path(sys.argv[1])
for key in sys.argv[3:]:
    if not os.fork():
        break  # the rest is done by a process for each run
    if os.wait()[1]:
        sys.exit(f"{key} failed")
else:
    sys.exit(0)
opened = set()
sys.addaudithook(lambda event, given: opened.add(str(given[0])) if event == "open" else None)
from structbench.algorithms.runtime.kernel_cache import KernelCache
from structbench.bench.runs import execute
from structbench.bench.runs.spec import parse
kept, load = set(), KernelCache.load_overload
def loaded(self, *given):  # the index of a kernel names all structures that it was compiled for
    before = set(sys.modules)
    try:
        return load(self, *given)
    finally:
        kept.update(set(sys.modules) - before)
KernelCache.load_overload = loaded
execute.run_one(parse(key), Path(sys.argv[2], key), lambda line: None)
own = [each for name, each in sys.modules.items() if name not in kept]
modules = {str(each.__file__) for each in own if getattr(each, "__file__", None)}
# the first lines of all black boxes, which are YAML files, are read to list them
read = {file for file in opened if not file.endswith((".py", ".pyc", ".yaml"))}
print(json.dumps([str(Path(file).relative_to(root)) for file in modules | read if file.startswith(f"{root}/")]))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> dict[str, set[Path]]:
    """Key -> the project's files that a process which makes the run loads or reads, but for results."""
    folder = str(tmp_path_factory.mktemp("results"))
    env = os.environ | {"STRUCTBENCH_RESULTS": folder}
    words = [sys.executable, "-c", LOADED, str(ROOT), folder, *KEYS]
    done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    each = ({Path(file) for file in json.loads(line)} for line in done.stdout.splitlines())
    found = ({file for file in files if file.parts[0] not in ("results", ".venv", ".git")} for files in each)
    return dict(zip(KEYS, found, strict=True))


@pytest.mark.parametrize("key", KEYS)
def test_all_that_a_run_loads_is_in_its_hash_or_listed_with_a_reason(key, loaded):
    spec = parse(key)
    hashed, found = set(programs.of_run(spec)), loaded[key]
    assert len(hashed & found) > 15
    others = found - hashed - set(programs.of_data(spec.data))  # these make the problem, whose fingerprint counts
    others = {file for file in others if not programs.is_neutral(file)}
    assert {file for file in others if (ROOT / file).read_text().strip()} == set()
    algorithms = {file for file in hashed if "\n@algorithm(" in (ROOT / file).read_text()}
    assert algorithms <= found, "algorithms that it does not load"


def test_a_black_box_is_hashed_with_the_files_beside_it_that_it_names(tmp_path, monkeypatch):
    monkeypatch.setattr(own_folders, "ROOT", tmp_path)
    monkeypatch.setattr(programs, "MEMORY", tmp_path / "memory.json")
    folder = tmp_path / "algorithms" / "own"
    folder.mkdir(parents=True)
    mine = Path("algorithms/own/mine.yaml")

    def hashed(file: str, text: str) -> str:
        (folder / file).write_text(text, encoding="latin-1")
        for each in (programs._read, programs._remembered):
            each.cache_clear()
        found = programs._closed([mine], lambda file: False)
        assert all(file.parent == mine.parent for file in found)
        return programs.sha256(found)

    (folder / "mine.yaml").write_text("about: mine")
    monkeypatch.setattr(programs, "BLACK_BOX", "algorithms/own/mine.yaml")
    hashed("helper.py", "x = 1")
    hashed("learn.py", "# -*- coding: latin-1 -*-\nimport helper  # für uns")
    hashed("learn.R", "x <- 1")
    first = hashed("mine.yaml", "about: mine\ncommand: ['{folder}/learn.py', ./learn.R]\n")
    assert hashed("mine.yaml", "# why\nabout: mine\ncommand: ['{folder}/learn.py', ./learn.R]\n") == first
    assert hashed("other.py", "x = 2") == first
    seen = [first, *(hashed(name, "x = 3") for name in ("helper.py", "learn.R", "learn.py"))]
    seen.append(hashed("mine.yaml", "about: mine\ncommand: ['{folder}/learn.py', ./learn.R, --more]\n"))
    assert len({*seen}) == 5
    for each in (programs._read, programs._remembered):
        each.cache_clear()


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("import a, b.c as d", {"a.py", "b.py", "b/c.py"}),
        ("if 1:\n    from a import (\n        x, y)", {"a.py", "a/x.py", "a/y.py"}),
        ("from . import a\nfrom b import *", {"a.py", "b.py"}),
        ("x = 'a\\\nimport b'", set()),
        ("print 'for Python 2', a", {"print.py", "for.py", "Python.py", "2.py", "a.py"}),
    ],
)
def test_the_files_beside_a_script_are_found_by_its_imports(text, files):
    assert {file for file in program_text.beside(text) if not file.endswith("/__init__.py")} == files


def test_what_decides_stored_numbers_beside_solvers_is_hashed():
    names = ["bench/runs/jsonable.py", "bench/runs/machine.py", "bench/runs/memory.py", "bench/runs/writing.py"]
    names += (
        "algorithms/learning/declaration.py",
        "algorithms/gradient/__init__.py",
        "datasets/scores/__init__.py",
    )
    assert {*map(Path, names)} <= {*programs.of_run(parse(KEYS[6]))}


def test_what_is_listed_is_there_and_in_no_hash():
    listed = [ROOT / name for names in programs.NEUTRAL.values() for name in names]
    assert [file for file in listed if not file.exists()] == []
    for key in KEYS:
        assert not any(map(programs.is_neutral, programs.of_run(parse(key))))


@pytest.mark.parametrize(
    ("key", "scores"),
    [
        (KEYS[0], set()),
        (KEYS[2], {"chunks"}),
        (KEYS[4], {"joint", "chunks"}),
        ("reranking-trees__none__perceptron", {"attachments", "lists", "chunks"}),
        ("toy-bitext__hinge__C=1__subgradient", {"alignments"}),
    ],
)
def test_a_run_s_scores_are_in_its_hash_and_no_others(key, scores):
    found = {file.stem for file in programs.of_run(parse(key)) if file.parent == SCORES}
    assert found - {"__init__"} == scores


def test_what_the_scores_report_has_a_column_in_every_run():
    files = [file for file in (ROOT / SCORES).glob("*.py") if file.stem != "__init__"]
    modules = [importlib.import_module(f"structbench.datasets.scores.{file.stem}") for file in files]
    reported = {name for module in modules for name in module.Scores._fields}
    assert reported == {*QUALITY} - {"seconds"} | {"cost"}  # the last only where the data have costs


def test_a_hash_has_how_problems_are_stored_and_no_other_structures_and_algorithms():
    for data, own in (("mnist", set()), (TOY, {"chain"}), (f"{TOY},task=dependencies", {"dependency"})):
        files = programs.of_run(make(data, "log", 1.0, "lbfgs"))
        rooms = {file.parts[2] for file in files if len(file.parts) > 3 and file.parts[1] == "structures"}
        assert rooms & {"chain", "dependency", "field", "nonprojective", "segments", "tree"} == own
        assert [file.stem for file in files if "\n@algorithm(" in (ROOT / file).read_text()] == ["lbfgs"]
    stored = Path("datasets/problems/storage.py")
    assert stored in files and {Path("datasets/ocr.py"), stored} <= set(programs.of_data(data_ref("ocr")))
    assert Path("datasets/problems/costs.py") in programs.of_data(data_ref("ocr:costs=c.txt"))


def test_a_problem_does_not_depend_on_how_its_files_are_fetched_or_kept():
    for data in ("mnist", "ocr", "treebank", "conll2007"):
        files = programs.of_data(data_ref(data))
        fetching = {file.stem for file in files if file.parent == Path("datasets/fetching")}
        assert fetching <= {"__init__", "archives", "unpickle"}
        assert not {Path("algorithms/runtime/files.py"), Path("algorithms/runtime/names.py")} & {*files}
        assert Path("datasets/problems/problem.py") in files


FIRST = '''"""A module."""

def step(w, x=1):
    """Move."""
    return f"{w!r:>{x}}" if w else [*w, -x]  # a comment
'''


def test_a_hash_is_of_what_programs_say_in_all_versions_of_python(tmp_path, monkeypatch):
    monkeypatch.setattr(own_folders, "ROOT", tmp_path)
    monkeypatch.setattr(programs, "MEMORY", tmp_path / "memory.json")

    def forget() -> None:
        for function in (programs._read, programs._remembered):
            function.cache_clear()

    def sha256(text: str) -> str:
        forget()
        (tmp_path / "a.py").write_text(text)
        return programs.sha256([Path("a.py")])

    before = sha256(FIRST)
    assert before == sha256(FIRST), "remembered"
    assert before == sha256(FIRST.replace("# a comment", "").replace("Move.", "Step.").replace("\n\n", "\n"))
    for old, new in (("-x", "+x"), ("x=1", "x=2"), ("if w", "if not w"), (":>", ":<"), ("*w", "w")):
        assert sha256(FIRST.replace(old, new)) != before, new
    forget()
    assert hashlib.sha256(program_text.text(ast.parse(FIRST)).encode()).hexdigest() == PINNED


def test_what_only_a_type_checker_reads_does_not_count():
    def sha256(text: str) -> str:
        return program_text.sha256(ast.parse(text))

    plain = 'from typing import Any\ndef f(x: Any) -> int:\n    """F."""\ndef g(x):\n    return [x.y, 1]'
    checked = plain.replace("Any\n", "Any, cast\n").replace('"""F."""', '"""F."""\n    ...')
    assert sha256(checked.replace("x.y", 'cast("float", cast(float, x).y)')) == sha256(plain)
    assert sha256("from typing import cast\nx = cast(int, 2)") == sha256("x = 2")
    assert sha256("from own import cast\nx = cast(int, 2)") != sha256("from own import cast\nx = 2")
    assert sha256("def f(x): ...") != sha256("def f(x): return 1") != sha256('def f(x):\n    """F."""')


def test_references_make_no_run_stale():
    def sha256(text: str) -> str:
        return program_text.sha256(ast.parse(text))

    plain = '@algorithm(needs=("parts",))\ndef solve(): pass\nSCORES = ("chunks",)'
    named = plain.replace(",))", ',), references=("eg2008",))').replace("SCORES", 'REFERENCES = ("a",)\nSCORES')
    assert sha256(named) == sha256(plain) != sha256(plain.replace("SCORES", "REFERENCES"))
    box = Path("algorithms/black_boxes/sklearn.yaml")
    text = (ROOT / box).read_text()
    without = text.replace("references: [pedregosa2011]\n", "")
    assert without != text and programs._of_black_box(text, box) == programs._of_black_box(without, box)


PINNED = "a96fb431e349f378aba1fdb6f772589708d54d6a61a0b6f7039e36665ef3be26"


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("from structbench.bench.runs import spec", {"bench", "bench/runs", "bench/runs/spec"}),
        (
            "from structbench.bench.runs.spec import make",
            {"bench", "bench/runs", "bench/runs/spec", "bench/runs/spec/make"},
        ),
        ("from . import spec", {"bench", "bench/runs", "bench/runs/spec"}),
        ("from ..papers import judging", {"bench", "bench/papers", "bench/papers/judging"}),
        ("import structbench.bench.runs, numpy", {"bench", "bench/runs"}),
        ("import numpy as np\nfrom json import dumps", set()),
    ],
)
def test_imports_name_files_and_the_rooms_on_the_way_there(line, files):
    found = program_text.imports(ast.parse(line), Path("bench/runs/here.py"))
    assert {name.removesuffix("/__init__.py").removesuffix(".py") for name in found} == files
    assert {f"{name}/__init__.py" for name in files} <= {*found}


def test_of_a_structure_that_lies_elsewhere_those_count_that_its_data_set_imports(monkeypatch):
    monkeypatch.setattr(DataRef, "structure", "elsewhere")
    found = programs._of_structure(DataRef("ocr:words=77"))  # not asked for before
    assert found and {file.parts[:2] for file in found} == {("algorithms", "structures")}
    assert Path("algorithms/structures/chain/__init__.py") in found


def test_the_programs_of_a_data_set_are_looked_for_once(monkeypatch):
    """Of thousands of runs each is compared with them before a workflow begins."""
    looked, closed = [], programs._closed
    monkeypatch.setattr(programs, "_closed", lambda start, left_out: looked.append(1) or closed(start, left_out))
    programs._of_data.cache_clear()
    assert programs.of_data(data_ref("mnist")) == programs.of_data(data_ref("mnist")) and len(looked) == 1
