"""Listings and refusals import none of the heavy packages, which take seconds."""

import json
import os
import subprocess
import sys

import pytest

from structbench.algorithms.runtime.modules import ROOT

PROGRAM = """
import contextlib, io, json, sys

heavy = {"numba", "llvmlite", "scipy", "pandas", "pyarrow", "matplotlib", "mlflow"}

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in heavy:
            raise AssertionError(f"{name} is imported")

sys.meta_path.insert(0, Blocked())
from structbench.bench.__main__ import main

found = []
for words in json.load(sys.stdin):
    heavy -= {"scipy"} if words[0] in ("list", "claims") else set()  # some algorithms, and intervals, import it
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except AssertionError as error:
            code = str(error)
    found.append([code, out.getvalue(), err.getvalue()])
json.dump(found, sys.stdout)
"""
RUN = "run --data mnist --loss log --C 1 --algorithm"
MISTAKES = {
    f"{RUN} gradient": "unknown algorithm 'gradient': did you mean 'subgradient'?",
    f"{RUN} eg --data minst": "unknown data set 'minst': did you mean 'mnist'?",
    f"{RUN} eg --loss square": "unknown loss 'square': choose log or hinge",
    f"{RUN} sgd --loss hinge": "sgd minimises the log or",
    f"{RUN} eg --C 0": "C must be a number above 0",
    f"{RUN} eg --set eta": "'eta' is not of the form name=value",
    "data fetch": "name a data set",
    "show nothing": "there is no run 'nothing'",
    "figures --config nowhere.yaml": "cannot read the config nowhere.yaml",
    "measure looks": "unknown part 'looks'",
    "measure rates": "there is no 'rates' any more: estimates read the seconds of finished runs by themselves",
    # before papers are imported
    "figures --config config.yaml": "unknown paper 'eg2010': did you mean 'eg2008'? there are bcfw2013, eg2004",
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> dict[str, list]:
    """Words of a command -> its exit code, stdout and stderr, or what it imported."""
    folder = tmp_path_factory.mktemp("light")
    (folder / "config").symlink_to(ROOT / "config")
    (folder / "config.yaml").write_text("scale: tiny\nfigures: [eg2010]\n")
    found = {}
    for asked in (["list", "claims --published"], [*MISTAKES]):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], input=json.dumps([words.split() for words in asked]), cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found |= zip(asked, json.loads(done.stdout), strict=True)
    return found


def test_a_listing_imports_nothing_heavy(answers):
    code, said, error = answers["list"]
    assert (code, error) == (0, "")
    for name in ("frank-wolfe", "--set eta0=0.0", "segments", "toy-english", "eg2008"):
        assert name in said
    code, said, error = answers["claims --published"]
    assert (code, error) == (0, "") and "reproduced" in said


@pytest.mark.parametrize("words", MISTAKES)
def test_a_mistake_is_refused_before_anything_heavy_is_imported(answers, words):
    code, _, error = answers[words]
    assert code == 2 and error.startswith("error: ") and MISTAKES[words] in error
