"""A folder of the user's: what is in it is found, marked, hashed and run like ours; clashes are refused."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.test_newcomers import ALGORITHM, DATA, LOSS, MORE, PAPER, PROGRAM, ROOT, STRUCTURE, changed

HELPED = changed(
    changed(ALGORITHM, "import numpy", "import numpy").replace(
        "\n\n@algo", "\nfrom .steps import LENGTH\nfrom structbench.algorithms.runtime.kernel import kernel\n\n\n"
        "@kernel\ndef moved(w):\n    w += LENGTH\n\n\n@algo",
    ),
    "    yield", "    w = np.zeros(parts.num_weights(objective.split))\n    yield",
) + "    moved(w)\n    yield Iterate(w, parts.num_examples(objective.split))\n"  # fmt: skip
FILES = {
    "algorithms/pebble_steps.py": HELPED,
    "algorithms/steps.py": '"""A length."""\n\nLENGTH = 0.5\n',
    "algorithms/newcomers/late_steps.py": ALGORITHM,
    "algorithms/gradient/more_steps.py": ALGORITHM,
    "algorithms/lost_steps.py": changed(ALGORITHM, '"parts",', '"parts",('),
    "structures/coins.py": STRUCTURE,
    "structures/lost_coins.py": changed(STRUCTURE, "return c", "return (c"),
    "losses/warm.py": LOSS,
    "datasets/pebbles.py": changed(DATA, "(files)", "(files, *, size: int = 10)"),
    "datasets/lost_pebbles.py": changed(DATA, "SOURCES = ()", "SOURCES = )"),
    "papers/new2026/__init__.py": changed(PAPER, "gentle-descent", "pebble-steps").replace('{"pace": 0.25}', "{}")
    + MORE,
}
OTHERS = {"my-env.yaml": "name: conda\n", "my-list.yaml": "- class", "my-draft.yaml": "{", "my.yml": "name: conda"}
SHOWN = "show pebbles__warm__C=1__pebble-steps__passes=1"
RUN = "run --data pebbles --loss warm --C 1 --passes 1 --algorithm"
HASHES = """
import json
from structbench.bench.runs import programs, spec
from structbench.bench.workflow import config, view_inputs
made = spec.make("pebbles", "log", 1.0, "pebble-steps")
ours = spec.make("pebbles", "log", 1.0, "sgd")
files = [each.as_posix() for each in programs.of_run(made)]
view = view_inputs.programs_of("new2026")
print(json.dumps([programs.sha256_of_run(made), view, programs.sha256_of_run(ours), files]))
"""


def written(folder: Path, files: dict[str, str]) -> Path:
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return written(tmp_path_factory.mktemp("with") / "mine", FILES)


def python(*words: str, given: str = "", **env: str) -> str:
    done = subprocess.run(
        [sys.executable, *words], input=given, env=os.environ | {"PYTHONPATH": str(ROOT)} | env,
        capture_output=True, text=True, check=False, cwd=env.get("STRUCTBENCH_RESULTS"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def commands(*words: str, **env: str) -> list[tuple[int, str]]:
    """Exit code of each command of one process, and all that it said."""
    found = json.loads(python("-c", PROGRAM, given=json.dumps([each.split() for each in words]), **env))
    return [(code, out + err) for code, out, err in found]


@pytest.fixture(scope="module")
def said(folder, tmp_path_factory) -> dict[str, tuple[int, str]]:
    results = tmp_path_factory.mktemp("results")
    (results / "mine.yaml").write_text(f"with: {folder}\nscale: tiny\nfigures: [new2026]\n")
    words = [
        f"list --with {folder}", "list --json", f"{RUN} pebble-steps", f"{RUN} late-steps", f"{RUN} more-steps",
        f"{RUN} lost-steps", f"{RUN} pebble-steps --data lost-pebbles", "figures --config mine.yaml", SHOWN,
    ]  # fmt: skip
    found = commands(*words, STRUCTBENCH_RESULTS=str(results))
    (summary,) = results.glob("runs/*pebble-steps*/summary.json")
    without = commands(SHOWN, STRUCTBENCH_RESULTS=str(results))[0]
    return dict(zip(words, found, strict=True)) | {
        "summary": (0, summary.read_text()),
        f"{SHOWN} in vain": without,
    }


def test_what_is_in_it_is_listed_and_marked(said, folder):
    code, text = said[f"list --with {folder}"]
    rows = {line.split()[0]: line for line in text.splitlines() if line.strip()}
    assert code == 0 and "Traceback" not in text
    for name in ("pebble-steps", "late-steps", "more-steps", "coins", "warm", "pebbles", "new2026"):
        assert f"(yours, {folder})" in rows[name], name
    assert "(yours" not in rows["sgd"] + rows["multiclass"] + rows["hinge"] + rows["mnist"]
    for name, line in (("algorithms/lost_steps", 12), ("structures/lost_coins", 21), ("datasets/lost_pebbles", 9)):
        assert f"cannot be read: {folder}/{name}.py:{line}:" in text
    found = json.loads(said["list --json"][1])["algorithms"]
    assert all(f"(yours, {folder})" in str(found[name]) for name in ("pebble-steps", "lost-steps"))


def test_it_runs_with_data_and_a_loss_of_its_own_and_an_error_spoils_nothing_else(said, folder):
    for name in ("pebble-steps", "late-steps", "more-steps"):
        assert said[f"{RUN} {name}"][0] == 0, said[f"{RUN} {name}"]
    code, text = said[f"{RUN} lost-steps"]
    assert code == 2 and text.startswith(f"error: cannot be read: {folder}/algorithms/lost_steps.py:12: '(' was")
    assert said[f"{RUN} pebble-steps --data lost-pebbles"][0] == 2
    command, hint = said[SHOWN], said[f"{SHOWN} in vain"]
    assert command[0] == 0 and f"made by: python -m bench run --with {folder} --data pebbles" in command[1]
    assert hint[0] == 0 and f"made with {folder}/algorithms/pebble_steps.py: add --with {folder}" in hint[1]
    made = json.loads(said["summary"][1])["provenance"]["own_files"]
    assert made == dict.fromkeys(
        ("algorithms/losses/warm.py", "algorithms/pebble_steps.py", "algorithms/steps.py", "datasets/pebbles.py"),
        str(folder),
    )


def test_a_config_names_it_with_its_paper(said):
    code, text = said["figures --config mine.yaml"]
    assert code == 2 and "none of the 1 runs of the config mine is finished" in text


def test_the_hash_is_of_the_users_files_too_and_of_what_they_import(tmp_path):
    folder = written(tmp_path / "mine", FILES)
    env = {"STRUCTBENCH_WITH": str(folder), "STRUCTBENCH_RESULTS": str(tmp_path)}
    before = json.loads(python("-c", HASHES, **env))
    assert {"algorithms/pebble_steps.py", "algorithms/steps.py"} <= {*before[-1]}
    (folder / "algorithms/steps.py").write_text('"""A length."""\n\nLENGTH = 0.25\n')
    paper = folder / "papers/new2026/__init__.py"
    paper.write_text(paper.read_text() + "\nMORE = 1\n")
    after = json.loads(python("-c", HASHES, **env))
    assert [one == other for one, other in zip(before, after, strict=True)] == [False, False, True, True]
    elsewhere = json.loads(python("-c", HASHES, **env | {"STRUCTBENCH_WITH": str(folder.rename(tmp_path / "b"))}))
    assert elsewhere == after, "the hash does not depend on where the folder lies"


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (
            {"algorithms/sgd.py": ALGORITHM},
            "two algorithms are called sgd: algorithms/gradient/sgd.py and {0}/algorithms/sgd.py",
        ),
        ({"algorithms/gradient/sgd.py": ALGORITHM}, "sgd.py has the name of algorithms/gradient/sgd.py"),
        (
            {"algorithms/learning.py": ALGORITHM},
            "learning.py has the name of algorithms/learning: give it another",
        ),
        ({"structures/chain.py": STRUCTURE}, "structures/chain.py has the name of algorithms/structures/chain"),
        ({"losses/log.py": LOSS}, "losses/log.py has the name of algorithms/losses/log.py"),
        ({"datasets/mnist.py": DATA}, "datasets/mnist.py has the name of datasets/mnist.py"),
        ({"papers/eg2008/__init__.py": PAPER}, "has the name of bench/papers/eg2008"),
        (
            {"algorithms/a.py": ALGORITHM, "../b/algorithms/a.py": ALGORITHM},
            "b/algorithms/a.py has the name of {0}/",
        ),
        (
            {"algorithms/a.yaml": "about: a", "../b/algorithms/a.yaml": "about: a", "algorithms/a.py": ""},
            "b/algorithms/a.yaml has the name of {0}/algorithms/a.yaml",
        ),
        ({"algorithms/a-b.py": ALGORITHM}, "{0}/algorithms/a-b.py: name it a_b.py; its id is then a-b"),
        ({"algorithms/mine/My_Box.yaml": "about: a"}, "{0}/algorithms/mine/My_Box.yaml: name it my_box.yaml; its"),
        ({"algorithms/a-b.yaml": "class: c.D"}, "{0}/algorithms/a-b.yaml: name it a_b.yaml; its id is then a-b"),
        ({"algorithms/a-b.yaml": '{reads: rows, "about": b}'}, "{0}/algorithms/a-b.yaml: name it a_b.yaml; its"),
        ({"algorithms/a_b.yml": "about: a"}, "{0}/algorithms/a_b.yml: name it a_b.yaml"),
        ({"datasets/sp ace.py": DATA}, "{0}/datasets/sp ace.py: name it sp_ace.py; its id is then sp-ace"),
        ({"losses/2.py": LOSS}, "{0}/losses/2.py: give it another name, of small letters, digits and _, a letter"),
        ({"structures/A/__init__.py": STRUCTURE, "structures/_b.py": ""}, "{0}/structures/A: name it a; its id"),
        ({"notes/a.py": ""}, "{0} holds nothing to use: it needs a folder structures, losses, algorithms"),
        ({}, "there is no folder {0}, which --with, with: or STRUCTBENCH_WITH names"),
    ],
)
def test_a_clash_an_empty_folder_and_a_missing_one_are_refused(tmp_path, files, said):
    folder = written(tmp_path / "a", files)
    both = [folder, *(each for each in [tmp_path / "b"] if each.exists())]
    ((code, text),) = commands(f"list {' '.join(f'--with {each}' for each in both)}")
    assert code == 2 and text.startswith("error: ") and said.format(folder) in text
    assert "Traceback" not in text and len(text.splitlines()) == 1


def test_a_file_that_is_no_algorithm_may_have_any_name(tmp_path):
    others = {f"algorithms/{name}": text for name, text in OTHERS.items()}
    own = {"algorithms/a.py": ALGORITHM, "algorithms/b.yaml": "{about: Bees, class: c.D}"}
    folder = written(tmp_path / "a", own | others)
    run = f"{RUN} my-env --data mnist --loss log"
    (code, text), (_, unknown) = commands(f"list algorithms --with {folder}", run)
    assert code == 0 and "name it" not in text and "my-env" not in text and "Bees" in text, text
    assert "unknown algorithm 'my-env'" in unknown


def test_what_editors_and_notebooks_hide_in_it_is_no_file_of_it(tmp_path):
    copies = ".ipynb_checkpoints/a-checkpoint.py", ".ipynb_checkpoints/A.yaml", "._a.py"
    hidden = {f"algorithms/{each}": "\0\n@algorithm(" for each in copies}
    folder = written(tmp_path / "a", {"algorithms/a.py": ALGORITHM, "datasets/b.py": DATA} | hidden)
    (folder / "datasets/.#b.py").symlink_to("me@here.1:2")  # a lock of Emacs
    ((code, text),) = commands(f"list --with {folder}")
    assert code == 0 and text.count("(yours") == 2 and "._a" not in text, text


def test_a_config_may_name_it_after_a_run_without_it(folder, tmp_path):
    grid = {
        "name": "g",
        "data": "pebbles",
        "loss": "warm",
        "C": 1,
        "algorithms": {"pebble-steps": {}},
        "passes": 1,
    }
    given = {"with": str(folder), "grids": [grid | {"timed": False}]}
    (tmp_path / "own.yaml").write_text(json.dumps(given))
    text = f"""
