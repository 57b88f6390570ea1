"""Data sets by name: listing, parsing, one writing, building; the pages on data."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from structbench import datasets
from structbench.algorithms.runtime.errors import UserError
from structbench.algorithms.runtime.options import defaults
from structbench.algorithms.structures.structure_types import structure_types
from structbench.datasets.fetching.download import File
from structbench.datasets.problems.storage import fingerprint
from structbench.datasets.text import tasks
from tests.narrowing import not_none

ROOT = Path(__file__).parents[2]
DOCS = (ROOT / "docs" / "reference" / "data.md").read_text(encoding="utf-8")
ADDING = (ROOT / "docs" / "how-to" / "add-data.md").read_text(encoding="utf-8")
OWN_FILES = [
    name for name in datasets.names() if "path" in inspect.signature(datasets.module(name).load).parameters
]


SECTIONS = dict(
    re.findall(r"^### (.+?)\n(.*?)(?=^##|\Z)", DOCS.partition("\n## Scores")[0], re.MULTILINE | re.DOTALL)
)
SHARED = "Options that several data sets have"
TABLE = DOCS.partition("## The data sets")[2].partition("###")[0]
DOCUMENTED = [name for name in datasets.names() if name not in OWN_FILES]


def test_names():
    some = {"conll2002", "crfsuite", "mnist", "ocr", "svmlight", "synthetic", "toy-english"}
    assert some <= {*datasets.names()} and {*SECTIONS} <= {*datasets.names(), SHARED}
    assert datasets.names() == sorted(datasets.names())
    made = {name for name in datasets.names() if datasets.is_generated(name)}
    assert made == {name for name in datasets.names() if name.startswith("toy-")} | {"synthetic", "web-records"}


@pytest.mark.parametrize("name", datasets.names())
def test_every_data_set_says_what_it_is(name):
    module = datasets.module(name)
    assert re.fullmatch(r"[A-Z].{20,}\.", datasets.describe(name))
    assert datasets.describe(name) == not_none(module.__doc__).partition("\n")[0]
    assert module.LICENCE and "\n" not in module.LICENCE
    for file in datasets.sources(name):
        assert isinstance(file, File)
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.sources and file.max_bytes < 2**26
    options = inspect.signature(module.load).parameters.values()
    assert all(option.annotation is not option.empty for option in options)
    assert datasets.data_ref(f"{name}:x" if name in OWN_FILES else name).structure in structure_types()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_the_page_has_each_data_set_and_all_its_options(name):
    """An option stands in the data set's section, or among those that several have."""
    assert f"| `{name}` |" in TABLE
    section = SECTIONS.get(name, "") + SECTIONS[SHARED]
    for option, default in defaults(datasets.module(name).load).items():
        assert (f"`{option}`" if default is None else f"`{option}={default}`") in section, option


@pytest.mark.parametrize("name", OWN_FILES)
def test_the_page_has_each_format(name):
    assert re.search(rf"^\| (`\w+`, )?`{name}`(, `\w+`)? \|", DOCS.partition("## Your own data")[2], re.MULTILINE)


def test_a_listing_imports_no_structure():
    """They take half a second that it need not wait for."""
    listing = (
        "import sys; from structbench import datasets;"
        "print(*map(datasets.describe, datasets.names())); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", listing], cwd=ROOT, capture_output=True, text=True, check=True)
    described, imported = done.stdout.splitlines()
    assert "MNIST digits" in described
    slow = {"structbench.algorithms.structures", "structbench.datasets.problems", "scipy.sparse", "pandas"}
    assert not slow & set(imported.split())


# ---- parsing ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "path"),
    [
        ("ocr", {}, None),
        ("ocr:fold=3,words=7", {"fold": 3, "words": 7}, None),
        ("svmlight:a/b=c,d:e", {}, "a/b=c,d:e"),
        ("svmlight:a,test=b", {}, "a,test=b"),
        ("conll2003:a,b=c", {}, "a,b=c"),
        ("conll2003:a,b=c,sentences=7", {"sentences": 7}, "a,b=c"),
        ("conll2003:a,sentences=1,b", {}, "a,sentences=1,b"),
    ],
)
def test_the_text_of_a_data_set_is_taken_apart(text, options, path):
    found = datasets.data_ref(text)
    assert (found.name, found.options) == (text.partition(":")[0], options)
    assert found.path == (path and str(Path.cwd() / path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "orc",
            r"unknown data set 'orc': did you mean 'ocr'\? `python -m bench list datasets` names all \d+; if",
        ),
        ("", "unknown data set ''"),
        ("base", "unknown data set 'base'"),
        ("__init__", "unknown data set '__init__'"),
        ("toy_english", r"did you mean 'toy-english'\?"),
        (
            "../ocr",
            r"'\.\./ocr' is a file, not a data set: write FORMAT:\.\./ocr, .* is one of columns, conll2003, ",
        ),
        ("train.conll", r"write FORMAT:train\.conll, where FORMAT is one of .*crfsuite, .*svmlight, "),
        ("tests", "'tests' is a file"),
        ("MNIST", r"did you mean 'mnist'\?"),
        ("ocr:flod=1", r"data set ocr has no option 'flod': did you mean 'fold'\? it has fold, words, .*, costs"),
        ("ocr:costs=a,b.txt", "a path of costs must have no comma: 'b.txt' is not of the form name=value"),
        ("ocr:fold", "'fold' is not of the form name=value"),
        ("ocr:fold=x", "data set ocr: fold must be a whole number, not 'x'"),
        ("svmlight", "data set svmlight reads a file of yours: write svmlight:PATH"),
        ("crfsuite:", "write crfsuite:PATH"),
        ("conll2003:,sentences=3", "write conll2003:PATH"),
        ("conll2003:a,sentences=x", "data set conll2003: sentences must be a whole number, not 'x'"),
        ("conll2003:a,sentences=1,sentences=2", "'sentences' is given twice"),
        ("conll2000:max_length=0,task=segments", "data set conll2000: max_length must be at least 1, not '0'"),
    ],
)
def test_parse_refuses(text, message):
    for function in (datasets.data_ref, datasets.build):
        with pytest.raises(UserError, match=message):
            function(text)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("ocr", "ocr"),
        ("ocr:", "ocr"),
        ("ocr:words=5,fold=2", "ocr:fold=2,words=5"),
        ("ocr:fold=2,words=5", "ocr:fold=2,words=5"),
        ("ocr:fold=0,words=00", "ocr"),
        ("mnist:train=59000,test=+20", "mnist:test=20"),
        ("synthetic:variant=correlated,crf=1", "synthetic:crf=1"),
        ("svmlight:./a.txt", f"svmlight:{Path.cwd()}/a.txt"),
        ("conll2003:a.txt,test_sentences=05,sentences=0", f"conll2003:{Path.cwd()}/a.txt,test_sentences=5"),
    ],
)
def test_canonical(text, canonical):
    found = datasets.data_ref(text)
    assert (found.text, str(found)) == (canonical, canonical)
    assert datasets.data_ref(canonical) == found == datasets.DataRef(canonical)
    assert found.load_options == datasets.DataRef(canonical).load_options


