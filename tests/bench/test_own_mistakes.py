"""Mistakes in modules of the user's own are said in one sentence, with file and line."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.test_newcomers import ALGORITHM, DATA, MORE, PAPER, ROOT, changed
from tests.bench.test_own_folder import commands, written

SPLIT = "features.dense(np.eye(2))"
LEARNS = ALGORITHM + "    yield Iterate(np.zeros(parts.num_weights(objective.split)), 2)\n"
KERNEL = "\n\n@kernel\ndef moved(w):\n    return w.nothing()\n"
RUNS = changed(PAPER, 'make("pebbles:size=5", "log", 1.0, "gentle-descent", {"pace": 0.25})', "*made()")
ONE = '\n\ndef made():\n    return [make("pebbles", "log", 1.0, "steps", passes=1)]\n'
CLAIM = '''

def claims_of(scale):
    """The one claim."""
    row = Row("gentle", "Figure 1", "It is gentle.", (Part("gentle", "it is {}"),))
    return [Claim(f"{__name__.split('.')[-1]}/gentle", row, rule, made(), ["fig01"])]


def rule(part, runs):
    return len(runs[made()[0]].curve).least


def draw(runs):
    return {}[runs[made()[0]].spec.algorithm]
'''
WHOLE = changed(RUNS, "lambda runs: None", "draw") + CLAIM + ONE
WHOLE = changed(WHOLE, "import make\n", "import make\nfrom structbench.bench.papers.claim_rows import Part, Row\n")
COMPILED = "\nfrom structbench.algorithms.runtime.kernel import kernel\n" + KERNEL + "\n\n@algo"
WIDE = "multiclass.build(features.dense(np.eye(3)[:2]), np.arange(2), 2)"
FILES = {
    "algorithms/steps.py": LEARNS,
    "algorithms/no_kernel.py": changed(LEARNS, "\n\n@algo", COMPILED) + "    moved(np.zeros(2))\n",
    "algorithms/no_dot.py": changed(ALGORITHM, "import numpy as np\n", "import numpy as np\nimport steps\n"),
    "algorithms/lost_import.py": changed(LEARNS, "import numpy as np\n", "import numpyy as np\n"),
    "algorithms/late_import.py": changed(LEARNS, '    """Steps."""\n', '    """Steps."""\n    import numpyy\n'),
    "algorithms/leaves.py": LEARNS + "    __import__('os')._exit(0)\n",
    "datasets/ends_all.py": DATA + "\n\nimport os\n\nload = lambda files, size=9: os._exit(0)  # noqa: E731\n",
    "algorithms/gives_up.py": LEARNS + "    raise GeneratorExit\n",
    "algorithms/no_package.yaml": "{about: a, class: numpyy.a.B, minimises: log, arguments: {C: '{C}'}}",
    "algorithms/lost_start.py": '"""Steps."""\n\nlengths = (\n',
    "algorithms/bad_label.py": changed(ALGORITHM, "needs=", "label=3, needs="),
    "algorithms/bad_random.py": changed(ALGORITHM, "needs=", 'random="no", needs='),
    "algorithms/a_list.py": changed(ALGORITHM, "objective, rng", "objective, rng, *, eta: list = [1]"),
    "algorithms/bad_files.py": changed(ALGORITHM, "needs=", 'files=("no.json",), needs='),
    "datasets/pebbles.py": DATA,
    "datasets/lost_import.py": changed(DATA, "import numpy as np\n", "import numpyy as np\n"),
    "datasets/raises.py": changed(DATA, "    split =", "    {}['a']\n    split ="),
    "datasets/not_finite.py": changed(DATA, SPLIT, "features.dense(np.array([[1.0, 2.0], [np.nan, 1.0]]))"),
    "datasets/odd_label.py": changed(DATA, "np.arange(2)", "np.arange(2) + 1"),
    "datasets/other_width.py": changed(DATA, "None", WIDE),
    "datasets/more_labels.py": changed(DATA, "None", "multiclass.build(features.dense(np.eye(2)), [0, 2], 3)"),
    "datasets/wide_held_out.py": changed(DATA, "None, (", f"validation={WIDE}, test=None, labels=("),
    "datasets/few_labels.py": changed(DATA, '("a", "b")', '("a",)'),
    "papers/broken_runs/__init__.py": changed(RUNS, "    return {", "    1 / 0\n    return {") + MORE,
    "papers/lost_figure/__init__.py": changed(WHOLE, '["fig01"]', '["fig1"]'),
    "papers/broken_rule/__init__.py": WHOLE,
}  # fmt: skip


def place(paper: str, text: str) -> str:
    """The first line of a paper's file that begins with a text, as messages name it."""
    lines = FILES[f"papers/{paper}/__init__.py"].splitlines()
    number = next(k for k, line in enumerate(lines, 1) if line.strip().startswith(text))
    return f"{paper}/__init__.py:{number}: {text}"