import structbench
run = structbench.run("toy-points", "lbfgs", loss="log", C=1, passes=1)
structbench.plot.gap([run])
try:
    structbench.run("pebbles", "pebble-steps", loss="warm", C=1, passes=1)
except structbench.UserError as error:
    print(error)
(run,) = structbench.grid({given})
structbench.plot.gap([run])
print(run.spec.algorithm)
"""
    said = python("-c", text, STRUCTBENCH_RESULTS=str(tmp_path)).splitlines()
    assert "unknown algorithm 'pebble-steps'" in said[0] and said[1:] == ["pebble-steps"]
    ((code, text),) = commands("export --config own.yaml --out all.parquet", STRUCTBENCH_RESULTS=str(tmp_path))
    assert code == 0 and "1 runs" in text, text


LIVE = """
import os, structbench, sys
from pathlib import Path
from structbench.algorithms.runtime.errors import UserError
text, mine = sys.stdin.read(), Path("mine/algorithms")
def call(name):
    try:
        print(structbench.run("toy-points", name, loss="log", C=1, passes=1).key)
    except UserError as error:
        print(error)
call("late-steps")
mine.mkdir(parents=True)
mine.joinpath("late_steps.py").write_text(text)
os.environ["STRUCTBENCH_WITH"] = "mine"
call("late-steps")
mine.joinpath("more_steps.py").write_text(text)
call("more-steps")
mine.joinpath("late_steps.py").write_text(text + "# a comment\\n")
call("late-steps")
mine.joinpath("late_steps.py").write_text(text.replace("yield", "1 + 1\\n    yield"))
call("late-steps")
call("more-steps")
mine.joinpath("third_steps.py").write_text(text.replace("@algorithm(", "@algorithm(loss='smooth', "))
try:
    structbench.run("toy-points", "third-steps", loss="hinge", C=1, passes=1)