# ---- building --------------------------------------------------------------------------------------


BUILT = {  # the first digits of the problem's fingerprint; none where a processor's cosine or log may decide bits
    "synthetic:fold=1,folds=4,sequences=20": "703e0f6f51c09dfc",
    "synthetic:crf=3,folds=2,sequences=20,variant=iid": "d3955f233e726548",
    "mnist:test=10,train=10": "ea4f776052cafd56",
    "ocr:words=5": "fc53da9a7c068786",
    "toy-bitext:pairs=30,test_pairs=10": "",
    "toy-documents": "fa0bae0b53693769",
    "toy-pages": "c5fefb69c4b586ee",
    "toy-points:points=5,test_points=5": "",
    "toy-stoplights": "b11d78460b342c7b",
    "web-records:share=1,structure=chain,test_records=10": "f7fae43674ee59ad",
    "web-records:features=dense,share=1,test_records=10": "4168000bb56b7c21",
    "conll2000:sentences=40,tune=true": "69177e34ded038ee",
    "conll2000:max_length=4,sentences=40,task=segments,test_sentences=10": "11e1c8cfc9b64426",
    "conll2002:sentences=40,test_sentences=10": "1935a15f017a910f",
    "conll2007:features=rich,sentences=40,test_sentences=10": "a0c1dfbca686a184",
    "conll2007:sentences=40,structure=nonprojective,test_sentences=10": "9cdf7c7efad267f0",
    "treebank:factor=left,horizontal=1,max_length=5,vertical=2": "85e799cc6a1fa12e",
}


def of_corpus(text):
    """Marked as one that needs its corpus, if it is of one."""
    module = datasets.module(text.partition(":")[0])
    needed = (module.CORPUS,) if hasattr(module, "CORPUS") else datasets.sources(text.partition(":")[0])
    return pytest.param(text, marks=pytest.mark.corpus(*needed)) if needed else text


@pytest.mark.parametrize("text", [*map(of_corpus, BUILT)])
def test_the_structure_the_scores_and_the_very_problem_are_those_of_the_name(text):
    """A change of a problem changes every result on it: make it on purpose, and these digits with it."""
    data = datasets.data_ref(text)
    problem = datasets.build(data)
    assert (data.structure, data.scores) == (problem.train.id, problem.scores)
    assert fingerprint(problem).startswith(BUILT[text])


@pytest.mark.parametrize("task", tasks.TASKS)
def test_the_structure_and_the_scores_are_those_of_the_task(task):
    for more in ("", ",structure=nonprojective") if task == "dependencies" else ("",):
        text = f"toy-english:sentences=5{more},task={task},test_sentences=5"
        data = datasets.data_ref(text)
        problem = datasets.build(data)
        assert (data.structure, data.scores) == (problem.train.id, problem.scores)


def test_a_test_file_is_for_own_files_only(written):
    with pytest.raises(UserError, match="data set synthetic has its own test split: it takes no test file 'x'"):
        datasets.build("synthetic", "x")
    path = written("a 1:1\nb 2:1\n")
    assert len(datasets.build(f"svmlight:{path}", path).test.y) == 2


def test_the_example_in_the_documentation_works(tmp_path, monkeypatch):
    """One new file in the folder is a new data set, options, listing and all."""
    (code,) = re.findall(r"```python\n(\"\"\"Two spirals.*?)```", ADDING, re.DOTALL)
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets" / "two_spirals.py").write_text(code, encoding="utf-8")
    monkeypatch.setenv("STRUCTBENCH_WITH", str(tmp_path))
    assert "two-spirals" in datasets.names()
    assert datasets.describe("two-spirals").startswith("Two spirals")
    assert datasets.data_ref("two-spirals:seed=3,points=200").text == "two-spirals:seed=3"
    problem = datasets.build("two-spirals:points=50")
    assert (len(problem.train.y), len(problem.test.y), {*problem.train.y}) == (50, 50, {0, 1})
    with pytest.raises(UserError, match="points must be at least 2, not '1'"):
        datasets.build("two-spirals:points=1")
