"""The pins, the set-up and the facts about the project agree, whichever file one reads them in."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement as Pin

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements.lock").read_text()
ENTRIES = re.split(r"^(?=[a-z])", LOCK, flags=re.M)[1:]  # a package's pin, then its hashes
LOCKED = [re.split(r"[ ;]", entry)[0] for entry in ENTRIES]
UNLOCKED = ("postgresql", "cluster", "cyanure")
GROUPS = {name: pins for name, pins in PROJECT["dependency-groups"].items() if name not in UNLOCKED}
EXTRAS = PROJECT["project"]["optional-dependencies"]
PINS = [[pin for pin in pins if "[" not in pin] for pins in (*EXTRAS.values(), *GROUPS.values())]

# Pretends to be Python 3.12: `-m venv` makes a .venv with itself, other modules fail if they are in $FAILS.
FAKE_PYTHON = """#!/bin/sh
echo "$*" >> "$CALLS"
case "$*" in
  -c*) echo 3.12 ;;
  *"venv --clear .venv") rm -rf .venv && mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
  "-m "*) case " $FAILS " in *" $2 "*) exit 1 ;; esac ;;
esac
"""


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., tuple[int, str, list[str]]]:
    """A folder with only the Makefile and the lock, where a set-up installs nothing."""
    for name in ("Makefile", "requirements.lock"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    python, calls = tmp_path / "python", tmp_path / "calls"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)

    def run(*arguments: str, fails: str = "", python: Path = python) -> tuple[int, str, list[str]]:
        """Exit code, output, and how Python was called."""
        calls.write_text("")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("STRUCTBENCH")}
        done = subprocess.run(
            ["make", *arguments, f"PYTHON={python}"],
            cwd=tmp_path,
            env=environment | {"CALLS": str(calls), "FAILS": fails},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
        )
        return done.returncode, done.stdout, calls.read_text().splitlines()

    return run


def errors(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith("error: ")]


@pytest.mark.parametrize("pin", [pin for pins in PINS for pin in pins])
def test_the_lock_has_every_pin_of_pyproject(pin):
    assert re.fullmatch(r"[a-z0-9-]+==[0-9.]+", pin)
    assert any(re.split(r"[ ;\\]", entry)[0] == pin for entry in ENTRIES), "run `make lock`"


@pytest.mark.parametrize("least", PROJECT["project"]["dependencies"])
def test_the_lock_has_what_the_estimators_need_in_a_version_that_is_allowed(least):
    (found,) = [entry for entry in map(Pin, LOCKED) if entry.name == Pin(least).name]
    assert Pin(least).specifier.contains(str(found.specifier).removeprefix("=="))


def test_the_lock_has_hashes_and_no_address():
    assert len(ENTRIES) > 100
    for entry in ENTRIES:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry
    assert not re.search(r"://|--(extra-)?index|--find-links| @ ", LOCK)


def test_a_wheel_has_every_file_and_fits_without_a_clone(tmp_path):
    clone, wheel = tmp_path / "clone", tmp_path / "wheel"
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    rooms = [name for name in tracked if name.startswith(("algorithms/", "bench/", "datasets/"))]
    others = [name for name in tracked if name.startswith("structbench/")]
    for name in (*rooms, *others, "README.md", "LICENSE", "pyproject.toml"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, clone / name, follow_symlinks=False)
    build = [sys.executable, "-m", "uv", "build", "--quiet", "--offline", "--no-build-isolation"]
    build += ["--python", sys.executable, "--wheel", "--out-dir", str(wheel), str(clone)]
    subprocess.run(build, check=True, capture_output=True)
    (made,) = wheel.glob("*.whl")
    with zipfile.ZipFile(made) as archive:
        assert {f"structbench/{name}" for name in rooms} <= {*archive.namelist()}
        archive.extractall(tmp_path / "installed")
    code = "from structbench import MulticlassCRF; print(MulticlassCRF().fit([[0.0], [1.0]], [0, 1]).__module__)"
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "structbench.bench.estimators.multiclass\n", done.stderr


def test_conda_installs_the_lock_on_a_python_that_the_project_admits():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    install = "python -m pip install --require-hashes -r requirements.lock"
    assert install in (ROOT / "environment.yml").read_text()
    assert install.replace("install", "install --quiet") in (ROOT / "environment.post-deploy.sh").read_text()
    python = environment["dependencies"][0]
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert re.fullmatch(r"python=3\.1[1-3]", python)


def test_the_version_is_the_same_everywhere():
    version = PROJECT["project"]["version"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert str(cited["version"]) == version
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), flags=re.M)
    assert headings[0] == "[Unreleased]", "changes stand there until a version has them"
    assert headings[1] == f"[{version}] - {cited['date-released']}"


def test_snakemake_finds_the_default_profile_beside_the_snakefile():
    folders = [folder for folder in (ROOT, ROOT / "workflow") if (folder / "Snakefile").is_file()]
    assert folders and (folders[0] / "profiles/default/config.yaml").is_file()


def test_make_alone_lists_every_command(make):
    code, output, calls = make()
    assert (code, calls) == (0, [])
    phony = re.search(r"^\.PHONY: (help .+)$", (ROOT / "Makefile").read_text(), flags=re.M)
    assert phony and re.findall(r"^  ([\w-]+) +\w.*$", output, flags=re.M) == phony[1].split()
    assert {"run", "test", "ui", "paper", "bench", "lint", "clean"} <= set(phony[1].split())


@pytest.mark.parametrize(
    ("script", "found"), [("echo 3.10", "3.10"), ("echo 2.7", "2.7"), ("exit 127", "missing")]
)
def test_another_python_is_refused_in_one_sentence(make, tmp_path, script, found):
    other = tmp_path / "other"
    other.write_text(f"#!/bin/sh\n{script}\n")
    other.chmod(0o755)
    code, output, _ = make("setup", python=other)
    assert code != 0
    assert errors(output) == [
        f"error: Python 3.11 or later is needed, but {other} is {found}: try make PYTHON=python3.12"
    ]
    assert not (tmp_path / ".venv").exists()


def test_a_second_setup_does_nothing(make, tmp_path):
    code, output, calls = make("setup")
    assert (code, output.splitlines()[-1]) == (0, ".venv is ready")
    assert [call.split()[1] for call in calls[1:]] == ["venv", "pip", "uv", "uv"]
    uv = (tmp_path / ".venv/uv.txt").read_text()
    assert uv.startswith("uv==") and "--hash=sha256:" in uv and uv.count("==") == 1
    assert make("setup") == (0, ".venv is ready\n", [])


def test_a_failed_setup_says_so_and_the_next_one_mends_it(make, tmp_path):
    code, output, _ = make("setup", fails="pip uv")
    assert code != 0
    assert len(errors(output)) == 1 and "run make again when a package index can be reached" in output
    (tmp_path / ".venv/half").touch()
    assert make("setup")[0] == 0
    assert not (tmp_path / ".venv/half").exists()


def test_a_setup_empties_no_environment_through_a_link(make, tmp_path):
    other = tmp_path / "other" / ".venv"
    other.mkdir(parents=True)
    (other / "kept").touch()
    (tmp_path / ".venv").symlink_to(other)
    code, output, calls = make("lock")
    assert code != 0 and not any("-m venv" in call for call in calls)
    assert len(errors(output)) == 1 and f".venv is a link to {other}, which is older" in errors(output)[0]
    assert (other / "kept").exists()


def test_pip_installs_what_uv_cannot(make):
    code, output, calls = make("setup", fails="uv")
    assert (code, errors(output)) == (0, [])
    assert [call.split()[1] for call in calls[-4:]] == ["uv", "pip", "uv", "pip"]
    assert calls[-3].endswith("-r requirements.lock") and calls[-1].endswith("--no-deps --editable .")


def test_clean_removes_what_runs_produced_there_and_nothing_else(make, tmp_path):
    (tmp_path / "structbench").symlink_to(ROOT / "structbench")
    kept = [
        *("data/mnist", "README.md", "chapter.tex", "figures/of-mine.pdf", "code/report/own.py", "code/main.py"),
        *("quick2/figures/eg2008/fig1.png", "quick2/notes.txt"),
    ]
    gone = [
        "runs/key/spec.json",
        "mlflow.db",
        "quick/figures/eg2008/fig1.png",
        "quick/complete",
        "logs/track.log",
    ]
    here, there = tmp_path / "results", tmp_path / "my thesis"
    for file in (folder / name for folder in (here, there) for name in kept + gone):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / ".snakemake").mkdir()
    code, said, _ = make("clean", "RESULTS=my thesis", python=sys.executable)
    assert code == 0, said
    assert "kept my thesis/chapter.tex, my thesis/code, my thesis/figures, my thesis/quick2, which" in said
    assert [name for name in kept + gone if not (there / name).exists()] == gone
    assert all((here / name).exists() for name in kept + gone) and (tmp_path / ".snakemake").exists()
    assert make("distclean", python=sys.executable)[0] == 0
    assert [name for name in kept + gone if not (here / name).exists()] == ["data/mnist", *gone]
    assert (there / "data" / "mnist").exists() and not (tmp_path / ".snakemake").exists()


def test_the_ui_without_a_database_says_what_makes_one(make):
    make("setup")
    code, output, _ = make("ui")
    assert code != 0
    assert errors(output) == ["error: no results/mlflow.db yet: 'make run' makes it"]
    code, output, _ = make("ui", "RESULTS=/nowhere")
    assert code != 0
    assert errors(output) == ["error: no /nowhere/mlflow.db yet: 'make run' makes it"]


@pytest.mark.parametrize("name", ["results", "other results"])
def test_the_ui_opens_the_database_of_the_results_that_are_meant(make, tmp_path, name):
    make("setup")
    (tmp_path / name).mkdir()
    (tmp_path / name / "mlflow.db").touch()
    code, output, calls = make("ui", *([] if name == "results" else [f"RESULTS={name}"]))
    assert code == 0, output
    assert f"--backend-store-uri sqlite:///{name}/mlflow.db" in calls[-1]


def test_ctrl_c_ends_the_pages_of_mlflow_without_a_traceback(tmp_path):
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    for name in ("requirements.lock", "results/mlflow.db", ".venv/bin/python", ".venv/.ready"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    serves = "import sys, time\nif 'mlflow' in sys.argv:\n    print('serving', flush=True)\n    time.sleep(60)\n"
    (tmp_path / ".venv/bin/python").write_text(f"#!{sys.executable}\n{serves}")
    (tmp_path / ".venv/bin/python").chmod(0o755)
    words = ["make", "ui", "RESULTS=results"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as made:
        assert made.stdout and any(line == "serving\n" for line in made.stdout)
        os.killpg(made.pid, signal.SIGINT)
        assert "Traceback" not in made.stdout.read()


def test_conda_installs_structbench_too():
    for file in ("environment.yml", "environment.post-deploy.sh"):
        assert "--no-deps --editable ." in (ROOT / file).read_text()


def test_a_clone_whose_links_became_files_works(tmp_path):
    for room in ("algorithms", "bench", "datasets"):
        (tmp_path / room).symlink_to(ROOT / room)
    (tmp_path / "structbench").mkdir()
    shutil.copy(ROOT / "structbench" / "__init__.py", tmp_path / "structbench")
    for room in ("algorithms", "bench", "datasets"):
        (tmp_path / "structbench" / room).write_text(f"../{room}")
    words = [sys.executable, "-c", "import structbench.bench.verbs.verb"]
    done = subprocess.run(words, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True)
    assert done.returncode == 0, done.stderr