RUN = "run --loss log --C 1 --passes 1"
CASES = {
    f"{RUN} --data pebbles --algorithm no-kernel": (
        "no-kernel failed with TypingError: Unknown attribute 'nothing'", "no_kernel.py:16: return w.nothing()",
    ),
    f"{RUN} --data pebbles --algorithm no-dot": (
        "no_dot.py:6: import steps: ", "steps.py lies beside it: write from .steps import ..., with a dot",
    ),
    f"{RUN} --data pebbles --algorithm lost-import": (
        "/algorithms/lost_import.py:5: import numpyy as np: No module named 'numpyy': install it for ",
        "or correct the name",
    ),
    f"{RUN} --data pebbles --algorithm late-import": (
        "/algorithms/late_import.py:15: import numpyy: No module named 'numpyy': install it for ",
    ),
    f"{RUN} --data lost-import --algorithm steps": (
        "/datasets/lost_import.py:3: import numpyy as np: No module named 'numpyy': install it for ",
    ),
    f"{RUN} --data pebbles --algorithm leaves": (
        "leaves failed with SystemExit: it called os._exit(0), which ends the whole program",
        "/algorithms/leaves.py:17: __import__('os')._exit(0)",
    ),
    f"{RUN} --data ends-all --algorithm steps": (
        "data set ends-all failed with SystemExit: it called os._exit(0), which ends the whole program",
    ),
    f"{RUN} --data pebbles --algorithm gives-up": (
        "gives-up failed with GeneratorExit; its traceback is", "/algorithms/gives_up.py:17: raise GeneratorExit",
    ),
    f"{RUN} --data pebbles --algorithm no-package": (
        "no_package.yaml) needs the package numpyy, which is not installed: pip install numpyy; if pip calls it",
    ),
    f"{RUN} --data pebbles --algorithm lost-start": (
        "error: cannot be read: ", "/algorithms/lost_start.py:3: '(' was never closed",
    ),
    f"{RUN} --data pebbles --algorithm bad-label": ("bad_label.py:12: label must be str, not 3",),
    f"{RUN} --data pebbles --algorithm bad-random": ("bad_random.py:12: random must be bool or dict, not 'no'",),
    f"{RUN} --data pebbles --algorithm a-list": (
        "a_list.py:12: the default: eta is a list, and a parameter is a number, a text or a truth",
    ),
    f"{RUN} --data pebbles --algorithm bad-files": ("bad_files.py:12: files has 'no.json': there is no such",),
    f"{RUN} --data raises --algorithm steps": (
        "data set raises failed with KeyError: 'a' at ", "/datasets/raises.py:15: {}['a']",
    ),
    f"{RUN} --data not-finite --algorithm steps": (
        "not_finite.py: load returned features that are not finite numbers: see row 1 of x",
    ),
    f"{RUN} --data odd-label --algorithm steps": ("odd_label.py: label of example 1 must lie in -1 .. 1, not 2",),
    f"{RUN} --data other-width --algorithm steps": (
        "other_width.py: the test split has 3 columns and 6 weights, that of training 2 columns and 4 weights: ",
    ),
    f"{RUN} --data more-labels --algorithm steps": (
        "more_labels.py: the test split has 3 labels and 6 weights, that of training 2 labels and 4 weights: ",
    ),
    f"{RUN} --data wide-held-out --algorithm steps": ("the validation split has 3 columns and 6 weights, that",),
    f"{RUN} --data few-labels --algorithm steps": ("few_labels.py: load named 1 labels (a) for 2",),
    "claims --config broken_runs.yaml": (
        "_of of the paper broken_runs failed with ZeroDivisionError", place("broken_runs", "1 / 0"),
    ),
    "claims --config lost_figure.yaml": (
        "lost_figure/gentle names the figure 'fig1': did you mean 'fig01'? lost_figure has fig01",
    ),
    "claims --config broken_rule.yaml": (
        "claim gentle of broken_rule failed with AttributeError", place("broken_rule", "return len"),
    ),
    "figures --config broken_rule.yaml": (
        "broken_rule/fig01 is not drawn: it failed with KeyError: 'steps' at", place("broken_rule", "return {}["),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def said(tmp_path_factory) -> dict[str, tuple[int, str]]:
    place = tmp_path_factory.mktemp("mistakes")
    folder = written(place / "mine", FILES)
    for file in FILES:
        if file.startswith("papers"):
            name = Path(file).parent.name
            text = {"with": str(folder), "scale": "tiny", "figures": [name], "results": str(place)}
            (place / f"{name}.yaml").write_text(json.dumps(text))
    words = [f"{RUN} --data pebbles --algorithm steps --with {folder}", *CASES]
    env = {"STRUCTBENCH_RESULTS": str(place), "STRUCTBENCH_WITH": str(folder)}
    found = dict(zip(words, commands(*words, **env), strict=True))
    assert found[words[0]][0] == 0, found[words[0]]
    return found


def test_a_crash_of_compiled_code_is_said_with_its_line(tmp_path):
    text = LEARNS + "    __import__('ctypes').string_at(0)\n"
    folder = written(tmp_path / "mine", {"algorithms/crashes.py": text, "datasets/pebbles.py": DATA})
    words = f"{RUN} --data pebbles --algorithm crashes --with {folder} --out {tmp_path / 'out'}"
    words = [sys.executable, "-m", "bench", *words.split()]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == -signal.SIGSEGV
    assert f'"{folder}/algorithms/crashes.py", line 17 in solve' in done.stderr


@pytest.mark.parametrize("words", CASES)
def test_a_mistake_is_one_sentence_with_file_and_line(said, words):
    code, text = said[words]
    assert code in (1, 2) and "Traceback" not in text
    for sentence in CASES[words]:
        assert sentence in text, text