except UserError as error:
    print(error)
mine.joinpath("third_steps.py").write_text(text)
mine.joinpath("late_steps.py").write_text(text)
try:
    structbench.run("toy-points", "third-steps", loss="hinge", C=1, passes=1)
except UserError as error:
    print(error)
"""


def test_a_process_that_lives_on_sees_new_files_and_refuses_edited_ones(tmp_path):
    said = python("-c", LIVE, given=ALGORITHM, STRUCTBENCH_RESULTS=str(tmp_path)).splitlines()
    late, more = (f"toy-points__log__C=1__{name}-steps__passes=1" for name in ("late", "more"))
    assert said[0].startswith("unknown algorithm 'late-steps'") and said[1:4] == [late, more, late]
    assert "mine/algorithms/late_steps.py changed since this process imported it: start another" in said[4]
    assert said[5] == more and "minimises the log" in said[6]
    assert "mine/algorithms/third_steps.py changed since this process imported it" in said[7]


def test_what_a_later_config_names_has_rows_in_the_counts_of_all(tmp_path):
    written(tmp_path / "own", {"algorithms/my_steps.py": ALGORITHM})
    text = "grids: [{{name: g, data: [toy-points], C: [1], algorithms: {{{}: {{}}}}}}]\n"
    (tmp_path / "a.yaml").write_text(text.format("eg"))
    (tmp_path / "b.yaml").write_text(f"with: [{tmp_path / 'own'}]\n{text.format('my-steps')}")
    words = "list algorithms --config a.yaml --config b.yaml --json"
    ((code, out),) = commands(words, STRUCTBENCH_RESULTS=str(tmp_path))
    found = json.loads(out)
    assert code == 0 and [found[each]["algorithms"]["my-steps"] for each in ("a.yaml", "b.yaml")] == [0, 1]
